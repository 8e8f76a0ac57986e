/*
 * Nesting: which slices of a track are open, and which of them is the parent of the next one.
 *
 * A slice is inside another when it starts no earlier and ends no later. Of several slices without
 * length at one time each is inside the one before, as in Perfetto; begin and end events without
 * length nest as they are written. Slices that overlap without nesting (users' spans, cut stacks)
 * are all kept: the parent of such a slice is the innermost one that holds it whole.
 */
#ifndef TC_MODEL_TIMELINE_NESTING_H
#define TC_MODEL_TIMELINE_NESTING_H

#include <stdbool.h>
#include <stddef.h>

#include "model/timeline/span.h"

enum { TC_NESTING_SEARCH_MAX = 1024 }; /* open slices that are looked at: for hostile input */

struct tc_nested {
	int64_t ts_ns, end_ns, slice_id;
	int64_t depth;
	uint8_t zero_depth;
};

/* All zero is a track before its first slice. */
struct tc_nesting {
	struct tc_nested *items; /* outermost first */
	size_t count, capacity;
	bool has_overlap; /* a slice overlapped one before it */
};

void tc_nesting_clear(struct tc_nesting *nesting);
/* Removes slices that end before ts_ns. One that ends at ts_ns may still enclose a point. */
static inline void tc_nesting_end(struct tc_nesting *nesting, int64_t ts_ns)
{
	while (nesting->count > 0 && nesting->items[nesting->count - 1].end_ns < ts_ns)
		nesting->count--;
}
/* Adds the next slice of the track, the last of items afterwards. *parent is the index of its
 * parent, SIZE_MAX without one. False when memory is out. */
bool tc_nesting_add(size_t *parent, struct tc_nesting *nesting, const struct tc_span *span);

#endif
