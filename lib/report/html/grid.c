#include "report/html/parts.h"

#include "report/text/format.h"

#define STEPS_MOST 64 /* columns; later steps are left out */
#define SHADES 5      /* on each side of the median; the style has a class for each */
#define SHADE_PCT 2   /* the first shade starts here, each next one at twice the distance */

/* The step times of job ?1, rank by rank; those of a rank add up to its wall time. A rank may lack
 * a step. */
static const char grid_sql[] =
	"WITH step_of AS (SELECT j.rank, s.number, s.ns AS dur FROM job_rank j"
	" JOIN step_time s ON s.trace_id = j.trace_id WHERE j.job_id = ?1),"
	" numbers AS (SELECT DISTINCT number FROM step_of ORDER BY number LIMIT ?2),"
	" ordered AS (SELECT number, dur, row_number() OVER (PARTITION BY number ORDER BY dur)"
	" AS place, count(*) OVER (PARTITION BY number) AS count FROM step_of),"
	" middle AS (SELECT number, dur FROM ordered WHERE place = (count + 1) / 2)"
	" SELECT j.rank, s.dur, m.dur FROM job_rank j JOIN numbers n"
	" JOIN middle m ON m.number = n.number"
	" LEFT JOIN step_of s ON s.rank = j.rank AND s.number = n.number"
	" WHERE j.job_id = ?1 ORDER BY j.rank, n.number";

/* 0 for times close to the median, else the shade, negative for faster steps. */
static int shade_of(int64_t dur, int64_t median)
{
	double away_pct = median > 0 ? ((double)dur / (double)median - 1) * 100 : 0;
	double least_pct = SHADE_PCT;
	int shade = 0;

	for (; shade < SHADES && (away_pct < 0 ? -away_pct : away_pct) >= least_pct; shade++)
		least_pct *= 2;
	return away_pct < 0 ? -shade : shade;
}

static void put_cell(struct tc_sink *sink, const struct tc_rows *row)
{
	if (tc_rows_null(row, 1)) {
		tc_sink_put(sink, "<td class=\"n\">-</td>");
		return;
	}
	int shade = shade_of(tc_rows_int(row, 1), tc_rows_int(row, 2));
	tc_sink_format(sink, "<td class=\"n %s%d\" data-v=\"%lld\">%s</td>",
		shade < 0 ? "fast" : "slow", shade < 0 ? -shade : shade,
		(long long)tc_rows_int(row, 1), tc_show_ns(tc_rows_int(row, 1)).text);
}

/* Writes a column title for each step. The query gives every rank the same steps, so those of the
 * first rank do. */
static void put_head(struct tc_job *job, int64_t job_id)
{
	tc_sink_put(&job->sink, "<article>\n<h2>Step times of the ranks</h2>\n<p>The darker, the "
				"further from the median of the step.</p>\n<div class=\"scroll\" "
				"tabindex=\"0\"><table class=\"grid\"><thead><tr>"
				"<th class=\"n\">rank</th>");
	struct tc_rows rows = TC_ROWS(job->ctx, job->db,
		"SELECT DISTINCT s.number FROM job_rank j JOIN step s ON s.trace_id = j.trace_id"
		" WHERE j.job_id = ?1 ORDER BY 1 LIMIT ?2",
		job_id, STEPS_MOST);
	while (tc_rows_next(&rows))
		tc_sink_format(&job->sink, "<th class=\"n\">step %lld</th>",
			(long long)tc_rows_int(&rows, 0));
	tc_sink_put(&job->sink, "</tr></thead>\n<tbody>\n");
}

static void put_tail(struct tc_sink *sink)
{
	tc_sink_put(sink, "</tr>\n</tbody></table></div>\n</article>\n");
}

void tc_put_rank_grid(struct tc_job *job, int64_t job_id)
{
	int64_t rank = -1;
	struct tc_rows rows = TC_ROWS(job->ctx, job->db, grid_sql, job_id, STEPS_MOST);

	while (tc_rows_next(&rows)) {
		if (rank < 0)
			put_head(job, job_id);
		if (tc_rows_int(&rows, 0) != rank)
			tc_sink_format(&job->sink,
				"%s<tr><td class=\"n\" data-v=\"%lld\">%lld</td>",
				rank < 0 ? "" : "</tr>\n", (long long)tc_rows_int(&rows, 0),
				(long long)tc_rows_int(&rows, 0));
		rank = tc_rows_int(&rows, 0);
		put_cell(&job->sink, &rows);
	}
	if (rank >= 0)
		put_tail(&job->sink);
}
