/*
 * Ranked advice as text: the ranking, notes on the trace itself, then what to change, each with its
 * gain and evidence; at the end of the report the commands that show the same numbers again.
 */
#include "advice/advice_names.h"
#include "advice/evaluate/evaluate.h"
#include "report/evidence.h"
#include "core/saturate.h"
#include "report/format.h"
#include "report/text/text.h"

#define KEY_EVIDENCE 3 /* rows of evidence under an advice; the command shows all */
#define SHARES_NAMED 2
#define NARROW 72     /* gain and severity may not fit on one line */
#define TEXT_COLUMN 9 /* where texts behind the labels Do, Why, Check start */

static enum tc_style severity_style(enum tc_severity severity)
{
	return severity == TC_SEVERITY_HIGH     ? TC_STYLE_RED
	       : severity == TC_SEVERITY_MEDIUM ? TC_STYLE_YELLOW
						: TC_STYLE_CYAN;
}

static void put_evidence(struct tc_job *job, const struct tc_finding *finding)
{
	struct tc_buf line = TC_BUF_EMPTY;
	size_t count = finding->evidence_count;
	size_t shown = count > KEY_EVIDENCE ? KEY_EVIDENCE : count;

	for (size_t i = 0; i < shown; i++) {
		tc_evidence_line(&line, job, finding, i);
		tc_put_line(job, "- ", 5, &line);
	}
	if (count > shown)
		tc_sink_format(&job->sink, "   - and %s%zu more\n",
			count == TC_EVIDENCE_MAX_COUNT ? "at least " : "", count - shown);
	tc_evidence_common(&line, finding);
	tc_put_line(job, "- ", 5, &line);
}

/* One line, however long, so that it can be copied. */
static void put_query(struct tc_job *job, const struct tc_finding *finding, int number)
{
	const char *path = job->store_path ? job->store_path : "trace.db";

	tc_sink_format(&job->sink, "%2d ", number);
	tc_put_style(job, TC_STYLE_DIM);
	tc_sink_put(&job->sink, "tracecoach query ");
	tc_format_shell_word(&job->sink.buf, tc_text_from(path));
	tc_sink_put(&job->sink, " \"");
	tc_format_shell_sql(&job->sink.buf, tc_text_from(finding->sql));
	tc_sink_put(&job->sink, "\"");
	tc_put_style(job, TC_STYLE_PLAIN);
	tc_sink_put(&job->sink, "\n");
}

static void put_gain(struct tc_job *job, const struct tc_finding *finding)
{
	struct tc_buf gain = TC_BUF_EMPTY;

	tc_evidence_gain(&gain, finding);
	tc_buf_append_string(&gain, gain.len > 0 ? ";" : "");
	if (job->options.width < NARROW)
		tc_put_line(job, NULL, 3, &gain);
	tc_format_pad(&job->sink.buf, 3);
	tc_sink_text(&job->sink, tc_buf_text(&gain));
	tc_sink_put(&job->sink, gain.len > 0 ? " severity " : "severity ");
	job->sink.buf.failed |= tc_buf_failed(&gain);
	tc_buf_clear(&gain);
	tc_put_style(job, severity_style(finding->severity));
	tc_sink_put(&job->sink, tc_severity_name(finding->severity));
	tc_put_style(job, TC_STYLE_PLAIN);
	tc_sink_format(&job->sink, ", %s\n", tc_confidence_name(finding->confidence));
}

/* Which other findings may claim the same time, at most SHARES_NAMED of them. */
static void put_shares(struct tc_job *job, const struct tc_finding *finding)
{
	struct tc_buf line = TC_BUF_EMPTY;
	size_t count = finding->share_count > SHARES_NAMED ? SHARES_NAMED : finding->share_count;

	if (count == 0 || finding->gain_ns <= 0)
		return;
	tc_buf_append_string(&line, "Overlaps ");
	for (size_t i = 0; i < count; i++) {
		tc_buf_append_string(&line, i == 0 ? "" : ", ");
		tc_buf_format(&line, "%s by up to ", finding->shares[i].heuristic->id);
		tc_format_ns(&line, finding->shares[i].ns);
	}
	if (finding->share_count > count)
		tc_buf_format(&line, ", and %zu more", finding->share_count - count);
	tc_buf_append_string(&line, " (counted once).");
	tc_put_line(job, NULL, 3, &line);
}

