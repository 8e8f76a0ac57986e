/*
 * A finding in full: gain, evidence, why it costs time, and what to do. `tracecoach explain` adds
 * the page of the heuristic, and with --sql the query, which is often longer than all of that.
 */
#include "advice/evaluate/evaluate.h"
#include "advice/ranking/ranking.h"
#include "report/screen/screen.h"
#include "report/text/format.h"
#include "report/view/ranks.h"

#define KEY_EVIDENCE 3   /* rows of evidence where the finding is one of many */
#define MOST_EVIDENCE 10 /* where it is the only one; the query returns all */
#define RANK_COLUMNS 40  /* of the evidence of a rank, and the part that passes them */
#define SCREEN_NOTES 2
#define IMPORTS_MOST 16 /* traces that a command names */

static void put_evidence(struct tc_job *job, const struct tc_finding *finding, size_t most)
{
	size_t count = finding->evidence_count;
	size_t shown = count > most ? most : count;

	for (size_t i = 0; i < shown; i++)
		tc_evidence_line(tc_doc_item(&job->doc, "-"), job, finding, i);
	if (count > shown)
		tc_buf_format(tc_doc_item(&job->doc, "-"), "and %s%s more",
			count == TC_EVIDENCE_MAX_COUNT ? "at least " : "",
			tc_show_count((int64_t)(count - shown)).text);
	tc_evidence_common(tc_doc_item(&job->doc, "-"), finding);
}

static void put_gain(struct tc_job *job, const struct tc_finding *finding)
{
	struct tc_buf *line = tc_doc_paragraph(&job->doc);

	tc_evidence_gain(line, job, finding);
	tc_evidence_severity(line, finding);
}

static void put_texts(struct tc_job *job, const struct tc_finding *finding)
{
	const struct tc_heuristic *heuristic = finding->heuristic;

	tc_buf_append_string(tc_doc_item(&job->doc, "Why "), finding->why);
	tc_buf_append_string(tc_doc_item(&job->doc, "Do  "), finding->advice);
	if (heuristic->file)
		tc_buf_append_string(tc_doc_item(&job->doc, "Rule"), heuristic->file);
}

/* One finding under a heading with its number; with all rows of evidence when `whole` is set. */
static void put_finding(
	struct tc_job *job, const struct tc_fix_list *fixes, size_t index, bool whole)
{
	const struct tc_finding *finding = fixes->all[index].finding;

	tc_doc_heading(&job->doc, "");
	tc_buf_format(&job->doc.text, "#%zu %s (%s)", index + 1, finding->heuristic->title,
		finding->heuristic->id);
	put_gain(job, finding);
	put_evidence(job, finding, whole ? MOST_EVIDENCE : KEY_EVIDENCE);
	put_texts(job, finding);
}

/* The next note on the recording itself. */
static const struct tc_finding *next_note(
	const struct tc_job *job, const struct tc_view *view, const struct tc_finding *before)
{
	return tc_next_of_kind(job->advice, view->id, TC_HEURISTIC_QUALITY, before);
}

void tc_put_first_notes(struct tc_job *job, const struct tc_view *view)
{
	size_t count = 0;

	for (const struct tc_finding *finding = NULL; (finding = next_note(job, view, finding));
		count++) {
		if (count >= SCREEN_NOTES)
			continue;
		struct tc_buf *line = tc_doc_item(&job->doc, "!");
		tc_doc_set_shrink_order(&job->doc, TC_SHRINK_LIMITS, 1);
		tc_buf_format(line, "%s. ", finding->heuristic->title);
		tc_append_do(line, finding);
	}
	if (count > SCREEN_NOTES)
		tc_buf_format(tc_doc_item(&job->doc, "!"), "and %zu more note%s on the trace.",
			count - SCREEN_NOTES, count - SCREEN_NOTES == 1 ? "" : "s");
}

