/* A section of the details; see screen.h. */
#include "report/screen/screen.h"

#include "core/array.h"
#include "report/text/format.h"
#include "report/view/parts.h"
#include "store/sql.h"

/* Kinds: n time, p percent, c count, b bytes, t text or name, e engine or role, w the phrase for a
 * cause of gap. */
static void put_cell(struct tc_doc *doc, char kind, const struct tc_view *view,
	const struct tc_rows *row, int column)
{
	if (tc_rows_null(row, column)) {
		tc_doc_cell_string(doc, "-");
		return;
	}
	switch (kind) {
	case 'n': tc_doc_cell_ns(doc, tc_rows_int(row, column)); break;
	case 'p': tc_doc_cell_pct(doc, tc_rows_real(row, column)); break;
	case 'b': tc_doc_cell_bytes(doc, tc_rows_int(row, column)); break;
	case 'c': tc_doc_cell_count(doc, tc_rows_int(row, column)); break;
	case 'e': tc_doc_cell_text(doc, tc_part_title(tc_rows_text(row, column))); break;
	case 'w': tc_doc_cell_text(doc, tc_cause_phrase(tc_rows_text(row, column))); break;
	default: tc_names_append(view->names, tc_doc_cell(doc), tc_rows_text(row, column));
	}
}

void tc_put_section(
	struct tc_job *job, const struct tc_view *view, const struct tc_section *section)
{
	int count = 0;

	if (section->is_costly && !job->options.details)
		return;
	tc_doc_heading(&job->doc, section->heading);
	tc_doc_table(&job->doc, section->titles);
	struct tc_rows rows = TC_ROWS(
		job->ctx, job->db, section->sql, view->id, job->options.step, job->options.top + 1);
	while (tc_rows_next(&rows) && count++ < job->options.top)
		for (int c = 0; section->titles[c]; c++)
			put_cell(&job->doc, section->cells[c], view, &rows, c);
	if (count > job->options.top)
		tc_buf_format(tc_doc_paragraph(&job->doc),
			tc_job_is_page(job) ? "the first %d only"
					    : "the first %d only; --top %lld shows more",
			job->options.top, 10LL * job->options.top);
	if (section->note)
		section->note(job, view);
	tc_rows_close(&rows);
}

/* Each of these views goes through the slices or events of all traces. */
static const char *const costly_views[] = {"kernel_occupancy", "step_utilisation", "stream_idle",
	"stream_queue", "memory_at_peak", "memory_kept", "memory_operator", "memory_step"};

/* A temporary table of the same name hides the view in the statements of this connection. */
void tc_keep_costly(struct tc_job *job)
{
	if (!job->options.details || job->options.rank >= 0)
		return;
	int64_t traces = tc_rows_single(job->ctx, job->db, "SELECT count(*) FROM trace", 0);
	for (size_t i = 0; i < TC_COUNT_OF(costly_views) && traces > 1; i++) {
		struct tc_buf sql = TC_BUF_EMPTY;
		tc_buf_format(&sql, "CREATE TEMP TABLE IF NOT EXISTS %s AS SELECT * FROM main.%s",
			costly_views[i], costly_views[i]);
		tc_sql_run(job->ctx, job->db, tc_buf_string(&sql), NULL, 0);
		tc_buf_clear(&sql);
	}
}
