/*
 * Classification: what a pair of category and name means. Pure: names.def is the data.
 */
#ifndef TC_NAMES_CLASSIFY_H
#define TC_NAMES_CLASSIFY_H

#include "names/label.h"

/* Fills role, engine, kind, direction, call_class and the is_ flags of a label from its category and name. */
void tc_classify_label(struct tc_label *label);

/* True for a device operation that waits for another stream or device; busy all the same. */
bool tc_is_device_wait(struct tc_text name);

/*
 * The engine of a Gaudi lane from its thread name ("[HD0] TPC 3", "MME 1", "EDMA 0", "NIC 4"),
 * or, without a telling name, from the writer's thread number scheme (docs/lanes.md); NONE when
 * neither tells. has_tid: tid is an integer.
 */
enum tc_engine tc_classify_gaudi_lane(struct tc_text thread_name, bool has_tid, int64_t tid);

#endif
