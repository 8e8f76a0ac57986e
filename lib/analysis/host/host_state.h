/*
 * Host state: what every host thread is doing at one moment of the host sweep.
 *
 * A thread of the operating system may be recorded on several tracks: the framework's, the Gaudi
 * bridge's and the runtime's. On one track the innermost slice with a role decides, and slices
 * without a role inherit it. Over the tracks of a thread the role with the highest priority wins.
 * Dispatch is the role of framework operations that have no other. Within a loader call or a
 * fallback they count as part of that call.
 */
#ifndef TC_ANALYSIS_HOST_HOST_STATE_H
#define TC_ANALYSIS_HOST_HOST_STATE_H

#include "analysis/host/survey.h"
#include "analysis/time/sweep.h"
#include "core/collections/first_set.h"
#include "core/sort/paged.h"
#include "model/timeline/timeline.h"

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

/* What a graph compilation compiles, see host_sweep.c. */
struct tc_host_compile {
	int64_t id, op_count;
	uint64_t sequence;
	int64_t inner_slice_id;
};

struct tc_host_open {
	struct tc_open open;
	enum tc_role role;         /* its own; NONE inherits */
	int32_t thread;            /* host thread */
	bool is_held_up;           /* a launch that waits for room in a full queue of a device */
	bool is_outermost;         /* of its role, see tc_host_state_is_outermost() */
	bool is_outermost_of_mark; /* on its track */
	int64_t idle_at_start_ns, transfer_at_start_ns; /* the clocks at its start */
	bool in_copy, follows_loader;                   /* as in host_event; for outermost slices */
	bool is_on_cpu;          /* see tc_framework_is_on_cpu(); when it has ended */
	int64_t step;            /* step at its start, or -1; for outermost slices */
	uint32_t caller, python; /* labels around it, or TC_LABEL_ABSENT; for outermost slices */
	struct tc_host_calls before;     /* of its thread, at its start */
	bool is_framework_row;           /* has a row in framework_op, see framework_tally.h */
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

enum tc_status tc_host_state_init(struct tc_host_state *state, const struct tc_timeline *timeline,
	const struct tc_survey *survey);
void tc_host_state_clear(struct tc_host_state *state);

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

/* Whether what it keeps by thread and track could be kept. */
enum tc_status tc_host_state_status(const struct tc_host_state *state);

/* True when a slice with a role, about to start, is the outermost of its role on its thread.
 * Threads of the Gaudi runtime repeat the calls of others, so there it must be the outermost on all
 * counted threads. */
bool tc_host_state_is_outermost(const struct tc_host_state *state, const struct tc_host_open *host);

/* Enters and leaves a slice. */
void tc_host_state_start(struct tc_host_state *state, struct tc_host_open *host);
void tc_host_state_end(struct tc_host_state *state, struct tc_host_open *host);

/* The first launching thread in the role of highest priority that any of them is in. Without such a
 * role, the first with an open slice; -1 for none. */
int32_t tc_host_state_launching(const struct tc_host_state *state);

/* The role of highest priority in a set of role bits; NONE when the set is empty. */
enum tc_role tc_role_first(uint32_t roles);

/* The open slice that gives a thread its role; NULL without a role. Sets *role. */
const struct tc_host_open *tc_host_state_role_slice(
	const struct tc_host_state *state, int32_t thread, enum tc_role *role);
/* The innermost open slice of a thread in one of the lists, NULL for none. */
const struct tc_host_open *tc_host_state_innermost(
	const struct tc_host_state *state, int32_t thread, int list);

static inline const struct tc_host_open *tc_host_of(const struct tc_open *open)
{
	return (const struct tc_host_open *)(const void *)open;
}

#endif
