/*
 * Launches by flow: for lanes whose work has no correlation id (rocprof, RPD, profilers of Ascend
 * without the CANN layer), but arrows from the host lead to it. The call is the slice where the
 * arrow starts; of several arrows the one that starts last counts, because its slice is nearest to
 * the device.
 */
#ifndef TC_MODEL_LAUNCH_ARROWS_H
#define TC_MODEL_LAUNCH_ARROWS_H

#include "model/launch/recording.h"
#include "model/flows/flows.h"
#include "model/timeline/timeline.h"
#include "model/tracks/tracks.h"

struct tc_arrows;

/* An arrow to a slice of a lane. */
struct tc_arrow {
	int64_t to, from;      /* slice ids */
	int64_t ts_ns, end_ns; /* of from */
	uint32_t label;        /* of from */
};

/*
 * *out is owned by the caller, NULL when no lane needs arrows. The timeline is sorted. Binds the
 * points of flows, if arrows are needed. Work that an arrow leads to is added to recording.
 */
enum tc_status tc_arrows_find(struct tc_arrows **out, struct tc_flows *flows,
	const struct tc_timeline *timeline, const struct tc_tracks *tracks,
	struct tc_recording *recording);
void tc_arrows_free(struct tc_arrows *arrows); /* NULL is fine */

/* The arrow to a slice, NULL when there is none; arrows may be NULL. */
const struct tc_arrow *tc_arrow_to(const struct tc_arrows *arrows, int64_t slice_id);

#endif
