/*
 * The comparison of two runs; see tracecoach/compare.h. It chooses the traces, reads the numbers of
 * both sides, judges them, and calls the format.
 */
#include "report/compare/compare.h"

#include "core/alloc.h"
#include "core/array.h"
#include "core/saturate.h"
#include "report/view/view.h"
#include "store/connection.h"

/* ---- numbers of both sides */

int64_t tc_compare_mean(int64_t sum, int64_t count)
{
	uint64_t magnitude = sum < 0 ? 0 - (uint64_t)sum : (uint64_t)sum;

	if (count <= 0)
		return 0;
	magnitude = (magnitude + (uint64_t)count / 2) / (uint64_t)count;
	return (int64_t)(sum < 0 ? 0 - magnitude : magnitude);
}

const char *tc_compare_unit_name(const struct tc_compare *compare)
{
	static const char *const names[] = {[TC_UNIT_WHOLE] = NULL,
		[TC_UNIT_STEP] = "step",
		[TC_UNIT_SAMPLE] = "sample",
		[TC_UNIT_INPUT_ROW] = "input row"};

	return names[compare->unit];
}

bool tc_compare_has_device(const struct tc_compare *compare)
{
	return compare->sides[TC_BEFORE].sums.cells[TC_METRIC_IDLE].present &&
	       compare->sides[TC_AFTER].sums.cells[TC_METRIC_IDLE].present;
}

const struct tc_part *tc_compare_parts(const struct tc_compare *compare, size_t *count)
{
	bool gaudi = tc_view_has(compare->sides[TC_BEFORE].view, TC_METRIC_HAS_GAUDI) &&
		     tc_view_has(compare->sides[TC_AFTER].view, TC_METRIC_HAS_GAUDI);

	return tc_device_parts(gaudi, count);
}

static struct tc_compare_time time_of(const struct tc_compare *compare, const char *key,
	const char *name, const int64_t sum_ns[static TC_COMPARE_SIDES])
{
	struct tc_compare_time time = {.key = key, .name = name};

	for (int side = 0; side < TC_COMPARE_SIDES; side++) {
		time.sum_ns[side] = sum_ns[side];
		time.mean_ns[side] =
			tc_compare_mean(sum_ns[side], tc_compare_units(&compare->sides[side]));
	}
	time.difference_ns = tc_sub_saturated(time.mean_ns[TC_AFTER], time.mean_ns[TC_BEFORE]);
	return time;
}

struct tc_compare_time tc_compare_metric_time(
	const struct tc_compare *compare, enum tc_metric id, const char *name)
{
	const int64_t sum_ns[] = {tc_metric(&compare->sides[TC_BEFORE].sums, id),
		tc_metric(&compare->sides[TC_AFTER].sums, id)};

	return time_of(compare, tc_metric_info(id)->name, name, sum_ns);
}

size_t tc_compare_device_times(
	struct tc_compare_time times[TC_COMPARE_TIMES_MOST], const struct tc_compare *compare)
{
	int64_t idle_ns[TC_COMPARE_SIDES], wall_ns[TC_COMPARE_SIDES], outside_ns[TC_COMPARE_SIDES];
	size_t count;
	const struct tc_part *parts = tc_compare_parts(compare, &count);

	for (size_t i = 0; i < count; i++)
		times[i] = tc_compare_metric_time(compare, parts[i].id, parts[i].name);
	times[count] = tc_compare_metric_time(compare, TC_METRIC_START_AND_END, "start and end");
	count += times[count].sum_ns[TC_BEFORE] > 0 || times[count].sum_ns[TC_AFTER] > 0;
	for (int side = 0; side < TC_COMPARE_SIDES; side++) {
		int64_t sum_ns = idle_ns[side] = tc_compare_idle_ns(&compare->sides[side]);
		for (size_t i = 0; i < count; i++)
			sum_ns = tc_add_saturated(sum_ns, times[i].sum_ns[side]);
		wall_ns[side] = compare->sides[side].steps.sum_ns;
		outside_ns[side] = tc_negate_saturated(tc_sub_saturated(sum_ns, wall_ns[side]));
	}
	times[count++] = time_of(compare, "idle", "idle", idle_ns);
	times[count++] = time_of(compare, "outside", "outside of these steps", outside_ns);
	times[count++] = time_of(compare, "wall", "wall time", wall_ns);
	return count;
}

