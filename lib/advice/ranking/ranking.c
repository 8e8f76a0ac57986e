/*
 * From the rows of queries to ranked findings, in this order:
 *
 *   replayed gains   of findings whose heuristic names an edit: from the table whatif where the
 *                    store was made with that edit, else the trace is replayed here
 *   small ones       a fix that wins less than min_gain_pct of the steady run is dropped
 *   settle           never more than the wall time; share; severity
 *   rank             by the gain that special cases leave
 */
#include "advice/ranking/ranking.h"

#include <string.h>

#include "advice/ranking/judge.h"
#include "core/alloc.h"
#include "core/array.h"
#include "replay/whatif.h"
#include "store/sql.h"

/* ---- gains */

/* Smallest share of the steady run for each severity; documented in docs/advice.md. */
static const struct {
	double min_pct;
	enum tc_severity severity;
} severities[] = {
	{10.0, TC_SEVERITY_HIGH},
	{5.0, TC_SEVERITY_MEDIUM},
	{1.0, TC_SEVERITY_LOW},
};

/* The severity of a gain of so many percent of the steady run. */
static enum tc_severity severity_of_share(double gain_pct)
{
	for (size_t i = 0; i < TC_COUNT_OF(severities); i++)
		if (gain_pct >= severities[i].min_pct)
			return severities[i].severity;
	return TC_SEVERITY_INFO;
}

/* wall_ns, the facts of judge.h, and the time of the steady run; facts that are not known as if
 * there was enough. */
static const char trace_sql[] =
	"WITH size AS (SELECT name, max(value) AS size FROM metric"
	"  WHERE trace_id = ?1 AND step IS NULL GROUP BY name) "
	"SELECT coalesce((SELECT size FROM size WHERE name = 'wall_ns'), 0),"
	"  coalesce((SELECT size FROM size WHERE name = 'slice_count'), 1),"
	"  coalesce((SELECT size FROM size WHERE name = 'device_op_count'), 1 << 30),"
	"  coalesce((SELECT size FROM size WHERE name = 'has_device'), 1),"
	"  coalesce((SELECT size FROM size WHERE name = 'has_one_clock'), 1),"
	"  coalesce((SELECT size FROM size WHERE name = 'recorded_one_of_count'), 1),"
	"  (SELECT count(*) FROM counted_step WHERE trace_id = ?1),"
	"  (SELECT count(device_ts) FROM counted_step WHERE trace_id = ?1)," TC_JUDGE_ONCE_SQL
	"  , coalesce((SELECT size FROM size WHERE name = 'has_launches'), 1)"
	"  , (SELECT gain_wall_ns FROM steady WHERE trace_id = ?1)"
	" FROM (SELECT ?1 AS id) t";

static void take_trace(struct tc_gain_trace *trace, const struct tc_rows *row)
{
	const struct tc_judge_facts facts = {.slice_count = tc_rows_int(row, 1),
		.device_op_count = tc_rows_int(row, 2),
		.has_device = tc_rows_int(row, 3) != 0,
		.has_one_clock = tc_rows_int(row, 4) != 0,
		.recorded_one_of = tc_rows_int(row, 5),
		.step_count = tc_rows_int(row, 6),
		.working_step_count = tc_rows_int(row, 7),
		.once = (enum tc_judge_once)tc_rows_int(row, 8)};

	trace->wall_ns = tc_rows_int(row, 0);
	trace->steady_ns = tc_rows_int(row, 10);
	if (trace->steady_ns <= 0)
		trace->steady_ns = trace->wall_ns;
	trace->judges = tc_judge(&facts) == TC_JUDGE_ENOUGH;
	trace->has_shares = tc_judge_has_shares(tc_judge(&facts));
	trace->is_blind = facts.has_device && tc_rows_int(row, 9) == 0;
}

void tc_gain_trace_load(struct tc_gain_trace *out, struct tc_ctx *ctx, sqlite3 *db,
	int64_t trace_id, double min_gain_pct)
{
	struct tc_rows row = TC_ROWS(ctx, db, trace_sql, trace_id);

	*out = (struct tc_gain_trace){.min_gain_pct = min_gain_pct};
	while (tc_rows_next(&row))
		take_trace(out, &row);
}

