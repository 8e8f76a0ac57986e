/* Runs a user's query: exactly one statement, which only reads, under the strict guard of a sealed
 * store. A wrong statement is reported with its place and with names that exist. */

#include "store/query/query.h"

#include <sqlite3.h>
#include <string.h>

#include "core/alloc.h"
#include "core/buf.h"
#include "core/collections/arena.h"
#include "store/bounds.h"
#include "store/sealed/guard.h"
#include "store/sql.h"
#include "tracecoach/text.h"

/* Hints for a statement that SQLite does not understand: names that exist. */

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

static bool is_word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || tc_is_digit(c) || c == '_';
}

static bool has_word(const char *sql, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = sql; *at; at++) {
		bool begins = at == sql || !is_word_char(at[-1]);
		if (begins && sqlite3_strnicmp(at, word, (int)len) == 0 && !is_word_char(at[len]))
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
	}
	tc_arena_clear(&arena);
}

/* A statement on its way. */
struct query {
	struct tc_ctx *ctx;
	sqlite3 *db;
	sqlite3_stmt *statement;
	struct tc_bounds bounds; /* held where the sink says so */
};

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

static enum tc_status fail_at(struct tc_ctx *ctx, sqlite3 *db, const char *sql)
{
	struct tc_buf text = TC_BUF_EMPTY, said = TC_BUF_EMPTY;

	/* Copied, because the hint uses the same connection. */
	tc_buf_append_string(&said, sqlite3_errmsg(db));
	tc_buf_append_string(&text, "wrong SQL");
	append_place(&text, db, sql);
	const char *message = tc_buf_string(&said);
	tc_buf_format(&text, ": %s", message ? message : "");
	if (message)
		query_hint(&text, db, sql, message, tc_ctx_word(ctx, "--schema"));
	const char *string = tc_buf_string(&text);
	enum tc_status status =
		string ? tc_fail(ctx, TC_ERR_USAGE, "%s", string) : tc_no_memory(ctx);
	tc_buf_clear(&text);
	tc_buf_clear(&said);
	return status;
}

static enum tc_status refuse_writing(struct tc_ctx *ctx)
{
	return tc_fail(ctx, TC_ERR_USAGE,
		"only statements that read can be run: SELECT, WITH, VALUES, EXPLAIN and "
		"PRAGMAs that describe");
}

/* For a view SQLite fails before it calls the authorizer. */
static bool writes_to_view(sqlite3 *db)
{
	return strncmp(sqlite3_errmsg(db), "cannot modify ", strlen("cannot modify ")) == 0;
}

/* Preparing or running failed: because of the user's statement or of the store. */
static enum tc_status query_failed(const struct query *query, const char *sql)
{
	struct tc_ctx *ctx = query->ctx;
	sqlite3 *db = query->db;

	if (query->bounds.exceeded)
		return tc_fail(
			ctx, TC_ERR_USAGE, "cannot run the query: %s", query->bounds.exceeded);
	switch (sqlite3_errcode(db) & 0xff) {
	case SQLITE_AUTH:
	case SQLITE_READONLY: return refuse_writing(ctx);
	case SQLITE_ERROR:
	case SQLITE_RANGE:
	case SQLITE_MISMATCH:
	case SQLITE_TOOBIG: return writes_to_view(db) ? refuse_writing(ctx) : fail_at(ctx, db, sql);
	default: return tc_store_fail(ctx, db, "run the query");
	}
}

/* Nothing but blanks, semicolons and comments may follow the statement. */
static enum tc_status check_tail(const struct query *query, const char *tail)
{
	while (tail && *tail) {
		sqlite3_stmt *more = NULL;
		int code = sqlite3_prepare_v2(query->db, tail, -1, &more, &tail);
		sqlite3_finalize(more);
		if (code == SQLITE_NOMEM)
			return query_failed(query, tail);
		if (more || code)
			return tc_fail(query->ctx, TC_ERR_USAGE,
				"one statement at a time: more text follows the first one");
	}
	return TC_OK;
}

static enum tc_status prepare(struct query *query, const char *sql)
{
	const char *tail = sql ? sql : "";
	enum tc_status status = TC_OK;

	/* A comment or semicolon at the start is an empty statement. */
	while (!status && !query->statement && *tail) {
		const char *start = tail;
		if (sqlite3_prepare_v2(query->db, start, -1, &query->statement, &tail))
			status = query_failed(query, start);
	}
	if (!status && !query->statement)
		status = tc_fail(query->ctx, TC_ERR_USAGE, "the query is empty");
	if (!status)
		status = check_tail(query, tail);
	if (!status && !sqlite3_stmt_readonly(query->statement))
		status = refuse_writing(query->ctx);
	query->bounds.runs = true;
	return status;
}

