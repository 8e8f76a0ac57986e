/* Runs all heuristics on all traces of a store; see tracecoach/advice.h. */
#include "advice/advise.h"

#include "advice/evaluate/evaluate.h"
#include "advice/evaluate/fence.h"
#include "advice/ranking/gain.h"
#include "advice/ranking/rank.h"
#include "advice/ranking/replayed.h"
#include "advice/settings/fixes.h"
#include "advice/settings/settings.h"
#include "core/alloc.h"
#include "store/sealed/guard.h"
#include "store/sql.h"

/* What every trace of a store is judged by. */
struct judging {
	const struct tc_settings *settings;
	const struct tc_fixes *fixes;
};

static enum tc_status evaluate_all(
	const struct tc_evaluation *evaluation, const struct tc_settings *settings)
{
	enum tc_status status = TC_OK;
	size_t count = tc_catalogue_count(settings->catalogue);

	for (size_t i = 0; i < count && status == TC_OK; i++) {
		const struct tc_heuristic *heuristic = tc_catalogue_at(settings->catalogue, i);
		const char *off = tc_settings_off(settings, i);

		status = off ? tc_evaluate_off(evaluation, heuristic, off)
			     : tc_evaluate(
				       evaluation, heuristic, tc_params_of(&settings->params, i));
	}
	return status;
}

static void be_quiet(struct tc_advice *advice, const struct tc_finding *finding)
{
	for (size_t i = 0; i < advice->account_count; i++)
		if (advice->account[i].trace_id == finding->trace_id &&
			advice->account[i].heuristic == finding->heuristic)
			advice->account[i].outcome = TC_OUTCOME_QUIET;
}

/* A heuristic whose fix wins too little is quiet. */
static void drop_small(struct tc_box *box, size_t first, const struct tc_gain_trace *trace)
{
	struct tc_advice *advice = &box->advice;

	for (size_t i = advice->finding_count; i-- > first;) {
		if (!tc_gain_is_small(&advice->findings[i], trace))
			continue;
		be_quiet(advice, &advice->findings[i]);
		memmove(&advice->findings[i], &advice->findings[i + 1],
			(--advice->finding_count - i) * sizeof(*advice->findings));
	}
}

/* Gains, severities and order of the findings of a trace, those from first on. */
static enum tc_status settle(struct tc_box *box, size_t first, struct tc_ctx *ctx, sqlite3 *db,
	int64_t trace_id, const struct judging *judging)
{
	struct tc_advice *advice = &box->advice;
	size_t count = advice->finding_count - first;
	struct tc_finding *findings = count > 0 ? advice->findings + first : NULL;
	struct tc_gain_trace trace;
	enum tc_status status =
		tc_gain_trace_load(&trace, ctx, db, trace_id, judging->settings->min_gain_pct);

	if (status == TC_OK && count > 0)
		status = tc_replayed_gains(findings, count, ctx, db, trace_id, judging->fixes);
	if (status != TC_OK)
		return status;
	advice->trace_count++;
	advice->judged_count += trace.judges;
	drop_small(box, first, &trace);
	for (size_t i = first; i < advice->finding_count; i++)
		tc_gain_settle(&advice->findings[i], &trace);
	tc_rank(findings, advice->finding_count - first);
	return TC_OK;
}

static enum tc_status advise_trace(struct tc_box *box, struct tc_ctx *ctx,
	struct tc_statements *statements, int64_t trace_id, const struct judging *judging)
{
	struct tc_advice *advice = &box->advice;
	struct tc_capabilities capabilities = TC_CAPABILITIES_EMPTY;
	size_t first = advice->finding_count;
	struct tc_words words = TC_WORDS_ANY;
	enum tc_status status = tc_capabilities_load(&capabilities, ctx, statements, trace_id);

	if (status == TC_OK)
		status = tc_words_load(&words, ctx, statements, trace_id);
	if (status == TC_OK) {
		struct tc_evaluation evaluation = {.ctx = ctx,
			.statements = statements,
			.trace_id = trace_id,
			.capabilities = &capabilities,
			.words = &words,
			.box = box};
		status = evaluate_all(&evaluation, judging->settings);
	}
	tc_capabilities_clear(&capabilities);
	return status == TC_OK ? settle(box, first, ctx, statements->db, trace_id, judging)
			       : status;
}

