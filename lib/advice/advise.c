/*
 * Advice on a store: every heuristic on every trace, ranked, and the account of all of them. Here
 * is also the writing of advice into the store that is being made.
 */
#include "advice/advise.h"

#include "advice/advice_names.h"
#include "advice/evaluate/evaluate.h"
#include "advice/ranking/ranking.h"
#include "advice/settings/fixes.h"
#include "advice/settings/settings.h"
#include "advice/trace/trace.h"
#include "core/alloc.h"
#include "store/sealed/guard.h"
#include "store/sql.h"

/* Runs the heuristics on one trace. */
static void evaluate_all(const struct tc_evaluation *evaluation, const struct tc_settings *settings)
{
	size_t count = tc_catalogue_count(settings->catalogue);

	for (size_t i = 0; i < count && !tc_ctx_failed(evaluation->ctx); i++) {
		const struct tc_heuristic *heuristic = tc_catalogue_at(settings->catalogue, i);

		tc_evaluate(evaluation, heuristic, tc_params_of(&settings->params, i),
			tc_settings_off(settings, i));
	}
}

/*
 * ---- rules of an import that are not known here. Their findings are in the store, but the rules
 * are not, so nobody can ask them again: each is a check that failed, which closes a gate.
 */

/* The descriptor of an unknown rule: that of a trace before, or a new one. */
static const struct tc_heuristic *unknown_rule(
	struct tc_box *box, struct tc_text id, struct tc_text title)
{
	static const struct tc_param no_params[] = {{.name = NULL}};
	static const struct tc_says no_says[] = {{.column = NULL}};
	static const char *const nothing[] = {NULL};
	const struct tc_advice *advice = &box->advice;
	struct tc_arena *arena = &box->arena;
	struct tc_heuristic *rule;

	for (size_t i = 0; i < advice->account_count; i++)
		if (tc_text_equal(tc_text_from(advice->account[i].heuristic->id), id))
			return advice->account[i].heuristic;
	if (!TC_ARENA(arena, rule, 1))
		return NULL;
	*rule = (struct tc_heuristic){.id = tc_arena_dup(arena, id),
		.title = tc_arena_dup(arena, title),
		.advice = "Give the directory of the rule.",
		.why = "Only a rule that is given can be asked.",
		.part_of = nothing,
		.needs = nothing,
		.edits = nothing,
		.params = no_params,
		.says = no_says,
		.sql = "",
		.source = "A user rule of the import.",
		.file = "(not given)"};
	return rule;
}

/* A heuristic of the account in the store. */
static void take_accounted(
	const struct tc_evaluation *evaluation, struct tc_text id, struct tc_text title)
{
	struct tc_advice *advice = &evaluation->box->advice;
	const struct tc_settings *settings = advice->made_with;

	if (!id.ptr || tc_catalogue_find(settings->catalogue, id.ptr) <
			       tc_catalogue_count(settings->catalogue))
		return;
	const struct tc_heuristic *rule = unknown_rule(evaluation->box, id, title);
	if (rule)
		TC_PUSH(evaluation->ctx, advice->account, advice->account_count,
			evaluation->box->account_capacity,
			(struct tc_account_row){.trace_id = evaluation->trace_id,
				.heuristic = rule,
				.outcome =
					settings->only ? TC_OUTCOME_NOT_ASKED : TC_OUTCOME_FAILED,
				.reason = settings->only
						  ? tc_settings_only_reason(settings)
						  : "a rule that the import used and that was not "
						    "given again: give its directory with "
						    "--rules"});
}

/* While a store is made its account is empty. */
static void note_unknown_rules(const struct tc_evaluation *evaluation)
{
	struct tc_rows rows = TC_ROWS(evaluation->ctx, evaluation->tables->db,
		"SELECT a.heuristic, coalesce((SELECT f.title FROM finding f WHERE f.trace_id ="
		" a.trace_id AND f.heuristic = a.heuristic), a.heuristic) FROM account a"
		" WHERE a.trace_id = ?1 AND a.outcome IN ('fired', 'failed') ORDER BY a.rowid",
		evaluation->trace_id);

	while (tc_rows_next(&rows))
		take_accounted(evaluation, tc_rows_text(&rows, 0), tc_rows_text(&rows, 1));
}

