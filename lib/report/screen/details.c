/* The details below the first screen: tables of steps, gaps, operations and host work. */
#include "report/text/format.h"
#include "core/array.h"
#include "report/screen/screen.h"
#include "report/screen/section.h"

#define OF_STEP " (?2 < 0 OR step_id IN (SELECT id FROM step WHERE trace_id = ?1 AND number = ?2)) "

/* The device columns show only the first device of the trace. */
static const char steps_sql[] =
	"WITH first(device) AS (SELECT device FROM metric WHERE trace_id = ?1 AND device IS NOT "
	"NULL"
	" AND step IS NULL ORDER BY CAST(device AS INTEGER), device LIMIT 1),"
	" m AS (SELECT step, max(CASE name WHEN 'device_busy_pct' THEN value END) AS busy,"
	" max(CASE name WHEN 'device_wait_ns' THEN value END) AS wait,"
	" max(CASE name WHEN 'dataloader_ns' THEN value END) AS loader,"
	" max(CASE name WHEN 'input_copy_ns' THEN value END) AS copies,"
	" max(CASE name WHEN 'compile_ns' THEN value END) AS compile,"
	" max(CASE name WHEN 'sync_blocked_ns' THEN value END) AS sync"
	" FROM metric WHERE trace_id = ?1 AND step IS NOT NULL"
	" AND (device IS NULL OR device = (SELECT device FROM first)) GROUP BY step)"
	" SELECT s.number || CASE s.is_warm_up WHEN 1 THEN ' warm-up' ELSE '' END, s.dur, m.busy,"
	" m.wait, m.loader, m.compile, m.sync, m.copies, s.device_dur FROM step s LEFT JOIN m ON "
	"m.step = s.number"
	" WHERE s.trace_id = ?1 AND (?2 < 0 OR s.number = ?2) ORDER BY s.id LIMIT ?3";
static const char *const step_titles[] = {"<step", "host", "busy", "idle", "loader", "?compile",
	"?blocked", "?input copy", "?device", NULL};

static const char causes_sql[] =
	"SELECT cause, total(dur), 100.0 * total(dur) / total(total(dur)) OVER (), sum(count),"
	" max(CASE count WHEN 1 THEN dur END), cause"
	" FROM gap WHERE trace_id = ?1 AND" OF_STEP
	"GROUP BY cause HAVING total(dur) > 0 ORDER BY 2 DESC, 1 LIMIT ?3";
static const char *const cause_titles[] = {
	"<cause", "idle", "share", "?gaps", "?longest", "<while", NULL};

/* A gap may have one piece for each cause. Only two are shown, since more leave no room for the
 * other columns. */
static const char gaps_sql[] =
	"WITH piece AS MATERIALIZED (SELECT * FROM gap WHERE trace_id = ?1 AND gap_ts IS NOT NULL "
	"AND" OF_STEP "ORDER BY gap_dur DESC, gap_ts, device LIMIT ?3 * 16),"
	" whole AS (SELECT gap_dur, gap_ts, device, max(step_id) AS step_id FROM piece"
	" GROUP BY device, gap_ts ORDER BY gap_dur DESC, gap_ts, device LIMIT ?3)"
	" SELECT w.gap_dur, w.gap_ts - (SELECT start_ns FROM trace WHERE id = ?1), w.device, "
	"(SELECT number FROM step WHERE id = w.step_id),"
	" (SELECT group_concat(text, ', ') FROM (SELECT p.cause ||"
	" iif(sum(p.dur) = w.gap_dur, '', printf(' %.0f %%', 100.0 * sum(p.dur) / w.gap_dur)) AS "
	"text"
	" FROM piece p WHERE p.gap_ts = w.gap_ts AND p.device = w.device"
	" GROUP BY p.cause HAVING sum(p.dur) * 200 >= w.gap_dur"
	" ORDER BY sum(p.dur) DESC, p.cause LIMIT 2)),"
	" (SELECT l.name FROM piece p JOIN slice_row s ON s.id = p.host_slice_id"
	" JOIN label l ON l.id = s.label_id WHERE p.gap_ts = w.gap_ts AND p.device = w.device"
	" ORDER BY p.dur DESC, p.cause LIMIT 1)"
	" FROM whole w ORDER BY w.gap_dur DESC, w.gap_ts, w.device";

static const char *const gap_titles[] = {
	"idle", "after start", "?device", "?step", "<largest causes", "<host meanwhile", NULL};

