/*
 * Silences: stretches of time in which the host records nothing that says what it does. Slices
 * that say so have a role, are framework operations, or have a mark of what stops Python (garbage,
 * checkpoints, printing). Steps, ranges of the user and Python frames do not: they are around all
 * else.
 *
 *   pause    no thread is in such a slice, for much longer than is usual between two of them:
 *            Python works, or waits for something that is not recorded
 *   compile  a thread's time until it loads code, for as long: what was compiled just before has
 *            no slice of its own (TorchScript's NNC, Triton, a vendor's compiler)
 *
 *   thread   |op|   |op||op|            python             |op|         |op|...........|load|
 *   silences     usual                 ~~~~~pause~~~~~~~~~~              ~~~~compile~~~
 *
 * Usual is the median of all silences; a pause begins when that has passed, and ends later than the
 * device work before its end, for which the host may wait unseen. It takes TC_SILENCE_NS
 * or more, and TC_SILENCE_TIMES as long as usual. In a recording with steps, it lies among those
 * after the warm-up. A server without a request does not pause, and a recording that lacks most of
 * its slices shows no silence.
 */
#pragma once

#include "analysis/usual.h"
#include "core/collections/arena.h"

/* Framework operations follow each other in tens of microseconds. Our defaults, no published
 * source. */
#define TC_SILENCE_NS INT64_C(1000000)
#define TC_SILENCE_TIMES 10
/* A call returns at most this long after the work that it waits for. */
#define TC_SILENCE_WAKE_NS INT64_C(50000)

struct tc_silence {
	int64_t from_ns, until_ns;
	enum tc_silence_kind kind;
	int32_t thread;         /* host thread that goes on with the slice after it */
	uint32_t before, after; /* labels of the slices around it; UINT32_MAX: none before */
};

struct tc_silences {
	struct tc_arena arena;
	const struct tc_timeline *timeline;
	struct tc_silence *items; /* by their ends; no two overlap */
	size_t count, capacity;
	struct tc_durations lengths;
	int64_t until_ns;        /* the latest end of the slices so far; INT64_MIN: there is none */
	uint32_t last;           /* label of that slice */
	struct tc_paged threads; /* struct tc_silence_thread */
};

/* tc_silences_clear() afterwards, also when the context has failed. */
void tc_silences_init(struct tc_silences *silences, const struct tc_timeline *timeline);
void tc_silences_clear(struct tc_silences *silences);
/* Takes the host slices in the order of their starts. */
void tc_silences_see(struct tc_silences *silences, const struct tc_span *span, enum tc_role role);
/* After the last slice; before it there are candidates in items[]. */
void tc_silences_find(struct tc_silences *silences, const struct tc_server *server);

/* The silence at or after a time; NULL for none. *at only moves forward: from 0, for times that do
 * not go back. */
static inline const struct tc_silence *tc_silences_next(
	const struct tc_silences *silences, size_t *at, int64_t time_ns)
{
	while (*at < silences->count && silences->items[*at].until_ns < time_ns)
		(*at)++;
	return *at < silences->count ? &silences->items[*at] : NULL;
}
