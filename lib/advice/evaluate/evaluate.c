/* Runs one heuristic on one trace; see evaluate.h. */
#include "advice/evaluate/evaluate.h"

#include "advice/advice_names.h"
#include "advice/evaluate/answer.h"
#include "advice/evaluate/fields.h"
#include "core/alloc.h"
#include "core/buf.h"
#include "core/saturate.h"
#include "store/bounds.h"

/* A finding while its rows come in. */
struct intake {
	const struct tc_evaluation *evaluation;
	const struct tc_heuristic *heuristic;
	struct tc_bounds *bounds; /* of a user's rule */
	struct tc_answer answer;
	struct tc_finding finding;
	const char *const *names; /* of the columns */
	size_t row_count, capacity;
	bool has_fired;
};

static bool read_confidence(enum tc_confidence *out, sqlite3_stmt *stmt)
{
	const char *word = (const char *)sqlite3_column_text(stmt, TC_COLUMN_CONFIDENCE);

	for (int i = TC_CONFIDENCE_GUESSED; word && i <= TC_CONFIDENCE_MEASURED; i++) {
		if (strcmp(word, tc_confidence_name((enum tc_confidence)i)) != 0)
			continue;
		*out = (enum tc_confidence)i;
		return true;
	}
	return false;
}

/* No row wins back less than nothing. */
static int64_t read_gain(sqlite3_stmt *stmt)
{
	if (sqlite3_column_type(stmt, TC_COLUMN_GAIN) == SQLITE_NULL)
		return TC_GAIN_NONE;
	int64_t gain_ns = sqlite3_column_int64(stmt, TC_COLUMN_GAIN);
	return gain_ns > 0 ? gain_ns : 0;
}

/* Rows are about disjoint time. */
static int64_t add_gain(int64_t sum_ns, int64_t gain_ns)
{
	if (gain_ns == TC_GAIN_NONE)
		return sum_ns;
	return sum_ns == TC_GAIN_NONE ? gain_ns : tc_add_saturated(sum_ns, gain_ns);
}

/* Adds the current row to the finding's evidence. */
static enum tc_status keep_row(struct intake *intake, struct tc_evidence row)
{
	struct tc_finding *finding = &intake->finding;
	struct tc_arena *arena = &intake->evaluation->box->arena;
	sqlite3_stmt *stmt = intake->answer.stmt;

	if (finding->evidence_count == TC_EVIDENCE_MAX_COUNT)
		return TC_OK;
	if (!intake->names)
		intake->names = tc_fields_names(arena, stmt);
	row.fields = intake->names ? tc_fields_read(arena, stmt, intake->names) : NULL;
	row.subject = tc_fields_text(arena, stmt, TC_COLUMN_SUBJECT, "(no name)");
	if (!row.fields || !row.subject ||
		!TC_ARENA_GROW(
			arena, finding->evidence, intake->capacity, finding->evidence_count + 1))
		return TC_ERR_NOMEM;
	finding->evidence[finding->evidence_count++] = row;
	return TC_OK;
}

static enum tc_status take_row(struct intake *intake, const char **reason)
{
	struct tc_finding *finding = &intake->finding;
	sqlite3_stmt *stmt = intake->answer.stmt;
	struct tc_evidence row = {.gain_ns = read_gain(stmt), .count = -1};

	if (!read_confidence(&row.confidence, stmt)) {
		*reason = "its query gave a confidence other than measured, inferred or guessed";
		return TC_OK;
	}
	if (sqlite3_column_type(stmt, TC_COLUMN_COUNT) != SQLITE_NULL)
		row.count = sqlite3_column_int64(stmt, TC_COLUMN_COUNT);
	if (intake->row_count++ == 0 || row.confidence < finding->confidence)
		finding->confidence = row.confidence;
	finding->gain_ns = add_gain(finding->gain_ns, row.gain_ns);
	if (intake->heuristic->kind == TC_HEURISTIC_QUALITY &&
		sqlite3_column_int(stmt, TC_COLUMN_SERIOUS))
		finding->severity = TC_SEVERITY_HIGH;
	return keep_row(intake, row);
}

/* Reads all rows; *reason says what was wrong with the query while it ran. */
static enum tc_status take_rows(struct intake *intake, const char **reason)
{
	const struct tc_evaluation *evaluation = intake->evaluation;
	enum tc_status status = TC_OK;
	int rc = SQLITE_ROW;

	while (status == TC_OK && !*reason) {
		rc = sqlite3_step(intake->answer.stmt);
		if (rc != SQLITE_ROW)
			break;
		status = take_row(intake, reason);
	}
	if (status != TC_OK || rc == SQLITE_NOMEM)
		return TC_ERR_NOMEM;
	if (!*reason && rc == SQLITE_TOOBIG) {
		*reason = "a text or blob is too big: a rule may read and make values of up to "
			  "1 MiB";
		return TC_OK;
	}
	if (!*reason && rc != SQLITE_DONE) {
		*reason = tc_arena_dup(&evaluation->box->arena,
			tc_text_from(sqlite3_errmsg(evaluation->statements->db)));
		return *reason ? TC_OK : TC_ERR_NOMEM;
	}
	return TC_OK;
}

/* A text of the heuristic in the terms of the trace, what the user wrote as it is; NULL when
 * memory is out. */
