/*
 * The table of fixes: the findings of a trace that say what to change, best first, with what to do
 * below each. Where the trace has a plan, each fix shows what it saves alone, what it saves beside
 * those above it, and what is left then; all of it is replayed (table fix_set).
 */
#include "advice/ranking/ranking.h"
#include "core/alloc.h"
#include "core/saturate.h"
#include "names/label/label.h"
#include "report/view/view.h"
#include "report/text/format.h"
#include "report/screen/screen.h"

/* Fixes on the first screen unless --top is given. Markdown shows fewer: it is meant for comments
 * on a change. */
enum { SCREEN_FIXES = 5, MARKDOWN_FIXES = 3 };
/* Less of the critical path limits nothing alone, and would read as how busy a device is. */
#define LIMIT_LEAST_PCT 50
#define LEAST_FIXES 3 /* where the screen has no room for more and the plan has no more */
#define LEAST_PCT 1   /* of the wall time; a fix that saves less gets no row in the table */
#define NAMED_FIXES 3 /* how many of those are named */
#define IDLE_PCT 20   /* of the wall time: from here on, unexplained idle time gets a sentence */
#define DO_COLUMNS 75 /* one line of 80 columns, indented */

/* The gain of a fix; 0 if unknown. */
static int64_t gain_of(const struct tc_finding *finding)
{
	return finding->gain_ns > 0 ? finding->gain_ns : 0;
}

/* Returns 1 if the fix is a special case of the nearest fix of depth 0 above it, else 0. */
static int depth_of(const struct tc_fix_list *fixes, size_t index)
{
	size_t above = index;

	while (above > 0 && fixes->all[above - 1].depth > 0)
		above--;
	return above > 0 && tc_rank_is_part(fixes->all[index].finding->heuristic,
				    fixes->all[above - 1].finding->heuristic);
}

/* The number of a fix in the list; 0 if it is not there. */
static size_t number_of(const struct tc_fix_list *fixes, struct tc_text id)
{
	for (size_t i = 0; i < fixes->count; i++)
		if (tc_text_equal(tc_text_from(fixes->all[i].finding->heuristic->id), id))
			return i + 1;
	return 0;
}

/* Loads the gains of the fixes in the plan; of the others, the part of a step that each saves
 * alone.
 */
static void load_plan(struct tc_fix_list *fixes, struct tc_job *job, int64_t trace_id)
{
	struct tc_rows rows = TC_ROWS(job->ctx, job->db,
		"SELECT fix, alone_ns, added_ns, left_ns, whole_ns, step_before_ns IS NOT NULL"
		" FROM plan WHERE trace_id = ?1"
		" UNION ALL SELECT fix, coalesce(step_before_ns - step_after_ns, gain_ns), NULL, "
		"NULL,"
		" NULL, NULL FROM whatif w WHERE trace_id = ?1 AND NOT EXISTS (SELECT 1 FROM "
		"plan_fix p"
		"  WHERE p.trace_id = w.trace_id AND p.fix = w.fix)",
		trace_id);

	while (fixes->count > 0 && fixes->all[0].finding->plan_order > 0 && tc_rows_next(&rows)) {
		size_t number = number_of(fixes, tc_rows_text(&rows, 0));
		struct tc_shown_fix *fix = number > 0 ? &fixes->all[number - 1] : NULL;
		if (!fix)
			continue;
		fix->alone_ns = tc_rows_int(&rows, 1);
		if (tc_rows_null(&rows, 2))
			continue;
		if (fix->finding->plan_order > fixes->least_rows)
			fixes->least_rows = (int)fix->finding->plan_order;
		fix->added_ns = tc_rows_int(&rows, 2);
		fix->left_ns = tc_rows_int(&rows, 3);
		fixes->whole_ns = tc_rows_int(&rows, 4);
		fixes->has_steps = tc_rows_int(&rows, 5) != 0;
	}
	tc_rows_close(&rows);
	for (size_t i = 1; i < fixes->count; i++) {
		struct tc_shown_fix *fix = &fixes->all[i], *before = fix - 1;
		fix->is_hidden_before = fix->finding->plan_order > 1 &&
					fix->added_ns > before->added_ns + before->added_ns / 100;
	}
	/* What a rule claims without a replay is a share of the run, and so of a step. */
	for (size_t i = 0; i < fixes->count; i++) {
		struct tc_shown_fix *fix = &fixes->all[i];
		if (fix->alone_ns == 0 && fix->finding->gain_ns > 0)
			fix->alone_ns =
				(int64_t)((double)fixes->whole_ns * fix->finding->gain_pct / 100);
	}
}

