/* JSON in one pass: nothing is kept but which levels are open and whether each has a member. */
#include "report/text/json.h"

#include <assert.h>
#include <math.h>

#include "core/text/decimal.h"
#include "tracecoach/version.h"

static void put_string(struct tc_sink *sink, struct tc_text text);

static void start_value(struct tc_json *json, const char *key)
{
	if (json->depth > 0) {
		bool *filled = &json->filled[json->depth - 1];
		tc_sink_put(json->sink, !*filled ? "" : json->depth <= 2 ? "," : ", ");
		*filled = true;
		if (json->depth <= 2) {
			tc_sink_put(json->sink, "\n");
			tc_sink_fill(json->sink, " ", json->depth);
		}
	}
	if (key) {
		put_string(json->sink, tc_text_from(key));
		tc_sink_put(json->sink, ": ");
	}
}

static void open_level(struct tc_json *json, const char *key, char opener, char closer)
{
	assert(json->depth < TC_JSON_WRITER_DEPTH);
	json->sink->escapes = true;
	start_value(json, key);
	tc_sink_text(json->sink, (struct tc_text){&opener, 1});
	json->closer[json->depth] = closer;
	json->filled[json->depth] = false;
	json->depth++;
}

void tc_json_object(struct tc_json *json, const char *key)
{
	open_level(json, key, '{', '}');
}

void tc_json_array(struct tc_json *json, const char *key)
{
	open_level(json, key, '[', ']');
}

void tc_json_end(struct tc_json *json)
{
	assert(json->depth > 0);
	json->depth--;
	if (json->filled[json->depth] && json->depth < 2) {
		tc_sink_put(json->sink, "\n");
		tc_sink_fill(json->sink, " ", json->depth);
	}
	tc_sink_text(json->sink, (struct tc_text){&json->closer[json->depth], 1});
	if (json->depth == 0)
		tc_sink_put(json->sink, "\n");
}

void tc_json_int(struct tc_json *json, const char *key, int64_t value)
{
	start_value(json, key);
	tc_sink_format(json->sink, "%lld", (long long)value);
}

void tc_json_real(struct tc_json *json, const char *key, double value)
{
	struct tc_buf text = TC_BUF_EMPTY;

	start_value(json, key);
	if (!isfinite(value)) {
		tc_sink_put(json->sink, "null");
		return;
	}
	tc_buf_format(&text, "%.15g", value);
	bool is_whole = tc_decimal_gives(tc_buf_text(&text), value);
	tc_sink_format(json->sink, "%.*g", is_whole ? 15 : 17, value);
	tc_buf_clear(&text);
}

void tc_json_bool(struct tc_json *json, const char *key, bool value)
{
	start_value(json, key);
	tc_sink_put(json->sink, value ? "true" : "false");
}

void tc_json_null(struct tc_json *json, const char *key)
{
	start_value(json, key);
	tc_sink_put(json->sink, "null");
}

void tc_json_int_if(struct tc_json *json, const char *key, bool known, int64_t value)
{
	if (known)
		tc_json_int(json, key, value);
	else
		tc_json_null(json, key);
}

void tc_json_text(struct tc_json *json, const char *key, struct tc_text value)
{
	start_value(json, key);
	if (value.ptr)
		put_string(json->sink, value);
	else
		tc_sink_put(json->sink, "null");
}

void tc_json_take(struct tc_json *json, const char *key, struct tc_buf *text)
{
	tc_json_text(json, key, tc_buf_text(text));
	tc_buf_end(&json->sink->buf, text);
}

void tc_json_string(struct tc_json *json, const char *key, const char *value)
{
	tc_json_text(json, key, tc_text_from(value));
}

void tc_json_raw(struct tc_json *json, const char *key, struct tc_text value)
{
	start_value(json, key);
	tc_sink_text(json->sink, value);
}

static void put_escaped(struct tc_sink *sink, unsigned char byte)
{
	static const char named[] = "\"\"\\\\\nn\tt\rr\bb\ff"; /* pairs: character, its letter */

	for (size_t i = 0; i + 1 < sizeof(named); i += 2)
		if ((unsigned char)named[i] == byte) {
			tc_sink_format(sink, "\\%c", named[i + 1]);
			return;
		}
	tc_sink_format(sink, "\\u%04x", byte);
}

/* The sink replaces or escapes invalid UTF-8 and characters that do not show. */
static void put_string(struct tc_sink *sink, struct tc_text text)
{
	size_t from = 0;

	tc_sink_put(sink, "\"");
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];
		if (c >= 0x20 && c != '"' && c != '\\')
			continue;
		tc_sink_text(sink, (struct tc_text){text.ptr + from, i - from});
		put_escaped(sink, c);
		from = i + 1;
	}
	tc_sink_text(sink, (struct tc_text){text.ptr + from, text.len - from});
	tc_sink_put(sink, "\"");
}

void tc_json_begin(struct tc_json *json, int64_t schema_version)
{
	tc_json_object(json, NULL);
	tc_json_int(json, "schema_version", schema_version);
	tc_json_object(json, "tool");
	tc_json_string(json, "name", "tracecoach");
	tc_json_string(json, "version", TC_VERSION);
	tc_json_end(json);
}
