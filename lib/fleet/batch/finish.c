/* The end of a batch: the index of all its jobs, in the order of their paths. */
#include "fleet/batch/state.h"
#include "core/context.h"
#include "report/view/rows.h"
#include "store/connection.h"

/* Writes a record again with the times that the files have now. */
static void add_touched(struct tc_buf *out, const struct tc_found_job *found, struct tc_text record)
{
	struct tc_row row;
	size_t trace = 0;

	while (tc_record_next(&row, &record)) {
		if (row.kind == TC_ROW_TRACE)
			row.values[TC_TRACE_MTIME] = tc_sql_int(found->traces[trace++].mtime_ns);
		tc_record_add(out, row.kind, row.values, row.count);
	}
}

static enum tc_status get_record(struct tc_buf *record, struct tc_fleet *batch, size_t job)
{
	const struct tc_fleet_job *known = &batch->jobs[job];

	tc_buf_reset(record);
	return known->source == TC_FLEET_OLD
		       ? tc_index_reader_get(record, batch->reader, known->place, false)
		       : tc_record_log_read(record, batch->log, known->place);
}

static void write_job(struct tc_index_writer *writer, struct tc_fleet *batch, size_t job)
{
	struct tc_buf record = TC_BUF_EMPTY, touched = TC_BUF_EMPTY;
	const bool is_touched = batch->jobs[job].touched;

	if (get_record(&record, batch, job) == TC_OK) {
		if (is_touched)
			add_touched(&touched, &batch->found->jobs[job], tc_buf_text(&record));
		if (tc_buf_failed(&touched))
			tc_no_memory(batch->ctx);
		else
			tc_index_writer_add(writer, tc_buf_text(is_touched ? &touched : &record));
	}
	tc_buf_clear(&record);
	tc_buf_clear(&touched);
}

static void write_all(struct tc_index_writer *writer, struct tc_fleet *batch)
{
	const struct tc_found *found = batch->found;

	tc_index_writer_names(writer, batch->options.settings);
	for (size_t i = 0; i < found->job_count && !tc_ctx_failed(batch->ctx); i++) {
		/* An interrupt stops a running statement, but not the loop. */
		if (tc_ctx_interrupted(batch->ctx))
			tc_fail(batch->ctx, TC_ERR_INTERRUPTED, "interrupted");
		else
			write_job(writer, batch, i);
	}
	for (size_t i = 0; i < found->left_out_count; i++)
		tc_index_writer_leave_out(
			writer, found->left_out[i].path, found->left_out[i].reason);
}

static bool is_same_left_out(struct tc_fleet *batch, sqlite3 *db)
{
	const struct tc_found_reason *left_out = batch->found->left_out;
	size_t count = batch->found->left_out_count, at = 0;
	struct tc_rows row =
		tc_rows_open(batch->ctx, db, "SELECT path, reason FROM left_out ORDER BY path");

	while (at < count && tc_rows_next(&row) &&
		tc_text_equal(tc_rows_text(&row, 0), tc_text_from(left_out[at].path)) &&
		tc_text_equal(tc_rows_text(&row, 1), tc_text_from(left_out[at].reason)))
		at++;
	bool is_same = at == count && !tc_rows_next(&row);
	tc_rows_close(&row);
	return is_same;
}

/* Whether the new index would equal the old one. */
static bool is_up_to_date(struct tc_fleet *batch)
{
	const struct tc_found *found = batch->found;

	for (size_t i = 0; i < found->job_count; i++)
		if (batch->jobs[i].source != TC_FLEET_OLD || batch->jobs[i].touched)
			return false;
	if (!batch->old)
		return false;
	sqlite3 *db = tc_store_db(batch->old);
	struct tc_rows row = tc_rows_open(
		batch->ctx, db, "SELECT (SELECT count(*) FROM job) FROM batch WHERE root = ?1");
	tc_rows_bind_text(&row, 1, tc_text_from(found->root));
	bool is_same = tc_rows_next(&row) && (size_t)tc_rows_int(&row, 0) == found->job_count;
	tc_rows_close(&row);
	return is_same && is_same_left_out(batch, db);
}

static enum tc_status check_all_read(const struct tc_fleet *batch)
{
	for (size_t i = 0; i < batch->found->job_count; i++)
		if (batch->jobs[i].source < TC_FLEET_OLD)
			return tc_fail(batch->ctx, TC_ERR_USAGE, "%s has not been read",
				batch->found->jobs[i].path);
	return TC_OK;
}

enum tc_status tc_fleet_finish(struct tc_fleet *batch)
{
	struct tc_index_writer *writer = NULL;
	enum tc_status status = check_all_read(batch);

	if (!status && !is_up_to_date(batch) && !(status = tc_ctx_status(batch->ctx))) {
		status =
			tc_index_writer_open(&writer, batch->ctx, batch->index_path, &batch->facts);
		if (!status) {
			write_all(writer, batch);
			status = tc_index_writer_publish(writer);
		}
	}
	batch->is_published = status == TC_OK;
	return status;
}
