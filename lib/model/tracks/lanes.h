/*
 * What tracks are, decided when all metadata is known: which are device lanes and of which engine
 * and device, and which threads record one operating-system thread.
 */
#ifndef TC_MODEL_TRACKS_LANES_H
#define TC_MODEL_TRACKS_LANES_H

#include "model/tracks/tracks.h"

/* Sets what is marked as resolved in the rows, and adds the devices to the timeline. */
enum tc_status tc_tracks_resolve(struct tc_tracks *tracks, struct tc_timeline *timeline);

#endif
