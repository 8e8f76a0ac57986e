/* Memory in the details: peaks by device, and what the allocator's events say. */
#include "report/text/format.h"
#include "core/array.h"
#include "report/screen/screen.h"

/* Old traces record the sizes of allocations, but not the totals. */
static void put_relative(struct tc_job *job, const struct tc_view *view)
{
	int64_t is_relative = tc_rows_single(job->ctx, job->db,
		"SELECT count(*) FROM (SELECT 1 FROM memory_curve WHERE trace_id = ?1"
		" AND is_relative AND device <> 'cpu' LIMIT 1)",
		view->id);

	if (is_relative)
		tc_buf_append_string(tc_doc_paragraph(&job->doc),
			"The trace has no totals: memory in use counts from the start of the "
			"recording.");
}

static const struct tc_section sections[] = {
	{"Memory by step", "ttbbbbc", true, put_relative,
		{"device", "<step", "peak in use", "in use at its end", "?reserved", "?allocated",
			"?allocations"},
		"SELECT m.device, coalesce(s.number, 'outside'), m.peak_bytes, m.end_bytes,"
		" m.reserved_peak_bytes, m.allocated_bytes, m.allocation_count"
		" FROM memory_step m LEFT JOIN step s ON s.id = m.step_id"
		" WHERE m.trace_id = ?1 AND (?2 < 0 OR s.number = ?2) AND m.device <> 'cpu'"
		" ORDER BY CAST(m.device AS INTEGER), m.device, m.step_id LIMIT ?3"},
	{"What lives at the peak of memory", "tbpct", true, NULL,
		{"device", "bytes", "share", "?allocations", "<operation"},
		"SELECT device, bytes, 100.0 * bytes / nullif(total(bytes) OVER (PARTITION BY "
		"device), 0), count, iif(is_older, 'allocated before the recording',"
		" coalesce(operator, 'no slice'))"
		" FROM memory_at_peak WHERE trace_id = ?1 AND ?2 < 0 AND device <> 'cpu' AND bytes "
		"> 0 ORDER BY CAST(device AS INTEGER), device, bytes DESC, operator LIMIT ?3"},
	{"Memory by operation", "tbcbbt", true, NULL,
		{"device", "allocated", "count", "?largest", "?never freed", "<operation"},
		"SELECT device, CAST(total(bytes) AS INTEGER), sum(count), max(max_bytes),"
		" CAST(total(kept_bytes) AS INTEGER), coalesce(operator, 'no slice')"
		" FROM memory_operator WHERE trace_id = ?1 AND ?2 < 0 AND device <> 'cpu'"
		" GROUP BY device, operator ORDER BY 2 DESC, 3 DESC, 1, 6 LIMIT ?3"},
	{"Memory that every step leaves behind", "tbctt", true, NULL,
		{"device", "never freed", "count", "<in steps", "<operation"},
		"SELECT device, bytes, count, step_count || ' of ' || looked_at_count,"
		" coalesce(operator, 'no slice') FROM memory_kept"
		" WHERE trace_id = ?1 AND ?2 < 0 AND is_leak AND device <> 'cpu'"
		" ORDER BY bytes DESC, device, operator LIMIT ?3"},
};

static int64_t memory_key(const struct tc_metric_set *device)
{
	int64_t peak_bytes = tc_metric(device, TC_METRIC_MEMORY_PEAK);

	return peak_bytes > 0 ? peak_bytes : -1;
}

static void put_devices(struct tc_job *job, const struct tc_view *view)
{
	static const char *const columns[] = {
		"device", "peak in use", "peak reserved", "capacity", "in use", NULL};
	int64_t capacity_bytes = view->device_memory_bytes;
	struct tc_device_choice choice;
	struct tc_doc *doc = &job->doc;

	tc_view_choose(&choice, &view->whole, tc_device_rows(job), memory_key);
	tc_doc_heading(doc, "Memory");
	tc_doc_table(doc, columns);
	for (size_t i = 0; i < choice.count; i++) {
		const struct tc_metric_set *device = choice.devices[i];
		int64_t peak_bytes = tc_metric(device, TC_METRIC_MEMORY_PEAK);
		tc_doc_cell_string(doc, device->device);
		tc_doc_cell_bytes(doc, peak_bytes);
		tc_doc_cell_bytes(doc, tc_metric(device, TC_METRIC_MEMORY_RESERVED_PEAK));
		if (capacity_bytes > 0) {
			tc_doc_cell_bytes(doc, capacity_bytes);
			tc_doc_cell_pct(doc, tc_format_share_pct(peak_bytes, capacity_bytes));
		} else {
			tc_doc_cell_string(doc, "unknown");
			tc_doc_cell_string(doc, "-");
		}
	}
	tc_put_hidden(job, &choice, "fullest", true);
}

void tc_put_memory(struct tc_job *job, const struct tc_view *view)
{
	if (job->options.step < 0)
		put_devices(job, view);
	for (size_t i = 0; i < TC_COUNT_OF(sections); i++)
		tc_put_section(job, view, &sections[i]);
}
