/*
 * Several traces as text. Ranks of a job get one screen together, and a report each only when
 * asked for; other traces get a table over them before their reports.
 */
#include "report/format.h"
#include "report/ranks.h"
#include "report/text/text.h"

#define LATE_COLUMN 6
#define A_RANK_COLUMN 2
#define AT_WORK_COLUMN 4
/* As tc_view_idle_ns(); NULL without device work. */
#define IDLE_SQL                                                                                   \
	" max(CASE m.name WHEN 'device_wait_ns' THEN m.value END)"                                 \
	" - max(CASE m.name WHEN 'nic_exclusive_ns' THEN m.value ELSE 0 END)"
#define KEY_ADVICE 3 /* advice for the job that is told with what to do */

/* The last part of a path: the directory is that of the report below. */
static struct tc_text base_name(struct tc_text path)
{
	for (size_t i = path.len; i > 0; i--)
		if (path.ptr[i - 1] == '/' && i < path.len)
			return (struct tc_text){path.ptr + i, path.len - i};
	return path;
}

static void put_gain_cell(struct tc_table *table, int64_t gain_ns)
{
	if (gain_ns != TC_GAIN_NONE && gain_ns > 0)
		tc_table_ns(table, gain_ns);
	else
		tc_table_string(table, "-");
}

static void put_lines(struct tc_job *job, const struct tc_ranks *ranks)
{
	static const char *const titles[] = {"rank", "step mean", "?compute", "comm. exposed",
		"waiting", "-idle", "?late", "<top advice", NULL};
	struct tc_table table;

	tc_table_init(&table, titles, job->options.ascii);
	for (size_t i = 0; i < ranks->count; i++) {
		const struct tc_rank_line *line = &ranks->lines[i];
		tc_table_count(&table, line->rank);
		tc_table_ns(&table, line->step_count > 0 ? line->step_mean_ns : line->wall_ns);
		tc_table_ns(&table, line->compute_ns);
		tc_table_ns(&table, line->exposed_ns);
		if (line->wait_ns < 0)
			tc_table_string(&table, "?");
		else
			tc_table_ns(&table, line->wait_ns);
		tc_table_ns(&table, line->idle_ns);
		tc_table_count(&table, line->late_count);
		tc_table_string(&table, line->top ? line->top->heuristic->id : "-");
	}
	tc_put_heading(job, "Ranks");
	tc_table_print(&table, &job->sink, job->options.width);
	bool shows_late = tc_table_shows(&table, LATE_COLUMN, job->options.width);
	tc_table_clear(&table);
	tc_put_paragraph(job, NULL, 2,
		shows_late
			? TC_TEXT("waiting: exposed communication before the last rank arrived; "
				  "late: collectives where this rank arrived last.")
			: TC_TEXT("waiting: exposed communication before the last rank arrived."));
}

/* True when the column of single ranks has room. */
static bool put_ranking(struct tc_job *job, const struct tc_ranks *ranks)
{
	static const char *const titles[] = {
		"", "job, up to", "-a rank", "ranks", "<severity", "<~what", NULL};
	struct tc_table table;
	int number = 0;

	tc_table_init(&table, titles, job->options.ascii);
	for (size_t i = 0; i < ranks->advice_count && number < job->options.top; i++) {
		const struct tc_rank_advice *advice = &ranks->advice[i];
		if (advice->finding->heuristic->kind != TC_HEURISTIC_FIX)
			continue;
		tc_table_count(&table, ++number);
		put_gain_cell(&table, advice->gain_ns);
		put_gain_cell(&table, advice->largest->gain_ns);
		tc_table_count(&table, (int64_t)advice->rank_count);
		tc_table_string(&table, advice->gain_ns == TC_GAIN_NONE
						? "-"
						: tc_severity_name(advice->finding->severity));
		tc_table_string(&table, advice->finding->heuristic->title);
	}
	tc_put_heading(job, "Advice for the job, most important first");
	if (number == 0)
		tc_put_paragraph(job, NULL, 2,
			TC_TEXT("No heuristic found time to save on any rank. The accounts of the "
				"ranks show which did not apply."));
	else
		tc_table_print(&table, &job->sink, job->options.width);
	bool shows_rank = tc_table_shows(&table, A_RANK_COLUMN, job->options.width);
	tc_table_clear(&table);
	return shows_rank;
}