static void put_notes(struct tc_job *job, const struct tc_view *view)
{
	tc_doc_heading(&job->doc, "About this trace");
	for (const struct tc_finding *finding = NULL; (finding = next_note(job, view, finding));) {
		tc_buf_format(tc_doc_item(&job->doc, "!"), "%s. %s", finding->heuristic->title,
			finding->advice);
		put_evidence(job, finding, KEY_EVIDENCE);
	}
}

void tc_put_findings(
	struct tc_job *job, const struct tc_view *view, const struct tc_fix_list *fixes)
{
	size_t most = (size_t)job->options.top;

	put_notes(job, view);
	for (size_t i = 0; i < fixes->count && i < most; i++)
		put_finding(job, fixes, i, false);
	if (fixes->count > most)
		tc_job_say_more(job, fixes->count - most, " findings", fixes->count);
}

/* Appends the command that imports all traces: the query needs them all, since a trace id is the
 * trace's position among them. */
static void append_import(struct tc_buf *line, struct tc_job *job, int64_t trace_count)
{
	tc_buf_append_string(line, "tracecoach import");
	if (trace_count > IMPORTS_MOST)
		tc_buf_append_string(line, " TRACES");
	struct tc_rows rows = tc_rows_open(job->ctx, job->db, "SELECT path FROM trace ORDER BY id");
	while (trace_count <= IMPORTS_MOST && tc_rows_next(&rows)) {
		tc_buf_append_string(line, trace_count > 1 ? " \\\n  " : " ");
		tc_format_shell_word(line, tc_rows_text(&rows, 0));
	}
	tc_buf_append_string(line, trace_count > 1 ? " \\\n  -o trace.db\n" : " -o trace.db\n");
	tc_rows_close(&rows);
}

/* Puts the commands that reproduce the numbers. */
static void put_query(
	struct tc_job *job, const struct tc_view *view, const struct tc_finding *finding)
{
	const char *path = job->store_path ? job->store_path : "trace.db";

	tc_doc_heading(&job->doc, "Query");
	if (!tc_ctx_has_shell(job->ctx)) {
		tc_buf_append_string(tc_doc_code(&job->doc, "sql"), finding->sql);
		return;
	}
	struct tc_buf *line = tc_doc_code(&job->doc, "sh");
	if (!job->store_path)
		append_import(line, job, view->trace_count);
	tc_buf_append_string(line, "tracecoach query ");
	tc_format_shell_word(line, tc_text_from(path));
	tc_buf_append_string(line, " \"");
	tc_format_shell_sql(line, tc_text_from(finding->sql));
	tc_buf_append_string(line, "\"");
}

/* The change as code, in a diff where lines replace others. No line of Python begins like one. */
static void put_example(struct tc_job *job, const struct tc_finding *finding)
{
	if (!finding->example || !*finding->example)
		return;
	tc_doc_heading(&job->doc, "Example");
	tc_buf_append_string(
		tc_doc_code(&job->doc, strchr(" +-", finding->example[0]) ? "diff" : "python"),
		finding->example);
}

/* Where to read on: an example, the page of the heuristic, and the query, which only those who
 * check a number want. */
static void put_proof(
	struct tc_job *job, const struct tc_view *view, const struct tc_finding *finding)
{
	static const char command[] = "tracecoach heuristics";
	bool shows_query = job->options.sql || tc_job_is_page(job);

	put_example(job, finding);
	if (shows_query)
		put_query(job, view, finding);
	else
		tc_doc_break(&job->doc);
	if (!finding->heuristic->file)
		tc_buf_format(tc_doc_paragraph(&job->doc), "The whole page: %s %s",
			tc_ctx_has_shell(job->ctx) ? command : tc_ctx_word(job->ctx, command),
			finding->heuristic->id);
	if (!shows_query)
		tc_buf_format(tc_doc_paragraph(&job->doc),
			"%s adds the query that returns the evidence.",
			tc_ctx_word(job->ctx, "--sql"));
}

