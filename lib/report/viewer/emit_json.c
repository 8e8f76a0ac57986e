#include "report/viewer/emit.h"

#define CATEGORY "tracecoach"
#define SORT_INDEX (-1000000) /* less than others use, so that viewers show our process on top */
/* Arrows of profilers have ids of 32 bits; viewers read ids as doubles, which are exact up to
 * 2^53. */
#define FIRST_FLOW (INT64_C(1) << 52)

static void put_us(struct tc_json *json, const char *key, int64_t ns)
{
	uint64_t magnitude = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
	struct tc_buf text = TC_BUF_EMPTY;

	tc_buf_format(&text, "%s%llu.%03u", ns < 0 ? "-" : "",
		(unsigned long long)(magnitude / 1000), (unsigned)(magnitude % 1000));
	tc_json_raw(json, key, tc_buf_text(&text));
	tc_buf_end(&json->sink->buf, &text);
}

static void begin_event(struct tc_emit_json *to, const char *phase, struct tc_text name)
{
	if (to->is_lines)
		tc_json_begin_members(&to->json);
	tc_json_object(&to->json, NULL);
	tc_json_string(&to->json, "ph", phase);
	tc_json_string(&to->json, "cat", CATEGORY);
	tc_json_text(&to->json, "name", name);
}

/* Metadata of the process (tid 0) or of a thread, with one argument: a text or a number. */
static void put_metadata(struct tc_emit_json *to, const char *what, int64_t tid,
	const struct tc_text *text, int64_t number)
{
	begin_event(to, "M", tc_text_from(what));
	tc_json_int(&to->json, "pid", to->pid);
	tc_json_int(&to->json, "tid", tid);
	tc_json_object(&to->json, "args");
	if (text)
		tc_json_text(&to->json, "name", *text);
	else
		tc_json_int(&to->json, "sort_index", number);
	tc_json_end(&to->json);
	tc_json_end(&to->json);
}

static void begin(struct tc_emit *emit, int64_t first)
{
	struct tc_emit_json *to = emit->to;
	const struct tc_text name = TC_TEXT("tracecoach");

	tc_json_begin_members(&to->json);
	to->pid = to->last_tid = first;
	put_metadata(to, "process_name", 0, &name, 0);
	put_metadata(to, "process_sort_index", 0, NULL, SORT_INDEX);
}

static int64_t line(struct tc_emit *emit, struct tc_text name)
{
	struct tc_emit_json *to = emit->to;

	to->last_tid++;
	put_metadata(to, "thread_name", to->last_tid, &name, 0);
	put_metadata(to, "thread_sort_index", to->last_tid, NULL, to->last_tid - to->pid);
	return to->last_tid;
}

static void slice(struct tc_emit *emit)
{
	struct tc_emit_json *to = emit->to;

	begin_event(to, "X", emit->slice.name);
	tc_json_int(&to->json, "pid", to->pid);
	tc_json_int(&to->json, "tid", emit->line);
	put_us(&to->json, "ts", emit->slice.ts);
	put_us(&to->json, "dur", emit->slice.dur);
	tc_json_object(&to->json, "args");
}

static void integer(struct tc_emit *emit, const char *key, bool known, int64_t value)
{
	struct tc_emit_json *to = emit->to;

	tc_json_int_if(&to->json, key, known, value);
}

static void boolean(struct tc_emit *emit, const char *key, bool value)
{
	struct tc_emit_json *to = emit->to;

	tc_json_bool(&to->json, key, value);
}

static void text(struct tc_emit *emit, const char *key, struct tc_text value)
{
	struct tc_emit_json *to = emit->to;

	tc_json_text(&to->json, key, value);
}

/* One end of an arrow. */
struct place {
	struct tc_text pid, tid;
	int64_t ts;
};

static void put_flow_end(struct tc_emit_json *to, const char *phase, const struct place *end)
{
	begin_event(to, phase, TC_TEXT("ends idle time"));
	tc_json_int(&to->json, "id", to->last_flow);
	tc_json_raw(&to->json, "pid", end->pid);
	tc_json_raw(&to->json, "tid", end->tid);
	put_us(&to->json, "ts", end->ts);
	tc_json_string(&to->json, "bp", "e");
	tc_json_end(&to->json);
}

/* An arrow leads from the earlier end to the later one. */
static void put_arrow(const struct tc_emit *emit, const struct tc_emit_call *call)
{
	struct tc_emit_json *to = emit->to;
	struct tc_buf pid = TC_BUF_EMPTY, tid = TC_BUF_EMPTY;

	tc_buf_format(&pid, "%lld", (long long)to->pid);
	tc_buf_format(&tid, "%lld", (long long)emit->line);
	const struct place own = {tc_buf_text(&pid), tc_buf_text(&tid), emit->slice.ts},
			   other = {call->pid, call->tid, call->ts};
	to->last_flow++;
	put_flow_end(to, "s", own.ts <= other.ts ? &own : &other);
	put_flow_end(to, "f", own.ts <= other.ts ? &other : &own);
	tc_buf_end(&to->json.sink->buf, &pid);
	tc_buf_end(&to->json.sink->buf, &tid);
}

static void end(struct tc_emit *emit, const struct tc_emit_call *call)
{
	struct tc_emit_json *to = emit->to;

	tc_json_end(&to->json);
	tc_json_end(&to->json);
	if (call)
		put_arrow(emit, call);
}

static void counter(struct tc_emit *emit, struct tc_text name, int64_t ts, double value)
{
	struct tc_emit_json *to = emit->to;

	begin_event(to, "C", name);
	tc_json_int(&to->json, "pid", to->pid);
	put_us(&to->json, "ts", ts);
	tc_json_object(&to->json, "args");
	tc_json_real(&to->json, "value", value);
	tc_json_end(&to->json);
	tc_json_end(&to->json);
}

const struct tc_emit_form tc_emit_json_form = {
	begin, line, slice, integer, boolean, text, end, counter};

void tc_emit_json_init(struct tc_emit_json *out, struct tc_sink *sink, bool is_lines)
{
	*out = (struct tc_emit_json){
		.json = {.sink = sink}, .is_lines = is_lines, .last_flow = FIRST_FLOW};
}