bool tc_fix_list_load(struct tc_fix_list *fixes, struct tc_job *job, int64_t trace_id)
{
	*fixes = (struct tc_fix_list){.least_rows = LEAST_FIXES,
		.all = tc_calloc(job->advice->finding_count + 1, sizeof(*fixes->all))};
	if (!fixes->all) {
		tc_no_memory(job->ctx);
		return false;
	}
	for (const struct tc_finding *finding = NULL;
		(finding = tc_next_of_kind(job->advice, trace_id, TC_HEURISTIC_FIX, finding));) {
		fixes->all[fixes->count].finding = finding;
		fixes->all[fixes->count].depth = depth_of(fixes, fixes->count);
		fixes->count++;
	}
	load_plan(fixes, job, trace_id);
	return true;
}

void tc_fix_list_clear(struct tc_fix_list *fixes)
{
	tc_free(fixes->all);
	*fixes = (struct tc_fix_list){0};
}

void tc_append_do(struct tc_buf *line, const struct tc_finding *finding)
{
	struct tc_text text = tc_text_from(finding->advice);
	const char *end = tc_text_find(text, TC_TEXT(". "));
	struct tc_text reason = tc_evidence_text(finding, 0, "reason");
	struct tc_text subject = tc_text_from(
		finding->evidence_count == 1 || reason.len > 0 ? finding->evidence[0].subject : "");
	bool shows_subject = finding->heuristic->kind == TC_HEURISTIC_FIX && subject.len > 0 &&
			     !tc_text_starts(subject, TC_TEXT("device "));

	text.len = end ? (size_t)(end - text.ptr) : text.len;
	while (text.len > 0 && text.ptr[text.len - 1] == '.')
		text.len--;
	tc_buf_append_text(line, text);
	if (reason.len > 0) {
		struct tc_text launcher = tc_evidence_text(finding, 0, "operator");
		TC_APPEND(line, TC_TEXT(". "), launcher.len > 0 ? launcher : subject, TC_TEXT(": "),
			reason);
		if (finding->evidence_count > 1)
			tc_buf_format(line, "; and %zu more", finding->evidence_count - 1);
	} else if (shows_subject &&
		   tc_format_columns(text) + tc_format_columns(subject) + 4 <= DO_COLUMNS) {
		TC_APPEND(line, TC_TEXT(" ("), subject, TC_TEXT(")"));
	}
	tc_buf_append_char(line, '.');
}

void tc_append_anchor(struct tc_buf *buf, const struct tc_finding *finding)
{
	tc_buf_format(buf, "finding-%lld-%s", (long long)finding->trace_id, finding->heuristic->id);
}

static bool is_large(const struct tc_finding *finding)
{
	return finding->gain_ns > 0 && finding->gain_pct >= LEAST_PCT;
}

/* How many fixes the first screen shows. */
static size_t wanted(const struct tc_job *job)
{
	if (job->top_given)
		return (size_t)job->options.top;
	if (tc_job_is_page(job))
		return SIZE_MAX;
	return job->write == tc_doc_write_markdown ? MARKDOWN_FIXES : SCREEN_FIXES;
}

