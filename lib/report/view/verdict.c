/*
 * The verdict: one sentence that a reader can act on, and its limits. It says what a trace cannot
 * show before it gives any share, so that an empty or incomplete trace never reads as healthy.
 */
#include "report/text/format.h"
#include "core/saturate.h"
#include "decode/sink.h"
#include "names/label/label.h"
#include "replay/program.h"
#include "report/view/view.h"

/* Our own defaults. None has a published source, unless its comment names one. */
#define VERDICT_IDLE_PCT 20      /* below this, idle time is not the main problem */
#define VERDICT_WAIT_PCT 10      /* device operations that only wait, worth a sentence */
#define VERDICT_OPERATION_PCT 33 /* of the time: an operation that is named */
#define VERDICT_NAME_COLUMNS 60
#define VERDICT_START_PCT 10 /* of the analysed time: start-up worth a word */
#define VERDICT_COMM_PCT 10  /* exposed communication worth a sentence; TensorBoard's rule */
#define VERDICT_SLOW_PCT 125 /* of the median: from here on, a step is slow */
#define VERDICT_SLOW_STEPS 5 /* with fewer steps the median does not show which ones are slow */
#define VERDICT_SLOW_NAMED                                                                         \
	3 /* slow steps in the sentence; more than a third of the steps is the normal case */
#define VERDICT_ONE_STEP 3 /* with fewer steps it is no news that one has most idle time */

static enum tc_judgement judgement(const struct tc_view *view)
{
	const struct tc_judge_facts facts = {
		.slice_count = tc_metric(&view->whole.run, TC_METRIC_SLICE_COUNT),
		.device_op_count = tc_metric(&view->whole.run, TC_METRIC_DEVICE_OP_COUNT),
		.recorded_one_of = tc_metric(&view->whole.run, TC_METRIC_RECORDED_ONE_OF),
		.step_count = view->step_count,
		.working_step_count = view->working_step_count,
		.once = view->once,
		.has_device = tc_view_has(view, TC_METRIC_HAS_DEVICE),
		.has_one_clock = !view->whole.run.cells[TC_METRIC_HAS_ONE_CLOCK].present ||
				 tc_view_has(view, TC_METRIC_HAS_ONE_CLOCK)};

	return tc_judge(&facts);
}

bool tc_verdict_judges(const struct tc_view *view)
{
	return judgement(view) == TC_JUDGE_ENOUGH;
}

/* Names the program that writes such traces, without a framework and a device, and how to get a
 * trace that has them. */
static void append_other(struct tc_buf *buf, struct tc_job *job, const struct tc_view *view)
{
	const struct tc_writer *writer = tc_writer_find(view->format);

	if (!writer) {
		tc_buf_append_string(buf, "This is no trace of a deep-learning run, so there is "
					  "nothing to advise.");
		return;
	}
	int64_t thread_count = tc_rows_single(
		job->ctx, job->db, "SELECT count(*) FROM thread WHERE trace_id = ?1", view->id);
	tc_buf_format(buf,
		"This is %s (%s on %s). %s. Without operations of a framework or device work "
		"there is nothing to advise: %s.",
		writer->what,
		tc_show_counted(tc_metric(&view->whole.run, TC_METRIC_SLICE_COUNT), "slice").text,
		tc_show_counted(thread_count, "thread").text, writer->shows, writer->remedy);
}