/* What to do about the first ones, and what is wrong with the traces themselves. */
static void put_what_to_do(struct tc_job *job, const struct tc_ranks *ranks)
{
	struct tc_buf line = TC_BUF_EMPTY;
	int number = 0;

	for (size_t i = 0; i < ranks->advice_count; i++) {
		const struct tc_rank_advice *advice = &ranks->advice[i];
		const struct tc_heuristic *heuristic = advice->finding->heuristic;
		bool is_note = heuristic->kind == TC_HEURISTIC_QUALITY;
		if (!is_note && (number == KEY_ADVICE || number == job->options.top))
			continue;
		number += !is_note;
		tc_buf_format(&line, "%s (%s). %s", heuristic->title, heuristic->id,
			advice->finding->advice);
		if (is_note)
			tc_buf_format(
				&line, " (%zu of %zu ranks)", advice->rank_count, ranks->count);
		tc_put_line(job, is_note ? "! " : "- ", 4, &line);
	}
}

static enum tc_status put_job(struct tc_job *job, const struct tc_ranks *ranks)
{
	struct tc_buf text = TC_BUF_EMPTY;
	long long pace = (long long)ranks->lines[ranks->pace].rank;

	tc_put_style(job, TC_STYLE_BOLD);
	tc_sink_format(&job->sink, "One job, %zu of its %lld ranks", ranks->count,
		(long long)ranks->world_size);
	tc_put_style(job, TC_STYLE_PLAIN);
	tc_sink_put(&job->sink, "\n");
	tc_put_heading(job, "Verdict");
	enum tc_status status = tc_ranks_verdict(&text, job, ranks);
	tc_put_line(job, NULL, 2, &text);
	put_lines(job, ranks);
	bool shows_rank = put_ranking(job, ranks);
	tc_buf_format(&text,
		"job: what the fix saves on rank %lld, because the job runs at its pace; -: it "
		"saves "
		"nothing there%s. Fix the first one and measure again: another rank may set the "
		"pace then.",
		pace, shows_rank ? "; a rank: the most it saves on any" : "");
	tc_put_line(job, NULL, 2, &text);
	tc_sink_put(&job->sink, "\n");
	put_what_to_do(job, ranks);
	tc_sink_put(&job->sink, "\n");
	tc_buf_format(&text,
		"--rank %lld shows the report of that rank, --details those of all ranks.", pace);
	tc_put_line(job, NULL, 2, &text);
	return status;
}

enum tc_status tc_put_jobs(struct tc_job *job)
{
	return tc_ranks_each(job, put_job);
}

/* What only a trace with steps, or with device work, has. */
static void put_known_cell(struct tc_table *table, const struct tc_rows *row, int column)
{
	if (tc_rows_null(row, column))
		tc_table_string(table, "-");
	else if (column == AT_WORK_COLUMN)
		tc_table_pct(table, tc_rows_real(row, column));
	else
		tc_table_ns(table, tc_rows_int(row, column));
}

static void fill_trace(struct tc_table *table, struct tc_job *job, const struct tc_rows *row)
{
	const struct tc_finding *top = tc_top_finding(job->advice, tc_rows_int(row, 8));

	tc_table_text(table, base_name(tc_rows_text(row, 7)));
	tc_table_text(table, tc_rows_text(row, 0));
	tc_table_count(table, tc_rows_int(row, 1));
	for (int column = 2; column <= 6; column++)
		put_known_cell(table, row, column);
	tc_table_string(table, top ? top->heuristic->id : "-");
}

enum tc_status tc_put_traces(struct tc_job *job)
{
	static const char *const titles[] = {"<file", "?rank", "?steps", "step mean", "?wall",
		"busy", "?idle", "?comm. exposed", "<top advice", NULL};
	struct tc_table table;
	struct tc_rows rows;

	tc_table_init(&table, titles, job->options.ascii);
	tc_rows_open(&rows, job->ctx, job->db,
		"SELECT coalesce(CAST(t.rank AS TEXT), '-'),"
		" max(CASE m.name WHEN 'step_count' THEN m.value END),"
		" max(CASE m.name WHEN 'step_mean_ns' THEN m.value END),"
		" max(CASE m.name WHEN 'wall_ns' THEN m.value END),"
		" 100 - 100.0 * (" IDLE_SQL
		") / max(CASE m.name WHEN 'wall_ns' THEN m.value END)," IDLE_SQL ","
		" max(CASE m.name WHEN 'exposed_communication_ns' THEN m.value END), t.path, t.id"
		" FROM trace t LEFT JOIN metric m ON m.trace_id = t.id AND m.device IS NULL"
		" AND m.step IS NULL WHERE (SELECT count(*) FROM trace) > 1"
		" AND t.id NOT IN (SELECT trace_id FROM job_rank)"
		" GROUP BY t.id ORDER BY t.rank, t.id");
	while (tc_rows_next(&rows))
		fill_trace(&table, job, &rows);
	if (table.count > 0) {
		size_t count = table.count / (size_t)table.column_count;
		tc_sink_format(&job->sink, "%zu trace%s\n", count, count == 1 ? "" : "s");
		tc_table_print(&table, &job->sink, job->options.width);
	}
	tc_table_clear(&table);
	return tc_rows_close(&rows);
}