/* ---- the plan */

/* The findings of a trace while its plan orders them. */
struct ordering {
	struct tc_box *box;
	struct tc_ctx *ctx;
	int64_t trace_id;
	size_t first, end;  /* of the box */
	size_t serious_end; /* behind those that say what is seriously wrong with the recording */
	int64_t count;      /* fixes of the plan that have their place */
};

/* The place of the finding of a fix; to->end: there is none. */
static size_t find(const struct ordering *to, const char *fix)
{
	size_t at = to->first;

	while (at < to->end && strcmp(to->box->advice.findings[at].heuristic->id, fix) != 0)
		at++;
	return at;
}

/* NULL: it is not hidden. */
static const struct tc_finding *find_hidden(const struct ordering *to, const char *fix)
{
	for (size_t i = 0; i < to->box->hidden_count; i++) {
		const struct tc_finding *hidden = &to->box->hidden[i];
		if (hidden->trace_id == to->trace_id && strcmp(hidden->heuristic->id, fix) == 0)
			return hidden;
	}
	return NULL;
}

/* Makes a hidden finding the last one of the trace. */
static void show(struct ordering *to, const struct tc_finding *hidden)
{
	struct tc_advice *advice = &to->box->advice;

	if (!TC_ROOM(to->ctx, advice->findings, to->box->finding_capacity,
		    advice->finding_count + 1))
		return;
	memmove(&advice->findings[to->end + 1], &advice->findings[to->end],
		(advice->finding_count++ - to->end) * sizeof(*hidden));
	advice->findings[to->end++] = *hidden;
	tc_account_put(advice, hidden, TC_OUTCOME_FIRED);
}

/* Moves a finding to another place. */
static void move(struct tc_finding *findings, size_t from, size_t to, int64_t plan_order)
{
	struct tc_finding finding = findings[from];
	size_t low = from < to ? from : to, high = from < to ? to : from;

	finding.plan_order = plan_order;
	memmove(&findings[low + (from > to)], &findings[low + (from < to)],
		(high - low) * sizeof(*findings));
	findings[to] = finding;
}

static void take_place(struct ordering *to, const char *fix)
{
	size_t from = fix ? find(to, fix) : to->end;

	if (fix && from == to->end)
		show(to, find_hidden(to, fix));
	if (from < to->end) /* unless memory is out */
		move(to->box->advice.findings, from, to->serious_end + (size_t)to->count,
			to->count + 1);
	to->count++;
}

/* Whether all fixes of the plan of the trace were found. */
static bool has_plan(const struct ordering *to, sqlite3 *db)
{
	struct tc_rows rows =
		TC_ROWS(to->ctx, db, "SELECT fix FROM plan_fix WHERE trace_id = ?1", to->trace_id);
	bool has_all = true;

	while (tc_rows_next(&rows)) {
		const char *fix = tc_rows_text(&rows, 0).ptr;
		has_all &= fix && (find(to, fix) < to->end || find_hidden(to, fix));
	}
	return has_all;
}

/* The fixes of the plan come first, in its order, behind what is seriously wrong with the
 * recording; those that it leaves nothing to win come last. A plan of other fixes, as under other
 * settings, says nothing about these. */
static void order_by_plan(struct ordering *to, sqlite3 *db)
{
	if (!has_plan(to, db))
		return;
	to->serious_end = to->first;
	while (to->serious_end < to->end &&
		tc_rank_is_serious(&to->box->advice.findings[to->serious_end]))
		to->serious_end++;
	struct tc_rows rows = TC_ROWS(to->ctx, db,
		"SELECT fix FROM plan_fix WHERE trace_id = ?1 ORDER BY ord", to->trace_id);
	while (tc_rows_next(&rows))
		take_place(to, tc_rows_text(&rows, 0).ptr);
	struct tc_rows rest = TC_ROWS(to->ctx, db,
		"SELECT fix FROM plan_rest WHERE trace_id = ?1 AND added_ns <= 0 ORDER BY ord",
		to->trace_id);
	while (tc_rows_next(&rest)) {
		const char *fix = tc_rows_text(&rest, 0).ptr;
		size_t from = fix ? find(to, fix) : to->end;
		if (from < to->end)
			move(to->box->advice.findings, from, to->end - 1, TC_PLAN_COVERED);
	}
}