/* The table has the plan, the large fixes and those with a gain between them, so that its numbers
 * have no holes. Fixes that the plan covers are behind it. */
static bool is_in_table(const struct tc_fix_list *fixes, size_t index, bool has_plan)
{
	bool has_gain = fixes->all[index].finding->gain_ns > 0 &&
			!(has_plan && tc_adds_nothing(&fixes->all[index]));

	for (size_t i = index; has_gain && i < fixes->count; i++)
		if (is_large(fixes->all[i].finding) &&
			!(has_plan && tc_adds_nothing(&fixes->all[i])))
			return true;
	return has_plan && fixes->all[index].finding->plan_order > 0;
}

void tc_put_gain_cell(
	struct tc_doc *doc, const struct tc_finding *finding, const struct tc_gain_shown *gain)
{
	struct tc_buf *cell = tc_doc_cell(doc);

	if (gain->likely_ns <= 0) {
		tc_buf_append_char(cell, '-');
		return;
	}
	if (finding->confidence == TC_CONFIDENCE_GUESSED)
		tc_buf_append_string(cell, "guessed ");
	tc_format_gain(cell, gain);
	tc_doc_tone(doc, TC_TONE_GAIN);
}

const char *const tc_plan_columns[2][7] = {
	{"", "<~Fix, best first", "alone", "in this order", "run then", "=^", NULL},
	{"", "<~Fix, best first, per step", "alone", "in this order", "step then", "=^", NULL}};

static void append_alone(struct tc_buf *buf, const struct tc_shown_fix *fix)
{
	if (fix->finding->confidence == TC_CONFIDENCE_GUESSED)
		tc_buf_append_string(buf, "guessed ");
	const struct tc_gain_shown gain = tc_gain_like(fix->finding, fix->alone_ns);
	tc_format_gain(buf, &gain);
}

void tc_put_plan_cells(
	struct tc_doc *doc, const struct tc_fix_list *fixes, const struct tc_shown_fix *fix)
{
	struct tc_buf *alone = tc_doc_cell(doc);
	bool is_planned = fix && fix->finding->plan_order > 0;

	if (!fix || fix->alone_ns <= 0)
		tc_buf_append_string(alone, is_planned ? "nothing" : "-");
	else
		append_alone(alone, fix);
	if (!is_planned) {
		tc_doc_cell_string(doc, "-");
		tc_doc_cell_string(doc, "-");
		tc_doc_cell_bar(doc, 0);
		return;
	}
	if (fix->added_ns > 0)
		tc_doc_cell_ns(doc, fix->added_ns);
	else
		tc_doc_cell_string(doc, "nothing");
	tc_doc_tone(doc, fix->added_ns > 0 ? TC_TONE_GAIN : TC_TONE_PLAIN);
	tc_doc_cell_ns(doc, fix->left_ns);
	tc_doc_cell_bar(doc, tc_format_share_pct(fix->added_ns, fixes->whole_ns));
}

/* Gains as the table shows them. */
enum gains { GAINS_PLANNED, GAINS_ALONE, GAINS_HINTED };

static void put_row(
	struct tc_doc *doc, const struct tc_fix_list *fixes, size_t index, enum gains gains)
{
	const struct tc_shown_fix *fix = &fixes->all[index];
	const struct tc_finding *finding = fix->finding;

	tc_doc_cell_count(doc, (int64_t)index + 1);
	tc_buf_format(tc_doc_cell(doc), "%s%s", finding->heuristic->title,
		finding->heuristic->file ? " (user rule)" : "");
	tc_doc_depth(doc, fix->depth);
	tc_buf_append_char(tc_doc_link(doc), '#');
	tc_append_anchor(&doc->text, finding);
	if (gains == GAINS_PLANNED) {
		tc_put_plan_cells(doc, fixes, fix);
	} else {
		const struct tc_gain_shown gain = tc_gain_of(finding);
		tc_put_gain_cell(doc, finding, &gain);
	}
	if (gains == GAINS_ALONE)
		tc_doc_cell_share(doc, finding->gain_pct);
	tc_append_do(tc_doc_below(doc), finding);
	if (gains == GAINS_PLANNED)
		tc_append_order(&doc->text, fix, index + 1);
}

