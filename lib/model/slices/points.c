/* Rows of instant, counter and memory; see points.h. */
#include "model/slices/points.h"

#include "core/decimal.h"
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
	struct tc_output *output = points->output;
	struct tc_row_args args;
	enum tc_status status = tc_output_args(&args, output, event->args);

	if (!status && event->bind_id.kind != TC_SCALAR_NONE)
		status = tc_import_log_add_event(points->log, TC_LOG_FLOW_WITHOUT_DIRECTION, event);
	if (status)
		return status;
	struct tc_instant_row *row = tc_batch_add_instant(output->batch);
	if (!row)
		return tc_output_no_memory(output);
	*row = (struct tc_instant_row){
		.id = output->next->instant++,
		.ts_ns = event->ts_ns,
		.track_id = (uint32_t)output->first.track + track,
		.label_id = (uint32_t)output->first.label + label,
		.scope = scope_of(event),
		.args = args,
	};
	points->tracks->tracks[track].other_count++;
	return tc_output_flush(output, false);
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
	struct tc_output *output = points->output;
	double value;

	if (!counter_value(member, &value))
		return tc_import_log_add_event(points->log, TC_LOG_BAD_COUNTER, event);
	struct tc_counter_row *row = tc_batch_add_counter(output->batch);
	if (!row)
		return tc_output_no_memory(output);
	struct tc_buf *text = &output->batch->text;
	row->id = output->next->counter++;
	row->ts_ns = event->ts_ns;
	row->process_id = output->first.process + process;
	row->name_offset = (uint32_t)text->len;
	append_series(text, event, member);
	if (tc_buf_failed(text))
		return tc_output_no_memory(output);
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
	return status ? status : tc_output_flush(points->output, false);
}

static int64_t integer_or_null(const struct tc_scalar *scalar)
{
	return scalar->kind == TC_SCALAR_INT ? scalar->i64 : INT64_MIN;
}

enum tc_status tc_points_add_memory(
	const struct tc_points *points, const struct tc_raw_event *event)
{
	struct tc_output *output = points->output;
	const struct tc_scalar *arg = event->arg, *addr = &arg[TC_ARG_MEM_ADDR];
	uint32_t thread = tc_tracks_thread(points->tracks, &event->pid, &event->tid);

	if (thread == TC_INDEX_NONE)
		return tc_tracks_drop(points->tracks, points->log, event);
	struct tc_memory_row *row = tc_batch_add_memory(output->batch);
	if (!row)
		return tc_output_no_memory(output);
	*row = (struct tc_memory_row){
		.id = output->next->memory++,
		.thread_id = output->first.thread + thread,
		.ts_ns = event->ts_ns,
		.device_type = integer_or_null(&arg[TC_ARG_MEM_DEVICE_TYPE]),
		.device_id = integer_or_null(&arg[TC_ARG_MEM_DEVICE_ID]),
		.bytes = integer_or_null(&arg[TC_ARG_MEM_BYTES]),
		.allocated_bytes = integer_or_null(&arg[TC_ARG_MEM_ALLOCATED]),
		.reserved_bytes = integer_or_null(&arg[TC_ARG_MEM_RESERVED]),
		.addr = integer_or_null(addr),
	};
	if (addr->kind == TC_SCALAR_TEXT || addr->kind == TC_SCALAR_NUMBER) {
		row->addr_offset = (uint32_t)output->batch->text.len;
		row->addr_len = (uint32_t)addr->text.len;
		tc_buf_append_text(&output->batch->text, addr->text);
		if (tc_buf_failed(&output->batch->text))
			return tc_output_no_memory(output);
	}
	enum tc_status status = tc_flows_add_memory(
		points->flows, event->ts_ns, points->tracks->threads[thread].track, row->id);
	return status ? status : tc_output_flush(output, false);
}
