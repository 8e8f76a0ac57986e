/*
 * Forwards: which operator of the forward pass a node of the backward pass belongs to. Autograd
 * counts the operations that it will differentiate, thread by thread. Beside each operator the
 * profiler writes the next number of that count. So of several operators with one number, the last
 * one is differentiated. The work of the backward pass has this number and the profiler's own
 * number of the forward thread.
 *
 * Only the latest numbers of a thread are kept: an operation is differentiated soon or never.
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
	int32_t *threads; /* number of host threads that have counted */
	size_t thread_count, thread_capacity;
	/* The host thread of each of the profiler's, -1 until it is known. */
	int32_t *known;
	size_t known_count, known_capacity;
};

void tc_forwards_clear(struct tc_forwards *forwards);
/* Takes an operator of the forward pass; they come in time order. False when memory is out. */
bool tc_forwards_add(struct tc_forwards *forwards, int64_t sequence, int32_t thread, uint32_t node);
/* Sets *node to the operator that work of the backward pass belongs to. Leaves it unchanged when
 * the operator or its thread is not known. False when memory is out. */
bool tc_forwards_find(
	uint32_t *node, struct tc_forwards *forwards, int64_t sequence, int32_t forward_thread);

#endif