/* Says why shares of the device's time mean nothing for this trace; false if they do. */
static bool cannot_judge(struct tc_buf *buf, struct tc_job *job, const struct tc_view *view)
{
	int64_t ops = tc_metric(&view->whole.run, TC_METRIC_DEVICE_OP_COUNT);

	switch (judgement(view)) {
	case TC_JUDGE_ENOUGH: return false;
	case TC_JUDGE_NO_SLICES:
		tc_buf_format(buf,
			"No verdict: the trace has %s. Record again, and let steps run while the "
			"profiler is active, after the wait and the warm-up of its schedule. "
			"Choose the activities of the host and of the device.",
			view->event_count == 0 ? "no events, so nothing was recorded"
			: view->loss_count > 0 ? "no slice that could be read"
					       : "counters or marks, and nothing that lasts");
		break;
	case TC_JUDGE_NO_DEVICE:
		if (tc_view_is_other(view))
			append_other(buf, job, view);
		else
			tc_buf_append_string(buf, "No device work in this trace, so device "
						  "utilization is unknown.");
		break;
	case TC_JUDGE_DEGENERATE:
		tc_buf_format(buf,
			"No verdict: only %s of %s steps launched the device work in the "
			"trace. No time below describes the run.",
			tc_show_count(view->working_step_count).text,
			tc_show_count(view->step_count).text);
		break;
	case TC_JUDGE_MISSING:
		tc_buf_format(buf,
			"No verdict: many operations are missing from this recording. About 1 of "
			"%s is in the file, so no time below describes the run. Record a few "
			"whole steps again, without sampling.",
			tc_show_count(tc_metric(&view->whole.run, TC_METRIC_RECORDED_ONE_OF)).text);
		break;
	case TC_JUDGE_CLOCKS:
		tc_buf_append_string(buf,
			"No verdict: the times of steps and device work are too far apart to be "
			"of one clock. No time below describes the run.");
		break;
	case TC_JUDGE_CAPTURE:
		tc_buf_append_string(buf, "No verdict: the recording captures graphs, which "
					  "happens once. Record their replays.");
		break;
	case TC_JUDGE_START_UP:
		tc_buf_append_string(buf,
			"No verdict: nearly all of the recording is start-up, which happens once. "
			"Run some iterations before recording.");
		break;
	case TC_JUDGE_FEW_OPS:
		tc_buf_format(buf, "No verdict: only %lld device operation%s recorded.",
			(long long)ops, ops == 1 ? " was" : "s were");
		break;
	}
	return true;
}

/* Without a verdict the advice has no severity; this appends a sentence about that. */
static void append_hints(struct tc_buf *buf, const struct tc_job *job, const struct tc_view *view)
{
	if (tc_next_of_kind(job->advice, view->id, TC_HEURISTIC_FIX, NULL))
		tc_buf_append_string(buf, " Treat the advice as hints.");
}

/* ", 51.99 ms of it in step 10" where one step has at least twice as much of a cause's idle time as
 * all others together. That is then start-up, warm-up or a single event, not the normal case. */
static void append_one_step(struct tc_buf *buf, struct tc_job *job, const struct tc_view *view,
	struct tc_text cause, int64_t cause_ns)
{
	if (job->options.step >= 0 || view->step_count < VERDICT_ONE_STEP)
		return;
	struct tc_rows rows = TC_ROWS(job->ctx, job->db,
		"SELECT step, idle_ns FROM idle_cause WHERE trace_id = ?1 AND cause = ?2"
		" AND step IS NOT NULL ORDER BY idle_ns DESC, step LIMIT 1",
		view->id);
	tc_rows_bind_text(&rows, 2, cause);
	if (tc_rows_next(&rows) && tc_rows_int(&rows, 1) >= cause_ns - cause_ns / 3)
		tc_buf_format(buf, ", %s of it in step %lld",
			tc_rows_int(&rows, 1) >= cause_ns ? "all"
							  : tc_show_ns(tc_rows_int(&rows, 1)).text,
			(long long)tc_rows_int(&rows, 0));
	tc_rows_close(&rows);
}

/* The time that the verdict is about, and how long no device works in it. Both leave out edge_ns,
 * start-up and end of a recording without steps. */
struct judged {
	int64_t wall_ns, wait_ns, edge_ns;
};

static struct judged judged_time(const struct tc_view *view, const struct tc_metric_set *device)
{
	return (struct judged){tc_view_run_ns(view, device), tc_view_idle_ns(device),
		tc_metric(device, TC_METRIC_START_AND_END)};
}

