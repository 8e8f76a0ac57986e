/*
 * Ranks of one job. A collective ends at the same time on all its ranks, when the last
 * one has arrived and the data are transferred. So the last rank spends the shortest time in it,
 * and each other rank waited for the difference. Durations are enough for that; the clocks of the
 * ranks need not agree. The clocks only show how far to trust the result: how much the ends differ
 * after subtracting the constant offset of each clock.
 */
#include "analysis/ranks.h"

#include "analysis/intervals.h"
#include "analysis/name_functions.h"
#include "store/sql.h"

/* The statements in jobs.sql, match.sql, sums.sql and links.sql, embedded by the build. */
extern const char tc_jobs_sql[], tc_match_sql[], tc_sums_sql[], tc_links_sql[];

/* The waits of a trace, each without the time that an earlier one covers, and its compute work,
 * ordered by start. */
static const char sweep_sql[] =
	"WITH wait AS ("
	"  SELECT trace_id, slice_id, ts + wait_ns AS to_ns, max(ts, coalesce(max(ts + wait_ns) "
	"OVER"
	"   (PARTITION BY trace_id ORDER BY ts, slice_id"
	"    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), ts)) AS from_ns"
	"  FROM collective WHERE wait_ns > 0)"
	" SELECT trace_id, from_ns, to_ns, slice_id FROM wait WHERE to_ns > from_ns"
	" UNION ALL"
	" SELECT trace_id, ts, ts + dur, NULL FROM temp.rank_work"
	" WHERE NOT is_collective AND dur > 0"
	" ORDER BY 1, 2, 4";

/* State of the sweep over a trace: the open wait, and until when compute covers time. */
struct sweep {
	struct tc_tables *tables;
	int64_t trace_id, slice_id; /* slice_id of the open wait, or NO_WAIT */
	struct tc_interval wait;    /* the part of it that is not yet counted */
	int64_t covered_ns, exposed_ns;
};

#define NO_WAIT (-1)

/* Counts the open wait up to a time. */
static void advance(struct sweep *sweep, int64_t until_ns)
{
	struct tc_interval part = sweep->wait;

	if (until_ns < part.end_ns)
		part.end_ns = until_ns;
	if (part.end_ns > sweep->wait.start_ns)
		sweep->wait.start_ns = part.end_ns;
	if (sweep->covered_ns > part.start_ns)
		part.start_ns = sweep->covered_ns;
	sweep->exposed_ns += tc_interval_measure(part);
}

static void end_wait(struct sweep *sweep)
{
	if (sweep->slice_id != NO_WAIT) {
		advance(sweep, TC_TIME_LAST);
		const struct tc_sql_value values[] = {
			tc_sql_int(sweep->exposed_ns), tc_sql_int(sweep->slice_id)};
		TC_TABLES_PUT(sweep->tables,
			"UPDATE collective SET exposed_wait_ns = ?1 WHERE slice_id = ?2", values);
	}
	sweep->slice_id = NO_WAIT;
	sweep->exposed_ns = 0;
}

static void take_row(struct sweep *sweep, const struct tc_rows *row)
{
	int64_t trace_id = tc_rows_int(row, 0);
	struct tc_interval interval = {
		tc_time_clamp(tc_rows_int(row, 1)), tc_time_clamp(tc_rows_int(row, 2))};
	bool is_wait = !tc_rows_null(row, 3);

	if (is_wait || trace_id != sweep->trace_id)
		end_wait(sweep);
	if (trace_id != sweep->trace_id)
		sweep->covered_ns = TC_TIME_FIRST;
	sweep->trace_id = trace_id;
	if (is_wait) {
		sweep->slice_id = tc_rows_int(row, 3);
		sweep->wait = interval;
		return;
	}
	if (sweep->slice_id != NO_WAIT)
		advance(sweep, interval.start_ns);
	if (interval.end_ns > sweep->covered_ns)
		sweep->covered_ns = interval.end_ns;
}

static void match(struct tc_tables *tables)
{
	struct sweep sweep = {.tables = tables, .trace_id = -1, .slice_id = NO_WAIT};

	tc_tables_run(tables, tc_match_sql, NULL, 0);
	/* The part of each wait that no compute hides. Waits are disjoint, so one is open at a
	 * time. */
	struct tc_rows row = tc_rows_open(tables->ctx, tables->db, sweep_sql);
	while (tc_rows_next(&row))
		take_row(&sweep, &row);
	end_wait(&sweep);
	tc_tables_run(tables, tc_sums_sql, NULL, 0);
	tc_tables_run(tables, tc_links_sql, NULL, 0);
}

static void note_copies(const struct tc_tables *tables)
{
	struct tc_rows copies = tc_rows_open(tables->ctx, tables->db,
		"SELECT a.path, b.path FROM temp.rank_copy c JOIN trace a ON a.id = c.id"
		" JOIN trace b ON b.id = c.of_id WHERE c.id NOT IN (SELECT trace_id FROM job_rank)"
		" ORDER BY c.id");

	while (tc_rows_next(&copies))
		tc_ctx_note(tables->ctx, TC_NOTE_WARNING,
			"%s: the same trace as %s: not counted among the ranks",
			tc_rows_text(&copies, 0).ptr, tc_rows_text(&copies, 1).ptr);
}

/* Those that no job can have, whatever else is there: a rank that its world does not have, and one
 * that another trace is at the same time. */
static void note_strange(const struct tc_tables *tables)
{
	struct tc_rows strange = tc_rows_open(tables->ctx, tables->db,
		"WITH member AS (SELECT id, path, rank, world_size,"
		"  base_time_ns + start_ns AS from_ns, base_time_ns + end_ns AS to_ns FROM trace"
		"  WHERE rank IS NOT NULL AND world_size > 1 AND start_ns IS NOT NULL"
		"  AND id NOT IN (SELECT id FROM temp.rank_copy)),"
		" beside AS (SELECT *, iif(lag(to_ns) OVER w > from_ns, lag(path) OVER w, NULL)"
		"  AS twin FROM member"
		"  WINDOW w AS (PARTITION BY world_size, rank ORDER BY from_ns, id))"
		" SELECT path, rank, world_size, iif(rank BETWEEN 0 AND world_size - 1, twin, NULL)"
		" FROM beside WHERE id NOT IN (SELECT trace_id FROM job_rank)"
		" AND (twin IS NOT NULL OR rank NOT BETWEEN 0 AND world_size - 1) ORDER BY id");

	while (tc_rows_next(&strange)) {
		const char *twin = tc_rows_text(&strange, 3).ptr;
		tc_ctx_note(tables->ctx, TC_NOTE_WARNING,
			"%s: says that it is rank %lld of %lld%s%s: not counted among the ranks",
			tc_rows_text(&strange, 0).ptr, (long long)tc_rows_int(&strange, 1),
			(long long)tc_rows_int(&strange, 2),
			twin ? ", and so does, at the same time, " : "", twin ? twin : "");
	}
}

static void relate(void *user)
{
	struct tc_tables *tables = user;
	int64_t job;

	tc_tables_run(tables, tc_jobs_sql, NULL, 0);
	note_copies(tables);
	note_strange(tables);
	tc_tables_run(tables, "DROP TABLE temp.rank_copy", NULL, 0);
	if (tc_tables_find(&job, tables, "SELECT 1 FROM job_rank LIMIT 1", NULL))
		match(tables);
}

void tc_ranks_relate(struct tc_ctx *ctx, sqlite3 *db)
{
	struct tc_tables tables = TC_TABLES_OF(ctx, db);

	tc_with_name_functions(ctx, db, relate, &tables);
	tc_tables_end(&tables);
}
