/* Raw events by phase: what each letter of ph becomes. See model.h. */
#include "model/state.h"

#include "core/decimal.h"
#include "decode/json/json_text.h"

static enum tc_status log_event(
	struct tc_model *model, enum tc_log_kind kind, const struct tc_raw_event *event)
{
	return tc_model_log(model, kind, event->byte_offset, event->name);
}

/* No row could be made: the event is dropped for the limit, or the import ends for memory. */
static enum tc_status no_row(struct tc_model *model, const struct tc_raw_event *event)
{
	return model->tracks.is_full ? log_event(model, TC_LOG_TRACK_LIMIT, event)
				     : tc_model_no_memory(model);
}

/* What the phases share: the thread's track and the label. */
struct place {
	uint32_t thread, track, label;
};

/* Paddle puts the duration behind the name, "matmul[90.100 us]", which would make a label of each
 * slice; dur says it, too. */
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

/* place->track is TC_INDEX_NONE when the event was dropped. */
static enum tc_status find_place(
	struct tc_model *model, const struct tc_raw_event *event, struct place *place)
{
	place->track = TC_INDEX_NONE;
	place->thread = tc_tracks_thread(&model->tracks, &event->pid, &event->tid);
	if (place->thread == TC_INDEX_NONE)
		return no_row(model, event);
	place->label = tc_labels_intern(&model->labels, event->cat, without_duration(event->name));
	if (place->label == TC_LABEL_NONE)
		return tc_model_no_memory(model);
	const struct tc_label *label = &model->labels.rows[place->label];
	bool is_private = is_private_work(event);
	if (label->engine == TC_ENGINE_NONE && !is_private)
		place->track = tc_tracks_of_thread(&model->tracks, place->thread, label);
	else
		place->track = tc_tracks_of_device(
			&model->tracks, place->thread, &event->arg[TC_ARG_DEVICE]);
	if (is_private && place->track != TC_INDEX_NONE)
		model->tracks.tracks[place->track].has_private_work = true;
	return place->track == TC_INDEX_NONE ? no_row(model, event) : TC_OK;
}

/* False, and *status what came of it, when the event has no usable ts. */
static bool has_time(
	struct tc_model *model, const struct tc_raw_event *event, enum tc_status *status)
{
	*status = TC_OK;
	if (event->ts_state == TC_TIME_OK)
		return true;
	*status = log_event(model,
		event->ts_state == TC_TIME_BAD ? TC_LOG_BAD_TIMESTAMP : TC_LOG_MISSING_TIMESTAMP,
		event);
	return false;
}

/* The same for a slice's extent: also without a dur. One below zero is taken as 0. */
static bool has_extent(struct tc_model *model, const struct tc_raw_event *event,
	struct tc_slice *slice, enum tc_status *status)
{
	*slice = (struct tc_slice){.ts_ns = event->ts_ns, .dur_ns = event->dur_ns};
	if (!has_time(model, event, status))
		return false;
	if (event->dur_state != TC_TIME_OK) {
		*status = log_event(model,
			event->dur_state == TC_TIME_BAD ? TC_LOG_BAD_DURATION
							: TC_LOG_MISSING_DURATION,
			event);
		return false;
	}
	if (slice->dur_ns < 0) {
		slice->dur_ns = 0;
		*status = log_event(model, TC_LOG_NEGATIVE_DURATION, event);
	}
	return true;
}

static void set_sort_index(const struct tc_raw_event *event, bool *has, int64_t *index)
{
	const struct tc_scalar *scalar = &event->arg[TC_ARG_SORT_INDEX];

	if (scalar->kind == TC_SCALAR_INT ||
		(scalar->kind == TC_SCALAR_TEXT && tc_decimal_int64(index, scalar->text))) {
		*has = true;
		if (scalar->kind == TC_SCALAR_INT)
			*index = scalar->i64;
	}
}

/* The text of a member of args, ptr NULL when it is none. */
static struct tc_text text_arg(const struct tc_raw_event *event, enum tc_arg arg)
{
	const struct tc_scalar *scalar = &event->arg[arg];

	return scalar->kind == TC_SCALAR_TEXT ? scalar->text : TC_TEXT_NONE;
}

static enum tc_status set_text(struct tc_model *model, uint32_t *target, struct tc_text text)
{
	if (!text.ptr)
		return TC_OK;
	uint32_t string = tc_tracks_string(&model->tracks, text);
	if (string == TC_STRTAB_NONE)
		return tc_model_no_memory(model);
	*target = string;
	return TC_OK;
}

