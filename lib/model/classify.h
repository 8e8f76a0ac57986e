/*
 * Classification: what a pair of category and name means. Pure: patterns.def is the data.
 */
#ifndef TC_MODEL_CLASSIFY_H
#define TC_MODEL_CLASSIFY_H

#include "model/timeline.h"

/*
 * Runtime calls that launch recipes, the one nearest to the launching thread first; then those
 * that copy outside of recipes.
 */
enum tc_call_class {
	TC_CALL_NONE = 0,
	TC_CALL_SYN_LAUNCH,
	TC_CALL_LAUNCH_RECIPE,
	TC_CALL_LAUNCH_TASK,
	TC_CALL_ENQUEUE,
	TC_CALL_REPLAY_V3,
	TC_CALL_REPLAY_V2,
	TC_CALL_REPLAY_GRAPH,
	TC_CALL_SYN_COPY,
	TC_CALL_COPY,
	TC_CALL_COUNT,
};

/* Fills role, engine, kind, direction, call_class and the is_ flags of a label from its category and name. */
void tc_classify_label(struct tc_label *label);

/* True when text matches pattern, in which '*' is any text and '%' digits, at least one; letters
 * match in either case. */
bool tc_pattern_match(const char *pattern, struct tc_text text);

/* True for a device operation that waits for another stream or device; busy all the same. */
bool tc_is_device_wait(struct tc_text name);

/*
 * The engine of a Gaudi lane from its thread name ("[HD0] TPC 3", "MME 1", "EDMA 0", "NIC 4"),
 * or, without a telling name, from the writer's thread number scheme (docs/lanes.md); NONE when
 * neither tells. has_tid: tid is an integer.
 */
enum tc_engine tc_classify_gaudi_lane(struct tc_text thread_name, bool has_tid, int64_t tid);

#endif
