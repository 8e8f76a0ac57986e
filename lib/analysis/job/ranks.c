/*
 * Ranks of one job; see ranks.h. A collective ends at the same time on all its ranks, when the last
 * one has arrived and the data are transferred. So the last rank spends the shortest time in it,
 * and each other rank waited for the difference. Durations are enough for that; the clocks of the
 * ranks need not agree. The clocks only show how far to trust the result: how much the ends differ
 * after subtracting the constant offset of each clock.
 */
#include "analysis/job/ranks.h"

#include "analysis/time/intervals.h"
#include "analysis/name_functions.h"
#include "core/array.h"
#include "store/tables.h"

/* Traces with the same world size and different ranks are one job. If ranks repeat, a directory or
 * run that has each rank once is a job (own). Of the other traces, those whose wall times overlap
 * are one job (number). If ranks still repeat, several jobs ran at the same time, and directory and
 * run separate them (part). */
static const char jobs_sql[] =
	"INSERT INTO job_rank (trace_id, job_id, rank, world_size, by_guess, matched_count)"
	" WITH member AS ("
	"  SELECT id, rank, world_size, tc_run(path) AS run,"
	"   coalesce(base_time_ns, 0) + start_ns AS from_ns,"
	"   coalesce(base_time_ns, 0) + end_ns AS to_ns"
	"  FROM trace WHERE rank BETWEEN 0 AND world_size - 1 AND world_size > 1"
	"   AND start_ns IS NOT NULL),"
	" world AS ("
	"  SELECT world_size, count(*) > count(DISTINCT rank) AS repeats"
	"  FROM member GROUP BY world_size),"
	" whole AS ("
	"  SELECT world_size, run FROM member JOIN world USING (world_size) WHERE repeats"
	"  GROUP BY world_size, run"
	"  HAVING count(*) = world_size AND count(DISTINCT rank) = world_size),"
	" owned AS ("
	"  SELECT m.*, w.repeats, coalesce(o.run, '') AS own"
	"  FROM member m JOIN world w USING (world_size) LEFT JOIN whole o USING (world_size, "
	"run)),"
	" island_start AS ("
	"  SELECT *, repeats AND own = '' AND from_ns >= coalesce(max(to_ns) OVER ("
	"    PARTITION BY world_size, own ORDER BY from_ns, id"
	"    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), from_ns + 1) AS begins"
	"  FROM owned),"
	" island AS ("
	"  SELECT *, sum(begins) OVER (PARTITION BY world_size, own ORDER BY from_ns, id"
	"   ROWS UNBOUNDED PRECEDING) AS number FROM island_start),"
	" crowd AS ("
	"  SELECT world_size, own, number, count(*) > count(DISTINCT rank) AS crowded"
	"  FROM island GROUP BY world_size, own, number),"
	" placed AS ("
	"  SELECT i.*, iif(c.crowded, i.run, '') AS part"
	"  FROM island i JOIN crowd c USING (world_size, own, number)),"
	" job AS ("
	"  SELECT world_size, own, number, part, min(id) AS job_id,"
	"   max(from_ns) >= min(to_ns) AS apart"
	"  FROM placed GROUP BY world_size, own, number, part"
	"  HAVING count(*) > 1 AND count(*) = count(DISTINCT rank))"
	" SELECT p.id, j.job_id, p.rank, p.world_size, j.apart, 0"
	" FROM placed p JOIN job j USING (world_size, own, number, part)"
	" ORDER BY j.job_id, p.rank";

