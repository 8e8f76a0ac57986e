/* Spilled gaps; see gap_spool.h. */
#include "analysis/device/gap_spool.h"
#include "core/array.h"

/* Gaps come nearly in order, so a small buffer costs nothing but a few more runs to merge. */
enum { SORT_BYTES = 1024 * 1024 };

TC_ORDER(compare_gaps, struct tc_gap, TC_UP(start_ns) TC_UP(tally) TC_UP(end_ns));

/* Also orders transfers, which begin with a gap. */
TC_ORDER(compare_intervals, struct tc_interval, TC_UP(start_ns));

static const struct tc_sorter_layout gap_layout = {sizeof(struct tc_gap), SORT_BYTES, compare_gaps},
				     idle_layout = {sizeof(struct tc_interval), SORT_BYTES,
					     compare_intervals},
				     transfer_layout = {sizeof(struct tc_transfer), SORT_BYTES,
					     compare_intervals};

void tc_gap_spool_clear(struct tc_gap_spool *spool)
{
	tc_sorter_free(spool->gaps);
	tc_sorter_free(spool->idle);
	tc_sorter_free(spool->transfers);
	*spool = (struct tc_gap_spool){0};
}

enum tc_status tc_gap_spool_add(struct tc_gap_spool *spool, const struct tc_gap *gap)
{
	return tc_sorter_put(&spool->gaps, spool->ctx, &gap_layout, gap);
}

enum tc_status tc_gap_spool_add_idle(struct tc_gap_spool *spool, struct tc_interval interval)
{
	return tc_sorter_put(&spool->idle, spool->ctx, &idle_layout, &interval);
}

enum tc_status tc_gap_spool_add_transfer(
	struct tc_gap_spool *spool, const struct tc_transfer *transfer)
{
	return tc_sorter_put(&spool->transfers, spool->ctx, &transfer_layout, transfer);
}

struct tc_sorter *tc_gap_spool_take_gaps(struct tc_gap_spool *spool)
{
	struct tc_sorter *gaps = spool->gaps;

	spool->gaps = NULL;
	return gaps;
}
