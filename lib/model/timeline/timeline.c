/* The timeline's tables and names; its slices are in spans.c. See timeline.h. */
#include "model/timeline/timeline.h"

#include "core/alloc.h"
#include "core/array.h"
#include "core/limits.h"

/* Waits are few, and those of a thread are in time order. */
enum { WAIT_SORT_BYTES = 256 * 1024 };

TC_ORDER(compare_waits, struct tc_wait, TC_UP(start_ns) TC_UP(slice_id));

enum tc_status tc_timeline_new(struct tc_timeline **out, struct tc_ctx *ctx, int64_t trace_id)
{
	struct tc_timeline *timeline = tc_calloc(1, sizeof(*timeline));

	if (!timeline)
		return tc_no_memory(ctx);
	timeline->ctx = ctx;
	timeline->trace_id = trace_id;
	timeline->start_ns = INT64_MAX;
	timeline->end_ns = INT64_MIN;
	enum tc_status status = tc_spans_new(&timeline->spans, ctx);
	if (status)
		tc_timeline_free(timeline);
	else
		*out = timeline;
	return status;
}

void tc_timeline_free(struct tc_timeline *timeline)
{
	if (!timeline)
		return;
	tc_spans_free(timeline->spans);
	tc_sorter_free(timeline->waits);
	tc_sorter_free(timeline->graph_runs);
	tc_strtab_clear(&timeline->texts);
	tc_strtab_clear(&timeline->device_names);
	tc_free(timeline->frames);
	tc_free(timeline->stacks);
	tc_free(timeline->labels);
	tc_free(timeline->tracks);
	tc_free(timeline->devices);
	tc_free(timeline->steps);
	tc_free(timeline);
}

