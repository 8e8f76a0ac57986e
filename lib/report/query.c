/*
 * What `tracecoach query` prints: the rows of one statement in one of three formats (table, csv,
 * json), the schema of a store, and SQL read from a file; see tracecoach/query.h. What a statement
 * may do is decided by the strict guard of a sealed store. A format is called before the first row,
 * with every row, and at the end; it writes to the sink and has its state in struct result.
 */
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/array.h"
#include "core/buf.h"
#include "core/context.h"
#include "core/files/reads.h"
#include "core/limits.h"
#include "core/text/decimal.h"
#include "report/text/format.h"
#include "report/text/json.h"
#include "report/text/sink.h"
#include "store/connection.h"
#include "store/bounds.h"
#include "store/query/mistake.h"
#include "store/sealed/guard.h"
#include "store/sql.h"
#include "tracecoach/query.h"

/*
 * ---- the cursor. A failure is in the context, and after it there are no more rows: TC_ERR_USAGE
 * for an error in the statement, and for one that does more than read; TC_ERR_INTERRUPTED soon
 * after tc_ctx_interrupt().
 */

struct cursor {
	struct tc_ctx *ctx;
	struct tc_store *store;
	sqlite3 *db;
	sqlite3_stmt *statement;
	const char *sql; /* borrowed */
	int column_count;
	struct tc_value *values; /* of the row; texts and blobs are borrowed until the next one */
	bool is_bounded;         /* but for its time: an interrupt stops it soon */
	struct tc_bounds bounds;
};

static void refuse_writing(struct tc_ctx *ctx)
{
	tc_fail(ctx, TC_ERR_USAGE,
		"only statements that read can be run: SELECT, WITH, VALUES, EXPLAIN and "
		"PRAGMAs that describe");
}

/* For a view SQLite fails before it calls the authorizer. */
static bool writes_to_view(sqlite3 *db)
{
	return strncmp(sqlite3_errmsg(db), "cannot modify ", strlen("cannot modify ")) == 0;
}

/* Preparing or running failed: because of the user's statement or of the store. */
static void query_failed(const struct cursor *query, const char *sql)
{
	struct tc_ctx *ctx = query->ctx;

	if (query->bounds.exceeded) {
		tc_fail(ctx, TC_ERR_USAGE, "cannot run the query: %s", query->bounds.exceeded);
		return;
	}
	switch (sqlite3_errcode(query->db) & 0xff) {
	case SQLITE_AUTH:
	case SQLITE_READONLY: refuse_writing(ctx); break;
	case SQLITE_ERROR:
	case SQLITE_RANGE:
	case SQLITE_MISMATCH:
	case SQLITE_TOOBIG:
		if (writes_to_view(query->db))
			refuse_writing(ctx);
		else
			tc_sql_mistake(ctx, query->db, sql, NULL);
		break;
	default: tc_store_fail(ctx, query->db, "run the query");
	}
}

/* Nothing but blanks, semicolons and comments may follow the statement. */
static void check_tail(const struct cursor *query, const char *tail)
{
	while (*tail && !tc_ctx_failed(query->ctx)) {
		sqlite3_stmt *more = NULL;
		int code = sqlite3_prepare_v2(query->db, tail, -1, &more, &tail);
		sqlite3_finalize(more);
		if (code == SQLITE_NOMEM)
			query_failed(query, tail);
		else if (more || code)
			tc_fail(query->ctx, TC_ERR_USAGE,
				"one statement at a time: more text follows the first one");
	}
}

static void prepare(struct cursor *query)
{
	const char *tail = query->sql;

	/* A comment or semicolon at the start is an empty statement. */
	while (!tc_ctx_failed(query->ctx) && !query->statement && *tail) {
		const char *start = tail;
		if (sqlite3_prepare_v2(query->db, start, -1, &query->statement, &tail))
			query_failed(query, start);
	}
	check_tail(query, tail);
	if (!tc_ctx_failed(query->ctx) && !query->statement)
		tc_fail(query->ctx, TC_ERR_USAGE, "the query is empty");
	if (!tc_ctx_failed(query->ctx) && !sqlite3_stmt_readonly(query->statement))
		refuse_writing(query->ctx);
	query->bounds.runs = true;
}

