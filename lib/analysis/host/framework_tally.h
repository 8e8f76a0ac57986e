/*
 * Framework tally (table framework_op): operations that advice recognizes by their arguments or by
 * their order on a thread. An operation has a row if it is the outermost of its kind on its track
 * (names/label/framework_kinds.def). Some kinds have fewer rows. Of backward nodes only the first
 * of a pass is kept, which shows that the pass computes gradients. Of in-place additions only those
 * that a convolution makes are kept, of sums those of its gradient. Selects that follow each other
 * closely are a loop over rows and share a row.
 *
 * Most operations are matrix products. Table framework_shape sums them up by their shapes. Only the
 * first and last of a step on a thread, and the linear layer after a copy, have rows of their own.
 */
#ifndef TC_ANALYSIS_HOST_FRAMEWORK_TALLY_H
#define TC_ANALYSIS_HOST_FRAMEWORK_TALLY_H

#include "analysis/host/host_state.h"
#include "analysis/device/op_totals.h"
#include "analysis/steps/windows.h"
#include "core/sort/paged.h"
#include "store/tables.h"

/* A row of framework_op, without the columns that come from args and device work. */
struct tc_framework_row {
	int64_t slice_id, ts_ns, dur_ns, step;
	uint32_t label, sizes, types;
	int32_t thread;
	struct tc_framework_op previous;
	int64_t launch_count, launch_slice_id, input_copy_count;
};

/* No step seen yet; -1 means outside of steps. */
#define TC_FRAMEWORK_NO_STEP (-2)

/* What a host thread has done so far. */
struct tc_framework_thread {
	struct tc_host_calls calls;
	int64_t copy_ns;              /* start of a copy with no layer since; INT64_MAX: none */
	bool has_last;                /* the row of last is not written yet */
	struct tc_framework_row last; /* matrix product of the current step */
	struct tc_framework_row loop; /* from the first of selects that follow each other */
	int64_t loop_count;           /* of these; 0: none */
	int64_t loop_launch_count;    /* calls.launch_count when it began */
	int64_t step; /* of the latest matrix product, TC_FRAMEWORK_NO_STEP before */
};

struct tc_framework_track {
	uint32_t open[TC_FRAMEWORK_COUNT];     /* slices by kind */
	struct tc_framework_op last;           /* ended last */
	struct tc_framework_op before_carrier; /* ended last when the outermost open one started */
};

struct tc_framework_tally {
	const struct tc_timeline *timeline;
	const struct tc_windows *windows;
	struct tc_tables *tables;
	struct tc_op_totals
		shapes;            /* matrix products by label, types (data_type), sizes (recipe) */
	const int64_t *thread_ids; /* by host thread: thread.id of the store */
	struct tc_paged threads;   /* struct tc_framework_thread */
	size_t thread_count;
	struct tc_paged tracks; /* struct tc_framework_track, by track of the timeline */
	int64_t backward_step;  /* step whose backward row is written; -1 is outside of steps */
};

/* thread_ids (thread.id of the store, by host thread) is borrowed until the tally is cleared. */
enum tc_status tc_framework_tally_init(struct tc_framework_tally *tally, struct tc_tables *tables,
	const struct tc_windows *windows, const struct tc_survey *survey,
	const int64_t *thread_ids);
void tc_framework_tally_clear(struct tc_framework_tally *tally);

/* Notes what was before a slice. Call it before the host state enters the slice. */
void tc_framework_tally_start(struct tc_framework_tally *tally, const struct tc_host_state *state,
	struct tc_host_open *host);
/* Whether a slice that ends now is an operation that computes on the CPU with a value just read
 * from a device: it takes a while and makes no device call. */
bool tc_framework_is_on_cpu(
	const struct tc_framework_tally *tally, const struct tc_host_open *host);
/* Writes the row of a slice that ends now, if it has one. */
void tc_framework_tally_end(struct tc_framework_tally *tally, const struct tc_host_open *host);

/* Whether what it keeps by thread and track could be kept. */
enum tc_status tc_framework_tally_status(const struct tc_framework_tally *tally);

/* Call it when all slices have ended: writes the last rows and the shapes. */
void tc_framework_tally_flush(struct tc_framework_tally *tally);

/* Call it when all tallies are written: fills the columns that come from args and device work. */
void tc_framework_tally_finish(struct tc_tables *tables, const struct tc_timeline *timeline);

#endif
