/*
 * Lanes and devices of writers that mark device work by the names of processes and threads instead
 * of categories. names/lanes.def is the table.
 */
#ifndef TC_MODEL_NAMED_LANES_H
#define TC_MODEL_NAMED_LANES_H

#include "model/tracks/tracks.h"

/* What names the device of a lane; see names/lanes.def. */
enum tc_naming { TC_NAMING_LABEL, TC_NAMING_NAME, TC_NAMING_THREAD, TC_NAMING_GUEST };

struct tc_named_lane {
	const char *process, *thread; /* patterns */
	enum tc_engine engine;        /* NONE: a lane without work */
	enum tc_naming naming;
	const char *vendor; /* as in trace.vendor; or NULL */
};

/* Sets the device of processes with such lanes, when all metadata is known. False when memory is
 * out. */
bool tc_named_lanes_resolve(struct tc_tracks *tracks);

/* After tc_named_lanes_resolve(): the row for the track of a thread. NULL when no row fits, or
 * when the track has slices of a category that only host threads have. */
const struct tc_named_lane *tc_named_lane_of(
	const struct tc_tracks *tracks, const struct tc_track_row *track);

#endif
