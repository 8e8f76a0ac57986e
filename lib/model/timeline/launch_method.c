/* Names of launch methods as in device_link.method; see launch_method.h. */
#include "model/timeline/launch_method.h"

#include <stddef.h>

const char *tc_launch_method_name(enum tc_launch_method method)
{
	static const char *const names[] = {
		[TC_LAUNCH_UNKNOWN] = NULL,
		[TC_LAUNCH_CORRELATION] = "correlation",
		[TC_LAUNCH_FLOW] = "flow",
		[TC_LAUNCH_RECIPE] = "recipe",
		[TC_LAUNCH_EXTERNAL_ID] = "external_id",
		[TC_LAUNCH_TIME] = "time",
		[TC_LAUNCH_BEFORE] = "before_recording",
	};

	return names[method];
}