static int bind(sqlite3_stmt *statement, int place, const struct tc_sql_value *value)
{
	const char *bytes = value->text.ptr;

	switch (value->kind) {
	case TC_SQL_NULL: return sqlite3_bind_null(statement, place);
	case TC_SQL_INT: return sqlite3_bind_int64(statement, place, value->i64);
	case TC_SQL_REAL: return sqlite3_bind_double(statement, place, value->real);
	case TC_SQL_TEXT:
		return sqlite3_bind_text64(
			statement, place, bytes, value->text.len, SQLITE_STATIC, SQLITE_UTF8);
	case TC_SQL_BLOB:
		return sqlite3_bind_blob64(statement, place, bytes, value->text.len, SQLITE_STATIC);
	}
	return SQLITE_MISUSE;
}

static void bind_param(const struct query *query, const struct tc_bound_value *param, int place)
{
	if (param->name)
		place = sqlite3_bind_parameter_index(query->statement, param->name);
	if (place == 0)
		tc_fail(query->ctx, TC_ERR_USAGE, "the statement has no parameter %s", param->name);
	else if (bind(query->statement, place, &param->value) != SQLITE_OK)
		tc_fail(query->ctx, TC_ERR_USAGE, "parameter %d cannot have such a value: %s",
			place, sqlite3_errmsg(query->db));
}

/* Without params, parameters are NULL, as SQLite has it. */
static void bind_params(const struct query *query, const struct tc_query_sink *sink)
{
	int wanted = sqlite3_bind_parameter_count(query->statement);

	if (tc_ctx_failed(query->ctx))
		return;
	if (sink->param_count > 0 && sink->param_count != (size_t)wanted)
		tc_fail(query->ctx, TC_ERR_USAGE,
			"the statement has %d parameter%s, and %zu value%s were given", wanted,
			wanted == 1 ? "" : "s", sink->param_count,
			sink->param_count == 1 ? "" : "s");
	for (size_t i = 0; i < sink->param_count && !tc_ctx_failed(query->ctx); i++)
		bind_param(query, &sink->params[i], (int)i + 1);
}

static struct tc_sql_value value_at(sqlite3_stmt *statement, int column)
{
	if (sqlite3_column_type(statement, column) != SQLITE_BLOB)
		return tc_sql_column(statement, column);
	const char *bytes = sqlite3_column_blob(statement, column);
	size_t len = (size_t)sqlite3_column_bytes(statement, column);
	return (struct tc_sql_value){
		.kind = TC_SQL_BLOB, .text = bytes ? (struct tc_text){bytes, len} : TC_TEXT("")};
}

static enum tc_status send_columns(
	struct tc_ctx *ctx, sqlite3_stmt *statement, const struct tc_query_sink *sink)
{
	int count = sqlite3_column_count(statement);
	const char **names = tc_ctx_failed(ctx) ? NULL : tc_calloc((size_t)count, sizeof(*names));

	if (!names)
		return tc_no_memory(ctx);
	enum tc_status status = TC_OK;
	for (int i = 0; i < count && !status; i++) {
		names[i] = sqlite3_column_name(statement, i);
		if (!names[i])
			status = tc_fail(ctx, TC_ERR_NOMEM, "cannot run the query: out of memory");
	}
	if (!status)
		status = sink->columns(sink->user, names, count);
	tc_free(names);
	return status;
}

static enum tc_status send_rows(
	const struct query *query, const char *sql, const struct tc_query_sink *sink)
{
	int count = sqlite3_column_count(query->statement), code = SQLITE_ROW;
	struct tc_sql_value *values = tc_calloc((size_t)count, sizeof(*values));
	enum tc_status status = TC_OK;

	if (!values)
		return tc_fail(query->ctx, TC_ERR_NOMEM, "cannot run the query: out of memory");
	while (!status && (code = sqlite3_step(query->statement)) == SQLITE_ROW) {
		for (int i = 0; i < count; i++)
			values[i] = value_at(query->statement, i);
		status = sink->row(sink->user, values, count);
	}
	if (!status && code != SQLITE_DONE)
		status = query_failed(query, sql);
	tc_free(values);
	return status;
}

enum tc_status tc_query_run(struct tc_ctx *ctx, struct tc_store *store, const char *sql,
	const struct tc_query_sink *sink)
{
	sqlite3 *db = tc_store_db(store);
	/* The time is the caller's to bound. */
	struct query query = {.ctx = ctx,
		.db = db,
		.bounds = {.ctx = ctx, .left_count = INT64_MAX, .left_cpu_ns = INT64_MAX}};

	tc_store_set_strict(store, true);
	tc_sql_stop_on_interrupt(db, ctx);
	if (sink->is_bounded)
		tc_bounds_begin(&query.bounds, db);
	enum tc_status status = prepare(&query, sql);
	bind_params(&query, sink);
	if (!status)
		status = send_columns(ctx, query.statement, sink);
	if (!status)
		status = send_rows(&query, sql, sink);
	sqlite3_finalize(query.statement);
	if (sink->is_bounded)
		tc_bounds_end(&query.bounds);
	tc_store_guard(store);
	tc_store_set_strict(store, false);
	return status;
}
