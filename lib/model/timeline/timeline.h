/*
 * Timeline: everything that analysis needs of one trace, in time order. The model fills it (tracks,
 * labels, devices and steps in memory, slices in a temporary file); then slices are read with
 * cursors. It lives as long as the import.
 *
 * Times are ns as in the store. Intervals are half-open. A slice without an end has dur_ns -1.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/context.h"
#include "core/sort/sorter.h"
#include "core/collections/strtab.h"
#include "core/text.h"
#include "model/timeline/spans.h"
#include "model/timeline/work.h"
#include "names/label/label.h"

/* How the launch of device work was found, most reliable first; named as in device_link.method. */
enum tc_launch_method {
	TC_LAUNCH_UNKNOWN = 0,
	TC_LAUNCH_CORRELATION,
	TC_LAUNCH_FLOW,
	TC_LAUNCH_RECIPE,
	TC_LAUNCH_ORDER,
	TC_LAUNCH_EXTERNAL_ID,
	TC_LAUNCH_TIME,   /* no link in the trace: the step whose host window contains it */
	TC_LAUNCH_BEFORE, /* launched before the recording began: belongs to no step */
};

enum tc_track_kind { TC_TRACK_THREAD, TC_TRACK_LANE, TC_TRACK_ASYNC, TC_TRACK_STATE };

/* A track; track.id of the store is track_base + index. */
struct tc_track {
	enum tc_track_kind kind;
	int64_t thread;         /* thread.id of the store; -1 for none */
	int64_t host_thread_id; /* THREAD: that of the operating-system thread; else -1 */
	int32_t host_thread;    /* THREAD: number of that one, 0.. dense; else -1 */
	int32_t device;         /* LANE: index of devices[]; else -1 */
	enum tc_engine engine;  /* LANE on Gaudi and Ascend; NONE: the label's engine counts */
	struct tc_text name;
	int64_t slice_count, last_slice_id; /* the id is valid with slice_count */
};

struct tc_device {
	struct tc_text name; /* as in device_op.device */
	bool has_recipes;    /* its MME or TPC operations name the recipe they belong to */
};

struct tc_step {
	int64_t id; /* step.id of the store */
	int64_t number;
	int64_t ts_ns, dur_ns;
	int64_t slice_id;
	uint32_t label;      /* index of labels[] */
	int64_t work_end_ns; /* of the last device work that it launched; valid with has_work */
	bool has_work, is_warm_up;
};

/* Times so far apart are of two clocks, or of two recordings: no step takes a minute. */
#define TC_CLOCKS_APART_MIN_NS (INT64_C(60) * 1000 * 1000 * 1000)

/* A host slice that blocks until a device is done. Times are clamped to +-TC_TIME_MAX_NS. */
struct tc_wait {
	int64_t start_ns, end_ns;
	int64_t slice_id;
};

/* Memory that the allocator holds on a device after an event; INT64_MIN where that is not known. */
struct tc_memory_point {
	int64_t device_id, device_type;
	int64_t ts_ns, id;
	int64_t allocated_bytes, reserved_bytes;
};

/* The device work of one launch of a graph, from its first start to its last end. */
struct tc_graph_run {
	int64_t start_ns, end_ns;
	int64_t device; /* index of devices[] */
};

struct tc_timeline {
	struct tc_ctx *ctx;
	int64_t trace_id;
	int64_t track_base;  /* store id of tracks[0] */
	int64_t label_base;  /* store id of labels[0] */
	int64_t slice_base;  /* the lowest id of a slice */
	int64_t memory_base; /* no memory_sample of the trace has a lower id */
	struct tc_label *labels;
	size_t label_count, label_capacity;
	struct tc_track *tracks;
	size_t track_count, track_capacity;
	struct tc_device *devices;
	size_t device_count, device_capacity;
	struct tc_strtab device_names; /* the names of devices[] */
	struct tc_step *steps;         /* by ts_ns */
	size_t step_count, step_capacity;
	/* Steps that begin then count, and so do launches: of a cut those that were asked for. */
	int64_t steps_from_ns, steps_until_ns;
	/* When devices of a part cut by steps have done what the steps before it had launched, and
	 * its first step begins for them. Work until then is no part of it. Else INT64_MIN. */
	int64_t part_from_ns;
	bool has_unused_step; /* steps[step_count]: step.is_unused of the store */
	/* Until then devices worked on what was launched before the first step. */
	int64_t before_end_ns;
	int64_t first_work_ns; /* start of the first work of the first step; valid with has_work */
	int64_t first_queued_ns;   /* how long that work was queued, where that is long; else 0 */
	bool has_unknown_callers;  /* which of several calls launched work */
	bool steps_are_iterations; /* a framework names the turns of its loop; nobody drew steps */
	size_t host_thread_count;
	struct tc_strtab texts; /* data types; recipes as name, '#' and the 8 bytes of their id */
	int64_t start_ns,
		end_ns;          /* of all slices with a duration; start > end when there is none */
	struct tc_spans *spans;  /* the slices; any order until they are sorted */
	struct tc_sorter *waits; /* struct tc_wait, by start; NULL without any */
	/* struct tc_memory_point, by device and then by time; NULL without any */
	struct tc_sorter *memory;
	/* Python frames of call stacks, outermost first: those of stacks[i] end where those of
	 * stacks[i + 1] begin. */
	uint32_t *frames; /* indexes of labels[] */
	size_t frame_count, frame_capacity;
	size_t *stacks; /* index of frames[] of the first one */
	size_t stack_count, stack_capacity;
	/* Operations that copy a batch to the device, where copies show no direction: ids of
	 * slices, in order. */
	int64_t *batch_copies;
	size_t batch_copy_count, batch_copy_capacity;
	struct tc_sorter *graph_runs;       /* struct tc_graph_run, by start; NULL without any */
	struct tc_works works;              /* of its operators */
	bool ends_early;                    /* the file is cut: events are missing at its end */
	bool work_is_cut;                   /* and work of devices, of each behind its last */
	int64_t known_until_ns;             /* else: from there on the file may lack events */
	int64_t recorded_one_of;            /* of so many operations the file has one (slices.c) */
	const struct tc_hardware *hardware; /* of the first device; NULL: not known */
	enum tc_architecture newest;        /* that a kernel was built for */
};

