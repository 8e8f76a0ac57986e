/* See index_reader.h. */
#include "fleet/index/index_reader.h"

#include "core/alloc.h"
#include "core/context.h"
#include "store/connection.h"

enum { FIND_JOB, GET_JOB, GET_TRACES, GET_METRICS, GET_FINDINGS, GET_LOG, QUERY_COUNT };

/* Traces are numbered from the first of the job. A job without traces has no such number, and needs
 * none. */
static const char *const queries[QUERY_COUNT] = {
	[FIND_JOB] = "SELECT id FROM job WHERE path = ?1",
	[GET_JOB] = "SELECT path, state, reason, pace_trace_id -"
		    " (SELECT min(id) FROM trace WHERE job_id = ?1) FROM job WHERE id = ?1",
	[GET_TRACES] = "SELECT path, size_bytes, mtime_ns, content_hash, side_hash, state, reason,"
		       " format, vendor, device_name, rank, world_size, group_trace_id -"
		       " (SELECT min(id) FROM trace WHERE job_id = ?1), start_ns, end_ns,"
		       " event_count, read_bytes, blind_count, fault_count, id"
		       " FROM trace WHERE job_id = ?1 ORDER BY id",
	[GET_METRICS] = "SELECT s.metric_id, coalesce(r.value, 0) FROM trace t"
			" JOIN metric_set s ON s.id = t.metric_set_id"
			" LEFT JOIN run_metric r ON r.trace_id = t.id AND r.metric_id = s.metric_id"
			" WHERE t.id = ?1 ORDER BY s.metric_id",
	[GET_FINDINGS] = "SELECT ord, heuristic_id, severity, confidence, gain_ns, subject"
			 " FROM finding WHERE trace_id = ?1 ORDER BY ord",
	[GET_LOG] = "SELECT kind, severity, count, message FROM import_log WHERE trace_id = ?1"
		    " ORDER BY kind, severity",
};

struct tc_index_reader {
	struct tc_ctx *ctx;
	sqlite3 *db;
	sqlite3_stmt *statements[QUERY_COUNT];
};

enum tc_status tc_index_reader_new(struct tc_index_reader **out, struct tc_ctx *ctx, sqlite3 *db)
{
	struct tc_index_reader *reader = tc_calloc(1, sizeof(*reader));
	enum tc_status status = TC_OK;

	if (!reader)
		return tc_fail(ctx, TC_ERR_NOMEM, "cannot read the index: out of memory");
	reader->ctx = ctx;
	reader->db = db;
	for (int i = 0; i < QUERY_COUNT && !status; i++)
		status = tc_sql_prepare(&reader->statements[i], ctx, db, queries[i]);
	if (status)
		tc_index_reader_free(reader);
	else
		*out = reader;
	return status;
}

void tc_index_reader_free(struct tc_index_reader *reader)
{
	if (!reader)
		return;
	for (int i = 0; i < QUERY_COUNT; i++)
		sqlite3_finalize(reader->statements[i]);
	tc_free(reader);
}

/* Runs a query for an id; with *has_row the statement is at its first row. */
static enum tc_status step(bool *has_row, struct tc_index_reader *reader, int query)
{
	int code = sqlite3_step(reader->statements[query]);

	*has_row = code == SQLITE_ROW;
	if (code == SQLITE_ROW || code == SQLITE_DONE)
		return TC_OK;
	return tc_store_fail(reader->ctx, reader->db, "read the index");
}

/* Appends the first count columns of each row of a query for an id. */
static enum tc_status add_rows(struct tc_buf *record, struct tc_index_reader *reader, int query,
	int64_t id, enum tc_row_kind kind, size_t count)
{
	sqlite3_stmt *statement = reader->statements[query];
	struct tc_sql_value values[TC_TRACE_VALUES];
	bool has_row;

	sqlite3_bind_int64(statement, 1, id);
	enum tc_status status = step(&has_row, reader, query);
	while (!status && has_row) {
		for (size_t i = 0; i < count; i++)
			values[i] = tc_sql_column(statement, (int)i);
		tc_record_add(record, kind, values, count);
		status = step(&has_row, reader, query);
	}
	sqlite3_reset(statement);
	return status;
}

static enum tc_status add_below(
	struct tc_buf *record, struct tc_index_reader *reader, int64_t trace)
{
	enum tc_status status =
		add_rows(record, reader, GET_METRICS, trace, TC_ROW_METRIC, TC_METRIC_VALUES);

	if (!status)
		status = add_rows(
			record, reader, GET_FINDINGS, trace, TC_ROW_FINDING, TC_FINDING_VALUES);
	return status ? status
		      : add_rows(record, reader, GET_LOG, trace, TC_ROW_LOG, TC_LOG_VALUES);
}

static enum tc_status add_traces(
	struct tc_buf *record, struct tc_index_reader *reader, int64_t job, bool only_keys)
{
	sqlite3_stmt *statement = reader->statements[GET_TRACES];
	struct tc_sql_value values[TC_TRACE_VALUES];
	bool has_row;

	sqlite3_bind_int64(statement, 1, job);
	enum tc_status status = step(&has_row, reader, GET_TRACES);
	while (!status && has_row) {
		for (int i = 0; i < TC_TRACE_VALUES; i++)
			values[i] = tc_sql_column(statement, i);
		tc_record_add(record, TC_ROW_TRACE, values, TC_TRACE_VALUES);
		if (!only_keys)
			status = add_below(
				record, reader, sqlite3_column_int64(statement, TC_TRACE_VALUES));
		if (!status)
			status = step(&has_row, reader, GET_TRACES);
	}
	sqlite3_reset(statement);
	return status;
}

enum tc_status tc_index_reader_find(
	int64_t *id, struct tc_index_reader *reader, struct tc_text path)
{
	sqlite3_stmt *statement = reader->statements[FIND_JOB];
	bool has_row;

	sqlite3_bind_text64(statement, 1, path.ptr, path.len, SQLITE_STATIC, SQLITE_UTF8);
	enum tc_status status = step(&has_row, reader, FIND_JOB);
	*id = !status && has_row ? sqlite3_column_int64(statement, 0) : -1;
	sqlite3_reset(statement);
	sqlite3_clear_bindings(statement);
	return status;
}

enum tc_status tc_index_reader_get(
	struct tc_buf *record, struct tc_index_reader *reader, int64_t job_id, bool only_keys)
{
	enum tc_status status =
		add_rows(record, reader, GET_JOB, job_id, TC_ROW_JOB, TC_JOB_VALUES);

	if (!status)
		status = add_traces(record, reader, job_id, only_keys);
	if (!status && tc_buf_failed(record))
		status = tc_no_memory(reader->ctx);
	return status;
}