static int bind(sqlite3_stmt *statement, int place, const struct tc_value *value)
{
	switch (value->kind) {
	case TC_VALUE_INTEGER: return sqlite3_bind_int64(statement, place, value->integer);
	case TC_VALUE_REAL: return sqlite3_bind_double(statement, place, value->real);
	case TC_VALUE_TEXT:
		return sqlite3_bind_text64(statement, place, value->len > 0 ? value->bytes : "",
			value->len, SQLITE_STATIC, SQLITE_UTF8);
	case TC_VALUE_BLOB:
		return sqlite3_bind_blob64(statement, place, value->len > 0 ? value->bytes : "",
			value->len, SQLITE_STATIC);
	case TC_VALUE_NULL: break;
	}
	return sqlite3_bind_null(statement, place);
}

static void bind_param(const struct cursor *query, const struct tc_query_param *param, int place)
{
	if (param->name)
		place = sqlite3_bind_parameter_index(query->statement, param->name);
	if (place == 0)
		tc_fail(query->ctx, TC_ERR_USAGE, "the statement has no parameter %s", param->name);
	else if (bind(query->statement, place, &param->value) != SQLITE_OK)
		tc_fail(query->ctx, TC_ERR_USAGE, "parameter %d cannot have such a value: %s",
			place, sqlite3_errmsg(query->db));
}

/* SQLite would take one without a value for NULL, and answer another question. */
static void bind_params(const struct cursor *query, const struct tc_query_options *options)
{
	int wanted = sqlite3_bind_parameter_count(query->statement);

	if (tc_ctx_failed(query->ctx))
		return;
	if (options->param_count != (size_t)wanted)
		tc_fail(query->ctx, TC_ERR_USAGE,
			"the statement has %d parameter%s, and %zu %s given", wanted,
			wanted == 1 ? "" : "s", options->param_count,
			options->param_count == 1 ? "value was" : "values were");
	for (size_t i = 0; i < options->param_count && !tc_ctx_failed(query->ctx); i++)
		bind_param(query, &options->params[i], (int)i + 1);
}

static struct tc_value value_at(sqlite3_stmt *statement, int column)
{
	switch (sqlite3_column_type(statement, column)) {
	case SQLITE_INTEGER:
		return (struct tc_value){.kind = TC_VALUE_INTEGER,
			.integer = sqlite3_column_int64(statement, column)};
	case SQLITE_FLOAT:
		return (struct tc_value){
			.kind = TC_VALUE_REAL, .real = sqlite3_column_double(statement, column)};
	case SQLITE_NULL: return (struct tc_value){.kind = TC_VALUE_NULL};
	default: break;
	}
	bool is_blob = sqlite3_column_type(statement, column) == SQLITE_BLOB;
	const char *bytes = is_blob ? sqlite3_column_blob(statement, column)
				    : (const char *)sqlite3_column_text(statement, column);
	return (struct tc_value){.kind = is_blob ? TC_VALUE_BLOB
					 : bytes ? TC_VALUE_TEXT
						 : TC_VALUE_NULL,
		.bytes = bytes ? bytes : "",
		.len = (size_t)sqlite3_column_bytes(statement, column)};
}

/* sql must be exactly one statement; a final semicolon and comments are fine. Close the cursor also
 * after a failure; it must stay where it is. */
static void cursor_open(struct cursor *query, struct tc_ctx *ctx, struct tc_store *store,
	const char *sql, const struct tc_query_options *options)
{
	static const struct tc_query_options none = {0};
	/* The time is the caller's to bound. */
	const struct tc_bounds bounds = {
		.ctx = ctx, .left_count = INT64_MAX, .left_cpu_ns = INT64_MAX};

	options = options ? options : &none;
	TC_CHECK_SIZE(ctx, options);
	*query = (struct cursor){.ctx = ctx,
		.store = store,
		.db = tc_store_db(store),
		.sql = sql ? sql : "",
		.is_bounded = !tc_ctx_failed(ctx) && options->bounded,
		.bounds = bounds};
	tc_store_set_strict(store, true);
	tc_sql_stop_on_interrupt(query->db, ctx);
	if (query->is_bounded)
		tc_bounds_begin(&query->bounds, query->db);
	prepare(query);
	bind_params(query, options);
	query->column_count = sqlite3_column_count(query->statement);
	query->values = tc_new(ctx, (size_t)query->column_count, sizeof(*query->values));
}

