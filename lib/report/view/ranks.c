/*
 * The ranks of a job together. The store says how long each rank waited for others; from that
 * follows which rank sets the pace, and only what a fix saves on that rank is a gain of the job.
 */
#include "report/view/ranks.h"

#include <ctype.h>

#include "advice/ranking/ranking.h"
#include "analysis/ranks.h"
#include "core/alloc.h"
#include "core/array.h"
#include "core/saturate.h"
#include "report/text/format.h"

#define NAMED_RANKS 3 /* late ranks that a sentence names */

static const char lines_sql[] =
	"SELECT j.job_id, j.world_size, j.by_guess, j.trace_id, j.rank,"
	" max(CASE m.name WHEN 'step_count' THEN m.value ELSE 0 END),"
	" coalesce(p.sum_ns / p.steps, 0),"
	" max(CASE m.name WHEN 'wall_ns' THEN m.value ELSE 0 END),"
	" max(CASE m.name WHEN 'compute_busy_ns' THEN m.value ELSE 0 END),"
	" max(CASE m.name WHEN 'exposed_communication_ns' THEN m.value ELSE 0 END),"
	" max(CASE m.name WHEN 'device_wait_ns' THEN m.value ELSE 0 END),"
	" coalesce(j.exposed_wait_ns, -1), coalesce(j.late_count, 0), j.matched_count,"
	" coalesce(j.start_wait_ns, 0),"
	" max(CASE m.name WHEN 'idle_ns' THEN m.value ELSE 0 END),"
	" coalesce(j.late_order, 0), coalesce(j.late_gain_ns, 0), coalesce(j.late_together_ns, 0),"
	" " TC_STARTS_APART_SQL ","
	" max(CASE m.name WHEN 'device_unknown_ns' THEN m.value ELSE 0 END),"
	" max(CASE m.name WHEN 'ends_early' THEN m.value ELSE 0 END)"
	" FROM job_rank j LEFT JOIN step_spread p ON p.trace_id = j.trace_id"
	" LEFT JOIN metric m ON m.trace_id = j.trace_id AND m.device IS NULL"
	" AND m.step IS NULL AND m.name IN ('step_count', 'wall_ns',"
	"  'compute_busy_ns', 'exposed_communication_ns', 'device_wait_ns',"
	"  'idle_ns', 'device_unknown_ns', 'ends_early') WHERE j.job_id = ?1 GROUP BY j.trace_id "
	"ORDER BY j.rank";

static void clear(struct tc_ranks *ranks)
{
	tc_free(ranks->lines);
	tc_free(ranks->advice);
	*ranks = (struct tc_ranks){0};
}

static void add_line(struct tc_ranks *ranks, struct tc_ctx *ctx, const struct tc_rows *row)
{
	ranks->world_size = tc_rows_int(row, 1);
	ranks->by_guess = tc_rows_int(row, 2) != 0;
	ranks->starts_apart_ns = tc_rows_int(row, 19);
	const struct tc_rank_line line = {
		.trace_id = tc_rows_int(row, 3),
		.rank = tc_rows_int(row, 4),
		.step_count = tc_rows_int(row, 5),
		.step_mean_ns = tc_rows_int(row, 6),
		.wall_ns = tc_rows_int(row, 7),
		.compute_ns = tc_rows_int(row, 8),
		.exposed_ns = tc_rows_int(row, 9),
		.device_wait_ns = tc_rows_int(row, 10),
		.idle_ns = tc_rows_int(row, 15),
		.wait_ns = tc_rows_int(row, 11),
		.late_count = tc_rows_int(row, 12),
		.matched_count = tc_rows_int(row, 13),
		.start_wait_ns = tc_rows_int(row, 14),
		.late_order = tc_rows_int(row, 16),
		.late_gain_ns = tc_rows_int(row, 17),
		.late_together_ns = tc_rows_int(row, 18),
		.unknown_ns = tc_rows_int(row, 20),
		.is_cut = tc_rows_int(row, 21) != 0,
	};
	ranks->unknown_ns = tc_add_saturated(ranks->unknown_ns, line.unknown_ns);
	ranks->cut_count += line.is_cut;
	TC_PUSH(ctx, ranks->lines, ranks->count, ranks->capacity, line);
}

/* Recordings do not start together, which shows as waiting in the first collective. So ranks with
 * several steps are compared without it. With one step, that wait may be all there is. */
static int64_t compared_wait_ns(const struct tc_ranks *ranks, const struct tc_rank_line *line)
{
	return tc_sub_saturated(line->wait_ns, ranks->without_start ? line->start_wait_ns : 0);
}

