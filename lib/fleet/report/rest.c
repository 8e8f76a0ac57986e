/* The part of the document on jobs that could not be judged, were damaged or left out, with the
 * reasons. */
#include "fleet/report/formats.h"
#include "core/array.h"
#include "report/view/rows.h"
#include "store/connection.h"

/* Each query returns a path and a reason, which may be NULL. */
static const struct {
	const char *noun, *what, *sql;
} kinds[] = {
	{"job", "could not be read",
		"SELECT path, reason FROM job WHERE state = 'failed' ORDER BY path"},
	{"trace", "could not be read",
		"SELECT path, reason FROM trace WHERE state <> 'done' ORDER BY path"},
	{"place", "could not be looked into", "SELECT path, reason FROM left_out ORDER BY path"},
	{"trace", "with lost or impossible data",
		"SELECT t.path, min(l.message) FROM import_log l JOIN trace t ON t.id = l.trace_id"
		" GROUP BY t.id ORDER BY t.path"},
	{"trace", "in which a heuristic failed",
		"SELECT path, NULL FROM trace WHERE fault_count > 0 ORDER BY path"},
	{"job", "without device work",
		"SELECT j.path, NULL FROM job j WHERE j.pace_trace_id IS NOT NULL AND NOT EXISTS"
		" (SELECT 1 FROM trace_metric m WHERE m.trace_id = j.pace_trace_id"
		"  AND m.name = 'has_device' AND m.value <> 0) ORDER BY j.path"},
	{"job", "whose trace shows too little for a verdict",
		"SELECT j.path, NULL FROM job j JOIN trace t ON t.id = j.pace_trace_id"
		" WHERE t.is_judged = 0 AND EXISTS"
		" (SELECT 1 FROM trace_metric m WHERE m.trace_id = j.pace_trace_id"
		"  AND m.name = 'has_device' AND m.value <> 0) ORDER BY j.path"},
	{"job", "without steps",
		"SELECT j.path, NULL FROM job j WHERE j.pace_trace_id IS NOT NULL AND NOT EXISTS"
		" (SELECT 1 FROM trace_metric m WHERE m.trace_id = j.pace_trace_id"
		"  AND m.name = 'step_count' AND m.value > 0) ORDER BY j.path"},
};

static void append_place(struct tc_buf *text, const struct tc_rows *rows)
{
	tc_buf_append_text(text, tc_rows_text(rows, 0));
	if (tc_rows_null(rows, 1))
		return;
	TC_APPEND(text, TC_TEXT(" ("), tc_rows_text(rows, 1), TC_TEXT(")"));
}

/* A row: the number of jobs of the kind, and the first of them. */
static void put_kind(struct tc_doc *doc, const struct tc_fleet *fleet, size_t kind)
{
	struct tc_buf first = TC_BUF_EMPTY;
	int64_t count = 0;
	struct tc_rows rows = tc_rows_open(
		fleet->ctx, tc_store_db(fleet->sides[TC_AFTER].index), kinds[kind].sql);

	for (; tc_rows_next(&rows); count++)
		if (count == 0)
			append_place(&first, &rows);
	if (count > 0) {
		tc_doc_cell_count(doc, count);
		tc_buf_format(tc_doc_cell(doc), "%s%s %s", kinds[kind].noun, count == 1 ? "" : "s",
			kinds[kind].what);
		tc_doc_cell(doc);
		tc_doc_take(doc, &first);
	}
	tc_buf_clear(&first);
}

/* Lists all of them, with --details. */
static void list_kind(struct tc_doc *doc, const struct tc_fleet *fleet, size_t kind)
{
	struct tc_rows rows = tc_rows_open(
		fleet->ctx, tc_store_db(fleet->sides[TC_AFTER].index), kinds[kind].sql);

	for (bool is_first = true; tc_rows_next(&rows); is_first = false) {
		if (is_first)
			tc_buf_format(tc_doc_paragraph(doc), "Each %s %s:", kinds[kind].noun,
				kinds[kind].what);
		append_place(tc_doc_item(doc, "-"), &rows);
	}
}

void tc_fleet_put_rest(struct tc_doc *doc, struct tc_fleet *fleet)
{
	static const char *const columns[] = {"", "<", "<", NULL};
	const size_t count = TC_COUNT_OF(kinds);

	tc_doc_heading(doc, "Left out, damaged, or not to be judged");
	tc_doc_table(doc, columns);
	for (size_t i = 0; i < count; i++)
		put_kind(doc, fleet, i);
	tc_doc_fold(doc, "each of them");
	for (size_t i = 0; i < count; i++)
		list_kind(doc, fleet, i);
	tc_doc_fold_end(doc);
}
