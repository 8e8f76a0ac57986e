/*
 * The row of table trace: the job and the device from the members of the file, and the writer and
 * vendor from its labels and processes. Also the row of device_peak, if the device is known.
 */
#ifndef TC_MODEL_TRACE_TRACE_ROW_H
#define TC_MODEL_TRACE_TRACE_ROW_H

#include "model/trace/trace.h"

enum tc_status tc_trace_row_write(const struct tc_trace *trace);

#endif
