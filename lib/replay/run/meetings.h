/* Meetings: collectives of a job that some of its ranks have reached and not all have left. */
#ifndef TC_REPLAY_RUN_MEETINGS_H
#define TC_REPLAY_RUN_MEETINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/collections/pool.h"

#define TC_MEETING_NOBODY UINT32_MAX

struct tc_meeting {
	struct tc_meeting *next; /* next of its bucket */
	int64_t match_id;
	uint32_t expected, arrived, left;
	uint32_t waiter; /* first of the ranks that wait for it, or NOBODY */
	/* Of the first what-if: the last rank to arrive of those that are waited for, and the shift
	 * of the one before it. */
	uint32_t last;
	int64_t before_ns;
	bool is_start; /* the first collective of a recording */
	bool is_ready; /* all ranks have arrived */
	/* By what-if: the last arrival of all ranks, then the last one that is waited for;
	 * INT64_MAX: nobody is waited for. As shifts of the end. */
	int64_t shifts_ns[];
};

enum { TC_MEETING_BUCKETS = 4096 };

struct tc_meetings {
	struct tc_pool pool;
	struct tc_meeting *buckets[TC_MEETING_BUCKETS];
	size_t width; /* what-ifs */
};

void tc_meetings_init(struct tc_meetings *meetings, size_t width);
void tc_meetings_clear(struct tc_meetings *meetings);

/* Finds or begins a meeting; NULL when memory is out. */
struct tc_meeting *tc_meetings_get(
	struct tc_meetings *meetings, int64_t match_id, uint32_t expected);
/* A rank leaves; the last one ends the meeting. */
void tc_meetings_leave(struct tc_meetings *meetings, struct tc_meeting *meeting);

#endif