/* ": 82.7 ms, 55 %", of the run. */
static void append_run_gain(struct tc_buf *line, const struct tc_finding *finding)
{
	const struct tc_gain_shown gain = tc_gain_of(finding);

	if (finding->gain_ns > 0)
		tc_buf_format(line, ": %s, %s", tc_show_gain(&gain).text,
			tc_show_share(finding->gain_pct).text);
}

/* ": 82.7 ms a step in this order, 70 to 90 ms alone", the numbers of a row of the table; a fix
 * that is not in the plan has those alone. */
static void append_plan_gain(
	struct tc_buf *line, const struct tc_fix_list *fixes, const struct tc_shown_fix *fix)
{
	const struct tc_gain_shown alone = tc_gain_like(fix->finding, fix->alone_ns);
	bool is_planned = fix->finding->plan_order > 0;
	const char *unit = fixes->has_steps ? " a step" : "";

	if (is_planned && fix->added_ns > 0)
		tc_buf_format(line, ": %s%s in this order", tc_show_ns(fix->added_ns).text, unit);
	else if (is_planned)
		tc_buf_append_string(line, ": nothing in this order");
	if (fix->alone_ns > 0)
		tc_buf_format(line, "%s%s%s%s alone", is_planned ? ", " : ": ",
			fix->finding->confidence == TC_CONFIDENCE_GUESSED ? "guessed " : "",
			tc_show_gain(&alone).text, is_planned ? "" : unit);
	else if (is_planned)
		tc_buf_append_string(line, ", nothing alone");
}

/* The summary line of the card has the numbers of the table of fixes: "#1 Data loader holds up the
 * device: 82.7 ms a step in this order, 70 to 90 ms alone". Of a job it reads "#1 Data loader holds
 * up the device: 82.7 ms, 55 % on rank 3, guessed". */
void tc_put_card(struct tc_job *job, const struct tc_view *view, const struct tc_fix_list *fixes,
	size_t index, bool names_rank)
{
	const struct tc_finding *finding = fixes->all[index].finding;
	bool is_planned = fixes->whole_ns > 0 && tc_verdict_judges(view);
	struct tc_buf *line = &job->doc.text;

	tc_doc_fold(&job->doc, "");
	tc_buf_format(line, "#%zu %s", index + 1, finding->heuristic->title);
	if (is_planned)
		append_plan_gain(line, fixes, &fixes->all[index]);
	else
		append_run_gain(line, finding);
	if (names_rank)
		tc_buf_format(line, "%s on rank %lld", finding->gain_ns > 0 ? "" : ",",
			(long long)view->rank);
	if (!is_planned && finding->gain_ns > 0 && finding->confidence == TC_CONFIDENCE_GUESSED)
		tc_buf_append_string(line, ", guessed");
	tc_append_anchor(tc_doc_anchor(&job->doc), finding);
	put_gain(job, finding);
	put_evidence(job, finding, finding->evidence_count);
	put_texts(job, finding);
	put_proof(job, view, finding);
	tc_doc_fold_end(&job->doc);
}

void tc_put_cards(struct tc_job *job, const struct tc_view *view, const struct tc_fix_list *fixes)
{
	put_notes(job, view);
	tc_doc_heading(&job->doc, fixes->count > 0 ? "Findings" : "");
	for (size_t i = 0; i < fixes->count; i++)
		tc_put_card(job, view, fixes, i, false);
}

/* The number that the user gives as "2" or "#2"; 0 for a word, and for one above `most`. */
static size_t asked_number(const char *asked, size_t most)
{
	struct tc_text digits = tc_text_from(asked[0] == '#' ? asked + 1 : asked);
	size_t number = 0;

	for (size_t i = 0; i < digits.len; i++) {
		if (!tc_is_digit(digits.ptr[i]) || number > most)
			return 0;
		number = number * 10 + (size_t)(digits.ptr[i] - '0');
	}
	return number <= most ? number : 0;
}