/* The share of the steady run, at most all of it; 0 where its time is not known. */
static double share_pct(const struct tc_gain_trace *trace, int64_t ns)
{
	int64_t steady_ns = trace->steady_ns;

	return steady_ns > 0 ? 100.0 * (double)(ns < steady_ns ? ns : steady_ns) / (double)steady_ns
			     : 0;
}

/* Whether the replay wins less than is reported, and the middle of its range, too: where the likely
 * gain is small only because something unknown may limit it, a finding says so. */
static bool wins_little(const struct tc_finding *finding, const struct tc_gain_trace *trace)
{
	return trace->wall_ns > 0 && tc_is_replayed(finding->heuristic) &&
	       finding->gain_ns != TC_GAIN_NONE &&
	       share_pct(trace, finding->gain_ns) < trace->min_gain_pct &&
	       share_pct(trace, finding->gain_low_ns / 2 + finding->gain_high_ns / 2) <
		       trace->min_gain_pct;
}

/* Whether the rows show a risk, or a count of the whole run from a side file: no gain of the
 * recording says how much that matters. */
static bool is_always_reported(const struct tc_finding *finding)
{
	const char *column = finding->heuristic->always_if;

	for (size_t i = 0; column && i < finding->evidence_count; i++)
		for (const struct tc_field *field = finding->evidence[i].fields; field->name;
			field++)
			if (strcmp(field->name, column) == 0 && field->kind != TC_FIELD_NULL)
				return true;
	return false;
}

bool tc_gain_is_small(const struct tc_finding *finding, const struct tc_gain_trace *trace)
{
	return wins_little(finding, trace) && !is_always_reported(finding) &&
	       !(trace->is_blind && share_pct(trace, finding->removed_ns) >= trace->min_gain_pct);
}

/* Without launches no device work moves when the host gets faster, so a gain of nothing is no
 * fact. Nor is any gain of a run whose times the trace does not show. */
static void forget(struct tc_finding *finding)
{
	finding->gain_ns = finding->gain_low_ns = finding->gain_high_ns = TC_GAIN_NONE;
	finding->gain_pct = 0;
	for (size_t i = 0; i < finding->evidence_count; i++)
		finding->evidence[i].gain_ns = TC_GAIN_NONE;
}

/* The ends of a gain that has none, and that the wall time bounds. */
static void bound(struct tc_finding *finding, const struct tc_gain_trace *trace)
{
	if (finding->gain_ns <= 0 || !tc_is_replayed(finding->heuristic))
		finding->gain_low_ns = finding->gain_high_ns = finding->gain_ns;
	if (trace->wall_ns > 0 && finding->gain_high_ns > trace->wall_ns)
		finding->gain_high_ns = trace->wall_ns;
	if (finding->gain_low_ns > finding->gain_ns)
		finding->gain_low_ns = finding->gain_ns;
}

/* A weak sign is no reason for alarm, however much it would win, nor is a trace that shows too
 * little to judge. */
void tc_gain_settle(struct tc_finding *finding, const struct tc_gain_trace *trace)
{
	if (trace->wall_ns > 0 && finding->gain_ns > trace->wall_ns)
		finding->gain_ns = trace->wall_ns;
	bound(finding, trace);
	if (finding->gain_ns != TC_GAIN_NONE)
		finding->gain_pct = share_pct(trace, finding->gain_ns);
	if (!trace->has_shares || (trace->is_blind && wins_little(finding, trace)))
		forget(finding);
	if (finding->heuristic->kind != TC_HEURISTIC_FIX)
		return;
	finding->severity = trace->judges ? severity_of_share(finding->gain_pct) : TC_SEVERITY_INFO;
	if (finding->confidence == TC_CONFIDENCE_GUESSED && finding->severity > TC_SEVERITY_MEDIUM)
		finding->severity = TC_SEVERITY_MEDIUM;
}

