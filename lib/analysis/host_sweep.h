/*
 * Host sweep: one pass over all host threads in time order. It knows what every thread is doing at
 * each moment, and shows every change to its visitors, the tallies of the host.
 *
 * A thread of the operating system may be recorded on several tracks: the framework's, the Gaudi
 * bridge's and the runtime's. On one track the innermost slice with a role decides, and slices
 * without a role inherit it. Over the tracks of a thread the role with the highest priority wins.
 * Dispatch is the role of framework operations that have no other. Within a loader call or a
 * fallback they count as part of that call.
 */
#pragma once

#include "analysis/device_tally.h"
#include "analysis/metrics.h"
#include "analysis/survey.h"
#include "analysis/sweep.h"
#include "analysis/windows.h"
#include "core/collections/first_set.h"
#include "core/sort/paged.h"
#include "model/timeline/timeline.h"
#include "store/sql.h"

struct tc_companion;

/* Lists of the sweep that host slices are on. */
enum {
	TC_HOST_ALL,      /* of a track */
	TC_HOST_ROLES,    /* of a track: those with a role other than dispatch */
	TC_HOST_DISPATCH, /* of a track: those with the role dispatch */
	TC_HOST_OPS,      /* of a track: framework operations */
	TC_HOST_CALLERS,  /* of a track: those of them that do more than carry out a copy or read */
	TC_HOST_PYTHON,   /* of a track: Python frames */
	TC_HOST_COMPILE,  /* of all counted threads: graph compilations */
};

#define TC_LABEL_ABSENT UINT32_MAX

/* Work that starts within this time after its launch call returned went straight through the
 * queue: from call to device it takes 3 to 10 us on CUDA and ROCm when nothing is in the way. */
#define TC_LAUNCH_LATENCY_NS INT64_C(10000)

/* Calls of a host thread so far. */
struct tc_host_calls {
	int64_t launch_count, input_copy_count;
	int64_t device_count;    /* all that concern a device */
	int64_t launch_slice_id; /* the last launch; valid when there was one */
	bool has_read;           /* the last device call copied to the host, for a copy operator */
	int64_t read_end_ns;     /* end of that call */
};

/* A framework operation that has ended. */
struct tc_framework_op {
	int64_t slice_id; /* TC_NO_ID for none */
	uint32_t label;   /* index of labels[] */
	bool is_host;     /* it made no device call */
	/* The convolution that this operation is, or that ended before it with only additions in
	 * between (batch normalisation adds one to its batch count). TC_NO_ID for none. */
	int64_t convolution_id;
	uint32_t convolution_label;
};

/* The subject of a graph compilation. */
struct tc_host_compile {
	int64_t id, op_count;
	uint64_t sequence;
	int64_t inner_slice_id;
};

struct tc_host_open {
	struct tc_open open;
	enum tc_role role;         /* its own; NONE inherits */
	int32_t thread;            /* host thread */
	int64_t first_work_ns;     /* when its first work starts; INT64_MIN: it launches none */
	bool is_held_up;           /* a launch that waits for room in a full queue of a device */
	bool is_outermost;         /* of its role, see tc_host_is_outermost() */
	bool is_outermost_of_mark; /* on its track */
	int64_t idle_at_start_ns, transfer_at_start_ns; /* the clocks at its start */
	bool in_copy, follows_loader;                   /* as in host_event; for outermost slices */
	bool is_on_cpu;          /* it computes with a value just read; when it has ended */
	int64_t step;            /* step at its start, or -1; for outermost slices */
	uint32_t caller, python; /* labels around it, or TC_LABEL_ABSENT; for outermost slices */
	struct tc_host_calls before;     /* of its thread, at its start */
	bool is_framework_row;           /* has a row in framework_op */
	struct tc_framework_op previous; /* ended last before it */
	struct tc_host_compile compile;  /* outermost compilations on counted threads */
};

struct tc_host_track {
	struct tc_open_list lists[TC_HOST_COMPILE];
	int32_t thread;
	uint32_t next_track; /* of the same thread, or UINT32_MAX */
	enum tc_role role;   /* of its innermost slice with one */
	uint32_t open_of_mark[TC_MARK_COUNT];
};

struct tc_host_thread {
	uint32_t first_track;
	uint32_t open_count;
	uint32_t tracks_in_role[TC_ROLE_COUNT];
	uint32_t open_in_role[TC_ROLE_COUNT];
	uint32_t roles; /* bits of the roles of its tracks */
};

struct tc_host_state {
	const struct tc_timeline *timeline;
	const struct tc_survey *survey;
	struct tc_paged tracks;  /* struct tc_host_track, by track of the timeline */
	struct tc_paged threads; /* struct tc_host_thread */
	struct tc_open_list compiles;
	/* Counts of launching threads in each role; for TC_ROLE_NONE those with an open slice. */
	struct tc_first_set launching[TC_ROLE_COUNT];
	uint32_t launching_roles;                /* bits, over all launching threads */
	uint32_t counted_in_role[TC_ROLE_COUNT]; /* open slices on counted threads */
	int64_t runtime_start_ns[TC_ROLE_COUNT]; /* of the last slice on a runtime thread */
	uint32_t counted_roles;                  /* bits of those above 0 */
	uint32_t held_up_count;                  /* open launches on counted threads that wait */
};

