/* The details below the first screen: what sections/ holds, and the data sheet of the device. */
#include "report/screen/screen.h"
#include "report/sections/section.h"

/* "GAUDI2: 432 TFLOPS in bf16, 865 in fp8, 96 GB of HBM at 2460 GB/s". */
static void put_peaks(struct tc_job *job, const struct tc_view *view)
{
	tc_doc_heading(&job->doc, "Data sheet of the device");
	struct tc_rows rows = TC_ROWS(job->ctx, job->db,
		"SELECT device_name, hbm_bytes / 1e9, hbm_bytes_per_s / 1e9,"
		" (SELECT group_concat(text, ', ') FROM (SELECT printf('%.10g%s in %s',"
		" flops_per_s / 1e12, iif(row_number() OVER w = 1, ' TFLOPS', ''), precision)"
		" AS text FROM precision_peak WHERE trace_id = ?1"
		" WINDOW w AS (ORDER BY flops_per_s, precision) ORDER BY flops_per_s, precision))"
		" FROM device_peak WHERE trace_id = ?1 ORDER BY rowid",
		view->id);
	while (tc_rows_next(&rows)) {
		struct tc_buf *line = tc_doc_paragraph(&job->doc);
		TC_APPEND(line, tc_rows_text(&rows, 0), TC_TEXT(": "));
		if (!tc_rows_null(&rows, 3))
			TC_APPEND(line, tc_rows_text(&rows, 3), TC_TEXT(", "));
		if (!tc_rows_null(&rows, 1))
			tc_buf_format(line, "%.0f GB of HBM", tc_rows_real(&rows, 1));
		else
			tc_buf_append_string(line, "memory");
		tc_buf_format(line, " at %.0f GB/s (docs/hardware.md)", tc_rows_real(&rows, 2));
	}
}

void tc_put_details(struct tc_job *job, const struct tc_view *view)
{
	tc_put_sections(job, view, "details");
	tc_put_memory(job, view);
	put_peaks(job, view);
}
