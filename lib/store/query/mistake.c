/* Explains a statement that SQLite refuses: the place of its mistake, and names that exist. */
#include "store/query/mistake.h"

#include <string.h>

#include "core/buf.h"
#include "core/collections/arena.h"
#include "tracecoach/text.h"

/* The tables and views of the main database. */
static const char tables_sql[] =
	"SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY name";

static const char columns_sql[] = "SELECT name FROM pragma_table_xinfo(?1)";

struct names {
	struct tc_arena *arena;
	const char **items;
	size_t count, capacity;
};

static bool add_name(struct names *names, const char *name)
{
	const char *copy = tc_arena_dup(names->arena, tc_text_from(name));

	if (!copy || !TC_ARENA_GROW(names->arena, names->items, names->capacity, names->count + 1))
		return false;
	names->items[names->count++] = copy;
	return true;
}

/* Errors are ignored: the failure of the query itself is reported anyway. */
static void read_names(struct names *names, sqlite3 *db, const char *sql, const char *argument)
{
	sqlite3_stmt *statement = NULL;

	if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK) {
		if (argument)
			sqlite3_bind_text(statement, 1, argument, -1, SQLITE_STATIC);
		while (sqlite3_step(statement) == SQLITE_ROW &&
			add_name(names, (const char *)sqlite3_column_text(statement, 0)))
			;
	}
	sqlite3_finalize(statement);
}

static bool has_word(const char *sql, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = sql; *at; at++) {
		bool begins = at == sql || !tc_is_word_char(at[-1]);
		if (begins && sqlite3_strnicmp(at, word, (int)len) == 0 &&
			!tc_is_word_char(at[len]))
			return true;
	}
	return false;
}

/* The last word of the message, without its table: "no such column: s.nme". */
static const char *name_in(const char *message)
{
	const char *blank = strrchr(message, ' '), *dot = strrchr(message, '.');

	if (dot && (!blank || dot > blank))
		return dot + 1;
	return blank ? blank + 1 : message;
}

static void append_nearest(struct tc_buf *buf, const char *word, const struct names *names)
{
	const char *near = names->count > 0 ? tc_nearest(word, names->items, names->count) : NULL;

	if (near)
		tc_buf_format(buf, ": did you mean %s?", near);
}

static void append_columns(struct tc_buf *buf, const char *table, const struct names *columns)
{
	tc_buf_format(buf, "; %s has", table);
	for (size_t i = 0; i < columns->count; i++)
		tc_buf_format(buf, "%s %s", i > 0 ? "," : "", columns->items[i]);
}

static void hint_column(
	struct tc_buf *buf, struct tc_arena *arena, sqlite3 *db, const char *sql, const char *word)
{
	struct names tables = {.arena = arena}, all = {.arena = arena};
	struct tc_buf lists = TC_BUF_EMPTY;

	read_names(&tables, db, tables_sql, NULL);
	for (size_t i = 0; i < tables.count; i++) {
		struct names columns = {.arena = arena};
		if (!has_word(sql, tables.items[i]))
			continue;
		read_names(&columns, db, columns_sql, tables.items[i]);
		append_columns(&lists, tables.items[i], &columns);
		for (size_t k = 0; k < columns.count; k++)
			add_name(&all, columns.items[k]);
	}
	append_nearest(buf, word, &all);
	tc_buf_append_text(buf, tc_buf_text(&lists));
	tc_buf_end(buf, &lists);
}

/*
 * Appends a hint to an error message of SQLite: after "no such column" the nearest column of the
 * tables in the statement, and all their columns; after "no such table" the nearest table. Nothing
 * for other errors.
 */
static void query_hint(struct tc_buf *buf, sqlite3 *db, const char *sql, const char *message,
	const char *schema_word)
{
	struct tc_text text = tc_text_from(message);
	struct tc_arena arena = {0};

	if (tc_text_starts(text, TC_TEXT("no such column: "))) {
		hint_column(buf, &arena, db, sql, name_in(message));
	} else if (tc_text_starts(text, TC_TEXT("no such table: "))) {
		struct names tables = {.arena = &arena};
		read_names(&tables, db, tables_sql, NULL);
		append_nearest(buf, name_in(message), &tables);
		tc_buf_format(buf, "; %s lists the tables and views", schema_word);
	} else if (tc_text_ends(text, TC_TEXT(": syntax error")) && !has_word(sql, "SELECT") &&
		   !has_word(sql, "VALUES")) {
		tc_buf_format(buf, "; a question begins with SELECT or WITH; %s lists the tables",
			schema_word);
	}
	tc_arena_clear(&arena);
}

/* Byte offset of the token that SQLite rejects; -1 when unknown. */
static int error_offset(sqlite3 *db)
{
#if SQLITE_VERSION_NUMBER >= 3038000
	return sqlite3_error_offset(db);
#else
	(void)db;
	return -1;
#endif
}

/* "at line 2, column 7: " where SQLite gives the place. */
static void append_place(struct tc_buf *buf, sqlite3 *db, const char *sql)
{
	int offset = error_offset(db), line = 1, column = 1;

	if (offset < 0)
		return;
	for (int i = 0; i < offset && sql[i]; i++) {
		bool continues = ((unsigned char)sql[i] & 0xc0) == 0x80; /* inside a character */
		if (sql[i] == '\n') {
			line++;
			column = 1;
		} else if (!continues) {
			column++;
		}
	}
	tc_buf_format(buf, " at line %d, column %d", line, column);
}

static void no_table(struct tc_ctx *ctx, sqlite3 *db, const char *name)
{
	struct tc_buf text = {.ctx = ctx};
	struct tc_arena arena = {0};
	struct names tables = {.arena = &arena};

	read_names(&tables, db, tables_sql, NULL);
	tc_buf_format(&text, "no table or view %s", name);
	append_nearest(&text, name, &tables);
	const char *string = tc_buf_string(&text);
	if (string)
		tc_fail(ctx, TC_ERR_USAGE, "%s; %s without a name lists them", string,
			tc_ctx_word(ctx, "--schema"));
	tc_arena_clear(&arena);
	tc_buf_clear(&text);
}

void tc_sql_mistake(struct tc_ctx *ctx, sqlite3 *db, const char *sql, const char *table)
{
	if (table) {
		no_table(ctx, db, table);
		return;
	}
	struct tc_buf text = {.ctx = ctx}, said = {.ctx = ctx};

	/* Copied, because the hint uses the same connection. */
	tc_buf_append_string(&said, sqlite3_errmsg(db));
	tc_buf_append_string(&text, "wrong SQL");
	append_place(&text, db, sql);
	const char *message = tc_buf_string(&said);
	tc_buf_format(&text, ": %s", message ? message : "");
	if (message)
		query_hint(&text, db, sql, message, tc_ctx_word(ctx, "--schema"));
	const char *string = tc_buf_string(&text);
	if (string)
		tc_fail(ctx, TC_ERR_USAGE, "%s", string);
	tc_buf_clear(&text);
	tc_buf_clear(&said);
}
