/*
 * Compile tally (tables compile, compile_op): what each graph compilation compiled, and whether the
 * same graph was compiled before. A compilation is identified by the name of its recipe and by the
 * operations that its thread ran since it last launched or compiled a graph; see docs/compiles.md.
 */
#ifndef TC_ANALYSIS_HOST_COMPILE_TALLY_H
#define TC_ANALYSIS_HOST_COMPILE_TALLY_H

#include "analysis/host/event_tally.h"
#include "analysis/host/host_state.h"
#include "analysis/device/idle_clock.h"
#include "analysis/metrics.h"
#include "store/tables.h"

/* At most this many operations of a graph have rows; lazy graphs of a training step have thousands.
 * */
enum { TC_COMPILE_OPS_HELD = 4096 };

/* What a thread ran since it last launched or compiled a graph. */
struct tc_compile_thread {
	uint64_t sequence; /* hash of the operations' names */
	int64_t op_count;
	int64_t *slices; /* the first of them */
	size_t held, capacity;
	int64_t compile_id;    /* compiled last and not launched yet; TC_NO_ID for none */
	int64_t launch_end_ns; /* until then, calls belong to the launch of launched_id */
	int64_t launched_id;   /* compile of the last launch; TC_NO_ID for none */
};

struct tc_compile_tally {
	struct tc_arena arena;
	const struct tc_timeline *timeline;
	const struct tc_survey *survey;
	struct tc_tables *tables;
	uint64_t *names; /* by label: hash of its name; 0 when it is not an operation */
	bool *marks;     /* by label: its end ends the graph */
	struct tc_compile_thread *threads; /* NULL in a trace without compilations */
	struct tc_host_open *open; /* the outermost compile that started last, NULL when it ended */
	int64_t first_id, next_id; /* of the trace */
};

/* Row ids continue after those in the store. */
void tc_compile_tally_init(struct tc_compile_tally *tally, struct tc_tables *tables,
	const struct tc_timeline *timeline, const struct tc_survey *survey);
void tc_compile_tally_clear(struct tc_compile_tally *tally);

/* Takes a slice that starts. Call it after the host state entered the slice. */
void tc_compile_tally_start(struct tc_compile_tally *tally, const struct tc_host_state *state,
	struct tc_host_open *host);
/* Writes the row of a compile that ends now; events knows its step. */
void tc_compile_tally_end(struct tc_compile_tally *tally, const struct tc_event_tally *events,
	const struct tc_host_open *host, const struct tc_idle_clock *clock);
/* Tells first compiles and repeated ones apart once all are written, and writes the metrics. */
void tc_compile_tally_finish(struct tc_compile_tally *tally, struct tc_metric_writer *writer);

#endif