static const char ops_sql[] =
	"SELECT total(exclusive_ns), 100.0 * total(exclusive_ns) / "
	"nullif(total(total(exclusive_ns)) OVER "
	"(),"
	" 0), sum(count), total(dur_ns) / sum(count), iif(max(mark) IS 'device_wait', 'wait', "
	"engine), data_type, name"
	" FROM op_total WHERE trace_id = ?1 AND ?2 < 0 GROUP BY engine, data_type, name"
	" ORDER BY 1 DESC, total(dur_ns) DESC, name, data_type, engine LIMIT ?3";
static const char *const op_titles[] = {
	"exclusive", "share", "?count", "?mean", "<engine", "?<type", "<operation", NULL};

/* The device time of an operator, module or phase is the sum over what it launched
 * (docs/operators.md). */
static const char phases_sql[] =
	"SELECT phase, device_ns, 100.0 * device_ns / nullif(total(device_ns) OVER (), 0),"
	" device_count, host_ns, count FROM phase_total WHERE trace_id = ?1 AND ?2 < 0"
	" AND ?1 IN (SELECT trace_id FROM op_tree_row WHERE kind = 'operator')"
	" ORDER BY 2 DESC, host_ns DESC, phase LIMIT ?3";
static const char *const phase_titles[] = {
	"<phase", "device", "share", "?operations", "?host", "?operators", NULL};

static const char operators_sql[] =
	"SELECT device_self_ns, 100.0 * device_self_ns / nullif(total(device_self_ns) OVER (), 0),"
	" device_ns, nullif(backward_device_ns, 0), count, host_ns, host_self_ns, name"
	" FROM operator_total WHERE trace_id = ?1 AND ?2 < 0"
	" AND EXISTS (SELECT 1 FROM operator_total WHERE trace_id = ?1 AND device_self_ns > 0)"
	" ORDER BY device_self_ns DESC, host_self_ns DESC, name LIMIT ?3";
static const char *const operator_titles[] = {"device", "share", "?with callees", "?backward",
	"?count", "?host", "?host self", "<operator", NULL};

static const char shapes_sql[] =
	"SELECT device_self_ns, count, device_self_ns / count, name, input_dims FROM operator_shape"
	" WHERE trace_id = ?1 AND ?2 < 0 AND node_id IN (SELECT node_id FROM operator_shape"
	"  WHERE trace_id = ?1 AND device_self_ns > 0 AND shape IS NOT NULL"
	"  ORDER BY device_self_ns DESC, node_id LIMIT ?3)"
	" AND shape IS NOT NULL ORDER BY device_self_ns DESC, node_id LIMIT ?3";
static const char *const shape_titles[] = {
	"device", "count", "?mean", "<operator", "<inputs", NULL};

static const char kernels_sql[] =
	"SELECT total(dur_ns), 100.0 * total(dur_ns) / nullif(total(total(dur_ns)) OVER (), 0),"
	" sum(count), total(dur_ns) / sum(count), operator, name FROM op_kernel"
	" WHERE trace_id = ?1 AND ?2 < 0 AND EXISTS (SELECT 1 FROM op_kernel_row"
	"  WHERE trace_id = ?1 AND node_id IS NOT NULL)"
	" GROUP BY operator, name ORDER BY 1 DESC, 3 DESC, 5, 6 LIMIT ?3";
static const char *const kernel_titles[] = {
	"device", "share", "?count", "?mean", "<launched by", "<operation", NULL};

static const char modules_sql[] =
	"SELECT device_ns, nullif(backward_device_ns, 0), count, host_ns, name FROM module_total"
	" WHERE trace_id = ?1 AND ?2 < 0"
	" ORDER BY device_ns + backward_device_ns DESC, host_ns DESC, kind, name LIMIT ?3";
static const char *const module_titles[] = {
	"device", "?backward", "count", "host", "<module or range", NULL};

static const char python_sql[] =
	"SELECT device_self_ns, device_ns, count, host_self_ns, name FROM python_total"
	" WHERE trace_id = ?1 AND ?2 < 0"
	" ORDER BY device_self_ns DESC, host_self_ns DESC, name LIMIT ?3";
static const char *const python_titles[] = {
	"device", "?with callees", "count", "host self", "<line of Python", NULL};

