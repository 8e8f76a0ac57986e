/*
 * tracecoach --format html: one file with the whole report, which opens by a double click. The
 * first screen is that of the text report; findings, tables and the account unfold below it.
 *
 * The page around it is page/report.html, with its style and scripts put in by the build. Names and
 * texts of the trace get into it as escaped text only.
 */
#include "report/html/page.h"

#include "advice/advice_names.h"

#include "core/alloc.h"
#include "report/screen/screen.h"
#include "report/sections/section.h"
#include "report/text/format.h"
#include "report/view/ranks.h"
#include "tracecoach/version.h"

/* ---- the page around a report: its text has two marks, one for the title and one for the body */

#define TITLE_MARK TC_TEXT("<!-- title -->")
#define BODY_MARK TC_TEXT("<!-- body -->")

extern const char tc_html_page[];

/* Splits the text at the mark; the mark is dropped. */
static struct tc_text take_until(struct tc_text *text, struct tc_text mark)
{
	size_t len = (size_t)(tc_text_find(*text, mark) - text->ptr);
	struct tc_text taken = {text->ptr, len};

	text->ptr += len + mark.len;
	text->len -= len + mark.len;
	return taken;
}

void tc_page_begin(struct tc_sink *sink, struct tc_text title)
{
	struct tc_text page = tc_text_from(tc_html_page);

	tc_sink_text(sink, take_until(&page, TITLE_MARK));
	tc_html_escape(sink, title);
	tc_sink_put(sink, " - tracecoach");
	tc_sink_text(sink, take_until(&page, BODY_MARK));
}

void tc_page_end(struct tc_sink *sink)
{
	struct tc_text page = tc_text_from(tc_html_page);

	take_until(&page, BODY_MARK);
	tc_sink_text(sink, page);
}

void tc_page_article(
	const struct tc_doc *doc, struct tc_sink *sink, const struct tc_report_options *options)
{
	tc_sink_put(sink, "<article>\n");
	tc_doc_write_html(doc, sink, options);
	tc_sink_put(sink, "</article>\n");
}

/* ---- the operator tree of a trace: its heaviest nodes, as packed JSON. Each node is an array:
 * id, id of the parent or -1, name, phase or null, calls, and ns of host time, host self time,
 * device time and device self time. page/tree.js draws it. Nodes with a small share of all time are
 * left out, but for those that a kept node is below. Such a node may have less time than what it
 * calls: a call that never ended has none. */

#define TREE_NODES 3000
#define SHARES 4096 /* halved until few enough nodes have a larger part of all time */
#define NAME_COLUMNS 200

/* ?1 is the trace, ?2 the number of shares. The times of all nodes themselves are all time. */
#define KEPT_SQL                                                                                   \
	"WITH RECURSIVE heavy(id) AS (SELECT n.id FROM op_tree_row n,"                             \
	" (SELECT total(host_self_ns) AS host_ns, total(self_exclusive_ns) AS device_ns"           \
	" FROM op_tree_row WHERE trace_id = ?1) w WHERE n.trace_id = ?1"                           \
	" AND (n.host_ns > w.host_ns / ?2 OR n.exclusive_ns > w.device_ns / ?2)),"                 \
	" kept(id) AS (SELECT id FROM heavy UNION SELECT n.parent_id FROM kept"                    \
	" JOIN op_tree_row n ON n.id = kept.id WHERE n.parent_id IS NOT NULL) "

/* Sets *shares so that at most TREE_NODES nodes are kept because some have more than 1 / *shares
 * of all time. Returns how many are. */
static int64_t choose_shares(int64_t *shares, struct tc_job *job, int64_t trace_id)
{
	int64_t count = INT64_MAX;
	struct tc_rows rows =
		tc_rows_prepare(job->ctx, job->db, KEPT_SQL "SELECT count(*) FROM kept");

	for (*shares = SHARES; count > TREE_NODES && *shares > 1;) {
		*shares /= 2;
		tc_rows_again(&rows, trace_id);
		tc_rows_bind(&rows, 2, *shares);
		count = tc_rows_next(&rows) ? tc_rows_int(&rows, 0) : 0;
	}
	tc_rows_close(&rows);
	return count;
}

