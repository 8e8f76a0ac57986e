/* Runs all heuristics on all traces of a store; see tracecoach/advice.h. */
#include "tracecoach/advice.h"

#include "advice/box.h"
#include "advice/evaluate.h"
#include "advice/gain.h"
#include "advice/params.h"
#include "advice/rank.h"

static enum tc_status evaluate_all(
	const struct tc_evaluation *evaluation, const struct tc_params *params)
{
	enum tc_status status = TC_OK;
	size_t count;
	const struct tc_heuristic *const *registry = tc_heuristics(&count);

	for (size_t i = 0; i < count && status == TC_OK; i++)
		status = tc_evaluate(evaluation, registry[i], tc_params_of(params, i));
	return status;
}

static enum tc_status advise_trace(struct tc_box *box, struct tc_ctx *ctx, sqlite3 *db,
	int64_t trace_id, const struct tc_params *params)
{
	struct tc_advice *advice = &box->advice;
	struct tc_capabilities capabilities = TC_CAPABILITIES_EMPTY;
	size_t first = advice->finding_count;
	enum tc_status status = tc_capabilities_load(&capabilities, ctx, db, trace_id);

	if (status == TC_OK) {
		struct tc_evaluation evaluation = {.ctx = ctx,
			.db = db,
			.trace_id = trace_id,
			.capabilities = &capabilities,
			.box = box};
		status = evaluate_all(&evaluation, params);
	}
	tc_capabilities_clear(&capabilities);
	if (status != TC_OK || advice->finding_count == first)
		return status;
	struct tc_finding *findings = advice->findings + first;
	size_t count = advice->finding_count - first;
	status = tc_gain_settle(ctx, db, trace_id, findings, count);
	if (status == TC_OK)
		tc_rank(findings, count);
	return status;
}

static enum tc_status advise_all(
	struct tc_box *box, struct tc_ctx *ctx, sqlite3 *db, const struct tc_params *params)
{
	enum tc_status status = TC_OK;
	sqlite3_stmt *stmt;
	int rc = sqlite3_prepare_v2(db, "SELECT id FROM trace ORDER BY id", -1, &stmt, NULL);

	while (rc == SQLITE_OK && status == TC_OK && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		rc = SQLITE_OK;
		status = advise_trace(box, ctx, db, sqlite3_column_int64(stmt, 0), params);
	}
	if (status == TC_OK && rc != SQLITE_DONE)
		status = tc_store_fail(ctx, db, "traces of the store");
	sqlite3_finalize(stmt);
	return status;
}

enum tc_status tc_advise(struct tc_advice **out, struct tc_ctx *ctx, sqlite3 *db)
{
	struct tc_params params = TC_PARAMS_EMPTY;
	struct tc_box *box = tc_box_new();

	if (!box || tc_params_init(&params)) {
		tc_advice_free(box ? &box->advice : NULL);
		return tc_fail(ctx, TC_ERR_NOMEM, "out of memory");
	}
	enum tc_status status = advise_all(box, ctx, db, &params);
	tc_params_clear(&params);
	if (status != TC_OK) {
		tc_advice_free(&box->advice);
		return status;
	}
	*out = &box->advice;
	return TC_OK;
}