static enum tc_status advise_all(
	struct tc_box *box, struct tc_ctx *ctx, sqlite3 *db, const struct tc_settings *settings)
{
	struct tc_statements statements = TC_STATEMENTS_OF(db);
	struct tc_fixes *fixes = NULL;
	enum tc_status status = tc_advice_fixes_new(&fixes, ctx, settings);
	const struct judging judging = {settings, fixes};
	sqlite3_stmt *stmt;
	int rc = sqlite3_prepare_v2(db, "SELECT id FROM trace ORDER BY id", -1, &stmt, NULL);

	while (rc == SQLITE_OK && status == TC_OK && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		rc = SQLITE_OK;
		status = advise_trace(
			box, ctx, &statements, sqlite3_column_int64(stmt, 0), &judging);
	}
	if (status == TC_OK && rc != SQLITE_DONE)
		status = tc_store_fail(ctx, db, "read the traces of the store");
	sqlite3_finalize(stmt);
	tc_statements_clear(&statements);
	tc_advice_fixes_free(fixes);
	return status;
}

/* Notes the thresholds of a heuristic that are not at their defaults. */
static void note_settings(struct tc_box *box, struct tc_ctx *ctx,
	const struct tc_heuristic *heuristic, const double *values)
{
	struct tc_advice *advice = &box->advice;

	for (size_t i = 0; heuristic->params[i].name; i++) {
		const struct tc_param *param = &heuristic->params[i];
		if (values[i] < param->value || values[i] > param->value)
			TC_PUSH(ctx, advice->settings, advice->setting_count, box->setting_capacity,
				(struct tc_setting){heuristic, param, values[i]});
	}
}

static enum tc_status note_all_settings(
	struct tc_box *box, struct tc_ctx *ctx, const struct tc_settings *settings)
{
	note_settings(box, ctx, &tc_settings_of_all, &settings->min_gain_pct);
	for (size_t i = 0; i < tc_catalogue_count(settings->catalogue); i++)
		note_settings(box, ctx, tc_catalogue_at(settings->catalogue, i),
			tc_params_of(&settings->params, i));
	return tc_ctx_status(ctx);
}

static enum tc_status advise(
	struct tc_advice **out, struct tc_ctx *ctx, sqlite3 *db, const struct tc_settings *settings)
{
	struct tc_box *box = tc_calloc(1, sizeof(*box));

	if (!box)
		return tc_no_memory(ctx);
	box->advice.made_with = settings;
	enum tc_status status = note_all_settings(box, ctx, settings);
	tc_fence_begin(db);
	if (status == TC_OK)
		status = advise_all(box, ctx, db, settings);
	tc_fence_end(db);
	if (status != TC_OK) {
		tc_advice_free(&box->advice);
		return status;
	}
	*out = &box->advice;
	return TC_OK;
}

enum tc_status tc_advise(
	struct tc_advice **out, struct tc_ctx *ctx, sqlite3 *db, const struct tc_settings *settings)
{
	tc_sql_stop_on_interrupt(db, ctx);
	enum tc_status status = advise(out, ctx, db, settings);
	sqlite3_progress_handler(db, 0, NULL, NULL);
	return status;
}

enum tc_status tc_advise_store(struct tc_advice **out, struct tc_ctx *ctx, struct tc_store *store,
	const struct tc_settings *settings)
{
	enum tc_status status = tc_advise(out, ctx, tc_store_db(store), settings);

	tc_store_guard(store);
	return status;
}

void tc_advice_free(struct tc_advice *advice)
{
	struct tc_box *box = (struct tc_box *)advice;

	if (!box)
		return;
	tc_arena_clear(&box->arena);
	tc_free(box->advice.findings);
	tc_free(box->advice.account);
	tc_free(box->advice.settings);
	tc_free(box);
}

enum tc_status tc_finding_fail(
	struct tc_ctx *ctx, const struct tc_advice *advice, const char *asked, size_t most)
{
	const char *digits = asked[0] == '#' ? asked + 1 : asked;
	const struct tc_heuristic *heuristic;

	if (*digits == '\0' || strspn(digits, "0123456789") < strlen(digits)) {
		enum tc_status status =
			tc_heuristic_find(&heuristic, ctx, advice->made_with, asked);
		return status ? status : tc_fail(ctx, TC_ERR_USAGE, "%s: it found nothing", asked);
	}
	if (most == 0)
		return tc_fail(
			ctx, TC_ERR_USAGE, "%s: no such finding: the report has none", asked);
	return tc_fail(ctx, TC_ERR_USAGE,
		"%s: no such finding: the report has %zu: give a number up to that, or the id of a "
		"heuristic",
		asked, most);
}
