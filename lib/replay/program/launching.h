/* Calls that have launched work which may still have to start: the latest ones, by slice id. */
#ifndef TC_REPLAY_PROGRAM_LAUNCHING_H
#define TC_REPLAY_PROGRAM_LAUNCHING_H

#include <stdbool.h>
#include <stdint.h>

#include "replay/program/program.h"

/* A point that is in a slot. */
struct tc_point {
	uint32_t slot; /* TC_SLOT_NONE: there is none */
	int64_t time_ns;
};

#define TC_POINT_NONE ((struct tc_point){TC_SLOT_NONE, 0})

struct tc_launching {
	int64_t slice_id;
	uint32_t thread;
	bool has_started;    /* work of it */
	struct tc_point end; /* none while it is open: then it is where its thread is */
	uint64_t inside;     /* what it lies in, see match.h */
	uint32_t next;       /* of its bucket */
};

/* More than the work that runtimes let wait in their queues. */
enum { TC_LAUNCHING_KEPT = 4096, TC_LAUNCHING_BUCKETS = 8192 };

struct tc_launching_table {
	struct tc_launching items[TC_LAUNCHING_KEPT];
	uint32_t buckets[TC_LAUNCHING_BUCKETS];
	size_t count; /* of all that came; the next is item count % TC_LAUNCHING_KEPT */
};

void tc_launching_init(struct tc_launching_table *launches);
/* NULL when it is not known, or not any more. */
struct tc_launching *tc_launching_find(struct tc_launching_table *launches, int64_t slice_id);
/* Adds one; *dropped is what it takes the place of, with slice id -1 for nothing. */
struct tc_launching *tc_launching_add(
	struct tc_launching *dropped, struct tc_launching_table *launches, int64_t slice_id);

#endif
