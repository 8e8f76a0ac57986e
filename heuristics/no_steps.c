/* No ProfilerStep#N: numbers are over the whole range of the file instead of over steps. */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {NULL};
static const char *const reads[] = {"capability", "metric", "trace", NULL};
static const struct tc_param params[] = {TC_PARAM_END};

static const char sql[] =
	"SELECT\n"
	"  'no complete ProfilerStep#N' AS subject,\n"
	"  NULL AS gain_ns,\n"
	"  'measured' AS confidence,\n"
	"  NULL AS count,\n"
	"  0 AS serious,\n"
	"  (SELECT max(m.value) FROM metric m WHERE m.trace_id = t.id AND m.name = 'wall_ns'\n"
	"    AND m.device IS NULL AND m.step IS NULL) AS wall_ns,\n"
	"  t.event_count AS event_count\n"
	"FROM trace t\n"
	"WHERE t.id = :trace_id\n"
	"  AND NOT EXISTS (SELECT 1 FROM capability c\n"
	"    WHERE c.trace_id = t.id AND c.name = 'steps' AND c.present)\n"
	"ORDER BY t.id\n";

const struct tc_heuristic tc_h_no_steps = {
	.id = "no-steps",
	.title = "The trace has no steps; the whole of it was analysed as one",
	.advice = "Call the profiler's step() once per iteration, and give it a schedule with at "
		  "least three active steps.",
	.why = "Without steps, start-up, compilation and saving count like steady work, and "
	       "numbers "
	       "per step cannot be given.",
	.kind = TC_HEURISTIC_QUALITY,
	.bucket = TC_BUCKET_NONE,
	.combine = TC_COMBINE_MAX,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "torch_tb_profiler falls back to the whole range in the same way.",
};
