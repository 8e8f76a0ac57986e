/*
 * What `tracecoach query` prints: the rows of one statement in one of three formats (table, csv,
 * json), the schema of a store, and SQL read from a file; see tracecoach/query.h. What a statement
 * may do is decided in store/query/query.c. A format is called with the columns once, with every
 * row, and at the end; it writes to the sink and has its state in struct result.
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
#include "report/view/rows.h"
#include "store/connection.h"
#include "store/query/query.h"
#include "tracecoach/query.h"

struct cell {
	size_t start, len; /* of its text in result.text */
	int width;         /* columns on a terminal */
	bool right;        /* a number */
};

struct result {
	struct tc_sink *sink;
	const struct tc_query_writer *writer;
	char **names; /* column_count column names, owned */
	int column_count;
	struct tc_json json; /* of the format json */
	struct tc_query_options options;
	/* For the format table: the first rows, kept until their widths are known. */
	struct tc_buf text;
	struct cell *cells;
	size_t cell_count, cell_capacity;
	int *widths; /* NULL until known */
	bool *right; /* the column's first value is a number */
	bool failed; /* memory ran out */
};

struct tc_query_writer {
	void (*begin)(struct result *result);
	void (*row)(struct result *result, const struct tc_sql_value *values);
	void (*end)(struct result *result);
};

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
static void append_value(struct tc_buf *buf, const struct tc_sql_value *value)
{
	switch (value->kind) {
	case TC_SQL_NULL: break;
	case TC_SQL_INT: tc_buf_format(buf, "%lld", (long long)value->i64); break;
	case TC_SQL_REAL: append_real(buf, value->real); break;
	case TC_SQL_TEXT: tc_buf_append_text(buf, value->text); break;
	case TC_SQL_BLOB: append_blob(buf, value->text); break;
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

static struct cell make_cell(struct tc_buf *buf, const struct tc_sql_value *value)
{
	struct cell cell = {.start = buf->len};

	if (value->kind == TC_SQL_NULL)
		tc_buf_append_string(buf, "NULL");
	else if (value->kind == TC_SQL_TEXT)
		append_visible(buf, value->text);
	else
		append_value(buf, value);
	cell.len = buf->len - cell.start;
	cell.width =
		tc_format_columns((struct tc_text){tc_buf_text(buf).ptr + cell.start, cell.len});
	cell.right = value->kind == TC_SQL_INT || value->kind == TC_SQL_REAL;
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
	bool last = column + 1 == result->column_count;

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
	for (int i = 0; i < result->column_count; i++) {
		struct tc_buf name = TC_BUF_EMPTY;

		append_visible(&name, tc_text_from(result->names[i]));
		result->failed = result->failed || tc_buf_failed(&name);
		put_cell(result, i, tc_buf_text(&name), tc_format_columns(tc_buf_text(&name)),
			result->right[i]);
		tc_buf_clear(&name);
	}
	for (int i = 0; i < result->column_count; i++) {
		tc_sink_fill(result->sink, "-", result->widths[i]);
		tc_sink_put(result->sink, i + 1 == result->column_count ? "\n" : GAP);
	}
}

static void put_row(struct result *result, const struct cell *cells)
{
	for (int i = 0; i < result->column_count; i++) {
		struct tc_text text = {
			tc_buf_text(&result->text).ptr + cells[i].start, cells[i].len};

		put_cell(result, i, text, cells[i].width, cells[i].right);
	}
}

/* Columns of the table where no text takes more than `most`. */
static int width_with(const struct result *result, int most)
{
	int sum = (int)strlen(GAP) * (result->column_count - 1);

	for (int i = 0; i < result->column_count; i++) {
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
	for (int i = 0; i < result->column_count; i++)
		if (!result->right[i] && result->widths[i] > most)
			result->widths[i] = most;
}

/* Fixes the widths by what is kept and prints that. */
static void settle(struct result *result)
{
	size_t columns = (size_t)result->column_count;

	result->widths = tc_calloc(columns, sizeof(*result->widths));
	result->right = tc_calloc(columns, sizeof(*result->right));
	if (!result->widths || !result->right) {
		result->failed = true;
		return;
	}
	for (size_t i = 0; i < columns; i++)
		result->widths[i] = tc_format_columns(tc_text_from(result->names[i]));
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

static void keep_row(struct result *result, const struct tc_sql_value *values)
{
	size_t columns = (size_t)result->column_count;

	if (!TC_GROW(result->cells, result->cell_capacity, result->cell_count + columns)) {
		result->failed = true;
		return;
	}
	for (size_t i = 0; i < columns; i++)
		result->cells[result->cell_count++] = make_cell(&result->text, &values[i]);
	if (result->cell_count >= KEPT_CELLS || result->text.len >= KEPT_BYTES) {
		settle(result);
		result->cell_count = 0;
	}
}

static void table_row(struct result *result, const struct tc_sql_value *values)
{
	if (!result->widths) {
		keep_row(result, values);
	} else {
		for (int i = 0; i < result->column_count; i++) {
			tc_buf_reset(&result->text);
			struct cell cell = make_cell(&result->text, &values[i]);

			put_cell(result, i, tc_buf_text(&result->text), cell.width, cell.right);
		}
	}
	result->failed = result->failed || tc_buf_failed(&result->text);
}

static void table_end(struct result *result)
{
	if (!result->widths && !result->failed)
		settle(result);
}

/* ---- the formats csv and json, and the run */

static const char *csv_behind(const struct result *result, int column)
{
	return column + 1 == result->column_count ? "\n" : ",";
}

static void csv_begin(struct result *result)
{
	result->sink->is_data = true;
	for (int i = 0; i < result->column_count; i++)
		tc_put_csv(result->sink, tc_text_from(result->names[i]), csv_behind(result, i));
}

/* An empty text is quoted, so that it is not taken for NULL. */
static void csv_row(struct result *result, const struct tc_sql_value *values)
{
	for (int i = 0; i < result->column_count; i++) {
		tc_buf_reset(&result->text);
		if (values[i].kind == TC_SQL_TEXT) {
			tc_sink_put(result->sink, values[i].text.len == 0 ? "\"\"" : "");
			tc_put_csv(result->sink, values[i].text, csv_behind(result, i));
			continue;
		}
		append_value(&result->text, &values[i]);
		result->failed = result->failed || tc_buf_failed(&result->text);
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

static void json_value(struct result *result, const char *name, const struct tc_sql_value *value)
{
	switch (value->kind) {
	case TC_SQL_NULL: tc_json_null(&result->json, name); break;
	case TC_SQL_INT: tc_json_int(&result->json, name, value->i64); break;
	case TC_SQL_REAL: tc_json_real(&result->json, name, value->real); break;
	case TC_SQL_TEXT: tc_json_text(&result->json, name, value->text); break;
	case TC_SQL_BLOB:
		tc_buf_reset(&result->text);
		append_value(&result->text, value);
		result->failed = result->failed || tc_buf_failed(&result->text);
		tc_json_text(&result->json, name, tc_buf_text(&result->text));
		break;
	}
}

static void json_row(struct result *result, const struct tc_sql_value *values)
{
	tc_json_object(&result->json, NULL);
	for (int i = 0; i < result->column_count; i++)
		json_value(result, result->names[i], &values[i]);
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

static enum tc_status take_columns(void *user, const char *const *names, int count)
{
	struct result *result = user;

	result->names = tc_calloc((size_t)count, sizeof(*result->names));
	if (!result->names)
		return TC_ERR_NOMEM;
	result->column_count = count;
	for (int i = 0; i < count; i++) {
		result->names[i] = tc_string_dup(names[i]);
		if (!result->names[i])
			return TC_ERR_NOMEM;
	}
	result->writer->begin(result);
	return TC_OK;
}

static enum tc_status take_row(void *user, const struct tc_sql_value *values, int count)
{
	struct result *result = user;

	(void)count;
	result->writer->row(result, values);
	if (result->failed)
		return TC_ERR_NOMEM;
	return tc_sink_dead(result->sink) ? TC_ERR_IO : TC_OK;
}

static void clear(struct result *result)
{
	for (int i = 0; i < result->column_count; i++)
		tc_free(result->names[i]);
	tc_free(result->names);
	tc_free(result->cells);
	tc_free(result->widths);
	tc_free(result->right);
	tc_buf_clear(&result->text);
}

static struct tc_sql_value value_of(const struct tc_value *value)
{
	const struct tc_text text = {
		value->bytes && value->len > 0 ? value->bytes : "", value->len};

	switch (value->kind) {
	case TC_VALUE_INTEGER: return tc_sql_int(value->integer);
	case TC_VALUE_REAL: return tc_sql_real(value->real);
	case TC_VALUE_TEXT: return tc_sql_text(text);
	case TC_VALUE_BLOB: return (struct tc_sql_value){.kind = TC_SQL_BLOB, .text = text};
	case TC_VALUE_NULL: break;
	}
	return tc_sql_null();
}

/* A sink as the options ask for it, without the functions that take the rows. The caller frees its
 * params. */
static struct tc_query_sink sink_for(struct tc_ctx *ctx, const struct tc_query_options *options)
{
	static const struct tc_query_options none = {0};

	options = options ? options : &none;
	TC_CHECK_SIZE(ctx, options);
	if (tc_ctx_failed(ctx))
		return (struct tc_query_sink){0};
	struct tc_query_sink sink = {
		.is_bounded = options->bounded, .param_count = options->param_count};
	struct tc_bound_value *params =
		tc_calloc(options->param_count + 1, sizeof(struct tc_bound_value));

	if (!params)
		tc_no_memory(ctx);
	for (size_t i = 0; params && i < options->param_count; i++)
		params[i] = (struct tc_bound_value){
			options->params[i].name, value_of(&options->params[i].value)};
	sink.params = params;
	return sink;
}

static enum tc_status run(struct tc_ctx *ctx, struct tc_store *store, const char *sql,
	const struct result *how, tc_write_fn write, void *user)
{
	struct tc_sink sink;
	struct result result = *how;
	struct tc_query_sink rows = sink_for(ctx, &how->options);

	tc_sink_init(&sink, write, user);
	sink.ctx = ctx;
	result.sink = &sink;
	rows.user = &result;
	rows.columns = take_columns;
	rows.row = take_row;
	enum tc_status status = tc_ctx_status(ctx);
	if (status == TC_OK)
		status = tc_query_run(ctx, store, sql, &rows);
	tc_free((void *)(uintptr_t)rows.params);
	if (status == TC_OK) {
		result.writer->end(&result);
		status = result.failed ? TC_ERR_NOMEM : TC_OK;
	}
	if (status == TC_ERR_NOMEM && tc_ctx_status(ctx) == TC_OK)
		tc_fail(ctx, status, "query: out of memory");
	enum tc_status written = tc_sink_close(&sink, ctx);
	clear(&result);
	return status == TC_OK ? written : status;
}

enum tc_status tc_query(struct tc_ctx *ctx, struct tc_store *store, const char *sql,
	const struct tc_query_options *options, tc_write_fn write, void *user)
{
	struct result how = {.writer = &table};

	TC_ENTER(ctx);
	if (options)
		how.options = *options;
	if (how.options.format)
		how.writer = how.options.format->writer;
	return run(ctx, store, sql, &how, write, user);
}

/* ---- rows with their types, many at a time: what a caller in another language pays for each call
 * is then paid once for many rows. */

enum { BATCH_VALUES = 8192, BATCH_BYTES = 1 << 20 };

struct batch {
	struct tc_ctx *ctx;
	tc_rows_fn take;
	void *user;
	char **names; /* column_count of them, owned */
	size_t column_count;
	struct tc_value *values; /* texts are places in bytes until they are sent */
	size_t count, capacity;
	struct tc_buf bytes;
	bool sent;
};

static enum tc_status batch_columns(void *user, const char *const *names, int count)
{
	struct batch *batch = user;

	batch->names = tc_calloc((size_t)count, sizeof(*batch->names));
	if (!batch->names)
		return tc_no_memory(batch->ctx);
	for (; batch->column_count < (size_t)count; batch->column_count++) {
		batch->names[batch->column_count] = tc_string_dup(names[batch->column_count]);
		if (!batch->names[batch->column_count])
			return tc_no_memory(batch->ctx);
	}
	return TC_OK;
}

/* Places become addresses: the buffer does not grow any more. */
static enum tc_status batch_send(struct batch *batch)
{
	const char *bytes = tc_buf_string(&batch->bytes);

	if (!bytes)
		return tc_no_memory(batch->ctx);
	for (size_t i = 0; i < batch->count; i++)
		if (batch->values[i].kind == TC_VALUE_TEXT ||
			batch->values[i].kind == TC_VALUE_BLOB)
			batch->values[i].bytes = bytes + batch->values[i].integer;
	const struct tc_row_batch rows = {.names = (const char *const *)batch->names,
		.column_count = batch->column_count,
		.values = batch->values,
		.row_count = batch->column_count > 0 ? batch->count / batch->column_count : 0,
		.bytes = bytes,
		.byte_count = batch->bytes.len};
	int stop = batch->take(batch->user, &rows);

	batch->sent = true;
	batch->count = 0;
	tc_buf_reset(&batch->bytes);
	return stop ? tc_fail(batch->ctx, TC_ERR_IO, "the reader of the rows has stopped") : TC_OK;
}

static enum tc_status batch_row(void *user, const struct tc_sql_value *row, int count)
{
	static const enum tc_value_kind kinds[] = {
		[TC_SQL_NULL] = TC_VALUE_NULL,
		[TC_SQL_INT] = TC_VALUE_INTEGER,
		[TC_SQL_REAL] = TC_VALUE_REAL,
		[TC_SQL_TEXT] = TC_VALUE_TEXT,
		[TC_SQL_BLOB] = TC_VALUE_BLOB,
	};
	struct batch *batch = user;

	if (!TC_GROW(batch->values, batch->capacity, batch->count + (size_t)count))
		return tc_no_memory(batch->ctx);
	for (int i = 0; i < count; i++) {
		struct tc_value *value = &batch->values[batch->count++];

		*value = (struct tc_value){.kind = kinds[row[i].kind]};
		if (row[i].kind == TC_SQL_INT) {
			value->integer = row[i].i64;
		} else if (row[i].kind == TC_SQL_REAL) {
			value->real = row[i].real;
		} else if (row[i].kind != TC_SQL_NULL) {
			value->integer = (int64_t)batch->bytes.len;
			value->len = row[i].text.len;
			tc_buf_append_text(&batch->bytes, row[i].text);
		}
	}
	bool is_full = batch->count >= BATCH_VALUES || batch->bytes.len >= BATCH_BYTES;
	return is_full ? batch_send(batch) : TC_OK;
}

enum tc_status tc_query_rows(struct tc_ctx *ctx, struct tc_store *store, const char *sql,
	const struct tc_query_options *options, tc_rows_fn take, void *user)
{
	struct batch batch = {.ctx = ctx, .take = take, .user = user, .bytes = {.ctx = ctx}};

	TC_ENTER(ctx);
	struct tc_query_sink sink = sink_for(ctx, options);
	sink.user = &batch;
	sink.columns = batch_columns;
	sink.row = batch_row;
	if (!tc_ctx_failed(ctx) && tc_query_run(ctx, store, sql, &sink) == TC_OK &&
		(batch.count > 0 || !batch.sent))
		batch_send(&batch);
	tc_free((void *)(uintptr_t)sink.params);
	for (size_t i = 0; i < batch.column_count; i++)
		tc_free(batch.names[i]);
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
		tc_fail(ctx, TC_ERR_USAGE,
			"no table or view %s: --schema without a name lists them", name);
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