static const char *in_words(const struct intake *intake, const char *text)
{
	const struct tc_evaluation *evaluation = intake->evaluation;
	struct tc_buf buf = TC_BUF_EMPTY;

	if (intake->heuristic->file || !text)
		return text ? text : "";
	tc_words_append(&buf, text, evaluation->words);
	return tc_arena_keep(&evaluation->box->arena, &buf);
}

static enum tc_status set_texts(struct intake *intake)
{
	struct tc_finding *finding = &intake->finding;

	finding->sql = tc_answer_sql(&intake->evaluation->box->arena, &intake->answer);
	finding->advice = in_words(intake, intake->heuristic->advice);
	finding->why = in_words(intake, intake->heuristic->why);
	return finding->sql && finding->advice && finding->why ? TC_OK : TC_ERR_NOMEM;
}

/* Runs the query. The box gets a finding when it has rows. */
static enum tc_status run(struct intake *intake, const char **reason, const double *values)
{
	const struct tc_evaluation *evaluation = intake->evaluation;
	struct tc_box *box = evaluation->box;
	struct tc_advice *advice = &box->advice;
	const struct tc_question question = {.statements = evaluation->statements,
		.trace_id = evaluation->trace_id,
		.heuristic = intake->heuristic,
		.values = values};
	enum tc_status status = tc_answer_open(&intake->answer, reason, &box->arena, &question);

	if (intake->bounds)
		intake->bounds->runs = true;
	if (status != TC_OK || *reason)
		return status;
	intake->finding = (struct tc_finding){.trace_id = evaluation->trace_id,
		.heuristic = intake->heuristic,
		.gain_ns = TC_GAIN_NONE};
	status = take_rows(intake, reason);
	intake->has_fired = status == TC_OK && !*reason && intake->row_count > 0;
	if (intake->has_fired)
		status = set_texts(intake);
	tc_answer_close(&intake->answer);
	if (!intake->has_fired || status != TC_OK)
		return status;
	if (!TC_GROW(advice->findings, box->finding_capacity, advice->finding_count + 1))
		return TC_ERR_NOMEM;
	advice->findings[advice->finding_count++] = intake->finding;
	return TC_OK;
}

/* The same for a user's rule: bounded, and reported with its file when it fails. */
static enum tc_status run_rule(struct intake *intake, const char **reason, const double *values)
{
	const struct tc_evaluation *evaluation = intake->evaluation;
	struct tc_bounds bounds = {.ctx = evaluation->ctx,
		.left_count = evaluation->max_instructions,
		.left_cpu_ns = evaluation->max_cpu_ns};
	struct tc_buf text = TC_BUF_EMPTY;

	intake->bounds = &bounds;
	tc_bounds_begin(&bounds, evaluation->statements->db);
	enum tc_status status = run(intake, reason, values);
	tc_bounds_end(&bounds);
	/* SQLite says "out of memory" or "interrupted". */
	if (bounds.exceeded && (status != TC_OK || *reason)) {
		status = TC_OK;
		*reason = bounds.exceeded;
	}
	if (status != TC_OK || !*reason)
		return status;
	tc_buf_format(&text, "%s: %s", intake->heuristic->file, *reason);
	*reason = tc_arena_keep(&evaluation->box->arena, &text);
	return *reason ? TC_OK : TC_ERR_NOMEM;
}

static enum tc_status add_account(const struct tc_evaluation *evaluation,
	const struct tc_heuristic *heuristic, enum tc_outcome outcome, const char *reason)
{
	struct tc_box *box = evaluation->box;
	const struct tc_account_row row = {.trace_id = evaluation->trace_id,
		.heuristic = heuristic,
		.outcome = outcome,
		.reason = reason};

	return TC_PUSH(evaluation->ctx, box->advice.account, box->advice.account_count,
		       box->account_capacity, row)
		       ? TC_OK
		       : TC_ERR_NOMEM;
}

enum tc_status tc_evaluate(const struct tc_evaluation *evaluation,
	const struct tc_heuristic *heuristic, const double *values)
{
	struct intake intake = {.evaluation = evaluation, .heuristic = heuristic};
	const char *reason =
		tc_capability_missing(evaluation->capabilities, heuristic, evaluation->words);

	if (tc_ctx_interrupted(evaluation->ctx))
		return tc_fail(evaluation->ctx, TC_ERR_INTERRUPTED, "interrupted");
	if (reason)
		return add_account(evaluation, heuristic, TC_OUTCOME_NOT_APPLICABLE, reason);
	if ((heuristic->file ? run_rule : run)(&intake, &reason, values) != TC_OK)
		return tc_no_memory(evaluation->ctx);
	if (reason && tc_ctx_interrupted(evaluation->ctx))
		return tc_fail(evaluation->ctx, TC_ERR_INTERRUPTED, "interrupted");
	return add_account(evaluation, heuristic,
		reason             ? TC_OUTCOME_FAILED
		: intake.has_fired ? TC_OUTCOME_FIRED
				   : TC_OUTCOME_QUIET,
		reason);
}

enum tc_status tc_evaluate_off(const struct tc_evaluation *evaluation,
	const struct tc_heuristic *heuristic, const char *reason)
{
	return add_account(evaluation, heuristic, TC_OUTCOME_NOT_ASKED, reason);
}
