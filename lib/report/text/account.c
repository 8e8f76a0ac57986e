/*
 * The account: what every heuristic did, and the import log. A quiet heuristic is not the same as
 * one that does not apply, so the reasons are always named.
 */
#include "report/format.h"
#include "report/text/text.h"

#define IMPORT_ROWS 10
#define IDS_MAX 12

static int64_t outcome_count(
	const struct tc_advice *advice, int64_t trace_id, enum tc_outcome outcome)
{
	int64_t count = 0;

	for (size_t i = 0; i < advice->account_count; i++)
		count += advice->account[i].trace_id == trace_id &&
			 advice->account[i].outcome == outcome;
	return count;
}

static bool same_reason(const struct tc_account_row *a, const struct tc_account_row *b)
{
	return a->trace_id == b->trace_id && a->outcome == b->outcome &&
	       strcmp(a->reason ? a->reason : "", b->reason ? b->reason : "") == 0;
}

/* The ids of rows that say the same as the row at first, which is the first of them; how many they
 * are where the user left out so many that the list tells nothing. */
static void append_ids(struct tc_buf *line, const struct tc_advice *advice, size_t first)
{
	const struct tc_account_row *rows = advice->account;
	int64_t count = 0;

	for (size_t i = first; i < advice->account_count; i++)
		count += same_reason(&rows[i], &rows[first]);
	if (rows[first].outcome == TC_OUTCOME_NOT_ASKED && count > IDS_MAX) {
		tc_format_count(line, count);
		tc_buf_append_string(line, " heuristics");
		return;
	}
	for (size_t i = first; i < advice->account_count; i++)
		if (same_reason(&rows[i], &rows[first]))
			tc_buf_format(line, "%s%s", i == first ? "" : ", ", rows[i].heuristic->id);
}

/* Rows of one outcome with one reason on one line: "no NIC lanes: exposed-communication, ..." */
static void put_reasons(
	struct tc_job *job, int64_t trace_id, enum tc_outcome outcome, const char *label)
{
	const struct tc_account_row *rows = job->advice->account;
	size_t count = job->advice->account_count;
	struct tc_buf line = TC_BUF_EMPTY;

	for (size_t i = 0; i < count; i++) {
		bool seen = rows[i].trace_id != trace_id || rows[i].outcome != outcome;
		for (size_t k = 0; k < i && !seen; k++)
			seen = same_reason(&rows[k], &rows[i]);
		if (seen)
			continue;
		tc_buf_format(
			&line, "%s, %s: ", label, rows[i].reason ? rows[i].reason : "no reason");
		append_ids(&line, job->advice, i);
		tc_put_line(job, "- ", 4, &line);
	}
}

/* What was not recorded, so that nobody reads its absence as good news. */
static void put_missing(struct tc_job *job, const struct tc_view *view)
{
	static const struct {
		enum tc_report_metric id;
		const char *text;
	} capabilities[] = {
		{TC_REPORT_HAS_HOST, "host slices"},
		{TC_REPORT_HAS_DEVICE, "device work"},
		{TC_REPORT_HAS_STEPS, "steps (ProfilerStep#N)"},
		{TC_REPORT_HAS_LAUNCHES, "which host call launched what"},
		{TC_REPORT_HAS_SHAPES, "shapes (record_shapes)"},
		{TC_REPORT_HAS_STACKS, "Python stacks (with_stack)"},
		{TC_REPORT_HAS_MEMORY, "memory (profile_memory)"},
	};
	struct tc_buf line = TC_BUF_EMPTY;

	if (tc_view_is_other(view))
		return; /* a profile of something else has none of it */
	for (size_t i = 0; i < sizeof(capabilities) / sizeof(capabilities[0]); i++) {
		if (tc_view_has(view, capabilities[i].id))
			continue;
		tc_buf_append_string(&line, line.len > 0 ? ", " : "Not recorded in this trace: ");
		tc_buf_append_string(&line, capabilities[i].text);
	}
	tc_buf_append_string(&line, line.len > 0 ? "." : "");
	tc_put_line(job, NULL, 2, &line);
}