#define ADD_ELEMENT(timeline, field, element)                                                      \
	do {                                                                                       \
		if (!TC_GROW((timeline)->field##s, (timeline)->field##_capacity,                   \
			    (timeline)->field##_count + 1))                                        \
			return -1;                                                                 \
		(timeline)->field##s[(timeline)->field##_count] = *(element);                      \
		return (int64_t)(timeline)->field##_count++;                                       \
	} while (0)

void tc_timeline_take_labels(struct tc_timeline *timeline, struct tc_label *labels, size_t count)
{
	timeline->labels = labels;
	timeline->label_count = timeline->label_capacity = count;
}

int64_t tc_timeline_add_label(struct tc_timeline *timeline, const struct tc_label *label)
{
	ADD_ELEMENT(timeline, label, label);
}

int64_t tc_timeline_add_track(struct tc_timeline *timeline, const struct tc_track *track)
{
	ADD_ELEMENT(timeline, track, track);
}

int64_t tc_timeline_add_device(struct tc_timeline *timeline, const struct tc_device *device)
{
	ADD_ELEMENT(timeline, device, device);
}

int64_t tc_timeline_add_step(struct tc_timeline *timeline, const struct tc_step *step)
{
	ADD_ELEMENT(timeline, step, step);
}

int64_t tc_timeline_add_stack(struct tc_timeline *timeline)
{
	ADD_ELEMENT(timeline, stack, &timeline->frame_count);
}

int64_t tc_timeline_add_frame(struct tc_timeline *timeline, uint32_t label)
{
	ADD_ELEMENT(timeline, frame, &label);
}

static int64_t clamp_time(int64_t time_ns)
{
	return time_ns > TC_TIME_MAX_NS    ? TC_TIME_MAX_NS
	       : time_ns < -TC_TIME_MAX_NS ? -TC_TIME_MAX_NS
					   : time_ns;
}

enum tc_status tc_timeline_add_wait(struct tc_timeline *timeline, const struct tc_span *span)
{
	static const struct tc_sorter_layout layout = {
		sizeof(struct tc_wait), WAIT_SORT_BYTES, compare_waits};
	const struct tc_wait wait = {.start_ns = clamp_time(span->ts_ns),
		.end_ns = clamp_time(clamp_time(span->ts_ns) + span->dur_ns),
		.slice_id = span->slice_id};

	return span->dur_ns < 0 ? TC_OK
				: tc_sorter_put(&timeline->waits, timeline->ctx, &layout, &wait);
}

TC_ORDER(compare_graph_runs, struct tc_graph_run, TC_UP(start_ns) TC_UP(device) TC_UP(end_ns));

enum tc_status tc_timeline_add_graph_run(
	struct tc_timeline *timeline, const struct tc_graph_run *run)
{
	static const struct tc_sorter_layout layout = {
		sizeof(*run), WAIT_SORT_BYTES, compare_graph_runs};

	return tc_sorter_put(&timeline->graph_runs, timeline->ctx, &layout, run);
}

TC_ORDER_OF_POINTERS(compare_names, struct tc_track, TC_UP(kind) TC_UP_TEXT(name) TC_UP(device));

/* Which of equal slices comes first is a matter of their tracks' names: neither of the order in the
 * file nor of the numbers that it gives. */
static enum tc_status place_tracks(struct tc_timeline *timeline)
{
	size_t count = timeline->track_count;
	const struct tc_track **tracks = tc_malloc(count * sizeof(*tracks));
	uint32_t place = 0;

	if (!tracks)
		return tc_no_memory(timeline->ctx);
	for (size_t i = 0; i < count; i++)
		tracks[i] = &timeline->tracks[i];
	TC_SORT(tracks, count, compare_names);
	for (size_t i = 0; i < count; i++) {
		place += i > 0 && compare_names(&tracks[i - 1], &tracks[i]) != 0;
		tc_spans_set_place(
			timeline->spans, (uint32_t)(tracks[i] - timeline->tracks), place);
	}
	tc_free(tracks);
	return TC_OK;
}

enum tc_status tc_timeline_sort(struct tc_timeline *timeline)
{
	for (size_t i = 0; i < timeline->track_count; i++) {
		size_t count;
		const struct tc_spans_range *ranges =
			tc_spans_ranges(&count, timeline->spans, (uint32_t)i);

		for (size_t k = 0; k < count; k++) {
			if (ranges[k].first_ns < timeline->start_ns)
				timeline->start_ns = ranges[k].first_ns;
			if (ranges[k].last_ns > timeline->end_ns)
				timeline->end_ns = ranges[k].last_ns;
		}
	}
	enum tc_status status = place_tracks(timeline);
	return status ? status : tc_spans_sort(timeline->spans);
}

enum tc_status tc_cursor_open(struct tc_cursor **out, const struct tc_timeline *timeline,
	const uint32_t *tracks, size_t track_count)
{
	return tc_spans_cursor(out, timeline->spans, tracks, track_count);
}

int32_t tc_timeline_step_at(const struct tc_timeline *timeline, int64_t ts_ns)
{
	size_t at;

	TC_BISECT(at, timeline->step_count, timeline->steps[at].ts_ns <= ts_ns);
	return (int32_t)at - 1;
}

enum tc_engine tc_span_engine(const struct tc_timeline *timeline, const struct tc_span *span)
{
	const struct tc_label *label = &timeline->labels[span->label];
	enum tc_engine engine = timeline->tracks[span->track].engine;

	if (engine == TC_ENGINE_COMPUTE && label->task_engine != TC_ENGINE_NONE)
		return label->task_engine;
	return engine != TC_ENGINE_NONE ? engine : label->engine;
}

enum tc_role tc_span_role(const struct tc_timeline *timeline, const struct tc_span *span)
{
	return span->role != TC_ROLE_NONE ? (enum tc_role)span->role
					  : timeline->labels[span->label].role;
}

const char *tc_launch_method_name(enum tc_launch_method method)
{
	static const char *const names[] = {
		[TC_LAUNCH_UNKNOWN] = NULL,
		[TC_LAUNCH_CORRELATION] = "correlation",
		[TC_LAUNCH_FLOW] = "flow",
		[TC_LAUNCH_RECIPE] = "recipe",
		[TC_LAUNCH_EXTERNAL_ID] = "external_id",
		[TC_LAUNCH_TIME] = "time",
		[TC_LAUNCH_BEFORE] = "before_recording",
	};

	return names[method];
}