/* The name of a column, borrowed until the next row. */
static const char *cursor_name(const struct cursor *query, int column)
{
	const char *name = sqlite3_column_name(query->statement, column);

	return name ? name : "";
}

static bool cursor_next(struct cursor *query)
{
	if (tc_ctx_failed(query->ctx))
		return false;
	int code = sqlite3_step(query->statement);
	if (code != SQLITE_ROW && code != SQLITE_DONE)
		query_failed(query, query->sql);
	for (int i = 0; code == SQLITE_ROW && i < query->column_count; i++)
		query->values[i] = value_at(query->statement, i);
	return code == SQLITE_ROW;
}

static void cursor_close(struct cursor *query)
{
	sqlite3_finalize(query->statement);
	tc_free(query->values);
	if (query->is_bounded)
		tc_bounds_end(&query->bounds);
	tc_store_guard(query->store);
	tc_store_set_strict(query->store, false);
}

/* ---- the result */

struct cell {
	size_t start, len; /* of its text in result.text */
	int width;         /* columns on a terminal */
	bool right;        /* a number */
};

struct result {
	struct tc_sink *sink;
	const struct tc_query_writer *writer;
	struct tc_query_options options;
	struct cursor query;
	struct tc_json json; /* of the format json */
	/* For the format table: the first rows, kept until their widths are known. */
	struct tc_buf text;
	struct cell *cells;
	size_t cell_count, cell_capacity;
	int *widths; /* NULL until known */
	bool *right; /* the column's first value is a number */
};

struct tc_query_writer {
	void (*begin)(struct result *result);
	void (*row)(struct result *result, const struct tc_value *values);
	void (*end)(struct result *result);
};

static struct tc_text name_of(const struct result *result, int column)
{
	return tc_text_from(cursor_name(&result->query, column));
}

static struct tc_text text_of(const struct tc_value *value)
{
	return (struct tc_text){value->bytes, value->len};
}

static void append_real(struct tc_buf *buf, double value)
{
	size_t start = buf->len;
	struct tc_text text = TC_TEXT_NONE;

	for (int digits = 15; digits <= 17 && !tc_decimal_gives(text, value); digits++) {
		buf->len = start;
		tc_buf_format(buf, "%.*g", digits, value);
		if (tc_buf_failed(buf))
			return;
		text = (struct tc_text){buf->ptr + start, buf->len - start};
	}
	if (isfinite(value) && !memchr(text.ptr, '.', text.len) && !memchr(text.ptr, 'e', text.len))
		tc_buf_append_string(buf, ".0");
}

static void append_blob(struct tc_buf *buf, struct tc_text bytes)
{
	tc_buf_append_string(buf, "x'");
	for (size_t i = 0; i < bytes.len; i++)
		tc_buf_format(buf, "%02x", (unsigned char)bytes.ptr[i]);
	tc_buf_append_char(buf, '\'');
}

/* Appends a value as plain text: nothing for NULL, the shortest digits that give a real again,
 * x'hex' for a blob. */
static void append_value(struct tc_buf *buf, const struct tc_value *value)
{
	switch (value->kind) {
	case TC_VALUE_NULL: break;
	case TC_VALUE_INTEGER: tc_buf_format(buf, "%lld", (long long)value->integer); break;
	case TC_VALUE_REAL: append_real(buf, value->real); break;
	case TC_VALUE_TEXT: tc_buf_append_text(buf, text_of(value)); break;
	case TC_VALUE_BLOB: append_blob(buf, text_of(value)); break;
	}
}

/* ---- the format table: columns as wide as the first rows need, numbers to the right. Only so
 * many rows are kept to find the widths; later ones stream, and a wider value then shifts its line.
 */

#define KEPT_CELLS 20000
#define KEPT_BYTES (4 << 20)
#define GAP "  "
#define LEAST_COLUMNS 8 /* of a text that is cut */

