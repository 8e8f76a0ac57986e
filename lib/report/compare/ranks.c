#include "report/compare/parts.h"

#include "core/alloc.h"
#include "core/saturate.h"
#include "report/text/format.h"

/* Traces of a side, sorted by rank, those without a rank last, then by number. */
static const char traces_sql[] = "SELECT t.rank, t.id, coalesce(s.steps, 1), coalesce(s.sum_ns, "
				 "(SELECT m.value FROM metric m"
				 " WHERE m.trace_id = t.id AND m.name = 'wall_ns' AND m.device IS "
				 "NULL AND m.step IS NULL), 0)"
				 " FROM trace t LEFT JOIN step_spread s ON s.trace_id = t.id"
				 " ORDER BY t.rank IS NULL, t.rank, t.id";

/* How the traces of a side are distinguished. */
struct kind {
	int64_t count;
	bool has_ranks; /* each trace has its own rank */
	bool has_none;
};

/* "0, 1, 3": the ranks that a store has traces of. */
static void append_ranks(struct tc_buf *buf, const struct tc_job *job)
{
	const char *separator = "";
	struct tc_rows rows = tc_rows_open(job->ctx, job->db,
		"SELECT DISTINCT rank FROM trace WHERE rank IS NOT NULL ORDER BY rank");

	while (tc_rows_next(&rows)) {
		tc_buf_format(buf, "%s%lld", separator, (long long)tc_rows_int(&rows, 0));
		separator = ", ";
	}
}

/* No trace, or several, match the request: lists the ranks there are. */
static void fail_choice(const struct tc_compared *side, int64_t rank, int64_t chosen, int64_t all)
{
	struct tc_ctx *ctx = side->job.ctx;
	const char *source = side->given->source;
	struct tc_buf ranks = TC_BUF_EMPTY;

	append_ranks(&ranks, &side->job);
	const char *list = tc_buf_string(&ranks);
	if (!list)
		tc_no_memory(ctx);
	else if (ranks.len == 0)
		tc_fail(ctx, TC_ERR_USAGE,
			rank < 0 ? "%s: %lld traces without a rank: compare one of them alone"
				 : "%s: %lld traces, none with a rank: leave out --rank",
			source, (long long)all);
	else if (chosen > 1 && rank >= 0)
		tc_fail(ctx, TC_ERR_USAGE,
			"%s: %lld traces of rank %lld: compare one of them alone", source,
			(long long)chosen, (long long)rank);
	else if (rank >= 0)
		tc_fail(ctx, TC_ERR_USAGE, "%s: no trace of rank %lld: there is %s", source,
			(long long)rank, list);
	else
		tc_fail(ctx, TC_ERR_USAGE, "%s: %lld traces: choose one with --rank N, of ranks %s",
			source, (long long)all, list);
	tc_buf_clear(&ranks);
}

static void choose_trace(int64_t *id, const struct tc_compared *side, int64_t rank)
{
	int64_t all = 0, chosen = 0;
	struct tc_rows rows = TC_ROWS(side->job.ctx, side->job.db,
		"SELECT count(*), count(*) FILTER (WHERE ?1 < 0 OR rank = ?1),"
		" min(id) FILTER (WHERE ?1 < 0 OR rank = ?1) FROM trace",
		rank);

	if (tc_rows_next(&rows)) {
		all = tc_rows_int(&rows, 0);
		chosen = tc_rows_int(&rows, 1);
		*id = tc_rows_int(&rows, 2);
	}
	tc_rows_close(&rows);
	if (chosen != 1 && !tc_ctx_failed(side->job.ctx))
		fail_choice(side, rank, chosen, all);
}

static struct kind find_kind(const struct tc_compared *side)
{
	struct kind kind = {0};
	struct tc_rows rows = tc_rows_open(side->job.ctx, side->job.db,
		"SELECT count(*), count(DISTINCT rank) = count(*), count(rank) = 0 FROM trace");

	if (tc_rows_next(&rows))
		kind = (struct kind){tc_rows_int(&rows, 0), tc_rows_int(&rows, 1) != 0,
			tc_rows_int(&rows, 2) != 0};
	tc_rows_close(&rows);
	return kind;
}

static void add_rank(struct tc_compare *compare, const struct tc_rows *rows)
{
	struct tc_compare_rank rank = {.number = compare->by_rank ? tc_rows_int(&rows[0], 0)
								  : (int64_t)compare->rank_count};

	for (int side = 0; side < TC_COMPARE_SIDES; side++) {
		rank.trace_id[side] = tc_rows_int(&rows[side], 1);
		rank.step_count[side] = tc_rows_int(&rows[side], 2);
		rank.sum_ns[side] = tc_rows_int(&rows[side], 3);
	}
	TC_PUSH(compare->job->ctx, compare->ranks, compare->rank_count, compare->rank_capacity,
		rank);
}

