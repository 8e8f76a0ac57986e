/* Totals of device work by launching node, operation and lane, in insertion order. */
#ifndef TC_ANALYSIS_OPERATORS_KERNELS_H
#define TC_ANALYSIS_OPERATORS_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/device/launched.h"
#include "core/collections/strtab.h"

struct tc_node_kernel {
	uint32_t node;    /* or TC_NODE_NONE */
	uint32_t capture; /* for replays: the captured call; else TC_NODE_NONE */
	uint32_t label, track;
	int64_t count, min_ns, max_ns;
	struct tc_work_time time;
};

struct tc_node_kernels {
	struct tc_node_kernel *rows;
	size_t count, capacity;
	struct tc_strtab keys; /* numbers rows by what they are of */
	size_t latest;         /* of rows */
};

void tc_node_kernels_clear(struct tc_node_kernels *kernels);
/* Counts an operation of the row that *key has node, capture, label and track of; false when memory
 * is out. */
bool tc_node_kernels_add(struct tc_node_kernels *kernels, const struct tc_node_kernel *key,
	struct tc_work_time time);

#endif
