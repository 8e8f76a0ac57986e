/*
 * Where the time went, and the memory of the devices. A device's rows partition its analysed wall
 * time: each row has the time that no row above it covers, and the last one has the time in which
 * nothing works. The details give the work outside of the analysed time. The host's rows partition
 * the steps of its launching threads in the same way.
 */
#include "report/screen/screen.h"

#include <string.h>

#include "core/alloc.h"
#include "core/array.h"
#include "report/sections/section.h"
#include "report/text/format.h"
#include "report/view/view.h"

#define DEVICE_ROWS 16
#define LARGE_PCT 0.1    /* of the time: from here on, a surplus shows in the digits of the rows */
#define SCREEN_DEVICES 5 /* on the first screen; the details have the rest */

static const struct tc_part *parts_of(const struct tc_view *view, size_t *count)
{
	return tc_device_parts(tc_view_has(view, TC_METRIC_HAS_GAUDI), count);
}

static const struct lane_part {
	enum tc_metric mean, count;
	const char *name;
} lane_parts[] = {
	{TC_METRIC_TPC_OCCUPANCY, TC_METRIC_TPC_LANES, "TPC"},
	{TC_METRIC_MME_OCCUPANCY, TC_METRIC_MME_LANES, "MME"},
};

/* "21.3 of 24", or "-" if the device has no such lanes. */
static void put_lane_cell(
	struct tc_doc *doc, const struct tc_metric_set *device, const struct lane_part *part)
{
	struct tc_buf *cell = tc_doc_cell(doc);

	if (device->cells[part->mean].present)
		tc_buf_format(cell, "%.1f of %lld", tc_metric_real(device, part->mean),
			(long long)tc_metric(device, part->count));
	else
		tc_buf_append_char(cell, '-');
}

/* "Lanes that work at once, on average: TPC 21.3 of 24, MME 3.9 of 4." */
static void append_lanes(struct tc_buf *text, const struct tc_metric_set *device)
{
	const struct lane_part *rows = lane_parts;
	const char *before = "Lanes that work at once, on average: ";

	for (size_t i = 0; i < TC_COUNT_OF(lane_parts); i++) {
		if (!device->cells[rows[i].mean].present)
			continue;
		tc_buf_format(text, "%s%s %.1f of ", before, rows[i].name,
			tc_metric_real(device, rows[i].mean));
		tc_format_count(text, tc_metric(device, rows[i].count));
		before = ", ";
	}
	if (before[0] == ',')
		tc_buf_append_string(text, ". ");
}

/* The rows of a device together: its work, idle time, start and end. */
static int64_t rows_of(const struct tc_view *view, const struct tc_metric_set *device)
{
	size_t count;
	const struct tc_part *parts = parts_of(view, &count);
	int64_t ns = tc_add_saturated(
		tc_view_idle_ns(device), tc_metric(device, TC_METRIC_START_AND_END));

	for (size_t i = 0; i < count; i++)
		ns = tc_add_saturated(ns, tc_metric(device, parts[i].id));
	return ns;
}

/* False for a device of which the trace has memory events only. */
static bool has_time(const struct tc_view *view, const struct tc_metric_set *device)
{
	return rows_of(view, device) > 0;
}

/* By how much the rows of a device exceed the wall time. */
static int64_t surplus_of(const struct tc_view *view, const struct tc_metric_set *device)
{
	return tc_sub_saturated(
		rows_of(view, device), tc_metric(&view->shown->run, TC_METRIC_WALL));
}

static bool is_large(const struct tc_view *view, int64_t ns)
{
	return tc_format_share_pct(ns, tc_metric(&view->shown->run, TC_METRIC_WALL)) >= LARGE_PCT;
}

static void append_surplus(struct tc_buf *text, const struct tc_job *job, int64_t surplus_ns)
{
	const struct tc_shown amount = tc_show_ns(surplus_ns);

	if (job->options.step < 0)
		tc_buf_format(text,
			"The rows add up to %s more than the whole: this much work is before the "
			"first step or after the last.",
			amount.text);
	else
		tc_buf_format(text,
			"The whole is the step on the host, the rows are the work that it "
			"launched: they add up to %s more, because the device works behind the "
			"host.",
			amount.text);
}