/* Device work of the jobs that can hide collectives, and the collectives. */
static const char work_sql[] =
	"CREATE TEMP TABLE rank_work AS"
	" SELECT trace_id, device, slice_id, ts, dur, lane, name,"
	"  engine IN ('communication', 'nic') AS is_collective, engine = 'nic' AS by_lane,"
	"  CASE WHEN engine IN ('communication', 'nic') THEN"
	"   (SELECT a.args FROM slice_args a WHERE a.slice_id = w.slice_id) END AS args"
	" FROM (SELECT t.trace_id, t.device, s.id AS slice_id, s.ts, s.dur, t.lane, l.name,"
	"   coalesce(iif(t.engine = 'compute', l.task_engine, NULL), t.engine, l.engine) AS engine"
	"  FROM slice_row s JOIN track t ON t.id = s.track_id"
	"  JOIN job_rank r ON r.trace_id = t.trace_id JOIN label l ON l.id = s.label_id"
	"  WHERE t.device IS NOT NULL AND s.dur >= 0) w"
	" WHERE engine IN ('communication', 'nic', 'compute', 'mme', 'tpc')";

/* Matches a collective on the ranks: by its number if it has one, else by its position among those
 * of its name and group, counted from the last. If ranks have different numbers of them, the
 * position within a step decides, because recordings begin at different times and may lose some. */
static const char collectives_sql[] =
	"INSERT INTO collective (slice_id, trace_id, job_id, device, lane, name, group_name,"
	"  group_size, step, number, ts, dur, kind)"
	" WITH described AS ("
	"  SELECT w.*, r.job_id, r.world_size,"
	"   json_extract(args, '$.\"Collective name\"') AS kind,"
	"   json_extract(args, '$.\"Process Group Name\"') AS group_name,"
	"   json_extract(args, '$.\"Process Group Ranks\"') AS group_ranks,"
	"   json_extract(args, '$.\"Group size\"') AS group_size,"
	"   json_extract(args, '$.\"Seq\"') AS seq,"
	"   (SELECT s.number FROM device_link d JOIN step s ON s.id = d.step_id"
	"    WHERE d.last_slice_id >= w.slice_id AND d.method != 'time' AND d.first_slice_id ="
	"     (SELECT max(f.first_slice_id) FROM device_link f"
	"      WHERE f.first_slice_id <= w.slice_id)) AS step"
	"  FROM temp.rank_work w JOIN job_rank r ON r.trace_id = w.trace_id"
	"  WHERE is_collective),"
	" grouped AS ("
	"  SELECT slice_id, trace_id, job_id, device, CASE WHEN by_lane THEN lane END AS lane,"
	"   coalesce(kind, name, '') AS name,"
	"   nullif(coalesce(group_name, '') || coalesce(' ' || group_ranks, ''), '') AS group_name,"
	"   coalesce(CASE WHEN typeof(group_size) = 'integer' AND group_size > 0"
	"    THEN group_size END, world_size) AS group_size,"
	"   CASE WHEN typeof(seq) = 'integer' THEN seq END AS seq,"
	"   CASE WHEN typeof(seq) != 'integer' THEN step END AS step, ts, dur"
	"  FROM described),"
	" counted AS ("
	"  SELECT *, count(*) OVER (PARTITION BY trace_id, group_name, name, lane) AS times"
	"  FROM grouped),"
	" placed AS ("
	"  SELECT slice_id, trace_id, job_id, device, lane, name, group_name, group_size, seq, ts,"
	"   dur, iif(min(times) OVER same = max(times) OVER same, NULL, step) AS step"
	"  FROM counted WINDOW same AS (PARTITION BY job_id, group_name, name, lane))"
	" SELECT slice_id, trace_id, job_id, device, lane, name, group_name, group_size, step,"
	"  coalesce(seq, row_number() OVER (PARTITION BY trace_id, group_name, name, lane,"
	"   seq IS NULL, step ORDER BY ts DESC, slice_id DESC) - 1), ts, dur, tc_collective(name)"
	" FROM placed ORDER BY trace_id, ts, slice_id";

/* A collective is matched when each recorded rank of the group has it once and the collective lets
 * no rank leave early. Ranks that have different numbers of them in a step have lost some; then
 * positions mean nothing, except in the first step of a recording, which may have begun within it.
 * If ranks of a group are not recorded, its name must identify the group. Sums here and below use
 * total(), which saturates where sum() fails (base times come from the file and may be anything)
 * and is exact below 2^53 ns, 104 days. */
