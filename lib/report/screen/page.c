/*
 * The report as pages: one for each job, one for each trace that is not a rank of a job. A page
 * starts with one screen: what the run was, the verdict, where the time went, what to fix, the
 * account in a line, and the command that shows more. Everything else is folded: findings, tables,
 * and the account.
 */
#include <limits.h>
#include <string.h>

#include "report/screen/screen.h"
#include "report/sections/section.h"
#include "report/text/format.h"
#include "report/view/ranks.h"
#include "report/view/view.h"

/* ---- details: what sections/ holds, and the data sheet of the device */

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

/* ---- pages */

#define FOLDED "all findings, host time, tables, and what was not checked"
#define INDENT 2 /* of a line of text */

static void append_rank(struct tc_buf *line, const struct tc_view *view)
{
	if (view->rank < 0)
		return;
	tc_buf_format(line, ", rank %lld", (long long)view->rank);
	if (view->world_size > 0)
		tc_buf_format(line, " of %s", tc_show_count(view->world_size).text);
	if (view->backend.len > 0)
		TC_APPEND(line, TC_TEXT(" ("), view->backend, TC_TEXT(")"));
}

/* ", 210.1 to 221.0 ms": the shortest and the longest of the steps that are not warm-up. */
static void append_spread(struct tc_buf *line, const struct tc_job *job, const struct tc_view *view)
{
	struct tc_rows rows = TC_ROWS(job->ctx, job->db,
		"SELECT min_ns, max_ns FROM step_spread WHERE trace_id = ?1 AND steps > 1",
		view->id);

	if (tc_rows_next(&rows)) {
		const struct tc_shown least = tc_show_ns(tc_rows_int(&rows, 0));
		const struct tc_shown most = tc_show_ns(tc_rows_int(&rows, 1));
		size_t digits = strcspn(least.text, " ");
		const char *unit = least.text + digits; /* " d 19 h" of a long time is no unit */
		bool has_one_unit = strcmp(unit, most.text + strcspn(most.text, " ")) == 0 &&
				    strrchr(unit, ' ') == unit;
		tc_buf_format(line, ", %.*s to %s", has_one_unit ? (int)digits : INT_MAX,
			least.text, most.text);
	}
	tc_rows_close(&rows);
}

/* The mean of a step is that of the steps that are not warm-up, as comparisons and batches have it.
 */
static void append_steps(struct tc_buf *line, const struct tc_job *job, const struct tc_view *view)
{
	const struct tc_metric_set *run = &view->whole.run;
	int64_t steady_count = tc_metric(run, TC_METRIC_STEADY);
	int64_t sum_ns = tc_metric(run, steady_count > 0 ? TC_METRIC_STEADY_SUM : TC_METRIC_WALL);

	if (view->step_count == 0) {
		tc_buf_append_string(line, ", no steps");
		return;
	}
	tc_view_append_count(line, view->step_count, "step");
	if (view->step_count > 1)
		tc_buf_format(line, " (%lld to %lld, mean ", (long long)view->step_first,
			(long long)view->step_last);
	else
		tc_buf_append_string(line, " of ");
	tc_format_ns(line, sum_ns / (steady_count > 0 ? steady_count : view->step_count));
	append_spread(line, job, view);
	if (steady_count > 0 && steady_count < view->step_count)
		tc_buf_append_string(line, " without warm-up");
	tc_buf_append_string(line, view->step_count > 1 ? ")" : "");
	if (job->options.step >= 0)
		tc_buf_format(line, ", only step %lld shown", (long long)job->options.step);
}

void tc_put_run(struct tc_job *job, const struct tc_view *view)
{
	const struct tc_metric_set *run = &view->whole.run;
	struct tc_buf *line = tc_doc_paragraph(&job->doc);

	tc_doc_set_shrink_order(&job->doc, TC_SHRINK_LAST, 1);
	tc_view_append_kind(line, view);
	if (tc_view_has(view, TC_METRIC_HAS_DEVICE))
		tc_view_append_count(line, tc_metric(run, TC_METRIC_DEVICE_COUNT), "device");
	append_rank(line, view);
	append_steps(line, job, view);
	tc_view_append_count(line, view->event_count, "event");
	if (view->step_count > 0)
		return;
	tc_buf_format(line, ", %s", tc_show_ns(tc_metric(run, TC_METRIC_WALL)).text);
}

