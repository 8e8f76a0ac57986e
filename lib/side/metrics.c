/*
 * Metrics that the Gaudi bridge dumps, as JSON or as text: rows of side_metric, with nested members
 * flattened.
 *
 * JSON is an array of objects, one per dump. The writer closes the array only at exit, so its end
 * may be missing, and so may the end of the last object. An object that is cut or is no dump is
 * counted as damaged; reading continues at the next one that names its metric.
 *
 * Text is blocks of "Metric name:", "Triggered by:", "Generated on:" and "Statistics:", with one
 * line per value. Lists are as Python prints them.
 */
#include "core/array.h"
#include "core/limits.h"
#include "core/text/decimal.h"
#include "decode/json/json_text.h"
#include "side/reader.h"

/* ---- dumps */

static const struct tc_side_table table = {
	"side_metric(trace_id, source, metric, triggered_by, generated_on, "
	"ord, name, item, value)"};

/* The dump that is being read. Texts are NULL until the file gives them. */
struct dump {
	struct tc_side_file *file;
	struct tc_text metric, triggered_by, generated_on;
	int64_t ord;                     /* number of the dump in the file, from 1 */
	struct tc_buf name, item, value; /* unescaped, of one row */
};

static struct dump dump_of(struct tc_side_file *file)
{
	const struct tc_buf empty = {.ctx = file->ctx};

	return (struct dump){.file = file, .name = empty, .item = empty, .value = empty};
}

static void dump_clear(struct dump *dump)
{
	tc_buf_clear(&dump->name);
	tc_buf_clear(&dump->item);
	tc_buf_clear(&dump->value);
}

static void put(
	struct dump *dump, struct tc_text name, struct tc_text item, struct tc_sql_value value)
{
	const struct tc_sql_value values[] = {tc_sql_text(dump->metric),
		tc_sql_text(dump->triggered_by), tc_sql_text(dump->generated_on),
		tc_sql_int(dump->ord), tc_sql_text(name), tc_sql_text(item), value};

	tc_side_file_put(dump->file, &table, values, TC_COUNT_OF(values));
}

static struct tc_sql_value number_or_text(struct tc_text text)
{
	int64_t integer;
	double real;

	if (tc_decimal_int64(&integer, text))
		return tc_sql_int(integer);
	if (tc_decimal_double(&real, text))
		return tc_sql_real(real);
	return tc_sql_text(text);
}

/* One value as SQLite stores it; deeper nesting stays JSON text. */
static struct tc_sql_value scalar(struct dump *dump, struct tc_text json)
{
	tc_buf_reset(&dump->value);
	switch (json.ptr[0]) {
	case '"':
		tc_json_unescape(&dump->value, (struct tc_text){json.ptr + 1, json.len - 2});
		return tc_sql_text(tc_buf_text(&dump->value));
	case '{':
	case '[':
		tc_json_compact(&dump->value, json);
		return tc_sql_text(tc_buf_text(&dump->value));
	case 't': return tc_sql_int(1);
	case 'f': return tc_sql_int(0);
	case 'n':
	case 'N': return tc_sql_null();
	default: return number_or_text(json);
	}
}

static void put_item(
	struct dump *dump, struct tc_text name, struct tc_text item, struct tc_text json)
{
	put(dump, name, item, scalar(dump, json));
}

static void put_object(struct dump *dump, struct tc_text name, struct tc_text json)
{
	struct tc_json_iter iter;
	struct tc_json_member member;

	tc_json_iter_init(&iter, json);
	while (tc_json_iter_next(&iter, &member)) {
		tc_buf_reset(&dump->item);
		tc_json_unescape(&dump->item, member.key);
		put_item(dump, name, tc_buf_text(&dump->item), member.value);
	}
}

/* The next element of an array whose rest is *text; ptr NULL at its end. */
static struct tc_text next_element(struct tc_text *text)
{
	struct tc_text element;

	while (text->len > 0 && (tc_json_blank(*text->ptr) || *text->ptr == ',')) {
		text->ptr++;
		text->len--;
	}
	element = (struct tc_text){text->ptr, tc_json_value_length(*text)};
	if (element.len == 0)
		return TC_TEXT_NONE;
	text->ptr += element.len;
	text->len -= element.len;
	return element;
}

static struct tc_text inside(struct tc_text json)
{
	return (struct tc_text){json.ptr + 1, json.len - 1};
}

/* A pair ["name", value] is an item of that name; any other element is an item of its number. */
static void put_array(struct dump *dump, struct tc_text name, struct tc_text json)
{
	struct tc_text left = inside(json), element;

	for (int i = 0; (element = next_element(&left)).ptr; i++) {
		struct tc_text pair = inside(element), value = TC_TEXT_NONE;
		struct tc_text key = *element.ptr == '[' ? next_element(&pair) : TC_TEXT_NONE;
		tc_buf_reset(&dump->item);
		if (key.ptr && *key.ptr == '"')
			value = next_element(&pair);
		if (value.ptr)
			tc_json_unescape(&dump->item, (struct tc_text){key.ptr + 1, key.len - 2});
		else
			tc_buf_format(&dump->item, "%d", i);
		put_item(dump, name, tc_buf_text(&dump->item), value.ptr ? value : element);
	}
}

