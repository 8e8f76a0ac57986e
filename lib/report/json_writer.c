/* Streaming JSON. See json_writer.h. */
#include "report/json_writer.h"

#include <assert.h>
#include <math.h>

#include "core/decimal.h"
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

static bool reads_back(const char *string, double value)
{
	double again;

	return string && tc_decimal_double(&again, tc_text_from(string)) && !(again < value) &&
	       !(again > value);
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
	const char *string = tc_buf_string(&text);
	tc_sink_format(json->sink, "%.*g", reads_back(string, value) ? 15 : 17, value);
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

void tc_json_string(struct tc_json *json, const char *key, const char *value)
{
	tc_json_text(json, key, tc_text_from(value));
}

void tc_json_raw(struct tc_json *json, const char *key, struct tc_text value)
{
	start_value(json, key);
	tc_sink_text(json->sink, value);
}

/* Bytes of the valid UTF-8 sequence (two and more) at ptr, 0 when there is none. */
static size_t sequence_len(const unsigned char *ptr, size_t len)
{
	static const struct {
		unsigned char lead_first, lead_last, next_first, next_last;
		size_t len;
	} forms[] = {
		{0xc2, 0xdf, 0x80, 0xbf, 2},
		{0xe0, 0xe0, 0xa0, 0xbf, 3},
		{0xe1, 0xec, 0x80, 0xbf, 3},
		{0xed, 0xed, 0x80, 0x9f, 3}, /* no surrogates */
		{0xee, 0xef, 0x80, 0xbf, 3},
		{0xf0, 0xf0, 0x90, 0xbf, 4},
		{0xf1, 0xf3, 0x80, 0xbf, 4},
		{0xf4, 0xf4, 0x80, 0x8f, 4},
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (ptr[0] < forms[i].lead_first || ptr[0] > forms[i].lead_last)
			continue;
		if (len < forms[i].len || ptr[1] < forms[i].next_first ||
			ptr[1] > forms[i].next_last)
			return 0;
		for (size_t k = 2; k < forms[i].len; k++)
			if ((ptr[k] & 0xc0) != 0x80)
				return 0;
		return forms[i].len;
	}
	return 0;
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

static void put_string(struct tc_sink *sink, struct tc_text text)
{
	const unsigned char *ptr = (const unsigned char *)text.ptr;

	tc_sink_put(sink, "\"");
	for (size_t i = 0; i < text.len;) {
		size_t len = 1;
		if (ptr[i] < 0x20 || ptr[i] == '"' || ptr[i] == '\\') {
			put_escaped(sink, ptr[i]);
		} else if (ptr[i] < 0x80) {
			while (i + len < text.len && ptr[i + len] >= 0x20 && ptr[i + len] < 0x80 &&
				ptr[i + len] != '"' && ptr[i + len] != '\\')
				len++;
			tc_sink_text(sink, (struct tc_text){text.ptr + i, len});
		} else if ((len = sequence_len(ptr + i, text.len - i)) > 0) {
			tc_sink_text(sink, (struct tc_text){text.ptr + i, len});
		} else {
			len = 1;
			tc_sink_put(sink, "\xef\xbf\xbd");
		}
		i += len;
	}
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