/* The findings of a trace behind those of the trace before. */
static void go_to(struct ordering *to, int64_t trace_id)
{
	const struct tc_advice *advice = &to->box->advice;

	to->trace_id = trace_id;
	to->first = to->end;
	while (to->first < advice->finding_count &&
		advice->findings[to->first].trace_id < to->trace_id)
		to->first++;
	to->end = to->first;
	while (to->end < advice->finding_count &&
		advice->findings[to->end].trace_id == to->trace_id)
		to->end++;
	to->count = 0;
}

/* Orders the findings of all traces, once plans are made. */
static void order_by_plans(struct tc_advice *advice, struct tc_ctx *ctx, sqlite3 *db)
{
	struct ordering to = {.box = (struct tc_box *)advice, .ctx = ctx};

	struct tc_rows traces =
		tc_rows_open(ctx, db, "SELECT DISTINCT trace_id FROM plan_fix ORDER BY 1");

	while (tc_rows_next(&traces)) {
		go_to(&to, tc_rows_int(&traces, 0));
		order_by_plan(&to, db);
	}
}

/* ---- advice */

static void advise_trace(struct tc_box *box, struct tc_tables *tables, int64_t trace_id,
	const struct tc_fixes *fixes)
{
	struct tc_ctx *ctx = tables->ctx;
	const struct tc_settings *settings = box->advice.made_with;
	struct tc_capabilities capabilities = TC_CAPABILITIES_EMPTY;
	struct tc_words words = TC_WORDS_ANY;
	size_t first = box->advice.finding_count;
	const struct tc_evaluation evaluation = {.ctx = ctx,
		.tables = tables,
		.trace_id = trace_id,
		.capabilities = &capabilities,
		.words = &words,
		.box = box};

	tc_capabilities_load(&capabilities, tables, trace_id);
	tc_words_load(&words, tables, trace_id);
	evaluate_all(&evaluation, settings);
	note_unknown_rules(&evaluation);
	if (!tc_ctx_failed(ctx) && tc_findings_settle(box, first, &evaluation, settings, fixes)) {
		struct ordering to = {.box = box,
			.ctx = ctx,
			.trace_id = trace_id,
			.first = first,
			.end = box->advice.finding_count};
		order_by_plan(&to, tables->db);
	}
	tc_strtab_clear(&capabilities.present);
}