/* Returns the index of the fix that the user names by its number or id; fixes->count if there is
 * none. */
static size_t asked_index(const struct tc_fix_list *fixes, const char *asked)
{
	size_t number = asked_number(asked, fixes->count);

	for (size_t i = 0; i < fixes->count; i++)
		if (strcmp(fixes->all[i].finding->heuristic->id, asked) == 0)
			return i;
	return number > 0 ? number - 1 : fixes->count;
}

/* The check which the user names. */
static const struct tc_account_row *asked_row(const struct tc_job *job, int64_t trace_id)
{
	return tc_find_check(job->advice, trace_id, job->options.explain);
}

static bool is_same_outcome(const struct tc_account_row *row, const struct tc_account_row *other)
{
	return row->is_small == other->is_small && tc_check_is_alike(row, other);
}

static void append_outcome(
	struct tc_buf *line, const struct tc_ctx *ctx, const struct tc_account_row *row)
{
	static const char *const words[] = {[TC_OUTCOME_FIRED] = "it found something",
		[TC_OUTCOME_QUIET] = "it looked and found nothing that reaches its thresholds",
		[TC_OUTCOME_NOT_APPLICABLE] = "it lacked data",
		[TC_OUTCOME_NOT_ASKED] = "it was left out",
		[TC_OUTCOME_FAILED] = "it failed"};

	if (row->is_small)
		tc_buf_append_string(line, "what it found wins too little when mended alone");
	else
		tc_buf_format(line, "%s%s", words[row->outcome], row->reason ? ": " : "");
	if (!row->is_small && row->reason)
		tc_ctx_append_words(line, ctx, row->reason);
	tc_buf_append_char(line, '.');
}

/* Says why a check found nothing. */
static void put_outcome(struct tc_job *job, const struct tc_account_row *row)
{
	struct tc_buf *line = tc_doc_paragraph(&job->doc);

	tc_buf_format(line, "%s (%s): ", row->heuristic->title, row->heuristic->id);
	append_outcome(line, job->ctx, row);
}

/* Returns the note on the trace that the user names by its id (notes have no number); NULL if it
 * did not fire. */
static const struct tc_finding *asked_note(const struct tc_job *job, const struct tc_view *view)
{
	const struct tc_finding *finding = NULL;

	while ((finding = tc_next_finding(job->advice, view->id, finding)) &&
		strcmp(finding->heuristic->id, job->options.explain) != 0)
		;
	return finding;
}

static void put_note_whole(
	struct tc_job *job, const struct tc_view *view, const struct tc_finding *note)
{
	tc_doc_heading(&job->doc, note->heuristic->title);
	put_evidence(job, note, MOST_EVIDENCE);
	put_texts(job, note);
	put_proof(job, view, note);
}

/* Whether something was found, and the highest number that can be asked for. */
struct explained {
	bool found;
	size_t most;
};

static void explain_trace(
	struct explained *explained, struct tc_job *job, const struct tc_view *view)
{
	struct tc_fix_list fixes;

	if (!tc_fix_list_load(&fixes, job, view->id))
		return;
	size_t index = asked_index(&fixes, job->options.explain);
	const struct tc_finding *note = asked_note(job, view);
	const struct tc_account_row *row = asked_row(job, view->id);
	tc_buf_append_text(tc_doc_title(&job->doc), tc_view_title(job, view));
	if (index < fixes.count) {
		put_finding(job, &fixes, index, true);
		tc_put_strip(job, view, fixes.all[index].finding);
		put_proof(job, view, fixes.all[index].finding);
	} else if (note) {
		put_note_whole(job, view, note);
	} else if (row) {
		put_outcome(job, row);
	}
	if (index < fixes.count || note || row) {
		explained->found = true;
		tc_job_write(job);
	}
	tc_doc_clear(&job->doc);
	explained->most = fixes.count > explained->most ? fixes.count : explained->most;
	tc_fix_list_clear(&fixes);
}