static void put_node(struct tc_json *json, const struct tc_view *view, const struct tc_rows *row)
{
	struct tc_buf name = TC_BUF_EMPTY, clean = TC_BUF_EMPTY;

	tc_names_append(view->names, &name, tc_rows_text(row, 2));
	tc_format_clean(&clean, tc_buf_text(&name), false, NAME_COLUMNS);
	tc_json_array(json, NULL);
	tc_json_int(json, NULL, tc_rows_int(row, 0));
	tc_json_int(json, NULL, tc_rows_null(row, 1) ? -1 : tc_rows_int(row, 1));
	tc_json_take(json, NULL, &clean);
	tc_json_text(json, NULL, tc_rows_text(row, 3));
	for (int column = 4; column < 9; column++)
		tc_json_int(json, NULL, tc_rows_int(row, column));
	tc_json_end(json);
	tc_buf_end(&json->sink->buf, &name);
}

static void put_nodes(
	struct tc_buf *text, struct tc_job *job, const struct tc_view *view, int64_t shares)
{
	struct tc_sink sink;
	struct tc_json json = {.sink = &sink};

	tc_sink_init_buf(&sink, text);
	struct tc_rows rows = TC_ROWS(job->ctx, job->db,
		KEPT_SQL "SELECT n.id, n.parent_id, n.name, n.phase, n.count, n.host_ns,"
			 " n.host_self_ns, n.exclusive_ns, n.self_exclusive_ns"
			 " FROM kept JOIN op_tree n ON n.id = kept.id ORDER BY n.id",
		view->id, shares);
	tc_json_array(&json, NULL);
	while (tc_rows_next(&rows))
		put_node(&json, view, &rows);
	tc_json_end(&json);
	tc_sink_close(&sink, job->ctx);
}

/* Writes the tree; nothing for a trace without host slices. */
static void put_tree(struct tc_job *job, const struct tc_view *view)
{
	struct tc_buf text = TC_BUF_EMPTY;
	int64_t shares;

	if (choose_shares(&shares, job, view->id) == 0)
		return;
	put_nodes(&text, job, view, shares);
	tc_sink_put(&job->sink, "<section class=\"tree\">\n<h2>Operator tree</h2>\n"
				"<script type=\"application/octet-stream\" class=\"tree\">");
	tc_columns_write(&job->sink, &text);
	tc_sink_put(&job->sink, "</script>\n</section>\n");
	tc_buf_clear(&text);
}

/* ---- what sets of fixes win, for the ticks of the table of fixes (page/hero.js): an object in an
 * attribute. left: ns by set; paths: by set, where it was followed, pieces with words and ns;
 * fixes: what stands below the title. */

static void put_sets(struct tc_json *json, struct tc_job *job, int64_t trace_id)
{
	struct tc_rows rows = TC_ROWS(job->ctx, job->db,
		"SELECT left_ns FROM fix_set_time WHERE trace_id = ?1 ORDER BY mask", trace_id);

	tc_json_array(json, "left");
	while (tc_rows_next(&rows))
		tc_json_int(json, NULL, tc_rows_int(&rows, 0));
	tc_json_end(json);
}

static void put_paths(struct tc_json *json, struct tc_job *job, int64_t trace_id)
{
	struct tc_rows rows = TC_ROWS(job->ctx, job->db,
		"SELECT mask, piece, name, dur_ns FROM fix_set_path WHERE trace_id = ?1"
		" ORDER BY mask, dur_ns DESC, rowid",
		trace_id);
	struct tc_buf words = TC_BUF_EMPTY;

	tc_json_array(json, "paths");
	while (tc_rows_next(&rows)) {
		tc_json_array(json, NULL);
		tc_json_int(json, NULL, tc_rows_int(&rows, 0));
		tc_json_text(json, NULL, tc_rows_text(&rows, 1));
		tc_json_text(json, NULL, tc_rows_text(&rows, 2));
		tc_append_piece(&words, tc_rows_text(&rows, 1), tc_rows_text(&rows, 2));
		tc_json_take(json, NULL, &words);
		tc_json_int(json, NULL, tc_rows_int(&rows, 3));
		tc_json_end(json);
	}
	tc_json_end(json);
}

/* The confidence of a finding, and its guilty line: the subject, and the slice of the host under
 * which most of its time lies, where its heuristic finds one. */
static void put_fix(struct tc_json *json, struct tc_job *job, const struct tc_finding *finding)
{
	struct tc_text under = tc_evidence_text(finding, 0, "top_host_op");
	struct tc_buf subject = TC_BUF_EMPTY, clean = TC_BUF_EMPTY;

	if (finding->evidence_count > 0)
		tc_names_append(&job->names, &subject, tc_text_from(finding->evidence[0].subject));
	if (under.len > 0)
		TC_APPEND(&subject, TC_TEXT(", most under "), under);
	tc_format_clean(&clean, tc_buf_text(&subject), false, NAME_COLUMNS);
	tc_json_array(json, NULL);
	tc_json_string(json, NULL, tc_confidence_name(finding->confidence));
	tc_json_take(json, NULL, &clean);
	tc_json_end(json);
	tc_buf_end(&job->sink.buf, &subject);
}

