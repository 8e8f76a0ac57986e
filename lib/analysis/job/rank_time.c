/* See rank_time.h. Ranks may have recorded different numbers of steps, so times are per step. */
#include "analysis/job/rank_time.h"

#include "store/sql.h"

/* Idle time is that of the device with most of it, without waits for other ranks and without time
 * when there was no work. Every rank has a row for every part that any rank of the store has, so
 * that medians cover all ranks. */
static const char times_sql[] =
	"INSERT INTO rank_time (trace_id, job_id, part, ns, median_ns)"
	" WITH member AS ("
	"  SELECT r.trace_id, r.job_id, max(coalesce(m.value, 1), 1) AS steps FROM job_rank r"
	"  LEFT JOIN metric m ON m.trace_id = r.trace_id AND m.name = 'step_count'"
	"   AND m.device IS NULL AND m.step IS NULL),"
	" idle AS ("
	"  SELECT trace_id, device, row_number() OVER (PARTITION BY trace_id"
	"   ORDER BY sum(dur) DESC, device) AS place FROM gap GROUP BY 1, 2),"
	" spent AS ("
	"  SELECT trace_id, iif(name = 'compute_busy_ns', 'compute', 'copy') AS part, value AS ns"
	"  FROM metric WHERE name IN ('compute_busy_ns', 'copy_exclusive_ns')"
	"   AND device IS NULL AND step IS NULL"
	"  UNION ALL"
	"  SELECT g.trace_id, g.cause, CAST(total(g.dur) AS INTEGER) FROM gap g"
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

enum tc_status tc_rank_time_write(struct tc_ctx *ctx, sqlite3 *db)
{
	return tc_sql_run(ctx, db, times_sql, NULL, 0);
}
