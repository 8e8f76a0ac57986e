/*
 * Forwards: which operator of the forward pass a node of the backward pass belongs to. Autograd counts
 * the operations that it will differentiate, thread by thread, and the profiler writes the number
 * beside each operator: that of the next one to come. So of several operators with one number the
 * last one is differentiated, and the work of the backward pass has its number and a number of its
 * thread, which is the profiler's own.
 *
 * Only the latest numbers of a thread are kept: what is not differentiated soon never is.
 */
#ifndef TC_ANALYSIS_OPERATORS_FORWARDS_H
#define TC_ANALYSIS_OPERATORS_FORWARDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tc_forward {
	int64_t sequence;
	uint32_t node;
	int32_t thread;         /* host thread; -1: the slot is free */
	bool is_differentiated; /* and can make room for another */
};

struct tc_forwards {
	struct tc_forward *slots; /* by the last bits of sequence and thread */
	size_t slot_count;
	int32_t *threads; /* host threads that have counted */
	size_t thread_count, thread_capacity;
	/* The host thread of each of the profiler's, -1 until it is known. */
	int32_t *known;
	size_t known_count, known_capacity;
};

void tc_forwards_clear(struct tc_forwards *forwards);
/* An operator of the forward pass, in the order of time. False when memory is out. */
bool tc_forwards_add(struct tc_forwards *forwards, int64_t sequence, int32_t thread, uint32_t node);
/* *node is that of the operator that belongs to work of the backward pass; unchanged when it is not
 * known, or not which one of several threads it was on. False when memory is out. */
bool tc_forwards_find(
	uint32_t *node, struct tc_forwards *forwards, int64_t sequence, int32_t forward_thread);

#endif
