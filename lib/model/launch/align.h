/* Which call launched which execution of a device. */
#ifndef TC_MODEL_LAUNCH_ALIGN_H
#define TC_MODEL_LAUNCH_ALIGN_H

#include "model/launch/executions.h"

/* What is known of the call of an execution, if it is not the number of one. */
enum {
	TC_CALL_BEFORE = -1, /* it was made before the recording */
	TC_CALL_LOST = -2,   /* or less: it is lost; TC_CALL_LOST - n where n is the call before */
};

/* *calls, the caller's, has an element for each execution. False when memory is out. */
bool tc_align(int32_t **calls, const struct tc_executions *executions);

#endif