static void put_verdict(struct tc_job *job, const struct tc_view *view)
{
	struct tc_buf end = TC_BUF_EMPTY, headline = TC_BUF_EMPTY, limits = TC_BUF_EMPTY;

	tc_verdict_parts(&headline, &limits, job, view);
	tc_doc_break(&job->doc);
	if (tc_verdict_end(&end, job, view, -1)) {
		tc_doc_paragraph(&job->doc);
		tc_doc_take(&job->doc, &end);
		tc_doc_tone(&job->doc, TC_TONE_STRONG);
		tc_doc_set_shrink_order(&job->doc, TC_SHRINK_LAST, 1);
	}
	tc_doc_paragraph(&job->doc);
	tc_doc_take(&job->doc, &headline);
	tc_doc_tone(&job->doc, TC_TONE_STRONG);
	tc_doc_set_shrink_order(&job->doc, TC_SHRINK_LAST, 2);
	tc_doc_paragraph(&job->doc);
	tc_doc_take(&job->doc, &limits);
	tc_doc_set_shrink_order(&job->doc, TC_SHRINK_LIMITS, 1);
	tc_put_first_notes(job, view);
}

/* A path that is too long for a line loses its first folders. */
static void put_title(struct tc_job *job, const struct tc_view *view)
{
	size_t width = job->write == tc_doc_write_text && job->options.width > 4
			       ? (size_t)job->options.width
			       : SIZE_MAX;
	struct tc_text whole = tc_view_title(job, view), rest = whole;

	while (rest.len > width - (rest.len < whole.len ? 4 : 0) &&
		tc_text_after(rest, TC_TEXT("/"), &rest))
		;
	struct tc_buf *title = tc_doc_title(&job->doc);
	tc_buf_append_string(title, rest.len < whole.len ? ".../" : "");
	tc_buf_append_text(title, rest);
	tc_doc_set_shrink_order(&job->doc, TC_SHRINK_LAST, 1);
}

static void append_words(struct tc_buf *command, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		tc_buf_append_char(command, ' ');
		tc_format_shell_word(command, tc_text_from(words[i]));
	}
}

/* Appends what is read: all that was, as the user gave it, or where other traces are in it, the
 * trace, or the ranks of its job. */
static void append_inputs(
	struct tc_buf *command, const struct tc_job *job, const struct tc_view *view)
{
	struct tc_rows rows = TC_ROWS(job->ctx, job->db,
		"SELECT path, count(*) OVER () FROM trace WHERE id = ?1 OR id IN"
		" (SELECT o.trace_id FROM job_rank j JOIN job_rank o ON o.job_id = j.job_id"
		"  WHERE j.trace_id = ?1) ORDER BY id",
		view->id);
	bool as_given = false;

	while (!as_given && tc_rows_next(&rows)) {
		as_given =
			tc_rows_int(&rows, 1) == view->trace_count && job->options.input_count > 0;
		if (as_given)
			continue;
		tc_buf_append_char(command, ' ');
		tc_format_shell_word(command, tc_rows_text(&rows, 0));
	}
	tc_rows_close(&rows);
	if (as_given)
		append_words(command, job->options.inputs, job->options.input_count);
}

/* "tracecoach explain trace.json" */
static void append_explain(
	struct tc_buf *command, const struct tc_job *job, const struct tc_view *view)
{
	tc_buf_append_string(command, "tracecoach explain");
	if (job->store_path)
		append_words(command, &job->store_path, 1);
	else
		append_inputs(command, job, view);
	append_words(command, job->options.flags, job->options.flag_count);
}

/* The command that shows a fix in detail; none where the trace cannot be read again (standard
 * input). It is never wrapped, so that it can be copied; a long one gets its own line. */