/* Whether idle time is the main problem. */
static bool is_idle(struct judged of)
{
	return tc_format_share_pct(of.wait_ns, of.wall_ns) >= VERDICT_IDLE_PCT;
}

/* Whether the cause is setup in a trace with too few steps to show warm-up: the program then does
 * it once. */
static bool is_start_up(const struct tc_view *view, enum tc_cause cause)
{
	return view->step_count < VERDICT_ONE_STEP && cause == TC_CAUSE_SETUP;
}

/* The cause with most idle time, the first row of the table of idle time by cause; COUNT and 0 for
 * none. */
static enum tc_cause find_cause(int64_t *cause_ns, struct tc_job *job, const struct tc_view *view)
{
	enum tc_cause cause = TC_CAUSE_COUNT;
	struct tc_rows rows = TC_ROWS(job->ctx, job->db,
		"SELECT cause, idle_ns FROM idle_cause WHERE" TC_IDLE_SHOWN
		" ORDER BY idle_ns DESC, cause LIMIT 1",
		view->id, job->options.step);

	*cause_ns = 0;
	if (tc_rows_next(&rows)) {
		cause = tc_cause_find(tc_rows_text(&rows, 0));
		*cause_ns = tc_rows_int(&rows, 1);
	}
	tc_rows_close(&rows);
	return cause;
}

/* Without operations of the framework most of what the host does is not in the trace. */
static bool lacks_cpu_activity(struct tc_job *job, const struct tc_view *view)
{
	return !tc_rows_single(job->ctx, job->db,
		"SELECT 1 FROM host_total WHERE trace_id = ?1 AND category = 'cpu_op' LIMIT 1",
		view->id);
}

/* ", most of it in train.py(31): prepare": the line of the program that pauses. */
static void append_owner(struct tc_buf *buf, struct tc_job *job, const struct tc_view *view)
{
	struct tc_rows rows = TC_ROWS(job->ctx, job->db,
		"SELECT l.name FROM pause_owner o JOIN label l ON l.id = o.label_id"
		" WHERE o.trace_id = ?1 AND l.name <> ''",
		view->id);

	if (tc_rows_next(&rows))
		TC_APPEND(buf, TC_TEXT(", most of it in "), tc_rows_text(&rows, 0));
	tc_rows_close(&rows);
}

/* ". Largest cause: the host fetches the next batch (280.0 ms)" */
static void append_cause(struct tc_buf *buf, struct tc_job *job, const struct tc_view *view)
{
	int64_t cause_ns;
	enum tc_cause cause = find_cause(&cause_ns, job, view);

	if (cause_ns <= 0 || cause == TC_CAUSE_COUNT)
		return;
	struct tc_text name = tc_text_from(tc_cause_name(cause));
	TC_APPEND(buf, TC_TEXT(". Largest cause: "), tc_cause_phrase(name));
	tc_buf_format(buf, " (%s", tc_show_ns(cause_ns).text);
	append_one_step(buf, job, view, name, cause_ns);
	if (cause == TC_CAUSE_PAUSE)
		append_owner(buf, job, view);
	tc_buf_append_char(buf, ')');
	if (cause == TC_CAUSE_UNKNOWN && lacks_cpu_activity(job, view))
		tc_buf_append_string(buf, ". Record the CPU activity, too");
	if (is_start_up(view, cause))
		tc_buf_append_string(
			buf, ". That is start-up: run some iterations before recording");
}

/* "60 % of the time (272.5 ms of 450.7 ms)" */
static void append_of_wall(struct tc_buf *buf, int64_t ns, struct judged of)
{
	tc_buf_format(buf, "%s%s%s of %s)", tc_show_share(tc_format_share_pct(ns, of.wall_ns)).text,
		of.edge_ns > 0 ? " of the time between its first and its last "
				 "operation ("
			       : " of the time (",
		tc_show_ns(ns).text, tc_show_ns(of.wall_ns).text);
}

