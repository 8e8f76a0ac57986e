/* What is told of the replay of a trace. */
#ifndef TC_REPORT_WHATIF_WHATIF_H
#define TC_REPORT_WHATIF_WHATIF_H

#include "replay/path.h"
#include "replay/shifts.h"
#include "report/sink.h"
#include "tracecoach/whatif.h"

struct tc_whatif_trace {
	const struct tc_timeline *timeline;
	int64_t wall_ns; /* of what was replayed */
	struct tc_won won;
	const struct tc_path *before, *then; /* critical paths */
	const char *edit;
};

/* A steady step before and then; where there is none, the recording. */
static inline int64_t tc_whatif_before_ns(const struct tc_whatif_trace *trace)
{
	return trace->won.step_before_ns > 0 ? trace->won.step_before_ns : trace->wall_ns;
}

static inline int64_t tc_whatif_then_ns(const struct tc_whatif_trace *trace)
{
	return trace->won.step_before_ns > 0 ? trace->won.step_after_ns
					     : trace->wall_ns - trace->won.gain_ns;
}

/* What the critical path spends its time on: a role of host slices, an engine, or waiting. */
struct tc_whatif_part {
	const char *piece, *name; /* name: role or engine, or NULL */
	int64_t before_ns, then_ns;
};

enum { TC_WHATIF_PARTS = 64 };

/* Sums both paths up, the largest of either first; returns how many parts there are. */
size_t tc_whatif_parts(
	struct tc_whatif_part parts[TC_WHATIF_PARTS], const struct tc_whatif_trace *trace);

void tc_whatif_text(struct tc_sink *sink, const struct tc_whatif_trace *trace);
/* The members of an object that is open. */
struct tc_json;
void tc_whatif_json(struct tc_json *json, const struct tc_whatif_trace *trace);

#endif