/* ---- order */

/* Notes that need nothing of a trace are about the file itself, and qualify all others: a trace
 * without device work may have lost it to a cut. */
static bool is_about_file(const struct tc_finding *finding)
{
	return tc_rank_is_serious(finding) && !finding->heuristic->needs[0];
}

static bool is_special(const struct tc_finding *finding)
{
	return finding->confidence != TC_CONFIDENCE_GUESSED && finding->heuristic->part_of &&
	       finding->heuristic->part_of[0];
}

bool tc_rank_is_part(const struct tc_heuristic *special, const struct tc_heuristic *general)
{
	for (const char *const *id = special->part_of; id && *id; id++)
		if (strcmp(*id, general->id) == 0)
			return true;
	return false;
}

/* Whether the gain of a finding is taken off another for its place. */
static bool rank_counts_as_part(const struct tc_finding *special, const struct tc_finding *general)
{
	return special->confidence != TC_CONFIDENCE_GUESSED && special->gain_ns > 0 &&
	       tc_rank_is_part(special->heuristic, general->heuristic);
}

/* Special cases that win so much of a general finding's gain explain it, in percent. Gains that
 * differ by less are equal: they come from replays of one recording, whose steps vary by more. Our
 * defaults, no published source. */
enum { EXPLAINED_PCT = 80, EQUAL_PCT = 1 };

/* The gain; where special cases explain it, what they leave. Several of them may be about one
 * time. */
static void find_rest(struct tc_finding *findings, size_t count, struct tc_finding *general)
{
	int64_t rest_ns = general->gain_ns;

	general->rank_ns = general->gain_ns;
	for (size_t i = 0; i < count && rest_ns > 0; i++)
		if (rank_counts_as_part(&findings[i], general))
			rest_ns -= findings[i].gain_ns < rest_ns ? findings[i].gain_ns : rest_ns;
	if (rest_ns <= general->gain_ns / 100 * (100 - EXPLAINED_PCT))
		general->rank_ns = rest_ns;
}

/* TC_GAIN_NONE is the smallest gain. */
TC_ORDER(by_gain, struct tc_finding,
	TC_DOWN_OF(tc_rank_is_serious) TC_DOWN_OF(is_about_file) TC_RANK_KEYS TC_DOWN(severity)
		TC_DOWN(confidence) TC_UP_STRING(heuristic->id));

static bool is_about_ranks(const struct tc_finding *finding)
{
	return tc_is_about_ranks(finding->heuristic);
}

/* Where gains are equal, special findings come first, then which rank is late, which comes before
 * why it is, then the weightier and the surer. */
TC_ORDER(by_weight, struct tc_finding,
	TC_DOWN_OF(tc_rank_is_serious) TC_DOWN_OF(is_about_file) TC_DOWN_OF(is_special) TC_DOWN_OF(
		is_about_ranks) TC_DOWN(severity) TC_DOWN(confidence) TC_UP_STRING(heuristic->id));

static bool wins_as_much(const struct tc_finding *finding, const struct tc_finding *first)
{
	return tc_rank_is_serious(finding) == tc_rank_is_serious(first) &&
	       is_about_file(finding) == is_about_file(first) &&
	       finding->rank_ns >= first->rank_ns - first->rank_ns / 100 * EQUAL_PCT;
}

void tc_rank(struct tc_finding *findings, size_t count)
{
	for (size_t i = 0; i < count; i++)
		find_rest(findings, count, &findings[i]);
	TC_SORT(findings, count, by_gain);
	for (size_t i = 0, end = 0; i < count; i = end) {
		end = i + 1;
		while (end < count && findings[i].rank_ns > 0 &&
			wins_as_much(&findings[end], &findings[i]))
			end++;
		TC_SORT(findings + i, end - i, by_weight);
	}
}

/* ---- replayed gains */

struct gains {
	struct tc_finding *findings;
	size_t count;
	const struct tc_fixes *fixes;
	bool *is_known; /* by fix: its gain is, or no finding asks for it */
};

