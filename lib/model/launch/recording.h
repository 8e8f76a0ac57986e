/*
 * Which work was launched before the recording began.
 *
 * Work without a call in the trace was either launched before the recording, or its call was not
 * recorded. Tracers count ids up, and a lane runs what it is given in order. So work was launched
 * before the recording
 *  - if its id is below that of every call and its lane runs nothing before it that was launched in
 *    the recording;
 *  - if its id is no evidence and its lane runs nothing before it that was launched in the
 *    recording, but something after it;
 *  - on a lane where no launch is known, if its id is no evidence and it starts before the first
 *    call.
 * Where no work at all has its call in the trace, nothing is known.
 */
#ifndef TC_MODEL_LAUNCH_RECORDING_H
#define TC_MODEL_LAUNCH_RECORDING_H

#include "core/collections/strtab.h"
#include "model/timeline/timeline.h"

/* Ids above this many bits are those of another rank or library. */
enum { TC_CORRELATION_BITS = 36 };

struct tc_recording {
	struct tc_strtab spaces; /* in which ids are counted: of a rank, of a library */
	int64_t *lowest;         /* id of a call, by space */
	size_t capacity;
	int64_t space; /* the latest one, and its number */
	uint32_t number;
	struct tc_first_launch *lanes; /* by track */
	size_t lane_count, lane_capacity;
	bool has_launched; /* a call of some work is in the trace */
	int64_t first_ns;  /* and this is the start of the first such call */
};

void tc_recording_clear(struct tc_recording *recording);

/* Takes the id of a call. False when memory is out. */
bool tc_recording_add_call(struct tc_recording *recording, int64_t correlation);
/* Takes work whose call is in the trace, or an arrow to it: ts_ns is its start. False when memory
 * is out. */
bool tc_recording_add_launch(
	struct tc_recording *recording, uint32_t track, int64_t ts_ns, int64_t call_ns);

/*
 * The launch of work without a call by its id: BEFORE when it is below that of every call; TIME
 * when it is not, so that its call was made in the recording and is missing; UNKNOWN when it is no
 * evidence. Asked for in ascending order of ids: on a lane with work of a lower id the order of the
 * lane decides.
 */
enum tc_launch_method tc_recording_method(
	const struct tc_recording *recording, uint32_t track, int64_t correlation);
/* True for work without a call in the trace that was launched before the recording. */
bool tc_recording_follows(const struct tc_recording *recording, const struct tc_span *work);

#endif