/* Finds the rank that sets the pace: the one for which the others wait longest in the replay.
 * Without a replay it is the rank that waits least, and where waits are unknown, the slowest
 * rank. */
static void find_pace(struct tc_ranks *ranks)
{
	bool known = true, some = false, later = false, several = true;

	for (size_t i = 0; i < ranks->count; i++) {
		const struct tc_rank_line *line = &ranks->lines[i];
		known &= line->wait_ns >= 0;
		some |= line->wait_ns > 0;
		later |= line->wait_ns > line->start_wait_ns;
		several &= line->step_count > 1;
	}
	ranks->knows_waits = known;
	ranks->has_waits = known && some;
	if (!ranks->has_waits)
		ranks->starts_apart_ns =
			0; /* without matched collectives, clocks cannot be compared */
	ranks->without_start = ranks->has_waits && later && several;
	for (size_t i = 1; i < ranks->count; i++) {
		const struct tc_rank_line *line = &ranks->lines[i],
					  *best = &ranks->lines[ranks->pace];
		if (ranks->has_waits ? compared_wait_ns(ranks, line) < compared_wait_ns(ranks, best)
				     : line->wall_ns > best->wall_ns)
			ranks->pace = i;
	}
	for (size_t i = 0; i < ranks->count; i++)
		if (ranks->lines[i].late_order == 1)
			ranks->pace = i;
}

static const struct tc_rank_line *line_of(const struct tc_ranks *ranks, int64_t trace_id)
{
	for (size_t i = 0; i < ranks->count; i++)
		if (ranks->lines[i].trace_id == trace_id)
			return &ranks->lines[i];
	return NULL;
}

/* NULL when memory is out. */
static struct tc_rank_advice *advice_of(
	struct tc_ranks *ranks, struct tc_ctx *ctx, const struct tc_heuristic *heuristic)
{
	const struct tc_rank_advice none = {.gain_ns = TC_GAIN_NONE,
		.gain = {TC_GAIN_NONE, TC_GAIN_NONE, TC_GAIN_NONE},
		.rank_ns = TC_GAIN_NONE};

	for (size_t i = 0; i < ranks->advice_count; i++)
		if (ranks->advice[i].finding->heuristic == heuristic)
			return &ranks->advice[i];
	return TC_PUSH(ctx, ranks->advice, ranks->advice_count, ranks->advice_capacity, none)
		       ? &ranks->advice[ranks->advice_count - 1]
		       : NULL;
}

/* The time that the job saves when nobody waits for any of its late ranks. */
static int64_t together_ns(const struct tc_ranks *ranks)
{
	const struct tc_rank_line *last = &ranks->lines[ranks->pace];

	for (size_t i = 0; i < ranks->count; i++)
		if (ranks->lines[i].late_order > last->late_order)
			last = &ranks->lines[i];
	return last->late_together_ns;
}

/* The gain without any late rank. */
static void put_together(struct tc_rank_advice *advice, int64_t gain_ns)
{
	advice->gain_ns = advice->rank_ns = gain_ns;
	advice->gain = tc_gain_like(advice->finding, gain_ns);
}

static void merge(struct tc_ranks *ranks, struct tc_job *job)
{
	int64_t pace_id = ranks->lines[ranks->pace].trace_id;

	for (size_t i = 0; i < job->advice->finding_count; i++) {
		const struct tc_finding *finding = &job->advice->findings[i];
		const struct tc_rank_line *line = line_of(ranks, finding->trace_id);
		if (!line)
			continue;
		struct tc_rank_advice *advice = advice_of(ranks, job->ctx, finding->heuristic);
		if (!advice)
			return;
		advice->rank_count++;
		if (!advice->largest || finding->gain_ns > advice->largest->gain_ns) {
			advice->largest = finding;
			advice->largest_rank = line->rank;
		}
		if (!advice->finding || finding->trace_id == pace_id)
			advice->finding = finding;
		if (finding->trace_id != pace_id)
			continue;
		advice->gain_ns = finding->gain_ns;
		advice->gain = tc_gain_of(finding);
		advice->rank_ns = finding->rank_ns;
		advice->plan_order = finding->plan_order;
	}
	for (size_t i = 0; i < ranks->advice_count; i++) {
		if (ranks->advice[i].finding->trace_id != pace_id)
			ranks->advice[i].finding = ranks->advice[i].largest;
		if (tc_is_about_ranks(ranks->advice[i].finding->heuristic))
			put_together(&ranks->advice[i], together_ns(ranks));
	}
}

/* Fixes before notes, those of the plan in its order, those that it covers last; then by the gain
 * of the job, by the largest gain on a rank, by name. */
