/*
 * Pipelines: engines of a graph that work on slices. A node starts on what another engine makes
 * while that one is still at work; how much of the producer's work is done by then is usual for a
 * device.
 */
#ifndef TC_REPLAY_HABITS_PIPELINE_H
#define TC_REPLAY_HABITS_PIPELINE_H

#include "model/timeline/timeline.h"

#define TC_PPM INT64_C(1000000)
#define TC_JITTER_NS INT64_C(3000) /* what starts within this starts at once */

enum { TC_PIPELINE_BINS = 128, TC_PIPELINE_ENGINES = 2 };

/* The nodes of a device, in the order of their starts. */
struct tc_pipeline {
	struct tc_pipeline_node {
		int64_t ts_ns, end_ns, launch_id;
		uint32_t label, recipe;
	} latest[TC_PIPELINE_ENGINES]; /* by engine: MME, TPC */
	int last_engine;               /* that of the node that started last; -1: there is none */
	uint32_t counts[TC_PIPELINE_BINS], count; /* of starts, by what was done */
};

void tc_pipeline_init(struct tc_pipeline *pipeline);
/* The next device: counts go on. */
void tc_pipeline_next_device(struct tc_pipeline *pipeline);
/* Spans of a device are given in the order of their starts. False: the span is a part of a node that
 * another span has begun, or none of MME and TPC. */
bool tc_pipeline_see(
	struct tc_pipeline *pipeline, const struct tc_span *span, enum tc_engine engine);
/* Of a producer's work, what is usually done; all of it where engines take turns. */
int64_t tc_pipeline_usual_ppm(const struct tc_pipeline *pipeline);

/* Parts of an operation on several engines start within this; dur_ns: of the first. */
int64_t tc_part_jitter_ns(int64_t dur_ns);

/* A part of some time, a time of which a part is known, and a part, in millionths. */
int64_t tc_part_of(int64_t ns, int64_t ppm);
int64_t tc_whole_of(int64_t part_ns, int64_t ppm);
int64_t tc_ppm_of(int64_t part_ns, int64_t whole_ns);

#endif