static const char match_sql[] =
	"CREATE TEMP TABLE rank_match AS"
	" WITH counted AS ("
	"  SELECT job_id, group_name, name, lane, step, trace_id, count(*) AS times FROM collective"
	"  GROUP BY 1, 2, 3, 4, 5, 6),"
	" start AS ("
	"  SELECT job_id, max(step) AS step FROM"
	"   (SELECT job_id, min(step) AS step FROM collective GROUP BY job_id, trace_id) GROUP BY "
	"1),"
	" even AS ("
	"  SELECT c.job_id, c.group_name, c.name, c.lane, c.step FROM counted c"
	"  JOIN start s ON s.job_id = c.job_id GROUP BY 1, 2, 3, 4, 5"
	"  HAVING min(c.times) = max(c.times) OR c.step IS NULL OR c.step <= s.step),"
	" present AS ("
	"  SELECT job_id, group_name, name, lane, count(DISTINCT trace_id) AS ranks FROM counted"
	"  GROUP BY 1, 2, 3, 4)"
	" SELECT c.job_id, c.group_name, c.name, c.lane, c.step, c.number,"
	"  min(c.dur) AS shortest_ns, count(*) AS ranks, min(c.slice_id) AS match_id,"
	"  count(*) = max(c.group_size) AS is_whole,"
	"  CAST(total((c.ts + coalesce(t.base_time_ns, 0) - j.epoch_ns) + c.dur) / count(*)"
	"   AS INTEGER) AS end_ns"
	" FROM collective c JOIN trace t ON t.id = c.trace_id"
	" JOIN (SELECT r.job_id, r.world_size, min(coalesce(x.base_time_ns, 0) + x.start_ns)"
	"   AS epoch_ns"
	"  FROM job_rank r JOIN trace x ON x.id = r.trace_id GROUP BY 1) j ON j.job_id = c.job_id"
	" JOIN even e ON e.job_id = c.job_id AND e.group_name IS c.group_name AND e.name = c.name"
	"  AND e.lane IS c.lane AND e.step IS c.step"
	" JOIN present p ON p.job_id = c.job_id AND p.group_name IS c.group_name AND p.name = "
	"c.name"
	"  AND p.lane IS c.lane"
	" WHERE lower(c.name) NOT IN ('send', 'recv')"
	"  AND coalesce(c.kind, '') NOT IN ('broadcast', 'reduce', 'gather', 'scatter')"
	" GROUP BY 1, 2, 3, 4, 5, 6"
	" HAVING count(*) > 1 AND count(*) = max(p.ranks) AND count(DISTINCT c.trace_id) = count(*)"
	"  AND (count(*) = max(c.group_size) OR (count(*) < max(c.group_size)"
	"   AND (max(c.group_size) = max(j.world_size) OR instr(c.group_name, '[') > 0)))";

static const char index_sql[] = "CREATE INDEX temp.rank_match_by_name ON rank_match(job_id, name, "
				"number, step, group_name, lane)";

static const char wait_sql[] =
	"UPDATE collective SET match_id = m.match_id, rank_count = m.ranks,"
	" early_ns = collective.dur - m.shortest_ns,"
	" wait_ns = iif(m.is_whole, collective.dur - m.shortest_ns, NULL),"
	" exposed_wait_ns = iif(m.is_whole, 0, NULL),"
	" end_offset_ns = CAST(collective.ts + (SELECT coalesce(t.base_time_ns, 0) FROM trace t"
	"  WHERE t.id = collective.trace_id) - (SELECT min(coalesce(x.base_time_ns, 0) + "
	"x.start_ns)"
	"  FROM job_rank r JOIN trace x ON x.id = r.trace_id WHERE r.job_id = collective.job_id)"
	"  + collective.dur - m.end_ns AS INTEGER)"
	" FROM temp.rank_match m WHERE m.job_id = collective.job_id AND m.name = collective.name"
	" AND m.number = collective.number AND m.step IS collective.step"
	" AND m.group_name IS collective.group_name AND m.lane IS collective.lane";