TC_ORDER(by_gain, struct tc_rank_advice,
	TC_DOWN(finding->heuristic->kind == TC_HEURISTIC_FIX) TC_DOWN(plan_order > 0)
		TC_UP(plan_order < 0) TC_UP(plan_order) TC_RANK_KEYS TC_DOWN(largest->gain_ns)
			TC_UP_STRING(finding->heuristic->id));

static void sort_advice(struct tc_ranks *ranks)
{
	TC_SORT(ranks->advice, ranks->advice_count, by_gain);
}

void tc_ranks_title(struct tc_buf *buf, const struct tc_ranks *ranks)
{
	tc_buf_format(buf, "One job, %s of its %s ranks", tc_show_count((int64_t)ranks->count).text,
		tc_show_count(ranks->world_size).text);
}

size_t tc_ranks_number(const struct tc_ranks *ranks, struct tc_text id)
{
	for (size_t i = 0; i < ranks->advice_count; i++) {
		const struct tc_heuristic *heuristic = ranks->advice[i].finding->heuristic;
		if (tc_text_equal(tc_text_from(heuristic->id), id))
			return heuristic->kind == TC_HEURISTIC_FIX ? i + 1 : 0;
	}
	return 0;
}

static void load_lines(struct tc_ranks *ranks, struct tc_ctx *ctx, sqlite3 *db)
{
	struct tc_rows rows = TC_ROWS(ctx, db, lines_sql, ranks->job_id);

	while (tc_rows_next(&rows))
		add_line(ranks, ctx, &rows);
	if (ranks->count == 0 && !tc_ctx_failed(ctx))
		tc_fail(ctx, TC_ERR_STORE, "the table job_rank has a job without ranks");
	if (!tc_ctx_failed(ctx))
		find_pace(ranks);
}

static void load(struct tc_ranks *ranks, struct tc_job *job)
{
	load_lines(ranks, job->ctx, job->db);
	if (tc_ctx_failed(job->ctx))
		return;
	for (size_t i = 0; i < ranks->count; i++)
		ranks->lines[i].top = tc_top_finding(job->advice, ranks->lines[i].trace_id);
	merge(ranks, job);
	sort_advice(ranks);
}

int64_t tc_ranks_pace(struct tc_ctx *ctx, sqlite3 *db, int64_t job_id)
{
	struct tc_ranks ranks = {.job_id = job_id};

	load_lines(&ranks, ctx, db);
	int64_t trace_id = ranks.count > 0 ? ranks.lines[ranks.pace].trace_id : -1;
	clear(&ranks);
	return trace_id;
}

struct tc_ranks_list tc_ranks_all(struct tc_job *job)
{
	return (struct tc_ranks_list){.job = job,
		.rows = tc_rows_open(
			job->ctx, job->db, "SELECT DISTINCT job_id FROM job_rank ORDER BY job_id")};
}

const struct tc_ranks *tc_ranks_next(struct tc_ranks_list *list)
{
	struct tc_job *job = list->job;

	clear(&list->ranks);
	if (!tc_sink_dead(&job->sink) && tc_rows_next(&list->rows)) {
		list->ranks.job_id = tc_rows_int(&list->rows, 0);
		load(&list->ranks, job);
		if (!tc_ctx_failed(job->ctx))
			return &list->ranks;
	}
	tc_ranks_close(list);
	return NULL;
}

void tc_ranks_close(struct tc_ranks_list *list)
{
	clear(&list->ranks);
	tc_rows_close(&list->rows);
}

/* "the others wait 3.029 ms to 10.85 ms"; one value if both print the same. */
static void append_range(struct tc_buf *buf, size_t rank_count, int64_t least_ns, int64_t most_ns)
{
	struct tc_buf most = TC_BUF_EMPTY;

	tc_buf_append_string(buf, rank_count == 2 ? "the other waits " : "the others wait ");
	size_t from = buf->len;
	tc_format_ns(buf, least_ns);
	tc_format_ns(&most, most_ns);
	bool same = most.len == buf->len - from && memcmp(most.ptr, buf->ptr + from, most.len) == 0;
	if (!same) {
		TC_APPEND(buf, TC_TEXT(" to "), tc_buf_text(&most));
	} else if (rank_count > 2) {
		tc_buf_append_string(buf, " each");
	}
	tc_buf_clear(&most);
}

/* "The recordings do not show which rank is slow: each has one step, and they start up to 7.513 ms
 * apart. " */
static void append_starts(struct tc_buf *buf, const struct tc_ranks *ranks)
{
	tc_buf_format(buf,
		"The recordings do not show which rank is slow: each has one step, and they start "
		"up to %s apart. ",
		tc_show_ns(ranks->starts_apart_ns).text);
}

