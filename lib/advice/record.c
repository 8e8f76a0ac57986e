/* Writes advice into the tables finding, evidence and account of a store that is not sealed. */
#include "advice/advice_names.h"
#include "advice/advise.h"
#include "advice/evaluate/fields.h"
#include "core/context.h"
#include "store/connection.h"

/* The three inserts, prepared once. */
struct recorder {
	struct tc_ctx *ctx;
	sqlite3 *db;
	sqlite3_stmt *finding, *evidence, *account;
};

static const char clear_sql[] = "DELETE FROM finding; DELETE FROM evidence; DELETE FROM account;";
static const char finding_sql[] =
	"INSERT INTO finding(id, trace_id, heuristic, title, severity, confidence, gain_ns, "
	"gain_pct, sql) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
static const char evidence_sql[] =
	"INSERT INTO evidence(finding_id, ord, subject, gain_ns, count, data) "
	"VALUES(?1, ?2, ?3, ?4, ?5, ?6)";
static const char account_sql[] =
	"INSERT INTO account(trace_id, heuristic, outcome, reason) VALUES(?1, ?2, ?3, ?4)";

/* Binding fails only for memory, and then the insert fails for its NOT NULL columns or is caught
 * here: rc collects the first error. */
static void bind_text(int *rc, sqlite3_stmt *stmt, int index, const char *text)
{
	if (*rc == SQLITE_OK)
		*rc = sqlite3_bind_text(stmt, index, text, -1, SQLITE_STATIC);
}

static void bind_int(int *rc, sqlite3_stmt *stmt, int index, int64_t value)
{
	if (*rc == SQLITE_OK)
		*rc = sqlite3_bind_int64(stmt, index, value);
}

static void bind_unless(int *rc, sqlite3_stmt *stmt, int index, int64_t value, int64_t none)
{
	if (*rc == SQLITE_OK)
		*rc = value == none ? sqlite3_bind_null(stmt, index)
				    : sqlite3_bind_int64(stmt, index, value);
}

static enum tc_status insert(struct recorder *recorder, int rc, sqlite3_stmt *stmt)
{
	if (rc == SQLITE_OK && sqlite3_step(stmt) == SQLITE_DONE &&
		sqlite3_reset(stmt) == SQLITE_OK)
		return TC_OK;
	return tc_store_fail(recorder->ctx, recorder->db, "record the advice");
}

static enum tc_status record_evidence(
	struct recorder *recorder, int64_t finding_id, const struct tc_finding *finding)
{
	sqlite3_stmt *stmt = recorder->evidence;
	struct tc_buf data = TC_BUF_EMPTY;
	enum tc_status status = TC_OK;

	for (size_t i = 0; i < finding->evidence_count && status == TC_OK; i++) {
		const struct tc_evidence *row = &finding->evidence[i];
		int rc = SQLITE_OK;

		bind_int(&rc, stmt, 1, finding_id);
		bind_int(&rc, stmt, 2, (int64_t)i + 1);
		bind_text(&rc, stmt, 3, row->subject);
		bind_unless(&rc, stmt, 4, row->gain_ns, TC_GAIN_NONE);
		bind_unless(&rc, stmt, 5, row->count, -1);
		tc_buf_reset(&data);
		tc_fields_json(&data, row->fields);
		bind_text(&rc, stmt, 6, tc_buf_string(&data));
		status = tc_buf_failed(&data) ? tc_no_memory(recorder->ctx)
					      : insert(recorder, rc, stmt);
	}
	tc_buf_clear(&data);
	return status;
}

static enum tc_status record_finding(
	struct recorder *recorder, int64_t id, const struct tc_finding *finding)
{
	sqlite3_stmt *stmt = recorder->finding;
	int rc = SQLITE_OK;

	bind_int(&rc, stmt, 1, id);
	bind_int(&rc, stmt, 2, finding->trace_id);
	bind_text(&rc, stmt, 3, finding->heuristic->id);
	bind_text(&rc, stmt, 4, finding->heuristic->title);
	bind_text(&rc, stmt, 5, tc_severity_name(finding->severity));
	bind_text(&rc, stmt, 6, tc_confidence_name(finding->confidence));
	bind_unless(&rc, stmt, 7, finding->gain_ns, TC_GAIN_NONE);
	if (rc == SQLITE_OK)
		rc = finding->gain_ns == TC_GAIN_NONE
			     ? sqlite3_bind_null(stmt, 8)
			     : sqlite3_bind_double(stmt, 8, finding->gain_pct);
	bind_text(&rc, stmt, 9, finding->sql);
	enum tc_status status = insert(recorder, rc, stmt);
	return status == TC_OK ? record_evidence(recorder, id, finding) : status;
}

static enum tc_status record_account(struct recorder *recorder, const struct tc_account_row *row)
{
	sqlite3_stmt *stmt = recorder->account;
	int rc = SQLITE_OK;

	bind_int(&rc, stmt, 1, row->trace_id);
	bind_text(&rc, stmt, 2, row->heuristic->id);
	bind_text(&rc, stmt, 3, tc_outcome_name(row->outcome));
	bind_text(&rc, stmt, 4, row->reason);
	return insert(recorder, rc, stmt);
}

static enum tc_status prepare(struct recorder *recorder)
{
	sqlite3 *db = recorder->db;

	if (sqlite3_exec(db, clear_sql, NULL, NULL, NULL) == SQLITE_OK &&
		sqlite3_prepare_v2(db, finding_sql, -1, &recorder->finding, NULL) == SQLITE_OK &&
		sqlite3_prepare_v2(db, evidence_sql, -1, &recorder->evidence, NULL) == SQLITE_OK &&
		sqlite3_prepare_v2(db, account_sql, -1, &recorder->account, NULL) == SQLITE_OK)
		return TC_OK;
	return tc_store_fail(recorder->ctx, db, "record the advice");
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
