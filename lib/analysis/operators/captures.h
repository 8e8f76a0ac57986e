/*
 * Captures: the calls that a graph was captured from, and which of them each device operation of a
 * replay comes from. While a stream is captured, calls launch nothing; each becomes a node of the
 * graph. A replay runs as many operations as there were calls. On one lane they run in the order of the
 * calls; over several lanes the order is not known, and neither is it where two captures fit.
 */
#ifndef TC_ANALYSIS_OPERATORS_CAPTURES_H
#define TC_ANALYSIS_OPERATORS_CAPTURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/device/launched.h"
#include "names/label.h"

/* Operations of a replay, and calls of a capture, that are compared: a larger graph is not known. */
enum { TC_CAPTURE_MAX_CALLS = 1 << 16 };

struct tc_captured {
	uint32_t node;  /* of the tree: the call */
	bool is_kernel; /* it launches one; else it copies or fills */
};

struct tc_capture {
	size_t first, count;           /* of calls */
	size_t first_work, work_count; /* of works */
};

struct tc_captures {
	struct tc_captured *calls;
	size_t call_count, call_capacity;
	uint32_t *works; /* nodes of the captured operators whose FLOPs are known, call by call */
	size_t work_count, work_capacity;
	struct tc_capture *rows; /* the last is the open one */
	size_t count, capacity;
	bool is_open;
	struct tc_launched *group; /* the operations of the replay at hand */
	size_t group_count, group_capacity;
};

void tc_captures_clear(struct tc_captures *captures);

/* A host slice of this label starts, in the order of time over all threads; it launched no work in the
 * trace. False when memory is out. */
bool tc_captures_see(struct tc_captures *captures, const struct tc_label *label, uint32_t node);

/* Whether calls are captured now: they run nothing. */
bool tc_captures_are_open(const struct tc_captures *captures);
/* An operator whose FLOPs are known starts while calls are captured. False when memory is out. */
bool tc_captures_add_work(struct tc_captures *captures, uint32_t node);

/* Adds an operation of a replay, in the order of time. False when memory is out. */
bool tc_captures_add(struct tc_captures *captures, const struct tc_launched *work);
/* What the operations added since the last time were captured from: a call for each. NULL when it is not
 * known. */
const struct tc_capture *tc_captures_match(
	const struct tc_captures *captures, const struct tc_label *labels);

#endif