/* "MME and TPC overlap for 46.48 ms. ... before the first step or after the last." */
static void put_notes(
	struct tc_job *job, const struct tc_view *view, const struct tc_metric_set *device)
{
	struct tc_buf *text = tc_doc_paragraph(&job->doc);
	int64_t surplus_ns = surplus_of(view, device);

	if (tc_metric(device, TC_METRIC_MME_TPC_OVERLAP) > 0)
		tc_buf_format(text, "MME and TPC overlap for %s. ",
			tc_show_ns(tc_metric(device, TC_METRIC_MME_TPC_OVERLAP)).text);
	append_lanes(text, device);
	if (surplus_ns > 0 && !is_large(view, surplus_ns))
		append_surplus(text, job, surplus_ns);
}

/* A row with a bar of its share of the whole. Without a verdict, shares would look like one. */
static void put_row(struct tc_doc *doc, const struct tc_view *view, const char *name, int64_t ns)
{
	double pct = tc_format_share_pct(ns, tc_metric(&view->shown->run, TC_METRIC_WALL));

	tc_doc_cell_string(doc, name);
	tc_doc_cell_ns(doc, ns);
	if (!tc_verdict_judges(view))
		return;
	tc_doc_cell_share(doc, pct);
	tc_doc_cell_bar(doc, pct);
}

/* Where operations are missing, a device without work may not have been idle. */
static const char *idle_name(const struct tc_view *view)
{
	return tc_verdict_judges(view) ? "idle" : "idle or not recorded";
}

/* A step's rows count only work that it launched. This row has the time in which work of other
 * steps runs within it, less the work that the step launched and that runs outside of it. */
static void put_other_steps(
	struct tc_job *job, const struct tc_view *view, int64_t rest_ns, bool *is_net)
{
	struct tc_rows rows = TC_ROWS(job->ctx, job->db,
		"SELECT device_ts < ts OR device_ts + device_dur > ts + dur FROM counted_step"
		" WHERE trace_id = ?1 AND number = ?2",
		view->id, job->options.step);

	*is_net = tc_rows_next(&rows) && tc_rows_int(&rows, 0) != 0;
	put_row(&job->doc, view, "work of other steps", rest_ns);
	tc_rows_close(&rows);
}

/* ---- why it was idle */

#define LEAST_CAUSE_PCT 5 /* of the time: smaller causes have no row on the screen */

/* The number of the first fix that takes away idle time of the cause; 0 for none. */
static size_t fix_of(const struct tc_fix_list *fixes, enum tc_cause cause)
{
	for (size_t i = 0; i < fixes->count; i++)
		if (fixes->all[i].finding->heuristic->causes >> cause & 1)
			return i + 1;
	return 0;
}

/* Why a check for the cause could not look, and what to record for it; NULL: none lacked data. */
static const char *lacked(const struct tc_job *job, const struct tc_view *view, enum tc_cause cause)
{
	for (const struct tc_account_row *check = NULL;
		(check = tc_next_check(job->advice, view->id, check));)
		if (check->outcome == TC_OUTCOME_NOT_APPLICABLE &&
			check->heuristic->causes >> cause & 1)
			return check->reason;
	return NULL;
}

/* "On the critical path: the host works (dispatch) 48 %, the device computes 12 %.": why the first
 * fix may be about another cause than most of the idle time. */
static void put_path(struct tc_job *job, int64_t trace_id)
{
	struct tc_buf *line = tc_doc_paragraph(&job->doc);
	const char *before = "On the critical path: ", *after = "";
	struct tc_rows rows = TC_ROWS(job->ctx, job->db,
		"SELECT piece, name, pct FROM (SELECT piece, name, 100.0 * dur_ns /"
		" sum(dur_ns) OVER () AS pct FROM fix_set_path WHERE trace_id = ?1 AND mask = 0)"
		" WHERE pct >= 10 ORDER BY pct DESC, piece, name",
		trace_id);

	tc_doc_set_shrink_order(&job->doc, TC_SHRINK_READING, 0);
	while (tc_rows_next(&rows)) {
		tc_buf_append_string(line, before);
		tc_append_piece(line, tc_rows_text(&rows, 0), tc_rows_text(&rows, 1));
		tc_buf_format(line, " %s", tc_show_share(tc_rows_real(&rows, 2)).text);
		before = ", ";
		after = ".";
	}
	tc_buf_append_string(line, after);
}

/* The largest causes of idle time as rows below it: the first is that of the verdict. Each names
 * the fix for it; for the first one without a fix a sentence says so. */