static void put_ticks(
	struct tc_job *job, const struct tc_view *view, const struct tc_fix_list *fixes)
{
	struct tc_buf text = TC_BUF_EMPTY;
	struct tc_sink sink;
	struct tc_json json = {.sink = &sink};

	if (fixes->whole_ns == 0 || !tc_verdict_judges(view))
		return;
	tc_sink_init_buf(&sink, &text);
	tc_json_object(&json, NULL);
	tc_json_bool(&json, "steps", fixes->has_steps);
	put_sets(&json, job, view->id);
	put_paths(&json, job, view->id);
	tc_json_array(&json, "fixes");
	for (size_t i = 0; i < fixes->count; i++)
		put_fix(&json, job, fixes->all[i].finding);
	tc_json_end(&json);
	tc_json_end(&json);
	tc_sink_close(&sink, job->ctx);
	tc_sink_put(&job->sink, "<div class=\"hero\" data-fixes=\"");
	tc_html_escape(&job->sink, tc_buf_text(&text));
	tc_sink_put(&job->sink, "\"></div>\n");
	tc_buf_clear(&text);
}

/* ---- the jobs of a store, below their screens: findings. For the first job there are the
 * timelines of two ranks, one above the other: the rank that sets the pace and the rank that waits
 * most. Those of the other ranks are there, too, and shown when a reader picks a step of one
 * (page/start.js). */

/* No more of them: a timeline costs about as much as reading the trace did. */
#define TIMELINE_RANKS 16
#define RANK_ITEMS 20000 /* of the timeline of a rank that is hidden at first */

/* Writes the findings that the screen of the job links to, in its order. */
static void put_job_cards(struct tc_job *job, const struct tc_ranks *ranks)
{
	struct tc_fix_list fixes = {.all = tc_calloc(ranks->advice_count + 1, sizeof(*fixes.all))};

	if (!fixes.all)
		tc_no_memory(job->ctx);
	for (size_t i = 0; i < ranks->advice_count && fixes.all; i++)
		if (ranks->advice[i].finding->heuristic->kind == TC_HEURISTIC_FIX)
			fixes.all[fixes.count++].finding = ranks->advice[i].finding;
	if (fixes.count > 0)
		tc_doc_heading(&job->doc, "Findings");
	for (size_t i = 0; i < fixes.count; i++) {
		struct tc_views views = tc_views_one(job, fixes.all[i].finding->trace_id);
		for (const struct tc_view *view; (view = tc_views_next(&views));)
			tc_put_card(job, view, &fixes, i, true);
	}
	tc_job_write(job);
	tc_fix_list_clear(&fixes);
}

/* Chooses the rank to show beside the one that sets the pace: the rank that waits most, or the
 * fastest one when waits are not known. */
static size_t find_other(const struct tc_ranks *ranks)
{
	size_t other = ranks->pace > 0 ? 0 : 1;

	for (size_t i = 0; i < ranks->count; i++) {
		const struct tc_rank_line *line = &ranks->lines[i], *best = &ranks->lines[other];
		if (i != ranks->pace && (ranks->has_waits ? line->wait_ns > best->wait_ns
							  : line->wall_ns < best->wall_ns))
			other = i;
	}
	return other;
}

/* The start of each recording on a common clock, from that of the first one; all 0 when no common
 * clock is known. In the order of the lines. NULL when memory is out. */
static int64_t *find_shifts(struct tc_job *job, const struct tc_ranks *ranks)
{
	struct tc_rows rows = TC_ROWS(job->ctx, job->db,
		"SELECT coalesce(t.base_time_ns, 0) + t.start_ns - j.clock_offset_ns"
		" FROM job_rank j JOIN trace t ON t.id = j.trace_id"
		" WHERE j.job_id = ?1 ORDER BY j.rank",
		ranks->job_id);
	int64_t *shifts = tc_new(job->ctx, ranks->count, sizeof(*shifts));
	int64_t first_ns = INT64_MAX;
	bool known = shifts && !ranks->by_guess;

	for (size_t i = 0; i < ranks->count && tc_rows_next(&rows) && known; i++) {
		known = !tc_rows_null(&rows, 0);
		shifts[i] = tc_rows_int(&rows, 0);
		first_ns = shifts[i] < first_ns ? shifts[i] : first_ns;
	}
	tc_rows_close(&rows);
	for (size_t i = 0; i < ranks->count && shifts; i++)
		shifts[i] = known ? tc_sub_saturated(shifts[i], first_ns) : 0;
	return shifts;
}

