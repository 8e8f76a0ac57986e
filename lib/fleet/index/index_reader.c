#include "fleet/index/index_reader.h"

#include "core/alloc.h"
#include "core/context.h"
#include "report/view/rows.h"

/* Queries by the kind of their rows; the last one finds a job. Traces are numbered from the first
 * of the job. A job without traces has no such number, and needs none. */
enum { FIND_JOB = TC_ROW_LOG + 1, QUERY_COUNT };

static const struct {
	const char *sql;
	size_t count; /* columns that are values of the row */
} queries[QUERY_COUNT] = {
	[TC_ROW_JOB] = {"SELECT path, state, reason, pace_trace_id -"
			" (SELECT min(id) FROM trace WHERE job_id = ?1) FROM job WHERE id = ?1",
		TC_JOB_VALUES},
	[TC_ROW_TRACE] = {"SELECT path, size_bytes, mtime_ns, content_hash, side_hash, state,"
			  " reason, format, vendor, device_name, rank, world_size, group_trace_id -"
			  " (SELECT min(id) FROM trace WHERE job_id = ?1), start_ns, end_ns,"
			  " event_count, read_bytes, is_judged, blind_count, fault_count, id"
			  " FROM trace WHERE job_id = ?1 ORDER BY id",
		TC_TRACE_VALUES},
	[TC_ROW_METRIC] = {"SELECT s.metric_id, coalesce(r.value, 0) FROM trace t"
			   " JOIN metric_set s ON s.id = t.metric_set_id LEFT JOIN run_metric r"
			   " ON r.trace_id = t.id AND r.metric_id = s.metric_id"
			   " WHERE t.id = ?1 ORDER BY s.metric_id",
		TC_METRIC_VALUES},
	[TC_ROW_FINDING] = {"SELECT ord, heuristic_id, severity, confidence, gain_ns, subject"
			    " FROM finding WHERE trace_id = ?1 ORDER BY ord",
		TC_FINDING_VALUES},
	[TC_ROW_LOG] = {"SELECT kind, severity, count, message FROM import_log"
			" WHERE trace_id = ?1 ORDER BY kind, severity",
		TC_LOG_VALUES},
	[FIND_JOB] = {"SELECT id FROM job WHERE path = ?1", 0},
};

struct tc_index_reader {
	struct tc_ctx *ctx;
	struct tc_rows rows[QUERY_COUNT];
};

enum tc_status tc_index_reader_new(struct tc_index_reader **out, struct tc_ctx *ctx, sqlite3 *db)
{
	struct tc_index_reader *reader = tc_calloc(1, sizeof(*reader));

	if (!reader)
		return tc_fail(ctx, TC_ERR_NOMEM, "cannot read the index: out of memory");
	reader->ctx = ctx;
	for (int i = 0; i < QUERY_COUNT; i++)
		reader->rows[i] = tc_rows_prepare(ctx, db, queries[i].sql);
	if (tc_ctx_failed(ctx))
		tc_index_reader_free(reader);
	else
		*out = reader;
	return tc_ctx_status(ctx);
}

void tc_index_reader_free(struct tc_index_reader *reader)
{
	for (int i = 0; reader && i < QUERY_COUNT; i++)
		tc_rows_close(&reader->rows[i]);
	tc_free(reader);
}

/* Appends the next row of a query; false at its end. */
static bool add_row(struct tc_buf *record, struct tc_index_reader *reader, enum tc_row_kind kind)
{
	struct tc_sql_value values[TC_TRACE_VALUES];
	bool has_row = tc_rows_next(&reader->rows[kind]);

	for (size_t i = 0; has_row && i < queries[kind].count; i++)
		values[i] = tc_sql_column(reader->rows[kind].stmt, (int)i);
	if (has_row)
		tc_record_add(record, kind, values, queries[kind].count);
	return has_row;
}

int64_t tc_index_reader_find(struct tc_index_reader *reader, struct tc_text path)
{
	struct tc_rows *rows = &reader->rows[FIND_JOB];

	tc_rows_bind_text(rows, 1, path);
	int64_t id = tc_rows_next(rows) ? tc_rows_int(rows, 0) : -1;
	sqlite3_reset(rows->stmt);
	return id;
}

enum tc_status tc_index_reader_get(
	struct tc_buf *record, struct tc_index_reader *reader, int64_t job_id, bool only_keys)
{
	struct tc_rows *rows = reader->rows, *traces = &rows[TC_ROW_TRACE];

	tc_rows_again(&rows[TC_ROW_JOB], job_id);
	add_row(record, reader, TC_ROW_JOB);
	tc_rows_again(traces, job_id);
	while (add_row(record, reader, TC_ROW_TRACE))
		for (int kind = TC_ROW_METRIC; kind <= TC_ROW_LOG && !only_keys; kind++) {
			tc_rows_again(&rows[kind], tc_rows_int(traces, TC_TRACE_VALUES));
			while (add_row(record, reader, (enum tc_row_kind)kind))
				;
		}
	sqlite3_reset(rows[TC_ROW_JOB].stmt);
	if (tc_buf_failed(record))
		tc_no_memory(reader->ctx);
	return tc_ctx_status(reader->ctx);
}