static void put_causes(
	struct tc_job *job, const struct tc_view *view, const struct tc_fix_list *fixes)
{
	int64_t wall_ns = tc_metric(&view->shown->run, TC_METRIC_WALL);
	enum tc_cause first = TC_CAUSE_COUNT;
	size_t count = 0, first_fix = 0;
	struct tc_rows rows = TC_ROWS(job->ctx, job->db,
		"SELECT cause, idle_ns FROM idle_cause WHERE" TC_IDLE_SHOWN
		" ORDER BY idle_ns DESC, cause LIMIT 3",
		view->id, job->options.step);

	while (tc_verdict_judges(view) && tc_rows_next(&rows)) {
		double pct = tc_format_share_pct(tc_rows_int(&rows, 1), wall_ns);
		enum tc_cause cause = tc_cause_find(tc_rows_text(&rows, 0));
		if (pct < LEAST_CAUSE_PCT || cause == TC_CAUSE_COUNT)
			break;
		size_t number = fix_of(fixes, cause);
		if (count++ == 0) {
			first = cause;
			first_fix = number;
		}
		struct tc_buf *name = tc_doc_cell(&job->doc);
		tc_doc_depth(&job->doc, 1);
		tc_buf_append_text(name, tc_cause_phrase(tc_rows_text(&rows, 0)));
		if (number > 0)
			tc_buf_format(name, " (#%zu)", number);
		tc_doc_cell_ns(&job->doc, tc_rows_int(&rows, 1));
		tc_doc_cell_share(&job->doc, pct);
		tc_doc_cell_bar(&job->doc, pct);
	}
	tc_rows_close(&rows);
	if (first_fix > 1 && fixes->whole_ns > 0 && !tc_job_is_page(job))
		put_path(job, view->id);
	if (count == 0 || first_fix > 0)
		return;
	const char *reason = lacked(job, view, first);
	struct tc_buf *line = tc_doc_paragraph(&job->doc);
	tc_doc_set_shrink_order(&job->doc, TC_SHRINK_REST, 1);
	tc_buf_append_string(line, "No check found a fix for the largest of these causes");
	if (reason) {
		tc_buf_append_string(line, "; one lacked data: ");
		tc_ctx_append_words(line, job->ctx, reason);
	}
	tc_buf_append_char(line, '.');
}

/* ---- why it communicates while nothing computes */

/* The number of the first fix whose check reads collectives; 0 for none. */
static size_t communication_fix(const struct tc_fix_list *fixes)
{
	for (size_t i = 0; i < fixes->count; i++)
		for (const char *const *need = fixes->all[i].finding->heuristic->needs; *need;
			need++)
			if (strcmp(*need, "communication") == 0)
				return i + 1;
	return 0;
}

/* The part of exposed communication that waits for another rank, as a row below it. */
static void put_rank_wait(
	struct tc_job *job, const struct tc_view *view, const struct tc_rank_wait *wait)
{
	double pct =
		tc_format_share_pct(wait->wait_ns, tc_metric(&view->shown->run, TC_METRIC_WALL));

	if (pct < LEAST_CAUSE_PCT || !tc_verdict_judges(view))
		return;
	tc_append_rank_wait(tc_doc_cell(&job->doc));
	tc_doc_depth(&job->doc, 1);
	tc_doc_cell_ns(&job->doc, wait->wait_ns);
	tc_doc_cell_share(&job->doc, pct);
	tc_doc_cell_bar(&job->doc, pct);
}

/* A sentence where exposed communication is more than idle time and no fix is for it: it is a line
 * at most, so that a full screen keeps all of it. */
static void put_exposed(struct tc_job *job, const struct tc_view *view,
	const struct tc_metric_set *device, const struct tc_fix_list *fixes,
	const struct tc_rank_wait *wait)
{
	int64_t exposed_ns = tc_metric(device, TC_METRIC_COMM_EXPOSED);

	if (!tc_verdict_judges(view) || exposed_ns <= tc_view_idle_ns(device) ||
		tc_format_share_pct(exposed_ns, tc_metric(&view->shown->run, TC_METRIC_WALL)) <
			LEAST_CAUSE_PCT ||
		communication_fix(fixes) > 0)
		return;
	struct tc_buf *line = tc_doc_paragraph(&job->doc);
	tc_doc_set_shrink_order(&job->doc, TC_SHRINK_REST, 1);
	if (wait->wait_ns <= exposed_ns / 2 || wait->guessed_count == 0) {
		tc_buf_append_string(line, "No check found a fix for exposed communication.");
		return;
	}
	tc_buf_append_string(line, "A collective");
	if (wait->longest_bytes > 0) {
		tc_buf_append_string(line, " of ");
		tc_format_bytes(line, wait->longest_bytes);
	}
	tc_buf_format(line, " takes %s: read the recordings of all ranks.",
		tc_show_ns(wait->longest_ns).text);
}

