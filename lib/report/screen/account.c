/*
 * The account of a trace: the outcome of every heuristic, what was not recorded, and the import
 * log. A heuristic that found nothing is not the same as one that lacked data, so every outcome
 * comes with its reason.
 */

#include "core/array.h"
#include "report/screen/screen.h"
#include "report/text/format.h"
#include "report/view/view.h"

#define IMPORT_ROWS 10
#define IDS_MAX 12

/* Appends, behind a colon, the ids of all checks of the trace with the outcome and reason of the
 * first; of more than IDS_MAX heuristics that the user left out only their number, for a list does
 * not help. */
static void append_ids(
	struct tc_buf *line, const struct tc_advice *advice, const struct tc_account_row *first)
{
	const struct tc_account_row *check;
	int64_t count = 0;

	for (check = first; check; check = tc_next_check(advice, first->trace_id, check))
		count += tc_check_is_alike(check, first);
	if (first->outcome == TC_OUTCOME_NOT_ASKED && count > IDS_MAX) {
		tc_buf_format(line, ": %s heuristics", tc_show_count(count).text);
		return;
	}
	for (check = first; check; check = tc_next_check(advice, first->trace_id, check))
		if (tc_check_is_alike(check, first))
			tc_buf_format(
				line, "%s%s", check == first ? ": " : ", ", check->heuristic->id);
}

/* Whether an earlier check of the trace has that outcome for that reason. */
static bool is_repeated(const struct tc_advice *advice, const struct tc_account_row *check)
{
	const struct tc_account_row *first = NULL;

	while ((first = tc_next_check(advice, check->trace_id, first)) &&
		!tc_check_is_alike(first, check))
		;
	return first != check;
}

/* "Could not look:", and below it a line for each reason: "no NIC lanes: exposed-communication,
 * ..." */
static void put_reasons(
	struct tc_job *job, int64_t trace_id, enum tc_outcome outcome, const char *label)
{
	if (tc_count_outcome(job->advice, trace_id, outcome) > 0)
		tc_doc_say(&job->doc, label);
	for (const struct tc_account_row *check = NULL;
		(check = tc_next_check(job->advice, trace_id, check));) {
		if (check->outcome != outcome || is_repeated(job->advice, check))
			continue;
		struct tc_buf *line = tc_doc_item(&job->doc, "-");
		tc_doc_set_shrink_order(&job->doc, TC_SHRINK_REST, 0);
		tc_ctx_append_words(line, job->ctx, check->reason ? check->reason : "no reason");
		append_ids(line, job->advice, check);
	}
}

/* Lists what the profiler did not record, so that nobody reads its absence as good news. */
static void put_missing(struct tc_job *job, const struct tc_view *view)
{
	static const struct {
		enum tc_metric id;
		const char *text;
	} capabilities[] = {
		{TC_METRIC_HAS_HOST, "host slices"},
		{TC_METRIC_HAS_DEVICE, "device work"},
		{TC_METRIC_HAS_STEPS, "steps (ProfilerStep#N)"},
		{TC_METRIC_HAS_LAUNCHES, "which host call launched what"},
		{TC_METRIC_HAS_SHAPES, "shapes (record_shapes)"},
		{TC_METRIC_HAS_STACKS, "times of Python frames (with_stack)"},
		{TC_METRIC_HAS_MEMORY, "memory (profile_memory)"},
	};
	struct tc_buf *line = tc_doc_paragraph(&job->doc);
	size_t count = 0;

	if (tc_view_is_other(view))
		return; /* a profile that is not of deep learning has none of these */
	for (size_t i = 0; i < TC_COUNT_OF(capabilities); i++) {
		if (tc_view_has(view, capabilities[i].id))
			continue;
		tc_buf_append_string(line, count++ > 0 ? ", " : "Not recorded in this trace: ");
		tc_buf_append_string(line, capabilities[i].text);
	}
	tc_buf_append_string(line, count > 0 ? "." : "");
}

/* The meaning of a kind of row, for rows without a message of their own. */
static struct tc_text kind_help(struct tc_text kind)
{
	static const struct {
		const char *kind, *help;
	} kinds[] = {
#define TC_LOG_KIND(ID, name, severity, text) {name, text},
#include "decode/log_kinds.def"
#undef TC_LOG_KIND
	};

	for (size_t i = 0; i < TC_COUNT_OF(kinds); i++)
		if (tc_text_equal(tc_text_from(kinds[i].kind), kind))
			return tc_text_from(kinds[i].help);
	return TC_TEXT("no message");
}

/* One item of the import log. put_import() merges rows with the same text, at the place of the
 * first. */
static void append_log_row(struct tc_buf *line, const struct tc_rows *row)
{
	TC_APPEND(line, tc_rows_text(row, 0), TC_TEXT(" ("), tc_rows_text(row, 1));
	if (!tc_rows_null(row, 2))
		tc_buf_format(line, ", at byte %s", tc_show_count(tc_rows_int(row, 2)).text);
	if (tc_rows_int(row, 3) != 1)
		tc_buf_format(line, ", count %s", tc_show_count(tc_rows_int(row, 3)).text);
	TC_APPEND(line, TC_TEXT("): "),
		tc_rows_null(row, 4) ? kind_help(tc_rows_text(row, 0)) : tc_rows_text(row, 4));
}

