/*
 * Captures: the calls that a graph was captured from, and the call that each device operation of a
 * replay comes from. While a stream is captured, calls launch nothing; each becomes a node of the
 * graph. A replay runs as many operations as there were calls. On one lane they run in the order of
 * the calls; over several lanes the order is not known. If several captures fit, all must be from
 * the same places in the program. If their sizes differ (a graph for each batch size), the sizes
 * are unknown.
 */
#ifndef TC_ANALYSIS_OPERATORS_CAPTURES_H
#define TC_ANALYSIS_OPERATORS_CAPTURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/device/launched.h"
#include "analysis/operators/tree.h"
#include "names/label/label.h"

/* At most this many operations of a replay and calls of a capture are compared; the captures of
 * larger graphs stay unknown. */
enum { TC_CAPTURE_MAX_CALLS = 1 << 16 };

struct tc_captured {
	uint32_t node;  /* of the tree: the call */
	bool is_kernel; /* it launches a kernel; else it copies or fills */
};

enum tc_capture_match {
	TC_CAPTURE_OTHERS,     /* captures of other places in the program fit too */
	TC_CAPTURE_SIZES_VARY, /* captures of the same places with other sizes fit too */
	TC_CAPTURE_ONE,        /* only captures of the same places and sizes fit */
};

struct tc_capture {
	size_t first, count;           /* of calls */
	size_t first_work, work_count; /* of works */
	size_t judged_at;              /* number of captures that match has compared */
	enum tc_capture_match match;
};

struct tc_captures {
	struct tc_captured *calls;
	size_t call_count, call_capacity;
	uint32_t *works; /* nodes of the captured operators whose FLOPs are known, call by call */
	size_t work_count, work_capacity;
	struct tc_capture *rows; /* the last is the open one */
	size_t count, capacity;
	bool is_open;
};

/* The operations of a replay, in the order of time. */
struct tc_replayed {
	struct tc_launched *works;
	size_t count, capacity;
};

void tc_captures_clear(struct tc_captures *captures);

/* Begins a capture. Calls beyond a limit are not kept. False when memory is out. */
bool tc_captures_begin(struct tc_captures *captures);
/* Adds a call, or an operator whose FLOPs are known, to the open capture. False when memory is
 * out. */
bool tc_captures_add_call(struct tc_captures *captures, uint32_t node, bool is_kernel);
bool tc_captures_add_work(struct tc_captures *captures, uint32_t node);
/* Takes the start of a host slice with this label that launched no work in the trace. Slices come
 * in time order over all threads. It begins, ends and fills captures. False when memory is out. */
bool tc_captures_see(struct tc_captures *captures, const struct tc_label *label, uint32_t node);

/* The first capture that fits a replay, and its match; NULL when none fits. tree has the nodes. */
const struct tc_capture *tc_captures_match(struct tc_captures *captures, const struct tc_tree *tree,
	const struct tc_replayed *replayed, const struct tc_label *labels);

#endif