/* The finding of the job that the user names by its number in the report on the job, or by its id;
 * NULL if there is none. */
static const struct tc_rank_advice *asked_advice(const struct tc_ranks *ranks, const char *asked)
{
	size_t number = asked_number(asked, ranks->advice_count);

	for (size_t i = 0; i < ranks->advice_count; i++) {
		const struct tc_heuristic *heuristic = ranks->advice[i].finding->heuristic;
		if (strcmp(heuristic->id, asked) == 0 ||
			(number > 0 &&
				number == tc_ranks_number(ranks, tc_text_from(heuristic->id))))
			return &ranks->advice[i];
	}
	return NULL;
}

/* Appends "Saves the job 100.9 ms in the steady run: what it saves on rank 3, which sets the pace",
 * that it saves nothing there, or that nobody knows; nothing of notes on the recording. */
static void ranks_gain(struct tc_buf *buf, struct tc_job *job, const struct tc_ranks *ranks,
	const struct tc_rank_advice *advice)
{
	long long pace = (long long)ranks->lines[ranks->pace].rank;
	const char *why =
		ranks->starts_apart_ns > 0 ? "waits least for the others" : "sets the pace";

	if (advice->gain_ns > 0 && tc_is_about_ranks(advice->finding->heuristic))
		tc_buf_format(buf, "Saves the job %s in the steady run, if no rank is late",
			tc_show_gain(&advice->gain).text);
	else if (advice->gain_ns > 0)
		tc_buf_format(buf,
			"Saves the job %s in the steady run: what it saves on rank %lld, which %s",
			tc_show_gain(&advice->gain).text, pace, why);
	else if (advice->largest->gain_ns > 0 && ranks->starts_apart_ns > 0)
		tc_buf_format(buf,
			"Gain unknown for the job: the recordings do not show which rank is slow, "
			"and it saves nothing on rank %lld, which %s",
			pace, why);
	else if (advice->largest->gain_ns > 0)
		tc_buf_format(buf,
			"Saves the job nothing, because it saves nothing on rank %lld, which %s",
			pace, why);
	else
		tc_evidence_gain(buf, job, advice->finding);
}

static void put_job_gain(
	struct tc_job *job, const struct tc_ranks *ranks, const struct tc_rank_advice *advice)
{
	struct tc_buf *line = tc_doc_paragraph(&job->doc);

	ranks_gain(line, job, ranks, advice);
	tc_evidence_severity(line, advice->finding);
}

/* Leaves out what comes after the first parts of a line of evidence: rows of ranks are there to be
 * compared, and differ little. */
static void shorten(struct tc_buf *text, size_t start)
{
	for (size_t at = start + RANK_COLUMNS; at + 1 < text->len; at++)
		if (text->ptr[at] == ',' && text->ptr[at + 1] == ' ')
			text->len = at;
}

static void put_rank(
	struct tc_job *job, const struct tc_rank_line *line, const struct tc_finding *finding)
{
	struct tc_views views = tc_views_one(job, line->trace_id);

	const struct tc_gain_shown gain = tc_gain_of(finding);

	tc_doc_cell_count(&job->doc, line->rank);
	if (finding->gain_ns > 0)
		tc_format_gain(tc_doc_cell(&job->doc), &gain);
	else
		tc_doc_cell_string(&job->doc, "-");
	tc_doc_tone(&job->doc, TC_TONE_GAIN);
	tc_doc_cell(&job->doc);
	while (tc_views_next(&views)) {
		size_t start = job->doc.text.len;
		if (finding->evidence_count > 0)
			tc_evidence_line(&job->doc.text, job, finding, 0);
		shorten(&job->doc.text, start);
		if (finding->evidence_count > 1)
			tc_buf_format(&job->doc.text, "; and %s more",
				tc_show_count((int64_t)finding->evidence_count - 1).text);
	}
}

/* Ranks of one outcome. */
struct outcome {
	const struct tc_account_row *row;
	int64_t rank; /* the first of them */
	size_t rank_count;
};

