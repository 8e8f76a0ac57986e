/* See emit.h. */
#include "report/viewer/emit.h"

#include "core/alloc.h"
#include "core/saturate.h"

#define CATEGORY "tracecoach"
#define SORT_INDEX (-1000000) /* above what other programs ask for */
/* Arrows of profilers have ids of 32 bits; viewers read ids as doubles, which are exact up to 2^53. */
#define FIRST_FLOW (INT64_C(1) << 52)

static void put_us(struct tc_json *json, const char *key, int64_t ns)
{
	uint64_t magnitude = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
	struct tc_buf text = TC_BUF_EMPTY;

	tc_buf_format(&text, "%s%llu.%03u", ns < 0 ? "-" : "",
		(unsigned long long)(magnitude / 1000), (unsigned)(magnitude % 1000));
	json->sink->buf.failed |= tc_buf_failed(&text);
	tc_json_raw(json, key, tc_buf_text(&text));
	tc_buf_clear(&text);
}

static void begin_event(struct tc_emit *emit, const char *phase, struct tc_text name)
{
	if (emit->is_lines)
		tc_json_begin_members(&emit->json);
	tc_json_object(&emit->json, NULL);
	tc_json_string(&emit->json, "ph", phase);
	tc_json_string(&emit->json, "cat", CATEGORY);
	tc_json_text(&emit->json, "name", name);
}

/* Metadata of the process (tid 0) or of a thread, with one argument: a text or a number. */
static void put_metadata(
	struct tc_emit *emit, const char *what, int64_t tid, const char *text, int64_t number)
{
	begin_event(emit, "M", tc_text_from(what));
	tc_json_int(&emit->json, "pid", emit->pid);
	tc_json_int(&emit->json, "tid", tid);
	tc_json_object(&emit->json, "args");
	if (text)
		tc_json_string(&emit->json, "name", text);
	else
		tc_json_int(&emit->json, "sort_index", number);
	tc_json_end(&emit->json);
	tc_json_end(&emit->json);
}

void tc_emit_begin(struct tc_emit *emit, struct tc_sink *sink, bool is_lines, int64_t pid)
{
	emit->json = (struct tc_json){.sink = sink};
	tc_json_begin_members(&emit->json);
	emit->is_lines = is_lines;
	emit->pid = emit->last_tid = pid;
	emit->last_flow = FIRST_FLOW;
	put_metadata(emit, "process_name", 0, "tracecoach", 0);
	put_metadata(emit, "process_sort_index", 0, NULL, SORT_INDEX);
}

static enum tc_status add_line(struct tc_emit *emit, struct tc_emit_track *track)
{
	struct tc_buf name = TC_BUF_EMPTY;

	if (!TC_GROW(track->lines, track->capacity, track->count + 1))
		return tc_fail(emit->ctx, TC_ERR_NOMEM, "out of memory");
	track->lines[track->count++] = (struct tc_emit_line){++emit->last_tid, INT64_MIN};
	tc_buf_append_string(&name, track->name);
	if (track->count > 1)
		tc_buf_format(&name, " (%zu)", track->count);
	const char *string = tc_buf_string(&name);
	put_metadata(emit, "thread_name", emit->last_tid, string ? string : "", 0);
	put_metadata(emit, "thread_sort_index", emit->last_tid, NULL, emit->last_tid - emit->pid);
	tc_buf_clear(&name);
	return string ? TC_OK : tc_fail(emit->ctx, TC_ERR_NOMEM, "out of memory");
}

enum tc_status tc_emit_slice(int64_t *tid, struct tc_emit *emit, struct tc_emit_track *track,
	const struct tc_emit_slice *slice)
{
	enum tc_status status = TC_OK;
	size_t at = 0;

	while (at < track->count && track->lines[at].end_ns > slice->ts)
		at++;
	if (at == track->count)
		status = add_line(emit, track);
	if (status != TC_OK)
		return status;
	track->lines[at].end_ns = tc_add_saturated(slice->ts, slice->dur);
	*tid = track->lines[at].tid;
	begin_event(emit, "X", slice->name);
	tc_json_int(&emit->json, "pid", emit->pid);
	tc_json_int(&emit->json, "tid", *tid);
	put_us(&emit->json, "ts", slice->ts);
	put_us(&emit->json, "dur", slice->dur);
	tc_json_object(&emit->json, "args");
	return TC_OK;
}

void tc_emit_end_slice(struct tc_emit *emit)
{
	tc_json_end(&emit->json);
	tc_json_end(&emit->json);
}

void tc_emit_track_clear(struct tc_emit_track *track)
{
	tc_free(track->lines);
	*track = (struct tc_emit_track){0};
}

void tc_emit_counter(struct tc_emit *emit, struct tc_text name, int64_t ts, double value)
{
	begin_event(emit, "C", name);
	tc_json_int(&emit->json, "pid", emit->pid);
	put_us(&emit->json, "ts", ts);
	tc_json_object(&emit->json, "args");
	tc_json_real(&emit->json, "value", value);
	tc_json_end(&emit->json);
	tc_json_end(&emit->json);
}

static void put_flow_end(struct tc_emit *emit, const char *phase, const struct tc_emit_end *end)
{
	begin_event(emit, phase, TC_TEXT("ends idle time"));
	tc_json_int(&emit->json, "id", emit->last_flow);
	tc_json_raw(&emit->json, "pid", end->pid);
	tc_json_raw(&emit->json, "tid", end->tid);
	put_us(&emit->json, "ts", end->ts);
	tc_json_string(&emit->json, "bp", "e");
	tc_json_end(&emit->json);
}

void tc_emit_flow(
	struct tc_emit *emit, const struct tc_emit_end *one, const struct tc_emit_end *other)
{
	emit->last_flow++;
	put_flow_end(emit, "s", one->ts <= other->ts ? one : other);
	put_flow_end(emit, "f", one->ts <= other->ts ? other : one);
}