/* What a kind of row means, for rows without a message of their own. */
static struct tc_text kind_help(struct tc_text kind)
{
	static const struct {
		const char *kind, *help;
	} kinds[] = {
#define TC_LOG_KIND(ID, name, severity, text) {name, text},
#include "decode/log_kinds.def"
#undef TC_LOG_KIND
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (tc_text_equal(tc_text_from(kinds[i].kind), kind))
			return tc_text_from(kinds[i].help);
	return TC_TEXT("no message");
}

/* Rows that say the same are one, at the place of the first. */
static void append_log_row(struct tc_buf *line, const struct tc_rows *row)
{
	tc_buf_append_text(line, tc_rows_text(row, 0));
	tc_buf_append_string(line, " (");
	tc_buf_append_text(line, tc_rows_text(row, 1));
	if (!tc_rows_null(row, 2)) {
		tc_buf_append_string(line, ", at byte ");
		tc_format_count(line, tc_rows_int(row, 2));
	}
	if (tc_rows_int(row, 3) != 1) {
		tc_buf_append_string(line, ", count ");
		tc_format_count(line, tc_rows_int(row, 3));
	}
	tc_buf_append_string(line, "): ");
	tc_buf_append_text(line,
		tc_rows_null(row, 4) ? kind_help(tc_rows_text(row, 0)) : tc_rows_text(row, 4));
}

static enum tc_status put_import(struct tc_job *job, const struct tc_view *view)
{
	struct tc_buf line = TC_BUF_EMPTY;
	struct tc_rows rows;
	int count = 0;

	tc_rows_open(&rows, job->ctx, job->db,
		"SELECT kind, replace(severity, '_', ' '), min(byte_offset), sum(count), message"
		" FROM import_log WHERE trace_id = ?1 GROUP BY kind, severity, message"
		" ORDER BY CASE severity WHEN 'data_loss' THEN 0 WHEN 'error' THEN 1 ELSE 2 END,"
		" min(rowid)");
	tc_rows_bind(&rows, 1, view->id);
	for (; tc_rows_next(&rows); count++) {
		if (count == 0)
			tc_sink_put(&job->sink, "  Import log:\n");
		if (count >= IMPORT_ROWS)
			continue;
		append_log_row(&line, &rows);
		tc_put_line(job, "- ", 4, &line);
	}
	if (count == 0)
		tc_put_paragraph(
			job, NULL, 2, TC_TEXT("The import log is empty: every event was read."));
	else if (count > IMPORT_ROWS)
		tc_sink_format(
			&job->sink, "  - and %d more rows of import_log\n", count - IMPORT_ROWS);
	return tc_rows_close(&rows);
}

/* How many did what, in the order in which they matter to a reader. */
static void put_counts(struct tc_job *job, int64_t trace_id)
{
	static const struct {
		enum tc_outcome outcome;
		const char *before;
	} counts[] = {
		{TC_OUTCOME_FIRED, "Heuristics: fired "},
		{TC_OUTCOME_QUIET, ", quiet "},
		{TC_OUTCOME_NOT_APPLICABLE, ", not applicable "},
		{TC_OUTCOME_NOT_ASKED, ", not asked for "},
		{TC_OUTCOME_FAILED, ", failed "},
	};
	struct tc_buf line = TC_BUF_EMPTY;

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		int64_t count = outcome_count(job->advice, trace_id, counts[i].outcome);
		if (count == 0 && counts[i].outcome == TC_OUTCOME_NOT_ASKED)
			continue;
		tc_buf_append_string(&line, counts[i].before);
		tc_format_count(&line, count);
	}
	tc_buf_append_char(&line, '.');
	tc_put_line(job, NULL, 2, &line);
}

/* What the user set otherwise; a number may be there, or not, for that reason only. */
static void put_settings(struct tc_job *job)
{
	struct tc_buf line = TC_BUF_EMPTY;

	for (size_t i = 0; i < job->advice->setting_count; i++) {
		const struct tc_setting *setting = &job->advice->settings[i];

		tc_buf_format(&line, "%s%s.%s = %.10g %s (default %.10g)",
			i == 0 ? "Settings other than the defaults: " : ", ",
			setting->heuristic->id, setting->param->name, setting->value,
			setting->param->unit, setting->param->value);
	}
	tc_buf_append_string(&line, line.len > 0 ? "." : "");
	tc_put_line(job, NULL, 2, &line);
}

enum tc_status tc_put_account(struct tc_job *job, const struct tc_view *view)
{
	tc_put_heading(job, "Account");
	put_counts(job, view->id);
	put_reasons(job, view->id, TC_OUTCOME_FAILED, "failed");
	put_reasons(job, view->id, TC_OUTCOME_NOT_APPLICABLE, "not applicable");
	put_reasons(job, view->id, TC_OUTCOME_NOT_ASKED, "not asked for");
	put_settings(job);
	put_missing(job, view);
	return put_import(job, view);
}