static void put_device(struct tc_job *job, const struct tc_view *view,
	const struct tc_metric_set *device, const struct tc_fix_list *fixes)
{
	static const char *const judged[] = {"<", "", "", "=", NULL};
	static const char *const unjudged[] = {"<", "", NULL};
	size_t count;
	const struct tc_part *parts = parts_of(view, &count);
	int64_t edge_ns = tc_metric(device, TC_METRIC_START_AND_END);
	int64_t surplus_ns = surplus_of(view, device);
	struct tc_rank_wait wait = tc_view_rank_wait(job, view);
	bool is_net = false;

	tc_doc_table(&job->doc, tc_verdict_judges(view) ? judged : unjudged);
	tc_doc_cell_string(&job->doc, job->options.step >= 0 ? "the step on the host"
				      : view->step_count > 1 ? "the steps"
				      : view->step_count > 0 ? "the step"
							     : "the whole");
	tc_doc_cell_ns(&job->doc, tc_metric(&view->shown->run, TC_METRIC_WALL));
	for (int i = 0; i < 2 && tc_verdict_judges(view); i++)
		tc_doc_cell_string(&job->doc, "");
	for (size_t i = 0; i < count; i++) {
		if (tc_metric(device, parts[i].id) <= 0)
			continue;
		put_row(&job->doc, view, parts[i].name, tc_metric(device, parts[i].id));
		if (parts[i].id == TC_METRIC_COMM_EXPOSED)
			put_rank_wait(job, view, &wait);
	}
	if (job->options.step >= 0 && surplus_ns < 0)
		put_other_steps(job, view, -surplus_ns, &is_net);
	if (edge_ns > 0)
		put_row(&job->doc, view, "start and end", edge_ns);
	put_row(&job->doc, view, idle_name(view), tc_view_idle_ns(device));
	put_causes(job, view, fixes);
	put_exposed(job, view, device, fixes, &wait);
	if (is_net)
		tc_doc_say(&job->doc,
			"The step's own work runs partly outside of it. That is taken off the work "
			"of other steps.");
	if (is_large(view, surplus_ns))
		append_surplus(tc_doc_paragraph(&job->doc), job, surplus_ns);
}

/* Devices to show in a table. */
struct device_choice {
	const struct tc_metric_set **devices; /* owned; NULL when memory ran out, or for none */
	size_t count, hidden;
};

/* The value by which devices are sorted when there are too many to show. */
typedef int64_t (*device_key_fn)(const struct tc_metric_set *device);

struct keyed {
	int64_t key;
	size_t index;
};

TC_ORDER(by_key, struct keyed, TC_DOWN(key) TC_UP(index));

/* Chooses the devices whose key is not negative: all of them in their order, or, if there are more
 * than `most`, those with the largest keys first. */
static void choose_devices(
	struct device_choice *out, const struct tc_metrics *metrics, size_t most, device_key_fn key)
{
	struct keyed *all = tc_calloc(metrics->device_count + 1, sizeof(*all));
	size_t count = 0;

	*out = (struct device_choice){0};
	for (size_t i = 0; all && i < metrics->device_count; i++)
		if (key(&metrics->devices[i]) >= 0)
			all[count++] = (struct keyed){key(&metrics->devices[i]), i};
	if (count > most)
		TC_SORT(all, count, by_key);
	size_t shown = count > most ? most : count;
	out->devices = all ? tc_calloc(shown + 1, sizeof(*out->devices)) : NULL;
	for (size_t i = 0; out->devices && i < shown; i++)
		out->devices[out->count++] = &metrics->devices[all[i].index];
	out->hidden = count - shown;
	tc_free(all);
}

/* The most devices that a table of the details shows. */
static size_t device_rows(const struct tc_job *job)
{
	return job->options.top > DEVICE_ROWS ? (size_t)job->options.top : DEVICE_ROWS;
}