/* Says how many large fixes the table leaves out. Markdown points to its folded part where that has
 * them all, so that nobody needs to type a command. */
static void put_hidden(struct tc_job *job, size_t hidden)
{
	size_t all = hidden + wanted(job);

	if (job->write == tc_doc_write_text)
		tc_doc_more(&job->doc, hidden);
	else if (hidden > 0 && job->write == tc_doc_write_markdown &&
		 all <= (size_t)job->options.top)
		tc_buf_format(tc_doc_paragraph(&job->doc), "%zu more %s below, under More.", hidden,
			hidden == 1 ? "is" : "are");
	else if (hidden > 0)
		tc_job_say_more(job, hidden, "", all);
}

/* Begins a paragraph. */
static struct tc_buf *begin(struct tc_doc *doc, int give, int least)
{
	struct tc_buf *text = tc_doc_paragraph(doc);

	tc_doc_set_shrink_order(doc, give, least);
	return text;
}

/* Gains are of the whole trace, also where only one step is shown. */
static void put_table(
	struct tc_job *job, const struct tc_view *view, const struct tc_fix_list *fixes)
{
	static const char *const alone[] = {"", "<~Fix, best first", "saves", "?*", NULL};
	static const char *const hints[] = {"", "<~Hints", "saves", NULL};
	enum gains gains = !tc_verdict_judges(view) ? GAINS_HINTED
			   : fixes->whole_ns > 0    ? GAINS_PLANNED
						    : GAINS_ALONE;
	struct tc_doc *doc = &job->doc;
	size_t hidden = 0, shown = 0;

	tc_doc_table(doc, gains == GAINS_PLANNED ? tc_plan_columns[fixes->has_steps]
			  : gains == GAINS_ALONE ? alone
						 : hints);
	tc_doc_set_shrink_order(doc, TC_SHRINK_FIXES, fixes->least_rows);
	if (gains == GAINS_ALONE) {
		tc_buf_append_string(&doc->text, "of "); /* of the table, which has no other */
		tc_format_ns(&doc->text, tc_view_steady_ns(job->ctx, job->db, view->id));
	}
	for (size_t i = 0; i < fixes->count; i++) {
		if (!is_in_table(fixes, i, gains == GAINS_PLANNED))
			continue;
		if (shown++ >= wanted(job))
			hidden++;
		else
			put_row(doc, fixes, i, gains);
	}
	put_hidden(job, hidden);
}

/* Whether a fix that adds nothing to the first one of the plan saves as much without it, but for
 * 1 %. */
static bool replaces_first(const struct tc_fix_list *fixes, const struct tc_shown_fix *fix)
{
	return fix->alone_ns >= fixes->all[0].added_ns - fixes->all[0].added_ns / 100;
}

void tc_append_nothing_more(struct tc_buf *line, const struct tc_fix_list *fixes,
	const struct tc_shown_fix *fix, size_t number)
{
	tc_buf_format(line, "%s #%zu %s",
		line->len > 0 ? ";" : "Nothing more once these are made:", number,
		fix->finding->heuristic->title);
	if (fix->alone_ns <= 0)
		return;
	tc_buf_append_string(line, " (alone ");
	append_alone(line, fix);
	if (replaces_first(fixes, fix))
		tc_buf_format(line, ", as much as #1%s",
			tc_is_about_ranks(fixes->all[0].finding->heuristic)
				? ": the rank is then not late"
				: "");
	tc_buf_append_char(line, ')');
}

void tc_put_nothing_more(struct tc_doc *doc, struct tc_buf *text)
{
	struct tc_buf *line = begin(doc, TC_SHRINK_REST, 1);

	if (text->len > 0)
		TC_APPEND(line, tc_buf_text(text), TC_TEXT("."));
	tc_buf_end(line, text);
}

