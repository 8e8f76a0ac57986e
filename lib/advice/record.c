/* Writes advice into the tables finding, evidence and account of a store that is not sealed. */
#include "advice/advice_names.h"
#include "advice/advise.h"
#include "advice/evaluate/fields.h"
#include "store/tables.h"

static void record_evidence(
	struct tc_tables *tables, int64_t finding_id, const struct tc_finding *finding)
{
	struct tc_buf data = TC_BUF_EMPTY;

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
		if (tc_buf_failed(&data))
			tc_tables_keep(tables, tc_no_memory(tables->ctx));
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
	};

	TC_TABLES_PUT(tables,
		"finding (id, trace_id, heuristic, title, severity, confidence, gain_ns,"
		" gain_pct, sql)",
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

enum tc_status tc_advice_record(struct tc_ctx *ctx, sqlite3 *db, const struct tc_advice *advice)
{
	struct tc_tables tables = TC_TABLES_OF(ctx, db);

	tc_tables_put(&tables, "DELETE FROM finding", NULL, 0);
	tc_tables_put(&tables, "DELETE FROM evidence", NULL, 0);
	tc_tables_put(&tables, "DELETE FROM account", NULL, 0);
	for (size_t i = 0; i < advice->finding_count; i++)
		record_finding(&tables, (int64_t)i + 1, &advice->findings[i]);
	for (size_t i = 0; i < advice->account_count; i++)
		record_account(&tables, &advice->account[i]);
	return tc_tables_end(&tables);
}