/* The offset of a rank's clock is the median of its ends' offsets. */
static const char offset_sql[] =
	"UPDATE job_rank SET clock_offset_ns = (SELECT end_offset_ns FROM ("
	"  SELECT end_offset_ns, row_number() OVER (ORDER BY end_offset_ns) AS place,"
	"   count(*) OVER () AS places FROM collective c"
	"  WHERE c.trace_id = job_rank.trace_id AND c.match_id IS NOT NULL)"
	" WHERE place = (places + 1) / 2)";

/* The sums by rank. */
static const char rank_sql[] =
	"UPDATE job_rank SET matched_count = s.matched, late_count = s.late, wait_ns = s.wait_ns,"
	" exposed_wait_ns = s.exposed_ns, start_wait_ns = s.start_ns, apart_ns = s.apart_ns"
	" FROM (SELECT c.trace_id, count(*) AS matched, sum(c.early_ns = 0) AS late,"
	"   iif(count(c.wait_ns), CAST(total(c.wait_ns) AS INTEGER), NULL) AS wait_ns,"
	"   iif(count(c.wait_ns), CAST(total(c.exposed_wait_ns) AS INTEGER), NULL) AS exposed_ns,"
	"   iif(count(c.wait_ns), CAST(total(CASE WHEN c.ts = c.first_ts THEN c.exposed_wait_ns "
	"END)"
	"    AS INTEGER), NULL) AS start_ns, CAST(total(max(c.end_offset_ns - j.clock_offset_ns,"
	"     j.clock_offset_ns - c.end_offset_ns)) AS INTEGER) AS apart_ns"
	"  FROM (SELECT *, min(ts) OVER (PARTITION BY trace_id) AS first_ts FROM collective"
	"   WHERE match_id IS NOT NULL) c JOIN job_rank j ON j.trace_id = c.trace_id"
	"  GROUP BY 1) s WHERE s.trace_id = job_rank.trace_id";

static const char metric_sql[] =
	"INSERT INTO metric (trace_id, name, device, step, value, unit)"
	" SELECT trace_id, 'late_rank_wait_ns', NULL, NULL, exposed_wait_ns, 'ns'"
	" FROM job_rank WHERE exposed_wait_ns IS NOT NULL ORDER BY trace_id";

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

static enum tc_status take_row(void *user, sqlite3_stmt *row)
{
	struct sweep *sweep = user;
	int64_t trace_id = sqlite3_column_int64(row, 0);
	struct tc_interval interval = {tc_time_clamp(sqlite3_column_int64(row, 1)),
		tc_time_clamp(sqlite3_column_int64(row, 2))};
	bool is_wait = sqlite3_column_type(row, 3) != SQLITE_NULL;

	if (is_wait || trace_id != sweep->trace_id)
		end_wait(sweep);
	if (trace_id != sweep->trace_id)
		sweep->covered_ns = TC_TIME_FIRST;
	sweep->trace_id = trace_id;
	if (is_wait) {
		sweep->slice_id = sqlite3_column_int64(row, 3);
		sweep->wait = interval;
		return TC_OK;
	}
	if (sweep->slice_id != NO_WAIT)
		advance(sweep, interval.start_ns);
	if (interval.end_ns > sweep->covered_ns)
		sweep->covered_ns = interval.end_ns;
	return sweep->tables->status;
}

static void match(struct tc_tables *tables)
{
	static const char *const before[] = {
		work_sql, collectives_sql, match_sql, index_sql, wait_sql, offset_sql};
	static const char *const after[] = {
		rank_sql, metric_sql, "DROP TABLE temp.rank_match", "DROP TABLE temp.rank_work"};
	struct sweep sweep = {.tables = tables, .trace_id = -1, .slice_id = NO_WAIT};

	for (size_t i = 0; i < TC_COUNT_OF(before); i++)
		tc_tables_put(tables, before[i], NULL, 0);
	/* The part of each wait that no compute hides. Waits are disjoint, so one is open at a
	 * time. */
	tc_tables_each(tables, sweep_sql, NULL, take_row, &sweep);
	end_wait(&sweep);
	for (size_t i = 0; i < TC_COUNT_OF(after); i++)
		tc_tables_put(tables, after[i], NULL, 0);
}