static void put_rank_timeline(
	struct tc_job *job, const struct tc_view *view, struct tc_timeline_options options)
{
	struct tc_buf heading = TC_BUF_EMPTY;

	tc_buf_format(&heading, "Timeline of rank %lld", (long long)view->rank);
	if (options.shift_ns > 0)
		tc_buf_format(
			&heading, ", which starts %s later", tc_show_ns(options.shift_ns).text);
	options.heading = tc_buf_string(&heading);
	if (options.heading)
		tc_put_timeline(&job->sink, job, view, &options);
	else
		tc_no_memory(job->ctx);
	tc_buf_clear(&heading);
}

static void put_rank_timelines(struct tc_job *job, const struct tc_ranks *ranks)
{
	const size_t shown[2] = {ranks->pace, find_other(ranks)};
	const size_t count = ranks->count < TIMELINE_RANKS ? ranks->count : TIMELINE_RANKS;
	int64_t *shifts = find_shifts(job, ranks);

	for (size_t i = 0; shifts && i < count + 2; i++) {
		size_t at = i < 2 ? shown[i] : i - 2;
		if (i >= 2 && (at == shown[0] || at == shown[1]))
			continue;
		const struct tc_timeline_options options = {
			.budget = i < 2 ? TC_TIMELINE_ITEMS / 2 : RANK_ITEMS,
			.is_linked = true,
			.is_rank = true,
			.is_hidden = i >= 2,
			.shift_ns = shifts[at],
			.apart_ns = ranks->starts_apart_ns};
		struct tc_views views = tc_views_one(job, ranks->lines[at].trace_id);
		for (const struct tc_view *view; (view = tc_views_next(&views));)
			put_rank_timeline(job, view, options);
	}
	tc_free(shifts);
}

/* With --details the findings and timelines are in the reports of the ranks. */
static void put_jobs(struct tc_job *job)
{
	bool has_reports = job->options.details || job->options.step >= 0;
	bool has_timelines = has_reports;
	struct tc_ranks_list list = tc_ranks_all(job);

	for (const struct tc_ranks *ranks; (ranks = tc_ranks_next(&list));) {
		if (!has_reports)
			put_job_cards(job, ranks);
		if (!has_timelines && ranks->count > 1)
			put_rank_timelines(job, ranks);
		has_timelines = true;
	}
}

/* ---- the report */

#define TIMELINE_LEAST 20000 /* limit on the items of all timelines together */
#define DEFAULT_ROWS 50      /* rows of each table; tables are folded and can be filtered */

static void put_rest(
	struct tc_job *job, const struct tc_view *view, const struct tc_fix_list *fixes)
{
	tc_put_cards(job, view, fixes);
	tc_job_write(job);
	const struct tc_timeline_options timeline = {
		.budget = TC_TIMELINE_ITEMS /
				  (job->options.rank < 0 ? (size_t)view->trace_count : 1) +
			  TIMELINE_LEAST,
		.heading = "Timeline"};
	tc_put_timeline(&job->sink, job, view, &timeline);
	tc_put_sections(job, view, "pictures");
	tc_job_write(job);
	put_tree(job, view);
	tc_doc_fold(&job->doc, "Devices, host and tables");
	tc_put_device_details(job, view);
	tc_put_host_time(job, view);
	tc_put_details(job, view);
	tc_doc_fold_end(&job->doc);
	tc_doc_fold(&job->doc, "What was not checked, and the import log");
	tc_put_account(job, view);
	tc_doc_fold_end(&job->doc);
}

static void put_trace(struct tc_job *job, const struct tc_view *view)
{
	struct tc_fix_list fixes;

	if (!tc_fix_list_load(&fixes, job, view->id))
		return;
	job->write = tc_doc_write_html;
	tc_sink_put(&job->sink, "<article>\n");
	tc_buf_append_text(tc_doc_title(&job->doc), view->path);
	tc_put_run(job, view);
	put_ticks(job, view, &fixes);
	tc_put_screen(job, view, &fixes);
	if (tc_view_shows_time(job, view))
		put_rest(job, view, &fixes);
	tc_job_write(job);
	tc_sink_put(&job->sink, "</article>\n");
	job->write = tc_page_article;
	tc_fix_list_clear(&fixes);
}