/* Gives a gain to the findings of a fix. A replay that took nothing away shows no gain. */
static void give(
	const struct gains *gains, const char *fix, const struct tc_gain *gain, int64_t removed_ns)
{
	for (size_t i = 0; i < gains->count; i++) {
		struct tc_finding *finding = &gains->findings[i];
		if (removed_ns <= 0 || strcmp(finding->heuristic->id, fix) != 0)
			continue;
		finding->gain_ns = gain->likely_ns;
		finding->gain_low_ns = gain->low_ns;
		finding->gain_high_ns = gain->high_ns;
		finding->removed_ns = removed_ns;
		if (finding->evidence_count == 1)
			finding->evidence[0].gain_ns = gain->likely_ns;
	}
}

static bool fix_is_about_ranks(const struct gains *gains, const char *id)
{
	for (size_t i = 0; i < gains->count; i++)
		if (strcmp(gains->findings[i].heuristic->id, id) == 0)
			return tc_is_about_ranks(gains->findings[i].heuristic);
	return false;
}

/* A row of the table counts where it has the same edit. That of a fix about ranks names the
 * rank. */
static void take_whatif(const struct gains *gains, const struct tc_rows *row)
{
	const char *id = tc_rows_text(row, 0).ptr;
	const char *edit = tc_rows_text(row, 3).ptr;

	for (size_t i = 0; id && edit && i < gains->fixes->count; i++) {
		const struct tc_fix *fix = &gains->fixes->items[i];
		if (gains->is_known[i] || strcmp(fix->id, id) != 0 ||
			(strcmp(fix->edit, edit) != 0 && !fix_is_about_ranks(gains, id)))
			continue;
		const struct tc_gain gain = {
			tc_rows_int(row, 1), tc_rows_int(row, 4), tc_rows_int(row, 5)};
		gains->is_known[i] = true;
		give(gains, id, &gain, tc_rows_int(row, 2));
	}
}

/* Forgets gains of queries that are replayed, and marks the fixes whose gain is asked for. A query
 * that claims a gain of nothing is right: its edit finds nothing to change. */
static void begin(struct gains *gains)
{
	for (size_t i = 0; i < gains->fixes->count; i++)
		gains->is_known[i] = true;
	for (size_t i = 0; i < gains->count; i++) {
		struct tc_finding *finding = &gains->findings[i];
		if (!tc_is_replayed(finding->heuristic))
			continue;
		if (finding->gain_ns != 0)
			finding->gain_ns = TC_GAIN_NONE;
		for (size_t k = 0; k < finding->evidence_count; k++)
			finding->evidence[k].gain_ns = TC_GAIN_NONE;
		for (size_t k = 0; k < gains->fixes->count; k++)
			if (strcmp(gains->fixes->items[k].id, finding->heuristic->id) == 0)
				gains->is_known[k] = false;
	}
}

/* Replays the trace with the fixes whose gain is not known. */
static void replay_rest(
	const struct gains *gains, struct tc_ctx *ctx, sqlite3 *db, int64_t trace_id)
{
	const struct tc_fixes *fixes = gains->fixes;
	struct tc_clause_set *sets = tc_new(ctx, TC_END_COUNT * fixes->count + 1, sizeof(*sets));
	struct tc_replay replay;
	struct tc_shifts shifts = {0};
	size_t count = 0;

	tc_replay_load(&replay, db, trace_id, fixes->clauses, fixes->clause_count, ctx);
	for (size_t i = 0; i < fixes->count && !tc_ctx_failed(ctx); i++)
		if (!gains->is_known[i])
			tc_fix_add_sets(sets, &count, &fixes->items[i], &replay.used);
	if (!tc_ctx_failed(ctx))
		tc_shifts_run(&shifts, ctx, &replay, sets, count);
	count = 0;
	for (size_t i = 0; i < fixes->count && !tc_ctx_failed(ctx); i++) {
		if (gains->is_known[i])
			continue;
		const struct tc_fix *fix = &fixes->items[i];
		const struct tc_won *won =
			&shifts.won[tc_fix_add_sets(sets, &count, fix, &replay.used)];
		const struct tc_gain gain = tc_fix_gain(fix, &replay.used, won);
		give(gains, fix->id, &gain, won->removed_ns);
	}
	tc_shifts_clear(&shifts);
	tc_replay_clear(&replay);
	tc_free(sets);
}

