/* Sums of gaps; see gap_totals.h. */
#include "analysis/idle/gap_totals.h"

#include "analysis/device/gap_spool.h"
#include "analysis/steps/windows.h"
#include "core/array.h"
#include "core/saturate.h"

/* There may be as many rows with a host slice as there are gaps. */
enum { SORT_BYTES = 1024 * 1024 };

struct total {
	int64_t ns, count, longest_ns, unrecorded_ns, short_ns;
};

/* Idle time while the host was in a slice of a label. */
struct host {
	uint32_t device, cause, is_warm_up, label;
	int64_t ns;
};

TC_ORDER(compare_hosts, struct host,
	TC_UP(device) TC_UP(cause) TC_UP(is_warm_up) TC_UP(label) TC_UP(ns));

static size_t row_count(const struct tc_timeline *timeline)
{
	return timeline->device_count * (timeline->step_count + 1) * TC_CAUSE_COUNT;
}

enum tc_status tc_gap_totals_init(struct tc_gap_totals *totals, const struct tc_timeline *timeline)
{
	*totals = (struct tc_gap_totals){.timeline = timeline};
	return tc_paged_init(
		&totals->rows, timeline->ctx, row_count(timeline), sizeof(struct total), NULL);
}

void tc_gap_totals_clear(struct tc_gap_totals *totals)
{
	tc_paged_clear(&totals->rows);
	tc_sorter_free(totals->hosts);
	*totals = (struct tc_gap_totals){0};
}

static struct total *total_at(const struct tc_gap_totals *totals, size_t i)
{
	return TC_PAGED_AT(&totals->rows, struct total, i);
}

static struct total *total_of(const struct tc_gap_totals *totals, const struct tc_gap_row *row)
{
	size_t of_device = row->device * (totals->timeline->step_count + 1);

	return total_at(
		totals, (of_device + (size_t)(row->step + 1)) * TC_CAUSE_COUNT + row->cause);
}

static enum tc_status add_host(struct tc_gap_totals *totals, const struct tc_gap_row *row)
{
	static const struct tc_sorter_layout layout = {
		sizeof(struct host), SORT_BYTES, compare_hosts};
	const struct tc_timeline *timeline = totals->timeline;
	const struct host host = {.device = (uint32_t)row->device,
		.cause = row->cause,
		.is_warm_up = row->step >= 0 && timeline->steps[row->step].is_warm_up,
		.label = row->label,
		.ns = row->ns};

	return tc_sorter_put(&totals->hosts, timeline->ctx, &layout, &host);
}

enum tc_status tc_gap_totals_add(struct tc_gap_totals *totals, const struct tc_gap_row *row)
{
	struct total *total = total_of(totals, row);
	bool is_single = row->count == 1;

	total->ns = tc_add_saturated(total->ns, row->ns);
	total->count += row->count;
	if (is_single && row->ns > total->longest_ns)
		total->longest_ns = row->ns;
	if (is_single && row->slice_id == TC_NO_ID)
		total->unrecorded_ns = tc_add_saturated(total->unrecorded_ns, row->ns);
	if (row->gap_ns <= TC_HOLE_MIN_NS)
		total->short_ns = tc_add_saturated(total->short_ns, row->ns);
	return row->slice_id != TC_NO_ID ? add_host(totals, row) : TC_OK;
}

static void write_total(const struct tc_gap_totals *totals, struct tc_tables *tables, size_t i)
{
	const struct tc_timeline *timeline = totals->timeline;
	const struct total *total = total_at(totals, i);
	size_t place = i / TC_CAUSE_COUNT, steps = timeline->step_count + 1;

	if (total->count == 0)
		return;
	const struct tc_sql_value values[] = {
		tc_sql_int(timeline->trace_id),
		tc_sql_text(timeline->devices[place / steps].name),
		tc_sql_id(tc_windows_step_id(timeline, (int64_t)(place % steps) - 1)),
		tc_sql_string(tc_cause_name((enum tc_cause)(i % TC_CAUSE_COUNT))),
		tc_sql_int(total->ns),
		tc_sql_int(total->count),
		tc_sql_int_if(total->longest_ns > 0, total->longest_ns),
		tc_sql_int(total->unrecorded_ns),
		tc_sql_int(total->short_ns),
	};
	TC_TABLES_PUT(tables,
		"gap_total (trace_id, device, step_id, cause, dur, count, longest_ns,"
		" unrecorded_ns, short_ns)",
		values);
}

static void write_host(
	const struct tc_gap_totals *totals, struct tc_tables *tables, const struct host *host)
{
	const struct tc_timeline *timeline = totals->timeline;

	if (host->ns == 0)
		return;
	const struct tc_sql_value values[] = {
		tc_sql_int(timeline->trace_id),
		tc_sql_text(timeline->devices[host->device].name),
		tc_sql_string(tc_cause_name((enum tc_cause)host->cause)),
		tc_sql_int(host->is_warm_up),
		tc_sql_int(timeline->label_base + host->label),
		tc_sql_int(host->ns),
	};
	TC_TABLES_PUT(
		tables, "gap_host (trace_id, device, cause, is_warm_up, label_id, dur)", values);
}

static bool is_same(const struct host *a, const struct host *b)
{
	return a->device == b->device && a->cause == b->cause && a->is_warm_up == b->is_warm_up &&
	       a->label == b->label;
}

static enum tc_status write_hosts(const struct tc_gap_totals *totals, struct tc_tables *tables)
{
	const struct host *host = NULL;
	struct host sum = {0};
	enum tc_status status = TC_SORTER_FIRST(totals->hosts, host);

	for (; !status && host; status = TC_SORTER_NEXT(totals->hosts, host)) {
		if (is_same(host, &sum)) {
			sum.ns = tc_add_saturated(sum.ns, host->ns);
			continue;
		}
		write_host(totals, tables, &sum);
		sum = *host;
	}
	write_host(totals, tables, &sum);
	return status;
}

void tc_gap_totals_write(const struct tc_gap_totals *totals, struct tc_tables *tables)
{
	for (size_t i = 0; i < row_count(totals->timeline); i++)
		write_total(totals, tables, i);
	tc_tables_keep(tables, tc_paged_status(&totals->rows));
	tc_tables_keep(tables, write_hosts(totals, tables));
}