/* "Rank 7 sets the pace: it waits 1.375 ms for the others, which wait 3.029 ms to 10.85 ms." */
static void append_pace(struct tc_buf *buf, const struct tc_ranks *ranks)
{
	const struct tc_rank_line *pace = &ranks->lines[ranks->pace];
	int64_t least_ns = INT64_MAX, most_ns = 0;

	if (ranks->starts_apart_ns > 0) {
		append_starts(buf, ranks);
		return;
	}
	if (ranks->knows_waits && !ranks->has_waits) {
		tc_buf_append_string(buf, "No rank waits for another in collectives. ");
		return;
	}
	tc_buf_format(buf, "Rank %lld sets the pace: ", (long long)pace->rank);
	if (!ranks->has_waits) {
		tc_buf_format(buf, "it takes longest (%s). ", tc_show_ns(pace->wall_ns).text);
		return;
	}
	for (size_t i = 0; i < ranks->count; i++) {
		int64_t wait_ns = compared_wait_ns(ranks, &ranks->lines[i]);
		if (i != ranks->pace && wait_ns < least_ns)
			least_ns = wait_ns;
		if (i != ranks->pace && wait_ns > most_ns)
			most_ns = wait_ns;
	}
	tc_buf_format(buf, "%s%s%s",
		ranks->without_start ? "after the first collective, it waits " : "it waits ",
		tc_show_ns(compared_wait_ns(ranks, pace)).text,
		ranks->without_start ? " for others, " : " for others in collectives, ");
	append_range(buf, ranks->count, least_ns, most_ns);
	tc_buf_append_string(buf, ". ");
}

/* The rank at a place in the order of late ranks; NULL if there is none. */
static const struct tc_rank_line *late_rank(const struct tc_ranks *ranks, int64_t order)
{
	for (size_t i = 0; i < ranks->count; i++)
		if (ranks->lines[i].late_order == order)
			return &ranks->lines[i];
	return NULL;
}

/* " If rank 0 were never late, the job would save 154.0 ms; if rank 6 were not, 135.0 ms; if
 * neither were, 325.0 ms." */
static void append_late(struct tc_buf *buf, const struct tc_ranks *ranks)
{
	int64_t count = 0;

	while (late_rank(ranks, count + 1))
		count++;
	for (int64_t i = 1; i <= count && i <= NAMED_RANKS; i++) {
		const struct tc_rank_line *line = late_rank(ranks, i);
		if (i > 1 && line->late_gain_ns == 0)
			continue;
		tc_buf_format(buf, "%s%lld%s%s", i == 1 ? " If rank " : "; if rank ",
			(long long)line->rank,
			i == 1 ? " were never late, the job would save " : " were not, ",
			tc_show_ns(line->late_gain_ns).text);
	}
	if (count > 1) {
		tc_buf_append_string(
			buf, count == 2 ? "; if neither were, " : "; if no rank were, ");
		tc_format_ns(buf, late_rank(ranks, count)->late_together_ns);
	}
	tc_buf_append_string(buf, count > 0 ? "." : "");
}

/* The number of the first fix for a cause of idle time; 0 for none. */
static size_t fix_of(const struct tc_ranks *ranks, enum tc_cause cause)
{
	for (size_t i = 0; i < ranks->advice_count && cause != TC_CAUSE_COUNT; i++) {
		const struct tc_heuristic *heuristic = ranks->advice[i].finding->heuristic;
		if (heuristic->kind == TC_HEURISTIC_FIX && heuristic->causes >> cause & 1)
			return i + 1;
	}
	return 0;
}

/* " Rank 3 is late because the host fetches the next batch: 50.07 ms a step, 417.0 us on the median
 * rank (#2)." */
static void append_why(struct tc_buf *buf, struct tc_job *job, const struct tc_ranks *ranks)
{
	const struct tc_rank_line *pace = &ranks->lines[ranks->pace];

	if (pace->late_order != 1)
		return;
	struct tc_rows rows = TC_ROWS(job->ctx, job->db,
		"SELECT words, ns, median_ns, part FROM late_cause WHERE trace_id = ?1",
		pace->trace_id);
	if (tc_rows_next(&rows)) {
		size_t number = fix_of(ranks, tc_cause_find(tc_rows_text(&rows, 3)));
		tc_buf_format(buf, " Rank %lld is late because ", (long long)pace->rank);
		tc_buf_append_text(buf, tc_cause_phrase(tc_rows_text(&rows, 0)));
		tc_buf_format(buf, ": %s%s, %s on the median rank",
			tc_show_ns(tc_rows_int(&rows, 1)).text,
			pace->step_count > 0 ? " a step" : "",
			tc_show_ns(tc_rows_int(&rows, 2)).text);
		if (number > 0)
			tc_buf_format(buf, " (#%zu)", number);
		tc_buf_append_char(buf, '.');
	}
	tc_rows_close(&rows);
}

