#include "report/html/parts.h"

#include "core/alloc.h"
#include "report/screen/screen.h"
#include "report/view/ranks.h"

/* Writes the findings that the screen of the job links to, in its order. */
static void put_cards(struct tc_job *job, const struct tc_ranks *ranks)
{
	struct tc_fixes fixes = {.all = tc_calloc(ranks->advice_count + 1, sizeof(*fixes.all))};

	if (!fixes.all)
		tc_no_memory(job->ctx);
	for (size_t i = 0; i < ranks->advice_count && fixes.all; i++)
		if (ranks->advice[i].finding->heuristic->kind == TC_HEURISTIC_FIX)
			fixes.all[fixes.count++].finding = ranks->advice[i].finding;
	if (fixes.count > 0)
		tc_doc_heading(&job->doc, "Findings");
	for (size_t i = 0; i < fixes.count; i++) {
		struct tc_views views = tc_views_one(job, fixes.all[i].finding->trace_id);
		for (const struct tc_view *view; (view = tc_views_next(&views));)
			tc_put_card(job, view, &fixes, i, true);
	}
	tc_job_write(job);
	tc_fixes_clear(&fixes);
}

/* Chooses the rank to show beside the one that sets the pace: the rank that waits most, or the
 * fastest one when waits are not known. */
static size_t find_other(const struct tc_ranks *ranks)
{
	size_t other = ranks->pace > 0 ? 0 : 1;

	for (size_t i = 0; i < ranks->count; i++) {
		const struct tc_rank_line *line = &ranks->lines[i], *best = &ranks->lines[other];
		if (i != ranks->pace && (ranks->has_waits ? line->wait_ns > best->wait_ns
							  : line->wall_ns < best->wall_ns))
			other = i;
	}
	return other;
}

/* The starts of two recordings on one clock; both 0 when no common clock is known. */
static void find_starts(int64_t starts_ns[2], struct tc_job *job, const struct tc_ranks *ranks,
	const size_t shown[2])
{
	bool known = !ranks->by_guess;

	for (int i = 0; i < 2; i++) {
		struct tc_rows rows = TC_ROWS(job->ctx, job->db,
			"SELECT coalesce(t.base_time_ns, 0) + t.start_ns - j.clock_offset_ns"
			" FROM job_rank j JOIN trace t ON t.id = j.trace_id"
			" WHERE j.trace_id = ?1 AND j.clock_offset_ns IS NOT NULL",
			ranks->lines[shown[i]].trace_id);
		bool found = tc_rows_next(&rows);
		starts_ns[i] = found ? tc_rows_int(&rows, 0) : 0;
		known &= found;
		tc_rows_close(&rows);
	}
	if (!known)
		starts_ns[0] = starts_ns[1] = 0;
}

static void put_timeline(
	struct tc_job *job, const struct tc_view *view, struct tc_timeline_options options)
{
	struct tc_buf heading = TC_BUF_EMPTY;

	tc_buf_format(&heading, "Timeline of rank %lld", (long long)view->rank);
	if (options.shift_ns > 0)
		tc_buf_format(
			&heading, ", which starts %s later", tc_show_ns(options.shift_ns).text);
	options.heading = tc_buf_string(&heading);
	if (options.heading)
		tc_put_timeline(&job->sink, job, view, &options);
	else
		tc_no_memory(job->ctx);
	tc_buf_clear(&heading);
}

static void put_timelines(struct tc_job *job, const struct tc_ranks *ranks)
{
	const size_t shown[2] = {ranks->pace, find_other(ranks)};
	int64_t starts_ns[2];

	find_starts(starts_ns, job, ranks, shown);
	for (int i = 0; i < 2; i++) {
		int64_t shift_ns = tc_sub_saturated(starts_ns[i], starts_ns[1 - i]);
		const struct tc_timeline_options options = {.budget = TC_TIMELINE_ITEMS / 2,
			.is_linked = true,
			.is_rank = true,
			.shift_ns = shift_ns > 0 ? shift_ns : 0,
			.apart_ns = ranks->starts_apart_ns};
		struct tc_views views = tc_views_one(job, ranks->lines[shown[i]].trace_id);
		for (const struct tc_view *view; (view = tc_views_next(&views));)
			put_timeline(job, view, options);
	}
}

void tc_page_put_jobs(struct tc_job *job)
{
	bool has_reports = job->options.details || job->options.step >= 0;
	bool has_timelines = has_reports;
	struct tc_ranks_list list = tc_ranks_all(job);

	for (const struct tc_ranks *ranks; (ranks = tc_ranks_next(&list));) {
		if (!has_reports)
			put_cards(job, ranks);
		tc_put_rank_grid(job, ranks->job_id);
		if (!has_timelines && ranks->count > 1)
			put_timelines(job, ranks);
		has_timelines = true;
	}
}
