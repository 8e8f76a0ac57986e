/* How the launch of device work was found. */
#ifndef TC_MODEL_TIMELINE_LAUNCH_METHOD_H
#define TC_MODEL_TIMELINE_LAUNCH_METHOD_H

/* Most reliable first. */
enum tc_launch_method {
	TC_LAUNCH_UNKNOWN = 0,
	TC_LAUNCH_CORRELATION,
	TC_LAUNCH_FLOW,
	TC_LAUNCH_RECIPE,
	TC_LAUNCH_EXTERNAL_ID,
	TC_LAUNCH_TIME,   /* no link in the trace: the step whose host window contains it */
	TC_LAUNCH_BEFORE, /* launched before the recording began: belongs to no step */
};
const char *tc_launch_method_name(enum tc_launch_method method); /* NULL for UNKNOWN */

#endif