/* Lanes overlap, so a share is relative to the sum over all lanes, not to the wall time. */
static const char types_sql[] =
	"SELECT total(dur_ns), 100.0 * total(dur_ns) / nullif(total(total(dur_ns)) OVER (), 0), "
	"sum(count),"
	" coalesce(data_type, 'not said') FROM op_total"
	" WHERE trace_id = ?1 AND ?2 < 0 AND engine = 'mme' GROUP BY data_type"
	" ORDER BY 1 DESC, 4 LIMIT ?3";
static const char *const type_titles[] = {"lane time", "share", "?count", "<type", NULL};

static const char recipes_sql[] =
	"SELECT total(exclusive_ns), 100.0 * total(exclusive_ns) / "
	"nullif(total(total(exclusive_ns)) OVER"
	" (), 0), sum(op_count), coalesce(recipe, 'none') FROM recipe_total"
	" WHERE trace_id = ?1 AND ?2 < 0 GROUP BY recipe ORDER BY 1 DESC, 3 DESC, 4 LIMIT ?3";
static const char *const recipe_titles[] = {"exclusive", "share", "?operations", "<recipe", NULL};

/* Not for Gaudi: it has dozens of lanes of each kind, and a line below the bars shows them. */
static const char streams_sql[] =
	"SELECT busy_ns, 100.0 * busy_ns / nullif((SELECT value FROM metric m WHERE m.trace_id = ?1"
	" AND m.name = 'device_busy_ns' AND m.device = l.device AND m.step IS NULL), 0), op_count,"
	" device, coalesce(engine, 'several'), lane FROM lane_total l WHERE trace_id = ?1 AND ?2 < "
	"0"
	" AND coalesce(engine, '') NOT IN ('mme', 'tpc', 'dma', 'nic', 'other')"
	" ORDER BY 1 DESC, op_count DESC, track_id LIMIT ?3";
static const char *const stream_titles[] = {
	"busy", "of device", "?operations", "device", "?<engine", "<stream", NULL};

/* Sorted by exposed time, so that what costs most comes first. */
static const char communication_sql[] =
	"SELECT exposed_ns, dur_ns, wait_ns, count, bytes,"
	" iif(algorithm_bytes_per_s IS NULL, NULL, printf('%.1f', algorithm_bytes_per_s / 1e9)),"
	" iif(bus_bytes_per_s IS NULL, NULL, printf('%.1f', bus_bytes_per_s / 1e9)),"
	" coalesce(lane, iif(device IS NULL, 'host', device)), kind, group_size"
	" FROM communication_total WHERE trace_id = ?1 AND ?2 < 0"
	" ORDER BY 1 DESC, 2 DESC, kind, group_name, bytes, device, lane LIMIT ?3";
static const char *const communication_titles[] = {"exposed", "time", "?waiting", "count",
	"?-bytes", "?GB/s", "?bus GB/s", "?<where", "<collective", "?-ranks", NULL};

static const char queues_sql[] =
	"SELECT q.launched_count, q.mean_delay_ns, q.max_delay_ns,"
	" printf('%.1f', q.mean_depth), q.max_depth, q.device, iif(q.full_ns > 0, q.full_ns, NULL),"
	" q.lane FROM stream_queue q JOIN track t ON t.id = q.track_id"
	" WHERE q.trace_id = ?1 AND ?2 < 0"
	" AND coalesce(t.engine, '') NOT IN ('mme', 'tpc', 'dma', 'nic', 'other')"
	" ORDER BY q.launched_count DESC, q.track_id LIMIT ?3";
static const char *const queue_titles[] = {"?launches", "mean delay", "?longest", "?mean depth",
	"depth at most", "?device", "?full", "<stream", NULL};

static const char idle_sql[] =
	"SELECT i.idle_ns, 100.0 * i.idle_ns / nullif(total(i.idle_ns) OVER (PARTITION BY"
	" i.track_id), 0), i.count, i.cause, i.device, i.lane FROM stream_idle i"
	" JOIN track t ON t.id = i.track_id WHERE i.trace_id = ?1 AND ?2 < 0 AND i.idle_ns > 0"
	" AND coalesce(t.engine, '') NOT IN ('mme', 'tpc', 'dma', 'nic', 'other')"
	" ORDER BY i.track_id, i.idle_ns DESC, i.cause LIMIT ?3";
static const char *const idle_titles[] = {
	"idle", "?of stream", "?pauses", "<HTA's cause", "?device", "<stream", NULL};

