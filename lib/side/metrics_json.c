/*
 * Metrics as JSON: an array of objects, one per dump. The writer closes the array only at exit, so
 * its end may be missing, and so may the end of the last object. An object that is cut or is no
 * dump is counted as damaged; reading continues at the next one that names its metric.
 */
#include "core/limits.h"
#include "decode/json/json_text.h"
#include "side/metrics.h"
#include "side/reader.h"

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

static void put_statistics(struct tc_side_dump *dump, struct tc_text statistics)
{
	struct tc_json_iter iter;
	struct tc_json_member member;

	tc_json_iter_init(&iter, statistics);
	while (tc_json_iter_next(&iter, &member)) {
		tc_buf_reset(&dump->name);
		tc_json_unescape(&dump->name, member.key);
		if (tc_buf_failed(&dump->name))
			tc_side_no_memory(dump->file);
		tc_side_dump_json(dump, tc_buf_text(&dump->name), member.value);
	}
}

static void read_dump(struct tc_side_dump *dump, struct tc_text object)
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
	return tc_text_contains(text, TC_TEXT("\"metric_name\"")) || inside.len == 0 ||
	       tc_text_equal(inside, TC_TEXT("]"));
}

static void read(struct tc_side_file *file)
{
	struct tc_side_dump dump = {.file = file};
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
	tc_side_dump_clear(&dump);
}

const struct tc_side_reader tc_side_metrics_json = {
	.name = "metrics-json",
	.capability = "has_side_metrics",
	.is_it = is_metrics_array,
	.read = read,
};