/* Only now are the ranks known for every trace. */
static const char several_sql[] =
	"UPDATE metric SET value = 1 WHERE name = 'has_ranks' AND step IS NULL"
	" AND (SELECT count(DISTINCT rank) > 1 FROM trace)";

/* Compares where the time of each rank goes with the median rank of its job. Ranks may have
 * recorded different numbers of steps, so times are per step. Idle time is that of the device with
 * most of it, without waits for other ranks and without time when there was no work. Every rank has
 * a row for every part that any rank of the store has, so that medians cover all ranks. */
static const char times_sql[] =
	"INSERT INTO rank_time (trace_id, job_id, part, ns, median_ns)"
	" WITH member AS ("
	"  SELECT r.trace_id, r.job_id, max(coalesce(m.value, 1), 1) AS steps FROM job_rank r"
	"  LEFT JOIN metric m ON m.trace_id = r.trace_id AND m.name = 'step_count'"
	"   AND m.device IS NULL AND m.step IS NULL),"
	" idle AS ("
	"  SELECT trace_id, device, row_number() OVER (PARTITION BY trace_id"
	"   ORDER BY sum(dur) DESC, device) AS place FROM gap_total GROUP BY 1, 2),"
	" spent AS ("
	"  SELECT trace_id, iif(name = 'compute_busy_ns', 'compute', 'copy') AS part, value AS ns"
	"  FROM metric WHERE name IN ('compute_busy_ns', 'copy_exclusive_ns')"
	"   AND device IS NULL AND step IS NULL"
	"  UNION ALL"
	"  SELECT g.trace_id, g.cause, CAST(total(g.dur) AS INTEGER) FROM gap_total g"
	"  JOIN idle i ON i.trace_id = g.trace_id AND i.device = g.device AND i.place = 1"
	"  WHERE g.cause NOT IN ('collective', 'no_work') GROUP BY 1, 2),"
	" part AS (SELECT DISTINCT part FROM spent),"
	" per_step AS ("
	"  SELECT m.trace_id, m.job_id, p.part, CAST(coalesce(s.ns, 0) / m.steps AS INTEGER) AS ns"
	"  FROM member m CROSS JOIN part p"
	"  LEFT JOIN spent s ON s.trace_id = m.trace_id AND s.part = p.part),"
	" placed AS ("
	"  SELECT *, row_number() OVER same AS place, count(*) OVER (PARTITION BY job_id, part)"
	"   AS places FROM per_step WINDOW same AS (PARTITION BY job_id, part ORDER BY ns, "
	"trace_id))"
	" SELECT trace_id, job_id, part, ns, max(iif(place = (places + 1) / 2, ns, NULL))"
	"  OVER (PARTITION BY job_id, part) FROM placed ORDER BY trace_id, part";

static enum tc_status relate(void *user)
{
	struct tc_tables *tables = user;
	int64_t job;

	tc_tables_put(tables, several_sql, NULL, 0);
	tc_tables_put(tables, jobs_sql, NULL, 0);
	if (tc_tables_find(&job, tables, "SELECT 1 FROM job_rank LIMIT 1", NULL)) {
		tc_tables_put(tables, times_sql, NULL, 0);
		match(tables);
	}
	return tables->status;
}

enum tc_status tc_ranks_relate(struct tc_ctx *ctx, sqlite3 *db)
{
	struct tc_tables tables = TC_TABLES_OF(ctx, db);

	tc_tables_keep(&tables, tc_with_name_functions(ctx, db, relate, &tables));
	return tc_tables_end(&tables);
}
