/*
 * Usual durations: how long calls of a name last when they do not wait. A call that lasts much
 * longer was held up. What by, its users decide: the host sweep, and the edges of the replay.
 */
#ifndef TC_ANALYSIS_HOST_USUAL_H
#define TC_ANALYSIS_HOST_USUAL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/sort/paged.h"

/* A call that lasts longer than this, and than 3 x the usual one, may be held up. */
#define TC_BLOCKED_NS INT64_C(20000)

#define TC_USUAL_MAX_NS INT64_C(100000)

enum {
	/* Durations are counted in bins of an eighth of an octave, up to 16 ms. */
	TC_DURATIONS_PER_OCTAVE = 8,
	TC_DURATIONS_BINS = 24 * TC_DURATIONS_PER_OCTAVE,
};

struct tc_durations {
	uint32_t counts[TC_DURATIONS_BINS], count;
};

void tc_durations_add(struct tc_durations *durations, int64_t dur_ns);
/* The duration that one of `part` does not exceed. */
int64_t tc_durations_lowest(const struct tc_durations *durations, uint32_t part);

struct tc_usual {
	struct tc_ctx *ctx;
	size_t label_count;
	struct tc_durations **durations; /* of the labels that have any */
	size_t count, capacity;
	struct tc_paged numbers;  /* uint32_t, by label: 1 more than the index of durations[]; 0 for
				     none */
	struct tc_paged usual_ns; /* int64_t, by label */
};

/* tc_usual_clear() afterwards, also when it failed. */
enum tc_status tc_usual_init(struct tc_usual *usual, struct tc_ctx *ctx, size_t label_count);
void tc_usual_clear(struct tc_usual *usual);

/* Counts a call. */
enum tc_status tc_usual_add(struct tc_usual *usual, uint32_t label, int64_t dur_ns);
/* Finds what is usual, once all calls are counted. */
enum tc_status tc_usual_find(struct tc_usual *usual);

/* What one of ten calls does not exceed; 0 for a label without calls. */
static inline int64_t tc_usual_lowest_ns(const struct tc_usual *usual, uint32_t label)
{
	return *TC_PAGED_AT(&usual->usual_ns, int64_t, label);
}

/* The same, but at most 0.1 ms: otherwise a call that always waits would look as if it never did.
 */
static inline int64_t tc_usual_ns(const struct tc_usual *usual, uint32_t label)
{
	int64_t lowest_ns = tc_usual_lowest_ns(usual, label);

	return lowest_ns < TC_USUAL_MAX_NS ? lowest_ns : TC_USUAL_MAX_NS;
}

/* Whether a call of that label, or a part of one, lasts much longer than is usual. */
static inline bool tc_usual_is_held_up(const struct tc_usual *usual, uint32_t label, int64_t dur_ns)
{
	return dur_ns > TC_BLOCKED_NS && dur_ns / 3 > tc_usual_ns(usual, label);
}

#endif
