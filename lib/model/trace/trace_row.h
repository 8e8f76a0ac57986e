/*
 * The row of table trace: what the file says of the run in its top-level members, and which writer and
 * vendor its labels and processes point to. And the row of device_peak, where the device is known.
 */
#ifndef TC_MODEL_TRACE_TRACE_ROW_H
#define TC_MODEL_TRACE_TRACE_ROW_H

#include "model/trace/trace.h"

enum tc_status tc_trace_row_write(const struct tc_trace *trace);

#endif
