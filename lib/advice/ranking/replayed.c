/* See replayed.h. */
#include "advice/ranking/replayed.h"

#include <string.h>

#include "store/sql.h"

struct gains {
	struct tc_finding *findings;
	size_t count;
};

static void give(struct tc_finding *finding, int64_t gain_ns)
{
	finding->gain_ns = gain_ns;
	if (finding->evidence_count == 1)
		finding->evidence[0].gain_ns = gain_ns;
}

static enum tc_status take_row(void *user, sqlite3_stmt *row)
{
	const struct gains *gains = user;
	const char *fix = (const char *)sqlite3_column_text(row, 0);

	for (size_t i = 0; fix && i < gains->count; i++) {
		struct tc_finding *finding = &gains->findings[i];
		if (tc_is_replayed(finding->heuristic) && strcmp(finding->heuristic->id, fix) == 0)
			give(finding, sqlite3_column_int64(row, 2) > 0
					      ? sqlite3_column_int64(row, 1)
					      : TC_GAIN_NONE);
	}
	return TC_OK;
}

enum tc_status tc_replayed_gains(struct tc_finding *findings, size_t count, struct tc_ctx *ctx,
	sqlite3 *db, int64_t trace_id)
{
	const struct tc_sql_value trace = tc_sql_int(trace_id);
	struct gains gains = {findings, count};

	for (size_t i = 0; i < count; i++) {
		if (!tc_is_replayed(findings[i].heuristic))
			continue;
		findings[i].gain_ns = TC_GAIN_NONE;
		findings[i].knows_work = false;
		for (size_t k = 0; k < findings[i].evidence_count; k++)
			findings[i].evidence[k].gain_ns = TC_GAIN_NONE;
	}
	return tc_sql_each(ctx, db,
		"SELECT fix, gain_ns, removed_ns FROM whatif WHERE trace_id = ?1", &trace, take_row,
		&gains);
}