/* Says how many devices were left out, and with details how to see them; clears the choice. */
static void put_hidden(
	struct tc_job *job, struct device_choice *choice, const char *what, bool details)
{
	size_t all = choice->count + choice->hidden;
	struct tc_buf *line = tc_doc_paragraph(&job->doc);

	line->failed |= choice->devices == NULL;
	if (choice->hidden > 0) {
		tc_buf_format(line, "the %zu %s of ", choice->count, what);
		tc_format_count(line, (int64_t)all);
	}
	if (choice->hidden > 0 && details && !tc_job_is_page(job))
		tc_buf_format(line, "; %s %zu shows all", tc_ctx_word(job->ctx, "--top"), all);
	tc_free(choice->devices);
}

#define PARTS "compute", "?comm. exposed", "?copies, fills alone"
#define LANES "?TPC lanes", "?MME lanes"

static void begin_device_table(struct tc_doc *doc, bool judges, bool has_unknown, bool has_lanes)
{
	static const char *const judged[2][2][10] = {
		{{"device", "busy", PARTS, "idle", NULL},
			{"device", "busy", PARTS, "idle", LANES, NULL}},
		{{"device", "busy", PARTS, "not recorded", "idle", NULL},
			{"device", "busy", PARTS, "not recorded", "idle", LANES, NULL}}};
	static const char *const unjudged[2][8] = {{"device", PARTS, "idle or not recorded", NULL},
		{"device", PARTS, "idle or not recorded", LANES, NULL}};

	tc_doc_table(doc, judges ? judged[has_unknown][has_lanes] : unjudged[has_lanes]);
}

/* A line for each device; the most idle ones if there are too many. */
static void put_device_table(struct tc_job *job, const struct tc_view *view, bool all)
{
	bool judges = tc_verdict_judges(view), has_lanes = false, has_unknown = false;
	struct device_choice choice;
	struct tc_doc *doc = &job->doc;

	size_t most = all ? device_rows(job) : SCREEN_DEVICES;

	choose_devices(&choice, view->shown, most, tc_view_idle_ns);
	doc->text.failed |= choice.devices == NULL;
	for (size_t i = 0; i < choice.count; i++) {
		for (size_t lane = 0; lane < TC_COUNT_OF(lane_parts); lane++)
			has_lanes |= choice.devices[i]->cells[lane_parts[lane].mean].present;
		has_unknown |= judges && tc_metric(choice.devices[i], TC_METRIC_DEVICE_UNKNOWN) > 0;
	}
	begin_device_table(doc, judges, has_unknown, has_lanes);
	for (size_t i = 0; i < choice.count; i++) {
		const struct tc_metric_set *device = choice.devices[i];
		tc_doc_cell_string(doc, device->device);
		if (judges)
			tc_doc_cell_pct(doc, tc_view_busy_pct(view, device));
		tc_doc_cell_ns(doc, tc_metric(device, TC_METRIC_COMPUTE_BUSY));
		tc_doc_cell_ns(doc, tc_metric(device, TC_METRIC_COMM_EXPOSED));
		tc_doc_cell_ns(doc, tc_metric(device, TC_METRIC_COPY_EXCLUSIVE));
		if (has_unknown)
			tc_doc_cell_ns(doc, tc_metric(device, TC_METRIC_DEVICE_UNKNOWN));
		tc_doc_cell_ns(doc, tc_view_idle_ns(device));
		for (size_t lane = 0; lane < TC_COUNT_OF(lane_parts) && has_lanes; lane++)
			put_lane_cell(doc, device, &lane_parts[lane]);
	}
	put_hidden(job, &choice, "most idle", all);
}

/* The only device with work or idle time; NULL if there are none or several. */
static const struct tc_metric_set *only_device(const struct tc_view *view)
{
	const struct tc_metric_set *only = NULL;

	for (size_t i = 0; i < view->shown->device_count; i++) {
		if (!has_time(view, &view->shown->devices[i]))
			continue;
		if (only)
			return NULL;
		only = &view->shown->devices[i];
	}
	return only;
}

/* Whether more than one device has work or idle time. */
static bool has_several(const struct tc_view *view)
{
	size_t count = 0;

	for (size_t i = 0; i < view->shown->device_count; i++)
		count += has_time(view, &view->shown->devices[i]);
	return count > 1;
}

