/* Rows of device_peak and precision_peak, if the device is one of names/hardware/hardware.def. */
#ifndef TC_MODEL_TRACE_PEAKS_H
#define TC_MODEL_TRACE_PEAKS_H

#include "store/tables.h"

/* memory_bytes 0: the trace does not say. */
void tc_peaks_put(struct tc_tables *tables, int64_t trace_id, struct tc_text device_name,
	int64_t memory_bytes);

#endif
