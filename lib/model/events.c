/* Events to slices, points, flows and metadata; see events.h. */

#include "model/events.h"

#include "core/text/decimal.h"
#include "decode/json/json_text.h"
#include "model/import_log.h"
#include "model/tracks/tracks.h"

/* Metadata events: names, labels and sort indexes of processes and threads. */

/* What a metadata event may set, of a process or of a thread; labels is NULL for a thread. */
struct target {
	uint32_t *name, *labels;
	bool *has_sort_index;
	int64_t *sort_index;
};

static void set_sort_index(const struct target *target, const struct tc_scalar *scalar)
{
	*target->has_sort_index |= tc_scalar_integer(target->sort_index, scalar);
}

static enum tc_status set_text(struct tc_tracks *tracks, struct tc_import_log *log,
	uint32_t *target, const struct tc_scalar *scalar)
{
	if (scalar->kind != TC_SCALAR_TEXT || !scalar->text.ptr)
		return TC_OK;
	uint32_t string = tc_tracks_string(tracks, scalar->text);
	if (string == TC_STRTAB_NONE)
		return tc_tracks_fail(tracks, log->ctx);
	*target = string;
	return TC_OK;
}

/* what is the name of the event behind "process_" or "thread_". */
static enum tc_status set(struct tc_tracks *tracks, struct tc_import_log *log,
	const struct target *target, const struct tc_raw_event *event, struct tc_text what)
{
	if (tc_text_equal(what, TC_TEXT("name")))
		return set_text(tracks, log, target->name, &event->arg[TC_ARG_NAME]);
	if (target->labels && tc_text_equal(what, TC_TEXT("labels")))
		return set_text(tracks, log, target->labels, &event->arg[TC_ARG_LABELS]);
	if (!tc_text_equal(what, TC_TEXT("sort_index")))
		return tc_import_log_add_event(log, TC_LOG_UNKNOWN_METADATA, event);
	set_sort_index(target, &event->arg[TC_ARG_SORT_INDEX]);
	return TC_OK;
}

static enum tc_status on_process(struct tc_tracks *tracks, struct tc_import_log *log,
	const struct tc_raw_event *event, struct tc_text what)
{
	uint32_t number = tc_tracks_process(tracks, &event->pid);

	if (number == TC_INDEX_NONE)
		return tc_tracks_drop(tracks, log, event);
	struct tc_process_row *row = &tracks->processes[number];
	const struct target target = {
		&row->name, &row->labels, &row->has_sort_index, &row->sort_index};
	return set(tracks, log, &target, event, what);
}

static enum tc_status on_thread(struct tc_tracks *tracks, struct tc_import_log *log,
	const struct tc_raw_event *event, struct tc_text what)
{
	uint32_t number = tc_tracks_thread(tracks, &event->pid, &event->tid);

	if (number == TC_INDEX_NONE)
		return tc_tracks_drop(tracks, log, event);
	struct tc_thread_row *row = &tracks->threads[number];
	const struct target target = {&row->name, NULL, &row->has_sort_index, &row->sort_index};
	return set(tracks, log, &target, event, what);
}

/* Metadata may come anywhere, more than once (the last one counts), and without a ts. */
static enum tc_status metadata_take(
	struct tc_tracks *tracks, struct tc_import_log *log, const struct tc_raw_event *event)
{
	struct tc_text what;

	if (tc_text_starts(event->name, TC_TEXT("process_")) &&
		tc_text_after(event->name, TC_TEXT("process_"), &what))
		return on_process(tracks, log, event, what);
	if (tc_text_starts(event->name, TC_TEXT("thread_")) &&
		tc_text_after(event->name, TC_TEXT("thread_"), &what))
		return on_thread(tracks, log, event, what);
	return tc_import_log_add_event(log, TC_LOG_UNKNOWN_METADATA, event);
}

static char scope_of(const struct tc_raw_event *event)
{
	if (event->scope.len == 1 && (event->scope.ptr[0] == 'g' || event->scope.ptr[0] == 'p'))
		return event->scope.ptr[0];
	return 't';
}