static void advise_all(struct tc_box *box, struct tc_ctx *ctx, sqlite3 *db)
{
	struct tc_tables tables = TC_TABLES_OF(ctx, db);
	struct tc_fixes *fixes = tc_advice_fixes_new(ctx, box->advice.made_with);
	struct tc_rows traces = tc_rows_open(ctx, db, "SELECT id FROM trace ORDER BY id");
	TC_TIMED(ctx, "stage", "advice");

	while (tc_rows_next(&traces))
		advise_trace(box, &tables, tc_rows_int(&traces, 0), fixes);
	tc_tables_end(&tables);
	tc_advice_fixes_free(fixes);
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

static void note_all_settings(
	struct tc_box *box, struct tc_ctx *ctx, const struct tc_settings *settings)
{
	note_settings(box, ctx, &tc_settings_of_all, &settings->min_gain_pct);
	for (size_t i = 0; i < tc_catalogue_count(settings->catalogue); i++)
		note_settings(box, ctx, tc_catalogue_at(settings->catalogue, i),
			tc_params_of(&settings->params, i));
}

struct tc_advice *tc_advise(struct tc_ctx *ctx, sqlite3 *db, const struct tc_settings *settings)
{
	struct tc_box *box = tc_new(ctx, 1, sizeof(*box));

	if (!box)
		return NULL;
	box->advice.made_with = settings;
	box->arena.ctx = ctx;
	tc_sql_stop_on_interrupt(db, ctx);
	tc_reading_only(db, true);
	note_all_settings(box, ctx, settings);
	advise_all(box, ctx, db);
	tc_reading_only(db, false);
	sqlite3_progress_handler(db, 0, NULL, NULL);
	box->arena.ctx = NULL; /* the advice may outlive the context */
	if (!tc_ctx_failed(ctx))
		return &box->advice;
	tc_advice_free(&box->advice);
	return NULL;
}

enum tc_status tc_advise_store(struct tc_advice **out, struct tc_ctx *ctx, struct tc_store *store,
	const struct tc_settings *settings)
{
	TC_ENTER(ctx);

	if (!settings)
		return tc_fail(ctx, TC_ERR_USAGE, "advice needs settings: tc_settings_new()");
	struct tc_advice *advice = tc_advise(ctx, tc_store_db(store), settings);
	tc_store_guard(store);
	if (advice)
		*out = advice;
	return tc_ctx_status(ctx);
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
	tc_free(box->hidden);
	tc_free(box);
}

enum tc_status tc_finding_fail(
	struct tc_ctx *ctx, const struct tc_advice *advice, const char *asked, size_t most)
{
	const struct tc_heuristic *heuristic;

	if (!tc_asks_number(asked)) {
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

/* ---- the tables finding, evidence and account of a store that is not sealed */

static void record_evidence(
	struct tc_tables *tables, int64_t finding_id, const struct tc_finding *finding)
{
	struct tc_buf data = {.ctx = tables->ctx};

	for (size_t i = 0; i < finding->evidence_count; i++) {
		const struct tc_evidence *row = &finding->evidence[i];

		tc_buf_reset(&data);
		tc_fields_json(&data, row->fields);
		const struct tc_sql_value values[] = {
			tc_sql_int(finding_id),
			tc_sql_int((int64_t)i + 1),
			tc_sql_string(row->subject),
			tc_sql_int_if(row->gain_ns != TC_GAIN_NONE, row->gain_ns),
			tc_sql_int_if(row->count != -1, row->count),
			tc_sql_text(tc_buf_text(&data)),
		};
		TC_TABLES_PUT(tables, "evidence (finding_id, ord, subject, gain_ns, count, data)",
			values);
	}
	tc_buf_clear(&data);
}

static void record_finding(struct tc_tables *tables, int64_t id, const struct tc_finding *finding)
{
	bool gains = finding->gain_ns != TC_GAIN_NONE;
	const struct tc_sql_value values[] = {
		tc_sql_int(id),
		tc_sql_int(finding->trace_id),
		tc_sql_string(finding->heuristic->id),
		tc_sql_string(finding->heuristic->title),
		tc_sql_string(tc_severity_name(finding->severity)),
		tc_sql_string(tc_confidence_name(finding->confidence)),
		tc_sql_int_if(gains, finding->gain_ns),
		gains ? tc_sql_real(finding->gain_pct) : tc_sql_null(),
		tc_sql_string(finding->sql),
		tc_sql_int_if(gains, finding->gain_low_ns),
		tc_sql_int_if(gains, finding->gain_high_ns),
	};

	TC_TABLES_PUT(tables,
		"finding (id, trace_id, heuristic, title, severity, confidence, gain_ns,"
		" gain_pct, sql, gain_low_ns, gain_high_ns)",
		values);
	record_evidence(tables, id, finding);
}

static void record_account(struct tc_tables *tables, const struct tc_account_row *row)
{
	const struct tc_sql_value values[] = {
		tc_sql_int(row->trace_id),
		tc_sql_string(row->heuristic->id),
		tc_sql_string(tc_outcome_name(row->outcome)),
		tc_sql_string(row->reason),
	};

	TC_TABLES_PUT(tables, "account (trace_id, heuristic, outcome, reason)", values);
}

void tc_advice_record(struct tc_ctx *ctx, sqlite3 *db, struct tc_advice *advice)
{
	struct tc_tables tables = TC_TABLES_OF(ctx, db);

	order_by_plans(advice, ctx, db);
	tc_tables_put(&tables, "DELETE FROM finding", NULL, 0);
	tc_tables_put(&tables, "DELETE FROM evidence", NULL, 0);
	tc_tables_put(&tables, "DELETE FROM account", NULL, 0);
	for (size_t i = 0; i < advice->finding_count; i++)
		record_finding(&tables, (int64_t)i + 1, &advice->findings[i]);
	for (size_t i = 0; i < advice->account_count; i++)
		record_account(&tables, &advice->account[i]);
	tc_tables_end(&tables);
}
