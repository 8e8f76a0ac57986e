/* Statements of SQLite: failures become causes in the context, and nothing is done in one that has
 * failed. */
#include "store/sql.h"

#include <ctype.h>
#include <string.h>

#include "core/alloc.h"
#include "core/array.h"
#include "core/buf.h"
#include "core/files/files.h"
#include "store/connection.h"

static int check_interrupt(void *user)
{
	return tc_ctx_interrupted(user);
}

void tc_sql_stop_on_interrupt(sqlite3 *db, struct tc_ctx *ctx)
{
	sqlite3_progress_handler(db, TC_SQL_CHECK_INSTRUCTIONS, check_interrupt, ctx);
}

bool tc_sql_may_call(const char *function)
{
	static const char *const refused[] = {
		"load_extension", "fts3_tokenizer", /* read and set addresses of code */
		"json_patch",                       /* takes the product of its objects' sizes */
	};

	for (size_t i = 0; i < TC_COUNT_OF(refused); i++)
		if (sqlite3_stricmp(function, refused[i]) == 0)
			return false;
	return true;
}

/* After a failed commit the connection has no error number, but the file has one. */
static int os_error_of(sqlite3 *db)
{
	int error = db ? sqlite3_system_errno(db) : 0;

	if (db && error == 0)
		sqlite3_file_control(db, NULL, SQLITE_FCNTL_LAST_ERRNO, &error);
	return error;
}

/* Also a store that is written is read: rows of a table before it, pages that left the cache. */
static const char *task_of(sqlite3 *db)
{
	int code = db ? sqlite3_extended_errcode(db) : SQLITE_NOMEM;
	bool was_reading = code == SQLITE_IOERR_READ || code == SQLITE_IOERR_SHORT_READ ||
			   (db && sqlite3_db_readonly(db, "main") == 1);

	return was_reading ? "read the store" : "write the store";
}

enum tc_status tc_store_fail(struct tc_ctx *ctx, sqlite3 *db, const char *what)
{
	int code = db ? sqlite3_errcode(db) & 0xff : SQLITE_NOMEM;
	int os_error = os_error_of(db);
	const char *why = db ? sqlite3_errmsg(db) : "out of memory";

	if (!what)
		what = task_of(db);
	if (code == SQLITE_NOMEM)
		return tc_fail(ctx, TC_ERR_NOMEM, "cannot %s: out of memory", what);
	if (code == SQLITE_INTERRUPT)
		return tc_fail(ctx, TC_ERR_INTERRUPTED, "interrupted");
	/* The database is already open, so a temporary file for sorting could not be opened. */
	if (code == SQLITE_CANTOPEN)
		return tc_fail_errno(ctx, TC_ERR_IO, os_error, TC_TO_WRITE_TEMPORARY,
			"cannot %s: no temporary file can be made in %s", what,
			tc_temporary_directory());
	bool is_file = code == SQLITE_FULL || code == SQLITE_IOERR;
	if (is_file && os_error)
		return tc_fail_errno(ctx, TC_ERR_IO, os_error, TC_TO_WRITE, "cannot %s", what);
	if (is_file)
		return tc_fail(ctx, TC_ERR_IO, "cannot %s: %s", what, why);
	if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB)
		return tc_fail(ctx, TC_ERR_STORE, "cannot %s: the file is damaged (%s)", what, why);
	return tc_fail(ctx, TC_ERR_STORE, "cannot %s: %s", what, why);
}

/* A statement with an error is a bug of tracecoach, so it is shown. Other errors concern the
 * file. After the first failure SQLite only says that the transaction is no more. */
static void fail(struct tc_ctx *ctx, sqlite3 *db, const char *sql)
{
	bool is_wrong = (sqlite3_errcode(db) & 0xff) == SQLITE_ERROR;

	if (!tc_ctx_failed(ctx))
		tc_store_fail(ctx, db, is_wrong ? sql : NULL);
}

/* Prepares one statement; the caller owns *out: sqlite3_finalize(). */
static void prepare(sqlite3_stmt **out, struct tc_ctx *ctx, sqlite3 *db, const char *sql)
{
	if (!tc_ctx_failed(ctx) &&
		sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, out, NULL) != SQLITE_OK)
		fail(ctx, db, sql);
}