/* The largest of the parts that keep the device busy: ", the largest part in the MME (14.6 %)". */
static void append_largest(struct tc_buf *buf, const struct tc_view *view, int64_t wall_ns)
{
	static const struct {
		enum tc_metric id;
		const char *name;
	} all[][3] = {
		{{TC_METRIC_COMPUTE_BUSY, "compute kernels"},
			{TC_METRIC_COMM_EXPOSED, "collectives"},
			{TC_METRIC_COPY_EXCLUSIVE, "copies and fills"}},
		{{TC_METRIC_MME_BUSY, "the MME"}, {TC_METRIC_TPC_EXCLUSIVE, "the TPCs"},
			{TC_METRIC_DMA_EXCLUSIVE, "DMA"}},
	};
	int family = tc_view_has(view, TC_METRIC_HAS_GAUDI) ? 1 : 0;
	const struct tc_metric_set *device = tc_view_device(view);
	size_t best = 0;

	for (size_t i = 1; i < 3; i++)
		if (tc_metric(device, all[family][i].id) > tc_metric(device, all[family][best].id))
			best = i;
	int64_t most_ns = tc_metric(device, all[family][best].id);
	/* The work of a step that goes on behind it on the host is no part of the step's time. */
	if (most_ns > 0 && most_ns <= wall_ns)
		tc_buf_format(buf, ", the largest part in %s (%s)", all[family][best].name,
			tc_show_pct(tc_format_share_pct(most_ns, wall_ns)).text);
}

/* ", mostly with merge (60.8 %)": the operation that keeps the device busy for most of the time, if
 * names is set; and for how long nothing but waits for other streams runs, which count as busy.
 * With several devices it says nothing, since their times do not add up. */
static void append_operations(struct tc_buf *buf, struct tc_job *job, const struct tc_view *view,
	int64_t wall_ns, bool names)
{
	int64_t waits_ns = 0;
	struct tc_rows rows = TC_ROWS(job->ctx, job->db,
		"SELECT name, CAST(total(exclusive_ns) AS INTEGER), mark IS 'device_wait' AS waits"
		" FROM op_total WHERE trace_id = ?1 AND ?2 < 0"
		" AND (SELECT count(DISTINCT device) FROM op_total WHERE trace_id = ?1) = 1"
		" GROUP BY name, waits ORDER BY waits, 2 DESC, name",
		view->id, job->options.step);

	for (bool first = true; tc_rows_next(&rows); first = false) {
		int64_t ns = tc_rows_int(&rows, 1);
		double pct = tc_format_share_pct(ns, wall_ns);
		if (tc_rows_int(&rows, 2)) {
			waits_ns = tc_add_saturated(waits_ns, ns);
		} else if (first && names && pct >= VERDICT_OPERATION_PCT) {
			tc_buf_append_string(buf, ", mostly with ");
			tc_format_clean(buf, tc_rows_text(&rows, 0), false, VERDICT_NAME_COLUMNS);
			tc_buf_format(buf, " (%s)", tc_show_pct(pct).text);
		}
	}
	if (tc_format_share_pct(waits_ns, wall_ns) >= VERDICT_WAIT_PCT)
		tc_buf_format(buf, ". For %s of that, only waits for other streams run",
			tc_show_ns(waits_ns).text);
}

/* Counts the devices that have a busy share, and finds the smallest such share. */
static size_t working_devices(const struct tc_view *view, double *least_pct)
{
	size_t count = 0;

	*least_pct = 100;
	for (size_t i = 0; i < view->shown->device_count; i++) {
		const struct tc_metric_set *device = &view->shown->devices[i];
		double pct = tc_view_busy_pct(view, device);
		if (!device->cells[TC_METRIC_DEVICE_BUSY_PCT].present)
			continue;
		count++;
		*least_pct = pct < *least_pct ? pct : *least_pct;
	}
	return count;
}

/* "The device is busy ". Of several devices together, only the time in which none works is
 * known. */
