/* See left_out.h. */
#include "report/left_out.h"

#include "report/format.h"
#include "report/markdown/markdown.h"
#include "report/rows.h"
#include "report/text/text.h"

/* Reasons that a reader will look at; the table has them all. */
#define REASON_ROWS 20

const char tc_left_out_sql[] = "SELECT path, reason FROM left_out ORDER BY id";

enum tc_status tc_left_out_append(struct tc_buf *text, struct tc_ctx *ctx, sqlite3 *db)
{
	struct tc_rows rows;

	tc_rows_open(&rows, ctx, db,
		"SELECT (SELECT count(*) FROM left_out),"
		" (SELECT count(*) FROM left_out) + (SELECT count(*) FROM trace)"
		" + (SELECT count(*) FROM side_file WHERE origin = 'given')");
	if (tc_rows_next(&rows) && tc_rows_int(&rows, 0) > 0) {
		tc_format_count(text, tc_rows_int(&rows, 0));
		tc_buf_append_string(text, " of ");
		tc_format_count(text, tc_rows_int(&rows, 1));
		tc_buf_format(
			text, " inputs %s left out", tc_rows_int(&rows, 0) == 1 ? "was" : "were");
	}
	return tc_rows_close(&rows);
}

typedef void (*put_fn)(struct tc_job *job, const char *label, struct tc_buf *line);

static void put_text(struct tc_job *job, const char *label, struct tc_buf *line)
{
	tc_put_line(job, label, label ? 4 : 0, line);
}

static void put_markdown(struct tc_job *job, const char *label, struct tc_buf *line)
{
	tc_sink_put(&job->sink, label ? label : "");
	tc_put_markdown(job, tc_buf_text(line));
	tc_sink_put(&job->sink, label ? "\n" : "\n\n");
	job->sink.buf.failed |= tc_buf_failed(line);
	tc_buf_clear(line);
}

static enum tc_status put_reasons(struct tc_job *job, put_fn put)
{
	struct tc_buf line = TC_BUF_EMPTY;
	struct tc_rows rows;
	int64_t count = 0;

	tc_rows_open(&rows, job->ctx, job->db, tc_left_out_sql);
	for (; tc_rows_next(&rows); count++) {
		if (count >= REASON_ROWS)
			continue;
		tc_buf_append_text(&line, tc_rows_text(&rows, 1));
		put(job, "- ", &line);
	}
	if (count > REASON_ROWS) {
		tc_buf_append_string(&line, "and ");
		tc_format_count(&line, count - REASON_ROWS);
		tc_buf_append_string(&line, " more: table left_out");
		put(job, "- ", &line);
	}
	return tc_rows_close(&rows);
}

static enum tc_status put_all(struct tc_job *job, put_fn put)
{
	struct tc_buf line = TC_BUF_EMPTY;
	enum tc_status status = tc_left_out_append(&line, job->ctx, job->db);

	if (status != TC_OK || line.len == 0) {
		tc_buf_clear(&line);
		return status;
	}
	tc_buf_append_string(&line, "; this report has nothing from them:");
	put(job, NULL, &line);
	status = put_reasons(job, put);
	tc_sink_put(&job->sink, "\n");
	return status;
}

enum tc_status tc_left_out_put_text(struct tc_job *job)
{
	return put_all(job, put_text);
}

enum tc_status tc_left_out_put_markdown(struct tc_job *job)
{
	return put_all(job, put_markdown);
}
