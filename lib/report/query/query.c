/* A query's result: the formats csv and json, the list of all formats, and the run. See
 * result.h. */
#include "report/query/result.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/array.h"
#include "core/text/decimal.h"
#include "report/text/sink.h"

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

void tc_result_append(struct tc_buf *buf, const struct tc_sql_value *value)
{
	switch (value->kind) {
	case TC_SQL_NULL: break;
	case TC_SQL_INT: tc_buf_format(buf, "%lld", (long long)value->i64); break;
	case TC_SQL_REAL: append_real(buf, value->real); break;
	case TC_SQL_TEXT: tc_buf_append_text(buf, value->text); break;
	case TC_SQL_BLOB: append_blob(buf, value->text); break;
	}
}

static const char *csv_behind(const struct tc_result *result, int column)
{
	return column + 1 == result->column_count ? "\n" : ",";
}

static void csv_begin(struct tc_result *result)
{
	result->sink->is_data = true;
	for (int i = 0; i < result->column_count; i++)
		tc_put_csv(result->sink, tc_text_from(result->names[i]), csv_behind(result, i));
}

/* An empty text is quoted, so that it is not taken for NULL. */
static void csv_row(struct tc_result *result, const struct tc_sql_value *values)
{
	for (int i = 0; i < result->column_count; i++) {
		tc_buf_reset(&result->text);
		if (values[i].kind == TC_SQL_TEXT) {
			tc_sink_put(result->sink, values[i].text.len == 0 ? "\"\"" : "");
			tc_put_csv(result->sink, values[i].text, csv_behind(result, i));
			continue;
		}
		tc_result_append(&result->text, &values[i]);
		result->failed = result->failed || tc_buf_failed(&result->text);
		tc_sink_text(result->sink, tc_buf_text(&result->text));
		tc_sink_put(result->sink, csv_behind(result, i));
	}
}

static void csv_end(struct tc_result *result)
{
	(void)result;
}

static void json_begin(struct tc_result *result)
{
	result->json = (struct tc_json){.sink = result->sink};
	tc_json_array(&result->json, NULL);
}

static void json_value(struct tc_result *result, const char *name, const struct tc_sql_value *value)
{
	switch (value->kind) {
	case TC_SQL_NULL: tc_json_null(&result->json, name); break;
	case TC_SQL_INT: tc_json_int(&result->json, name, value->i64); break;
	case TC_SQL_REAL: tc_json_real(&result->json, name, value->real); break;
	case TC_SQL_TEXT: tc_json_text(&result->json, name, value->text); break;
	case TC_SQL_BLOB:
		tc_buf_reset(&result->text);
		tc_result_append(&result->text, value);
		result->failed = result->failed || tc_buf_failed(&result->text);
		tc_json_text(&result->json, name, tc_buf_text(&result->text));
		break;
	}
}

static void json_row(struct tc_result *result, const struct tc_sql_value *values)
{
	tc_json_object(&result->json, NULL);
	for (int i = 0; i < result->column_count; i++)
		json_value(result, result->names[i], &values[i]);
	tc_json_end(&result->json);
}

static void json_end(struct tc_result *result)
{
	tc_json_end(&result->json);
}

static const struct tc_query_writer table = {
	tc_result_table_begin, tc_result_table_row, tc_result_table_end};
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
	struct tc_result *result = user;

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
	struct tc_result *result = user;

	(void)count;
	result->writer->row(result, values);
	if (result->failed)
		return TC_ERR_NOMEM;
	return tc_sink_dead(result->sink) ? TC_ERR_IO : TC_OK;
}

static void clear(struct tc_result *result)
{
	for (int i = 0; i < result->column_count; i++)
		tc_free(result->names[i]);
	tc_free(result->names);
	tc_free(result->cells);
	tc_free(result->widths);
	tc_free(result->right);
	tc_buf_clear(&result->text);
}

static enum tc_status run(struct tc_ctx *ctx, struct tc_store *store, const char *sql,
	const struct tc_result *how, tc_write_fn write, void *user)
{
	struct tc_sink sink;
	struct tc_result result = *how;
	const struct tc_query_sink rows = {&result, take_columns, take_row, how->is_bounded};

	tc_sink_init(&sink, write, user);
	sink.ctx = ctx;
	result.sink = &sink;
	enum tc_status status = tc_query_run(ctx, store, sql, &rows);
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
	struct tc_result how = {.writer = &table};

	if (options && options->format)
		how.writer = options->format->writer;
	if (options) {
		how.width = options->width;
		how.ascii = options->ascii;
		how.is_bounded = options->bounded;
	}

	return run(ctx, store, sql, &how, write, user);
}
