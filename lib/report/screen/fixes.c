/*
 * The table of fixes: the findings of a trace that say what to change, best first, with what to do
 * below each. Sentences below the table say what its numbers do not show: gains that overlap, gains
 * that other fixes hide, why the order is not that of the gains, and the plan.
 */
#include "advice/ranking/ranking.h"
#include "core/alloc.h"
#include "core/saturate.h"
#include "names/label/label.h"
#include "report/view/view.h"
#include "replay/program.h"
#include "report/text/format.h"
#include "report/screen/screen.h"

/* Fixes on the first screen unless --top is given. Markdown shows fewer: it is meant for comments
 * on a change. */
enum { SCREEN_FIXES = 5, MARKDOWN_FIXES = 3 };
#define LEAST_FIXES 3 /* where the screen has no room for more */
#define LEAST_PCT 1   /* of the wall time; a fix that saves less gets no row in the table */
#define NAMED_FIXES 3 /* how many of those are named */
#define IDLE_PCT 20   /* of the wall time: from here on, unexplained idle time gets a sentence */
#define NEWS_PART 20  /* a gain that exceeds the fix's idle time by 1/20 of it is explained */
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

bool tc_fix_list_load(struct tc_fix_list *fixes, struct tc_job *job, int64_t trace_id)
{
	*fixes = (struct tc_fix_list){
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
	struct tc_text subject =
		tc_text_from(finding->evidence_count == 1 ? finding->evidence[0].subject : "");
	bool shows_subject = finding->heuristic->kind == TC_HEURISTIC_FIX && subject.len > 0 &&
			     !tc_text_starts(subject, TC_TEXT("device "));

	text.len = end ? (size_t)(end - text.ptr) : text.len;
	while (text.len > 0 && text.ptr[text.len - 1] == '.')
		text.len--;
	tc_buf_append_text(line, text);
	if (shows_subject &&
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

/* The table has the large fixes and those with a gain between them, so that its numbers have no
 * holes. */
static bool is_in_table(const struct tc_fix_list *fixes, size_t index)
{
	for (size_t i = index; fixes->all[index].finding->gain_ns > 0 && i < fixes->count; i++)
		if (is_large(fixes->all[i].finding))
			return true;
	return false;
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

static void put_row(
	struct tc_doc *doc, const struct tc_fix_list *fixes, size_t index, bool has_share)
{
	const struct tc_finding *finding = fixes->all[index].finding;

	tc_doc_cell_count(doc, (int64_t)index + 1);
	tc_buf_format(tc_doc_cell(doc), "%s%s", finding->heuristic->title,
		finding->heuristic->file ? " (user rule)" : "");
	tc_doc_depth(doc, fixes->all[index].depth);
	tc_buf_append_char(tc_doc_link(doc), '#');
	tc_append_anchor(&doc->text, finding);
	const struct tc_gain_shown gain = tc_gain_of(finding);
	tc_put_gain_cell(doc, finding, &gain);
	if (has_share)
		tc_doc_cell_share(doc, finding->gain_pct);
	tc_append_do(tc_doc_below(doc), finding);
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

/* Begins a paragraph and returns where its text starts. */
static size_t begin(struct tc_doc *doc, int give, int least)
{
	size_t start = tc_doc_paragraph(doc)->len;

	tc_doc_set_shrink_order(doc, give, least);
	return start;
}

/* Begins the next sentence of the paragraph whose text starts there. */
static struct tc_buf *next_sentence(struct tc_doc *doc, size_t start)
{
	tc_buf_append_string(&doc->text, doc->text.len > start ? " " : "");
	return &doc->text;
}

/* Whether a fix of the table saves much more once others are made: what it saves alone is then no
 * bound. */
static bool hides_gains(struct tc_job *job, const struct tc_fix_list *fixes)
{
	for (size_t i = 0; i < fixes->count && i < wanted(job); i++)
		if (is_in_table(fixes, i) && tc_evidence_hidden_ns(job, fixes->all[i].finding) > 0)
			return true;
	return false;
}

/* The steady run, of which the gains are shares; without one all of the time. */
static int64_t steady_ns(struct tc_job *job, const struct tc_view *view)
{
	struct tc_rows rows = TC_ROWS(job->ctx, job->db,
		"SELECT wall_ns FROM steady WHERE trace_id = ?1 AND wall_ns > 0", view->id);
	int64_t ns = tc_rows_next(&rows) ? tc_rows_int(&rows, 0)
					 : tc_metric(&view->whole.run, TC_METRIC_WALL);

	tc_rows_close(&rows);
	return ns;
}

/* Gains are of the whole trace, also where only one step is shown. The text for readers of the
 * table starts at the position returned. */
static size_t put_table(
	struct tc_job *job, const struct tc_view *view, const struct tc_fix_list *fixes)
{
	static const char *const columns[][5] = {{"", "<Fix, best first", "saves", "?*", NULL},
		{"", "<Fix, best first", "saves alone", "?*", NULL}};
	static const char *const hints[][4] = {
		{"", "<Hints", "saves", NULL}, {"", "<Hints", "saves alone", NULL}};
	bool is_alone = hides_gains(job, fixes), judges = tc_verdict_judges(view);
	bool has_parts = false;
	struct tc_doc *doc = &job->doc;
	size_t hidden = 0, shown = 0;

	tc_doc_table(doc, judges ? columns[is_alone] : hints[is_alone]);
	tc_doc_set_shrink_order(doc, TC_SHRINK_FIXES, LEAST_FIXES);
	if (judges) {
		tc_buf_append_string(tc_doc_table_unit(doc), "of ");
		tc_format_ns(&doc->text, steady_ns(job, view));
	}
	for (size_t i = 0; i < fixes->count; i++) {
		if (!is_in_table(fixes, i))
			continue;
		if (shown++ >= wanted(job)) {
			hidden++;
			continue;
		}
		put_row(doc, fixes, i, judges);
		has_parts |= fixes->all[i].depth > 0;
	}
	put_hidden(job, hidden);
	size_t start = begin(doc, TC_SHRINK_READING, 0);
	if (shown > 1)
		tc_buf_format(&doc->text, "Each gain is that of one fix alone; they overlap.%s",
			has_parts ? " Indented: a special case of the fix above." : "");
	return start;
}

/* " #3 and #4": the special cases whose gains are subtracted from the gain of the whole. */
static void append_parts(
	struct tc_buf *line, const struct tc_fix_list *fixes, const struct tc_finding *whole)
{
	size_t count = 0, named = 0;

	for (size_t i = 0; i < fixes->count; i++)
		count += tc_rank_counts_as_part(fixes->all[i].finding, whole);
	for (size_t i = 0; i < fixes->count; i++) {
		if (!tc_rank_counts_as_part(fixes->all[i].finding, whole))
			continue;
		tc_buf_append_string(line, named == 0 ? " " : named + 1 == count ? " and " : ", ");
		tc_buf_format(line, "#%zu", i + 1);
		named++;
	}
}

/* "#5 saves 1.494 ms alone, and 193.2 ms once the fixes before it are made." */
static void append_hidden_gains(struct tc_job *job, const struct tc_fix_list *fixes, size_t start)
{
	for (size_t i = 0; i < fixes->count && i < wanted(job); i++) {
		const struct tc_finding *finding = fixes->all[i].finding;
		int64_t hidden_ns = is_in_table(fixes, i) ? tc_evidence_hidden_ns(job, finding) : 0;
		if (hidden_ns == 0)
			continue;
		struct tc_buf *line = next_sentence(&job->doc, start);
		tc_buf_format(line, "#%zu saves %s alone, and ", i + 1,
			tc_show_ns(finding->gain_ns).text);
		tc_buf_format(
			line, "%s once the fixes before it are made.", tc_show_ns(hidden_ns).text);
	}
}

/* "#2 causes 99.36 ms of idle time. It saves more, because later work starts sooner, too." */
static void append_larger_gains(struct tc_job *job, const struct tc_fix_list *fixes, size_t start)
{
	for (size_t i = 0; i < fixes->count && i < wanted(job); i++) {
		const struct tc_finding *finding = fixes->all[i].finding;
		int64_t idle_ns = tc_evidence_idle_ns(finding);
		if (!is_large(finding) || idle_ns == 0 ||
			finding->gain_ns - idle_ns < idle_ns / NEWS_PART)
			continue;
		struct tc_buf *line = next_sentence(&job->doc, start);
		tc_buf_format(line,
			"#%zu causes %s of idle time. It saves more, because later work starts "
			"sooner, too.",
			i + 1, tc_show_ns(idle_ns).text);
	}
}

/* Appends why fixes stand below one that saves less: " beyond its special cases: #2 saves 5.6 ms
 * beyond #3". */
static void append_falls(
	struct tc_buf *line, const struct tc_job *job, const struct tc_fix_list *fixes)
{
	int64_t least_ns = INT64_MAX;
	bool is_first = true;

	for (size_t i = 0; i < fixes->count && i < wanted(job); i++) {
		const struct tc_finding *finding = fixes->all[i].finding;
		bool falls = gain_of(finding) <= least_ns;
		least_ns = falls ? gain_of(finding) : least_ns;
		if (falls || finding->rank_ns == finding->gain_ns)
			continue;
		tc_buf_format(line, "%s#%zu saves ",
			is_first ? " beyond its special cases: " : "; ", i + 1);
		if (finding->rank_ns > 0)
			tc_format_ns(line, finding->rank_ns);
		else
			tc_buf_append_string(line, "nothing");
		tc_buf_append_string(line, " beyond");
		append_parts(line, fixes, finding);
		is_first = false;
	}
}

/* The first fix that takes away the cause that the verdict names; fixes->count for none. */
static size_t find_cause(
	struct tc_job *job, const struct tc_view *view, const struct tc_fix_list *fixes)
{
	enum tc_cause cause = tc_verdict_cause(job, view);
	size_t index = 0;

	while (index < fixes->count && !(fixes->all[index].finding->heuristic->causes >> cause & 1))
		index++;
	return index;
}

/* Says why the order is not what a reader expects of the verdict and of the gains: "The largest
 * cause of idle time is #2. The order is by what a fix saves beyond its special cases: #2 saves 5.6
 * ms beyond #3." */
static void append_reasons(struct tc_job *job, const struct tc_view *view,
	const struct tc_fix_list *fixes, size_t start)
{
	struct tc_buf falls = TC_BUF_EMPTY;
	size_t cause = find_cause(job, view, fixes);
	struct tc_buf *line = &job->doc.text;
	bool names_cause = cause > 0 && cause < fixes->count;

	append_falls(&falls, job, fixes);
	if (names_cause || falls.len > 0)
		next_sentence(&job->doc, start);
	if (names_cause)
		tc_buf_format(line, "The largest cause of idle time is #%zu. ", cause + 1);
	if (names_cause || falls.len > 0)
		TC_APPEND(line, TC_TEXT("The order is by what a fix saves"), tc_buf_text(&falls),
			TC_TEXT("."));
	tc_buf_end(line, &falls);
}

/* The work on which the critical path spends most time once the plan is carried out: "the device
 * (TPC)". */
static void append_limit(struct tc_buf *line, struct tc_text text, struct tc_text name)
{
	enum tc_piece piece = tc_piece_find(text);
	bool is_work = piece == TC_PIECE_DEVICE || piece == TC_PIECE_HOST;

	tc_buf_append_string(line, piece == TC_PIECE_DEVICE ? "the device"
				   : is_work                ? "the host"
							    : "waiting between pieces of work");
	if (name.ptr && is_work)
		TC_APPEND(line, TC_TEXT(" ("), tc_part_title(name), TC_TEXT(")"));
}

/* The number of a fix in the list; 0 if it is not there. */
static size_t number_of(const void *user, struct tc_text id)
{
	const struct tc_fix_list *fixes = user;

	for (size_t i = 0; i < fixes->count; i++)
		if (tc_text_equal(tc_text_from(fixes->all[i].finding->heuristic->id), id))
			return i + 1;
	return 0;
}

/* The length of a step runs from the end of the step before to its own end. The first step has none
 * before it, so the plan leaves it out. */
static void append_before(struct tc_buf *line, int64_t before_ns)
{
	tc_buf_format(line, "A step after the first takes %s; with ", tc_show_ns(before_ns).text);
}

/* "A step after the first takes 10.7 ms; with #1 fixed 5.2 ms, then #3 4.1 ms. After that the
 * limit is the device (MME): 74 % of the critical path." Returns false for a plan made under other
 * settings: it names fixes that are not in the list. */
static bool append_plan(
	struct tc_buf *line, tc_fix_number_fn number_of_fix, const void *user, struct tc_rows *rows)
{
	size_t count = 0;

	while (tc_rows_next(rows)) {
		size_t number = number_of_fix(user, tc_rows_text(rows, 0));
		if (number == 0 || tc_rows_null(rows, 1))
			return false;
		if (count++ == 0)
			append_before(line, tc_rows_int(rows, 1));
		else
			tc_buf_append_string(line, count == 2 ? ", then " : ", ");
		tc_buf_format(line, count == 1 ? "#%zu fixed " : "#%zu ", number);
		tc_format_ns(line, tc_rows_int(rows, 2));
		if (tc_rows_null(rows, 3))
			continue;
		tc_buf_append_string(line, ". After that the limit is ");
		append_limit(line, tc_rows_text(rows, 3), tc_rows_text(rows, 4));
		tc_buf_format(line, ": %s of the critical path.",
			tc_show_share(tc_rows_real(rows, 5)).text);
	}
	return count > 0;
}

void tc_put_plan(
	struct tc_job *job, int64_t trace_id, tc_fix_number_fn number_of_fix, const void *user)
{
	struct tc_buf line = TC_BUF_EMPTY;
	struct tc_rows rows = TC_ROWS(job->ctx, job->db,
		"SELECT fix, step_before_ns, step_after_ns, limit_piece, limit_name, limit_pct"
		" FROM plan WHERE trace_id = ?1 ORDER BY ord",
		trace_id);

	bool there = append_plan(&line, number_of_fix, user, &rows);
	tc_rows_close(&rows);
	begin(&job->doc, TC_SHRINK_PLAN, 1);
	if (there)
		tc_buf_append_text(&job->doc.text, tc_buf_text(&line));
	tc_buf_clear(&line);
}

/* ", 1.0 ms", or ", 1.0 ms alone, 9.0 ms after the others" where the plan shows that other fixes
 * hide its gain; and " (guessed)" behind what is. */
static void append_small_gain(
	struct tc_buf *line, struct tc_job *job, const struct tc_finding *finding)
{
	int64_t hidden_ns = tc_evidence_hidden_ns(job, finding);

	tc_buf_format(line, ", %s", tc_show_ns(finding->gain_ns).text);
	if (hidden_ns > 0)
		tc_buf_format(line, " alone, %s after the others", tc_show_ns(hidden_ns).text);
	if (finding->confidence == TC_CONFIDENCE_GUESSED)
		tc_buf_append_string(line, " (guessed)");
}

/* "Also: #3 Small, 1.0 ms; gain unknown: #4 There is room for a larger batch": fixes with a small
 * or unknown gain. Without a table above it, the line starts with "Gain unknown: #1 ...". */
static void append_also(struct tc_job *job, const struct tc_fix_list *fixes)
{
	const char *first = fixes->count > 0 && is_large(fixes->all[0].finding)
				    ? "Also, gain unknown:"
				    : "Gain unknown:";
	struct tc_buf *line = &job->doc.text;
	size_t count = 0;
	bool was_known = true;

	for (size_t i = 0; i < fixes->count; i++) {
		const struct tc_finding *finding = fixes->all[i].finding;
		bool is_known = finding->gain_ns > 0;
		if (is_in_table(fixes, i) || count++ >= NAMED_FIXES)
			continue;
		if (was_known && !is_known)
			tc_buf_append_string(line, count == 1 ? first : "; gain unknown:");
		else
			tc_buf_append_string(line, count == 1 ? "Also:" : ";");
		was_known = is_known;
		tc_buf_format(line, " #%zu %s", i + 1, finding->heuristic->title);
		if (is_known)
			append_small_gain(line, job, finding);
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
static void append_unexplained(struct tc_job *job, const struct tc_view *view,
	const struct tc_fix_list *fixes, int64_t no_work_ns, size_t start)
{
	int64_t wall_ns = tc_metric(&view->shown->run, TC_METRIC_WALL);
	int64_t idle_ns = tc_sub_saturated(tc_verdict_idle_ns(view), no_work_ns);

	for (size_t i = 0; i < fixes->count; i++)
		idle_ns = tc_sub_saturated(idle_ns, gain_of(fixes->all[i].finding));
	if (job->options.step >= 0 || !tc_verdict_judges(view) ||
		tc_format_share_pct(idle_ns, wall_ns) < IDLE_PCT)
		return;
	struct tc_buf *line = next_sentence(&job->doc, start);
	tc_buf_format(line, "For %s of the idle time no check can estimate what a fix would save.",
		tc_show_ns(idle_ns).text);
}

void tc_put_fixes(struct tc_job *job, const struct tc_view *view, const struct tc_fix_list *fixes)
{
	int64_t no_work_ns = no_work_of(job, view->id);

	tc_doc_break(&job->doc);
	size_t start = put_table(job, view, fixes);
	append_larger_gains(job, fixes, start);
	append_reasons(job, view, fixes, start);
	start = job->doc.text.len;
	tc_put_plan(job, view->id, number_of, fixes);
	append_hidden_gains(job, fixes, start);
	start = begin(&job->doc, TC_SHRINK_REST, 1);
	append_also(job, fixes);
	tc_buf_append_string(&job->doc.text, fixes->count == 0 ? no_fixes(view) : "");
	append_unexplained(job, view, fixes, no_work_ns, start);
	if (fixes->count > 0 && job->options.step >= 0)
		tc_buf_append_string(next_sentence(&job->doc, start),
			"Advice is for the whole trace, not for the step only.");
}
