#include "report/view/view.h"

#include "report/text/format.h"
#include "report/view/rows.h"

/* Rows that a reader will look at; the table in the store has all of them. */
#define REASON_ROWS 20

const char tc_left_out_sql[] = "SELECT path, reason FROM left_out ORDER BY id";

void tc_left_out_append(struct tc_buf *text, struct tc_ctx *ctx, sqlite3 *db)
{
	struct tc_rows rows = tc_rows_open(ctx, db,
		"SELECT (SELECT count(*) FROM left_out),"
		" (SELECT count(*) FROM left_out) + (SELECT count(*) FROM trace)"
		" + (SELECT count(*) FROM side_file WHERE origin = 'given')");

	if (tc_rows_next(&rows) && tc_rows_int(&rows, 0) > 0)
		tc_buf_format(text, "%s of %s inputs %s left out",
			tc_show_count(tc_rows_int(&rows, 0)).text,
			tc_show_count(tc_rows_int(&rows, 1)).text,
			tc_rows_int(&rows, 0) == 1 ? "was" : "were");
	tc_rows_close(&rows);
}

void tc_left_out_put(struct tc_job *job)
{
	struct tc_buf line = TC_BUF_EMPTY;
	int64_t count = 0;

	tc_left_out_append(&line, job->ctx, job->db);
	if (line.len > 0)
		tc_buf_append_string(&line, "; this report has nothing from them:");
	tc_doc_paragraph(&job->doc);
	tc_doc_take(&job->doc, &line);
	struct tc_rows rows = tc_rows_open(job->ctx, job->db, tc_left_out_sql);
	for (; tc_rows_next(&rows); count++)
		if (count < REASON_ROWS)
			tc_buf_append_text(tc_doc_item(&job->doc, "-"), tc_rows_text(&rows, 1));
	if (count > REASON_ROWS) {
		struct tc_buf *more = tc_doc_item(&job->doc, "-");
		tc_buf_format(more, "and %s more: table left_out",
			tc_show_count(count - REASON_ROWS).text);
	}
	if (count > 0)
		tc_job_write(job);
	tc_doc_clear(&job->doc);
}
