/* Rows of instant, counter and memory; see points.h. */
#include "model/slices/points.h"

#include "core/text/decimal.h"
#include "decode/json/json_text.h"

static char scope_of(const struct tc_raw_event *event)
{
	if (event->scope.len == 1 && (event->scope.ptr[0] == 'g' || event->scope.ptr[0] == 'p'))
		return event->scope.ptr[0];
	return 't';
}

enum tc_status tc_points_add_instant(const struct tc_points *points,
	const struct tc_raw_event *event, uint32_t track, uint32_t label)
{
	struct tc_row_sink *sink = points->sink;
	struct tc_row_args args;
	enum tc_status status = tc_row_sink_args(&args, sink, event->args);

	if (!status && event->bind_id.kind != TC_SCALAR_NONE)
		status = tc_import_log_add_event(points->log, TC_LOG_FLOW_WITHOUT_DIRECTION, event);
	if (status)
		return status;
	struct tc_instant_row *row = tc_batch_add_instant(sink->batch);
	if (!row)
		return tc_row_sink_no_memory(sink);
	*row = (struct tc_instant_row){
		.id = sink->next->instant++,
		.ts_ns = event->ts_ns,
		.track_id = (uint32_t)sink->first.track + track,
		.label_id = (uint32_t)sink->first.label + label,
		.scope = scope_of(event),
		.args = args,
	};
	points->tracks->tracks[track].other_count++;
	return tc_row_sink_flush(sink, false);
}

/* The name of a counter's series: "name key", or "name id: X key" when the event has an id. */
static void append_series(
	struct tc_buf *out, const struct tc_raw_event *event, const struct tc_json_member *member)
{
	tc_buf_append_text(out, event->name);
	if (event->id.kind == TC_SCALAR_INT)
		tc_buf_format(out, " id: %lld", (long long)event->id.i64);
	else if (event->id.kind == TC_SCALAR_TEXT || event->id.kind == TC_SCALAR_NUMBER) {
		tc_buf_append_string(out, " id: ");
		tc_buf_append_text(out, event->id.text);
	}
	tc_buf_append_char(out, ' ');
	tc_json_unescape(out, member->key);
}

/* Takes numbers, and strings of numbers. */
static bool counter_value(const struct tc_json_member *member, double *value)
{
	struct tc_text text = member->value;

	if (member->kind == TC_JSON_STRING && text.len >= 2)
		text = (struct tc_text){text.ptr + 1, text.len - 2};
	else if (member->kind != TC_JSON_NUMBER)
		return false;
	return tc_decimal_double(value, text);
}

static enum tc_status add_value(const struct tc_points *points, const struct tc_raw_event *event,
	uint32_t process, const struct tc_json_member *member)
{
	struct tc_row_sink *sink = points->sink;
	double value;

	if (!counter_value(member, &value))
		return tc_import_log_add_event(points->log, TC_LOG_BAD_COUNTER, event);
	struct tc_counter_row *row = tc_batch_add_counter(sink->batch);
	if (!row)
		return tc_row_sink_no_memory(sink);
	struct tc_buf *text = &sink->batch->text;
	row->id = sink->next->counter++;
	row->ts_ns = event->ts_ns;
	row->process_id = sink->first.process + process;
	row->name_offset = (uint32_t)text->len;
	append_series(text, event, member);
	if (tc_buf_failed(text))
		return tc_row_sink_no_memory(sink);
	row->name_len = (uint32_t)(text->len - row->name_offset);
	row->value = value;
	return TC_OK;
}

enum tc_status tc_points_add_counter(
	const struct tc_points *points, const struct tc_raw_event *event)
{
	struct tc_json_iter iter;
	struct tc_json_member member;
	int64_t count = 0;
	enum tc_status status = TC_OK;
	uint32_t process = tc_tracks_process(points->tracks, &event->pid);

	if (process == TC_INDEX_NONE)
		return tc_tracks_drop(points->tracks, points->log, event);
	tc_json_iter_init(&iter, event->args);
	while (!status && tc_json_iter_next(&iter, &member)) {
		status = add_value(points, event, process, &member);
		count++;
	}
	if (!status && count == 0)
		return tc_import_log_add_event(points->log, TC_LOG_BAD_COUNTER, event);
	return status ? status : tc_row_sink_flush(points->sink, false);
}

static int64_t integer_or_null(const struct tc_scalar *scalar)
{
	int64_t integer;

	return tc_scalar_integer(&integer, scalar) ? integer : INT64_MIN;
}

enum tc_status tc_points_add_memory(
	const struct tc_points *points, const struct tc_raw_event *event)
{
	struct tc_row_sink *sink = points->sink;
	const struct tc_scalar *arg = event->arg, *addr = &arg[TC_ARG_MEM_ADDR];
	uint32_t thread = tc_tracks_thread(points->tracks, &event->pid, &event->tid);

	if (thread == TC_INDEX_NONE)
		return tc_tracks_drop(points->tracks, points->log, event);
	struct tc_memory_row *row = tc_batch_add_memory(sink->batch);
	if (!row)
		return tc_row_sink_no_memory(sink);
	*row = (struct tc_memory_row){
		.id = sink->next->memory++,
		.thread_id = sink->first.thread + thread,
		.ts_ns = event->ts_ns,
		.device_type = integer_or_null(&arg[TC_ARG_MEM_DEVICE_TYPE]),
		.device_id = integer_or_null(&arg[TC_ARG_MEM_DEVICE_ID]),
		.bytes = integer_or_null(&arg[TC_ARG_MEM_BYTES]),
		.allocated_bytes = integer_or_null(&arg[TC_ARG_MEM_ALLOCATED]),
		.reserved_bytes = integer_or_null(&arg[TC_ARG_MEM_RESERVED]),
		.addr = integer_or_null(addr),
	};
	if (row->addr == INT64_MIN &&
		(addr->kind == TC_SCALAR_TEXT || addr->kind == TC_SCALAR_NUMBER)) {
		row->addr_offset = (uint32_t)sink->batch->text.len;
		row->addr_len = (uint32_t)addr->text.len;
		tc_buf_append_text(&sink->batch->text, addr->text);
		if (tc_buf_failed(&sink->batch->text))
			return tc_row_sink_no_memory(sink);
	}
	enum tc_status status = tc_flows_add_memory(
		points->flows, event->ts_ns, points->tracks->threads[thread].track, row->id);
	return status ? status : tc_row_sink_flush(sink, false);
}
