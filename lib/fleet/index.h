/*
 * The index of a batch: one SQLite file that keeps what counts of all jobs (index.sql). Between
 * files and processes the rows of a job travel as a record: bytes that can be sent, appended to a
 * file and added to an index. The row of the job comes first; rows that belong to a trace follow
 * the row of the trace. The index assigns ids: a record numbers the traces within the job, from 0.
 *
 * The context keeps the first failure; after one, nothing is read or written any more.
 */
#pragma once

#include <sqlite3.h>

#include "core/buf.h"
#include "store/sql.h"
#include "tracecoach/settings.h"

enum tc_row_kind { TC_ROW_JOB, TC_ROW_TRACE, TC_ROW_METRIC, TC_ROW_FINDING, TC_ROW_LOG };

/* The values of rows, in the order of the columns of index.sql. */
enum {
	TC_JOB_PATH,
	TC_JOB_STATE,
	TC_JOB_REASON,
	TC_JOB_PACE,
	TC_JOB_OWNER,
	TC_JOB_REVISION,
	TC_JOB_PRICE,
	TC_JOB_VALUES
};
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
	TC_FINDING_VALUES = 7
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

/* ---- The reader: the jobs of an index as records. */

struct tc_index_reader;

/* Reads the index in db, which must stay open. The caller owns the reader; NULL on failure. */
struct tc_index_reader *tc_index_reader_new(struct tc_ctx *ctx, sqlite3 *db);
void tc_index_reader_free(struct tc_index_reader *reader); /* NULL is fine */

/* The id of the job with a path, or -1; -1 also on failure. */
int64_t tc_index_reader_find(struct tc_index_reader *reader, struct tc_text path);
/* Appends the rows of a job; with only_keys, just those of the job and its traces. */
void tc_index_reader_get(
	struct tc_buf *record, struct tc_index_reader *reader, int64_t job_id, bool only_keys);

/* Appends the name, without an end, of the files beside an index that a batch keeps of the job with
 * that path: PATH, or "root" for the root. A directory that is called like such a file gets a mark.
 */
void tc_index_append_kept(struct tc_buf *name, struct tc_text job);

/* ---- The writer: an index of records. Jobs come in the order of their paths and get ids in that
 * order, so the same records make the same file. The file appears under its name only when it is
 * complete. */

struct tc_index_writer;

/* The row of the table batch. */
struct tc_index_facts {
	const char *program_version, *root;
	int64_t settings_hash;
	int64_t shard, shard_count; /* a count of 0: the index has all jobs */
};

/* Starts an index that will be at path. TC_ERR_USAGE when a file of another kind is there. The
 * caller owns the writer: publish or discard it. NULL on failure. */
struct tc_index_writer *tc_index_writer_open(
	struct tc_ctx *ctx, const char *path, const struct tc_index_facts *facts);

/* Fills the tables metric and heuristic from the program or from another index. */
void tc_index_writer_names(struct tc_index_writer *writer, const struct tc_settings *settings);
void tc_index_writer_copy_names(struct tc_index_writer *writer, sqlite3 *index);

/* Adds a job. TC_ERR_INTERNAL when the bytes are not a record. */
void tc_index_writer_add(struct tc_index_writer *writer, struct tc_text record);
/* Adds a row of left_out, unless the path has one already. */
void tc_index_writer_leave_out(
	struct tc_index_writer *writer, const char *path, const char *reason);

/* Gives the file its name, unless something has failed. The writer is freed, also on failure. */
void tc_index_writer_publish(struct tc_index_writer *writer);