/* Prepares an insert: into is a table and its columns, "plan (trace_id, ord, fix)". */
static void prepare_insert(sqlite3_stmt **out, struct tc_ctx *ctx, sqlite3 *db, const char *into)
{
	struct tc_buf sql = {.ctx = ctx};

	tc_buf_format(&sql, "INSERT INTO %s VALUES (?", into);
	for (const char *at = into; (at = strchr(at, ',')); at++)
		tc_buf_append_string(&sql, ", ?");
	tc_buf_append_char(&sql, ')');
	const char *text = tc_buf_string(&sql);
	if (text)
		prepare(out, ctx, db, text);
	tc_buf_clear(&sql);
}

static int bind(sqlite3_stmt *statement, int index, const struct tc_sql_value *value)
{
	switch (value->kind) {
	case TC_SQL_NULL: break;
	case TC_SQL_INT: return sqlite3_bind_int64(statement, index, value->i64);
	case TC_SQL_REAL: return sqlite3_bind_double(statement, index, value->real);
	case TC_SQL_TEXT:
		return sqlite3_bind_text64(statement, index, value->text.ptr, value->text.len,
			SQLITE_STATIC, SQLITE_UTF8);
	}
	return sqlite3_bind_null(statement, index);
}

static int bind_all(sqlite3_stmt *statement, const struct tc_sql_value *values, size_t count)
{
	int code = SQLITE_OK;

	for (size_t i = 0; i < count && code == SQLITE_OK; i++)
		code = bind(statement, (int)i + 1, &values[i]);
	return code;
}

/* Runs a statement to its end, unless binding its values failed. */
static void run_bound(struct tc_ctx *ctx, sqlite3_stmt *statement, int code)
{
	while (code == SQLITE_OK || code == SQLITE_ROW)
		code = sqlite3_step(statement);
	if (code != SQLITE_DONE)
		fail(ctx, sqlite3_db_handle(statement), sqlite3_sql(statement));
	sqlite3_reset(statement);
}

/* Binds the values, runs the statement to its end and resets it. */
static void put(struct tc_ctx *ctx, sqlite3_stmt *statement, const struct tc_sql_value *values,
	size_t count)
{
	if (!tc_ctx_failed(ctx))
		run_bound(ctx, statement, bind_all(statement, values, count));
}

static bool is_bound(const struct tc_sql_value *value, const struct tc_sql_value *before)
{
	return value->kind == before->kind && value->kind != TC_SQL_REAL &&
	       value->i64 == before->i64 && value->text.ptr == before->text.ptr &&
	       value->text.len == before->text.len;
}

/* Puts one of many similar rows: binds only values that differ from the row before (all NULL before
 * the first row). */
static void put_next(struct tc_ctx *ctx, sqlite3_stmt *statement, const struct tc_sql_value *values,
	struct tc_sql_value *before, size_t count)
{
	int code = SQLITE_OK;

	if (tc_ctx_failed(ctx))
		return;
	for (size_t i = 0; i < count && code == SQLITE_OK; i++) {
		if (is_bound(&values[i], &before[i]))
			continue;
		code = bind(statement, (int)i + 1, &values[i]);
		before[i] = values[i];
	}
	run_bound(ctx, statement, code);
}

void tc_sql_run(struct tc_ctx *ctx, sqlite3 *db, const char *sql, const struct tc_sql_value *values,
	size_t count)
{
	sqlite3_stmt *statement = NULL;

	prepare(&statement, ctx, db, sql);
	put(ctx, statement, values, count);
	sqlite3_finalize(statement);
}

/* Runs the first statement of *text, which is then behind it, with as many values as it has
 * parameters. */
static void sql_run_first(const char **text, struct tc_ctx *ctx, sqlite3 *db,
	const struct tc_sql_value *values, size_t count)
{
	sqlite3_stmt *statement = NULL;

	if (tc_ctx_failed(ctx))
		return;
	if (sqlite3_prepare_v2(db, *text, -1, &statement, text) != SQLITE_OK)
		fail(ctx, db, *text);
	size_t parameters = (size_t)sqlite3_bind_parameter_count(statement);
	if (statement) /* NULL where only comments are left */
		put(ctx, statement, values, parameters < count ? parameters : count);
	sqlite3_finalize(statement);
}