static void append_subject(struct tc_buf *buf, size_t device_count, bool idle)
{
	if (device_count < 2) {
		tc_buf_append_string(buf, idle ? "The device is idle " : "The device is busy ");
		return;
	}
	tc_buf_append_string(buf, idle ? "All " : "At least one of the ");
	tc_format_count(buf, (int64_t)device_count);
	tc_buf_append_string(buf, idle ? " devices are idle " : " devices is busy ");
}

/* ", but 56 % is exposed communication. Largest cause: collectives wait for another rank (8.600
 * ms)" */
static void append_communication(
	struct tc_buf *buf, struct tc_job *job, const struct tc_view *view, double pct)
{
	int64_t wait_ns = tc_view_rank_wait(job, view).wait_ns;

	tc_buf_format(buf, ", but %s is exposed communication", tc_show_pct(pct).text);
	if (wait_ns < tc_metric(tc_view_device(view), TC_METRIC_COMM_EXPOSED) / 2 + 1)
		return;
	tc_buf_append_string(buf, ". Largest cause: ");
	tc_append_rank_wait(buf);
	tc_buf_format(buf, " (%s)", tc_show_ns(wait_ns).text);
}

static void judge(struct tc_buf *buf, struct tc_job *job, const struct tc_view *view)
{
	const struct tc_metric_set *device = tc_view_device(view);
	struct judged of = judged_time(view, device);
	int64_t comm_ns = tc_metric(device, TC_METRIC_COMM_EXPOSED);
	double comm_pct = tc_format_share_pct(comm_ns, of.wall_ns);
	int64_t unknown_ns = tc_metric(device, TC_METRIC_DEVICE_UNKNOWN);
	int64_t busy_ns = tc_sub_saturated(of.wall_ns, tc_add_saturated(of.wait_ns, unknown_ns));
	double least_pct;
	size_t device_count = working_devices(view, &least_pct);

	if (is_idle(of) && of.wait_ns >= comm_ns) {
		append_subject(buf, device_count, true);
		append_of_wall(buf, of.wait_ns, of);
		append_cause(buf, job, view);
	} else {
		append_subject(buf, device_count, false);
		append_of_wall(buf, busy_ns, of);
		if (comm_pct >= VERDICT_COMM_PCT)
			append_communication(buf, job, view, comm_pct);
		else
			append_largest(buf, view, of.wall_ns);
		append_operations(buf, job, view, of.wall_ns, comm_pct < VERDICT_COMM_PCT);
	}
	if (device_count > 1)
		tc_buf_format(
			buf, ". The most idle one is busy %s of it", tc_show_share(least_pct).text);
	if (unknown_ns > 0) {
		tc_buf_append_string(buf, ". ");
		append_of_wall(buf, unknown_ns, of);
		tc_buf_append_string(
			buf, " is device work that was not recorded: do not read it as idle");
	}
	tc_buf_append_char(buf, '.');
}

/* Appends what makes the numbers doubtful; returns how many reasons there are. */
static size_t append_doubts(
	struct tc_buf *buf, const struct tc_job *job, const struct tc_view *view)
{
	size_t count = 0;

	for (const struct tc_finding *finding = NULL;
		(finding = tc_next_of_kind(job->advice, view->id, TC_HEURISTIC_QUALITY, finding));)
		if (finding->severity == TC_SEVERITY_HIGH)
			tc_buf_format(buf, "%s%s", count++ == 0 ? " Warning: " : "; ",
				finding->heuristic->title);
	tc_buf_append_string(buf, count > 0 ? "." : "");
	return count;
}

static void append_left_out(struct tc_buf *buf, int64_t ns, const char *which)
{
	tc_buf_format(buf, " The %s%s", tc_show_ns(ns).text, which);
}

/* The table below has a row for the edges, and its shares are of the whole time. */
static void append_edges(struct tc_buf *buf, const struct tc_view *view, int64_t edge_ns)
{
	append_left_out(buf, edge_ns,
		" before the first and after the last device work do not count in this share. "
		"Below, they are \"start and end\", and shares are of all ");
	tc_buf_format(buf, "%s.", tc_show_ns(tc_metric(&view->shown->run, TC_METRIC_WALL)).text);
}

