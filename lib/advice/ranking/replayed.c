#include "advice/ranking/replayed.h"

#include <string.h>

#include "core/alloc.h"
#include "replay/walk/load.h"
#include "store/sql.h"

struct gains {
	struct tc_finding *findings;
	size_t count;
	const struct tc_fixes *fixes;
	bool *is_known; /* by fix: its gain is, or no finding asks for it */
};

/* Gives it to the findings of a fix. A replay that took nothing away says nothing of the gain. */
static void give(const struct gains *gains, const char *fix, int64_t gain_ns, int64_t removed_ns)
{
	for (size_t i = 0; i < gains->count; i++) {
		struct tc_finding *finding = &gains->findings[i];
		if (removed_ns <= 0 || strcmp(finding->heuristic->id, fix) != 0)
			continue;
		finding->gain_ns = gain_ns;
		finding->removed_ns = removed_ns;
		if (finding->evidence_count == 1)
			finding->evidence[0].gain_ns = gain_ns;
	}
}

static bool is_about_ranks(const struct gains *gains, const char *id)
{
	for (size_t i = 0; i < gains->count; i++)
		if (strcmp(gains->findings[i].heuristic->id, id) == 0)
			return tc_is_about_ranks(gains->findings[i].heuristic);
	return false;
}

/* A row of the table counts where it has the same edit. That of a fix about ranks names the
 * rank. */
static enum tc_status take_row(void *user, sqlite3_stmt *row)
{
	const struct gains *gains = user;
	const char *id = (const char *)sqlite3_column_text(row, 0);
	const char *edit = (const char *)sqlite3_column_text(row, 3);

	for (size_t i = 0; id && edit && i < gains->fixes->count; i++) {
		const struct tc_fix *fix = &gains->fixes->items[i];
		if (gains->is_known[i] || strcmp(fix->id, id) != 0 ||
			(strcmp(fix->edit, edit) != 0 && !is_about_ranks(gains, id)))
			continue;
		gains->is_known[i] = true;
		give(gains, id, sqlite3_column_int64(row, 1), sqlite3_column_int64(row, 2));
	}
	return TC_OK;
}

/* Forgets what queries say of gains that are replayed, and marks the fixes whose gain is asked
 * for. Only that a fix wins nothing where its edit finds nothing to change is the query's to say.
 */
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

static enum tc_status replay_timeline(
	const struct gains *gains, const struct tc_timeline *timeline, struct tc_clause_set *sets)
{
	const struct tc_fixes *fixes = gains->fixes;
	struct tc_replay replay = {0};
	struct tc_shifts shifts = {0};
	size_t count = 0;
	enum tc_status status =
		tc_replay_make(&replay, timeline, fixes->clauses, fixes->clause_count);

	for (size_t i = 0; i < fixes->count; i++)
		if (!gains->is_known[i])
			sets[count++] = fixes->items[i].clauses;
	if (!status)
		status = tc_shifts_run(&shifts, timeline->ctx, &replay, sets, count);
	count = 0;
	for (size_t i = 0; i < fixes->count && !status; i++) {
		if (gains->is_known[i])
			continue;
		const struct tc_won *won = &shifts.won[count++];
		give(gains, fixes->items[i].id, won->gain_ns, won->removed_ns);
	}
	tc_shifts_clear(&shifts);
	tc_replay_clear(&replay);
	return status;
}

static enum tc_status replay_rest(
	const struct gains *gains, struct tc_ctx *ctx, sqlite3 *db, int64_t trace_id)
{
	struct tc_clause_set *sets = tc_calloc(gains->fixes->count + 1, sizeof(*sets));
	struct tc_loaded *loaded = NULL;
	enum tc_status status =
		sets ? tc_loaded_new(&loaded, ctx, db, trace_id) : tc_no_memory(ctx);

	if (!status)
		status = replay_timeline(gains, tc_loaded_timeline(loaded), sets);
	tc_loaded_free(loaded);
	tc_free(sets);
	return status;
}

enum tc_status tc_replayed_gains(struct tc_finding *findings, size_t count, struct tc_ctx *ctx,
	sqlite3 *db, int64_t trace_id, const struct tc_fixes *fixes)
{
	const struct tc_sql_value trace = tc_sql_int(trace_id);
	struct gains gains = {
		findings, count, fixes, tc_calloc(fixes->count + 1, sizeof(*gains.is_known))};
	bool all_known = true;

	if (!gains.is_known)
		return tc_no_memory(ctx);
	begin(&gains);
	enum tc_status status = tc_sql_each(ctx, db,
		"SELECT fix, gain_ns, removed_ns, edit FROM whatif WHERE trace_id = ?1", &trace,
		take_row, &gains);
	for (size_t i = 0; i < fixes->count; i++)
		all_known = all_known && gains.is_known[i];
	if (!status && !all_known)
		status = replay_rest(&gains, ctx, db, trace_id);
	tc_free(gains.is_known);
	return status;
}