/* Joins the traces of both sides by rank, or line by line. */
static void load_pairs(struct tc_compare *compare)
{
	struct tc_pairs pairs;

	for (int side = 0; side < TC_COMPARE_SIDES; side++)
		pairs.rows[side] =
			tc_rows_open(compare->job->ctx, compare->sides[side].job.db, traces_sql);
	tc_pairs_begin(&pairs, compare->by_rank);
	while (tc_pairs_next(&pairs))
		if (pairs.has[TC_BEFORE] && pairs.has[TC_AFTER])
			add_rank(compare, pairs.rows);
}

static int64_t mean_ns(
	const struct tc_compare *compare, const struct tc_compare_rank *rank, int side)
{
	int64_t batch = compare->sides[side].batch;

	return tc_compare_mean(rank->sum_ns[side],
		tc_mul_saturated(rank->step_count[side], batch > 0 ? batch : 1));
}

static int64_t change_ns(const struct tc_compare *compare, const struct tc_compare_rank *rank)
{
	return tc_sub_saturated(
		mean_ns(compare, rank, TC_AFTER), mean_ns(compare, rank, TC_BEFORE));
}

/* The pair that changed most comes first; the others keep their order. */
static void put_most_first(struct tc_compare *compare)
{
	size_t most = 0;

	for (size_t i = 1; i < compare->rank_count; i++)
		if (tc_magnitude_saturated(change_ns(compare, &compare->ranks[i])) >
			tc_magnitude_saturated(change_ns(compare, &compare->ranks[most])))
			most = i;
	struct tc_compare_rank first = compare->ranks[most];
	memmove(compare->ranks + 1, compare->ranks, most * sizeof(first));
	compare->ranks[0] = first;
}

/* Pairs the traces of both sides where possible; there may be no pair. */
static void find_pairs(struct tc_compare *compare)
{
	const struct kind before = find_kind(&compare->sides[TC_BEFORE]);
	const struct kind after = find_kind(&compare->sides[TC_AFTER]);

	if (before.count < 2 && after.count < 2)
		return;
	compare->by_rank = before.has_ranks && after.has_ranks;
	if (compare->by_rank || (before.has_none && after.has_none && before.count == after.count))
		load_pairs(compare);
	if (compare->rank_count > 0)
		put_most_first(compare);
}

void tc_compare_ranks_choose(int64_t ids[static TC_COMPARE_SIDES], struct tc_compare *compare)
{
	int64_t wanted = compare->sides[TC_BEFORE].job.options.rank;

	if (wanted < 0)
		find_pairs(compare);
	for (int side = 0; side < TC_COMPARE_SIDES; side++)
		if (compare->rank_count > 0)
			ids[side] = compare->ranks[0].trace_id[side];
		else
			choose_trace(&ids[side], &compare->sides[side], wanted);
}

/* "The 8 ranks of both sides: 141.1 ms per step instead of 177.6 ms on average." */
static void put_average(const struct tc_compare *compare)
{
	struct tc_buf *line = tc_doc_paragraph(&compare->job->doc);
	const char *unit = tc_compare_unit_name(compare);
	const char *noun = compare->by_rank ? "rank" : "trace";
	int64_t sums[TC_COMPARE_SIDES] = {0, 0};

	for (size_t i = 0; i < compare->rank_count; i++)
		for (int side = 0; side < TC_COMPARE_SIDES; side++)
			sums[side] = tc_add_saturated(
				sums[side], mean_ns(compare, &compare->ranks[i], side));
	tc_buf_format(line,
		"The %s %ss of both sides: ", tc_show_count((int64_t)compare->rank_count).text,
		noun);
	tc_format_ns(line, tc_compare_mean(sums[TC_AFTER], (int64_t)compare->rank_count));
	tc_buf_format(line, "%s%s instead of %s on average. %s %lld%s: all else here is about it.",
		unit ? " per " : "", unit ? unit : "",
		tc_show_ns(tc_compare_mean(sums[TC_BEFORE], (int64_t)compare->rank_count)).text,
		compare->by_rank ? "Rank" : "Trace", (long long)compare->ranks[0].number,
		change_ns(compare, &compare->ranks[0]) == 0 ? " is the first, none changed"
							    : " changed most");
}

void tc_compare_put_ranks(const struct tc_compare *compare)
{
	static const char *const columns[] = {"before", "after", "difference", "<rank", NULL};
	struct tc_doc *doc = &compare->job->doc;
	size_t top = (size_t)compare->job->options.top;

	if (compare->rank_count < 2)
		return;
	put_average(compare);
	tc_doc_table(doc, columns);
	for (size_t i = 0; i < compare->rank_count && i < top; i++) {
		const struct tc_compare_rank *rank = &compare->ranks[i];
		for (int side = 0; side < TC_COMPARE_SIDES; side++)
			tc_doc_cell_ns(doc, mean_ns(compare, rank, side));
		tc_doc_cell_change_ns(doc, change_ns(compare, rank));
		tc_doc_cell_count(doc, rank->number);
	}
	if (compare->rank_count > top)
		tc_job_say_more(compare->job, compare->rank_count - top, "", compare->rank_count);
}