static enum tc_status on_process_metadata(
	struct tc_model *model, const struct tc_raw_event *event, struct tc_text what)
{
	uint32_t number = tc_tracks_process(&model->tracks, &event->pid);

	if (number == TC_INDEX_NONE)
		return no_row(model, event);
	struct tc_process_row *process = &model->tracks.processes[number];
	if (tc_text_equal(what, TC_TEXT("sort_index")))
		set_sort_index(event, &process->has_sort_index, &process->sort_index);
	else if (tc_text_equal(what, TC_TEXT("labels")))
		return set_text(model, &process->labels, text_arg(event, TC_ARG_LABELS));
	else if (tc_text_equal(what, TC_TEXT("name")))
		return set_text(model, &process->name, text_arg(event, TC_ARG_NAME));
	else
		return log_event(model, TC_LOG_UNKNOWN_METADATA, event);
	return TC_OK;
}

static enum tc_status on_thread_metadata(
	struct tc_model *model, const struct tc_raw_event *event, struct tc_text what)
{
	uint32_t number = tc_tracks_thread(&model->tracks, &event->pid, &event->tid);

	if (number == TC_INDEX_NONE)
		return no_row(model, event);
	struct tc_thread_row *thread = &model->tracks.threads[number];
	if (tc_text_equal(what, TC_TEXT("sort_index")))
		set_sort_index(event, &thread->has_sort_index, &thread->sort_index);
	else if (tc_text_equal(what, TC_TEXT("name")))
		return set_text(model, &thread->name, text_arg(event, TC_ARG_NAME));
	else
		return log_event(model, TC_LOG_UNKNOWN_METADATA, event);
	return TC_OK;
}

/* Metadata may come anywhere, more than once (the last one counts), and without a ts. */
static enum tc_status on_metadata(struct tc_model *model, const struct tc_raw_event *event)
{
	static const struct {
		struct tc_text prefix;
		enum tc_status (*handle)(struct tc_model *model, const struct tc_raw_event *event,
			struct tc_text what);
	} rows[] = {
		{{"process_", sizeof("process_") - 1}, on_process_metadata},
		{{"thread_", sizeof("thread_") - 1}, on_thread_metadata},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tc_text prefix = rows[i].prefix, name = event->name;
		if (tc_text_starts(name, prefix))
			return rows[i].handle(model, event,
				(struct tc_text){name.ptr + prefix.len, name.len - prefix.len});
	}
	return log_event(model, TC_LOG_UNKNOWN_METADATA, event);
}

static enum tc_status on_complete(struct tc_model *model, const struct tc_raw_event *event)
{
	struct tc_slice slice;
	struct place place;
	int64_t slice_id;
	enum tc_status status;

	if (!has_extent(model, event, &slice, &status))
		return status;
	if (!status)
		status = find_place(model, event, &place);
	if (status || place.track == TC_INDEX_NONE)
		return status;
	if (model->labels.rows[place.label].is_meta)
		return on_metadata(model, event);
	slice.track = place.track;
	slice.label = place.label;
	status = tc_model_read_args(model, event, &slice);
	if (status)
		return status;
	status = tc_model_emit_slice(model, &slice, &slice_id);
	struct tc_flow_end flow;
	if (!status)
		status = tc_flows_end_of(model, event, &flow);
	return status ? status : tc_flows_add_v2(model, &flow, &slice, slice_id);
}

static enum tc_status on_begin_end(struct tc_model *model, const struct tc_raw_event *event)
{
	struct place place;
	enum tc_status status;

	if (!has_time(model, event, &status))
		return status;
	status = find_place(model, event, &place);
	if (status || place.track == TC_INDEX_NONE)
		return status;
	return tc_pairs_add(model, event, place.track, place.label, event->ph == 'B');
}

static enum tc_status add_memory(struct tc_model *model, const struct tc_raw_event *event)
{
	uint32_t thread = tc_tracks_thread(&model->tracks, &event->pid, &event->tid);
	if (thread == TC_INDEX_NONE)
		return no_row(model, event);
	static const enum tc_arg fields[] = {TC_ARG_MEM_DEVICE_TYPE, TC_ARG_MEM_DEVICE_ID,
		TC_ARG_MEM_BYTES, TC_ARG_MEM_ALLOCATED, TC_ARG_MEM_RESERVED, TC_ARG_MEM_ADDR};
	struct tc_memory_row *row = tc_batch_add_memory(model->batch);
	int64_t values[sizeof(fields) / sizeof(fields[0])];

