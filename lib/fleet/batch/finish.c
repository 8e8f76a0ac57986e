/* The end of a batch: the index of all its jobs, in the order of their paths. */
#include "fleet/batch/state.h"
#include "core/context.h"
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

static enum tc_status write_job(struct tc_index_writer *writer, struct tc_fleet *batch, size_t job)
{
	struct tc_buf record = TC_BUF_EMPTY, touched = TC_BUF_EMPTY;
	enum tc_status status = get_record(&record, batch, job);

	if (!status && batch->jobs[job].touched) {
		add_touched(&touched, &batch->found->jobs[job], tc_buf_text(&record));
		if (tc_buf_failed(&touched))
			status = tc_no_memory(batch->ctx);
	}
	if (!status)
		status = tc_index_writer_add(
			writer, tc_buf_text(batch->jobs[job].touched ? &touched : &record));
	tc_buf_clear(&record);
	tc_buf_clear(&touched);
	return status;
}

static enum tc_status write_all(struct tc_index_writer *writer, struct tc_fleet *batch)
{
	const struct tc_found *found = batch->found;
	enum tc_status status = tc_index_writer_names(writer, batch->options.settings);

	for (size_t i = 0; i < found->job_count && !status; i++) {
		/* An interrupt stops a running statement, but not the loop. */
		if (tc_ctx_interrupted(batch->ctx))
			status = tc_fail(batch->ctx, TC_ERR_INTERRUPTED, "interrupted");
		else
			status = write_job(writer, batch, i);
	}
	for (size_t i = 0; i < found->left_out_count && !status; i++)
		status = tc_index_writer_leave_out(
			writer, found->left_out[i].path, found->left_out[i].reason);
	return status;
}

struct comparison {
	const struct tc_found *found;
	size_t next;
	bool same;
};

static enum tc_status compare_left_out(void *user, sqlite3_stmt *row)
{
	struct comparison *comparison = user;
	const struct tc_found_reason *reason = &comparison->found->left_out[comparison->next];

	comparison->same = comparison->same &&
			   comparison->next < comparison->found->left_out_count &&
			   tc_text_equal(tc_sql_column(row, 0).text, tc_text_from(reason->path)) &&
			   tc_text_equal(tc_sql_column(row, 1).text, tc_text_from(reason->reason));
	comparison->next++;
	return TC_OK;
}

/* Whether the new index would equal the old one. */
static enum tc_status is_up_to_date(bool *out, struct tc_fleet *batch)
{
	const struct tc_found *found = batch->found;
	struct comparison comparison = {found, 0, true};
	int64_t count = 0;
	bool has_count = false;

	*out = batch->old != NULL;
	for (size_t i = 0; i < found->job_count && *out; i++)
		*out = batch->jobs[i].source == TC_FLEET_OLD && !batch->jobs[i].touched;
	if (!*out)
		return TC_OK;
	sqlite3 *db = tc_store_db(batch->old);
	enum tc_status status =
		tc_sql_lookup(&count, &has_count, batch->ctx, db, "SELECT count(*) FROM job", NULL);
	if (!status)
		status = tc_sql_each(batch->ctx, db,
			"SELECT path, reason FROM left_out ORDER BY path", NULL, compare_left_out,
			&comparison);
	const struct tc_sql_value root = tc_sql_string(found->root);
	bool same_root = false;
	if (!status)
		status = tc_sql_lookup(&(int64_t){0}, &same_root, batch->ctx, db,
			"SELECT 1 FROM batch WHERE root = ?1", &root);
	*out = (size_t)count == found->job_count && same_root && comparison.same &&
	       comparison.next == found->left_out_count;
	return status;
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
	bool up_to_date = false;
	enum tc_status status = check_all_read(batch);

	if (!status)
		status = is_up_to_date(&up_to_date, batch);
	if (!status && !up_to_date) {
		status =
			tc_index_writer_open(&writer, batch->ctx, batch->index_path, &batch->facts);
		if (!status)
			status = write_all(writer, batch);
		if (!status)
			status = tc_index_writer_publish(writer);
		else
			tc_index_writer_discard(writer);
	}
	batch->is_published = status == TC_OK;
	return status;
}
