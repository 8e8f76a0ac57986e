/* Rows of device_peak and precision_peak, if the device is one of names/hardware/hardware.def. */
#ifndef TC_MODEL_TRACE_PEAKS_H
#define TC_MODEL_TRACE_PEAKS_H

#include "model/trace/trace.h"

/* memory_bytes 0: the trace does not say. */
enum tc_status tc_peaks_write(
	const struct tc_trace *trace, struct tc_text device_name, int64_t memory_bytes);

#endif