	if (!row)
		return tc_model_no_memory(model);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		const struct tc_scalar *scalar = &event->arg[fields[i]];
		values[i] = scalar->kind == TC_SCALAR_INT ? scalar->i64 : INT64_MIN;
	}
	row->id = model->ids->memory++;
	row->thread_id = model->first.thread + thread;
	row->ts_ns = event->ts_ns;
	row->device_type = values[0];
	row->device_id = values[1];
	row->bytes = values[2];
	row->allocated_bytes = values[3];
	row->reserved_bytes = values[4];
	row->addr = values[5];
	const struct tc_scalar *addr = &event->arg[TC_ARG_MEM_ADDR];
	if (addr->kind == TC_SCALAR_TEXT || addr->kind == TC_SCALAR_NUMBER) {
		row->addr_offset = (uint32_t)model->batch->text.len;
		row->addr_len = (uint32_t)addr->text.len;
		tc_buf_append_text(&model->batch->text, addr->text);
		if (tc_buf_failed(&model->batch->text))
			return tc_model_no_memory(model);
	}
	enum tc_status status = tc_flows_add_memory(
		model, event->ts_ns, model->tracks.threads[thread].track, row->id);
	return status ? status : tc_model_flush(model, false);
}

static char scope_of(const struct tc_raw_event *event)
{
	if (event->scope.len == 1 && (event->scope.ptr[0] == 'g' || event->scope.ptr[0] == 'p'))
		return event->scope.ptr[0];
	return 't';
}

static enum tc_status add_instant(
	struct tc_model *model, const struct tc_raw_event *event, uint32_t track, uint32_t label)
{
	struct tc_row_args args;
	enum tc_status status = tc_model_batch_args(model, event->args, &args);

	if (!status && event->bind_id.kind != TC_SCALAR_NONE)
		status = log_event(model, TC_LOG_FLOW_WITHOUT_DIRECTION, event);
	struct tc_instant_row *row = status ? NULL : tc_batch_add_instant(model->batch);

	if (!row)
		return status ? status : tc_model_no_memory(model);
	row->id = model->ids->instant++;
	row->ts_ns = event->ts_ns;
	row->track_id = (uint32_t)model->first.track + track;
	row->label_id = (uint32_t)model->first.label + label;
	row->scope = scope_of(event);
	row->args = args;
	model->tracks.tracks[track].other_count++;
	return tc_model_flush(model, false);
}

static enum tc_status on_instant(struct tc_model *model, const struct tc_raw_event *event)
{
	struct place place;
	enum tc_status status;

	if (!has_time(model, event, &status))
		return status;
	if (event->name.ptr && tc_text_equal(event->name, TC_TEXT("[memory]")))
		return add_memory(model, event);
	status = find_place(model, event, &place);
	if (status || place.track == TC_INDEX_NONE)
		return status;
	return add_instant(model, event, place.track, place.label);
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

/* Numbers, and strings of numbers. */
static bool counter_value(const struct tc_json_member *member, double *value)
{
	struct tc_text text = member->value;

	if (member->kind == TC_JSON_STRING && text.len >= 2)
		text = (struct tc_text){text.ptr + 1, text.len - 2};
	else if (member->kind != TC_JSON_NUMBER)
		return false;
	return tc_decimal_double(value, text);
}

static enum tc_status add_counter_value(struct tc_model *model, const struct tc_raw_event *event,
	uint32_t process, const struct tc_json_member *member)
{
	double value;

	if (!counter_value(member, &value))
		return log_event(model, TC_LOG_BAD_COUNTER, event);
	struct tc_counter_row *row = tc_batch_add_counter(model->batch);
	if (!row)
		return tc_model_no_memory(model);
	struct tc_buf *text = &model->batch->text;
	row->id = model->ids->counter++;
	row->ts_ns = event->ts_ns;
	row->process_id = model->first.process + process;
	row->name_offset = (uint32_t)text->len;
	append_series(text, event, member);
	if (tc_buf_failed(text))
		return tc_model_no_memory(model);
	row->name_len = (uint32_t)(text->len - row->name_offset);
	row->value = value;
	return TC_OK;
}

static enum tc_status on_counter(struct tc_model *model, const struct tc_raw_event *event)
{
	struct tc_json_iter iter;
	struct tc_json_member member;
	int64_t count = 0;
	enum tc_status status;

