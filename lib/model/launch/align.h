/* Which call launched which execution of a device. */
#ifndef TC_MODEL_LAUNCH_ALIGN_H
#define TC_MODEL_LAUNCH_ALIGN_H

#include "model/launch/executions.h"

/* In place of the number of a call. */
enum {
	TC_CALL_BEFORE = -1, /* it was made before the recording */
	TC_CALL_LOST = -2,   /* or less: it is lost; TC_CALL_LOST - n, where n is the number of the
				call before */
};

/* Sets *calls, which the caller frees, to the number of the call of every execution. False when
 * memory is out. */
bool tc_align(int32_t **calls, const struct tc_executions *executions);

#endif
