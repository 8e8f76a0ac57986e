/* The details below the first screen: tables of steps, gaps, operations and host work. */
#include "report/text/format.h"
#include "core/array.h"
#include "report/screen/screen.h"

#define OF_STEP " (?2 < 0 OR step_id IN (SELECT id FROM step WHERE trace_id = ?1 AND number = ?2)) "
/* Gaudi has dozens of lanes of each engine, which no table shows one by one. */
#define NOT_GAUDI " NOT IN ('mme', 'tpc', 'dma', 'nic', 'other') "

/* The longest gaps and the table gap have nothing of the edges. */
static void put_edge_note(struct tc_job *job, const struct tc_view *view)
{
	int64_t edge_ns = tc_verdict_edge_ns(view) > 0 || job->options.step >= 0
				  ? 0
				  : tc_rows_single(job->ctx, job->db,
					    "SELECT total(dur) FROM idle_total WHERE trace_id = ?1"
					    " AND device IS NULL AND at_edge",
					    view->id);

	if (edge_ns > 0)
		tc_buf_format(tc_doc_column_note(&job->doc, 0),
			"%s of it lie before the first and after the last device work.",
			tc_show_ns(edge_ns).text);
}

/* Kernels of a replayed graph count for the operators that were captured. This note gives the
 * device's time of those whose capture is not in the trace. */
static void put_graph_note(struct tc_job *job, const struct tc_view *view)
{
	if (job->options.step >= 0)
		return;
	struct tc_rows rows = TC_ROWS(job->ctx, job->db,
		"SELECT total(k.exclusive_ns), min(l.name) FROM op_kernel_row k"
		" JOIN op_tree_row n ON n.id = k.node_id JOIN label l ON l.id = n.label_id"
		" WHERE k.trace_id = ?1 AND l.mark = 'graph_launch' AND k.capture_id IS NULL"
		" HAVING count(*) > 0",
		view->id);

	if (tc_rows_next(&rows)) {
		struct tc_buf *line = tc_doc_paragraph(&job->doc);
		tc_format_ns(line, tc_rows_int(&rows, 0));
		TC_APPEND(line,
			TC_TEXT(" of it ran in graphs whose capture is not known: "
				"it counts for the operator around "),
			tc_rows_text(&rows, 1),
			TC_TEXT(". Give a trace that has the capture with --capture FILE."));
	}
	tc_rows_close(&rows);
}

static const char utilisation_sql[] =
	"SELECT CASE WHEN flops_pct IS NOT NULL THEN printf('Model FLOPs utilisation: %.1f %% of "
	"the peak over the steps, %.3g TFLOP a step.', flops_pct, flops / step_count / 1e12)"
	" WHEN ideal_ns IS NULL THEN 'Model FLOPs utilisation is not known: no data sheet of the"
	" device is listed, or it has no peak for a precision that is used.'"
	" ELSE printf('Model FLOPs utilisation is not known: FLOPs are known for %.1f %% of the "
	"device time, and %.1f %% of it are matrix products, convolutions and attention.',"
	" known_pct, matrix_pct) END FROM utilisation WHERE trace_id = ?1 AND flops > 0";

static void put_utilisation(struct tc_job *job, const struct tc_view *view)
{
	if (job->options.step >= 0)
		return;
	struct tc_rows rows = TC_ROWS(job->ctx, job->db, utilisation_sql, view->id);

	while (tc_rows_next(&rows))
		tc_buf_append_text(tc_doc_paragraph(&job->doc), tc_rows_text(&rows, 0));
}

/* Says how long operations run on their lanes, where that is more than the device's time. */
static void put_lane_note(struct tc_job *job, const struct tc_view *view)
{
	if (job->options.step >= 0)
		return;
	struct tc_rows rows = TC_ROWS(job->ctx, job->db,
		"SELECT CAST(total(dur_ns) AS INTEGER) FROM op_total WHERE trace_id = ?1"
		" HAVING total(dur_ns) > total(exclusive_ns)",
		view->id);

	if (tc_rows_next(&rows))
		tc_buf_format(tc_doc_column_note(&job->doc, 0),
			"Each moment of a device counts for one operation. Added up over lanes, "
			"operations run for %s.",
			tc_show_ns(tc_rows_int(&rows, 0)).text);
	tc_rows_close(&rows);
}

