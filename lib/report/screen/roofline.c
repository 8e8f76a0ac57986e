/* Roofline tables in the details: the rates that operators and kernels reach, beside the peaks of
 * the device. */
#include "report/screen/screen.h"
#include "report/screen/section.h"

static const char roofline_sql[] =
	"SELECT device_ns, flops_pct, bytes_pct,"
	" iif(max(coalesce(flops_pct, 0), bytes_pct) < 10, 'neither', bound), printf('%.3g', "
	"flops_per_s / 1e12),"
	" printf('%.4g', bytes_per_s / 1e9), precision, count,"
	" name || ' ' || replace(input_dims, ',[]', '')"
	" FROM roofline WHERE trace_id = ?1 AND ?2 < 0 AND device_ns > 0 AND flops IS NOT NULL"
	" ORDER BY device_ns DESC, name, input_dims, precision, flops LIMIT ?3";
static const char *const roofline_titles[] = {"device", "of peak", "of memory", "?<bound by",
	"?TFLOP/s", "?GB/s", "?<type", "?calls", "<operator and sizes", NULL};

static const struct tc_section roofline = {"Operators beside the peaks of the device", roofline_sql,
	roofline_titles, "nppttttct", false};

static const char occupancy_sql[] =
	"SELECT dur_ns, occupancy_pct, sm_efficiency_pct, CASE uses_tensor_cores WHEN 1 THEN 'yes'"
	" WHEN 0 THEN 'no' END, printf('%.2f', blocks_per_sm), count, name FROM kernel_occupancy"
	" WHERE trace_id = ?1 AND ?2 < 0 ORDER BY dur_ns DESC, device, name LIMIT ?3";
static const char *const occupancy_titles[] = {"time", "occupancy", "SM efficiency",
	"?<tensor cores", "?blocks per SM", "?count", "<kernel", NULL};

static const struct tc_section occupancy = {
	"Occupancy of kernels", occupancy_sql, occupancy_titles, "nppttct", false};

static const char utilisation_sql[] =
	"SELECT CASE WHEN flops_pct IS NOT NULL THEN printf('Model FLOPs utilisation: %.1f %% of "
	"the"
	" peak over the steps, %.3g TFLOP a step.', flops_pct, flops / step_count / 1e12)"
	" WHEN ideal_ns IS NULL THEN 'Model FLOPs utilisation is not known: no data sheet of the"
	" device is listed, or it has no peak for a precision that is used.'"
	" ELSE printf('Model FLOPs utilisation is not known: FLOPs are known for %.1f %% of the "
	"device"
	" time, and %.1f %% of it are matrix products, convolutions and attention.', known_pct,"
	" matrix_pct) END FROM utilisation WHERE trace_id = ?1 AND flops > 0";

static void put_utilisation(struct tc_job *job, const struct tc_view *view)
{
	struct tc_rows rows;

	tc_rows_open(&rows, job->ctx, job->db, utilisation_sql);
	tc_rows_bind(&rows, 1, view->id);
	while (tc_rows_next(&rows))
		tc_buf_append_text(tc_doc_paragraph(&job->doc), tc_rows_text(&rows, 0));
	tc_rows_close(&rows);
}

static const char steps_sql[] = "SELECT number || iif(is_warm_up, ' warm-up', ''), ns, "
				"printf('%.3g', flops / 1e12), flops_pct,"
				" ideal_ns FROM step_utilisation WHERE trace_id = ?1 AND (?2 < 0 "
				"OR number = ?2) AND flops_pct IS NOT NULL"
				" ORDER BY step_id LIMIT ?3";
static const char *const steps_titles[] = {
	"<step", "time", "?TFLOP", "of peak", "at the peak", NULL};

static const struct tc_section steps = {
	"Model FLOPs utilisation of steps", steps_sql, steps_titles, "tntpn", false};

void tc_put_roofline(struct tc_job *job, const struct tc_view *view)
{
	tc_put_section(job, view, &roofline);
	if (job->options.step < 0)
		put_utilisation(job, view);
	tc_put_costly_section(job, view, &steps);
	tc_put_costly_section(job, view, &occupancy);
}
