/* Sections as tables and as arrays; see section.h. */
#include "report/sections/section.h"

#include <string.h>

#include "core/array.h"
#include "report/text/format.h"
#include "report/view/parts.h"
#include "store/connection.h"
#include "store/sql.h"

static void show_ns(sqlite3_context *context, int count, sqlite3_value **values)
{
	struct tc_shown shown = tc_show_ns(sqlite3_value_int64(values[0]));

	(void)count;
	sqlite3_result_text(context, shown.text, -1, SQLITE_TRANSIENT);
}

enum tc_status tc_sections_add_functions(struct tc_ctx *ctx, sqlite3 *db)
{
	const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC;
	int code = sqlite3_create_function(db, "show_ns", 1, flags, NULL, show_ns, NULL, NULL);

	return code == SQLITE_OK ? TC_OK : tc_store_fail(ctx, db, "add a function for the report");
}

/* None after a failure. */
static const struct tc_sections *sections_of(struct tc_job *job)
{
	static const struct tc_sections none;

	if (!job->sections && !tc_ctx_failed(job->ctx))
		tc_sections_new(&job->sections, job->ctx);
	return job->sections ? job->sections : &none;
}

static void put_cell(struct tc_doc *doc, enum tc_section_unit unit, const struct tc_view *view,
	const struct tc_rows *row, int column)
{
	if (tc_rows_null(row, column)) {
		tc_doc_cell_string(doc, "-");
		return;
	}
	switch (unit) {
	case TC_SECTION_NS: tc_doc_cell_ns(doc, tc_rows_int(row, column)); break;
	case TC_SECTION_PCT: tc_doc_cell_pct(doc, tc_rows_real(row, column)); break;
	case TC_SECTION_BYTES: tc_doc_cell_bytes(doc, tc_rows_int(row, column)); break;
	case TC_SECTION_COUNT: tc_doc_cell_count(doc, tc_rows_int(row, column)); break;
	case TC_SECTION_PART:
		tc_doc_cell_text(doc, tc_part_title(tc_rows_text(row, column)));
		break;
	case TC_SECTION_CAUSE:
		tc_doc_cell_text(doc, tc_cause_phrase(tc_rows_text(row, column)));
		break;
	case TC_SECTION_NAME:
		tc_names_append(view->names, tc_doc_cell(doc), tc_rows_text(row, column));
		break;
	}
}

static void put_note(
	struct tc_job *job, const struct tc_section *section, const struct tc_query_place *place)
{
	struct tc_rows rows = tc_job_rows(job, section->note, place);

	while (tc_rows_next(&rows))
		tc_buf_append_text(section->note_column < 0
					   ? tc_doc_paragraph(&job->doc)
					   : tc_doc_column_note(&job->doc, section->note_column),
			tc_rows_text(&rows, 0));
}

static void put_section(
	struct tc_job *job, const struct tc_view *view, const struct tc_section *section)
{
	const struct tc_query_place place = {.trace_id = view->id};
	int count = 0;

	tc_doc_heading(&job->doc, section->title);
	tc_doc_table(&job->doc, section->titles);
	struct tc_rows rows = tc_job_rows(job, section->rows, &place);
	while (tc_rows_next(&rows) && count++ < job->options.top)
		for (int c = 0; c < section->column_count; c++)
			put_cell(&job->doc, section->units[c], view, &rows, c);
	tc_rows_close(&rows);
	if (count > job->options.top)
		tc_buf_format(tc_doc_paragraph(&job->doc),
			tc_job_is_page(job) ? "the first %d only"
					    : "the first %d only; --top %lld shows more",
			job->options.top, 10LL * job->options.top);
	if (section->note)
		put_note(job, section, &place);
}

void tc_put_sections(struct tc_job *job, const struct tc_view *view, const char *page)
{
	const struct tc_sections *sections = sections_of(job);

	for (size_t i = 0; i < sections->count; i++) {
		const struct tc_section *section = sections->by_place[i];
		if (section->page && strcmp(section->page, page) == 0 &&
			!(section->hides_in_step && job->options.step >= 0) &&
			!(section->is_costly_text && !job->options.details))
			put_section(job, view, section);
	}
}

/* A temporary table of the same name hides the view in the statements of this connection. */
void tc_keep_costly(struct tc_job *job)
{
	if (!job->options.details || job->options.rank >= 0)
		return;
	int64_t traces = tc_rows_single(job->ctx, job->db, "SELECT count(*) FROM trace", 0);
	const struct tc_sections *sections = sections_of(job);
	for (size_t i = 0; i < sections->count && traces > 1; i++) {
		const char *view = sections->all[i].keep;
		struct tc_buf sql = TC_BUF_EMPTY;
		tc_buf_format(&sql, "CREATE TEMP TABLE IF NOT EXISTS %s AS SELECT * FROM main.%s",
			view, view);
		if (view)
			tc_sql_run(job->ctx, job->db, tc_buf_string(&sql), NULL, 0);
		tc_buf_clear(&sql);
	}
}

static bool is_group(const char *group, const char *other)
{
	return group && other && strcmp(group, other) == 0;
}

/* Arrays of one group follow each other: they are members of one object, which is null where they
 * are not asked for. */
void tc_json_sections(struct tc_json *json, struct tc_job *job, enum tc_section_scope scope,
	const struct tc_query_place *place)
{
	const struct tc_sections *sections = sections_of(job);
	const char *group = NULL;
	bool is_open = false;

	for (size_t i = 0; i < sections->count; i++) {
		const struct tc_section *section = sections->by_json_place[i];
		if (!section->key || section->scope != scope)
			continue;
		bool is_hidden = section->is_costly_json && !job->options.details;
		if (!is_group(section->group, group)) {
			if (is_open)
				tc_json_end(json);
			group = section->group;
			is_open = group && !is_hidden;
			if (is_open)
				tc_json_object(json, group);
			else if (group)
				tc_json_null(json, group);
		}
		if (!is_hidden)
			tc_json_query(json, job, section->key, section->json, place);
	}
	if (is_open)
		tc_json_end(json);
}
