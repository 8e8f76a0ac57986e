/* Accumulated idle time; see idle_clock.h. */
#include "analysis/device/idle_clock.h"

#include "analysis/time/intervals.h"

enum { BEFORE, WITHIN, AFTER };

static enum tc_status start(
	struct tc_idle_clock *clock, struct tc_sorter *intervals, struct tc_interval work)
{
	*clock = (struct tc_idle_clock){
		.intervals = intervals,
		.now_ns = TC_TIME_FIRST,
		.current = {TC_TIME_FIRST, work.start_ns},
		.after = {work.end_ns, TC_TIME_LAST},
	};
	return tc_sorter_rewind(intervals);
}

enum tc_status tc_idle_clock_init(
	struct tc_idle_clock *clock, struct tc_gap_spool *spool, const struct tc_busy *all)
{
	bool has_work = all && all->busy_extent.start_ns <= all->busy_extent.end_ns;
	const struct tc_interval none = {TC_TIME_LAST, TC_TIME_LAST};

	return start(clock, spool->idle, has_work ? all->busy_extent : none);
}

enum tc_status tc_transfer_clock_init(struct tc_idle_clock *clock, struct tc_gap_spool *spool)
{
	return start(clock, spool->transfers, (struct tc_interval){TC_TIME_FIRST, TC_TIME_LAST});
}

static enum tc_status next_interval(struct tc_idle_clock *clock)
{
	const void *record = NULL;
	enum tc_status status = tc_sorter_next(clock->intervals, &record);

	if (status)
		return status;
	clock->stage = record ? WITHIN : AFTER;
	clock->current = record ? *(const struct tc_interval *)record : clock->after;
	return TC_OK;
}

enum tc_status tc_idle_clock_advance(struct tc_idle_clock *clock, int64_t time_ns)
{
	enum tc_status status = TC_OK;

	clock->now_ns = time_ns;
	while (clock->stage != AFTER && clock->current.end_ns <= time_ns && !status) {
		clock->past_ns += tc_interval_measure(clock->current);
		status = next_interval(clock);
	}
	clock->idle_ns = clock->past_ns;
	if (time_ns > clock->current.start_ns)
		clock->idle_ns +=
			(time_ns < clock->current.end_ns ? time_ns : clock->current.end_ns) -
			clock->current.start_ns;
	return status;
}

int64_t tc_idle_clock_resume_ns(const struct tc_idle_clock *clock)
{
	if (clock->stage == AFTER || clock->now_ns < clock->current.start_ns)
		return 0;
	/* Without any device work, the time before device work never ends. */
	if (clock->current.end_ns == TC_TIME_LAST)
		return 0;
	return clock->current.end_ns - clock->now_ns;
}