struct outcomes {
	struct outcome *items;
	size_t count, capacity;
};

static void add_outcome(struct outcomes *outcomes, struct tc_ctx *ctx,
	const struct tc_account_row *row, int64_t rank)
{
	const struct outcome one = {row, rank, 1};

	for (size_t i = 0; i < outcomes->count; i++)
		if (is_same_outcome(outcomes->items[i].row, row)) {
			outcomes->items[i].rank_count++;
			return;
		}
	TC_PUSH(ctx, outcomes->items, outcomes->count, outcomes->capacity, one);
}

/* What the check says of the ranks without the finding: they may have it, too, by less than what is
 * reported. */
static void put_other_ranks(
	struct tc_job *job, const struct tc_ranks *ranks, const struct tc_rank_advice *advice)
{
	struct outcomes outcomes = {NULL, 0, 0};
	const struct tc_account_row *row;

	for (size_t i = 0; i < ranks->count; i++)
		if ((row = tc_find_check(job->advice, ranks->lines[i].trace_id,
			     advice->finding->heuristic->id)) &&
			row->outcome != TC_OUTCOME_FIRED)
			add_outcome(&outcomes, job->ctx, row, ranks->lines[i].rank);
	for (size_t i = 0; i < outcomes.count; i++) {
		const struct outcome *outcome = &outcomes.items[i];
		struct tc_buf *line = tc_doc_paragraph(&job->doc);
		if (outcome->rank_count == 1)
			tc_buf_format(line, "On rank %lld: ", (long long)outcome->rank);
		else
			tc_buf_format(line,
				"On %s%s ranks: ", outcomes.count == 1 ? "the other " : "",
				tc_show_count((int64_t)outcome->rank_count).text);
		append_outcome(line, job->ctx, outcome->row);
	}
	tc_free(outcomes.items);
}

/* A row for each rank with the finding: what the fix saves on it alone, and its first row of
 * evidence. */
static void put_ranks(
	struct tc_job *job, const struct tc_ranks *ranks, const struct tc_rank_advice *advice)
{
	static const char *const columns[] = {"rank", "saves alone", "<~evidence", NULL};
	const struct tc_finding *finding;

	tc_doc_break(&job->doc);
	tc_doc_table(&job->doc, columns);
	for (size_t i = 0; i < ranks->count; i++)
		if ((finding = tc_find_finding(
			     job->advice, ranks->lines[i].trace_id, advice->finding->heuristic)))
			put_rank(job, &ranks->lines[i], finding);
	put_other_ranks(job, ranks, advice);
	tc_doc_break(&job->doc);
}

/* A finding of a job once: as a whole on the rank that sets the pace (or where it saves most), and
 * in a row on each rank. */
static void put_job_finding(
	struct tc_job *job, const struct tc_ranks *ranks, const struct tc_rank_advice *advice)
{
	const struct tc_finding *finding = advice->finding;
	size_t number = tc_ranks_number(ranks, tc_text_from(finding->heuristic->id));
	struct tc_views views = tc_views_one(job, finding->trace_id);

	tc_doc_heading(&job->doc, "");
	if (number > 0)
		tc_buf_format(&job->doc.text, "#%zu ", number);
	tc_buf_format(&job->doc.text, "%s (%s)", finding->heuristic->title, finding->heuristic->id);
	put_job_gain(job, ranks, advice);
	for (const struct tc_view *view; (view = tc_views_next(&views));) {
		if (finding->evidence_count > 0) {
			tc_buf_format(tc_doc_paragraph(&job->doc),
				"On rank %lld:", (long long)view->rank);
			put_evidence(job, finding, MOST_EVIDENCE);
		}
		put_ranks(job, ranks, advice);
		put_texts(job, finding);
		tc_put_strip(job, view, finding);
		put_proof(job, view, finding);
	}
}

