/* Whether a store is fit for a report. See tracecoach/store.h. */
#include "core/context.h"
#include "store/connection.h"
#include "store/sql.h"

/* Fails with the message when the query returns a row, or, with wanted, when it returns none. */
static enum tc_status expect_row(
	struct tc_ctx *ctx, struct tc_store *store, const char *sql, bool wanted, const char *wrong)
{
	int64_t ignored;
	bool found = false;
	enum tc_status status = tc_sql_lookup(&ignored, &found, ctx, tc_store_db(store), sql, NULL);

	if (status != TC_OK)
		return tc_fail(ctx, status, "%s", tc_store_path(store));
	if (found == wanted)
		return TC_OK;
	return tc_fail(ctx, TC_ERR_INPUT, "%s: %s", tc_store_path(store), wrong);
}

static enum tc_status note_left_out(void *user, sqlite3_stmt *row)
{
	const char *reason = (const char *)sqlite3_column_text(row, 0);

	tc_ctx_note(user, TC_NOTE_LEFT_OUT, "%s", reason ? reason : "no reason");
	return TC_OK;
}

enum tc_status tc_store_check(struct tc_ctx *ctx, struct tc_store *store, bool strict)
{
	tc_ctx_clear_error(ctx);
	enum tc_status status = expect_row(ctx, store, "SELECT 1 FROM trace LIMIT 1", true,
		"there is no trace in it: import the trace again");

	if (status == TC_OK && strict)
		status = expect_row(ctx, store,
			"SELECT 1 FROM import_log WHERE severity = 'data_loss' LIMIT 1", false,
			"parts of a trace were lost: --strict refuses it: read its table "
			"import_log");
	if (status == TC_OK && strict)
		status = expect_row(ctx, store, "SELECT 1 FROM left_out LIMIT 1", false,
			"inputs were left out of it: --strict refuses it: read its table left_out");
	if (status == TC_OK)
		status = tc_sql_each(ctx, tc_store_db(store),
			"SELECT reason FROM left_out ORDER BY id", NULL, note_left_out, ctx);
	return status;
}
