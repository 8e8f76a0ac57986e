/* Rows of exposed_transfer; see transfers.h. Short ones are summed up, as gaps are. */
#include "analysis/idle/transfers.h"

#include "analysis/idle/gap_tally.h"
#include "core/alloc.h"
#include "store/sql.h"

struct sum {
	int64_t first_ns, ns, late_ns, count;
};

static enum tc_status write_row(struct tc_ctx *ctx, sqlite3_stmt *insert,
	const struct tc_timeline *timeline, int64_t step, const struct sum *row)
{
	const struct tc_sql_value values[] = {
		tc_sql_int(timeline->trace_id),
		tc_sql_id(tc_windows_step_id(timeline, step)),
		tc_sql_int(row->first_ns),
		tc_sql_int(row->ns),
		tc_sql_int(row->late_ns),
		tc_sql_int(row->count),
	};

	return TC_SQL_PUT(ctx, insert, values);
}

/* sums is indexed by step; the last entry is for transfers outside of steps. */
static enum tc_status write_rows(struct tc_ctx *ctx, sqlite3_stmt *insert,
	const struct tc_windows *windows, struct tc_sorter *transfers, struct sum *sums)
{
	const struct tc_timeline *timeline = windows->timeline;
	const void *record = NULL;
	enum tc_status status = tc_sorter_rewind(transfers);

	while (!status && !(status = tc_sorter_next(transfers, &record)) && record) {
		const struct tc_transfer *transfer = record;
		int64_t start_ns = transfer->late.start_ns;
		int64_t step = tc_windows_step_at(windows, start_ns);
		struct sum row = {start_ns, transfer->end_ns - start_ns,
			tc_interval_measure(transfer->late), 1};
		if (row.ns >= TC_GAP_ROW_MIN_NS) {
			status = write_row(ctx, insert, timeline, step, &row);
			continue;
		}
		struct sum *sum = &sums[step >= 0 ? (size_t)step : timeline->step_count];
		if (sum->count++ == 0)
			sum->first_ns = row.first_ns;
		sum->ns += row.ns;
		sum->late_ns += row.late_ns;
	}
	for (size_t i = 0; i <= timeline->step_count && !status; i++)
		if (sums[i].count > 0)
			status = write_row(ctx, insert, timeline,
				i < timeline->step_count ? (int64_t)i : -1, &sums[i]);
	return status;
}

enum tc_status tc_transfers_write(struct tc_ctx *ctx, sqlite3 *db, const struct tc_windows *windows,
	struct tc_gap_spool *spool)
{
	sqlite3_stmt *insert = NULL;
	struct sum *sums = tc_calloc(windows->timeline->step_count + 1, sizeof(*sums));
	enum tc_status status = tc_sql_insert(
		&insert, ctx, db, "exposed_transfer (trace_id, step_id, ts, dur, late_ns, count)");

	if (!status && !sums)
		status = tc_no_memory(ctx);
	if (!status)
		status = write_rows(ctx, insert, windows, spool->transfers, sums);
	sqlite3_finalize(insert);
	tc_free(sums);
	return status;
}