static void put_nothing_more(struct tc_job *job, const struct tc_fix_list *fixes)
{
	struct tc_buf text = TC_BUF_EMPTY;

	for (size_t i = 0; i < fixes->count; i++)
		if (tc_adds_nothing(&fixes->all[i]))
			tc_append_nothing_more(&text, fixes, &fixes->all[i], i + 1);
	tc_put_nothing_more(&job->doc, &text);
}

void tc_put_plan(struct tc_job *job, int64_t trace_id)
{
	struct tc_buf *line = begin(&job->doc, TC_SHRINK_PLAN, 1);
	struct tc_rows rows = TC_ROWS(job->ctx, job->db,
		"SELECT whole_ns, left_ns, limit_piece, limit_name, limit_pct,"
		" step_before_ns IS NOT NULL, ord FROM plan WHERE trace_id = ?1"
		" ORDER BY ord DESC LIMIT 1",
		trace_id);

	if (tc_rows_next(&rows) && tc_rows_int(&rows, 1) > 0) {
		if (tc_rows_int(&rows, 6) > 1) /* the table may show fewer */
			tc_buf_format(line, "The first %s together: ",
				tc_show_count(tc_rows_int(&rows, 6)).text);
		tc_buf_format(line, "%.2f x as fast as the %s%s",
			(double)tc_rows_int(&rows, 0) / (double)tc_rows_int(&rows, 1),
			tc_show_ns(tc_rows_int(&rows, 0)).text,
			tc_rows_int(&rows, 5) ? " of a steady step" : " of the run");
		if (tc_rows_real(&rows, 4) >= LIMIT_LEAST_PCT) {
			tc_buf_append_string(line, "; then on the critical path: ");
			tc_append_piece(line, tc_rows_text(&rows, 2), tc_rows_text(&rows, 3));
			tc_buf_format(line, " %s", tc_show_share(tc_rows_real(&rows, 4)).text);
		}
		tc_buf_append_char(line, '.');
	}
	tc_rows_close(&rows);
}

/* What a small fix saves alone, of what the table is of. */
static int64_t small_ns(const struct tc_fix_list *fixes, size_t index)
{
	return fixes->whole_ns > 0 ? fixes->all[index].alone_ns
				   : fixes->all[index].finding->gain_ns;
}

/* Whether the line on other fixes names it, though it may have no room. */
static bool is_other(const struct tc_fix_list *fixes, size_t index, bool has_plan)
{
	return !is_in_table(fixes, index, has_plan) &&
	       !(has_plan && tc_adds_nothing(&fixes->all[index]));
}

/* What is said of a gain that is no time, NULL of one that is; the same text each time. */
static const char *said_of(int64_t gain_ns)
{
	if (gain_ns > 0)
		return NULL;
	return gain_ns == 0 ? "no time to save:" : "gain unknown:";
}

/* What stands before a fix: of the first one, with nothing above it, a sentence begins. */
static void append_said(
	struct tc_buf *line, const char *said, const char *before, size_t count, bool is_below)
{
	if (count > 1)
		TC_APPEND(line, TC_TEXT(";"), tc_text_from(said && said != before ? " " : ""),
			tc_text_from(said && said != before ? said : ""));
	else if (!said)
		tc_buf_append_string(line, "Also:");
	else if (is_below)
		TC_APPEND(line, TC_TEXT("Also, "), tc_text_from(said));
	else
		tc_buf_format(line, "%c%s", said[0] - 'a' + 'A', said + 1);
}

/* "Also: #3 Small, 1.0 ms; gain unknown: #4 There is room for a larger batch": fixes with a small
 * gain, none, or an unknown one. Without a table above it, the line starts with "Gain unknown: #1
 * ...". */