/* Adds a row, or one for each member of an object or an array; name is unescaped text. */
static void put_json(struct dump *dump, struct tc_text name, struct tc_text json)
{
	tc_buf_reset(&dump->item);
	if (json.len == 0)
		put(dump, name, TC_TEXT_NONE, tc_sql_null());
	else if (json.ptr[0] == '{')
		put_object(dump, name, json);
	else if (json.ptr[0] == '[')
		put_array(dump, name, json);
	else
		put_item(dump, name, TC_TEXT_NONE, json);
}

/* Adds a row from plain text; the value is a number where it can be one. */
static void put_text(struct dump *dump, struct tc_text name, struct tc_text text)
{
	put(dump, name, TC_TEXT_NONE, number_or_text(text));
}

/* ---- JSON */

/* The parts of one dump as they are in the text. */
struct parts {
	struct tc_text metric, triggered_by, generated_on, statistics;
};

static struct parts take_apart(struct tc_text object)
{
	struct parts parts = {0};
	struct tc_json_iter iter;
	struct tc_json_member member;

	tc_json_iter_init(&iter, object);
	while (tc_json_iter_next(&iter, &member)) {
		struct tc_text string = {member.value.ptr + 1, member.value.len - 2};
		bool is_string = member.kind == TC_JSON_STRING;
		if (is_string && tc_text_equal(member.key, TC_TEXT("metric_name")))
			parts.metric = string;
		else if (is_string && tc_text_equal(member.key, TC_TEXT("triggered_by")))
			parts.triggered_by = string;
		else if (is_string && tc_text_equal(member.key, TC_TEXT("generated_on")))
			parts.generated_on = string;
		else if (member.kind == TC_JSON_OBJECT &&
			 tc_text_equal(member.key, TC_TEXT("statistics")))
			parts.statistics = member.value;
	}
	return parts;
}

static void put_statistics(struct dump *dump, struct tc_text statistics)
{
	struct tc_json_iter iter;
	struct tc_json_member member;

	tc_json_iter_init(&iter, statistics);
	while (tc_json_iter_next(&iter, &member)) {
		tc_buf_reset(&dump->name);
		tc_json_unescape(&dump->name, member.key);
		put_json(dump, tc_buf_text(&dump->name), member.value);
	}
}

static void read_dump(struct dump *dump, struct tc_text object)
{
	struct parts parts = take_apart(object);

	if (!parts.metric.ptr || !parts.statistics.ptr) {
		tc_side_file_damaged(dump->file);
		return;
	}
	/* Names and times have no escapes. */
	dump->metric = parts.metric;
	dump->triggered_by = parts.triggered_by;
	dump->generated_on = parts.generated_on;
	dump->ord++;
	put_statistics(dump, parts.statistics);
}

static struct tc_text from(struct tc_text text, const char *at)
{
	return (struct tc_text){at, (size_t)(text.ptr + text.len - at)};
}

/* After a damaged object: the brace before the next "metric_name", or the end. */
static struct tc_text next_object(struct tc_text text)
{
	struct tc_text after = from(text, text.ptr + 1);
	struct tc_text own;

	/* Skips the damaged object's own name. */
	if (tc_text_after(after, TC_TEXT("\"metric_name\""), &own))
		after = own;
	const char *name = tc_text_find(after, TC_TEXT("\"metric_name\""));
	while (name && name > after.ptr && *name != '{')
		name--;
	return name ? from(text, name) : from(text, text.ptr + text.len);
}

/* A JSON array of metrics, also one that has none yet: "[" and "[]". */
static bool is_metrics_array(struct tc_text head)
{
	struct tc_text text = tc_text_trim(head);

	if (text.len == 0 || (text.ptr[0] != '[' && text.ptr[0] != '{'))
		return false;
	struct tc_text inside = tc_text_trim((struct tc_text){text.ptr + 1, text.len - 1});
	if (text.ptr[0] == '[' && (inside.len == 0 || tc_text_equal(inside, TC_TEXT("]"))))
		return true;
	return tc_text_contains(text, TC_TEXT("\"metric_name\""));
}