/* The outcome of a check on the rank that sets the pace, and on ranks where it is another one. */
static void put_job_outcome(
	struct tc_job *job, const struct tc_ranks *ranks, const struct tc_account_row *pace)
{
	put_outcome(job, pace);
	for (size_t i = 0; i < ranks->count; i++) {
		const struct tc_account_row *row = asked_row(job, ranks->lines[i].trace_id);
		if (!row || is_same_outcome(row, pace))
			continue;
		struct tc_buf *line = tc_doc_paragraph(&job->doc);
		tc_buf_format(line, "On rank %lld: ", (long long)ranks->lines[i].rank);
		append_outcome(line, job->ctx, row);
	}
}

/* The highest number of a finding in the report on a job. */
static size_t most_number(const struct tc_ranks *ranks)
{
	size_t most = 0;

	for (size_t i = 0; i < ranks->advice_count; i++) {
		size_t number = tc_ranks_number(
			ranks, tc_text_from(ranks->advice[i].finding->heuristic->id));
		most = number > most ? number : most;
	}
	return most;
}

static void explain_job(
	struct explained *explained, struct tc_job *job, const struct tc_ranks *ranks)
{
	const struct tc_rank_advice *advice = asked_advice(ranks, job->options.explain);
	const struct tc_account_row *row = asked_row(job, ranks->lines[ranks->pace].trace_id);

	tc_ranks_title(tc_doc_title(&job->doc), ranks);
	if (advice)
		put_job_finding(job, ranks, advice);
	else if (row)
		put_job_outcome(job, ranks, row);
	if (advice || row) {
		explained->found = true;
		tc_job_write(job);
	}
	tc_doc_clear(&job->doc);
	size_t most = most_number(ranks);
	explained->most = most > explained->most ? most : explained->most;
}

static const struct tc_heuristic *numbered_of_trace(
	size_t *most, struct tc_job *job, const struct tc_view *view, const char *asked)
{
	const struct tc_heuristic *heuristic = NULL;
	struct tc_fix_list fixes;

	if (!tc_fix_list_load(&fixes, job, view->id))
		return NULL;
	size_t index = asked_index(&fixes, asked);
	if (index < fixes.count)
		heuristic = fixes.all[index].finding->heuristic;
	*most = fixes.count;
	tc_fix_list_clear(&fixes);
	return heuristic;
}

const struct tc_heuristic *tc_explain_number(struct tc_job *job, const char *asked)
{
	const struct tc_heuristic *heuristic = NULL;
	struct tc_ranks_list list = tc_ranks_all(job);
	struct tc_views views = {0};
	size_t most = 0;

	const struct tc_ranks *ranks = tc_ranks_next(&list);
	if (ranks) {
		const struct tc_rank_advice *advice = asked_advice(ranks, asked);
		heuristic = advice ? advice->finding->heuristic : NULL;
		most = most_number(ranks);
		tc_ranks_close(&list);
	} else {
		views = tc_views_all(job);
		const struct tc_view *view = tc_views_next(&views);
		if (view)
			heuristic = numbered_of_trace(&most, job, view, asked);
		tc_views_close(&views);
	}
	if (!heuristic && !tc_ctx_failed(job->ctx))
		tc_finding_fail(job->ctx, job->advice, asked, most);
	return heuristic;
}

void tc_explain(struct tc_job *job)
{
	bool all = job->options.rank < 0;
	struct explained explained = {0};

	if (all) {
		struct tc_ranks_list list = tc_ranks_all(job);
		for (const struct tc_ranks *ranks; (ranks = tc_ranks_next(&list));)
			explain_job(&explained, job, ranks);
	}
	struct tc_views views = all ? tc_views_rest(job) : tc_views_all(job);
	for (const struct tc_view *view; (view = tc_views_next(&views));)
		explain_trace(&explained, job, view);
	if (!explained.found && !tc_ctx_failed(job->ctx))
		tc_finding_fail(job->ctx, job->advice, job->options.explain, explained.most);
}