/* Says what the verdict leaves out: the time before the first step, which no table has either, and
 * the time before and after device work, which the table has. */
static void append_start(
	struct tc_buf *buf, const struct tc_job *job, const struct tc_view *view, bool judged)
{
	const struct tc_metric_set *run = &view->whole.run;
	int64_t wall_ns = tc_metric(run, TC_METRIC_WALL);
	bool steps = tc_view_has(view, TC_METRIC_HAS_STEPS);
	int64_t edge_ns = judged ? judged_time(view, tc_view_device(view)).edge_ns : 0;

	if (tc_metric(run, TC_METRIC_SLICE_COUNT) == 0)
		return;
	if (edge_ns > 0)
		append_edges(buf, view, edge_ns);
	else if (!steps && tc_view_has(view, TC_METRIC_HAS_DEVICE))
		tc_buf_append_string(
			buf, judged ? " The shares cover the whole file, including start-up."
				    : " The times cover the whole file, including start-up.");
	if (job->options.step < 0 && steps &&
		tc_format_share_pct(view->before_steps_ns, wall_ns) >= VERDICT_START_PCT)
		append_left_out(
			buf, view->before_steps_ns, " before the first step are not included.");
}

/* " 45 slices are on another clock than all others, the first 12 d 23 h before them, and outside of
 * the analysed time. With them the recording would be 12 d 23 h long." */
static void append_clocks(struct tc_buf *buf, struct tc_job *job, const struct tc_view *view)
{
	int64_t other_ns = tc_metric(&view->whole.run, TC_METRIC_OTHER_CLOCK);
	struct tc_rows rows = TC_ROWS(job->ctx, job->db,
		"SELECT l.count, t.start_ns, t.end_ns FROM import_log l JOIN trace t"
		" ON t.id = l.trace_id WHERE l.trace_id = ?1 AND l.kind = 'clocks_apart'",
		view->id);

	if (tc_rows_next(&rows)) {
		bool is_one = tc_rows_int(&rows, 0) == 1;
		tc_buf_format(buf,
			" %s %s on another clock than all others, %s%s %s them, and outside of the "
			"analysed time. With %s the recording would be %s long.",
			tc_show_counted(tc_rows_int(&rows, 0), "slice").text, is_one ? "is" : "are",
			is_one ? "" : "the first ",
			tc_show_ns(other_ns < 0 ? tc_sub_saturated(0, other_ns) : other_ns).text,
			other_ns < 0 ? "after" : "before", is_one ? "it" : "them",
			tc_show_ns(tc_sub_saturated(tc_rows_int(&rows, 2), tc_rows_int(&rows, 1)))
				.text);
	}
	tc_rows_close(&rows);
}

/* " A slice lasts 13 d 0 h, far beyond all others: nobody recorded that, and the times that it is
 * part of are wrong." */
static void append_far(struct tc_buf *buf, const struct tc_view *view)
{
	int64_t far_ns = tc_metric(&view->whole.run, TC_METRIC_FAR_DURATION);

	if (far_ns > 0)
		tc_buf_format(buf,
			" A slice lasts %s, far beyond all others: nobody recorded that, and the "
			"times that it is part of are wrong.",
			tc_show_ns(far_ns).text);
}

/* " Its time begins 41.7 ms after its first step does on the host: ..." */
static void append_queue(struct tc_buf *buf, const struct tc_view *view)
{
	int64_t queued_ns = tc_metric(&view->whole.run, TC_METRIC_QUEUED_BEFORE);

	if (queued_ns > 0)
		tc_buf_format(buf,
			" Its time begins %s after its first step does on the host: devices first "
			"did what the steps before it had launched.",
			tc_show_ns(queued_ns).text);
}