static void put_more(struct tc_job *job, const struct tc_view *view, bool names_rank)
{
	int width = job->write == tc_doc_write_text ? job->options.width - INDENT : INT_MAX;
	struct tc_buf command = TC_BUF_EMPTY;

	if (!tc_ctx_has_shell(job->ctx) ||
		(!job->store_path && tc_text_equal(view->path, TC_TEXT("-"))))
		return;
	append_explain(&command, job, view);
	if (names_rank)
		tc_buf_format(&command, " --rank %lld", (long long)view->rank);
	tc_buf_append_string(&command, " 1");
	tc_doc_say(&job->doc, "Details of a fix:");
	if (tc_format_columns(tc_buf_text(&command)) + (int)sizeof("Details of a fix:") > width)
		tc_doc_code(&job->doc, "sh");
	else
		tc_buf_append_char(&job->doc.text, ' ');
	tc_doc_take(&job->doc, &command);
}

/* Plain text without --details leaves the folded parts out, so there is no need to compute them. */
static bool shows_folded(const struct tc_job *job)
{
	return job->options.details || job->write != tc_doc_write_text;
}

static void put_folded(
	struct tc_job *job, const struct tc_view *view, const struct tc_fix_list *fixes)
{
	tc_doc_fold(&job->doc, FOLDED);
	if (shows_folded(job)) {
		tc_put_findings(job, view, fixes);
		tc_put_device_details(job, view);
		tc_put_host_time(job, view);
		tc_put_details(job, view);
	}
	tc_put_account(job, view);
	tc_doc_fold_end(&job->doc);
}

void tc_put_screen(struct tc_job *job, const struct tc_view *view, const struct tc_fix_list *fixes)
{
	put_verdict(job, view);
	if (!tc_view_shows_time(job, view))
		return;
	bool has_fixes = tc_view_has(view, TC_METRIC_HAS_DEVICE) || fixes->count > 0;
	if (has_fixes && tc_job_is_page(job)) /* a page begins with them */
		tc_put_fixes(job, view, fixes);
	tc_put_time(job, view, fixes);
	if (!tc_view_has(view, TC_METRIC_HAS_DEVICE))
		tc_put_sections(job, view, "screen");
	if (has_fixes && !tc_job_is_page(job))
		tc_put_fixes(job, view, fixes);
	tc_put_account_line(job, view);
}

static bool is_of_job(struct tc_job *job, const struct tc_view *view)
{
	return tc_rows_single(
		job->ctx, job->db, "SELECT 1 FROM job_rank WHERE trace_id = ?1", view->id);
}

static void put_trace(struct tc_job *job, const struct tc_view *view)
{
	struct tc_fix_list fixes;

	if (!tc_fix_list_load(&fixes, job, view->id))
		return;
	job->doc.line_limit = job->top_given ? 0 : TC_SCREEN_LINES;
	put_title(job, view);
	tc_put_run(job, view);
	tc_put_screen(job, view, &fixes);
	if (tc_view_shows_time(job, view)) {
		if (fixes.count > 0)
			put_more(job, view, is_of_job(job, view));
		put_folded(job, view, &fixes);
	}
	tc_job_write(job);
	tc_fix_list_clear(&fixes);
}

/*
 * ---- several traces. The ranks of a job share one screen, and get a report each only when the
 * user asks for it. Other traces get one table together, then a report each.
 */

#define SCREEN_RANKS 8  /* rows on the first screen */
#define SCREEN_ADVICE 4 /* fixes on the first screen, unless --top is given */
#define SCREEN_NOTES 1
#define WAITING_COLUMN 4
#define LATE_COLUMN 6
#define AT_WORK_COLUMN 4
/* The idle time of tc_view_idle_ns(); NULL without device work. */
#define IDLE_SQL " max(CASE m.name WHEN 'idle_ns' THEN m.value END)"