static enum tc_status points_add_instant(const struct tc_points *points,
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

/* Adds a row for each member of args. */
static enum tc_status points_add_counter(
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

/* An instant of PyTorch's allocator. */
static enum tc_status points_add_memory(
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

static enum tc_status log_event(
	const struct tc_events *events, enum tc_log_kind kind, const struct tc_raw_event *event)
{
	return tc_import_log_add_event(events->log, kind, event);
}

static enum tc_status drop(const struct tc_events *events, const struct tc_raw_event *event)
{
	return tc_tracks_drop(events->tracks, events->log, event);
}

/* The thread, track and label of an event; track is TC_INDEX_NONE when it was dropped. */
struct spot {
	uint32_t thread, track, label;
};

/* Paddle puts the duration behind the name, "matmul[90.100 us]", which would make a label of each
 * slice. It is in dur, too. */
static struct tc_text without_duration(struct tc_text name)
{
	static const size_t tail_len = sizeof(".100 us]") - 1;
	size_t len = name.len;

	if (len <= tail_len || name.ptr[len - 1] != ']' || name.ptr[len - 2] != 's' ||
		(name.ptr[len - 3] != 'u' && name.ptr[len - 3] != 'm') ||
		name.ptr[len - 4] != ' ' || name.ptr[len - tail_len] != '.')
		return name;
	len -= tail_len;
	while (len > 0 && tc_is_digit(name.ptr[len - 1]))
		len--;
	if (len > 0 && name.ptr[len - 1] == '[')
		name.len = len - 1;
	return name;
}

/*
 * Plugins of the profiler for devices that PyTorch does not know (PrivateUse1: IBM's AIU, AWS
 * Neuron) write work of the device as calls of its driver: it names device and stream.
 */
static bool is_private_work(const struct tc_raw_event *event)
{
	return event->arg[TC_ARG_DEVICE].kind != TC_SCALAR_NONE &&
	       tc_text_equal(event->cat, TC_TEXT("privateuse1_driver"));
}

static enum tc_status find_label(const struct tc_events *events, struct tc_text category,
	struct tc_text name, uint32_t *label)
{
	*label = tc_labels_intern(events->labels, category, name);
	return *label == TC_LABEL_NONE ? tc_no_memory(events->log->ctx) : TC_OK;
}

/* Ascend's exports have no categories. The type of a task says what its name may not: that it runs
 * on the CPU of the device. */
static struct tc_text category_of(const struct tc_raw_event *event)
{
	const struct tc_scalar *type = &event->arg[TC_ARG_TASK_TYPE];
	bool is_ai_cpu = event->cat.len == 0 && type->kind == TC_SCALAR_TEXT &&
			 tc_text_equal(type->text, TC_TEXT("AI_CPU"));

	return is_ai_cpu ? type->text : event->cat;
}

static enum tc_status find_spot(
	const struct tc_events *events, const struct tc_raw_event *event, struct spot *spot)
{
	struct tc_tracks *tracks = events->tracks;

	spot->track = TC_INDEX_NONE;
	spot->thread = tc_tracks_thread(tracks, &event->pid, &event->tid);
	if (spot->thread == TC_INDEX_NONE)
		return drop(events, event);
	enum tc_status status =
		find_label(events, category_of(event), without_duration(event->name), &spot->label);
	if (status)
		return status;
	const struct tc_label *label = &events->labels->rows[spot->label];
	bool is_private = is_private_work(event);
	if (label->engine == TC_ENGINE_NONE && !is_private)
		spot->track = tc_tracks_of_thread(tracks, spot->thread, label);
	else
		spot->track = tc_tracks_of_device(tracks, spot->thread, &event->arg[TC_ARG_DEVICE]);
	if (is_private && spot->track != TC_INDEX_NONE)
		tracks->tracks[spot->track].has_private_work = true;
	return spot->track == TC_INDEX_NONE ? drop(events, event) : TC_OK;
}

/* False when the event has no usable ts, which is logged; *status is the result. */
static bool has_time(
	const struct tc_events *events, const struct tc_raw_event *event, enum tc_status *status)
{
	*status = TC_OK;
	if (event->ts_state == TC_TIME_OK)
		return true;
	*status = log_event(events,
		event->ts_state == TC_TIME_BAD ? TC_LOG_BAD_TIMESTAMP : TC_LOG_MISSING_TIMESTAMP,
		event);
	return false;
}

/* The same, also without a usable dur. One below zero counts as 0. */
static bool has_extent(const struct tc_events *events, const struct tc_raw_event *event,
	struct tc_slice *slice, enum tc_status *status)
{
	*slice = (struct tc_slice){.ts_ns = event->ts_ns, .dur_ns = event->dur_ns};
	if (!has_time(events, event, status))
		return false;
	if (event->dur_state != TC_TIME_OK) {
		*status = log_event(events,
			event->dur_state == TC_TIME_BAD ? TC_LOG_BAD_DURATION
							: TC_LOG_MISSING_DURATION,
			event);
		return false;
	}
	if (slice->dur_ns < 0) {
		slice->dur_ns = 0;
		*status = log_event(events, TC_LOG_NEGATIVE_DURATION, event);
	}
	return true;
}

static enum tc_status on_metadata(const struct tc_events *events, const struct tc_raw_event *event)
{
	return metadata_take(events->tracks, events->log, event);
}

/* Adds a slice whose extent, track and label are set. */
static enum tc_status add_slice(const struct tc_events *events, const struct tc_raw_event *event,
	struct tc_slice *slice, int64_t *slice_id)
{
	enum tc_status status =
		tc_slice_args_read(slice, events->args, event, &events->labels->rows[slice->label]);

	return status ? status : tc_slices_add(slice_id, events->slices, slice);
}

static enum tc_status on_complete(const struct tc_events *events, const struct tc_raw_event *event)
{
	struct tc_slice slice;
	struct tc_flow_end flow;
	struct spot spot;
	int64_t slice_id;
	enum tc_status status;

	if (!has_extent(events, event, &slice, &status))
		return status;
	if (!status)
		status = find_spot(events, event, &spot);
	if (status || spot.track == TC_INDEX_NONE)
		return status;
	if (events->labels->rows[spot.label].is_meta)
		return on_metadata(events, event);
	slice.track = spot.track;
	slice.label = spot.label;
	status = add_slice(events, event, &slice, &slice_id);
	if (!status)
		status = tc_flows_read_v2(&flow, events->flows, event);
	return status ? status
		      : tc_flows_add_v2(events->flows, &flow, slice.ts_ns, slice.label, slice_id);
}

/* The spot of an event that needs a ts; false when the event ends here, with *status. */
static bool has_spot(const struct tc_events *events, const struct tc_raw_event *event,
	struct spot *spot, enum tc_status *status)
{
	if (!has_time(events, event, status))
		return false;
	*status = find_spot(events, event, spot);
	return !*status && spot->track != TC_INDEX_NONE;
}

static enum tc_status on_begin_end(const struct tc_events *events, const struct tc_raw_event *event)
{
	struct spot spot;
	enum tc_status status;

	return has_spot(events, event, &spot, &status)
		       ? tc_pairs_add(
				 events->pairs, event, spot.track, spot.label, event->ph == 'B')
		       : status;
}

static enum tc_status on_instant(const struct tc_events *events, const struct tc_raw_event *event)
{
	struct spot spot;
	enum tc_status status;

	if (!has_time(events, event, &status))
		return status;
	if (event->name.ptr && tc_text_equal(event->name, TC_TEXT("[memory]")))
		return points_add_memory(events->points, event);
	return has_spot(events, event, &spot, &status)
		       ? points_add_instant(events->points, event, spot.track, spot.label)
		       : status;
}

static enum tc_status on_counter(const struct tc_events *events, const struct tc_raw_event *event)
{
	enum tc_status status;

	return has_time(events, event, &status) ? points_add_counter(events->points, event)
						: status;
}

/* What a scheduler did with a thread, ph T with a dur: complete slices on a track beside that of
 * the thread, because they run across its calls. */
static enum tc_status on_thread_state(
	const struct tc_events *events, const struct tc_raw_event *event)
{
	struct tc_slice slice;
	int64_t slice_id;
	enum tc_status status;

	if (!has_extent(events, event, &slice, &status) || status)
		return status;
	uint32_t thread = tc_tracks_thread(events->tracks, &event->pid, &event->tid);
	if (thread == TC_INDEX_NONE)
		return drop(events, event);
	slice.track = tc_tracks_of_states(events->tracks, thread);
	if (slice.track == TC_INDEX_NONE)
		return drop(events, event);
	status = find_label(events, event->cat, event->name, &slice.label);
	return status ? status : add_slice(events, event, &slice, &slice_id);
}

static bool has_async_id(const struct tc_raw_event *event)
{
	return event->id_scope != TC_ID_NONE &&
	       (event->id.kind == TC_SCALAR_INT || event->id.kind == TC_SCALAR_NUMBER ||
		       event->id.kind == TC_SCALAR_TEXT);
}

/* Async events: b and S begin, e and F end, n, T and p are instants on the same track. Without
 * an id and with a dur, T is the state of a thread. */
static enum tc_status on_async(const struct tc_events *events, const struct tc_raw_event *event)
{
	uint32_t track = TC_INDEX_NONE, label;
	enum tc_status status;

	if (event->ph == 'T' && event->id_scope == TC_ID_NONE && event->dur_state == TC_TIME_OK)
		return on_thread_state(events, event);
	if (!has_time(events, event, &status))
		return status;
	if (!has_async_id(event))
		return log_event(events, TC_LOG_BAD_ID, event);
	uint32_t process = tc_tracks_process(events->tracks, &event->pid);
	if (process != TC_INDEX_NONE)
		track = tc_tracks_async(events->tracks, event, process);
	if (track == TC_INDEX_NONE)
		return drop(events, event);
	status = find_label(events, event->cat, event->name, &label);
	if (status)
		return status;
	if (strchr("nTp", event->ph))
		return points_add_instant(events->points, event, track, label);
	return tc_pairs_add(
		events->pairs, event, track, label, event->ph == 'b' || event->ph == 'S');
}

static enum tc_status on_flow(const struct tc_events *events, const struct tc_raw_event *event)
{
	struct spot spot;
	enum tc_status status;

	if (!has_spot(events, event, &spot, &status))
		return status;
	events->tracks->tracks[spot.track].has_flow_end |= event->ph != 's';
	return tc_flows_add(events->flows, event, spot.track, spot.label);
}

static enum tc_status on_unused(const struct tc_events *events, const struct tc_raw_event *event)
{
	return log_event(events, TC_LOG_UNUSED_PHASE, event);
}

typedef enum tc_status (*phase_fn)(
	const struct tc_events *events, const struct tc_raw_event *event);

/* Phases by letter. Samples (P) and objects (N O D) have no duration: they are kept as instants. */
static phase_fn phase_of(char ph)
{
	static const phase_fn table[128] = {
		['X'] = on_complete,
		['B'] = on_begin_end,
		['E'] = on_begin_end,
		['M'] = on_metadata,
		['i'] = on_instant,
		['I'] = on_instant,
		['R'] = on_instant,
		['P'] = on_instant,
		['N'] = on_instant,
		['O'] = on_instant,
		['D'] = on_instant,
		['C'] = on_counter,
		['b'] = on_async,
		['n'] = on_async,
		['e'] = on_async,
		['S'] = on_async,
		['T'] = on_async,
		['p'] = on_async,
		['F'] = on_async,
		['s'] = on_flow,
		['t'] = on_flow,
		['f'] = on_flow,
		['c'] = on_unused,
		['v'] = on_unused,
		['V'] = on_unused,
		['('] = on_unused,
		[')'] = on_unused,
	};

	return (unsigned char)ph < 128 ? table[(unsigned char)ph] : NULL;
}

static enum tc_status on_event(void *user, const struct tc_raw_event *event)
{
	const struct tc_events *events = user;
	phase_fn handle = phase_of(event->ph);

	if (!handle)
		return tc_import_log_add_one(events->log, TC_LOG_UNKNOWN_PHASE, event->byte_offset,
			(unsigned char)event->ph < 128 ? (struct tc_text){&event->ph, 1}
						       : TC_TEXT("not ASCII"));
	return handle(events, event);
}

static enum tc_status on_meta(void *user, struct tc_text key, struct tc_text json)
{
	const struct tc_events *events = user;

	return tc_metas_add(events->metas, key, json);
}

static enum tc_status on_log(void *user, const struct tc_log_entry *entry)
{
	const struct tc_events *events = user;

	return tc_import_log_add(events->log, entry);
}

struct tc_decode_sink tc_events_sink(struct tc_events *events)
{
	return (struct tc_decode_sink){events, on_event, on_meta, on_log};
}