#define SINCE_2015_NS                                                                              \
	"1420070400000000000" /* earlier times are those of a clock that began at a boot */
#define FOOTER_TRACES 8       /* that the command names */

/* How long the path of the directory is, without its last slash. */
static size_t shared_directory(struct tc_text first, struct tc_text last)
{
	size_t end = 0;

	for (size_t i = 0; i < first.len && i < last.len && first.ptr[i] == last.ptr[i]; i++)
		if (first.ptr[i] == '/')
			end = i;
	return end;
}

/* The last parts of the path: that of the trace, or of the directory that several share; a store
 * may have no name. */
static void append_title(struct tc_buf *title, struct tc_job *job)
{
	struct tc_rows rows =
		tc_rows_open(job->ctx, job->db, "SELECT min(path), max(path), count(*) FROM trace");
	struct tc_text path = TC_TEXT_NONE;
	int64_t count = 0;

	if (tc_rows_next(&rows)) {
		path = tc_rows_text(&rows, 0);
		count = tc_rows_int(&rows, 2);
	}
	struct tc_text shared = {
		path.ptr, count > 1 ? shared_directory(path, tc_rows_text(&rows, 1)) : 0};
	TC_APPEND(title, tc_page_name(shared.len > 0 ? shared : path));
	if (shared.len > 0)
		tc_buf_format(title, ", %s traces", tc_show_count(count).text);
	else if (count > 1)
		tc_buf_format(title, " and %s more", tc_show_count(count - 1).text);
	tc_rows_close(&rows);
}

/* Appends the command that makes such a page of the traces, with the options that decide what is
 * in it. It names no output and no store, so pages of one recording are the same bytes. */
static void append_command(struct tc_buf *line, struct tc_job *job)
{
	const struct tc_report_options *options = &job->options;
	int64_t count = tc_rows_single(job->ctx, job->db, "SELECT count(*) FROM trace", 0);
	struct tc_rows rows = tc_rows_open(job->ctx, job->db, "SELECT path FROM trace ORDER BY id");

	tc_buf_append_string(line, "tracecoach");
	if (count > FOOTER_TRACES)
		tc_buf_append_string(line, " TRACES");
	while (count <= FOOTER_TRACES && tc_rows_next(&rows)) {
		tc_buf_append_char(line, ' ');
		tc_format_shell_word(line, tc_rows_text(&rows, 0));
	}
	tc_rows_close(&rows);
	tc_buf_append_string(line, " --format html");
	if (options->details)
		tc_buf_append_string(line, " --details");
	if (job->top_given)
		tc_buf_format(line, " --top %d", options->top);
	if (options->step >= 0)
		tc_buf_format(line, " --step %lld", (long long)options->step);
	if (options->rank >= 0)
		tc_buf_format(line, " --rank %lld", (long long)options->rank);
}

/* The origin of the page: version, date of the recording, command. No clock is read, so the
 * same input gives the same bytes. */
static void put_footer(struct tc_job *job)
{
	struct tc_buf command = TC_BUF_EMPTY;
	struct tc_rows rows = tc_rows_open(job->ctx, job->db,
		"SELECT strftime(', recorded on %Y-%m-%d at %H:%M UTC', min(ns) / 1000000000,"
		" 'unixepoch') FROM (SELECT coalesce(base_time_ns, 0) + start_ns AS ns FROM trace)"
		" WHERE ns > " SINCE_2015_NS);

	tc_sink_put(&job->sink, "<footer>\n<p class=\"below\">tracecoach " TC_VERSION);
	if (tc_rows_next(&rows))
		tc_html_escape(&job->sink, tc_rows_text(&rows, 0));
	tc_rows_close(&rows);
	tc_sink_put(&job->sink, ". What a finding means: <code>tracecoach heuristics ID</code>. "
				"This page again: <code>");
	append_command(&command, job);
	tc_html_escape(&job->sink, tc_buf_text(&command));
	tc_sink_put(&job->sink, "</code></p>\n</footer>\n");
	tc_buf_end(&job->sink.buf, &command);
}

void tc_render_html(struct tc_job *job)
{
	struct tc_buf title = TC_BUF_EMPTY;

	append_title(&title, job);
	job->options.top = job->top_given ? job->options.top : DEFAULT_ROWS;
	job->write = tc_page_article;
	tc_page_begin(&job->sink, tc_buf_text(&title));
	tc_buf_clear(&title);
	tc_put_pages(job, put_trace);
	if (job->options.rank < 0)
		put_jobs(job);
	put_footer(job);
	tc_page_end(&job->sink);
}