/* A terminal has room for ids only; the titles are in the table of fixes, by the same numbers. */
static void put_line(struct tc_job *job, const struct tc_ranks *ranks,
	const struct tc_rank_line *line, bool judges)
{
	struct tc_doc *doc = &job->doc;
	bool is_whole = ranks->cut_count == 0;
	/* Else the last to arrive may be missing. */
	bool waits_known = is_whole && line->wait_ns >= 0;
	bool last_known = is_whole && (waits_known || (int64_t)ranks->count >= ranks->world_size);

	tc_doc_cell_count(doc, line->rank);
	tc_doc_cell_ns(doc, line->wall_ns);
	tc_doc_cell_ns(doc, line->compute_ns);
	tc_doc_cell_ns(doc, line->exposed_ns);
	tc_doc_cell_string(doc, waits_known ? tc_show_ns(line->wait_ns).text : "?");
	tc_doc_cell_ns(doc, line->idle_ns);
	tc_doc_cell_string(doc, last_known ? tc_show_count(line->late_count).text : "?");
	if (judges && ranks->unknown_ns > 0)
		tc_doc_cell_ns(doc, line->unknown_ns);
	if (line->top)
		tc_buf_format(tc_doc_cell(doc), "#%zu %s",
			tc_ranks_number(ranks, tc_text_from(line->top->heuristic->id)),
			tc_job_is_page(job) ? line->top->heuristic->title
					    : line->top->heuristic->id);
	else
		tc_doc_cell_string(doc, "-");
}

/* Puts a line for each rank in order, at most `most`; the rank that sets the pace is always among
 * them. */
static void put_lines(struct tc_job *job, const struct tc_ranks *ranks, size_t most, bool judges)
{
	static const char *const columns[] = {"rank", "wall time", "?compute", "comm. exposed",
		"waiting", "-idle", "?late", "<!top advice", NULL};
	static const char *const unjudged[] = {"rank", "wall time", "?compute", "comm. exposed",
		"waiting", "-idle or not recorded", "?late", "<!top advice", NULL};
	static const char *const with_unknown[] = {"rank", "wall time", "?compute", "comm. exposed",
		"waiting", "-idle", "?late", "not recorded", "<!top advice", NULL};
	struct tc_doc *doc = &job->doc;
	size_t before = ranks->pace < most ? most : most - 1;

	tc_doc_heading(doc, "Ranks");
	tc_doc_table(doc, !judges ? unjudged : ranks->unknown_ns > 0 ? with_unknown : columns);
	for (size_t i = 0; i < ranks->count; i++)
		if (i < before || i == ranks->pace)
			put_line(job, ranks, &ranks->lines[i], judges);
	if (ranks->count > most)
		tc_buf_format(tc_doc_paragraph(doc), "%s of %s ranks.",
			tc_show_count((int64_t)most).text,
			tc_show_count((int64_t)ranks->count).text);
	tc_buf_append_string(tc_doc_column_note(doc, WAITING_COLUMN),
		"waiting: exposed communication before the last rank arrived.");
	tc_doc_set_shrink_order(doc, TC_SHRINK_READING, 0);
	tc_buf_append_string(tc_doc_column_note(doc, LATE_COLUMN),
		"late: collectives where this rank arrived last.");
	tc_doc_set_shrink_order(doc, TC_SHRINK_READING, 0);
}

static bool is_fix(const struct tc_rank_advice *advice)
{
	return advice->finding->heuristic->kind == TC_HEURISTIC_FIX;
}

/* The fix of an advice on the rank that sets the pace, or NULL. */
static const struct tc_shown_fix *fix_of(
	const struct tc_fix_list *fixes, const struct tc_rank_advice *advice)
{
	for (size_t i = 0; i < fixes->count; i++)
		if (fixes->all[i].finding == advice->finding)
			return &fixes->all[i];
	return NULL;
}

static void put_fix(struct tc_doc *doc, const struct tc_rank_advice *advice, size_t number,
	const struct tc_fix_list *fixes)
{
	tc_doc_cell_count(doc, (int64_t)number);
	tc_doc_cell_string(doc, advice->finding->heuristic->title);
	tc_buf_append_char(tc_doc_link(doc), '#');
	tc_append_anchor(&doc->text, advice->finding);
	if (fixes->whole_ns > 0) {
		tc_put_plan_cells(doc, fixes, fix_of(fixes, advice));
	} else {
		const struct tc_gain_shown on_rank = tc_gain_of(advice->largest);
		tc_put_gain_cell(doc, advice->finding, &advice->gain);
		tc_put_gain_cell(doc, advice->finding, &on_rank);
		tc_doc_cell_count(doc, (int64_t)advice->rank_count);
	}
	tc_append_do(tc_doc_below(doc), advice->finding);
	tc_append_order(&doc->text, fix_of(fixes, advice), number);
}