/* " This is a cut of run.json, steps 3-5: causes and gains are those of this part only." */
static void append_cut(struct tc_buf *buf, struct tc_job *job, const struct tc_view *view)
{
	struct tc_rows rows = TC_ROWS(job->ctx, job->db,
		"SELECT substr(json_extract(value, '$.of'), 1, 100),"
		" substr(json_extract(value, '$.part'), 1, 100) FROM trace_meta"
		" WHERE trace_id = ?1 AND key = '" TC_CUT_MEMBER "' AND json_valid(value)"
		" ORDER BY rowid DESC LIMIT 1",
		view->id);

	bool is_cut = tc_rows_next(&rows) && !tc_rows_null(&rows, 0) && !tc_rows_null(&rows, 1);
	if (is_cut)
		TC_APPEND(buf, TC_TEXT(" This is a cut of "), tc_rows_text(&rows, 0), TC_TEXT(", "),
			tc_rows_text(&rows, 1),
			TC_TEXT(": causes and gains are those of this part, not of the whole "
				"run."));
	tc_rows_close(&rows);
	if (is_cut)
		append_queue(buf, view);
}

/* " Slow steps: 5 (182.0 ms) and 9 (163.5 ms); the median is 126.4 ms." */
static void append_slow_steps(struct tc_buf *buf, struct tc_job *job, const struct tc_view *view)
{
	int64_t median_ns = 0, left = 0, count = 0;
	struct tc_rows rows = TC_ROWS(job->ctx, job->db,
		"SELECT * FROM (SELECT t.number, t.ns, s.median_ns, s.steps, count(*) OVER () AS "
		"slow  FROM step_time t JOIN step_spread s ON s.trace_id = t.trace_id"
		"  WHERE t.trace_id = ?1 AND NOT t.is_warm_up AND s.steps >= ?2"
		"   AND t.ns * 100.0 >= s.median_ns * ?3)"
		" WHERE slow * 3 <= steps ORDER BY ns DESC, number",
		view->id, VERDICT_SLOW_STEPS, VERDICT_SLOW_PCT);

	while (tc_rows_next(&rows)) {
		median_ns = tc_rows_int(&rows, 2);
		left = tc_rows_int(&rows, 4) - ++count;
		if (count > VERDICT_SLOW_NAMED)
			continue;
		bool is_last = left == 0;
		tc_buf_format(buf, "%s%lld (%s)",
			count > 1 ? (is_last ? " and " : ", ")
				  : (is_last ? " Slow step: " : " Slow steps: "),
			(long long)tc_rows_int(&rows, 0), tc_show_ns(tc_rows_int(&rows, 1)).text);
	}
	if (count > VERDICT_SLOW_NAMED)
		tc_buf_format(buf, " and %s more", tc_show_count(count - VERDICT_SLOW_NAMED).text);
	if (count > 0) {
		tc_buf_format(buf, "; the median is %s.", tc_show_ns(median_ns).text);
	}
}

/* " It has work of the device for the first 121.7 ms of 176.0 ms (69 %)." */
static void append_last_work(struct tc_buf *buf, struct tc_job *job, const struct tc_view *view)
{
	const char *of_step = job->options.step >= 0 ? " of this step" : "";
	struct tc_rows rows = TC_ROWS(job->ctx, job->db,
		"SELECT max(0, d.until - w.start), w.dur FROM"
		" (SELECT min(s.ts) AS start, max(s.ts + s.dur) - min(s.ts) AS dur"
		"  FROM counted_step s WHERE s.trace_id = ?1 AND (?2 < 0 OR s.number = ?2)) w"
		" JOIN (SELECT max(s.device_ts + s.device_dur) AS until FROM counted_step s"
		"  WHERE s.trace_id = ?1) d WHERE d.until < w.start + w.dur",
		view->id, job->options.step);

	if (tc_rows_next(&rows)) {
		int64_t done_ns = tc_rows_int(&rows, 0), wall_ns = tc_rows_int(&rows, 1);
		if (done_ns == 0)
			tc_buf_format(buf, " It has no work of the device%s.", of_step);
		else
			tc_buf_format(buf,
				" It has work of the device for the first %s of %s%s (%s).",
				tc_show_ns(done_ns).text, tc_show_ns(wall_ns).text, of_step,
				tc_show_share(100.0 * (double)done_ns / (double)wall_ns).text);
	}
	tc_rows_close(&rows);
}