static void read_json(struct tc_side_file *file)
{
	struct dump dump = dump_of(file);
	struct tc_text text = tc_side_file_all(file);

	while (!tc_ctx_failed(file->ctx)) {
		const char *brace = text.len > 0 ? memchr(text.ptr, '{', text.len) : NULL;
		if (!brace || file->damaged_count > TC_SIDE_RESYNC_MAX_COUNT)
			break;
		text = from(text, brace);
		struct tc_text object = {brace, text.len};
		if (object.len > TC_EVENT_MAX_BYTES)
			object.len = TC_EVENT_MAX_BYTES;
		object.len = tc_json_value_length(object);
		if (object.len > 0) {
			read_dump(&dump, object);
			text = from(text, brace + object.len);
		} else {
			tc_side_file_damaged(file);
			text = next_object(text);
		}
	}
	dump_clear(&dump);
}

const struct tc_side_reader tc_side_metrics_json = {
	.name = "metrics-json",
	.capability = "has_side_metrics",
	.is_it = is_metrics_array,
	.read = read_json,
};

/* ---- text */

struct reader {
	struct dump dump;
	struct tc_buf metric, triggered_by, generated_on, json;
};

static void keep(struct tc_buf *buf, struct tc_text text)
{
	tc_buf_reset(buf);
	tc_buf_append_text(buf, tc_text_trim(text));
}

/* Does line start with mark? Then buf keeps what follows. */
static bool take(struct tc_buf *buf, struct tc_text line, struct tc_text mark)
{
	if (!tc_text_starts(line, mark))
		return false;
	keep(buf, (struct tc_text){line.ptr + mark.len, line.len - mark.len});
	return true;
}

/* Is it a line of a block's head? Keeps what it says. */
static bool read_head(struct reader *reader, struct tc_text line)
{
	if (take(&reader->metric, line, TC_TEXT("Metric name:"))) {
		tc_buf_reset(&reader->triggered_by);
		tc_buf_reset(&reader->generated_on);
		reader->dump.ord++;
		return true;
	}
	return take(&reader->triggered_by, line, TC_TEXT("Triggered by:")) ||
	       take(&reader->generated_on, line, TC_TEXT("Generated on:")) ||
	       tc_text_starts(line, TC_TEXT("Statistics:"));
}

/* One character of a Python value outside of strings, as JSON. */
static char as_json(char c)
{
	switch (c) {
	case '\'': return '"';
	case '(': return '[';
	case ')': return ']';
	default: return c;
	}
}

/* Python's {'a': 1} and [('a', 1)] as JSON. */
static void append_json(struct tc_buf *out, struct tc_text python)
{
	char quote = '\0'; /* the quote that opened the string; NUL outside */

	for (size_t i = 0; i < python.len; i++) {
		char c = python.ptr[i];
		if (quote && c != quote) {
			if (c == '"')
				tc_buf_append_char(out, '\\');
			tc_buf_append_char(out, c);
			continue;
		}
		tc_buf_append_char(out, as_json(c));
		if (c == '\'' || c == '"')
			quote = quote ? '\0' : c;
	}
}

static struct tc_text said(const struct tc_buf *buf)
{
	return buf->len > 0 ? tc_buf_text(buf) : TC_TEXT_NONE;
}

static void read_value(struct reader *reader, struct tc_text line)
{
	struct dump *dump = &reader->dump;
	struct tc_text value, name;

	if (!tc_text_after(line, TC_TEXT(": "), &value) || reader->metric.len == 0) {
		tc_side_file_damaged(dump->file);
		return;
	}
	name = tc_text_trim(tc_text_before(line, value.ptr - 2));
	value = tc_text_trim(value);
	dump->metric = said(&reader->metric);
	dump->triggered_by = said(&reader->triggered_by);
	dump->generated_on = said(&reader->generated_on);
	if (value.len == 0 || !strchr("{[(", value.ptr[0])) {
		put_text(dump, name, value);
		return;
	}
	tc_buf_reset(&reader->json);
	append_json(&reader->json, value);
	put_json(dump, name, tc_buf_text(&reader->json));
}

static void read_line(struct reader *reader, struct tc_text line)
{
	struct tc_text text = tc_text_trim(line);

	if (text.len > 0 && !read_head(reader, text))
		read_value(reader, text);
}

static bool is_metrics_text(struct tc_text head)
{
	return tc_text_starts(tc_text_trim(head), TC_TEXT("Metric name:"));
}

static void read_text(struct tc_side_file *file)
{
	const struct tc_buf empty = {.ctx = file->ctx};
	struct reader reader = {dump_of(file), empty, empty, empty, empty};
	struct tc_text line;

	while (tc_side_file_line(file, &line))
		read_line(&reader, line);
	dump_clear(&reader.dump);
	tc_buf_clear(&reader.metric);
	tc_buf_clear(&reader.triggered_by);
	tc_buf_clear(&reader.generated_on);
	tc_buf_clear(&reader.json);
}

const struct tc_side_reader tc_side_metrics_text = {
	.name = "metrics-text",
	.capability = "has_side_metrics",
	.is_it = is_metrics_text,
	.read = read_text,
};