void tc_put_time(struct tc_job *job, const struct tc_view *view, const struct tc_fix_list *fixes)
{
	const struct tc_metric_set *only = only_device(view);

	tc_doc_heading(&job->doc, tc_job_is_page(job) ? "Where the time went" : "");
	if (only)
		put_device(job, view, only, fixes);
	else if (has_several(view))
		put_device_table(job, view, false);
}

void tc_put_device_details(struct tc_job *job, const struct tc_view *view)
{
	const struct tc_metric_set *only = only_device(view);

	tc_doc_heading(&job->doc, "Where the time went");
	if (only)
		put_notes(job, view, only);
	else if (view->shown->device_count > SCREEN_DEVICES && has_several(view))
		put_device_table(job, view, true);
}

/* The sum of all parts of host time. */
static int64_t host_total(const struct tc_metric_set *run)
{
	int64_t total_ns = 0;
	size_t count;
	const struct tc_host_part *parts = tc_host_parts(&count);

	for (size_t i = 0; i < count; i++)
		total_ns = tc_add_saturated(total_ns, tc_metric(run, parts[i].own));
	return total_ns;
}

void tc_put_host_time(struct tc_job *job, const struct tc_view *view)
{
	static const char *const columns[] = {
		"<launching threads", "time", "", "exposed", "=", NULL};
	const struct tc_metric_set *run = &view->shown->run;
	bool device = tc_view_has(view, TC_METRIC_HAS_DEVICE);
	int64_t total_ns = host_total(run);
	struct tc_doc *doc = &job->doc;
	size_t count;
	const struct tc_host_part *parts = tc_host_parts(&count);

	tc_doc_heading(doc, "Where the host's time went");
	tc_doc_table(doc, columns);
	for (size_t i = 0; i < count; i++) {
		int64_t ns = tc_metric(run, parts[i].own);
		double pct = tc_format_share_pct(ns, total_ns);
		if (ns == 0)
			continue;
		tc_doc_cell_string(doc, tc_role_title(parts[i].role));
		tc_doc_cell_ns(doc, ns);
		tc_doc_cell_share(doc, pct);
		if (device)
			tc_doc_cell_ns(doc, tc_metric(run, parts[i].exposed));
		else
			tc_doc_cell_string(doc, "-");
		tc_doc_cell_bar(doc, pct);
	}
	tc_buf_append_string(
		tc_doc_column_note(doc, 3), "exposed: the part with no device at work.");
}

/* ---- peaks of memory by device, and what the events of the allocator say */

static int64_t memory_key(const struct tc_metric_set *device)
{
	int64_t peak_bytes = tc_metric(device, TC_METRIC_MEMORY_PEAK);

	return peak_bytes > 0 ? peak_bytes : -1;
}

static void put_memory_table(struct tc_job *job, const struct tc_view *view)
{
	static const char *const columns[] = {
		"device", "peak in use", "peak reserved", "capacity", "in use", NULL};
	int64_t capacity_bytes = view->device_memory_bytes;
	struct device_choice choice;
	struct tc_doc *doc = &job->doc;

	choose_devices(&choice, &view->whole, device_rows(job), memory_key);
	tc_doc_heading(doc, "Memory");
	tc_doc_table(doc, columns);
	for (size_t i = 0; i < choice.count; i++) {
		const struct tc_metric_set *device = choice.devices[i];
		int64_t peak_bytes = tc_metric(device, TC_METRIC_MEMORY_PEAK);
		tc_doc_cell_string(doc, device->device);
		tc_doc_cell_bytes(doc, peak_bytes);
		tc_doc_cell_bytes(doc, tc_metric(device, TC_METRIC_MEMORY_RESERVED_PEAK));
		if (capacity_bytes > 0) {
			tc_doc_cell_bytes(doc, capacity_bytes);
			tc_doc_cell_pct(doc, tc_format_share_pct(peak_bytes, capacity_bytes));
		} else {
			tc_doc_cell_string(doc, "unknown");
			tc_doc_cell_string(doc, "-");
		}
	}
	put_hidden(job, &choice, "fullest", true);
}

void tc_put_memory(struct tc_job *job, const struct tc_view *view)
{
	if (job->options.step < 0)
		put_memory_table(job, view);
	tc_put_sections(job, view, "memory");
}