const struct tc_compare_amount *tc_compare_amounts(size_t *count)
{
	static const struct tc_compare_amount amounts[] = {
		{TC_METRIC_COMPILE_COUNT, "compilations", "compilations per step", false, true},
		{TC_METRIC_SYNC_COUNT, "blocking waits", "blocking waits per step", false, true},
		{TC_METRIC_INPUT_COPY_COUNT, "input copies", "input copies per step", false, true},
		{TC_METRIC_DEVICE_OP_COUNT, "device operations", "device operations per step",
			false, true},
		{TC_METRIC_MEMORY_PEAK, "memory, peak in use", "memory, peak in use", true, false},
		{TC_METRIC_MEMORY_RESERVED_PEAK, "memory, peak reserved", "memory, peak reserved",
			true, false},
	};

	*count = TC_COUNT_OF(amounts);
	return amounts;
}

/* ---- stores of several traces */

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
	else if (ranks.len == 0 && all == 1)
		tc_fail(ctx, TC_ERR_USAGE, "%s: the trace has no rank: leave out --rank", source);
	else if (ranks.len == 0)
		tc_fail(ctx, TC_ERR_USAGE,
			rank < 0 ? "%s: %lld traces without a rank: compare one of them alone"
				 : "%s: none of %lld traces has a rank: leave out --rank",
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

/* The pair that changed most comes first; the others keep their order. */
static void put_most_first(struct tc_compare *compare)
{
	size_t most = 0;

	for (size_t i = 1; i < compare->rank_count; i++)
		if (tc_magnitude_saturated(tc_compare_rank_change_ns(compare, &compare->ranks[i])) >
			tc_magnitude_saturated(
				tc_compare_rank_change_ns(compare, &compare->ranks[most])))
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

/*
 * Finds the traces to compare: that of the rank asked for, else, of all ranks that both sides have,
 * the pair whose steps changed most. Traces without ranks are paired in their order when both sides
 * have equally many. TC_ERR_USAGE, with the ranks there are, when this does not decide.
 */
static void choose_traces(int64_t ids[static TC_COMPARE_SIDES], struct tc_compare *compare)
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

/* ---- whether both sides work on inputs of the same size, by the recorded shapes of matrix
 * products and convolutions */

#define AGREED_PCT 90

enum { IMAGE_RANK = 3 }; /* with fewer dimensions the first one may count tokens, not samples */

/* Calls of both sides that agree in all but the first dimension, which is at most 1e9. */
struct match {
	int64_t lead[TC_COMPARE_SIDES], call_count;
	bool counts_samples;
};

struct matches {
	struct match *items;
	size_t count, capacity;
};

static void add_match(
	struct matches *matches, struct tc_compare *compare, const struct tc_rows *rows)
{
	struct match match = {.counts_samples = tc_rows_int(&rows[TC_BEFORE], 2) >= IMAGE_RANK};

	for (int side = 0; side < TC_COMPARE_SIDES; side++) {
		match.lead[side] = tc_rows_int(&rows[side], 1);
		match.call_count = tc_add_saturated(match.call_count, tc_rows_int(&rows[side], 3));
	}
	compare->matched_shape_count += match.lead[TC_BEFORE] == match.lead[TC_AFTER];
	TC_PUSH(compare->job->ctx, matches->items, matches->count, matches->capacity, match);
}

static bool same_ratio(const struct match *a, const struct match *b)
{
	return a->lead[TC_BEFORE] * b->lead[TC_AFTER] == b->lead[TC_BEFORE] * a->lead[TC_AFTER];
}

/* Calls whose first dimension counts the same thing as `like`, and, unless `all`, has the same
 * ratio. */
static int64_t count_calls(const struct matches *matches, const struct match *like, bool all)
{
	int64_t count = 0;

	for (size_t i = 0; i < matches->count; i++)
		if (matches->items[i].counts_samples == like->counts_samples &&
			(all || same_ratio(&matches->items[i], like)))
			count = tc_add_saturated(count, matches->items[i].call_count);
	return count;
}

/* The ratio of most calls; shapes that count samples come first. NULL without any. */
static const struct match *find_most(const struct matches *matches)
{
	const struct match *most = NULL;

	for (size_t i = 0; i < matches->count; i++) {
		const struct match *match = &matches->items[i];
		bool more = !most || match->call_count > most->call_count;
		if (most && match->counts_samples != most->counts_samples)
			more = match->counts_samples;
		most = more ? match : most;
	}
	return most;
}

static void choose_unit(struct tc_compare *compare, const struct matches *matches)
{
	const struct match *most = find_most(matches);

	/* Where the work is another, few shapes agree by chance. */
	if (!compare->by_step || tc_work_other_weights(compare) || !most ||
		most->lead[TC_BEFORE] == most->lead[TC_AFTER])
		return;
	double share = (double)count_calls(matches, most, false) /
		       (double)count_calls(matches, most, true);
	if (share * 100 < AGREED_PCT)
		return;
	compare->unit = most->counts_samples ? TC_UNIT_SAMPLE : TC_UNIT_INPUT_ROW;
	for (int side = 0; side < TC_COMPARE_SIDES; side++)
		compare->sides[side].batch = most->lead[side];
}

/*
 * Products and convolutions are matched by name, weight and all dimensions of the input but the
 * first. When the first has the same ratio, other than 1, in at least 90 % of the matched calls, it
 * is the batch: sets the batch of both sides and the unit of all means. Counts the shapes, and
 * those that both sides have.
 */
static void load_shapes(struct tc_compare *compare)
{
	struct tc_pairs pairs;
	struct matches matches = {0};

	compare->unit = compare->by_step ? TC_UNIT_STEP : TC_UNIT_WHOLE;
	for (int side = 0; side < TC_COMPARE_SIDES; side++)
		compare->sides[side].batch = 1;
	tc_pairs_open(&pairs, compare, TC_QUERY_SHAPES, 1);
	for (; tc_pairs_next(&pairs); compare->shape_count++)
		if (pairs.has[TC_BEFORE] && pairs.has[TC_AFTER])
			add_match(&matches, compare, pairs.rows);
	choose_unit(compare, &matches);
	tc_free(matches.items);
}

/* ---- reading */

#define LEFT_OUT_ROWS 10 /* inputs left out whose reasons are given */

static void load_steps(struct tc_compare *compare, enum tc_compare_index side)
{
	struct tc_compared *compared = &compare->sides[side];
	struct tc_rows rows = tc_compare_open(compare, TC_QUERY_STEPS, side);

	compared->steps = (struct tc_spread){0};
	if (tc_rows_next(&rows))
		compared->steps = tc_spread_of(&rows, 0);
	compared->steady_step_count = compared->steps.count;
	if (compare->leaves_first && compared->steps.first_ns >= 0)
		compared->steady_step_count++;
	compared->all_step_count = compare->by_step ? compared->view->step_count : 1;
	tc_rows_close(&rows);
}

/* Steps where both have some with a length, else the whole. */
static void choose_basis(struct tc_compare *compare)
{
	compare->by_step = true;
	for (int side = 0; side < TC_COMPARE_SIDES; side++)
		load_steps(compare, (enum tc_compare_index)side);
	if (compare->sides[TC_BEFORE].steps.sum_ns > 0 &&
		compare->sides[TC_AFTER].steps.sum_ns > 0) {
		compare->leaves_first = tc_compare_leaves_first(
			&compare->sides[TC_BEFORE].steps, &compare->sides[TC_AFTER].steps);
		for (int side = 0; side < TC_COMPARE_SIDES && compare->leaves_first; side++)
			load_steps(compare, (enum tc_compare_index)side);
		return;
	}
	compare->by_step = false;
	for (int side = 0; side < TC_COMPARE_SIDES; side++) {
		load_steps(compare, (enum tc_compare_index)side);
		if (compare->sides[side].steps.sum_ns <= 0 && !tc_ctx_failed(compare->job->ctx))
			tc_fail(compare->job->ctx, TC_ERR_INPUT,
				"%s: no slice in it has a duration, so there is nothing to compare",
				compare->sides[side].given->source);
	}
}

static void load_metrics(struct tc_compare *compare, enum tc_compare_index side)
{
	struct tc_rows rows = tc_compare_open(compare, TC_QUERY_METRICS, side);

	while (tc_rows_next(&rows))
		tc_metrics_take(&compare->sides[side].sums, &rows, 0);
}

static void load_copies(struct tc_compare *compare, enum tc_compare_index side)
{
	struct tc_compared *compared = &compare->sides[side];
	struct tc_rows rows = tc_compare_open(compare, TC_QUERY_COPIES, side);

	while (tc_rows_next(&rows)) {
		bool input = tc_role_find(tc_rows_text(&rows, 0)) == TC_ROLE_INPUT_COPY;
		struct tc_metric_cell *cell =
			input ? &compared->input_bytes : &compared->output_bytes;
		*cell = (struct tc_metric_cell){.present = true, .integer = tc_rows_int(&rows, 1)};
	}
}

static void load_kind(struct tc_compare *compare, enum tc_compare_index side)
{
	struct tc_compared *compared = &compare->sides[side];
	struct tc_rows rows = TC_ROWS(compared->job.ctx, compared->job.db,
		"SELECT kind FROM run_kind WHERE trace_id = ?1", compared->view->id);

	compared->run_kind = TC_TEXT("");
	if (tc_rows_next(&rows) && !tc_rows_null(&rows, 0))
		compared->run_kind = tc_text_equal(tc_rows_text(&rows, 0), TC_TEXT("training"))
					     ? TC_TEXT("training")
					     : TC_TEXT("inference");
	tc_rows_close(&rows);
}

static void load_unlaunched(struct tc_compare *compare, enum tc_compare_index side)
{
	struct tc_compared *compared = &compare->sides[side];

	compared->unlaunched_count = tc_rows_single(compared->job.ctx, compared->job.db,
		"SELECT sum(iif(step IS NULL, value, -value)) FROM metric WHERE trace_id = ?1"
		" AND device IS NULL AND name = 'device_op_count'",
		compared->view->id);
}

static void load_left_out(struct tc_compare *compare, enum tc_compare_index side)
{
	struct tc_compared *compared = &compare->sides[side];
	struct tc_buf *text = &compared->left_out;
	int count = 0;

	tc_left_out_append(text, compared->job.ctx, compared->job.db);
	struct tc_rows rows = tc_rows_open(compared->job.ctx, compared->job.db, tc_left_out_sql);
	for (; tc_rows_next(&rows); count++) {
		if (count >= LEFT_OUT_ROWS)
			continue;
		tc_buf_append_string(text, count == 0 ? ": " : "; ");
		tc_buf_append_text(text, tc_rows_text(&rows, 1));
	}
	if (count > LEFT_OUT_ROWS)
		tc_buf_format(text, "; and %d more (table left_out)", count - LEFT_OUT_ROWS);
}

/* Durations of both sides in the rows that both have. */
static int64_t matched_ns(const struct tc_compare_rows *list)
{
	int64_t sum_ns = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct tc_compare_row *row = &list->rows[i];
		if (row->name_count[TC_BEFORE] == 0 || row->name_count[TC_AFTER] == 0)
			continue;
		for (int side = 0; side < TC_COMPARE_SIDES; side++)
			sum_ns = tc_add_saturated(sum_ns, row->sum_ns[side]);
	}
	return sum_ns;
}

/* After the operations. */
static void load_operators(struct tc_compare *compare)
{
	struct tc_text before = compare->sides[TC_BEFORE].view->vendor;
	struct tc_text after = compare->sides[TC_AFTER].view->vendor;
	bool vendors_differ = before.len > 0 && after.len > 0 && !tc_text_equal(before, after);

	tc_compare_rows_load(
		compare, TC_QUERY_OPERATORS, vendors_differ ? TC_JOIN_GROUPS : TC_JOIN_NONE);
	tc_compare_rows_load(compare, TC_QUERY_OPERATOR_SHAPES, TC_JOIN_NONE);
	tc_compare_rows_load(compare, TC_QUERY_KERNEL_SHAPES, TC_JOIN_NAMES);
	compare->by_operator =
		vendors_differ && matched_ns(&compare->rows[TC_QUERY_OPERATORS]) >
					  matched_ns(&compare->rows[TC_QUERY_OPERATIONS]);
}

/* A version as the trace says it; nothing where it does not. */
static void append_version(struct tc_buf *buf, const struct tc_compared *side, const char *key)
{
	struct tc_rows rows = TC_ROWS(side->job.ctx, side->job.db,
		"SELECT value ->> '$' FROM trace_meta WHERE trace_id = ?1 AND key = ?2"
		" AND json_type(value) NOT IN ('null', 'array', 'object')",
		side->view->id);

	tc_rows_bind_text(&rows, 2, tc_text_from(key));
	if (tc_rows_next(&rows))
		tc_buf_append_text(buf, tc_rows_text(&rows, 0));
	tc_rows_close(&rows);
}

static void load_software(struct tc_compare *compare)
{
	static const char *const all[][2] = {{"pytorch_version", "PyTorch"},
		{"cuda_driver_version", "CUDA driver"}, {"cuda_runtime_version", "CUDA runtime"},
		{"cupti_version", "CUPTI"}, {"hip_driver_version", "HIP driver"},
		{"hip_runtime_version", "HIP runtime"}, {"roctracer_version", "roctracer"}};

	for (size_t i = 0; i < TC_COUNT_OF(all); i++) {
		struct tc_buf values[TC_COMPARE_SIDES] = {TC_BUF_EMPTY, TC_BUF_EMPTY};
		for (int side = 0; side < TC_COMPARE_SIDES; side++)
			append_version(&values[side], &compare->sides[side], all[i][0]);
		struct tc_text a = tc_buf_text(&values[0]), b = tc_buf_text(&values[1]);
		if (a.len > 0 && b.len > 0 && !tc_text_equal(a, b))
			tc_buf_format(&compare->software, "%s%s %.*s before, %.*s after",
				compare->software.len > 0 ? "; " : "", all[i][1], (int)a.len, a.ptr,
				(int)b.len, b.ptr);
		for (int side = 0; side < TC_COMPARE_SIDES; side++)
			tc_buf_end(&compare->software, &values[side]);
	}
}

/* The difference of two critical paths; nothing where a side has none. */
static void load_path(struct tc_compare *compare)
{
	struct tc_compare_rows *path = &compare->rows[TC_QUERY_PATH];
	bool has[TC_COMPARE_SIDES] = {false, false};

	tc_compare_rows_load(compare, TC_QUERY_PATH, TC_JOIN_NONE);
	for (size_t i = 0; i < path->count; i++)
		for (int side = 0; side < TC_COMPARE_SIDES; side++)
			has[side] |= path->rows[i].name_count[side] > 0;
	if (!has[TC_BEFORE] || !has[TC_AFTER])
		path->count = 0;
}

/* Why a heuristic did not look at a side; NULL when it did. */
static const char *reason_of(const struct tc_compared *side, const struct tc_heuristic *heuristic)
{
	const struct tc_account_row *check =
		tc_find_check(side->given->advice, side->view->id, heuristic->id);

	if (!check)
		return "not run";
	bool looked = check->outcome == TC_OUTCOME_FIRED || check->outcome == TC_OUTCOME_QUIET;
	return looked ? NULL : check->reason ? check->reason : "failed";
}

/* Whether a side without a finding wins half as much as the other by the same fix, a unit of work:
 * it is quiet because that is just too little to be reported. */
static bool is_just_small(
	const struct tc_compare *compare, const struct tc_compare_advice *row, int side)
{
	const struct tc_compared *quiet = &compare->sides[side], *fired = &compare->sides[!side];
	struct tc_rows rows = TC_ROWS(quiet->job.ctx, quiet->job.db,
		"SELECT gain_ns FROM whatif WHERE trace_id = ?1 AND fix = ?2", quiet->view->id);

	tc_rows_bind_text(&rows, 2, tc_text_from(row->heuristic->id));
	int64_t gain_ns = tc_rows_next(&rows) ? tc_rows_int(&rows, 0) : 0;
	tc_rows_close(&rows);
	return gain_ns > 0 && !row->reason[side] &&
	       tc_compare_mean(gain_ns, tc_compare_gain_units(quiet)) >=
		       tc_compare_mean(row->finding[!side]->gain_ns, tc_compare_gain_units(fired)) /
			       2;
}

static enum tc_change change_kind(
	const struct tc_compare *compare, const struct tc_compare_advice *row)
{
	if (row->finding[TC_BEFORE] && row->finding[TC_AFTER])
		return TC_CHANGE_REMAINS;
	if (is_just_small(compare, row, row->finding[TC_BEFORE] ? TC_AFTER : TC_BEFORE))
		return TC_CHANGE_REMAINS;
	if (row->finding[TC_AFTER])
		return row->reason[TC_BEFORE] ? TC_CHANGE_UNKNOWN_BEFORE : TC_CHANGE_NEW;
	return row->reason[TC_AFTER] ? TC_CHANGE_UNKNOWN_AFTER : TC_CHANGE_GONE;
}

static void add_advice(struct tc_compare *compare, const struct tc_heuristic *heuristic)
{
	struct tc_compare_advice row = {.heuristic = heuristic, .by_step = compare->by_step};

	for (int side = 0; side < TC_COMPARE_SIDES; side++) {
		const struct tc_compared *compared = &compare->sides[side];
		row.finding[side] =
			tc_find_finding(compared->given->advice, compared->view->id, heuristic);
		row.reason[side] = row.finding[side] ? NULL : reason_of(compared, heuristic);
		row.by_step &= !tc_gain_lacks_step(&compared->job, row.finding[side]);
	}
	if (!row.finding[TC_BEFORE] && !row.finding[TC_AFTER])
		return;
	row.change = change_kind(compare, &row);
	TC_PUSH(compare->job->ctx, compare->advice, compare->advice_count, compare->advice_capacity,
		row);
}

static bool has_advice(const struct tc_compare *compare, const char *id)
{
	for (size_t i = 0; i < compare->advice_count; i++)
		if (strcmp(compare->advice[i].heuristic->id, id) == 0)
			return true;
	return false;
}

static int64_t most_gain(const struct tc_compare_advice *row)
{
	int64_t most_ns = TC_GAIN_NONE;

	for (int side = 0; side < TC_COMPARE_SIDES; side++)
		if (row->finding[side] && row->finding[side]->gain_ns > most_ns)
			most_ns = row->finding[side]->gain_ns;
	return most_ns;
}

TC_ORDER(by_kind, struct tc_compare_advice,
	TC_UP(change) TC_DOWN_OF(most_gain) TC_UP_STRING(heuristic->id));

static void load_advice(struct tc_compare *compare)
{
	const struct tc_heuristic *heuristic;

	for (int side = 0; side < TC_COMPARE_SIDES; side++) {
		const struct tc_settings *settings = compare->sides[side].given->advice->made_with;
		for (size_t i = 0; (heuristic = tc_heuristic_at(settings, i)); i++)
			if (!has_advice(compare, heuristic->id))
				add_advice(compare, heuristic);
	}
	TC_SORT(compare->advice, compare->advice_count, by_kind);
}

static void load_damage(struct tc_compare *compare, enum tc_compare_index side)
{
	compare->result.damaged[side] =
		tc_rows_single(compare->sides[side].job.ctx, compare->sides[side].job.db,
			"SELECT count(*)" TC_FROM_DAMAGE " AND t.id = ?1",
			compare->sides[side].view->id) > 0;
}

/* Loads what the weights of both have in common, which the batch needs. */
static void compare_weights_load(struct tc_compare *compare)
{
	bool has[TC_COMPARE_SIDES] = {false, false};
	double common = 0;
	struct tc_pairs pairs;

	tc_pairs_open(&pairs, compare, TC_QUERY_WEIGHTS, 1);
	while (tc_pairs_next(&pairs)) {
		double shares[TC_COMPARE_SIDES] = {0, 0};
		for (int side = 0; side < TC_COMPARE_SIDES; side++) {
			if (!pairs.has[side])
				continue;
			has[side] = true;
			shares[side] = (double)tc_rows_int(&pairs.rows[side], 1) /
				       (double)tc_rows_int(&pairs.rows[side], 2);
		}
		compare->common_weight_count += pairs.has[TC_BEFORE] && pairs.has[TC_AFTER];
		common +=
			shares[TC_BEFORE] < shares[TC_AFTER] ? shares[TC_BEFORE] : shares[TC_AFTER];
	}
	compare->common_weights = has[TC_BEFORE] && has[TC_AFTER] ? common : -1;
}

/* Loads all but the judgement; the views are there. clear() also when it failed. */
static void load(struct tc_compare *compare)
{
	static void (*const of_side[])(struct tc_compare *, enum tc_compare_index) = {
		load_metrics, load_copies, load_kind, load_unlaunched, load_left_out, load_damage};

	choose_basis(compare);
	for (size_t i = 0; i < TC_COUNT_OF(of_side); i++)
		for (int side = 0; side < TC_COMPARE_SIDES; side++)
			of_side[i](compare, (enum tc_compare_index)side);
	compare_weights_load(compare);
	load_shapes(compare);
	tc_compare_rows_load(compare, TC_QUERY_OPERATIONS, TC_JOIN_NAMES);
	load_operators(compare);
	load_path(compare);
	load_software(compare);
	tc_compare_rows_load(compare, TC_QUERY_SLICES, TC_JOIN_NONE);
	tc_compare_relate(compare);
	load_advice(compare);
}

static void clear(struct tc_compare *compare)
{
	for (int query = 0; query < TC_QUERY_COUNT; query++)
		tc_free(compare->rows[query].rows);
	tc_arena_clear(&compare->texts);
	tc_buf_clear(&compare->software);
	for (int side = 0; side < TC_COMPARE_SIDES; side++)
		tc_buf_clear(&compare->sides[side].left_out);
	tc_free(compare->advice);
	compare->advice = NULL;
	compare->advice_count = compare->advice_capacity = 0;
}

/* ---- the command */

/* Without a limit a doubtful recording is shown as it is. */
static void apply_limit(struct tc_compare *compare)
{
	const struct tc_report_options *options = &compare->job->options;
	struct tc_compare_result *result = &compare->result;

	result->is_unjudged = result->outcome == TC_COMPARE_UNLIKE ||
			      result->outcome == TC_COMPARE_OTHER_WORK ||
			      (options->slower.is_given &&
				      (result->outcome == TC_COMPARE_DAMAGED || result->foreign));
	result->has_failed = options->slower.is_given && !result->is_unjudged &&
			     result->outcome == TC_COMPARE_SLOWER &&
			     result->difference_pct >= options->slower.pct;
}

static void write_loaded(struct tc_compare *compare, const struct tc_compare_format *format)
{
	load(compare);
	if (!tc_ctx_failed(compare->job->ctx)) {
		tc_compare_judge(compare);
		for (int side = 0; side < TC_COMPARE_SIDES; side++)
			compare->result.foreign |= tc_view_is_other(compare->sides[side].view);
		apply_limit(compare);
		compare->job->write = format->writer->layout;
		format->writer->write(compare);
	}
	clear(compare);
}

/* The views of both sides are there while the comparison is made. */
static void write_traces(struct tc_compare *compare, const struct tc_compare_format *format)
{
	struct tc_views views[TC_COMPARE_SIDES];
	int64_t ids[TC_COMPARE_SIDES] = {0, 0};
	bool has_all = true;

	choose_traces(ids, compare);
	for (int i = 0; i < TC_COMPARE_SIDES; i++) {
		struct tc_compared *side = &compare->sides[i];
		side->job.options.top = compare->job->options.top;
		views[i] = tc_views_one(&side->job, ids[i]);
		side->view = tc_views_next(&views[i]);
		has_all &= side->view != NULL;
	}
	if (has_all)
		write_loaded(compare, format);
	for (int i = 0; i < TC_COMPARE_SIDES; i++)
		tc_views_close(&views[i]);
	tc_free(compare->ranks);
}

enum tc_status tc_compare(struct tc_compare_result *result, struct tc_ctx *ctx,
	const struct tc_compare_side sides[TC_COMPARE_SIDES],
	const struct tc_compare_format *format, const struct tc_report_options *options,
	const struct tc_compare_output *output)
{
	static const struct tc_report_options none = {0};

	TC_ENTER(ctx);
	struct tc_job job = {.ctx = ctx, .options = options ? *options : none};
	struct tc_compare compare = {.job = &job, .anyway = job.options.anyway};
	int64_t rank = job.options.has_rank ? job.options.rank : -1;

	job.options.has_step = job.options.has_rank = false;
	for (int i = 0; i < TC_COMPARE_SIDES; i++) {
		if (!sides[i].advice)
			tc_fail(ctx, TC_ERR_USAGE, "a comparison needs advice: tc_advise_store()");
		compare.sides[i] = (struct tc_compared){.given = &sides[i],
			.job = {.ctx = ctx,
				.db = tc_store_db(sides[i].store),
				.store_path = tc_store_path(sides[i].store),
				.advice = sides[i].advice,
				.options = {.step = -1, .rank = rank}}};
	}
	tc_sink_init(&job.sink, output->write, output->user);
	if (tc_job_begin(&job))
		write_traces(&compare, format);
	enum tc_status status = tc_job_end(&job);
	if (status == TC_OK)
		*result = compare.result;
	return status;
}