struct job_fixes {
	const struct tc_fix_list *of_pace;
	struct tc_buf nothing_more;
	size_t count, row_count, most;
	bool has_gainless; /* among the rows shown */
};

/* A row, or a part of the sentence on fixes that add nothing. */
static void take_fix(
	struct tc_doc *doc, struct job_fixes *fixes, const struct tc_rank_advice *advice)
{
	const struct tc_shown_fix *fix = fix_of(fixes->of_pace, advice);
	size_t number = ++fixes->count;

	if (fixes->of_pace->whole_ns > 0 && tc_adds_nothing(fix)) {
		tc_append_nothing_more(&fixes->nothing_more, fixes->of_pace, fix, number);
	} else if (fixes->row_count++ < fixes->most) {
		put_fix(doc, advice, number, fixes->of_pace);
		fixes->has_gainless |= advice->gain_ns <= 0;
	}
}

/* Fixes of the job; those of the plan of the rank that sets the pace come first. */
static void put_fixes(struct tc_job *job, const struct tc_ranks *ranks,
	const struct tc_fix_list *of_pace, size_t most)
{
	static const char *const columns[] = {
		"", "<~Fix, best first", "job saves", "-a rank", "?ranks", NULL};
	bool has_plan = of_pace->whole_ns > 0;
	struct job_fixes fixes = {.of_pace = of_pace, .most = most};
	struct tc_doc *doc = &job->doc;

	tc_doc_break(doc);
	tc_doc_table(doc, has_plan ? tc_plan_columns[of_pace->has_steps] : columns);
	tc_doc_set_shrink_order(doc, TC_SHRINK_FIXES, of_pace->least_rows);
	for (size_t i = 0; i < ranks->advice_count; i++)
		if (is_fix(&ranks->advice[i]))
			take_fix(doc, &fixes, &ranks->advice[i]);
	if (fixes.count == 0)
		tc_doc_say(doc, "No check found time to save on any rank.");
	else if (fixes.row_count > most && job->write == tc_doc_write_text)
		tc_doc_more(doc, fixes.row_count - most);
	else if (fixes.row_count > most)
		tc_job_say_more(job, fixes.row_count - most, "", fixes.row_count);
	const struct tc_rank_line *pace = &ranks->lines[ranks->pace];
	struct tc_buf *note = tc_doc_column_note(doc, 2);
	tc_buf_format(note, "%s: how much shorter %s of ",
		has_plan ? "alone, in this order" : "job saves",
		has_plan && of_pace->has_steps ? "a step" : "the wall time");
	tc_buf_format(note,
		pace->late_order == 1 ? "the median of the ranks that wait for rank %lld gets"
				      : "rank %lld gets",
		(long long)pace->rank);
	tc_buf_format(note, "; then another rank may set the pace.%s%s",
		has_plan ? "" : " a rank: the most that one rank saves alone.",
		fixes.has_gainless ? " -: nothing, or unknown there." : "");
	tc_doc_set_shrink_order(doc, TC_SHRINK_READING, 0);
	tc_put_nothing_more(doc, &fixes.nothing_more);
}

static size_t count_notes(const struct tc_ranks *ranks)
{
	size_t count = 0;

	for (size_t i = 0; i < ranks->advice_count; i++)
		count += !is_fix(&ranks->advice[i]);
	return count;
}

