/* What kind of side file it is, by its first bytes; see readers.h. */
#include "side/readers.h"

#include "decode/json_text.h"

static struct tc_text first_line(struct tc_text head)
{
	const char *end = head.len > 0 ? memchr(head.ptr, '\n', head.len) : NULL;

	if (end)
		head.len = (size_t)(end - head.ptr);
	return tc_text_trim(head);
}

/* A JSON array of metrics, also one that has none yet: "[" and "[]". */
static bool is_metrics_array(struct tc_text text)
{
	struct tc_text inside = tc_text_trim((struct tc_text){text.ptr + 1, text.len - 1});

	return tc_text_contains(text, TC_TEXT("\"metric_name\"")) || inside.len == 0 ||
	       tc_text_equal(inside, TC_TEXT("]"));
}

/* A log line may start with "[" as well: the time, or a name. */
static bool is_json(struct tc_text text)
{
	struct tc_text inside = tc_text_trim((struct tc_text){text.ptr + 1, text.len - 1});

	if (text.ptr[0] == '{')
		return inside.len > 0 && inside.ptr[0] == '"';
	return inside.len > 0 && (inside.ptr[0] == '{' || inside.ptr[0] == '[');
}

static bool is_hw_csv(struct tc_text line)
{
	return tc_text_contains(line, TC_TEXT("Trace Source")) &&
	       tc_text_contains(line, TC_TEXT("Engine")) &&
	       tc_text_contains(line, TC_TEXT("Event type")) &&
	       tc_text_contains(line, TC_TEXT("Timestamp[usec]"));
}

static bool is_node_csv(struct tc_text line)
{
	return tc_text_contains(line, TC_TEXT("Node Name")) &&
	       tc_text_contains(line, TC_TEXT("Op Type")) &&
	       tc_text_contains(line, TC_TEXT("Start time of node"));
}

enum tc_side_kind tc_side_sniff(struct tc_text head, const char **what)
{
	struct tc_text text = tc_text_trim(head);

	*what = "nothing in it is known";
	if (tc_text_contains(text, TC_TEXT("\"traceEvents\""))) {
		*what = "it is a trace: name it without --with";
		return TC_SIDE_KIND_COUNT;
	}
	if (text.len > 0 && (text.ptr[0] == '[' || text.ptr[0] == '{')) {
		if (is_metrics_array(text))
			return TC_SIDE_METRICS_JSON;
		*what = "it is JSON, but no metrics file";
		return is_json(text) ? TC_SIDE_KIND_COUNT : TC_SIDE_LOG;
	}
	if (tc_text_starts(text, TC_TEXT("Metric name:")))
		return TC_SIDE_METRICS_TEXT;
	if (is_hw_csv(first_line(text)))
		return TC_SIDE_HW_CSV;
	if (is_node_csv(first_line(text)))
		return TC_SIDE_NODE_CSV;
	if (head.len > 0 && memchr(head.ptr, '\0', head.len)) {
		*what = "it is no text";
		return TC_SIDE_KIND_COUNT;
	}
	return TC_SIDE_LOG;
}
