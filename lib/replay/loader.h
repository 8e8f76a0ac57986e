/*
 * Loaders with worker processes: what a call for the next batch costs, and which calls wait for the
 * workers.
 *
 * A trace does not show the workers. It shows calls of __next__, each of which takes a batch out of
 * a queue: 0.1 ms for a small batch, some ms for a large one, and longer where the queue is empty.
 * A call that is longer than a ready batch costs waited, unless the lengths say otherwise. Workers
 * deliver at a rate, so a wait takes up what varies between two batches: if the host asks 20 ms
 * sooner, it waits 20 ms longer. Where the time from batch to batch varies and the lengths of the
 * calls do not, they are the price of a batch, however long they are:
 *
 *   calls    1.25   1.37   1.40 ms     vary by  0.1 ms
 *   batches  126    163    116  ms     vary by 40   ms     so these calls are no waits
 *
 * A loader is the limit where its calls wait again and again, or for a fair part of a step. A wait
 * of more than a step with no other near it is the start of the workers: they begin when the host
 * asks for them, and no rate is known from it.
 */
#pragma once

#include "analysis/usual.h"

enum {
	TC_LOADERS_MAX = 16,  /* names of calls; those beyond never wait */
	TC_LOADER_AHEAD = 16, /* batches that workers have ready at most, as far as is known */
	/* Batches that are asked for ahead at least: one worker, two batches. Workers who were not
	 * waited for during more calls may have had nothing to do. */
	TC_LOADER_ASKED = 2,
};

/* Calls of one name. */
struct tc_loader {
	uint32_t label;
	int64_t call_count, first_end_ns, last_end_ns;
	struct tc_durations all, lasting; /* all calls; those that may have waited */
	/* The last call that may have waited: its number, end and length, and the time for each
	 * batch since the one before it; 0 where there was none. */
	int64_t number, end_ns, length_ns, pace_ns;
	/* Neighbours among such calls: how many more differ in length at least half as much as in
	 * pace than do not; how much they differ in each, in all. */
	int64_t varying_excess, length_differs_ns, pace_differs_ns;
	int64_t lasting_ns;
	/* Batches, and time for them, between such calls that follow soon on each other: the
	 * workers had no time to get ahead. */
	int64_t near_count, near_ns;
	/* Found at the end: what a batch that is ready costs; the time from call to call; the time
	 * in which the workers deliver a batch, 0: the recording does not show it. */
	int64_t cost_ns, step_ns, rate_ns;
	bool is_rarely_late; /* waits are a small part of the time: workers may have none to do */
};

struct tc_loaders {
	struct tc_loader items[TC_LOADERS_MAX];
	size_t count;
};

enum tc_loader_wait {
	TC_LOADER_READY, /* the batch was ready: the call costs what it costs */
	TC_LOADER_RATE,  /* the workers deliver it no sooner */
	TC_LOADER_START, /* the workers started when they were asked for it */
};

/* Counts a call that ended; stretch_ns is its longest stretch of own time. */
void tc_loaders_add(struct tc_loaders *loaders, uint32_t label, int64_t end_ns, int64_t stretch_ns);
/* Finds what is usual, once all calls are counted. */
void tc_loaders_find(struct tc_loaders *loaders);
/* NULL for a name that is not one of these loaders. */
const struct tc_loader *tc_loaders_at(const struct tc_loaders *loaders, uint32_t label);
