/*
 * Several traces. The ranks of a job share one screen, and get a report each only when the user
 * asks for it. Other traces get one table together, then a report each.
 */
#include "report/view/ranks.h"
#include "report/screen/screen.h"

#define SCREEN_RANKS 8  /* rows on the first screen */
#define SCREEN_ADVICE 4 /* fixes on the first screen, unless --top is given */
#define LEAST_FIXES 2   /* where the screen has no room for more */
#define SCREEN_NOTES 1
#define WAITING_COLUMN 4
#define LATE_COLUMN 6
#define AT_WORK_COLUMN 4
/* The idle time of tc_view_idle_ns(); NULL without device work. */
#define IDLE_SQL " max(CASE m.name WHEN 'idle_ns' THEN m.value END)"

static void put_line(
	struct tc_doc *doc, const struct tc_ranks *ranks, const struct tc_rank_line *line)
{
	tc_doc_cell_count(doc, line->rank);
	tc_doc_cell_ns(doc, line->wall_ns);
	tc_doc_cell_ns(doc, line->compute_ns);
	tc_doc_cell_ns(doc, line->exposed_ns);
	if (line->wait_ns < 0 || !ranks->has_waits)
		tc_doc_cell_string(doc, "?");
	else
		tc_doc_cell_ns(doc, line->wait_ns);
	tc_doc_cell_ns(doc, line->idle_ns);
	tc_doc_cell_count(doc, line->late_count);
	if (line->top)
		tc_buf_format(tc_doc_cell(doc), "#%zu %s",
			tc_ranks_number(ranks, tc_text_from(line->top->heuristic->id)),
			line->top->heuristic->title);
	else
		tc_doc_cell_string(doc, "-");
}

/* Puts a line for each rank in order, at most `most`; the rank that sets the pace is always among
 * them. */