/* NULL: the query has none. */
static int bind_parameters(sqlite3_stmt *statement, const struct tc_sql_value *parameters)
{
	return bind_all(statement, parameters,
		parameters ? (size_t)sqlite3_bind_parameter_count(statement) : 0);
}

void tc_sql_lookup(int64_t *out, bool *found, struct tc_ctx *ctx, sqlite3 *db, const char *sql,
	const struct tc_sql_value *parameters)
{
	sqlite3_stmt *statement = NULL;
	int code = SQLITE_DONE;

	prepare(&statement, ctx, db, sql);
	if (statement)
		code = bind_parameters(statement, parameters);
	if (code == SQLITE_OK)
		code = sqlite3_step(statement);
	if (code != SQLITE_ROW && code != SQLITE_DONE)
		fail(ctx, db, sql);
	*found = code == SQLITE_ROW && sqlite3_column_type(statement, 0) != SQLITE_NULL;
	if (*found)
		*out = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
}

/* ---- rows of a query */

static void check(const struct tc_rows *rows, int code)
{
	if (code != SQLITE_OK && code != SQLITE_DONE && !tc_ctx_failed(rows->ctx))
		tc_store_fail(rows->ctx, rows->db, "read the store");
}

struct tc_rows tc_rows_open(struct tc_ctx *ctx, sqlite3 *db, const char *sql)
{
	struct tc_rows rows = {.ctx = ctx, .db = db};

	prepare(&rows.stmt, ctx, db, sql);
	return rows;
}

struct tc_rows tc_rows_open_with(
	struct tc_ctx *ctx, sqlite3 *db, const char *sql, const int64_t *values, size_t count)
{
	struct tc_rows rows = tc_rows_open(ctx, db, sql);

	for (size_t i = 0; i < count; i++)
		tc_rows_bind(&rows, (int)i + 1, values[i]);
	return rows;
}

struct tc_rows tc_rows_prepare(struct tc_ctx *ctx, sqlite3 *db, const char *sql)
{
	struct tc_rows rows = tc_rows_open(ctx, db, sql);

	rows.is_kept = true;
	return rows;
}

void tc_rows_bind(struct tc_rows *rows, int at, int64_t value)
{
	if (!tc_ctx_failed(rows->ctx))
		check(rows, sqlite3_bind_int64(rows->stmt, at, value));
}

void tc_rows_bind_text(struct tc_rows *rows, int at, struct tc_text text)
{
	if (!tc_ctx_failed(rows->ctx))
		check(rows,
			sqlite3_bind_text(rows->stmt, at, text.ptr, (int)text.len, SQLITE_STATIC));
}

static bool step(struct tc_rows *rows)
{
	if (tc_ctx_failed(rows->ctx) || !rows->stmt)
		return false;
	if (tc_ctx_interrupted(rows->ctx)) {
		tc_fail(rows->ctx, TC_ERR_INTERRUPTED, "interrupted");
		return false;
	}
	int code = sqlite3_step(rows->stmt);
	if (code != SQLITE_ROW)
		check(rows, code);
	return code == SQLITE_ROW;
}

bool tc_rows_next(struct tc_rows *rows)
{
	bool found = step(rows);

	if (!found && !rows->is_kept)
		tc_rows_close(rows);
	return found;
}

void tc_rows_again(struct tc_rows *rows, int64_t value)
{
	sqlite3_reset(rows->stmt);
	tc_rows_bind(rows, 1, value);
}

void tc_rows_close(struct tc_rows *rows)
{
	sqlite3_finalize(rows->stmt);
	rows->stmt = NULL;
}

struct tc_sql_value tc_rows_value(const struct tc_rows *rows, int column)
{
	switch (sqlite3_column_type(rows->stmt, column)) {
	case SQLITE_INTEGER: return tc_sql_int(tc_rows_int(rows, column));
	case SQLITE_FLOAT: return tc_sql_real(tc_rows_real(rows, column));
	case SQLITE_NULL: return tc_sql_null();
	default: break;
	}
	return tc_sql_text(tc_rows_text(rows, column));
}

bool tc_rows_null(const struct tc_rows *rows, int column)
{
	return sqlite3_column_type(rows->stmt, column) == SQLITE_NULL;
}

int64_t tc_rows_int(const struct tc_rows *rows, int column)
{
	return sqlite3_column_int64(rows->stmt, column);
}

