/*
 * The report on an index as a document: the fleet in a sentence, its jobs, advice over all of them,
 * what changed, what could not be judged. It fits on a page, however many jobs there are.
 */
#include "fleet/report/formats.h"
#include "report/text/format.h"
#include "report/html/page.h"

#define FIX_ROWS 4 /* in the table of fixes */

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Markdown is for people elsewhere: of an absolute path it has the last part. */
static struct tc_text title_of(const struct tc_fleet_side *side, tc_doc_write_fn layout)
{
	struct tc_text path = tc_text_from(side->path);
	bool is_shown = layout != tc_doc_write_markdown || !tc_text_starts(path, TC_TEXT("/"));

	return is_shown ? path : tc_text_last_part(path);
}

static void put_head(struct tc_doc *doc, const struct tc_fleet *fleet, tc_doc_write_fn layout)
{
	const struct tc_fleet_side *side = &fleet->sides[TC_AFTER];
	struct tc_fleet_sums sums = {0};

	for (size_t i = 0; i < side->job_count; i++)
		tc_fleet_add(&sums, &side->jobs[i]);
	tc_buf_append_text(tc_doc_title(doc), title_of(side, layout));
	struct tc_buf *line = tc_doc_paragraph(doc);
	tc_buf_format(line, "%s, %s, %s.", tc_show_counted(sums.job_count, "job").text,
		tc_show_counted(sums.trace_count, "trace").text,
		tc_show_counted(sums.device_count, "device").text);
	if (sums.all <= 0)
		return;
	tc_buf_append_string(line, " Run all day as recorded, that is ");
	tc_fleet_append_hours(line, sums.all);
	tc_buf_append_string(line, " device hours a day, of which the devices do not compute for ");
	tc_fleet_append_hours(line, sums.lost);
	tc_buf_format(line, " (%s). The first fix of each job wins back at most ",
		tc_show_share(sums.lost / sums.all * 100).text);
	tc_fleet_append_hours(line, sums.won);
	tc_buf_append_string(line, " device hours a day.");
	tc_doc_tone(doc, TC_TONE_STRONG);
}

static void put_job(struct tc_doc *doc, const struct tc_fleet *fleet, size_t index)
{
	const struct tc_fleet_job *job = &fleet->sides[TC_AFTER].jobs[index];
	struct tc_text device = tc_fleet_text(fleet, job->device);

	tc_doc_cell_text(doc, tc_fleet_text(fleet, job->path));
	tc_fleet_put_link(doc, fleet, tc_fleet_text(fleet, job->path));
	struct tc_buf *devices = tc_doc_cell(doc);
	tc_buf_format(devices, "%s x ", tc_show_count(job->device_count).text);
	tc_buf_append_text(devices, device.len > 0 ? device : TC_TEXT("?"));
	if (tc_fleet_step_ns(job) > 0)
		tc_doc_cell_ns(doc, tc_fleet_step_ns(job));
	else
		tc_doc_cell_string(doc, "-");
	tc_doc_cell_share(doc, tc_format_share_pct(job->idle_ns, job->wall_ns));
	tc_fleet_cell_hours(doc, tc_fleet_hours(job, job->lost_ns));
	if (job->fix == TC_STRTAB_NONE)
		tc_doc_cell_string(doc, "-");
	else
		tc_fleet_cell_hours(doc, tc_fleet_hours(job, job->gain_ns));
	tc_doc_tone(doc, TC_TONE_GAIN);
	tc_doc_cell_text(
		doc, job->fix == TC_STRTAB_NONE ? TC_TEXT("-") : tc_fleet_title(fleet, job->fix));
}

static void put_jobs(struct tc_doc *doc, struct tc_fleet *fleet)
{
	static const char *const columns[] = {"<job", "<?devices", "step", "idle", "lost h/day",
		"wins h/day", "<first fix", NULL};
	size_t count, *jobs = tc_fleet_rank(&count, fleet);
	double rest = 0;

	size_t shown = least(count, (size_t)fleet->options->top);
	tc_doc_heading(doc, "Jobs, most device hours lost first");
	tc_doc_table(doc, columns);
	for (size_t i = 0; i < shown; i++)
		put_job(doc, fleet, jobs[i]);
	for (size_t i = shown; i < count; i++) {
		const struct tc_fleet_job *job = &fleet->sides[TC_AFTER].jobs[jobs[i]];
		rest += tc_fleet_hours(job, job->lost_ns);
	}
	if (shown == count)
		return;
	struct tc_buf *line = tc_doc_paragraph(doc);
	tc_buf_format(line, "And %s, which lose ",
		tc_show_counted((int64_t)(count - shown), "further job").text);
	tc_fleet_append_hours(line, rest);
	tc_buf_append_string(
		line, fleet->has_links ? " h/day." : " h/day: --top N, or --format csv for all.");
}

static void put_advice(struct tc_doc *doc, const struct tc_fleet *fleet)
{
	static const char *const columns[] = {
		"<fix", "jobs", "wins h/day", "<most in", "h/day there", NULL};
	size_t shown = 0, hidden = 0;

	tc_doc_heading(doc, "Fixes over all jobs");
	tc_doc_table(doc, columns);
	for (size_t i = 0; i < fleet->advice_count; i++) {
		const struct tc_fleet_advice *advice = &fleet->advice[i];
		if (advice->hours <= 0)
			continue;
		if (shown == FIX_ROWS && !fleet->options->details) {
			hidden++;
			continue;
		}
		const struct tc_fleet_job *most = &fleet->sides[TC_AFTER].jobs[advice->most];
		tc_doc_cell_text(doc, tc_fleet_text(fleet, advice->title));
		tc_doc_cell_count(doc, advice->job_count);
		tc_fleet_cell_hours(doc, advice->hours);
		tc_doc_tone(doc, TC_TONE_GAIN);
		tc_doc_cell_text(doc, tc_fleet_text(fleet, most->path));
		tc_fleet_cell_hours(doc, advice->most_hours);
		shown++;
	}
	if (hidden > 0)
		tc_buf_format(tc_doc_paragraph(doc), "And %s%s",
			tc_show_counted((int64_t)hidden, "further fix").text,
			fleet->has_links ? "." : ": --details shows all.");
	if (shown > 0)
		tc_doc_say(doc, "Each for itself: two may win back the same time.");
}

void tc_fleet_write_document(struct tc_fleet *fleet, struct tc_sink *sink, tc_doc_write_fn layout)
{
	struct tc_doc doc = TC_DOC_EMPTY;

	put_head(&doc, fleet, layout);
	if (!fleet->input->only_changes) {
		(fleet->input->group_by > 0 ? tc_fleet_put_groups : put_jobs)(&doc, fleet);
		put_advice(&doc, fleet);
	}
	tc_fleet_put_changes(&doc, fleet);
	tc_fleet_put_rest(&doc, fleet);
	layout(&doc, sink, fleet->options);
	tc_doc_clear(&doc);
}

void tc_fleet_write_page(struct tc_fleet *fleet, struct tc_sink *sink, tc_doc_write_fn layout)
{
	fleet->has_links = true;
	tc_page_begin(sink, tc_text_from(fleet->sides[TC_AFTER].path));
	tc_fleet_write_document(fleet, sink, layout);
	tc_page_end(sink);
}