/* Characters that would break the lines of the table, turn its text around or not show are written
 * as escapes. */
static void append_visible(struct tc_buf *buf, struct tc_text text)
{
	for (size_t i = 0; i < text.len;) {
		struct tc_glyph glyph = tc_glyph_at((struct tc_text){text.ptr + i, text.len - i});

		if (glyph.code == '\n' || glyph.code == '\t')
			tc_buf_append_string(buf, glyph.code == '\n' ? "\\n" : "\\t");
		else if (glyph.code == TC_GLYPH_BROKEN)
			tc_buf_format(buf, "\\x%02x", (unsigned char)text.ptr[i]);
		else if (tc_glyph_hidden(glyph.code))
			tc_buf_format(buf, glyph.code < 0x10000 ? "\\u%04x" : "\\U%08x",
				(unsigned)glyph.code);
		else
			tc_buf_append_text(buf, (struct tc_text){text.ptr + i, glyph.len});
		i += glyph.len;
	}
}

static struct cell make_cell(struct tc_buf *buf, const struct tc_value *value)
{
	struct cell cell = {.start = buf->len};

	if (value->kind == TC_VALUE_NULL)
		tc_buf_append_string(buf, "NULL");
	else if (value->kind == TC_VALUE_TEXT)
		append_visible(buf, text_of(value));
	else
		append_value(buf, value);
	cell.len = buf->len - cell.start;
	cell.width =
		tc_format_columns((struct tc_text){tc_buf_text(buf).ptr + cell.start, cell.len});
	cell.right = value->kind == TC_VALUE_INTEGER || value->kind == TC_VALUE_REAL;
	return cell;
}

/* A text that is wider than its column may be: its beginning, with a mark. */
static int put_cut(struct result *result, struct tc_text text, int width)
{
	const char *mark = result->options.ascii ? "..." : "\xe2\x80\xa6";
	int room = width - (result->options.ascii ? 3 : 1);

	text.len = tc_format_prefix(text, room);
	tc_sink_text(result->sink, text);
	tc_sink_put(result->sink, mark);
	return tc_format_columns(text) + width - room;
}

static void put_cell(struct result *result, int column, struct tc_text text, int width, bool right)
{
	bool cut = result->options.width > 0 && !right && width > result->widths[column];
	int pad = result->widths[column] - width;
	bool last = column + 1 == result->query.column_count;

	tc_sink_fill(result->sink, " ", right && pad > 0 ? pad : 0);
	if (cut)
		pad = result->widths[column] - put_cut(result, text, result->widths[column]);
	else
		tc_sink_text(result->sink, text);
	tc_sink_fill(result->sink, " ", !right && !last && pad > 0 ? pad : 0);
	tc_sink_put(result->sink, last ? "\n" : GAP);
}

static void put_head(struct result *result)
{
	for (int i = 0; i < result->query.column_count; i++) {
		struct tc_buf name = {.ctx = result->query.ctx};

		append_visible(&name, name_of(result, i));
		put_cell(result, i, tc_buf_text(&name), tc_format_columns(tc_buf_text(&name)),
			result->right[i]);
		tc_buf_clear(&name);
	}
	for (int i = 0; i < result->query.column_count; i++) {
		tc_sink_fill(result->sink, "-", result->widths[i]);
		tc_sink_put(result->sink, i + 1 == result->query.column_count ? "\n" : GAP);
	}
}

static void put_row(struct result *result, const struct cell *cells)
{
	for (int i = 0; i < result->query.column_count; i++) {
		struct tc_text text = {
			tc_buf_text(&result->text).ptr + cells[i].start, cells[i].len};

		put_cell(result, i, text, cells[i].width, cells[i].right);
	}
}

/* Columns of the table where no text takes more than `most`. */
static int width_with(const struct result *result, int most)
{
	int sum = (int)strlen(GAP) * (result->query.column_count - 1);

	for (int i = 0; i < result->query.column_count; i++) {
		int width = result->widths[i];
		sum += !result->right[i] && width > most ? most : width;
		if (sum > result->options.width)
			break;
	}
	return sum;
}