static void put_lines(struct tc_job *job, const struct tc_ranks *ranks, size_t most, bool judges)
{
	static const char *const columns[] = {"rank", "wall time", "?compute", "comm. exposed",
		"waiting", "-idle", "?late", "<top advice", NULL};
	static const char *const unjudged[] = {"rank", "wall time", "?compute", "comm. exposed",
		"waiting", "-idle or not recorded", "?late", "<top advice", NULL};
	struct tc_doc *doc = &job->doc;
	size_t before = ranks->pace < most ? most : most - 1;

	tc_doc_heading(doc, "Ranks");
	tc_doc_table(doc, judges ? columns : unjudged);
	for (size_t i = 0; i < ranks->count; i++)
		if (i < before || i == ranks->pace)
			put_line(doc, ranks, &ranks->lines[i]);
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
static const struct tc_fix *fix_of(
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
}

/* Fixes of the job; those of the plan of the rank that sets the pace come first. */
static void put_fixes(struct tc_job *job, const struct tc_ranks *ranks,
	const struct tc_fix_list *fixes, size_t most)
{
	static const char *const columns[] = {
		"", "<Fix, best first", "job saves", "-a rank", "?ranks", NULL};
	bool has_plan = fixes->whole_ns > 0;
	struct tc_doc *doc = &job->doc;
	size_t count = 0;

	tc_doc_break(doc);
	tc_doc_table(doc, has_plan ? tc_plan_columns[fixes->has_steps] : columns);
	tc_doc_set_shrink_order(doc, TC_SHRINK_FIXES, LEAST_FIXES);
	for (size_t i = 0; i < ranks->advice_count; i++) {
		const struct tc_rank_advice *advice = &ranks->advice[i];
		if (!is_fix(advice) || count++ >= most)
			continue;
		put_fix(doc, advice, count, fixes);
	}
	if (count == 0)
		tc_doc_say(doc, "No check found time to save on any rank.");
	else if (count > most && job->write == tc_doc_write_text)
		tc_doc_more(doc, count - most);
	else if (count > most)
		tc_job_say_more(job, count - most, "", count);
	tc_buf_format(tc_doc_column_note(doc, 2),
		"%s: how much shorter %s of rank %lld gets; then another rank may set the pace.%s",
		has_plan ? "alone, in this order" : "job saves",
		has_plan && fixes->has_steps ? "a step" : "the wall time",
		(long long)ranks->lines[ranks->pace].rank,
		has_plan ? "" : " a rank: the most that one rank saves alone.");
	tc_doc_set_shrink_order(doc, TC_SHRINK_READING, 0);
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

/* Whether the trace of the rank that sets the pace is enough for a verdict. */
static bool judges_pace(struct tc_job *job, const struct tc_ranks *ranks)
{
	struct tc_views views = tc_views_one(job, ranks->lines[ranks->pace].trace_id);
	bool judges = true;

	for (const struct tc_view *view; (view = tc_views_next(&views));)
		judges = tc_verdict_judges(view);
	return judges;
}

static void put_verdict(struct tc_job *job, const struct tc_ranks *ranks)
{
	tc_doc_break(&job->doc);
	tc_ranks_verdict(tc_doc_paragraph(&job->doc), job, ranks);
	tc_doc_tone(&job->doc, TC_TONE_STRONG);
	tc_doc_set_shrink_order(&job->doc, TC_SHRINK_LAST, 2);
}

/* Says what shows a fix, and the reports of single ranks. A page has them already. */
static void put_more(struct tc_job *job, const struct tc_ranks *ranks)
{
	tc_doc_break(&job->doc);
	if (tc_job_is_page(job))
		return;
	struct tc_views views = tc_views_one(job, ranks->lines[ranks->pace].trace_id);
	for (const struct tc_view *view; (view = tc_views_next(&views));)
		if (ranks->advice_count > 0 && is_fix(&ranks->advice[0]))
			tc_put_more(job, view, false);
	tc_buf_format(tc_doc_paragraph(&job->doc),
		"%s %lld shows the report of that rank, %s those of all ranks.",
		tc_ctx_word(job->ctx, "--rank"), (long long)ranks->lines[ranks->pace].rank,
		tc_ctx_word(job->ctx, "--details"));
}

static void put_job(struct tc_job *job, const struct tc_ranks *ranks)
{
	size_t few = tc_job_is_page(job) ? SIZE_MAX : SCREEN_ADVICE;
	size_t most = job->top_given ? (size_t)job->options.top : few;
	struct tc_fix_list fixes;

	if (!tc_fix_list_load(&fixes, job, ranks->lines[ranks->pace].trace_id))
		return;
	tc_doc_limit(&job->doc, job->top_given ? 0 : TC_SCREEN_LINES);
	tc_ranks_title(tc_doc_title(&job->doc), ranks);
	put_verdict(job, ranks);
	bool judges = judges_pace(job, ranks);
	put_lines(job, ranks, SCREEN_RANKS, judges);
	put_fixes(job, ranks, &fixes, most);
	if (fixes.whole_ns > 0)
		tc_put_plan(job, ranks->lines[ranks->pace].trace_id);
	put_notes(job, ranks, SCREEN_NOTES);
	put_more(job, ranks);
	if (ranks->count > SCREEN_RANKS || count_notes(ranks) > SCREEN_NOTES) {
		tc_doc_fold(&job->doc, "all ranks and notes");
		put_lines(job, ranks, ranks->count, judges);
		put_notes(job, ranks, ranks->advice_count);
		tc_doc_fold_end(&job->doc);
	}
	tc_job_write(job);
	tc_fix_list_clear(&fixes);
}

void tc_put_jobs(struct tc_job *job)
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
	tc_doc_cell_string(doc, top ? top->heuristic->title : "-");
}

static void begin_traces(struct tc_doc *doc, int64_t count)
{
	static const char *const columns[] = {"<file", "?rank", "?steps", "a step", "?wall", "busy",
		"?idle", "?comm. exposed", "<top advice", NULL};

	tc_format_counted(tc_doc_title(doc), count, "trace");
	tc_doc_table(doc, columns);
}

void tc_put_traces(struct tc_job *job)
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