	if (!has_time(model, event, &status))
		return status;
	uint32_t process = tc_tracks_process(&model->tracks, &event->pid);
	if (process == TC_INDEX_NONE)
		return no_row(model, event);
	tc_json_iter_init(&iter, event->args);
	while (!status && tc_json_iter_next(&iter, &member)) {
		status = add_counter_value(model, event, process, &member);
		count++;
	}
	if (!status && count == 0)
		return log_event(model, TC_LOG_BAD_COUNTER, event);
	return status ? status : tc_model_flush(model, false);
}

/* What a scheduler did with a thread, ph T with a dur: complete slices, on a track beside the
 * thread's own, for they run across its calls. */
static enum tc_status on_thread_state(struct tc_model *model, const struct tc_raw_event *event)
{
	struct tc_slice slice;
	int64_t slice_id;
	enum tc_status status;

	if (!has_extent(model, event, &slice, &status) || status)
		return status;
	uint32_t thread = tc_tracks_thread(&model->tracks, &event->pid, &event->tid);
	if (thread == TC_INDEX_NONE)
		return no_row(model, event);
	slice.track = tc_tracks_of_states(&model->tracks, thread);
	if (slice.track == TC_INDEX_NONE)
		return no_row(model, event);
	slice.label = tc_labels_intern(&model->labels, event->cat, event->name);
	if (slice.label == TC_LABEL_NONE)
		return tc_model_no_memory(model);
	status = tc_model_read_args(model, event, &slice);
	return status ? status : tc_model_emit_slice(model, &slice, &slice_id);
}

/* Async events: b and S begin, e and F end, n, T and p are instants on the same track. Without
 * an id and with a dur, T is the state of a thread. */
static enum tc_status on_async(struct tc_model *model, const struct tc_raw_event *event)
{
	enum tc_status status;

	if (event->ph == 'T' && event->id_scope == TC_ID_NONE && event->dur_state == TC_TIME_OK)
		return on_thread_state(model, event);
	if (!has_time(model, event, &status))
		return status;
	if (event->id_scope == TC_ID_NONE ||
		(event->id.kind != TC_SCALAR_INT && event->id.kind != TC_SCALAR_NUMBER &&
			event->id.kind != TC_SCALAR_TEXT))
		return log_event(model, TC_LOG_BAD_ID, event);
	uint32_t process = tc_tracks_process(&model->tracks, &event->pid);
	uint32_t track = process == TC_INDEX_NONE ? TC_INDEX_NONE
						  : tc_tracks_async(&model->tracks, event, process);
	if (track == TC_INDEX_NONE)
		return no_row(model, event);
	uint32_t label = tc_labels_intern(&model->labels, event->cat, event->name);
	if (label == TC_LABEL_NONE)
		return tc_model_no_memory(model);
	if (strchr("nTp", event->ph))
		return add_instant(model, event, track, label);
	return tc_pairs_add(model, event, track, label, event->ph == 'b' || event->ph == 'S');
}

static enum tc_status on_flow(struct tc_model *model, const struct tc_raw_event *event)
{
	struct place place;
	enum tc_status status;

	if (!has_time(model, event, &status))
		return status;
	status = find_place(model, event, &place);
	if (status || place.track == TC_INDEX_NONE)
		return status;
	model->tracks.tracks[place.track].has_flow_end |= event->ph != 's';
	return tc_flows_add(model, event, place.track, place.label);
}

static enum tc_status on_unused(struct tc_model *model, const struct tc_raw_event *event)
{
	return tc_model_log(model, TC_LOG_UNUSED_PHASE, event->byte_offset, event->name);
}

typedef enum tc_status (*phase_fn)(struct tc_model *model, const struct tc_raw_event *event);

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

enum tc_status tc_model_event(void *user, const struct tc_raw_event *event)
{
	struct tc_model *model = user;
	phase_fn handle = phase_of(event->ph);

	if (!handle)
		return tc_model_log(model, TC_LOG_UNKNOWN_PHASE, event->byte_offset,
			(unsigned char)event->ph < 128 ? (struct tc_text){&event->ph, 1}
						       : TC_TEXT("not ASCII"));
	return handle(model, event);
}