/* The widest texts give way until the table fits, or all are at the least. */
static void fit(struct result *result)
{
	int most = result->options.width;

	if (most <= 0)
		return;
	while (most > LEAST_COLUMNS && width_with(result, most) > result->options.width)
		most--;
	for (int i = 0; i < result->query.column_count; i++)
		if (!result->right[i] && result->widths[i] > most)
			result->widths[i] = most;
}

/* Fixes the widths by what is kept and prints that. */
static void settle(struct result *result)
{
	size_t columns = (size_t)result->query.column_count;

	result->widths = tc_new(result->query.ctx, columns, sizeof(*result->widths));
	result->right = tc_new(result->query.ctx, columns, sizeof(*result->right));
	if (!result->widths || !result->right)
		return;
	for (size_t i = 0; i < columns; i++)
		result->widths[i] = tc_format_columns(name_of(result, (int)i));
	for (size_t i = 0; i < result->cell_count; i++) {
		int *width = &result->widths[i % columns];

		*width = result->cells[i].width > *width ? result->cells[i].width : *width;
		if (result->cells[i].right)
			result->right[i % columns] = true;
	}
	fit(result);
	put_head(result);
	for (size_t i = 0; i < result->cell_count; i += columns)
		put_row(result, result->cells + i);
}

static void table_begin(struct result *result)
{
	result->cell_count = 0;
}

static void keep_row(struct result *result, const struct tc_value *values)
{
	size_t columns = (size_t)result->query.column_count;

	if (!TC_ROOM(result->query.ctx, result->cells, result->cell_capacity,
		    result->cell_count + columns))
		return;
	for (size_t i = 0; i < columns; i++)
		result->cells[result->cell_count++] = make_cell(&result->text, &values[i]);
	if (result->cell_count >= KEPT_CELLS || result->text.len >= KEPT_BYTES) {
		settle(result);
		result->cell_count = 0;
	}
}

static void table_row(struct result *result, const struct tc_value *values)
{
	if (!result->widths) {
		keep_row(result, values);
	} else {
		for (int i = 0; i < result->query.column_count; i++) {
			tc_buf_reset(&result->text);
			struct cell cell = make_cell(&result->text, &values[i]);

			put_cell(result, i, tc_buf_text(&result->text), cell.width, cell.right);
		}
	}
}

static void table_end(struct result *result)
{
	if (!result->widths)
		settle(result);
}

/* ---- the formats csv and json, and the run */

static const char *csv_behind(const struct result *result, int column)
{
	return column + 1 == result->query.column_count ? "\n" : ",";
}

static void csv_begin(struct result *result)
{
	result->sink->is_data = true;
	for (int i = 0; i < result->query.column_count; i++)
		tc_put_csv(result->sink, name_of(result, i), csv_behind(result, i));
}

/* An empty text is quoted, so that it is not taken for NULL. */
static void csv_row(struct result *result, const struct tc_value *values)
{
	for (int i = 0; i < result->query.column_count; i++) {
		tc_buf_reset(&result->text);
		if (values[i].kind == TC_VALUE_TEXT) {
			tc_sink_put(result->sink, values[i].len == 0 ? "\"\"" : "");
			tc_put_csv(result->sink, text_of(&values[i]), csv_behind(result, i));
			continue;
		}
		append_value(&result->text, &values[i]);
		tc_sink_text(result->sink, tc_buf_text(&result->text));
		tc_sink_put(result->sink, csv_behind(result, i));
	}
}

static void csv_end(struct result *result)
{
	(void)result;
}

static void json_begin(struct result *result)
{
	result->json = (struct tc_json){.sink = result->sink};
	tc_json_array(&result->json, NULL);
}

static void json_value(struct result *result, const char *name, const struct tc_value *value)
{
	switch (value->kind) {
	case TC_VALUE_NULL: tc_json_null(&result->json, name); break;
	case TC_VALUE_INTEGER: tc_json_int(&result->json, name, value->integer); break;
	case TC_VALUE_REAL: tc_json_real(&result->json, name, value->real); break;
	case TC_VALUE_TEXT: tc_json_text(&result->json, name, text_of(value)); break;
	case TC_VALUE_BLOB:
		tc_buf_reset(&result->text);
		append_value(&result->text, value);
		tc_json_text(&result->json, name, tc_buf_text(&result->text));
		break;
	}
}