/* Rows of such a finding have no gain of their own, unless there is one only. Returns whether the
 * store has all gains. */
static bool find_replayed(struct tc_finding *findings, size_t count,
	const struct tc_evaluation *evaluation, const struct tc_fixes *fixes)
{
	struct tc_ctx *ctx = evaluation->ctx;
	sqlite3 *db = evaluation->tables->db;
	struct gains gains = {
		findings, count, fixes, tc_calloc(fixes->count + 1, sizeof(*gains.is_known))};
	bool all_known = true;

	if (!gains.is_known) {
		tc_no_memory(ctx);
		return false;
	}
	begin(&gains);
	struct tc_rows known = TC_ROWS(ctx, db,
		"SELECT fix, gain_ns, removed_ns, edit, gain_low_ns, gain_high_ns FROM whatif"
		" WHERE trace_id = ?1",
		evaluation->trace_id);
	while (tc_rows_next(&known))
		take_whatif(&gains, &known);
	for (size_t i = 0; i < fixes->count; i++)
		all_known = all_known && gains.is_known[i];
	if (!all_known && !tc_ctx_failed(ctx))
		replay_rest(&gains, ctx, db, evaluation->trace_id);
	tc_free(gains.is_known);
	return all_known;
}

/* ---- all of it */

/* Keeps one that may win enough beside other fixes: none wins more than it takes away. */
static void hide(struct tc_box *box, struct tc_ctx *ctx, const struct tc_finding *finding,
	const struct tc_gain_trace *trace)
{
	struct tc_finding hidden = *finding;

	if (finding->gain_ns < 0 || share_pct(trace, finding->removed_ns) < trace->min_gain_pct)
		return;
	tc_gain_settle(&hidden, trace);
	TC_PUSH(ctx, box->hidden, box->hidden_count, box->hidden_capacity, hidden);
}

/* A heuristic whose fix wins too little is quiet. */
static void drop_small(
	struct tc_box *box, struct tc_ctx *ctx, size_t first, const struct tc_gain_trace *trace)
{
	struct tc_advice *advice = &box->advice;

	for (size_t i = advice->finding_count; i-- > first;) {
		if (!tc_gain_is_small(&advice->findings[i], trace))
			continue;
		hide(box, ctx, &advice->findings[i], trace);
		tc_account_put(advice, &advice->findings[i], TC_OUTCOME_QUIET);
		memmove(&advice->findings[i], &advice->findings[i + 1],
			(--advice->finding_count - i) * sizeof(*advice->findings));
	}
}

bool tc_findings_settle(struct tc_box *box, size_t first, const struct tc_evaluation *evaluation,
	const struct tc_settings *settings, const struct tc_fixes *fixes)
{
	struct tc_advice *advice = &box->advice;
	struct tc_ctx *ctx = evaluation->ctx;
	size_t count = advice->finding_count - first;
	struct tc_finding *findings = count > 0 ? advice->findings + first : NULL;
	struct tc_gain_trace trace;
	bool all_known = true;

	tc_gain_trace_load(
		&trace, ctx, evaluation->tables->db, evaluation->trace_id, settings->min_gain_pct);
	if (count > 0 && !tc_ctx_failed(ctx))
		all_known = find_replayed(findings, count, evaluation, fixes);
	if (tc_ctx_failed(ctx))
		return false;
	advice->trace_count++;
	advice->judged_count += trace.judges;
	drop_small(box, ctx, first, &trace);
	for (size_t i = first; i < advice->finding_count; i++)
		tc_gain_settle(&advice->findings[i], &trace);
	tc_rank(findings, advice->finding_count - first);
	return all_known;
}
