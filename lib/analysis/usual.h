/*
 * What is usual: how long calls of a name last when they do not wait, and how long a server is
 * silent while it has work. A call that lasts much longer was held up, and a longer silence means
 * that there was no request. What a call was held up by, its users decide: the host sweep, and the
 * edges of the replay.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/sort/paged.h"
#include "model/timeline/timeline.h"

/* A call that lasts longer than this, and than 3 x the usual one, may be held up. */
#define TC_BLOCKED_NS INT64_C(20000)

#define TC_USUAL_MAX_NS INT64_C(100000)

enum {
	/* Durations are counted in bins of an eighth of an octave, up to 16 ms. */
	TC_DURATIONS_PER_OCTAVE = 8,
	TC_DURATIONS_BINS = 24 * TC_DURATIONS_PER_OCTAVE,
};

struct tc_durations {
	uint32_t counts[TC_DURATIONS_BINS], count;
};

void tc_durations_add(struct tc_durations *durations, int64_t dur_ns);
/* The duration that one of `part` does not exceed. */
int64_t tc_durations_lowest(const struct tc_durations *durations, uint32_t part);

struct tc_usual {
	struct tc_ctx *ctx;
	size_t label_count;
	struct tc_durations **durations; /* of the labels that have any */
	size_t count, capacity;
	struct tc_paged numbers;  /* uint32_t, by label: 1 more than the index of durations[]; 0 for
				     none */
	struct tc_paged usual_ns; /* int64_t, by label */
};

/* tc_usual_clear() afterwards, also when the context has failed. */
void tc_usual_init(struct tc_usual *usual, struct tc_ctx *ctx, size_t label_count);
void tc_usual_clear(struct tc_usual *usual);

/* Counts a call. */
void tc_usual_add(struct tc_usual *usual, uint32_t label, int64_t dur_ns);
/* Finds what is usual, once all calls are counted. */
void tc_usual_find(struct tc_usual *usual);

/* The time that one of ten calls does not exceed; 0 for a label without calls. */
static inline int64_t tc_usual_lowest_ns(const struct tc_usual *usual, uint32_t label)
{
	return *TC_PAGED_AT(&usual->usual_ns, int64_t, label);
}

/* That, but at most 0.1 ms: otherwise a call that always waits would look as if it never did.
 */
static inline int64_t tc_usual_ns(const struct tc_usual *usual, uint32_t label)
{
	int64_t lowest_ns = tc_usual_lowest_ns(usual, label);

	return lowest_ns < TC_USUAL_MAX_NS ? lowest_ns : TC_USUAL_MAX_NS;
}

/* Whether a call of that label, or a part of one, lasts much longer than is usual. */
static inline bool tc_usual_is_held_up(const struct tc_usual *usual, uint32_t label, int64_t dur_ns)
{
	return dur_ns > TC_BLOCKED_NS && dur_ns / 3 > tc_usual_ns(usual, label);
}

/*
 * Launches that block: calls return only when their kernel has ended, as with
 * CUDA_LAUNCH_BLOCKING=1, AMD_SERIALIZE_KERNEL=3 and ASCEND_LAUNCH_BLOCKING=1. A call that does not
 * block returns before a kernel of some length ends.
 */
struct tc_blocking {
	int64_t kernel_count;  /* kernels of TC_BLOCKED_NS or more whose call is known */
	int64_t blocked_count; /* those that ended before a call as long as they are returned */
	int64_t start_ns;      /* the shortest time from a call to the start of its kernel */
};

/* So many kernels show that launches block. Our default, no published source. */
enum { TC_BLOCKING_MIN_COUNT = 20 };

/* The recording has an operation of a device. */
void tc_blocking_see(struct tc_blocking *blocking, const struct tc_timeline *timeline,
	const struct tc_span *span);

/* Nine of ten launches block: what the program was told, no habit of single calls. */
static inline bool tc_launches_block(const struct tc_blocking *blocking)
{
	return blocking->kernel_count >= TC_BLOCKING_MIN_COUNT &&
	       blocking->blocked_count >= blocking->kernel_count - blocking->kernel_count / 10;
}

/* So many copies to the device before any work that computes are the model's weights: the inputs of
 * a forward pass are fewer. Where later ones are as many, that is seen: weights move once, inputs
 * come again before each pass, so only the copies count that are more than ever come again at once.
 * Our default, no published source. */
enum { TC_WEIGHT_COPIES = 10, TC_LOADING_DEVICES = 16 };

/* The start of a recording without steps: whether the model is moved to the device there. */
struct tc_loading {
	struct tc_loading_device {
		bool computes;
		int64_t first_count;   /* copies before the first work that computes */
		int64_t again_count;   /* the most copies later between two such works */
		int64_t run_count;     /* copies since the last one */
	} devices[TC_LOADING_DEVICES]; /* by number; what is beyond is on the last */
	bool computes;
	int64_t compute_ns; /* start of the first work that computes */
};

/* The recording has an operation of a device; those of one device come in the order of time. */
void tc_loading_see(
	struct tc_loading *loading, const struct tc_timeline *timeline, const struct tc_span *span);

/* Until when copies to the device are those of weights: the first work that computes. The first
 * time there is, where no weights were copied. */
static inline int64_t tc_loading_until(const struct tc_loading *loading)
{
	int64_t weight_count = 0;

	for (size_t i = 0; i < TC_LOADING_DEVICES; i++)
		weight_count += loading->devices[i].first_count - loading->devices[i].again_count;
	bool is_loading = loading->computes && weight_count >= TC_WEIGHT_COPIES;

	return is_loading ? loading->compute_ns : INT64_MIN;
}

/* Servers: inference that works on requests, not through batches. Where a server records nothing
 * for long enough, it has no request to work on. */

/* A pause on a server of at least this length means that there is no work; a shorter one is Python
 * between operations. Our default, no published source. */
#define TC_NO_WORK_MIN_NS INT64_C(1000000)
/* So many turns of a loop show which pauses between them are usual. Longer ones than the
 * maximum are no work of a loop. Our defaults, no published source. */
enum { TC_USUAL_PAUSE_TURNS = 8 };
#define TC_USUAL_PAUSE_MAX_NS INT64_C(50000000)

struct tc_server {
	bool has_layers;        /* of a model, on the host or a device */
	bool has_loop;          /* steps, a loader, or what only training has */
	bool is_server;         /* inference without a loader, where nobody drew steps: between its
				   requests there is no work */
	int64_t no_work_min_ns; /* of a server: a silence of at least this length means so */
};

/* Whether a silence of all threads means that there was no request. Python between operations is
 * short, and between the turns of a loop about as long each time. */
static inline bool tc_server_has_no_work(const struct tc_server *server, int64_t silent_ns)
{
	return server->is_server && silent_ns >= server->no_work_min_ns;
}

/* The recording has a slice of the label. */
void tc_server_see(struct tc_server *server, const struct tc_label *label);
/* After all labels. */
void tc_server_find(struct tc_server *server, const struct tc_timeline *timeline);
