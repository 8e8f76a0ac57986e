/*
 * A copy of a JSON trace with our events in it; see tracecoach/export.h. It copies the trace piece
 * by piece and inserts our events at one place. Only strings and brackets of the trace are
 * followed; the text between them need not be valid JSON.
 */
#include "report/viewer/viewer.h"

#include "core/alloc.h"
#include "core/buf.h"
#include "core/limits.h"
#include "decode/sink.h"
#include "report/text/json.h"
#include "source/codec.h"
#include "source/source.h"
#include "store/connection.h"
#include "store/sql.h"
#include "tracecoach/export.h"

/* ---- the place */

static const char events_key[] = "traceEvents";
#define KEY_LEN (sizeof(events_key) - 1)

void tc_splice_init(struct tc_splice *splice, bool is_lines)
{
	*splice = (struct tc_splice){.after = is_lines ? TC_SPLICE_LIST : TC_SPLICE_OTHER};
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static void see_in_string(struct tc_splice *splice, char c)
{
	if (c == '"' && !splice->is_escaped) {
		splice->in_string = false;
		if (splice->depth == 1 && splice->matched == KEY_LEN)
			splice->after = TC_SPLICE_KEY;
		return;
	}
	splice->is_escaped = c == '\\' && !splice->is_escaped;
	if (splice->matched < KEY_LEN && events_key[splice->matched] == c)
		splice->matched++;
	else
		splice->matched = SIZE_MAX;
}

static void see_outside(struct tc_splice *splice, char c)
{
	enum tc_splice_after before = splice->after;

	splice->after = TC_SPLICE_OTHER;
	if (c == '"') {
		splice->in_string = true;
		splice->matched = 0;
	} else if (c == ':' && before == TC_SPLICE_KEY) {
		splice->after = TC_SPLICE_COLON;
	} else if (c == '[') {
		if (splice->depth == 0 || before == TC_SPLICE_COLON)
			splice->after = TC_SPLICE_LIST;
		splice->depth++;
	} else if (c == '{') {
		splice->depth++;
	} else if (c == '}' || c == ']') {
		splice->depth -= splice->depth > 0;
	}
}

size_t tc_splice_scan(struct tc_splice *splice, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (splice->in_string) {
			see_in_string(splice, bytes[i]);
		} else if (!is_blank(bytes[i])) {
			if (splice->after == TC_SPLICE_LIST) {
				splice->found = true;
				splice->next = bytes[i];
				return i;
			}
			see_outside(splice, bytes[i]);
		}
	}
	return len;
}

void tc_splice_end(struct tc_splice *splice)
{
	splice->found |= splice->after == TC_SPLICE_LIST && !splice->in_string;
}

/* ---- our slices and counters as JSON trace events of a separate process. Times are exact:
 * microseconds with three decimals. */

struct json_events {
	struct tc_json json;
	bool is_lines; /* no commas between events */
	int64_t pid, last_tid, last_flow;
};

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

/* Prepares for members of an array that the caller opens and ends: a line each, with a comma before
 * all but the first. */
static void json_begin_members(struct tc_json *json)
{
	json->depth = 2;
	json->filled[1] = false;
}

static void begin_event(struct json_events *to, const char *phase, struct tc_text name)
{
	if (to->is_lines)
		json_begin_members(&to->json);
	tc_json_object(&to->json, NULL);
	tc_json_string(&to->json, "ph", phase);
	tc_json_string(&to->json, "cat", TC_EXPORT_CATEGORY);
	tc_json_text(&to->json, "name", name);
}