static void append_also(struct tc_buf *line, const struct tc_fix_list *fixes, bool has_plan)
{
	bool is_below = fixes->count > 0 && is_large(fixes->all[0].finding);
	const char *before = NULL;
	size_t count = 0;

	for (size_t i = 0; i < fixes->count; i++) {
		const struct tc_finding *finding = fixes->all[i].finding;
		const char *said = said_of(finding->gain_ns);
		if (!is_other(fixes, i, has_plan) || count++ >= NAMED_FIXES)
			continue;
		append_said(line, said, before, count, is_below);
		before = said;
		tc_buf_format(line, " #%zu %s", i + 1, finding->heuristic->title);
		if (!said)
			tc_buf_format(line, ", %s%s%s", tc_show_ns(small_ns(fixes, i)).text,
				fixes->has_steps ? " a step" : "",
				finding->confidence == TC_CONFIDENCE_GUESSED ? " (guessed)" : "");
	}
	if (count > NAMED_FIXES)
		tc_buf_format(line, "; and %zu more", count - NAMED_FIXES);
	tc_buf_append_string(line, count > 0 ? "." : "");
}

static const char *no_fixes(const struct tc_view *view)
{
	return tc_verdict_judges(view) ? "No check found time to save in this trace."
				       : "No advice: this trace cannot show where time is lost.";
}

static int64_t no_work_of(struct tc_job *job, int64_t trace_id)
{
	struct tc_rows rows = TC_ROWS(job->ctx, job->db,
		"SELECT idle_ns FROM idle_cause WHERE trace_id = ?1 AND device IS NULL"
		" AND step IS NULL AND cause = ?2",
		trace_id);

	tc_rows_bind_text(&rows, 2, tc_text_from(tc_cause_name(TC_CAUSE_NO_WORK)));
	int64_t idle_ns = tc_rows_next(&rows) ? tc_rows_int(&rows, 0) : 0;
	tc_rows_close(&rows);
	return idle_ns;
}

/* Appends the idle time that is left even if no two gains overlap: no fix is known to save it. */
static void append_unexplained(struct tc_buf *line, struct tc_job *job, const struct tc_view *view,
	const struct tc_fix_list *fixes)
{
	int64_t wall_ns = tc_metric(&view->shown->run, TC_METRIC_WALL);
	int64_t idle_ns =
		tc_sub_saturated(tc_view_idle_ns(tc_view_device(view)), no_work_of(job, view->id));

	for (size_t i = 0; i < fixes->count; i++)
		idle_ns = tc_sub_saturated(idle_ns, gain_of(fixes->all[i].finding));
	if (job->options.step >= 0 || !tc_verdict_judges(view) ||
		tc_format_share_pct(idle_ns, wall_ns) < IDLE_PCT)
		return;
	tc_buf_format(line, "For %s of the idle time no check can estimate what a fix would save.",
		tc_show_ns(idle_ns).text);
}

void tc_put_fixes(struct tc_job *job, const struct tc_view *view, const struct tc_fix_list *fixes)
{
	bool has_plan = fixes->whole_ns > 0 && tc_verdict_judges(view);

	tc_doc_break(&job->doc);
	put_table(job, view, fixes);
	if (has_plan)
		put_nothing_more(job, fixes);
	/* A page has bars for it (html/page/hero.js). */
	if (has_plan && !tc_job_is_page(job))
		tc_put_plan(job, view->id);
	struct tc_buf *line = begin(&job->doc, TC_SHRINK_REST, 1);
	append_also(line, fixes, has_plan);
	tc_buf_append_string(line, fixes->count == 0 ? no_fixes(view) : "");
	line = begin(&job->doc, TC_SHRINK_REST, 0);
	if (fixes->count > 0)
		append_unexplained(line, job, view, fixes);
	if (fixes->count > 0 && job->options.step >= 0)
		tc_buf_append_string(line, "Advice is for the whole trace, not for the step only.");
}