static void put_more(struct tc_job *job, const struct tc_heuristic *heuristic)
{
	struct tc_buf line = TC_BUF_EMPTY;

	if (heuristic->file)
		tc_buf_append_string(&line, heuristic->file);
	else
		tc_buf_format(&line, "tracecoach heuristics %s", heuristic->id);
	tc_put_line(job, heuristic->file ? "Rule  " : "More  ", TEXT_COLUMN, &line);
}

/* Why the gain is less than the rows say, where it is. */
static void put_cap(struct tc_job *job, const struct tc_finding *finding)
{
	struct tc_buf line = TC_BUF_EMPTY;

	tc_evidence_cap(&line, finding);
	tc_put_line(job, NULL, 3, &line);
}

/* Where the numbers come from. */
static void put_check(struct tc_job *job, int number)
{
	struct tc_buf line = TC_BUF_EMPTY;

	tc_buf_format(&line, "query %d at the end", number);
	tc_put_line(job, "Check ", TEXT_COLUMN, &line);
}

static void put_finding(struct tc_job *job, const struct tc_finding *finding, int number)
{
	struct tc_buf title = TC_BUF_EMPTY, label = TC_BUF_EMPTY;

	tc_buf_format(&label, "%2d ", number);
	tc_buf_format(&title, "%s%s", finding->heuristic->title,
		finding->heuristic->file ? " (user rule)" : "");
	tc_sink_put(&job->sink, number > 1 ? "\n" : "");
	tc_put_style(job, TC_STYLE_BOLD);
	tc_put_line(job, tc_buf_string(&label), 3, &title);
	tc_put_style(job, TC_STYLE_PLAIN);
	tc_buf_clear(&label);
	put_gain(job, finding);
	put_shares(job, finding);
	put_cap(job, finding);
	put_evidence(job, finding);
	tc_put_paragraph(job, "Why   ", TEXT_COLUMN, tc_text_from(finding->why));
	tc_put_paragraph(job, "Do    ", TEXT_COLUMN, tc_text_from(finding->advice));
	put_check(job, number);
	put_more(job, finding->heuristic);
}

static void put_note(struct tc_job *job, const struct tc_finding *finding)
{
	struct tc_buf line = TC_BUF_EMPTY;

	tc_buf_append_string(&line, finding->heuristic->title);
	tc_buf_append_string(&line, ". ");
	tc_buf_append_string(&line, finding->advice);
	tc_put_line(job, "! ", 4, &line);
	put_evidence(job, finding);
}

static bool of_kind(
	const struct tc_finding *finding, const struct tc_view *view, enum tc_heuristic_kind kind)
{
	return finding->trace_id == view->id && finding->heuristic->kind == kind;
}

static void put_notes(struct tc_job *job, const struct tc_view *view)
{
	bool headed = false;

	for (size_t i = 0; i < job->advice->finding_count; i++) {
		const struct tc_finding *finding = &job->advice->findings[i];
		if (!of_kind(finding, view, TC_HEURISTIC_QUALITY))
			continue;
		if (!headed)
			tc_put_heading(job, "About this trace");
		headed = true;
		put_note(job, finding);
	}
}

static const char *heading(const struct tc_job *job)
{
	return job->options.step >= 0 ? "Advice, most important first (for the whole trace)"
				      : "Advice, most important first";
}

/* Says that nothing was found, without calling it health. */
static void put_no_advice(struct tc_job *job, const struct tc_view *view)
{
	tc_put_heading(job, "Advice");
	tc_put_paragraph(job, NULL, 2,
		tc_verdict_judges(view)
			? TC_TEXT("No heuristic found time to save in this trace. The account "
				  "below "
				  "shows how many were quiet and which did not apply.")
			: TC_TEXT("None: this trace cannot show where time is lost (see the "
				  "verdict)."));
}

/* What all advice can save together, where that is less than the sum. */
static void put_together(struct tc_job *job, const struct tc_view *view)
{
	struct tc_buf line = TC_BUF_EMPTY;
	int64_t together_ns = 0;
	double sum_ns = 0, pct = 0;

	for (size_t i = 0; i < job->advice->finding_count; i++) {
		const struct tc_finding *finding = &job->advice->findings[i];
		if (!of_kind(finding, view, TC_HEURISTIC_FIX) || finding->gain_ns <= 0)
			continue;
		together_ns = tc_add_saturated(together_ns, finding->added_ns);
		sum_ns += (double)finding->gain_ns;
		pct += finding->gain_pct * (double)finding->added_ns / (double)finding->gain_ns;
	}
	if (sum_ns <= (double)together_ns)
		return;
	tc_buf_append_string(&line, "Combined: at most ");
	tc_format_ns(&line, together_ns);
	tc_buf_append_string(&line, " (");
	tc_format_pct(&line, pct);
	tc_buf_append_string(&line, "); some findings overlap.");
	tc_put_line(job, NULL, 2, &line);
}

