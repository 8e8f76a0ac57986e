/* The latest calls that have launched work which may not have started yet, by slice id. */
#ifndef TC_REPLAY_PROGRAM_LAUNCHING_H
#define TC_REPLAY_PROGRAM_LAUNCHING_H

#include <stdbool.h>
#include <stdint.h>

#include "replay/program/program.h"

/* A point of the recording, held in a slot. */
struct tc_point {
	uint32_t slot; /* TC_SLOT_NONE: no point */
	int64_t time_ns;
};

#define TC_POINT_NONE ((struct tc_point){TC_SLOT_NONE, 0})

struct tc_launching {
	int64_t slice_id;
	uint32_t thread;
	bool has_started;    /* some of its work has started */
	struct tc_point end; /* unset while the call is open: its thread's point holds then */
	uint64_t inside;     /* what encloses it, see match.h */
	int32_t step;        /* in which its task was handed over; -1 without a task */
	uint32_t next;       /* next of its bucket */
};

/* More than runtimes let wait in their queues. */
enum { TC_LAUNCHING_KEPT = 4096, TC_LAUNCHING_BUCKETS = 8192 };

struct tc_launching_table {
	struct tc_launching items[TC_LAUNCHING_KEPT];
	uint32_t buckets[TC_LAUNCHING_BUCKETS];
	size_t count; /* of all that were added; the next is item count % TC_LAUNCHING_KEPT */
};

void tc_launching_init(struct tc_launching_table *launches);
/* NULL when it is unknown or too old. */
struct tc_launching *tc_launching_find(struct tc_launching_table *launches, int64_t slice_id);
/* Adds one; *dropped is the one that it replaces, with slice id -1 for none. */
struct tc_launching *tc_launching_add(
	struct tc_launching *dropped, struct tc_launching_table *launches, int64_t slice_id);

#endif