/* How long no device has worked so far, or how long devices have only transferred while the host
 * was late. Time only moves forward. The idle time within a host interval is the difference of two
 * readings. */
struct tc_idle_clock {
	struct tc_sorter *intervals;    /* borrowed */
	const struct tc_interval *next; /* behind current; NULL after the last */
	struct tc_interval after;       /* idle time after all device work */
	struct tc_interval current;     /* the idle interval at or after now */
	enum { TC_CLOCK_BEFORE, TC_CLOCK_WITHIN, TC_CLOCK_AFTER } stage; /* of all work */
	int64_t past_ns; /* idle time of the intervals before current */
	int64_t idle_ns; /* idle time until now */
	int64_t now_ns;
};

/* State that visitors read. The caller sets the first members, the sweep the others. */
struct tc_host_sweep {
	const struct tc_timeline *timeline;
	const struct tc_device_tally *devices;
	const struct tc_windows *windows;
	const struct tc_survey *survey;
	struct tc_companion *companion; /* captures of other traces, or NULL */
	struct tc_tables *tables;
	struct tc_metric_writer *writer;
	int64_t *unasked_count; /* gaps that were not compared with the host: gap_limit */
	struct tc_host_state state;
	struct tc_idle_clock clock, transfers;
	const int64_t *thread_ids; /* by host thread: thread.id of the store */
	int64_t *queued_ns;        /* by tally of the devices: idle time with work in the queue */
	bool in_window;            /* in a step; without steps, in the time of the host */
	int64_t window_idle_ns;    /* idle time in such windows, until the last boundary of one */
	int64_t boundary_idle_ns;  /* the clock at that boundary */
};

/*
 * A tally of the sweep; members that it does not need are NULL. Slices of all host threads come by
 * their starts and ends. For each there are two calls at either time, while the state has not, or
 * no longer, what the other call sees:
 *
 *   before: the state is without the slice      start: with it
 *   end:    the state is with the slice         after: without it
 */
struct tc_host_visitor {
	size_t size; /* of self, which is all zero before begin() */
	void (*begin)(void *self, const struct tc_host_sweep *sweep);
	void (*clear)(void *self);
	void (*before)(void *self, struct tc_host_open *host);
	void (*start)(void *self, struct tc_host_open *host);
	void (*endless)(void *self, const struct tc_span *span); /* a slice without an end */
	void (*end)(void *self, struct tc_host_open *host);
	void (*after)(void *self, struct tc_host_open *host);
	/* Until a time nothing changes on the counted threads. */
	void (*pass)(void *self, int64_t time_ns);
	void (*finish)(void *self); /* all slices have ended: writes what is left to write */
};

/* operator_tally.c, framework_tally.c, event_tally.c, compile_tally.c, host_total.c, idle.c,
 * silence_tally.c */
extern const struct tc_host_visitor tc_operator_visitor, tc_framework_visitor, tc_event_visitor,
	tc_compile_visitor, tc_host_total_visitor, tc_gap_visitor, tc_silence_visitor;

/* Runs the sweep: writes the tables of its visitors and the metrics of the host. */
void tc_host_sweep_run(struct tc_host_sweep *sweep);

static inline struct tc_host_track *tc_host_track_at(
	const struct tc_host_state *state, uint32_t track)
{
	return TC_PAGED_AT(&state->tracks, struct tc_host_track, track);
}

static inline struct tc_host_thread *tc_host_thread_at(
	const struct tc_host_state *state, int32_t thread)
{
	return TC_PAGED_AT(&state->threads, struct tc_host_thread, (size_t)thread);
}

static inline const struct tc_host_open *tc_host_of(const struct tc_open *open)
{
	return (const struct tc_host_open *)(const void *)open;
}

/* Idle time until now within steps; without steps, within the time of the host. */
static inline int64_t tc_host_window_idle(const struct tc_host_sweep *sweep)
{
	return sweep->window_idle_ns +
	       (sweep->in_window ? sweep->clock.idle_ns - sweep->boundary_idle_ns : 0);
}

/* Whether a slice with a role, about to start, is the outermost of its role on its thread.
 * Threads of the Gaudi runtime repeat the calls of others, so there it must be the outermost on all
 * counted threads. */
bool tc_host_is_outermost(const struct tc_host_state *state, const struct tc_host_open *host);
/* The innermost open slice of a thread in one of the lists, NULL for none. */
const struct tc_host_open *tc_host_innermost(
	const struct tc_host_state *state, int32_t thread, int list);

/* The thread whose operations made a call. Threads of the Gaudi runtime have no operations, so it
 * is the main thread for them. */
static inline int32_t tc_host_calling_thread(const struct tc_host_state *state, int32_t thread)
{
	const struct tc_survey *survey = state->survey;

	return survey->threads[thread].is_synapse && survey->main_thread >= 0 ? survey->main_thread
									      : thread;
}

/* Warm-up is the time before the second step if the first step is warm-up, else the time before the
 * first step. */
bool tc_host_is_warm_up(const struct tc_windows *windows, const struct tc_host_open *host);

/* The role of highest priority in a set of role bits; NONE when the set is empty. */
static inline enum tc_role tc_role_first(uint32_t roles)
{
	return roles ? (enum tc_role)__builtin_ctz(roles) : TC_ROLE_NONE;
}
