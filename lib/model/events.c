/* Events to slices, points, flows and metadata; see events.h. */
#include "model/events.h"

#include "model/tracks/metadata.h"

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
	return tc_metadata_take(events->tracks, events->log, event);
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
		return tc_points_add_memory(events->points, event);
	return has_spot(events, event, &spot, &status)
		       ? tc_points_add_instant(events->points, event, spot.track, spot.label)
		       : status;
}

static enum tc_status on_counter(const struct tc_events *events, const struct tc_raw_event *event)
{
	enum tc_status status;

	return has_time(events, event, &status) ? tc_points_add_counter(events->points, event)
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
		return tc_points_add_instant(events->points, event, track, label);
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