/* Sorted by self time before total time, since the outermost slices contain all the others. */
static const char host_sql[] =
	"SELECT exposed_ns, self_ns, dur_ns, count, role, name FROM host_total"
	" WHERE trace_id = ?1 AND ?2 < 0 AND exposed_ns > 0 AND is_launching"
	" ORDER BY self_exposed_ns DESC, exposed_ns DESC, dur_ns DESC, name, category"
	" LIMIT ?3";
static const char *const host_titles[] = {
	"exposed", "?self", "?total", "?count", "<role", "<slice", NULL};

static const char events_sql[] =
	"SELECT role, count(*), sum(is_warm_up), total(dur), total(exposed_ns), "
	"total(idle_after_ns),"
	" name || coalesce(' in ' || caller, '') || coalesce(' at ' || python, '')"
	" FROM host_event WHERE trace_id = ?1 AND" OF_STEP "GROUP BY role, name, caller, python"
	" ORDER BY total(exposed_ns) + total(idle_after_ns) DESC, total(dur) DESC, role, 7 LIMIT "
	"?3";
static const char *const event_titles[] = {
	"<role", "count", "?warm-up", "?time", "exposed", "?idle after", "<call", NULL};

/* One row for each sequence of operations, or for each recipe where sequences are not recorded. */
static const char compiles_sql[] =
	"SELECT iif(count(DISTINCT s.number) = 1, min(s.number), min(s.number) || ' to ' ||"
	" max(s.number)), count(*), sum(c.kind = 'first'), sum(c.kind = 'again'), total(c.dur),"
	" total(c.exposed_ns), max(c.changed), iif(c.op_count > 0, c.op_count || ' operations',"
	" coalesce(c.recipe, 'not recorded'))"
	" FROM compile c LEFT JOIN step s ON s.id = c.step_id"
	" WHERE c.trace_id = ?1 AND (?2 < 0 OR s.number = ?2)"
	" GROUP BY c.op_sequence, iif(c.op_sequence IS NULL, c.recipe, NULL)"
	" ORDER BY total(c.exposed_ns) DESC, total(c.dur) DESC, min(c.id) LIMIT ?3";
static const char *const compile_titles[] = {
	"?<step", "count", "-first", "again", "time", "?exposed", "?<changed", "<graph", NULL};

static const char waits_sql[] =
	"SELECT count(*), total(dur), max(dur), total(idle_after_ns),"
	" coalesce(op, 'unknown'),"
	" name || coalesce(' in ' || caller, '') || coalesce(' at ' || python, '')"
	" FROM host_wait WHERE trace_id = ?1 AND" OF_STEP "GROUP BY name, caller, python, op"
	" ORDER BY 2 DESC, 1 DESC, 6, op LIMIT ?3";
static const char *const wait_titles[] = {
	"count", "blocked", "?longest", "?idle after", "?<waited for", "<call", NULL};

static const struct tc_section sections[] = {
	{"Steps", steps_sql, step_titles, "tnpnnnnnn", false},
	{"Device idle time by cause", causes_sql, cause_titles, "tnpcnw", true},
	{"Longest gaps", gaps_sql, gap_titles, "nntttt", false},
	{"Device operations by exclusive time", ops_sql, op_titles, "npcnett", false},
	{"Phases", phases_sql, phase_titles, "tnpcnc", false},
	{"Operators by device time", operators_sql, operator_titles, "npnncnnt", false},
	{"Operators by sizes of inputs", shapes_sql, shape_titles, "ncntt", false},
	{"Device operations by operator", kernels_sql, kernel_titles, "npcntt", false},
	{"Modules and ranges", modules_sql, module_titles, "nncnt", false},
	{"Lines of Python", python_sql, python_titles, "nncnt", false},
	{"MME time by data type", types_sql, type_titles, "npct", false},
	{"Recipes by exclusive time", recipes_sql, recipe_titles, "npct", false},
	{"Streams", streams_sql, stream_titles, "npctet", false},
	{"Communication", communication_sql, communication_titles, "nnncbttttc", false},
	{"Host slices of launching threads", host_sql, host_titles, "nnnctt", false},
	{"Graph compilations", compiles_sql, compile_titles, "tcccnntt", false},
	{"Blocking waits", waits_sql, wait_titles, "cnnnot", false},
	{"Loader calls, copies, compiles, waits, fallbacks", events_sql, event_titles, "tccnnnt",
		false},
};