static void put_import(struct tc_job *job, const struct tc_view *view)
{
	int count = 0;

	tc_doc_heading(&job->doc, "Import log");
	struct tc_rows rows = TC_ROWS(job->ctx, job->db,
		"SELECT kind, replace(severity, '_', ' '), min(byte_offset), sum(count), message"
		" FROM import_log WHERE trace_id = ?1 GROUP BY kind, severity, message"
		" ORDER BY CASE severity WHEN 'data_loss' THEN 0 WHEN 'error' THEN 1 ELSE 2 END,"
		" min(rowid)",
		view->id);
	for (; tc_rows_next(&rows); count++)
		if (count < IMPORT_ROWS)
			append_log_row(tc_doc_item(&job->doc, "-"), &rows);
	if (count == 0)
		tc_doc_say(&job->doc, "Empty: every event was read.");
	else if (count > IMPORT_ROWS)
		tc_buf_format(tc_doc_item(&job->doc, "-"), "and %d more rows of import_log",
			count - IMPORT_ROWS);
}

/* Lists the settings that the user changed: a finding may be there, or be missing, only because of
 * them. */
static void put_settings(struct tc_job *job)
{
	struct tc_buf *line = tc_doc_paragraph(&job->doc);

	tc_doc_set_shrink_order(&job->doc, TC_SHRINK_REST, 1);
	for (size_t i = 0; i < job->advice->setting_count; i++) {
		const struct tc_setting *setting = &job->advice->settings[i];

		tc_buf_format(line, "%s%s.%s = %.10g %s (default %.10g)",
			i == 0 ? "Settings other than the defaults: " : ", ",
			setting->heuristic->id, setting->param->name, setting->value,
			setting->param->unit, setting->param->value);
	}
	tc_buf_append_string(line, job->advice->setting_count > 0 ? "." : "");
}

void tc_put_account(struct tc_job *job, const struct tc_view *view)
{
	tc_doc_heading(&job->doc, "Account");
	put_reasons(job, view->id, TC_OUTCOME_NOT_APPLICABLE, "Could not look:");
	put_reasons(job, view->id, TC_OUTCOME_NOT_ASKED, "Not run:");
	put_missing(job, view);
	put_import(job, view);
}

/* ", 3 failed"; nothing for a count of 0. */
static void append_some(struct tc_buf *line, int64_t count, const char *what)
{
	if (count == 0)
		return;
	tc_buf_format(line, ", %s%s", tc_show_count(count).text, what);
}

/* Says in one sentence whether the file was read without loss. */
static void append_import(struct tc_buf *line, struct tc_job *job, const struct tc_view *view)
{
	int64_t count = tc_rows_single(job->ctx, job->db,
		"SELECT count(*) FROM import_log WHERE trace_id = ?1 AND severity <> 'info'",
		view->id);

	if (view->loss_count > 0) {
		tc_buf_append_string(line, " Part of the file could not be read.");
	} else if (count > 0) {
		tc_buf_format(line, " All of the file was read, with %s in the import log.",
			tc_show_counted(count, "note").text);
	} else {
		tc_buf_append_string(line, " All of the file was read.");
	}
}

/* "4 of 55 checks found something, 10 lacked data." */
static void append_checks(
	struct tc_buf *line, const struct tc_advice *advice, const struct tc_view *view)
{
	int64_t counts[TC_OUTCOME_FAILED + 1], all = 0;

	for (int i = 0; i <= TC_OUTCOME_FAILED; i++) {
		counts[i] = tc_count_outcome(advice, view->id, (enum tc_outcome)i);
		all += counts[i];
	}
	tc_buf_format(line, "%s of %s found something",
		tc_show_count(counts[TC_OUTCOME_FIRED]).text, tc_show_counted(all, "check").text);
	if (!tc_verdict_judges(view))
		append_some(line, counts[TC_OUTCOME_QUIET], " found nothing in what is recorded");
	append_some(line, counts[TC_OUTCOME_FAILED], " failed");
	append_some(line, counts[TC_OUTCOME_NOT_ASKED], " left out");
	append_some(line, counts[TC_OUTCOME_NOT_APPLICABLE], " lacked data");
	tc_buf_append_char(line, '.');
}

void tc_put_account_line(struct tc_job *job, const struct tc_view *view)
{
	tc_doc_break(&job->doc);
	struct tc_buf *line = tc_doc_paragraph(&job->doc);
	if (!tc_view_is_other(view)) /* no check applies to such a trace */
		append_checks(line, job->advice, view);
	append_import(line, job, view);
	tc_doc_set_shrink_order(&job->doc, TC_SHRINK_LAST, 1);
	put_reasons(job, view->id, TC_OUTCOME_FAILED, "Failed:");
	put_settings(job);
}
