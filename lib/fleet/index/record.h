/*
 * Records: all rows of a job in an index, as bytes that can be sent, appended to a file and added
 * to an index. The row of the job comes first; rows that belong to a trace follow the row of the
 * trace. The index assigns ids: a record numbers the traces within the job, from 0.
 */
#ifndef TC_FLEET_INDEX_RECORD_H
#define TC_FLEET_INDEX_RECORD_H

#include "core/buf.h"
#include "store/sql.h"

enum tc_row_kind { TC_ROW_JOB, TC_ROW_TRACE, TC_ROW_METRIC, TC_ROW_FINDING, TC_ROW_LOG };

/* The values of rows, in the order of the columns of index.sql. */
enum { TC_JOB_PATH, TC_JOB_STATE, TC_JOB_REASON, TC_JOB_PACE, TC_JOB_VALUES };
enum {
	TC_TRACE_PATH,
	TC_TRACE_SIZE,
	TC_TRACE_MTIME,
	TC_TRACE_HASH,
	TC_TRACE_SIDE_HASH,
	TC_TRACE_STATE,
	TC_TRACE_REASON,
	TC_TRACE_FORMAT,
	TC_TRACE_VENDOR,
	TC_TRACE_DEVICE,
	TC_TRACE_RANK,
	TC_TRACE_WORLD,
	TC_TRACE_GROUP,
	TC_TRACE_START,
	TC_TRACE_END,
	TC_TRACE_EVENTS,
	TC_TRACE_READ_BYTES,
	TC_TRACE_JUDGED,
	TC_TRACE_BLIND,
	TC_TRACE_FAULTS,
	TC_TRACE_VALUES
};
enum { TC_METRIC_ID, TC_METRIC_VALUE, TC_METRIC_VALUES };
enum {
	TC_FINDING_HEURISTIC = 1, /* follows ord */
	TC_FINDING_VALUES = 6
};
enum { TC_LOG_VALUES = 4 };

struct tc_row {
	enum tc_row_kind kind;
	struct tc_sql_value values[TC_TRACE_VALUES];
	size_t count;
};

/* Appends a row. */
void tc_record_add(struct tc_buf *record, enum tc_row_kind kind, const struct tc_sql_value *values,
	size_t count);

/* Takes the first row off a record; its texts point into the record. False at the end, and, with
 * rest not empty, when the bytes are not a record. */
bool tc_record_next(struct tc_row *row, struct tc_text *rest);

#endif
