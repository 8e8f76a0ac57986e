/*
 * Where the time went. A device's rows part its analysed wall time: each row is what no row above
 * it covers, the last one is the wall time in which nothing works. Work outside of the analysed
 * time is said below them. The host's rows part the steps of its launching threads the same way.
 */
#include "analysis/intervals.h"
#include "report/format.h"
#include "report/parts.h"
#include "report/text/text.h"

#define INDENT 4
#define NAME_COLUMNS 24
#define HOST_NAME_COLUMNS 17 /* on narrow terminals */
#define NARROW 80
#define NUMBER_COLUMNS 10 /* "999.9 ms" and two blanks */
#define PCT_COLUMNS 9
#define BAR_GAP 2
#define MAX_BAR_COLUMNS 40
#define MIN_BAR_COLUMNS 5
#define EXPOSED_COLUMNS 18 /* "  280.0 ms exposed" */
#define FULL_DEVICES 2     /* more of them get a line each in a table */

struct row {
	const char *name;
	enum tc_style style; /* of the bar */
	int64_t ns, whole_ns;
};

/* A cell of numbers, its text to the right. */
static void put_right(struct tc_job *job, struct tc_buf *cell, int columns)
{
	tc_format_pad(&job->sink.buf, columns - (int)cell->len);
	tc_buf_append_text(&job->sink.buf, tc_buf_text(cell));
	job->sink.buf.failed |= tc_buf_failed(cell);
	tc_buf_clear(cell);
}

/* What the line leaves behind name and time. */
static int columns_left(const struct tc_job *job, int name_columns)
{
	return job->options.width - INDENT - name_columns - NUMBER_COLUMNS;
}

/* Name and time, then share and bar as far as there is room for them before `behind` columns. */
static void put_row(struct tc_job *job, const struct row *row, int name_columns, int behind)
{
	struct tc_buf *out = &job->sink.buf;
	struct tc_buf cell = TC_BUF_EMPTY;
	double pct = tc_format_share_pct(row->ns, row->whole_ns);
	int left = columns_left(job, name_columns) - behind - PCT_COLUMNS;

	tc_format_pad(out, INDENT);
	tc_buf_append_string(out, row->name);
	tc_format_pad(out, name_columns - tc_format_columns(tc_text_from(row->name)));
	tc_format_ns(&cell, row->ns);
	put_right(job, &cell, NUMBER_COLUMNS);
	if (left < 0)
		return;
	tc_format_pct(&cell, pct);
	put_right(job, &cell, PCT_COLUMNS);
	left -= BAR_GAP;
	if (left < MIN_BAR_COLUMNS)
		return;
	tc_format_pad(out, BAR_GAP);
	tc_put_style(job, row->style);
	tc_format_bar(out, pct / 100, left < MAX_BAR_COLUMNS ? left : MAX_BAR_COLUMNS,
		job->options.ascii);
	tc_put_style(job, TC_STYLE_PLAIN);
}

static void put_device_row(
	struct tc_job *job, const char *name, enum tc_style style, int64_t ns, int64_t whole_ns)
{
	const struct row row = {name, style, ns, whole_ns};

	put_row(job, &row, NAME_COLUMNS, 0);
	tc_format_trim(&job->sink.buf);
	tc_sink_put(&job->sink, "\n");
}

static const struct tc_part *parts_of(const struct tc_view *view, size_t *count)
{
	return tc_device_parts(tc_view_has(view, TC_REPORT_HAS_GAUDI), count);
}

static const struct lane_part {
	enum tc_report_metric mean, count;
	const char *name;
} lane_parts[] = {
	{TC_REPORT_TPC_OCCUPANCY, TC_REPORT_TPC_LANES, "TPC"},
	{TC_REPORT_MME_OCCUPANCY, TC_REPORT_MME_LANES, "MME"},
};

/* "21.3 of 24", "-" where the device has no such lanes. */
static void put_lane_cell(
	struct tc_table *table, const struct tc_metric_set *device, const struct lane_part *part)
{
	struct tc_buf cell = TC_BUF_EMPTY;

