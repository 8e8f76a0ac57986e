/* Spilled gaps; see gap_spool.h. */
#include "analysis/device/gap_spool.h"
#include "core/array.h"

/* Gaps come nearly in order, so a small buffer costs nothing but a few more runs to merge. */
enum { SORT_BYTES = 1024 * 1024 };

TC_ORDER(compare_gaps, struct tc_gap, TC_UP(start_ns) TC_UP(tally) TC_UP(end_ns));

/* Also orders transfers, which begin with a gap. */
TC_ORDER(compare_intervals, struct tc_interval, TC_UP(start_ns));

static enum tc_status new_gap_sorter(struct tc_sorter **out, struct tc_ctx *ctx)
{
	return tc_sorter_new(out, ctx, sizeof(struct tc_gap), SORT_BYTES, compare_gaps);
}

enum tc_status tc_gap_spool_init(struct tc_gap_spool *spool, struct tc_ctx *ctx)
{
	*spool = (struct tc_gap_spool){.ctx = ctx};
	enum tc_status status = new_gap_sorter(&spool->gaps, ctx);

	if (!status)
		status = tc_sorter_new(&spool->idle, ctx, sizeof(struct tc_interval), SORT_BYTES,
			compare_intervals);
	if (!status)
		status = tc_sorter_new(&spool->transfers, ctx, sizeof(struct tc_transfer),
			SORT_BYTES, compare_intervals);
	if (status)
		tc_gap_spool_clear(spool);
	return status;
}

void tc_gap_spool_clear(struct tc_gap_spool *spool)
{
	tc_sorter_free(spool->gaps);
	tc_sorter_free(spool->idle);
	tc_sorter_free(spool->transfers);
	*spool = (struct tc_gap_spool){0};
}

enum tc_status tc_gap_spool_add(struct tc_gap_spool *spool, const struct tc_gap *gap)
{
	return tc_sorter_add(spool->gaps, gap);
}

enum tc_status tc_gap_spool_add_idle(struct tc_gap_spool *spool, struct tc_interval interval)
{
	return tc_sorter_add(spool->idle, &interval);
}

enum tc_status tc_gap_spool_add_transfer(
	struct tc_gap_spool *spool, const struct tc_transfer *transfer)
{
	return tc_sorter_add(spool->transfers, transfer);
}

enum tc_status tc_gap_spool_replace(struct tc_gap_spool *spool, struct tc_sorter **old)
{
	struct tc_sorter *fresh = NULL;
	enum tc_status status = new_gap_sorter(&fresh, spool->ctx);

	if (status)
		return status;
	*old = spool->gaps;
	spool->gaps = fresh;
	return TC_OK;
}