/* Puts the notes on the quality of the recordings. */
static void put_notes(struct tc_job *job, const struct tc_ranks *ranks, size_t most)
{
	size_t count = 0;

	tc_doc_break(&job->doc);
	for (size_t i = 0; i < ranks->advice_count; i++) {
		const struct tc_rank_advice *advice = &ranks->advice[i];
		if (is_fix(advice) || count++ >= most)
			continue;
		struct tc_buf *line = tc_doc_item(&job->doc, "!");
		tc_doc_set_shrink_order(&job->doc, TC_SHRINK_LIMITS, 1);
		tc_buf_format(line, "%s (%s of %s ranks). ", advice->finding->heuristic->title,
			tc_show_count((int64_t)advice->rank_count).text,
			tc_show_count((int64_t)ranks->count).text);
		tc_append_do(line, advice->finding);
	}
	if (count > most)
		tc_buf_format(tc_doc_paragraph(&job->doc), "and %zu more note%s on the traces.",
			count - most, count - most == 1 ? "" : "s");
}

/* Appends "runs/dlrm/: ", the directory with all traces of the job, which the first and the last
 * path share. Nothing where they share none, or in Markdown, which is read elsewhere, an absolute
 * one. */
static void append_directory(struct tc_buf *line, struct tc_job *job, const struct tc_ranks *ranks)
{
	struct tc_rows rows = TC_ROWS(job->ctx, job->db,
		"WITH RECURSIVE p(a, b) AS (SELECT min(t.path), max(t.path) FROM job_rank j"
		" JOIN trace t ON t.id = j.trace_id WHERE j.job_id = ?1), n(i) AS (SELECT 1"
		" UNION ALL SELECT i + 1 FROM n, p WHERE substr(a, 1, i) = substr(b, 1, i)"
		" AND i < length(a)) SELECT substr(a, 1, max(i)) FROM n, p"
		" WHERE substr(a, 1, i) = substr(b, 1, i) AND substr(a, i, 1) = '/'",
		ranks->job_id);
	struct tc_text directory = tc_rows_next(&rows) ? tc_rows_text(&rows, 0) : TC_TEXT_NONE;
	bool is_hidden =
		job->write == tc_doc_write_markdown && tc_text_starts(directory, TC_TEXT("/"));

	if (directory.len > 0 && !is_hidden)
		TC_APPEND(line, directory, TC_TEXT(": "));
	tc_rows_close(&rows);
}

/* What the run was; its steps are those of the rank that sets the pace. */
static void put_job_run(
	struct tc_job *job, const struct tc_ranks *ranks, const struct tc_view *pace)
{
	const struct tc_metric_set *run = &pace->whole.run;
	struct tc_buf *line = tc_doc_paragraph(&job->doc);

	tc_doc_set_shrink_order(&job->doc, TC_SHRINK_LAST, 1);
	append_directory(line, job, ranks);
	tc_view_append_kind(line, pace);
	if (tc_view_has(pace, TC_METRIC_HAS_DEVICE)) {
		tc_view_append_count(line, tc_metric(run, TC_METRIC_DEVICE_COUNT), "device");
		tc_buf_append_string(line, " each");
	}
	append_steps(line, job, pace);
	if (pace->step_count == 0)
		tc_buf_format(line, ", %s", tc_show_ns(tc_metric(run, TC_METRIC_WALL)).text);
	tc_buf_format(line, " on rank %lld", (long long)pace->rank);
}

static void put_job_verdict(struct tc_job *job, const struct tc_ranks *ranks)
{
	tc_doc_break(&job->doc);
	tc_ranks_verdict(tc_doc_paragraph(&job->doc), job, ranks);
	tc_doc_tone(&job->doc, TC_TONE_STRONG);
	tc_doc_set_shrink_order(&job->doc, TC_SHRINK_LAST, 2);
}

/* Says what shows a fix, and the reports of single ranks. A page has them already. */
static void put_job_more(
	struct tc_job *job, const struct tc_ranks *ranks, const struct tc_view *pace)
{
	tc_doc_break(&job->doc);
	if (tc_job_is_page(job))
		return;
	if (ranks->advice_count > 0 && is_fix(&ranks->advice[0]))
		put_more(job, pace, false);
	tc_buf_format(tc_doc_paragraph(&job->doc),
		"%s %lld shows the report of that rank, %s those of all ranks.",
		tc_ctx_word(job->ctx, "--rank"), (long long)pace->rank,
		tc_ctx_word(job->ctx, "--details"));
}

