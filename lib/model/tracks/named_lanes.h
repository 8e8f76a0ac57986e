/*
 * Lanes and devices of writers that say by the names of processes and threads, not by categories,
 * what runs on a device; named_lanes.def has them.
 */
#ifndef TC_MODEL_NAMED_LANES_H
#define TC_MODEL_NAMED_LANES_H

#include "model/tracks/tracks.h"

/* How the device of a lane is called; named_lanes.def explains it. */
enum tc_naming { TC_NAMING_LABEL, TC_NAMING_NAME, TC_NAMING_THREAD, TC_NAMING_GUEST };

struct tc_named_lane {
	const char *process, *thread; /* patterns */
	enum tc_engine engine;        /* NONE: a lane without work */
	enum tc_naming naming;
	const char *vendor; /* as in trace.vendor; or NULL */
};

/* Gives processes of such lanes their device, when all metadata is known. False when memory is
 * out. */
bool tc_named_lanes_resolve(struct tc_tracks *tracks);

/* The row for the track of a thread, after that; NULL when its names tell no lane or it carries what
 * only threads of the host do. */
const struct tc_named_lane *tc_named_lane_of(
	const struct tc_tracks *tracks, const struct tc_track_row *track);

#endif