/* A timeline without anything in it, the caller's; NULL without memory. */
struct tc_timeline *tc_timeline_new(struct tc_ctx *ctx, int64_t trace_id);
void tc_timeline_free(struct tc_timeline *timeline); /* NULL is fine */

/* Adds a label, track, device, step, stack or frame (copied; texts stay the caller's) and gives its
 * index, or -1 when memory is out. Labels and tracks must be added in the order of their store ids,
 * steps by ts_ns. A stack is the number of frames before it; frames are of the last one. */
#define TC_TIMELINE_ADD(timeline, kind, element)                                                   \
	(TC_PUSH((timeline)->ctx, (timeline)->kind##s, (timeline)->kind##_count,                   \
		 (timeline)->kind##_capacity, *(element))                                          \
			? (int64_t)(timeline)->kind##_count - 1                                    \
			: -1)

/* Adds a host slice that blocks; it is one of the slices as well. */
void tc_timeline_add_wait(struct tc_timeline *timeline, const struct tc_span *span);
void tc_timeline_add_graph_run(struct tc_timeline *timeline, const struct tc_graph_run *run);
/* Sorts the slices and sets start_ns, end_ns, work_is_cut and known_until_ns; cursors may be
 * opened afterwards. */
enum tc_status tc_timeline_sort(struct tc_timeline *timeline);

/* Whether work behind the last one of a device may be missing from there on. */
static inline bool tc_timeline_may_lack(const struct tc_timeline *timeline, int64_t time_ns)
{
	return timeline->work_is_cut || time_ns >= timeline->known_until_ns;
}

/* Device work belongs to its step, or was launched before all steps. */
void tc_timeline_note_work(struct tc_timeline *timeline, const struct tc_span *span);
/* Finds when a part begins and whether its first step is warm-up, when all work is noted. */
void tc_timeline_find_warm_up(struct tc_timeline *timeline);
/* The first step that is no warm-up, 0 or 1; also of steps that a store made by hand has. */
static inline size_t tc_timeline_first_steady(const struct tc_timeline *timeline)
{
	return timeline->step_count > 1 && timeline->steps[0].is_warm_up;
}
/* Whether a step is of the part of a cut; the others are there for what devices did meanwhile. */
static inline bool tc_timeline_has_step(
	const struct tc_timeline *timeline, const struct tc_step *step)
{
	return step->ts_ns >= timeline->steps_from_ns && step->ts_ns < timeline->steps_until_ns;
}
/* Index of the last step that starts at or before ts_ns; -1 before the first, and from
 * steps_until_ns on. */
int32_t tc_timeline_step_at(const struct tc_timeline *timeline, int64_t ts_ns);
/* The engine of a lane slice: the track's, else the label's; NONE when it is no device work
 * (annotations that profilers draw on device lanes). */
enum tc_engine tc_span_engine(const struct tc_timeline *timeline, const struct tc_span *span);
/* The role of a host slice, or else of its label; NONE: it has the role of the slice around it. */
enum tc_role tc_span_role(const struct tc_timeline *timeline, const struct tc_span *span);
/* Whether a host slice copies from the device, by its role or by the copy that it made. */
static inline bool tc_span_reads(const struct tc_span *span, enum tc_role role)
{
	return role == TC_ROLE_OUTPUT_COPY || span->role == TC_ROLE_OUTPUT_COPY;
}

/*
 * Nesting: which slices of a track are open, and which of them is the parent of the next one.
 *
 * A slice is inside another when it starts no earlier and ends no later. Of several slices without
 * length at one time each is inside the one before, as in Perfetto; begin and end events without
 * length nest as they are written. Slices that overlap without nesting (users' spans, cut stacks)
 * are all kept: the parent of such a slice is the innermost one that holds it whole.
 */
enum { TC_NESTING_SEARCH_MAX = 1024 }; /* open slices that are looked at: for hostile input */

struct tc_nested {
	int64_t ts_ns, end_ns, slice_id;
	int64_t depth;
	uint8_t zero_depth;
};

/* All zero is a track before its first slice. */
struct tc_nesting {
	struct tc_nested *items; /* outermost first */
	size_t count, capacity;
	bool has_overlap; /* a slice overlapped one before it */
};

void tc_nesting_clear(struct tc_nesting *nesting);
/* Removes slices that end before ts_ns. One that ends at ts_ns may still enclose a point. */
static inline void tc_nesting_end(struct tc_nesting *nesting, int64_t ts_ns)
{
	while (nesting->count > 0 && nesting->items[nesting->count - 1].end_ns < ts_ns)
		nesting->count--;
}
/* Adds the next slice of the track, the last of items afterwards; nothing is added when memory is
 * out. Returns the index of its parent, SIZE_MAX without one. */
size_t tc_nesting_add(struct tc_nesting *nesting, struct tc_ctx *ctx, const struct tc_span *span);