static void append_limits(struct tc_buf *buf, const struct tc_ranks *ranks)
{
	const struct tc_rank_line *pace = &ranks->lines[ranks->pace];

	if (ranks->has_waits && pace->step_count <= 1 && ranks->starts_apart_ns == 0)
		tc_buf_append_string(buf,
			" With one step, a rank that started late and one that is "
			"always late look the same.");
	if (!ranks->knows_waits && (int64_t)ranks->count < ranks->world_size)
		tc_buf_append_string(buf,
			" Some ranks are missing, so waits for a late rank cannot be "
			"separated from transfer.");
	else if (!ranks->knows_waits)
		tc_buf_append_string(buf,
			" No collectives match across the ranks, so the waits are "
			"unknown.");
	if (ranks->by_guess)
		tc_buf_append_string(buf, " The times of these ranks do not all overlap: that they "
					  "are one job is a guess from world size and ranks.");
}

/* "Rank 7 sets the pace: ... On this rank the device is idle 79 % of the time." */
static void append_trace(struct tc_buf *buf, struct tc_job *job, const struct tc_ranks *ranks,
	const struct tc_view *view, bool knows_pace)
{
	struct tc_buf own = TC_BUF_EMPTY;
	tc_verdict(&own, job, view);
	struct tc_text text = tc_buf_text(&own);

	if (knows_pace)
		append_pace(buf, ranks);
	if (knows_pace && ranks->starts_apart_ns == 0 && ranks->has_waits == ranks->knows_waits)
		tc_buf_append_string(buf, "On this rank ");
	else
		tc_buf_format(buf, "On rank %lld%s ", (long long)view->rank,
			knows_pace && ranks->has_waits ? ", which waits least for the others,"
						       : "");
	if (text.len > 0)
		tc_buf_append_char(buf, (char)tolower((unsigned char)text.ptr[0]));
	if (text.len > 1)
		tc_buf_append_text(buf, (struct tc_text){text.ptr + 1, text.len - 1});
	tc_buf_end(buf, &own);
}

static void append_cut_rank(struct tc_buf *buf, struct tc_job *job, const struct tc_rank_line *line)
{
	struct tc_views views = tc_views_one(job, line->trace_id);

	for (const struct tc_view *view; (view = tc_views_next(&views));)
		tc_verdict_end(buf, job, view, line->rank);
	tc_buf_append_char(buf, ' ');
}

/* "The file of rank 1 ends early, after 1.60 MiB. What follows is about the parts that were read,
 * which do not show who waits for whom. " */
static void append_ends(struct tc_buf *buf, struct tc_job *job, const struct tc_ranks *ranks)
{
	size_t count = 0;

	for (size_t i = 0; i < ranks->count; i++)
		if (ranks->lines[i].is_cut && count++ < NAMED_RANKS)
			append_cut_rank(buf, job, &ranks->lines[i]);
	if (count > NAMED_RANKS)
		tc_buf_format(buf, "So %s of %s more rank%s. ",
			count - NAMED_RANKS == 1 ? "does that" : "do those",
			tc_show_count((int64_t)(count - NAMED_RANKS)).text,
			count - NAMED_RANKS == 1 ? "" : "s");
	if (count > 0)
		tc_buf_append_string(buf, "What follows is about the parts that were read, which "
					  "do not show who waits for whom. ");
}

/* If most operations of a rank are missing, or the end of a file, so are collectives, and nobody
 * can tell which rank was late. */
void tc_ranks_verdict(struct tc_buf *buf, struct tc_job *job, const struct tc_ranks *ranks)
{
	struct tc_views views = tc_views_one(job, ranks->lines[ranks->pace].trace_id);
	bool knows_pace = true;

	append_ends(buf, job, ranks);
	for (const struct tc_view *view; (view = tc_views_next(&views));) {
		knows_pace = ranks->cut_count == 0 &&
			     tc_metric(&view->whole.run, TC_METRIC_RECORDED_ONE_OF) <= 1;
		append_trace(buf, job, ranks, view, knows_pace);
	}
	if (!knows_pace)
		return;
	append_late(buf, ranks);
	append_why(buf, job, ranks);
	append_limits(buf, ranks);
}
