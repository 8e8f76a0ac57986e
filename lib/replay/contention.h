/*
 * Contention: how much longer compute takes beside a collective. The kernels of a collective hold
 * cores of the device and move data through its memory, also while they wait for another rank. A
 * recording shows what that costs where it has the same operation, by name and blocks of its
 * launch, alone and beside a collective:
 *
 *   gemm [64,4,1]   alone 100 101 99 100 us, beside 108 109 107 110 us: 8 of 108 us are 7.4 %
 *
 * So the share is one of the time beside collectives. Kernels that another thread launches are
 * others: of one name and blocks, those of the forward pass, where no collective runs, may do less
 * than those of the backward pass, which autograd launches. Where one thread launches all, passes
 * look the same, and nothing counts. What was never seen both ways has the usual share of what was,
 * where that is the larger part of the time beside collectives.
 */
#pragma once

#include <stdint.h>

#include "core/collections/arena.h"
#include "model/timeline/timeline.h"
#include "replay/match.h"

enum {
	TC_CONTENTION_SAMPLES = 32, /* the latest that are kept of an operation, each way */
	TC_CONTENTION_OPEN = 4,     /* operations under way */
	TC_CONTENTION_SLOTS = 4096, /* of the table of operations; a power of two */
};

struct tc_contention_kind;

struct tc_contention {
	struct tc_arena *arena;            /* borrowed */
	struct tc_contention_kind **kinds; /* a hash table; NULL before the first collective */
	size_t kind_count;
	/* On the present device: operations under way, and until when a collective runs. */
	struct tc_contention_op {
		uint32_t label, shape;
		int64_t ts_ns, end_ns;
		int64_t beside_ns, covered_ns; /* how long collectives ran beside it until then */
		bool is_shared;                /* other compute ran at the same time */
	} open[TC_CONTENTION_OPEN];
	size_t open_count;
	int64_t collective_until_ns;
	int64_t unit_ns;   /* of the times: whole microseconds, or less */
	int64_t usual_ppm; /* share of compute that was not seen both ways */
	bool any;          /* some operation has a share */
	bool has_other;
	int32_t thread;             /* the one that launches the forward pass, or -1 */
	struct tc_slice_bits other; /* launches by other threads */
};

static inline void tc_contention_init(struct tc_contention *contention, struct tc_arena *arena)
{
	*contention = (struct tc_contention){
		.arena = arena, .collective_until_ns = INT64_MIN, .unit_ns = 1000, .thread = -1};
}
/* Every launch of device work; main_thread is -1 before it is known. */
void tc_contention_launch(
	struct tc_contention *contention, int64_t slice_id, int32_t thread, int32_t main_thread);
/* Reads the devices and finds the shares, after the last launch. */
void tc_contention_survey(struct tc_contention *contention, const struct tc_timeline *timeline);
/* Millionths of the time that an operation spent beside a collective which it would not have taken
 * alone; 0 where the recording does not tell. */
int64_t tc_contention_ppm(const struct tc_contention *contention, const struct tc_span *span);