/* A page begins with pictures of the ranks. Queries ask for the job, whose number is that of its
 * first trace. */
static void put_job_pictures(
	struct tc_job *job, const struct tc_ranks *ranks, const struct tc_view *pace)
{
	struct tc_view first = *pace;

	first.id = ranks->job_id;
	tc_put_sections(job, &first, "job");
}

static void put_job_fixes(
	struct tc_job *job, const struct tc_ranks *ranks, const struct tc_fix_list *of_pace)
{
	size_t few = tc_job_is_page(job) ? SIZE_MAX : SCREEN_ADVICE;

	put_fixes(job, ranks, of_pace, job->top_given ? (size_t)job->options.top : few);
	if (of_pace->whole_ns > 0)
		tc_put_plan(job, ranks->lines[ranks->pace].trace_id);
}

static void put_job_screen(struct tc_job *job, const struct tc_ranks *ranks,
	const struct tc_view *pace, const struct tc_fix_list *of_pace)
{
	bool judges = tc_verdict_judges(pace), is_page = tc_job_is_page(job);

	job->doc.line_limit = job->top_given ? 0 : TC_SCREEN_LINES;
	tc_ranks_title(tc_doc_title(&job->doc), ranks);
	put_job_run(job, ranks, pace);
	put_job_verdict(job, ranks);
	if (is_page) {
		put_job_pictures(job, ranks, pace);
		put_job_fixes(job, ranks, of_pace);
	}
	put_lines(job, ranks, SCREEN_RANKS, judges);
	if (!is_page)
		put_job_fixes(job, ranks, of_pace);
	put_notes(job, ranks, SCREEN_NOTES);
	put_job_more(job, ranks, pace);
	if (ranks->count > SCREEN_RANKS || count_notes(ranks) > SCREEN_NOTES) {
		tc_doc_fold(&job->doc, "all ranks and notes");
		put_lines(job, ranks, ranks->count, judges);
		put_notes(job, ranks, ranks->advice_count);
		tc_doc_fold_end(&job->doc);
	}
	tc_job_write(job);
}

static void put_job(struct tc_job *job, const struct tc_ranks *ranks)
{
	struct tc_views views = tc_views_one(job, ranks->lines[ranks->pace].trace_id);

	for (const struct tc_view *pace; (pace = tc_views_next(&views));) {
		struct tc_fix_list fixes;
		if (!tc_fix_list_load(&fixes, job, pace->id))
			continue;
		put_job_screen(job, ranks, pace, &fixes);
		tc_fix_list_clear(&fixes);
	}
}

/* A page for every job of several ranks. */
static void put_jobs(struct tc_job *job)
{
	struct tc_ranks_list list = tc_ranks_all(job);

	for (const struct tc_ranks *ranks; (ranks = tc_ranks_next(&list));)
		put_job(job, ranks);
}

/* A cell that is empty for a trace without steps or without device work. */
static void put_known_cell(struct tc_doc *doc, const struct tc_rows *row, int column)
{
	if (tc_rows_null(row, column))
		tc_doc_cell_string(doc, "-");
	else if (column == AT_WORK_COLUMN)
		tc_doc_cell_pct(doc, tc_rows_real(row, column));
	else
		tc_doc_cell_ns(doc, tc_rows_int(row, column));
}

static void put_trace_row(struct tc_doc *doc, struct tc_job *job, const struct tc_rows *row)
{
	const struct tc_finding *top = tc_top_finding(job->advice, tc_rows_int(row, 8));

	/* The title of the report below the table has the directory. */
	tc_doc_cell_text(doc, tc_text_last_part(tc_rows_text(row, 7)));
	tc_doc_cell_text(doc, tc_rows_text(row, 0));
	tc_doc_cell_count(doc, tc_rows_int(row, 1));
	for (int column = 2; column <= 6; column++)
		put_known_cell(doc, row, column);
	tc_doc_cell_string(doc, top ? top->heuristic->id : "-");
}