static void json_row(struct result *result, const struct tc_value *values)
{
	tc_json_object(&result->json, NULL);
	for (int i = 0; i < result->query.column_count; i++)
		json_value(result, cursor_name(&result->query, i), &values[i]);
	tc_json_end(&result->json);
}

static void json_end(struct result *result)
{
	tc_json_end(&result->json);
}

static const struct tc_query_writer table = {table_begin, table_row, table_end};
static const struct tc_query_writer csv = {csv_begin, csv_row, csv_end};
static const struct tc_query_writer json = {json_begin, json_row, json_end};
static const struct tc_query_format formats[] = {{"table", &table}, {"csv", &csv}, {"json", &json}};

const struct tc_query_format *tc_query_formats(size_t *count)
{
	*count = TC_COUNT_OF(formats);
	return formats;
}

/* Runs the query to its end, or until nobody reads. */
static void run(struct result *result)
{
	if (!tc_ctx_failed(result->query.ctx))
		result->writer->begin(result);
	while (!tc_sink_dead(result->sink) && cursor_next(&result->query))
		result->writer->row(result, result->query.values);
	if (!tc_ctx_failed(result->query.ctx))
		result->writer->end(result);
	cursor_close(&result->query);
}

enum tc_status tc_query(struct tc_ctx *ctx, struct tc_store *store, const char *sql,
	const struct tc_query_options *options, tc_write_fn write, void *user)
{
	struct tc_sink sink;
	struct result result = {.sink = &sink, .writer = &table, .text = {.ctx = ctx}};

	TC_ENTER(ctx);
	tc_sink_init(&sink, write, user);
	sink.ctx = ctx;
	cursor_open(&result.query, ctx, store, sql, options);
	if (options && !tc_ctx_failed(ctx))
		result.options = *options;
	if (result.options.format)
		result.writer = result.options.format->writer;
	run(&result);
	tc_free(result.cells);
	tc_free(result.widths);
	tc_free(result.right);
	tc_buf_clear(&result.text);
	return tc_sink_close(&sink, ctx);
}

/* ---- rows with their types, many at a time: what a caller in another language pays for each call
 * is then paid once for many rows. */

enum { BATCH_VALUES = 8192, BATCH_BYTES = 1 << 20 };

struct batch {
	struct cursor query;
	tc_rows_fn take;
	void *user;
	const char **names;      /* of the columns */
	struct tc_value *values; /* texts are places in bytes until they are sent */
	size_t count, capacity;
	struct tc_buf bytes;
	bool sent;
};

/* Places become addresses: the buffer does not grow any more. */
static void batch_send(struct batch *batch)
{
	const size_t column_count = (size_t)batch->query.column_count;
	const char *bytes = tc_buf_string(&batch->bytes);

	if (tc_ctx_failed(batch->query.ctx))
		return;
	for (size_t i = 0; i < column_count; i++)
		batch->names[i] = cursor_name(&batch->query, (int)i);
	for (size_t i = 0; i < batch->count; i++)
		if (batch->values[i].kind == TC_VALUE_TEXT ||
			batch->values[i].kind == TC_VALUE_BLOB)
			batch->values[i].bytes = bytes + batch->values[i].integer;
	const struct tc_row_batch rows = {.names = batch->names,
		.column_count = column_count,
		.values = batch->values,
		.row_count = column_count > 0 ? batch->count / column_count : 0,
		.bytes = bytes,
		.byte_count = batch->bytes.len};

	if (batch->take(batch->user, &rows))
		tc_fail(batch->query.ctx, TC_ERR_IO, "the reader of the rows has stopped");
	batch->sent = true;
	batch->count = 0;
	tc_buf_reset(&batch->bytes);
}