static const struct tc_section sections[] = {
	/* The device columns show only the first device of the trace. */
	{"Steps", "tnpnnnnnn", false, NULL,
		{"<step", "host", "busy", "idle", "loader", "?compile", "?blocked", "?input copy",
			"?device"},
		"WITH first(device) AS (SELECT device FROM metric WHERE trace_id = ?1 AND device "
		"IS NOT NULL AND step IS NULL ORDER BY CAST(device AS INTEGER), device LIMIT 1),"
		" m AS (SELECT step, max(CASE name WHEN 'device_busy_pct' THEN value END) AS busy,"
		" max(CASE name WHEN 'idle_ns' THEN value END) AS wait,"
		" max(CASE name WHEN 'dataloader_ns' THEN value END) AS loader,"
		" max(CASE name WHEN 'input_copy_ns' THEN value END) AS copies,"
		" max(CASE name WHEN 'compile_ns' THEN value END) AS compile,"
		" max(CASE name WHEN 'sync_blocked_ns' THEN value END) AS sync"
		" FROM metric WHERE trace_id = ?1 AND step IS NOT NULL"
		" AND (device IS NULL OR device = (SELECT device FROM first)) GROUP BY step)"
		" SELECT s.number || CASE s.is_warm_up WHEN 1 THEN ' warm-up' ELSE '' END, s.dur, "
		"m.busy, m.wait, m.loader, m.compile, m.sync, m.copies, s.device_dur FROM step s"
		" LEFT JOIN m ON m.step = s.number"
		" WHERE s.trace_id = ?1 AND (?2 < 0 OR s.number = ?2) ORDER BY s.id LIMIT ?3"},
	/* The rows add up to the idle time, so the last one has what is left. */
	{"Device idle time by cause", "tnpcnw", false, put_edge_note,
		{"<cause", "idle", "share", "?gaps", "?longest", "<while"},
		"WITH placed AS (SELECT *, count(*) OVER () AS places, total(idle_ns) OVER () AS "
		"all_ns, row_number() OVER (ORDER BY idle_ns DESC, cause) AS place FROM idle_cause"
		" WHERE" TC_IDLE_SHOWN "), named AS (SELECT *,"
		" iif(place < ?3 - 1 OR places < ?3, cause, 'others') AS name FROM placed)"
		" SELECT name, sum(idle_ns), 100.0 * sum(idle_ns) / all_ns, sum(count),"
		" max(longest_ns), name FROM named GROUP BY name ORDER BY min(place)"},
	/* A gap may have one piece for each cause. Only two are shown, since more leave no room for
	 * the other columns. */
	{"Longest gaps", "nntttt", false, NULL,
		{"idle", "after start", "?device", "?step", "<largest causes", "<host meanwhile"},
		"WITH piece AS MATERIALIZED (SELECT * FROM gap WHERE trace_id = ?1 AND gap_ts IS "
		"NOT NULL "
		"AND" OF_STEP "ORDER BY gap_dur DESC, gap_ts, device LIMIT ?3 * 16),"
		" whole AS (SELECT gap_dur, gap_ts, device, max(step_id) AS step_id FROM piece"
		" GROUP BY device, gap_ts ORDER BY gap_dur DESC, gap_ts, device LIMIT ?3)"
		" SELECT w.gap_dur, w.gap_ts - (SELECT start_ns FROM trace WHERE id = ?1), "
		"w.device, (SELECT number FROM step WHERE id = w.step_id),"
		" (SELECT group_concat(text, ', ') FROM (SELECT p.cause ||"
		" iif(sum(p.dur) = w.gap_dur, '', printf(' %.0f %%', 100.0 * sum(p.dur) / "
		"w.gap_dur)) AS text FROM piece p WHERE p.gap_ts = w.gap_ts AND p.device = w.device"
		" GROUP BY p.cause HAVING sum(p.dur) * 200 >= w.gap_dur"
		" ORDER BY sum(p.dur) DESC, p.cause LIMIT 2)),"
		" (SELECT l.name FROM piece p JOIN slice_row s ON s.id = p.host_slice_id"
		" JOIN label l ON l.id = s.label_id WHERE p.gap_ts = w.gap_ts AND p.device = "
		"w.device ORDER BY p.dur DESC, p.cause LIMIT 1)"
		" FROM whole w ORDER BY w.gap_dur DESC, w.gap_ts, w.device"},
	{"Device operations by exclusive time", "npcnett", false, put_lane_note,
		{"exclusive", "share", "?count", "?each", "<engine", "?<type", "<operation"},
		"SELECT total(exclusive_ns), 100.0 * total(exclusive_ns) / "
		"nullif(total(total(exclusive_ns)) OVER "
		"(), 0), sum(count), total(dur_ns) / sum(count), iif(max(mark) IS 'device_wait', "
		"'wait', engine), data_type, name"
		" FROM op_total WHERE trace_id = ?1 AND ?2 < 0 GROUP BY engine, data_type, name"
		" ORDER BY 1 DESC, total(dur_ns) DESC, name, data_type, engine LIMIT ?3"},
	/* The device time of an operator, module or phase is the exclusive time of what it launched
	 * (docs/operators.md). */
	{"Phases", "tnpcnc", false, NULL,
		{"<phase", "device", "share", "?operations", "?host", "?operators"},
		"SELECT phase, exclusive_ns, 100.0 * exclusive_ns / nullif(total(exclusive_ns) "
		"OVER "
		"(), 0), device_count, host_ns, count FROM phase_total WHERE trace_id = ?1 AND ?2 "
		"< 0"
		" AND ?1 IN (SELECT trace_id FROM op_tree_row WHERE kind = 'operator')" TC_BY_PHASE
		" LIMIT ?3"},
	{"Operators by device time", "npnncnnt", false, NULL,
		{"device", "share", "?with callees", "?backward", "?count", "?host", "?host self",
			"<operator"},
		"SELECT self_exclusive_ns, 100.0 * self_exclusive_ns / "
		"nullif(total(self_exclusive_ns) OVER (), 0), exclusive_ns, "
		"nullif(backward_exclusive_ns, 0), count, host_ns, host_self_ns,"
		" name FROM operator_total WHERE trace_id = ?1 AND ?2 < 0"
		" AND EXISTS (SELECT 1 FROM operator_total WHERE trace_id = ?1 AND device_self_ns "
		"> 0)" TC_BY_SELF "name LIMIT ?3"},
	{"Operators by sizes of inputs", "ncntt", false, NULL,
		{"device", "count", "?mean", "<operator", "<inputs"},
		"SELECT self_exclusive_ns, count, self_exclusive_ns / nullif(count, 0), name,"
		" input_dims FROM operator_shape WHERE trace_id = ?1 AND ?2 < 0 AND node_id IN"
		" (SELECT node_id FROM operator_shape WHERE trace_id = ?1" TC_BY_SELF
		"node_id LIMIT ?3) AND EXISTS (SELECT 1 FROM operator_shape WHERE trace_id = ?1"
		" AND shape IS NOT NULL AND device_self_ns > 0)" TC_BY_SELF "node_id LIMIT ?3"},
	{"Device operations by operator", "npcntt", false, put_graph_note,
		{"device", "share", "?count", "?each", "<launched by", "<operation"},
		"SELECT total(exclusive_ns), 100.0 * total(exclusive_ns) / "
		"nullif(total(total(exclusive_ns)) OVER (), 0), sum(count), "
		"total(dur_ns) / sum(count), operator, name FROM op_kernel"
		" WHERE trace_id = ?1 AND ?2 < 0 AND EXISTS (SELECT 1 FROM op_kernel_row"
		"  WHERE trace_id = ?1 AND node_id IS NOT NULL)"
		" GROUP BY operator, name" TC_BY_KERNEL " LIMIT ?3"},
	{"Modules and ranges", "nncnt", false, NULL,
		{"device", "?backward", "count", "host", "<module or range"},
		"SELECT exclusive_ns, nullif(backward_exclusive_ns, 0), count, host_ns, name FROM "
		"module_total WHERE trace_id = ?1 AND ?2 < 0" TC_BY_MODULE " LIMIT ?3"},
	{"Lines of Python", "nncnt", false, NULL,
		{"device", "?with callees", "count", "host self", "<line of Python"},
		"SELECT self_exclusive_ns, exclusive_ns, count, host_self_ns, name FROM "
		"python_total"
		" WHERE trace_id = ?1 AND ?2 < 0" TC_BY_SELF "name LIMIT ?3"},
	{"MME time by data type", "npct", false, NULL, {"exclusive", "share", "?count", "<type"},
		"SELECT total(exclusive_ns), 100.0 * total(exclusive_ns) / "
		"nullif(total(total(exclusive_ns)) OVER (), 0), sum(count), "
		"coalesce(data_type, 'not said') FROM op_total"
		" WHERE trace_id = ?1 AND ?2 < 0 AND engine = 'mme' GROUP BY data_type"
		" ORDER BY 1 DESC, 4 LIMIT ?3"},
	{"Recipes by exclusive time", "npct", false, NULL,
		{"exclusive", "share", "?operations", "<recipe"},
		"SELECT total(exclusive_ns), 100.0 * total(exclusive_ns) / "
		"nullif(total(total(exclusive_ns)) OVER"
		" (), 0), sum(op_count), coalesce(recipe, 'none') FROM recipe_total"
		" WHERE trace_id = ?1 AND ?2 < 0 GROUP BY recipe ORDER BY 1 DESC, 3 DESC, 4 LIMIT "
		"?3"},
	/* Of Gaudi, a line below the bars shows the lanes. */
	{"Streams", "npctet", false, NULL,
		{"busy", "of device", "?operations", "device", "?<engine", "<stream"},
		"SELECT busy_ns, 100.0 * busy_ns / nullif((SELECT value FROM metric m WHERE "
		"m.trace_id = ?1 AND m.name = 'device_busy_ns' AND m.device = l.device AND m.step"
		" IS NULL), 0), op_count, device, coalesce(engine, 'several'), lane FROM"
		" lane_total l WHERE trace_id = ?1 AND ?2 < 0 AND coalesce(engine, '')" NOT_GAUDI
		"ORDER BY 1 DESC, op_count DESC, track_id LIMIT ?3"},
	/* Sorted by exposed time, so that what costs most comes first. */
	{"Communication", "nnncbttttc", false, NULL,
		{"exposed", "time", "?waiting", "count", "?-bytes", "?GB/s", "?bus GB/s", "?<where",
			"<collective", "?-ranks"},
		"SELECT exposed_ns, dur_ns, wait_ns, count, bytes,"
		" iif(algorithm_bytes_per_s IS NULL, NULL, printf('%.1f', algorithm_bytes_per_s / "
		"1e9)), iif(bus_bytes_per_s IS NULL, NULL, printf('%.1f', bus_bytes_per_s / 1e9)),"
		" coalesce(lane, iif(device IS NULL, 'host', device)), kind, group_size"
		" FROM communication_total WHERE trace_id = ?1 AND ?2 < 0" TC_BY_COLLECTIVE
		" LIMIT ?3"},
	/* Sorted by self time before total time, since the outermost slices contain all the others.
	 */
	{"Host slices of launching threads", "nnnctt", false, NULL,
		{"exposed", "?self", "?total", "?count", "<role", "<slice"},
		"SELECT exposed_ns, self_ns, dur_ns, count, role, name FROM host_total"
		" WHERE trace_id = ?1 AND ?2 < 0 AND exposed_ns > 0 AND is_launching"
		" ORDER BY self_exposed_ns DESC, exposed_ns DESC, dur_ns DESC, name, category"
		" LIMIT ?3"},
	/* One row for each sequence of operations, or for each recipe where sequences are not
	   recorded. */
	{"Graph compilations", "tcccnntt", false, NULL,
		{"?<step", "count", "-first", "again", "time", "?exposed", "?<changed", "<graph"},
		"SELECT iif(count(DISTINCT s.number) = 1, min(s.number), min(s.number) || ' to ' ||"
		" max(s.number)), count(*), sum(c.kind = 'first'), sum(c.kind = 'again'), "
		"total(c.dur), total(c.exposed_ns), max(c.changed), iif(c.op_count > 0, c.op_count"
		" || ' operations', coalesce(c.recipe, 'not recorded'))"
		" FROM compile c LEFT JOIN step s ON s.id = c.step_id"
		" WHERE c.trace_id = ?1 AND (?2 < 0 OR s.number = ?2)"
		" GROUP BY c.op_sequence, iif(c.op_sequence IS NULL, c.recipe, NULL)"
		" ORDER BY total(c.exposed_ns) DESC, total(c.dur) DESC, min(c.id) LIMIT ?3"},
	{"Blocking waits", "cnnnot", false, NULL,
		{"count", "blocked", "?longest", "?idle after", "?<waited for", "<call"},
		"SELECT count(*), total(dur), max(dur), total(idle_after_ns),"
		" coalesce(op, 'unknown'), name || coalesce(' in ' || caller, '') || coalesce(' at"
		" ' || python, '') FROM host_wait WHERE trace_id = ?1 AND" OF_STEP
		"GROUP BY name, caller, python, op"
		" ORDER BY 2 DESC, 1 DESC, 6, op LIMIT ?3"},
	{"Loader calls, copies, compiles, waits, fallbacks", "tccnnnt", false, NULL,
		{"<role", "count", "?warm-up", "?time", "exposed", "?idle after", "<call"},
		"SELECT role, count(*), sum(is_warm_up), total(dur), total(exposed_ns), "
		"total(idle_after_ns), name || coalesce(' in ' || caller, '') || coalesce(' at '"
		" || python, '') FROM host_event WHERE trace_id = ?1 AND" OF_STEP
		"GROUP BY role, name, caller, python"
		" ORDER BY total(exposed_ns) + total(idle_after_ns) DESC, total(dur) DESC, role, 7 "
		"LIMIT ?3"},
	{"Queues of streams", "cnntctnt", true, NULL,
		{"?launches", "mean delay", "?longest", "?mean depth", "depth at most", "?device",
			"?full", "<stream"},
		"SELECT q.launched_count, q.mean_delay_ns, q.max_delay_ns,"
		" printf('%.1f', q.mean_depth), q.max_depth, q.device, iif(q.full_ns > 0, "
		"q.full_ns, NULL), q.lane FROM stream_queue q JOIN track t ON t.id = q.track_id"
		" WHERE q.trace_id = ?1 AND ?2 < 0 AND coalesce(t.engine, '')" NOT_GAUDI
		"ORDER BY q.launched_count DESC, q.track_id LIMIT ?3"},
	{"Idle time of streams", "npcttt", true, NULL,
		{"idle", "?of stream", "?pauses", "<HTA's cause", "?device", "<stream"},
		"SELECT i.idle_ns, 100.0 * i.idle_ns / nullif(total(i.idle_ns) OVER (PARTITION BY"
		" i.track_id), 0), i.count, i.cause, i.device, i.lane FROM stream_idle i"
		" JOIN track t ON t.id = i.track_id WHERE i.trace_id = ?1 AND ?2 < 0 AND i.idle_ns "
		"> 0 AND coalesce(t.engine, '')" NOT_GAUDI
		"ORDER BY i.track_id, i.idle_ns DESC, i.cause LIMIT ?3"},
	{"Operators beside the peaks of the device", "nppttttct", false, put_utilisation,
		{"lane time", "of peak", "of memory", "?<bound by", "?TFLOP/s", "?GB/s", "?<type",
			"?calls", "<operator and sizes"},
		"SELECT device_ns, flops_pct, bytes_pct,"
		" iif(max(coalesce(flops_pct, 0), bytes_pct) < 10, 'neither', bound), "
		"printf('%.3g', flops_per_s / 1e12),"
		" printf('%.4g', bytes_per_s / 1e9), precision, count,"
		" name || ' ' || replace(input_dims, ',[]', '')"
		" FROM roofline WHERE trace_id = ?1 AND ?2 < 0 AND device_ns > 0 AND flops IS NOT "
		"NULL" TC_BY_WORK " LIMIT ?3"},
	{"Model FLOPs utilisation of steps", "tntpn", true, NULL,
		{"<step", "time", "?TFLOP", "of peak", "at the peak"},
		"SELECT number || iif(is_warm_up, ' warm-up', ''), ns, "
		"printf('%.3g', flops / 1e12), flops_pct,"
		" ideal_ns FROM step_utilisation WHERE trace_id = ?1 AND (?2 < 0 "
		"OR number = ?2) AND flops_pct IS NOT NULL"
		" ORDER BY step_id LIMIT ?3"},
	{"Occupancy of kernels", "nppttct", true, NULL,
		{"lane time", "occupancy", "SM efficiency", "?<tensor cores", "?blocks per SM",
			"?count", "<kernel"},
		"SELECT dur_ns, occupancy_pct, sm_efficiency_pct, CASE uses_tensor_cores WHEN 1 "
		"THEN 'yes' WHEN 0 THEN 'no' END, printf('%.2f', blocks_per_sm), count, name FROM "
		"kernel_occupancy"
		" WHERE trace_id = ?1 AND ?2 < 0 ORDER BY dur_ns DESC, device, name LIMIT ?3"},
};

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

void tc_put_longest(struct tc_job *job, const struct tc_view *view)
{
	static const struct tc_section longest = {"", "nct", false, NULL,
		{"total", "?count", "<Longest slices"},
		"SELECT total(dur_ns), sum(count), name FROM host_total WHERE trace_id = ?1"
		" AND ?2 < 0 AND ?3 > 0 GROUP BY name ORDER BY 1 DESC, name LIMIT 5"};

	tc_put_section(job, view, &longest);
}

void tc_put_details(struct tc_job *job, const struct tc_view *view)
{
	for (size_t i = 0; i < TC_COUNT_OF(sections); i++)
		tc_put_section(job, view, &sections[i]);
	tc_put_memory(job, view);
	put_peaks(job, view);
}
