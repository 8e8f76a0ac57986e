/* Memory in the details: peaks by device, and what the allocator's events say. */
#include "report/text/format.h"
#include "report/screen/screen.h"
#include "report/sections/section.h"

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
	tc_put_sections(job, view, "memory");
}
