/* Rows of exposed_transfer; see transfers.h. Short ones are summed up, as gaps are. */
#include "analysis/idle/transfers.h"

#include "analysis/idle/gap_tally.h"
#include "core/alloc.h"

struct sum {
	int64_t first_ns, ns, late_ns, count;
};

static void write_row(struct tc_tables *tables, const struct tc_timeline *timeline, int64_t step,
	const struct sum *row)
{
	const struct tc_sql_value values[] = {
		tc_sql_int(timeline->trace_id),
		tc_sql_id(tc_windows_step_id(timeline, step)),
		tc_sql_int(row->first_ns),
		tc_sql_int(row->ns),
		tc_sql_int(row->late_ns),
		tc_sql_int(row->count),
	};

	TC_TABLES_PUT(
		tables, "exposed_transfer (trace_id, step_id, ts, dur, late_ns, count)", values);
}

/* sums is indexed by step; the last entry is for transfers outside of steps. */
static enum tc_status write_rows(struct tc_tables *tables, const struct tc_windows *windows,
	struct tc_sorter *transfers, struct sum *sums)
{
	const struct tc_timeline *timeline = windows->timeline;
	const struct tc_transfer *transfer = NULL;
	enum tc_status status = TC_SORTER_FIRST(transfers, transfer);

	for (; !status && transfer; status = TC_SORTER_NEXT(transfers, transfer)) {
		int64_t start_ns = transfer->late.start_ns;
		int64_t step = tc_windows_step_at(windows, start_ns);
		struct sum row = {start_ns, transfer->end_ns - start_ns,
			tc_interval_measure(transfer->late), 1};
		if (row.ns >= TC_GAP_ROW_MIN_NS) {
			write_row(tables, timeline, step, &row);
			continue;
		}
		struct sum *sum = &sums[step >= 0 ? (size_t)step : timeline->step_count];
		if (sum->count++ == 0)
			sum->first_ns = row.first_ns;
		sum->ns += row.ns;
		sum->late_ns += row.late_ns;
	}
	for (size_t i = 0; i <= timeline->step_count; i++)
		if (sums[i].count > 0)
			write_row(tables, timeline, i < timeline->step_count ? (int64_t)i : -1,
				&sums[i]);
	return status;
}

void tc_transfers_write(
	struct tc_tables *tables, const struct tc_windows *windows, struct tc_gap_spool *spool)
{
	struct sum *sums = tc_calloc(windows->timeline->step_count + 1, sizeof(*sums));

	tc_tables_keep(tables, sums ? write_rows(tables, windows, spool->transfers, sums)
				    : tc_no_memory(tables->ctx));
	tc_free(sums);
}
