/*
 * What the name of a device says of it; devices.def is the table.
 */
#ifndef TC_NAMES_HARDWARE_DEVICES_H
#define TC_NAMES_HARDWARE_DEVICES_H

#include "core/text.h"

/* As in trace.vendor; NULL when the name does not say. */
const char *tc_device_vendor(struct tc_text name);

/* As in trace.architecture: by the compute capability of a CUDA device (major -1 where the trace
 * has none), else by the name; NULL when neither says. vendor may be NULL. */
const char *tc_device_architecture(
	const char *vendor, struct tc_text name, int64_t major, int64_t minor);

#endif
