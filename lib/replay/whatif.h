/* What each of some fixes gains on a recording, and the tables that store it. */
#pragma once

#include <sqlite3.h>

#include "core/collections/arena.h"
#include "replay/edit.h"
#include "replay/path.h"
#include "replay/shifts.h"
#include "store/sql.h"

/* A fix: a name, and its edits as text, joined by "; ". */
struct tc_fix {
	const char *id, *edit;
	struct tc_clause_set clauses; /* of the list's clauses */
	/* The same with shares at their ends; the clauses whose share has a range. */
	struct tc_clause_set low, high, ranged;
};

/* A list of fixes, with the clauses of them all. */
struct tc_fixes {
	struct tc_fix *items;
	size_t count;
	struct tc_clause clauses[TC_CLAUSE_MAX];
	size_t clause_count;
};

/* Whether clauses of a set name ranks that nobody waits for. */
static inline bool tc_fixes_have_ranks(
	const struct tc_fixes *fixes, const struct tc_clause_set *set)
{
	for (size_t i = 0; i < fixes->clause_count; i++)
		if (tc_clause_set_has(set, i) && fixes->clauses[i].action == TC_EDIT_LATE)
			return true;
	return false;
}

/* A recording with the fixes replayed. */
struct tc_whatif {
	struct tc_arena arena;
	const struct tc_fixes *fixes; /* borrowed */
	struct tc_replay replay;
	struct tc_shifts shifts; /* one column for each fix that changes anything */
	struct tc_path path;
	/* By fix: its column of shifts. With shares that have a range the columns of their low and
	 * of their high end follow. SIZE_MAX: the fix changes nothing. */
	size_t *columns;
};

/* Adds the what-ifs of a fix to sets and returns the first one's place: one, or three where clauses
 * whose share has a range are among those that are used. */
size_t tc_fix_add_sets(struct tc_clause_set *sets, size_t *count, const struct tc_fix *fix,
	const struct tc_clause_set *used);
/* Its gain: won is at that place. */
struct tc_gain tc_fix_gain(
	const struct tc_fix *fix, const struct tc_clause_set *used, const struct tc_won *won);

/* tc_whatif_clear() afterwards, also when it failed. */
enum tc_status tc_whatif_run(
	struct tc_whatif *whatif, const struct tc_timeline *timeline, const struct tc_fixes *fixes);
void tc_whatif_clear(struct tc_whatif *whatif);

/* Writes the tables whatif, whatif_step, critical_path, critical_stretch and slack. */
enum tc_status tc_whatif_write(
	const struct tc_whatif *whatif, const struct tc_timeline *timeline, sqlite3 *db);

/* Both for a trace that is in the store already, without these tables. */
void tc_whatif_again(struct tc_whatif *whatif, sqlite3 *db, int64_t trace_id,
	const struct tc_fixes *fixes, struct tc_ctx *ctx);

/* The rows of whatif_step: when each step of a trace is complete, and when it is with a fix. */

/* A fix on a trace: a column of its shifts. */
struct tc_whatif_steps {
	int64_t trace_id;
	const char *fix;
	const struct tc_shifts *shifts;
	size_t column;
};

/* The same for all steps of the trace, which are in the store. */
void tc_whatif_put_steps(struct tc_tables *tables, const struct tc_whatif_steps *steps);
