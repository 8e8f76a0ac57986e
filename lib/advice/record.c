/* Writes advice into the tables finding, evidence and account of a store that is not sealed. */
#include "advice/advice_names.h"
#include "advice/advise.h"
#include "advice/evaluate/fields.h"
#include "store/sql.h"

/* The three inserts, prepared once. */
struct recorder {
	struct tc_ctx *ctx;
	sqlite3 *db;
	sqlite3_stmt *finding, *evidence, *account;
};

static enum tc_status record_evidence(
	struct recorder *recorder, int64_t finding_id, const struct tc_finding *finding)
{
	struct tc_buf data = TC_BUF_EMPTY;
	enum tc_status status = TC_OK;

	for (size_t i = 0; i < finding->evidence_count && status == TC_OK; i++) {
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
		status = tc_buf_failed(&data)
				 ? tc_no_memory(recorder->ctx)
				 : TC_SQL_PUT(recorder->ctx, recorder->evidence, values);
	}
	tc_buf_clear(&data);
	return status;
}

static enum tc_status record_finding(
	struct recorder *recorder, int64_t id, const struct tc_finding *finding)
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
	};
	enum tc_status status = TC_SQL_PUT(recorder->ctx, recorder->finding, values);

	return status == TC_OK ? record_evidence(recorder, id, finding) : status;
}

static enum tc_status record_account(struct recorder *recorder, const struct tc_account_row *row)
{
	const struct tc_sql_value values[] = {
		tc_sql_int(row->trace_id),
		tc_sql_string(row->heuristic->id),
		tc_sql_string(tc_outcome_name(row->outcome)),
		tc_sql_string(row->reason),
	};

	return TC_SQL_PUT(recorder->ctx, recorder->account, values);
}

static enum tc_status prepare(struct recorder *recorder)
{
	static const char *const clear[] = {
		"DELETE FROM finding", "DELETE FROM evidence", "DELETE FROM account"};
	struct tc_ctx *ctx = recorder->ctx;
	sqlite3 *db = recorder->db;
	enum tc_status status = tc_sql_run_all(ctx, db, clear, TC_COUNT_OF(clear), NULL);

	if (!status)
		status = tc_sql_insert(&recorder->finding, ctx, db,
			"finding (id, trace_id, heuristic, title, severity, confidence, gain_ns,"
			" gain_pct, sql)");
	if (!status)
		status = tc_sql_insert(&recorder->evidence, ctx, db,
			"evidence (finding_id, ord, subject, gain_ns, count, data)");
	if (!status)
		status = tc_sql_insert(&recorder->account, ctx, db,
			"account (trace_id, heuristic, outcome, reason)");
	return status;
}

enum tc_status tc_advice_record(struct tc_ctx *ctx, sqlite3 *db, const struct tc_advice *advice)
{
	struct recorder recorder = {.ctx = ctx, .db = db};
	enum tc_status status = prepare(&recorder);

	for (size_t i = 0; i < advice->finding_count && status == TC_OK; i++)
		status = record_finding(&recorder, (int64_t)i + 1, &advice->findings[i]);
	for (size_t i = 0; i < advice->account_count && status == TC_OK; i++)
		status = record_account(&recorder, &advice->account[i]);
	sqlite3_finalize(recorder.finding);
	sqlite3_finalize(recorder.evidence);
	sqlite3_finalize(recorder.account);
	return status;
}