static void begin_traces(struct tc_doc *doc, int64_t count)
{
	static const char *const columns[] = {"<file", "?rank", "?steps", "a step", "?wall", "busy",
		"?idle", "?comm. exposed", "<!top advice", NULL};

	tc_format_counted(tc_doc_title(doc), count, "trace");
	tc_doc_table(doc, columns);
}

/* A page with a table of the traces that are not ranks of a job, when there are several traces. */
static void put_traces(struct tc_job *job)
{
	bool begun = false;
	struct tc_rows rows = tc_rows_open(job->ctx, job->db,
		"SELECT coalesce(CAST(t.rank AS TEXT), '-'),"
		" max(CASE m.name WHEN 'step_count' THEN m.value END),"
		" CAST(max(CASE m.name WHEN 'wall_ns' THEN m.value END)"
		"  / nullif(max(CASE m.name WHEN 'step_count' THEN m.value END), 0) AS INTEGER),"
		" max(CASE m.name WHEN 'wall_ns' THEN m.value END),"
		" 100 - 100.0 * (" IDLE_SQL
		") / max(CASE m.name WHEN 'wall_ns' THEN m.value END)," IDLE_SQL ","
		" max(CASE m.name WHEN 'exposed_communication_ns' THEN m.value END), t.path, t.id, "
		"count(*) OVER () FROM trace t LEFT JOIN metric m ON m.trace_id = t.id AND"
		" m.device IS NULL AND m.step IS NULL WHERE (SELECT count(*) FROM trace) > 1"
		" AND t.id NOT IN (SELECT trace_id FROM job_rank)"
		" GROUP BY t.id ORDER BY t.rank, t.id");

	while (tc_rows_next(&rows)) {
		if (!begun)
			begin_traces(&job->doc, tc_rows_int(&rows, 9));
		begun = true;
		put_trace_row(&job->doc, job, &rows);
	}
	if (begun)
		tc_job_write(job);
}

/* ---- all pages */

/* Rows that a reader will look at; the table in the store has all of them. */
#define REASON_ROWS 20

/* Writes a page of the report that says how many were left out, and why. Nothing if none was. */
static void left_out_put(struct tc_job *job)
{
	struct tc_buf line = TC_BUF_EMPTY;
	int64_t count = 0;

	tc_left_out_append(&line, job->ctx, job->db);
	if (line.len > 0)
		tc_buf_append_string(&line, "; this report has nothing from them:");
	tc_doc_paragraph(&job->doc);
	tc_doc_take(&job->doc, &line);
	struct tc_rows rows = tc_rows_open(job->ctx, job->db, tc_left_out_sql);
	for (; tc_rows_next(&rows); count++)
		if (count < REASON_ROWS)
			tc_buf_append_text(tc_doc_item(&job->doc, "-"), tc_rows_text(&rows, 1));
	if (count > REASON_ROWS) {
		struct tc_buf *more = tc_doc_item(&job->doc, "-");
		tc_buf_format(more, "and %s more: table left_out",
			tc_show_count(count - REASON_ROWS).text);
	}
	if (count > 0)
		tc_job_write(job);
	tc_doc_clear(&job->doc);
}

void tc_put_pages(struct tc_job *job, void (*put)(struct tc_job *job, const struct tc_view *view))
{
	bool all = job->options.rank < 0;

	left_out_put(job);
	tc_keep_costly(job);
	if (all) {
		put_jobs(job);
		put_traces(job);
	}
	struct tc_views views = all ? tc_views_rest(job) : tc_views_all(job);
	for (const struct tc_view *view; (view = tc_views_next(&views));)
		put(job, view);
}

static void render(struct tc_job *job, tc_doc_write_fn write)
{
	job->write = write;
	if (job->options.explain)
		tc_explain(job);
	else
		tc_put_pages(job, put_trace);
}

void tc_render_text(struct tc_job *job)
{
	render(job, tc_doc_write_text);
}

void tc_render_md(struct tc_job *job)
{
	render(job, tc_doc_write_markdown);
}