/* Says why a gain stands below a smaller one. */
static void put_rise(struct tc_job *job, const struct tc_view *view)
{
	int64_t least_ns = INT64_MAX;
	bool rises = false;

	for (size_t i = 0; i < job->advice->finding_count; i++) {
		const struct tc_finding *finding = &job->advice->findings[i];
		if (!of_kind(finding, view, TC_HEURISTIC_FIX) || finding->gain_ns <= 0)
			continue;
		rises |= finding->gain_ns > least_ns;
		least_ns = finding->gain_ns < least_ns ? finding->gain_ns : least_ns;
	}
	if (rises)
		tc_put_paragraph(job, NULL, 2,
			TC_TEXT("A specific cause ranks above the general finding that contains "
				"it."));
}

/* The ranking at a glance; what each line means follows below. */
enum tc_status tc_put_ranking(struct tc_job *job, const struct tc_view *view)
{
	static const char *const titles[] = {"", "up to", "?share", "<severity", "<~what", NULL};
	struct tc_table table;
	int number = 0;

	tc_table_init(&table, titles, job->options.ascii);
	for (size_t i = 0; i < job->advice->finding_count && number < job->options.top; i++) {
		const struct tc_finding *finding = &job->advice->findings[i];
		bool gains = finding->gain_ns != TC_GAIN_NONE && finding->gain_ns > 0;
		if (!of_kind(finding, view, TC_HEURISTIC_FIX))
			continue;
		tc_table_count(&table, ++number);
		if (gains)
			tc_table_ns(&table, finding->gain_ns);
		else
			tc_table_string(&table, "-");
		if (gains)
			tc_table_pct(&table, finding->gain_pct);
		else
			tc_table_string(&table, "-");
		tc_table_string(&table, tc_severity_name(finding->severity));
		tc_table_string(&table, finding->heuristic->title);
	}
	if (number > 1) {
		tc_put_heading(
			job, job->options.step >= 0 ? "Ranking (for the whole trace)" : "Ranking");
		tc_table_print(&table, &job->sink, job->options.width);
		put_rise(job, view);
		put_together(job, view);
	}
	tc_table_clear(&table);
	return TC_OK;
}

static void put_fixes(struct tc_job *job, const struct tc_view *view)
{
	int number = 0, hidden = 0;
	bool gain = false;

	for (size_t i = 0; i < job->advice->finding_count; i++) {
		const struct tc_finding *finding = &job->advice->findings[i];
		if (!of_kind(finding, view, TC_HEURISTIC_FIX))
			continue;
		gain |= finding->gain_ns != TC_GAIN_NONE && finding->gain_ns > 0;
		if (number == job->options.top) {
			hidden++;
			continue;
		}
		if (number++ == 0)
			tc_put_heading(job, heading(job));
		put_finding(job, finding, number);
	}
	if (number == 0)
		put_no_advice(job, view);
	else if (!gain)
		tc_put_paragraph(
			job, NULL, 3, tc_text_from("None of this advice has a measured gain."));
	if (hidden > 0)
		tc_sink_format(
			&job->sink, "\n   %d more: --top %d shows all.\n", hidden, number + hidden);
}

enum tc_status tc_put_findings(struct tc_job *job, const struct tc_view *view)
{
	put_notes(job, view);
	put_fixes(job, view);
	return TC_OK;
}

enum tc_status tc_put_queries(struct tc_job *job, const struct tc_view *view)
{
	int number = 0;

	for (size_t i = 0; i < job->advice->finding_count && number < job->options.top; i++) {
		const struct tc_finding *finding = &job->advice->findings[i];
		if (!of_kind(finding, view, TC_HEURISTIC_FIX))
			continue;
		if (number++ == 0) {
			tc_put_heading(job, "Queries behind the advice");
			if (!job->store_path)
				tc_put_paragraph(job, NULL, 2,
					TC_TEXT("This run used a temporary store. Keep one with "
						"--db trace.db first."));
		}
		put_query(job, finding, number);
	}
	return TC_OK;
}
