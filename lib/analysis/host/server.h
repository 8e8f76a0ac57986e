/*
 * Servers: inference that works on requests, not through batches. Where a server records nothing
 * for long enough, it has no request to work on.
 */
#ifndef TC_ANALYSIS_HOST_SERVER_H
#define TC_ANALYSIS_HOST_SERVER_H

#include "model/timeline/timeline.h"

/* A pause on a server of at least this length means that there is no work; a shorter one is Python
 * between operations. Our default, no published source. */
#define TC_NO_WORK_MIN_NS INT64_C(1000000)
/* What pauses between turns of its loop are usual shows in so many turns. Longer ones than the
 * maximum are no work of a loop. Our defaults, no published source. */
enum { TC_USUAL_PAUSE_TURNS = 8 };
#define TC_USUAL_PAUSE_MAX_NS INT64_C(50000000)

struct tc_server {
	bool has_layers;        /* of a model */
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
enum tc_status tc_server_find(struct tc_server *server, const struct tc_timeline *timeline);

#endif
