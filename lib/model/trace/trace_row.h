/*
 * The row of table trace: the job and the device from the members of the file, and the writer and
 * vendor from its labels and processes. Also the peaks of the device (peaks.h).
 */
#ifndef TC_MODEL_TRACE_TRACE_ROW_H
#define TC_MODEL_TRACE_TRACE_ROW_H

#include "model/trace/trace.h"
#include "store/tables.h"

void tc_trace_row_put(struct tc_tables *tables, const struct tc_trace *trace);

#endif