static const struct tc_section queues[] = {
	{"Queues of streams", queues_sql, queue_titles, "cnntctnt", false},
	{"Idle time of streams", idle_sql, idle_titles, "npcttt", false},
};

/* "GAUDI2: 432 TFLOPS in bf16, 865 in fp8, 96 GB of HBM at 2460 GB/s". */
static void put_peaks(struct tc_job *job, const struct tc_view *view)
{
	struct tc_rows rows;

	tc_doc_heading(&job->doc, "Data sheet of the device");
	tc_rows_open(&rows, job->ctx, job->db,
		"SELECT device_name, hbm_bytes / 1e9, hbm_bytes_per_s / 1e9,"
		" (SELECT group_concat(text, ', ') FROM (SELECT printf('%.10g%s in %s',"
		" flops_per_s / 1e12, iif(row_number() OVER w = 1, ' TFLOPS', ''), precision)"
		" AS text FROM precision_peak WHERE trace_id = ?1"
		" WINDOW w AS (ORDER BY flops_per_s, precision) ORDER BY flops_per_s, precision))"
		" FROM device_peak WHERE trace_id = ?1 ORDER BY rowid");
	tc_rows_bind(&rows, 1, view->id);
	while (tc_rows_next(&rows)) {
		struct tc_buf *line = tc_doc_paragraph(&job->doc);
		tc_buf_append_text(line, tc_rows_text(&rows, 0));
		tc_buf_append_string(line, ": ");
		if (!tc_rows_null(&rows, 3)) {
			tc_buf_append_text(line, tc_rows_text(&rows, 3));
			tc_buf_append_string(line, ", ");
		}
		if (!tc_rows_null(&rows, 1))
			tc_buf_format(line, "%.0f GB of HBM", tc_rows_real(&rows, 1));
		else
			tc_buf_append_string(line, "memory");
		tc_buf_format(line, " at %.0f GB/s (docs/hardware.md)", tc_rows_real(&rows, 2));
	}
	tc_rows_close(&rows);
}

void tc_put_longest(struct tc_job *job, const struct tc_view *view)
{
	static const char *const columns[] = {"total", "?count", "<Longest slices", NULL};
	static const struct tc_section longest = {"",
		"SELECT total(dur_ns), sum(count), name FROM host_total WHERE trace_id = ?1"
		" AND ?2 < 0 AND ?3 > 0 GROUP BY name ORDER BY 1 DESC, name LIMIT 5",
		columns, "nct", false};

	tc_put_section(job, view, &longest);
}

/* Kernels of a replayed graph count for the operators that were captured. This note gives the time
 * of those whose capture is not in the trace. */
static void put_graph_note(struct tc_job *job, const struct tc_view *view)
{
	struct tc_rows rows;

	tc_rows_open(&rows, job->ctx, job->db,
		"SELECT total(k.dur_ns), min(l.name) FROM op_kernel_row k"
		" JOIN op_tree_row n ON n.id = k.node_id JOIN label l ON l.id = n.label_id"
		" WHERE k.trace_id = ?1 AND l.mark = 'graph_launch' AND k.capture_id IS NULL"
		" HAVING count(*) > 0");
	tc_rows_bind(&rows, 1, view->id);
	if (tc_rows_next(&rows)) {
		struct tc_buf *line = tc_doc_paragraph(&job->doc);
		tc_format_ns(line, tc_rows_int(&rows, 0));
		tc_buf_append_string(line, " of it ran in graphs whose capture is not known: "
					   "it counts for the operator around ");
		tc_buf_append_text(line, tc_rows_text(&rows, 1));
		tc_buf_append_string(
			line, ". Give a trace that has the capture with --capture FILE.");
	}
	tc_rows_close(&rows);
}

void tc_put_details(struct tc_job *job, const struct tc_view *view)
{
	for (size_t i = 0; i < TC_COUNT_OF(sections); i++) {
		tc_put_section(job, view, &sections[i]);
		if (sections[i].sql == kernels_sql && job->options.step < 0)
			put_graph_note(job, view);
	}
	for (size_t i = 0; i < TC_COUNT_OF(queues); i++)
		tc_put_costly_section(job, view, &queues[i]);
	tc_put_roofline(job, view);
	tc_put_memory(job, view);
	put_peaks(job, view);
}