/* Metadata of the process (tid 0) or of a thread, with one argument: a text or a number. */
static void put_metadata(struct json_events *to, const char *what, int64_t tid,
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

static void json_begin(struct tc_emit *emit, int64_t first)
{
	struct json_events *to = emit->to;
	const struct tc_text name = TC_TEXT("tracecoach");

	json_begin_members(&to->json);
	to->pid = to->last_tid = first;
	put_metadata(to, "process_name", 0, &name, 0);
	put_metadata(to, "process_sort_index", 0, NULL, SORT_INDEX);
}

static int64_t json_line(struct tc_emit *emit, struct tc_text name)
{
	struct json_events *to = emit->to;

	to->last_tid++;
	put_metadata(to, "thread_name", to->last_tid, &name, 0);
	put_metadata(to, "thread_sort_index", to->last_tid, NULL, to->last_tid - to->pid);
	return to->last_tid;
}

static void json_slice(struct tc_emit *emit)
{
	struct json_events *to = emit->to;

	begin_event(to, "X", emit->slice.name);
	tc_json_int(&to->json, "pid", to->pid);
	tc_json_int(&to->json, "tid", emit->line);
	put_us(&to->json, "ts", emit->slice.ts);
	put_us(&to->json, "dur", emit->slice.dur);
	tc_json_object(&to->json, "args");
}

static void json_integer(struct tc_emit *emit, const char *key, bool known, int64_t value)
{
	struct json_events *to = emit->to;

	tc_json_int_if(&to->json, key, known, value);
}

static void json_boolean(struct tc_emit *emit, const char *key, bool value)
{
	struct json_events *to = emit->to;

	tc_json_bool(&to->json, key, value);
}

static void json_text(struct tc_emit *emit, const char *key, struct tc_text value)
{
	struct json_events *to = emit->to;

	tc_json_text(&to->json, key, value);
}

/* One end of an arrow. */
struct place {
	struct tc_text pid, tid;
	int64_t ts;
};

static void put_flow_end(struct json_events *to, const char *phase, const struct place *end)
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
	struct json_events *to = emit->to;
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

static void json_end(struct tc_emit *emit, const struct tc_emit_call *call)
{
	struct json_events *to = emit->to;

	tc_json_end(&to->json);
	tc_json_end(&to->json);
	if (call)
		put_arrow(emit, call);
}

static void json_counter(struct tc_emit *emit, struct tc_text name, int64_t ts, double value)
{
	struct json_events *to = emit->to;

	begin_event(to, "C", name);
	tc_json_int(&to->json, "pid", to->pid);
	put_us(&to->json, "ts", ts);
	tc_json_object(&to->json, "args");
	tc_json_real(&to->json, "value", value);
	tc_json_end(&to->json);
	tc_json_end(&to->json);
}

static const struct tc_emit_form json_form = {json_begin, json_line, json_slice, json_integer,
	json_boolean, json_text, json_end, json_counter};

static void emit_json_init(struct json_events *out, struct tc_sink *sink, bool is_lines)
{
	*out = (struct json_events){
		.json = {.sink = sink}, .is_lines = is_lines, .last_flow = FIRST_FLOW};
}

/* ---- the copy */

struct tc_export {
	struct tc_ctx *ctx;
	struct tc_source *source;
	struct tc_splice splice;
	char piece[TC_CHUNK_BYTES];
};

/* The state of a copy. */
struct copy {
	struct tc_export *trace;
	sqlite3 *db;
	const struct tc_advice *advice;
	struct tc_viewer_options options;
	bool is_lines; /* the trace has an event a line */
	tc_write_fn write;
	void *user;
	struct tc_deflate *gzip; /* NULL: as it is */
};

enum tc_status tc_export_open(struct tc_export **out, struct tc_ctx *ctx, const char *path)
{
	TC_ENTER(ctx);
	struct tc_export *trace = tc_calloc(1, sizeof(*trace));

	if (!trace)
		return tc_no_memory(ctx);
	trace->ctx = ctx;
	enum tc_status status = tc_source_open_regular(&trace->source, ctx, path);
	if (status)
		tc_free(trace);
	else
		*out = trace;
	return status;
}

void tc_export_close(struct tc_export *trace)
{
	if (!trace)
		return;
	tc_source_close(trace->source);
	tc_free(trace);
}

/* A tc_write_fn; user is the copy. */
static int write_out(void *user, const char *bytes, size_t len)
{
	struct copy *copy = user;

	return copy->gzip ? tc_deflate_write(copy->gzip, bytes, len, false)
			  : copy->write(copy->user, bytes, len);
}

static void put_bytes(struct copy *copy, const char *bytes, size_t len)
{
	struct tc_ctx *ctx = copy->trace->ctx;

	if (len > 0 && !tc_ctx_failed(ctx) && write_out(copy, bytes, len))
		tc_fail(ctx, TC_ERR_IO, "cannot write the trace: its reader stopped");
}

/* Writes our events, and a comma if an event of the trace follows. A trace with an event a line
 * needs none. */
static void put_events(struct copy *copy)
{
	const struct tc_splice *splice = &copy->trace->splice;
	struct tc_ctx *ctx = copy->trace->ctx;
	struct tc_sink sink;
	struct json_events json;
	struct tc_emit emit = {.ctx = ctx, .form = &json_form, .to = &json};

	tc_sink_init(&sink, write_out, copy);
	sink.ctx = ctx;
	emit_json_init(&json, &sink, copy->is_lines);
	tc_viewer_put_events(&emit, copy->db, copy->advice, &copy->options);
	if (splice->next != ']' && splice->next != '\0' && !copy->is_lines)
		tc_sink_put(&sink, ",");
	tc_sink_put(&sink, "\n");
	tc_sink_close(&sink, ctx);
}

static void put_piece(struct copy *copy, size_t len)
{
	struct tc_export *trace = copy->trace;
	size_t before = 0;

	if (!trace->splice.found) {
		before = tc_splice_scan(&trace->splice, trace->piece, len);
		put_bytes(copy, trace->piece, before);
		if (trace->splice.found)
			put_events(copy);
	}
	put_bytes(copy, trace->piece + before, len - before);
}

static void end_copy(struct copy *copy)
{
	struct tc_splice *splice = &copy->trace->splice;

	if (splice->found || tc_ctx_failed(copy->trace->ctx))
		return;
	tc_splice_end(splice);
	if (splice->found)
		put_events(copy);
	else
		tc_fail(copy->trace->ctx, TC_ERR_INPUT,
			"cannot add to the trace: the start of its events is damaged, so there is "
			"no place for others: open the trace itself, or write a page with "
			"--format html");
}

static void copy_all(struct copy *copy)
{
	struct tc_export *trace = copy->trace;
	size_t len = 1;

	tc_splice_init(&trace->splice, copy->is_lines);
	while (len > 0 && !tc_ctx_failed(trace->ctx)) {
		if (tc_ctx_interrupted(trace->ctx))
			tc_fail(trace->ctx, TC_ERR_INTERRUPTED, "interrupted");
		else if (tc_source_read(trace->source, trace->piece, sizeof(trace->piece), &len) ==
			 TC_OK)
			put_piece(copy, len);
	}
	end_copy(copy);
}

static void find_trace(struct copy *copy)
{
	struct tc_rows rows = tc_rows_open(copy->trace->ctx, copy->db,
		"SELECT id, form = 'lines' FROM trace ORDER BY id LIMIT 1");

	if (tc_rows_next(&rows)) {
		copy->options.trace_id = tc_rows_int(&rows, 0);
		copy->is_lines = tc_rows_int(&rows, 1) != 0;
	}
	tc_rows_close(&rows);
}

enum tc_status tc_export_write(struct tc_export *trace, struct tc_store *store,
	const struct tc_advice *advice, const struct tc_export_options *options, tc_write_fn write,
	void *user)
{
	TC_ENTER(trace->ctx);
	TC_CHECK_SIZE(trace->ctx, options);
	struct copy copy = {.trace = trace,
		.db = tc_store_db(store),
		.advice = advice,
		.options = {.least_gap_ns = options->least_gap_ns},
		.write = write,
		.user = user};

	find_trace(&copy);
	if (options->gzip && !tc_ctx_failed(trace->ctx))
		tc_deflate_new(&copy.gzip, trace->ctx, write, user);
	if (options->as_perfetto)
		tc_perfetto_write(trace->ctx, copy.db, advice, &copy.options, write_out, &copy);
	else
		copy_all(&copy);
	if (copy.gzip && !tc_ctx_failed(trace->ctx) && tc_deflate_write(copy.gzip, NULL, 0, true))
		tc_fail(trace->ctx, TC_ERR_IO, "cannot write the trace: its reader stopped");
	tc_deflate_free(copy.gzip);
	return tc_ctx_status(trace->ctx);
}