	if (device->cells[part->mean].present)
		tc_buf_format(&cell, "%.1f of %lld", tc_metric_real(device, part->mean),
			(long long)tc_metric(device, part->count));
	else
		tc_buf_append_char(&cell, '-');
	table->text.failed |= tc_buf_failed(&cell);
	tc_table_text(table, tc_buf_text(&cell));
	tc_buf_clear(&cell);
}

/* "Lanes busy while any is, on average: TPC 21.3 of 24, MME 3.9 of 4." */
static void put_lanes(struct tc_buf *text, const struct tc_metric_set *device)
{
	const struct lane_part *rows = lane_parts;
	const char *before = "Lanes busy while any is, on average: ";

	for (size_t i = 0; i < sizeof(lane_parts) / sizeof(lane_parts[0]); i++) {
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

/* "MME and TPC overlap for 46.48 ms. ... before the first step or after the last." */
static void put_device_notes(
	struct tc_job *job, const struct tc_metric_set *device, int64_t outside_ns)
{
	struct tc_buf text = TC_BUF_EMPTY;

	if (tc_metric(device, TC_REPORT_MME_TPC_OVERLAP) > 0) {
		tc_buf_append_string(&text, "MME and TPC overlap for ");
		tc_format_ns(&text, tc_metric(device, TC_REPORT_MME_TPC_OVERLAP));
		tc_buf_append_string(&text, ". ");
	}
	put_lanes(&text, device);
	if (outside_ns > 0) {
		tc_buf_append_string(&text, "The rows add up to ");
		tc_format_ns(&text, outside_ns);
		tc_buf_append_string(&text,
			job->options.step < 0
				? " more than that: this much work is before the first step or "
				  "after "
				  "the last."
				: " more than that: this much work was launched by the step and "
				  "runs outside of it.");
	}
	tc_format_trim(&text);
	tc_put_line(job, NULL, 4, &text);
}

static int64_t work_of(const struct tc_view *view, const struct tc_metric_set *device)
{
	size_t count;
	const struct tc_part *parts = parts_of(view, &count);
	int64_t work_ns = 0;

	for (size_t i = 0; i < count; i++)
		work_ns = tc_add_saturated(work_ns, tc_metric(device, parts[i].id));
	return work_ns;
}

/* False when all devices are known by their memory only. */
static bool has_time(const struct tc_view *view)
{
	for (size_t i = 0; i < view->shown->device_count; i++) {
		const struct tc_metric_set *device = &view->shown->devices[i];
		if (work_of(view, device) > 0 || tc_view_idle_ns(device) > 0)
			return true;
	}
	return false;
}

static void put_device(
	struct tc_job *job, const struct tc_view *view, const struct tc_metric_set *device)
{
	size_t count;
	const struct tc_part *parts = parts_of(view, &count);
	int64_t wall_ns = tc_metric(&view->shown->run, TC_REPORT_WALL);
	int64_t wait_ns = tc_view_idle_ns(device);
	int64_t work_ns = work_of(view, device);
	struct tc_buf line = TC_BUF_EMPTY;

	if (work_ns == 0 && wait_ns == 0)
		return;
	tc_buf_append_string(&line, "device ");
	tc_format_clean(&line, tc_text_from(device->device), job->options.ascii, 40);
	tc_buf_append_string(&line, ", ");
	tc_format_ns(&line, wall_ns);
	tc_buf_append_string(&line, " analysed");
	tc_put_line(job, NULL, 2, &line);
	for (size_t i = 0; i < count; i++)
		if (tc_metric(device, parts[i].id) > 0)
			put_device_row(job, parts[i].name, TC_STYLE_CYAN,
				tc_metric(device, parts[i].id), wall_ns);
	put_device_row(job, "idle", TC_STYLE_YELLOW, wait_ns, wall_ns);
	put_device_notes(job, device, tc_add_saturated(work_ns, wait_ns) - wall_ns);
}

/* Many devices: one line each, the most idle ones where they are too many. */
static void put_device_table(struct tc_job *job, const struct tc_view *view)
{
	static const char *const titles[] = {"device", "busy", "compute", "comm. exposed",
		"copies alone", "idle", "?TPC lanes", "?MME lanes", NULL};
	struct tc_device_choice choice;
	struct tc_table table;

	tc_view_choose(&choice, view->shown, job->options.top, tc_view_idle_ns);
	tc_table_init(&table, titles, job->options.ascii);
	for (size_t i = 0; i < choice.count; i++) {
		const struct tc_metric_set *device = choice.devices[i];
		tc_table_string(&table, device->device);
		tc_table_pct(&table, tc_view_busy_pct(view, device));
		tc_table_ns(&table, tc_metric(device, TC_REPORT_COMPUTE_BUSY));
		tc_table_ns(&table, tc_metric(device, TC_REPORT_COMM_EXPOSED));
		tc_table_ns(&table, tc_metric(device, TC_REPORT_COPY_EXCLUSIVE));
		tc_table_ns(&table, tc_view_idle_ns(device));
		for (size_t lane = 0; lane < sizeof(lane_parts) / sizeof(lane_parts[0]); lane++)
			put_lane_cell(&table, device, &lane_parts[lane]);
	}
	tc_put_choice(job, &table, &choice, "most idle");
}

/* Host time of all parts. */
static int64_t host_total(const struct tc_metric_set *run)
{
	int64_t total_ns = 0;
	size_t count;
	const struct tc_host_part *parts = tc_host_parts(&count);

	for (size_t i = 0; i < count; i++)
		total_ns = tc_add_saturated(total_ns, tc_metric(run, parts[i].own));
	return total_ns;
}

static void put_host_row(struct tc_job *job, const struct tc_metric_set *run,
	const struct tc_host_part *part, int64_t total_ns, bool device)
{
	const struct row row = {part->name, TC_STYLE_CYAN, tc_metric(run, part->own), total_ns};
	int64_t exposed_ns = tc_metric(run, part->exposed);
	int name_columns = job->options.width < NARROW ? HOST_NAME_COLUMNS : NAME_COLUMNS;

	if (row.ns == 0)
		return;
	put_row(job, &row, name_columns, device ? EXPOSED_COLUMNS : 0);
	if (device && exposed_ns > 0) {
		tc_sink_put(&job->sink, "  ");
		tc_format_ns(&job->sink.buf, exposed_ns);
		tc_sink_put(&job->sink, " exposed");
	}
	tc_format_trim(&job->sink.buf);
	tc_sink_put(&job->sink, "\n");
}

enum tc_status tc_put_host_time(struct tc_job *job, const struct tc_view *view)
{
	const struct tc_metric_set *run = &view->shown->run;
	int64_t total_ns = host_total(run);
	bool device = tc_view_has(view, TC_REPORT_HAS_DEVICE);
	struct tc_buf line = TC_BUF_EMPTY;
	size_t count;
	const struct tc_host_part *parts = tc_host_parts(&count);

	if (total_ns == 0)
		return TC_OK;
	tc_put_heading(job, "Where the host's time went");
	tc_buf_append_string(&line, "launching threads, ");
	tc_format_ns(&line, total_ns);
	tc_buf_append_string(&line, device ? " (exposed: no device at work)" : "");
	tc_put_line(job, NULL, 2, &line);
	for (size_t i = 0; i < count; i++)
		put_host_row(job, run, &parts[i], total_ns, device);
	return TC_OK;
}

enum tc_status tc_put_time(struct tc_job *job, const struct tc_view *view)
{
	const struct tc_metrics *shown = view->shown;

	if (!has_time(view))
		return TC_OK;
	tc_put_heading(job, "Where the time went");
	if (shown->device_count > FULL_DEVICES)
		put_device_table(job, view);
	else
		for (size_t i = 0; i < shown->device_count; i++)
			put_device(job, view, &shown->devices[i]);
	return TC_OK;
}
