/* Gain of findings; see gain.h. */
#include "advice/ranking/gain.h"

#include <string.h>

#include "advice/ranking/judge.h"
#include "advice/ranking/replayed.h"
#include "core/array.h"
#include "store/sql.h"

/* Smallest share of the wall time for each severity; documented in docs/advice.md. */
static const struct {
	double min_pct;
	enum tc_severity severity;
} severities[] = {
	{10.0, TC_SEVERITY_HIGH},
	{5.0, TC_SEVERITY_MEDIUM},
	{1.0, TC_SEVERITY_LOW},
};

enum tc_severity tc_gain_severity(double gain_pct)
{
	for (size_t i = 0; i < TC_COUNT_OF(severities); i++)
		if (gain_pct >= severities[i].min_pct)
			return severities[i].severity;
	return TC_SEVERITY_INFO;
}

/* wall_ns, and the facts of judge.h, those that are not known as if there was enough. */
static const char trace_sql[] =
	"WITH size AS (SELECT name, max(value) AS size FROM metric"
	"  WHERE trace_id = ?1 AND step IS NULL GROUP BY name) "
	"SELECT coalesce((SELECT size FROM size WHERE name = 'wall_ns'), 0),"
	"  coalesce((SELECT size FROM size WHERE name = 'slice_count'), 1),"
	"  coalesce((SELECT size FROM size WHERE name = 'device_op_count'), 1 << 30),"
	"  coalesce((SELECT size FROM size WHERE name = 'has_device'), 1),"
	"  coalesce((SELECT size FROM size WHERE name = 'has_one_clock'), 1),"
	"  coalesce((SELECT size FROM size WHERE name = 'recorded_one_of_count'), 1),"
	"  (SELECT count(*) FROM step WHERE trace_id = ?1),"
	"  (SELECT count(device_ts) FROM step WHERE trace_id = ?1)," TC_JUDGE_CAPTURE_SQL
	"  , coalesce((SELECT size FROM size WHERE name = 'has_launches'), 1)"
	" FROM (SELECT ?1 AS id) t";

static enum tc_status take_trace(void *user, sqlite3_stmt *row)
{
	struct tc_gain_trace *trace = user;
	const struct tc_judge_facts facts = {.slice_count = sqlite3_column_int64(row, 1),
		.device_op_count = sqlite3_column_int64(row, 2),
		.has_device = sqlite3_column_int64(row, 3) != 0,
		.has_one_clock = sqlite3_column_int64(row, 4) != 0,
		.recorded_one_of = sqlite3_column_int64(row, 5),
		.step_count = sqlite3_column_int64(row, 6),
		.working_step_count = sqlite3_column_int64(row, 7),
		.only_captures = sqlite3_column_int64(row, 8) != 0};

	trace->wall_ns = sqlite3_column_int64(row, 0);
	trace->judges = tc_judge(&facts) == TC_JUDGE_ENOUGH;
	trace->has_shares = tc_judge_has_shares(tc_judge(&facts));
	trace->is_blind = facts.has_device && sqlite3_column_int64(row, 9) == 0;
	return TC_OK;
}

enum tc_status tc_gain_trace_load(struct tc_gain_trace *out, struct tc_ctx *ctx, sqlite3 *db,
	int64_t trace_id, double min_gain_pct)
{
	const struct tc_sql_value id = tc_sql_int(trace_id);

	*out = (struct tc_gain_trace){.min_gain_pct = min_gain_pct};
	return tc_sql_each(ctx, db, trace_sql, &id, take_trace, out);
}

/* Of the wall time; 0 where that is not known. */
static double share_pct(const struct tc_gain_trace *trace, int64_t ns)
{
	if (trace->wall_ns <= 0)
		return 0;
	return 100.0 * (double)(ns < trace->wall_ns ? ns : trace->wall_ns) / (double)trace->wall_ns;
}

/* Whether the replay wins less than is reported. */
static bool wins_little(const struct tc_finding *finding, const struct tc_gain_trace *trace)
{
	return trace->wall_ns > 0 && tc_is_replayed(finding->heuristic) &&
	       finding->gain_ns != TC_GAIN_NONE &&
	       share_pct(trace, finding->gain_ns) < trace->min_gain_pct;
}

/* Whether the rows show a risk, or what a file tells of the whole run: no gain of the recording
 * says how much that matters. */
static bool is_always_reported(const struct tc_finding *finding)
{
	const char *column = finding->heuristic->always_if;

	for (size_t i = 0; column && i < finding->evidence_count; i++)
		for (const struct tc_field *field = finding->evidence[i].fields; field->name;
			field++)
			if (strcmp(field->name, column) == 0 && field->kind != TC_FIELD_NULL)
				return true;
	return false;
}

bool tc_gain_is_small(const struct tc_finding *finding, const struct tc_gain_trace *trace)
{
	return wins_little(finding, trace) && !is_always_reported(finding) &&
	       !(trace->is_blind && share_pct(trace, finding->removed_ns) >= trace->min_gain_pct);
}

/* Without launches no device work moves when the host gets faster: that it wins nothing is not
 * known. Nor is what is won of a run whose times the trace does not show. */
static void forget(struct tc_finding *finding)
{
	finding->gain_ns = TC_GAIN_NONE;
	finding->gain_pct = 0;
	for (size_t i = 0; i < finding->evidence_count; i++)
		finding->evidence[i].gain_ns = TC_GAIN_NONE;
}

/* A weak sign is no reason for alarm, however much it would win, nor is a trace that shows too
 * little to judge. */
void tc_gain_settle(struct tc_finding *finding, const struct tc_gain_trace *trace)
{
	if (trace->wall_ns > 0 && finding->gain_ns > trace->wall_ns)
		finding->gain_ns = trace->wall_ns;
	if (finding->gain_ns != TC_GAIN_NONE)
		finding->gain_pct = share_pct(trace, finding->gain_ns);
	if (!trace->has_shares || (trace->is_blind && wins_little(finding, trace)))
		forget(finding);
	if (finding->heuristic->kind != TC_HEURISTIC_FIX)
		return;
	finding->severity = trace->judges ? tc_gain_severity(finding->gain_pct) : TC_SEVERITY_INFO;
	if (finding->confidence == TC_CONFIDENCE_GUESSED && finding->severity > TC_SEVERITY_MEDIUM)
		finding->severity = TC_SEVERITY_MEDIUM;
}
