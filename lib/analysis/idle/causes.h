/* Why a device is idle: the causes of docs/gaps.md. */
#ifndef TC_ANALYSIS_IDLE_CAUSES_H
#define TC_ANALYSIS_IDLE_CAUSES_H

enum tc_cause {
#define TC_CAUSE(id, name, help) TC_CAUSE_##id,
#include "analysis/idle/causes.def"
#undef TC_CAUSE
	TC_CAUSE_COUNT
};
const char *tc_cause_name(enum tc_cause cause);

#endif