double tc_rows_real(const struct tc_rows *rows, int column)
{
	return sqlite3_column_double(rows->stmt, column);
}

struct tc_text tc_rows_text(const struct tc_rows *rows, int column)
{
	const char *text = (const char *)sqlite3_column_text(rows->stmt, column);

	return (struct tc_text){text, text ? (size_t)sqlite3_column_bytes(rows->stmt, column) : 0};
}

int64_t tc_rows_single(struct tc_ctx *ctx, sqlite3 *db, const char *sql, int64_t parameter)
{
	struct tc_rows rows = tc_rows_open(ctx, db, sql);

	if (rows.stmt && sqlite3_bind_parameter_count(rows.stmt) > 0)
		tc_rows_bind(&rows, 1, parameter);
	int64_t value = tc_rows_next(&rows) ? tc_rows_int(&rows, 0) : 0;
	tc_rows_close(&rows);
	return value;
}

/* Statements found by the addresses of their texts. Rows go to a few tables in turn, so the place
 * of a recent text is remembered by its address. */

void tc_tables_end(struct tc_tables *tables)
{
	for (size_t i = 0; i < tables->count; i++) {
		sqlite3_finalize(tables->items[i].statement);
		tc_free(tables->items[i].bound);
	}
	tc_free(tables->items);
	tables->items = NULL;
	tables->count = tables->capacity = 0;
}

/* Where the text is among the items; their count where it is not there. */
static size_t place_of(struct tc_tables *tables, const char *text)
{
	uint8_t *recent = &tables->recent[(uintptr_t)text / 8 % TC_TABLES_RECENT];
	size_t at = *recent;

	if (at >= tables->count || tables->items[at].text != text)
		for (at = 0; at < tables->count && tables->items[at].text != text;)
			at++;
	*recent = (uint8_t)at;
	return at;
}

int tc_tables_prepare(sqlite3_stmt **out, struct tc_tables *tables, const char *sql)
{
	size_t at = place_of(tables, sql);

	*out = at < tables->count ? tables->items[at].statement : NULL;
	if (*out)
		return SQLITE_OK;
	if (!TC_GROW(tables->items, tables->capacity, tables->count + 1))
		return SQLITE_NOMEM;
	int code = sqlite3_prepare_v3(tables->db, sql, -1, SQLITE_PREPARE_PERSISTENT, out, NULL);
	if (*out)
		tables->items[tables->count++] = (struct tc_table_statement){sql, *out, NULL};
	return code;
}

/* Statements begin with a capital letter or a comment, tables do not. */
static void add(struct tc_tables *tables, const char *text)
{
	struct tc_table_statement item = {.text = text};

	if (isupper((unsigned char)text[0]) || text[0] == '-')
		prepare(&item.statement, tables->ctx, tables->db, text);
	else
		prepare_insert(&item.statement, tables->ctx, tables->db, text);
	if (!TC_PUSH(tables->ctx, tables->items, tables->count, tables->capacity, item))
		sqlite3_finalize(item.statement);
}

/* NULL after a failure. */
static struct tc_table_statement *item_of(struct tc_tables *tables, const char *text)
{
	if (tc_ctx_failed(tables->ctx))
		return NULL;
	size_t at = place_of(tables, text);
	if (at == tables->count)
		add(tables, text);
	return tc_ctx_failed(tables->ctx) ? NULL : &tables->items[at];
}

void tc_tables_put(
	struct tc_tables *tables, const char *into, const struct tc_sql_value *values, size_t count)
{
	struct tc_table_statement *item = item_of(tables, into);

	if (item && !item->bound)
		item->bound = tc_calloc(count, sizeof(*item->bound));
	if (item && item->bound)
		put_next(tables->ctx, item->statement, values, item->bound, count);
	else if (item)
		tc_no_memory(tables->ctx);
}

void tc_tables_run(
	struct tc_tables *tables, const char *text, const struct tc_sql_value *values, size_t count)
{
	while (!tc_ctx_failed(tables->ctx) && *text)
		sql_run_first(&text, tables->ctx, tables->db, values, count);
}

bool tc_tables_find(int64_t *out, struct tc_tables *tables, const char *sql,
	const struct tc_sql_value *parameters)
{
	bool found = false;

	tc_sql_lookup(out, &found, tables->ctx, tables->db, sql, parameters);
	return found;
}
