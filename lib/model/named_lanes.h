/*
 * Lanes and devices of writers that say by the names of processes and threads, not by categories,
 * what runs on a device; named_lanes.def has them.
 */
#ifndef TC_MODEL_NAMED_LANES_H
#define TC_MODEL_NAMED_LANES_H

#include "model/tracks.h"

/* How the device of a lane is called; named_lanes.def explains it. */
enum tc_naming { TC_NAMING_LABEL, TC_NAMING_NAME, TC_NAMING_THREAD, TC_NAMING_GUEST };

struct tc_named_lane {
	const char *process, *thread; /* patterns */
	enum tc_engine engine;        /* NONE: a lane without work */
	enum tc_naming naming;
	const char *vendor; /* as in trace.vendor; or NULL */
};

/* The row for a thread of this name, NULL when it is no such lane; ptr NULL for no name. */
const struct tc_named_lane *tc_named_lane_of(const struct tc_tracks *tracks,
	const struct tc_process_row *process, struct tc_text thread_name);

/* Gives processes of such lanes their device, when all metadata is known. False when memory is
 * out. */
bool tc_named_lanes_resolve(struct tc_tracks *tracks);

#endif
