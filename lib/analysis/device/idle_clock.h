/*
 * Idle clock: how long no device has worked so far, or how long devices have only transferred while
 * the host was late. Time only moves forward. The idle time within a host interval is the
 * difference of two readings.
 */
#ifndef TC_ANALYSIS_DEVICE_IDLE_CLOCK_H
#define TC_ANALYSIS_DEVICE_IDLE_CLOCK_H

#include "analysis/device/busy.h"
#include "analysis/device/gap_spool.h"

struct tc_idle_clock {
	struct tc_sorter *intervals; /* borrowed */
	struct tc_interval after;    /* idle time after all device work */
	struct tc_interval current;  /* the idle interval at or after now */
	int stage;                   /* 0 before the work, 1 within, 2 after */
	int64_t past_ns;             /* idle time of the intervals before current */
	int64_t idle_ns;             /* idle time until the last tc_idle_clock_advance() */
	int64_t now_ns;
};

/* A clock over the spool's idle intervals; all is the tally of all devices, or NULL. */
enum tc_status tc_idle_clock_init(
	struct tc_idle_clock *clock, struct tc_gap_spool *spool, const struct tc_busy *all);
/* A clock over the late parts of the spool's transfers. */
enum tc_status tc_transfer_clock_init(struct tc_idle_clock *clock, struct tc_gap_spool *spool);

/* Sets the clock to a time, not before the last one. */
enum tc_status tc_idle_clock_advance(struct tc_idle_clock *clock, int64_t time_ns);

/* Whether a device works from now until then. */
static inline bool tc_idle_clock_is_busy(const struct tc_idle_clock *clock, int64_t until_ns)
{
	return until_ns <= clock->current.start_ns;
}

/* How long it takes until a device works again: 0 while one works, and after all work. */
int64_t tc_idle_clock_resume_ns(const struct tc_idle_clock *clock);

#endif
