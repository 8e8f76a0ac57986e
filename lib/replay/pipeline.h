/*
 * Pipelines: engines of a graph that work slice by slice. A node starts on another engine's result
 * while that engine still works on it. Finds how much of the producer's work is usually done by
 * then, per device.
 *
 * It also finds what collectives take to start, of a recording that does not say how much data they
 * move. An optimizer reads and writes all parameters, so the time of its kernels shows how many
 * there are, and so how long their gradients are under way.
 *
 * And how many launches a short queue takes. A Gaudi may take no more than three, so what is queued
 * does not show that a launch waited for a place. With a queue of d no launch returns before the
 * work of the d-th launch before it has ended, and all return as soon after it as a call costs,
 * however long they waited. A recording shows that where launches began before that end. A host
 * that takes longer for a call than the device for its work looks alike, but there the rest of a
 * call is what varies.
 */
#pragma once

#include "core/saturate.h"
#include "model/timeline/timeline.h"
#include "replay/edit.h"

#define TC_PPM INT64_C(1000000)
#define TC_JITTER_NS INT64_C(3000) /* starts closer than this count as simultaneous */

enum { TC_PIPELINE_BINS = 128, TC_PIPELINE_ENGINES = 2 };

/* Longer queues show by what is queued. */
enum { TC_SHORT_QUEUE_MAX = 3, TC_SHORT_QUEUE_SAMPLES = 64 };

/* Launches that began before some work had ended and returned after it: until that end, and from it
 * on. */
struct tc_pipeline_waits {
	int64_t waited_ns[TC_SHORT_QUEUE_SAMPLES], rest_ns[TC_SHORT_QUEUE_SAMPLES];
	int64_t count;      /* of which the latest are kept */
	int64_t free_count; /* launches that returned before that end */
};

enum { TC_PIPELINE_UPDATES, TC_PIPELINE_REDUCES, TC_PIPELINE_SUMS };

/* The nodes of a device, in the order of their starts. */
struct tc_pipeline {
	const struct tc_timeline *timeline; /* borrowed */
	/* An optimizer's kernels, and the collectives that may reduce gradients. */
	struct tc_pipeline_sum {
		int64_t dur_ns, count;
		int64_t ts_ns, end_ns; /* of the last one, by its first part */
		uint32_t label;
	} sums[TC_PIPELINE_SUMS];
	struct tc_pipeline_node {
		int64_t ts_ns, end_ns, launch_id;
		uint32_t label, recipe;
	} latest[TC_PIPELINE_ENGINES]; /* by engine: MME, TPC */
	int last_engine;               /* engine of the node that started last; -1 for none */
	uint32_t counts[TC_PIPELINE_BINS], count; /* starts, by how much of the producer was done */
	/* Launch i at i % TC_SHORT_QUEUE_MAX, and for each length of a queue less 1 the launches
	 * that would have waited for the work so many before. */
	struct tc_pipeline_launch {
		int64_t id, ts_ns, return_ns, work_end_ns;
	} launches[TC_SHORT_QUEUE_MAX];
	int64_t launch_count; /* of the device */
	struct tc_pipeline_waits waits[TC_SHORT_QUEUE_MAX];
};

static inline void tc_pipeline_init(
	struct tc_pipeline *pipeline, const struct tc_timeline *timeline)
{
	*pipeline = (struct tc_pipeline){.timeline = timeline, .last_engine = -1};
}
/* Begins the next device; the counts continue. */
static inline void tc_pipeline_next_device(struct tc_pipeline *pipeline)
{
	pipeline->last_engine = -1;
	pipeline->launch_count = 0;
	for (int i = 0; i < TC_PIPELINE_ENGINES; i++)
		pipeline->latest[i] = (struct tc_pipeline_node){.end_ns = INT64_MIN};
	for (int i = 0; i < TC_PIPELINE_SUMS; i++)
		pipeline->sums[i].ts_ns = pipeline->sums[i].end_ns = INT64_MIN;
}
/* Spans of a device come in the order of their starts. False: the span is another part of a node
 * under way, or not of MME or TPC. */
bool tc_pipeline_see(
	struct tc_pipeline *pipeline, const struct tc_span *span, enum tc_engine engine);
/* How much of a producer's work is usually done; all of it where engines take turns. And what each
 * collective takes to start, likely and at both ends: nothing or less where all of its time moves
 * data, INT64_MAX where that is not known. How many launches a short queue takes, 0 where none
 * shows. */
void tc_pipeline_end(int64_t *slice_ppm, int64_t startup_ns[TC_END_COUNT], int64_t *queue_places,
	struct tc_pipeline *pipeline);

/* Parts of an operation on several engines start within this time; dur_ns: duration of the first
 * part. */
int64_t tc_part_jitter_ns(int64_t dur_ns);

/* The part of a time; the time of which ns is the part; the part of one time in another. Parts are
 * in millionths. */
int64_t tc_part_of(int64_t ns, int64_t ppm);
static inline int64_t tc_whole_of(int64_t part_ns, int64_t ppm)
{
	return tc_scale_saturated(part_ns, TC_PPM, ppm);
}

static inline int64_t tc_ppm_of(int64_t part_ns, int64_t whole_ns)
{
	return tc_scale_saturated(part_ns, TC_PPM, whole_ns);
}
