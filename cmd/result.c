/* The formats csv and json of a query's result, and the list of all formats. See result.h. */
#include "result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"

static void append_real(struct tc_buf *buf, double value)
{
	char text[40];
	int digits = 15;

	do {
		snprintf(text, sizeof(text), "%.*g", digits++, value);
	} while (digits <= 17 && strtod(text, NULL) != value);
	tc_buf_append_string(buf, text);
	if (isfinite(value) && !strpbrk(text, ".e"))
		tc_buf_append_string(buf, ".0");
}

static void append_blob(struct tc_buf *buf, struct tc_text bytes)
{
	tc_buf_append_string(buf, "x'");
	for (size_t i = 0; i < bytes.len; i++)
		tc_buf_format(buf, "%02x", (unsigned char)bytes.ptr[i]);
	tc_buf_append_char(buf, '\'');
}

void tc_result_append(struct tc_buf *buf, const struct tc_value *value)
{
	switch (value->type) {
	case TC_VALUE_NULL: break;
	case TC_VALUE_INTEGER: tc_buf_format(buf, "%lld", (long long)value->integer); break;
	case TC_VALUE_REAL: append_real(buf, value->real); break;
	case TC_VALUE_TEXT: tc_buf_append_text(buf, value->bytes); break;
	case TC_VALUE_BLOB: append_blob(buf, value->bytes); break;
	}
}

static void put_csv(struct tc_result *result, struct tc_text text, bool quoted, bool last)
{
	struct tc_sink *sink = result->sink;
	size_t from = 0;

	for (size_t i = 0; i < text.len; i++)
		quoted = quoted || strchr(",\"\r\n", text.ptr[i]);
	tc_sink_put(sink, quoted ? "\"" : "");
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] != '"')
			continue;
		tc_sink_text(sink, (struct tc_text){text.ptr + from, i + 1 - from});
		from = i; /* the quote again */
	}
	tc_sink_text(sink, (struct tc_text){text.ptr + from, text.len - from});
	tc_sink_put(sink, quoted ? "\"" : "");
	tc_sink_put(sink, last ? "\n" : ",");
}

static void csv_begin(struct tc_result *result)
{
	result->sink->is_data = true;
	for (int i = 0; i < result->column_count; i++)
		put_csv(result, tc_text_from(result->names[i]), false,
			i + 1 == result->column_count);
}

/* An empty text is quoted, so that it is not taken for NULL. */
static void csv_row(struct tc_result *result, const struct tc_value *values)
{
	for (int i = 0; i < result->column_count; i++) {
		bool text = values[i].type == TC_VALUE_TEXT;

		tc_buf_reset(&result->text);
		tc_result_append(&result->text, &values[i]);
		result->failed = result->failed || tc_buf_failed(&result->text);
		put_csv(result, tc_buf_text(&result->text), text && values[i].bytes.len == 0,
			i + 1 == result->column_count);
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

static void json_value(struct tc_result *result, const char *name, const struct tc_value *value)
{
	switch (value->type) {
	case TC_VALUE_NULL: tc_json_null(&result->json, name); break;
	case TC_VALUE_INTEGER: tc_json_int(&result->json, name, value->integer); break;
	case TC_VALUE_REAL: tc_json_real(&result->json, name, value->real); break;
	case TC_VALUE_TEXT: tc_json_text(&result->json, name, value->bytes); break;
	case TC_VALUE_BLOB:
		tc_buf_reset(&result->text);
		tc_result_append(&result->text, value);
		result->failed = result->failed || tc_buf_failed(&result->text);
		tc_json_text(&result->json, name, tc_buf_text(&result->text));
		break;
	}
}

static void json_row(struct tc_result *result, const struct tc_value *values)
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

static const struct tc_result_format formats[] = {
	{"table", tc_result_table_begin, tc_result_table_row, tc_result_table_end},
	{"csv", csv_begin, csv_row, csv_end},
	{"json", json_begin, json_row, json_end},
};

const struct tc_result_format *tc_result_formats(size_t *count)
{
	*count = sizeof(formats) / sizeof(formats[0]);
	return formats;
}

void tc_result_clear(struct tc_result *result)
{
	for (int i = 0; i < result->column_count; i++)
		tc_free(result->names[i]);
	tc_free(result->names);
	tc_free(result->cells);
	tc_free(result->widths);
	tc_free(result->right);
	tc_buf_clear(&result->text);
}