bool tc_verdict_end(
	struct tc_buf *buf, struct tc_job *job, const struct tc_view *view, int64_t rank)
{
	if (!tc_view_has(view, TC_METRIC_ENDS_EARLY))
		return false;
	tc_buf_append_string(buf, "The file");
	if (rank >= 0)
		tc_buf_format(buf, " of rank %lld", (long long)rank);
	tc_buf_append_string(buf, " ends early, after ");
	tc_format_bytes(buf, view->read_bytes);
	tc_buf_append_char(buf, '.');
	if (tc_view_has(view, TC_METRIC_WORK_IS_CUT))
		append_last_work(buf, job, view);
	if (rank < 0)
		tc_buf_append_string(buf, " What follows is about the part that was read.");
	return true;
}

void tc_verdict_parts(struct tc_buf *headline, struct tc_buf *limits, struct tc_job *job,
	const struct tc_view *view)
{
	if (job->options.step >= 0 && !view->step_here) {
		tc_buf_format(
			headline, "This trace has no step %lld.", (long long)job->options.step);
		return;
	}
	bool judged = !cannot_judge(headline, job, view);
	if (judged)
		judge(headline, job, view);
	else
		append_hints(limits, job, view);
	append_clocks(limits, job, view);
	append_far(limits, view);
	append_start(limits, job, view, judged);
	append_cut(limits, job, view);
	if (judged && job->options.step < 0)
		append_slow_steps(limits, job, view);
}

void tc_verdict(struct tc_buf *buf, struct tc_job *job, const struct tc_view *view)
{
	tc_verdict_parts(buf, buf, job, view);
	if (job->options.step >= 0 && !view->step_here)
		return;
	if (append_doubts(buf, job, view) == 0 && view->loss_count > 0)
		tc_buf_append_string(
			buf, " Part of the file could not be read: see the import log.");
}

/* What a thread does while the run waits for it has the words of the idle time that it causes. */
static void append_host_piece(struct tc_buf *line, struct tc_text role)
{
	struct tc_text cause = tc_role_find(role) == TC_ROLE_OTHER
				       ? tc_text_from(tc_cause_name(TC_CAUSE_OTHER))
				       : role;

	tc_buf_append_text(
		line, role.ptr ? tc_cause_phrase(cause) : TC_TEXT("nothing recorded on the host"));
}

static void append_device_piece(struct tc_buf *line, struct tc_text engine)
{
	static const struct {
		enum tc_engine engine;
		const char *words;
	} does[] = {{TC_ENGINE_COMPUTE, "the device computes"},
		{TC_ENGINE_COMMUNICATION, "the device communicates"},
		{TC_ENGINE_COPY, "the device copies"}};

	for (size_t i = 0; i < TC_COUNT_OF(does); i++) {
		if (!tc_text_equal(engine, tc_text_from(tc_engine_name(does[i].engine))))
			continue;
		tc_buf_append_string(line, does[i].words);
		return;
	}
	TC_APPEND(line, TC_TEXT("the device works ("), tc_part_title(engine), TC_TEXT(")"));
}

void tc_append_piece(struct tc_buf *line, struct tc_text text, struct tc_text name)
{
	switch (tc_piece_find(text)) {
	case TC_PIECE_HOST: append_host_piece(line, name); break;
	case TC_PIECE_DEVICE: append_device_piece(line, name); break;
	case TC_PIECE_LAUNCH: tc_buf_append_string(line, "launches reach the device"); break;
	case TC_PIECE_QUEUE: tc_buf_append_string(line, "work waits for other work"); break;
	case TC_PIECE_WAKE: tc_buf_append_string(line, "the host goes on after a wait"); break;
	case TC_PIECE_NONE: tc_buf_append_string(line, "not known"); break;
	}
}
