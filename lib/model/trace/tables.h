/* The tables that have few rows: trace, trace_meta, process, thread, track, label and step. */
#ifndef TC_MODEL_TRACE_TABLES_H
#define TC_MODEL_TRACE_TABLES_H

#include "model/trace/trace.h"

enum tc_status tc_tables_write(const struct tc_trace *trace);

#endif