static void batch_row(struct batch *batch)
{
	const size_t column_count = (size_t)batch->query.column_count;

	if (!TC_ROOM(batch->query.ctx, batch->values, batch->capacity, batch->count + column_count))
		return;
	for (size_t i = 0; i < column_count; i++) {
		struct tc_value value = batch->query.values[i];

		if (value.kind == TC_VALUE_TEXT || value.kind == TC_VALUE_BLOB) {
			tc_buf_append_text(&batch->bytes, text_of(&value));
			value.integer = (int64_t)(batch->bytes.len - value.len);
		}
		batch->values[batch->count++] = value;
	}
	if (batch->count >= BATCH_VALUES || batch->bytes.len >= BATCH_BYTES)
		batch_send(batch);
}

enum tc_status tc_query_rows(struct tc_ctx *ctx, struct tc_store *store, const char *sql,
	const struct tc_query_options *options, tc_rows_fn take, void *user)
{
	struct batch batch = {.take = take, .user = user, .bytes = {.ctx = ctx}};

	TC_ENTER(ctx);
	cursor_open(&batch.query, ctx, store, sql, options);
	batch.names = tc_new(ctx, (size_t)batch.query.column_count, sizeof(*batch.names));
	while (cursor_next(&batch.query))
		batch_row(&batch);
	if (batch.count > 0 || !batch.sent)
		batch_send(&batch);
	cursor_close(&batch.query);
	tc_free(batch.names);
	tc_free(batch.values);
	tc_buf_clear(&batch.bytes);
	return tc_ctx_status(ctx);
}

/* ---- tables, views and their columns */

static const char list_sql[] =
	"SELECT m.name AS name, m.type AS type, group_concat(c.name, ' ') AS columns"
	" FROM sqlite_schema m JOIN pragma_table_xinfo(m.name) c WHERE m.type IN ('table', 'view')"
	" GROUP BY m.name ORDER BY m.name";

/* The store was checked against the schema of this version, so its texts are ours. */
static enum tc_status put_one(
	struct tc_ctx *ctx, struct tc_store *store, const char *name, tc_write_fn write, void *user)
{
	struct tc_sink sink;
	bool found;

	tc_sink_init(&sink, write, user);
	sink.ctx = ctx;
	sink.is_data = true;
	struct tc_rows rows = tc_rows_open(ctx, tc_store_db(store),
		"SELECT sql FROM sqlite_schema WHERE name = ?1 AND type IN ('table', 'view')");
	tc_rows_bind_text(&rows, 1, tc_text_from(name));
	found = tc_rows_next(&rows);
	if (found) {
		tc_sink_text(&sink, tc_rows_text(&rows, 0));
		tc_sink_put(&sink, ";\n");
	}
	tc_rows_close(&rows);
	if (!found && !tc_ctx_failed(ctx))
		tc_sql_mistake(ctx, tc_store_db(store), NULL, name);
	return tc_sink_close(&sink, ctx);
}

enum tc_status tc_query_schema(struct tc_ctx *ctx, struct tc_store *store, const char *name,
	const struct tc_query_options *options, tc_write_fn write, void *user)
{
	TC_ENTER(ctx);
	return name ? put_one(ctx, store, name, write, user)
		    : tc_query(ctx, store, list_sql, options, write, user);
}

/* ---- SQL from a file */

static enum tc_status check(struct tc_ctx *ctx, const struct tc_buf *text, const char *path)
{
	if (text->len > TC_SQL_MAX_BYTES)
		return tc_fail(ctx, TC_ERR_USAGE, "%s: longer than %d bytes: give one statement",
			path, TC_SQL_MAX_BYTES);
	if (memchr(text->ptr ? text->ptr : "", '\0', text->len))
		return tc_fail(ctx, TC_ERR_USAGE, "%s: not a text of SQL", path);
	return TC_OK;
}

enum tc_status tc_query_read(char **sql, struct tc_ctx *ctx, const char *path)
{
	struct tc_buf text = TC_BUF_EMPTY;
	int fd = strcmp(path, "-") == 0 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
					: tc_reads_open(ctx, path);
	enum tc_status status = tc_reads_all(&text, ctx, fd, TC_SQL_MAX_BYTES, "the SQL in", path);

	if (status == TC_OK)
		status = check(ctx, &text, path);
	if (status == TC_OK) {
		*sql = tc_buf_take_string(&text);
		status = *sql ? TC_OK : tc_no_memory(ctx);
	}
	tc_buf_clear(&text);
	return status;
}
