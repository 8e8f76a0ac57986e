/* The report on an index: loads one or two and calls a format. Text, Markdown and HTML are layouts
 * of a document (document.c); JSON and CSV have every job. */
#include "fleet/report.h"

#include "core/array.h"
#include "core/context.h"
#include "report/html/page.h"
#include "report/job.h"
#include "report/text/format.h"
#include "report/text/json.h"
#include "report/text/sink.h"
#include "tracecoach/version.h"

static void put_text(
	struct tc_json *json, const struct tc_fleet *fleet, const char *key, uint32_t number)
{
	if (number == TC_STRTAB_NONE)
		tc_json_null(json, key);
	else
		tc_json_text(json, key, tc_fleet_text(fleet, number));
}

/* "slower", "faster", "within", "same", "new", or "unknown" when the steps do not show it. */
static const char *outcome_name(const struct tc_fleet_change *change)
{
	static const char *const names[] = {[TC_COMPARE_SAME] = "same",
		[TC_COMPARE_WITHIN] = "within",
		[TC_COMPARE_FASTER] = "faster",
		[TC_COMPARE_SLOWER] = "slower",
		[TC_COMPARE_OTHER_WORK] = "other_work",
		[TC_COMPARE_DAMAGED] = "damaged"};

	if (change->before == SIZE_MAX)
		return "new";
	if (!change->result.judged && change->result.outcome < TC_COMPARE_UNLIKE)
		return "unknown";
	return names[change->result.outcome];
}

static void put_change(struct tc_json *json, const struct tc_fleet *fleet, size_t index)
{
	const struct tc_fleet_change *change = &fleet->changes[index];
	const struct tc_fleet_side *before = &fleet->sides[TC_BEFORE];
	struct tc_buf reason = {.ctx = fleet->ctx};

	tc_json_object(json, "change");
	tc_json_string(json, "outcome", outcome_name(change));
	if (change->before == SIZE_MAX)
		tc_json_null(json, "before");
	else
		put_text(json, fleet, "before", before->jobs[change->before].path);
	if (change->has_steps)
		tc_json_real(json, "difference_pct", change->result.difference_pct);
	else
		tc_json_null(json, "difference_pct");
	tc_fleet_append_reason(&reason, fleet, index);
	if (reason.len > 0)
		tc_json_text(json, "reason", tc_buf_text(&reason));
	else
		tc_json_null(json, "reason");
	tc_json_end(json);
	tc_buf_clear(&reason);
}

/* The steps of the nights, and since when they are as they are now. */
static void put_trend(struct tc_json *json, const struct tc_fleet *fleet, size_t index)
{
	const struct tc_fleet_trend *trend = fleet->trend;
	const struct tc_fleet_level *level = &trend->levels[index];
	const bool is_changed = level->before != SIZE_MAX;

	tc_json_object(json, "trend");
	tc_json_array(json, "step_mean_ns");
	for (size_t i = 0; i < trend->count; i++) {
		int64_t step_ns = trend->step_ns[index * trend->count + i];
		tc_json_int_if(json, NULL, step_ns > 0, step_ns);
	}
	tc_json_end(json);
	tc_json_string(json, "outcome",
		is_changed         ? outcome_name(&level->change)
		: level->is_judged ? "same"
				   : "unknown");
	tc_json_int_if(json, "before", is_changed, (int64_t)level->before);
	tc_json_int_if(json, "since", is_changed, (int64_t)level->since);
	put_text(json, fleet, "commit_before", level->revisions[TC_BEFORE]);
	put_text(json, fleet, "commit_since",
		is_changed ? level->revisions[TC_AFTER] : TC_STRTAB_NONE);
	if (is_changed) {
		tc_json_real(json, "difference_pct", level->change.result.difference_pct);
		tc_json_real(json, "hours",
			tc_fleet_change_hours(&fleet->sides[TC_AFTER].jobs[index], &level->change));
	} else {
		tc_json_null(json, "difference_pct");
		tc_json_null(json, "hours");
	}
	tc_json_end(json);
}

static void put_nights(struct tc_json *json, const struct tc_fleet *fleet)
{
	tc_json_array(json, "nights");
	for (size_t i = 0; i < fleet->trend->count; i++)
		tc_json_text(json, NULL, fleet->trend->nights[i]);
	tc_json_end(json);
}

static void put_fixes(
	struct tc_json *json, const struct tc_fleet *fleet, const struct tc_fleet_job *job)
{
	const struct tc_fleet_side *after = &fleet->sides[TC_AFTER];

	tc_json_array(json, "fixes");
	for (size_t i = 0; i < job->fired.count; i++) {
		const struct tc_fleet_fired *fired = &after->fired[job->fired.first + i];
		tc_json_object(json, NULL);
		put_text(json, fleet, "heuristic", fired->heuristic);
		tc_json_int_if(json, "gain_ns", fired->has_gain, fired->gain_ns);
		tc_json_end(json);
	}
	tc_json_end(json);
}

static void put_job(struct tc_json *json, const struct tc_fleet *fleet, size_t index)
{
	const struct tc_fleet_job *job = &fleet->sides[TC_AFTER].jobs[index];
	bool knows = tc_fleet_has_hours(job);

	tc_json_object(json, NULL);
	put_text(json, fleet, "path", job->path);
	tc_json_bool(json, "done", job->is_done);
	put_text(json, fleet, "reason", job->reason);
	tc_json_int(json, "trace_count", job->trace_count);
	tc_json_int(json, "failed_count", job->failed_count);
	put_text(json, fleet, "owner", job->notes.owner);
	put_text(json, fleet, "commit", job->notes.revision);
	if (job->notes.price >= 0)
		tc_json_real(json, "price", job->notes.price);
	else
		tc_json_null(json, "price");
	put_text(json, fleet, "device", job->device);
	tc_json_int_if(json, "device_count", knows, job->device_count);
	tc_json_int_if(json, "wall_ns", job->wall_ns > 0, job->wall_ns);
	tc_json_int_if(json, "step_mean_ns", tc_fleet_step_ns(job) > 0, tc_fleet_step_ns(job));
	tc_json_int_if(json, "run_ns", knows, job->run_ns);
	tc_json_int_if(json, "idle_ns", knows, job->idle_ns);
	tc_json_int_if(json, "lost_ns", knows, job->lost_ns);
	if (knows)
		tc_json_real(json, "lost_hours", tc_fleet_hours(job, job->lost_ns));
	else
		tc_json_null(json, "lost_hours");
	if (knows && job->notes.price >= 0)
		tc_json_real(
			json, "lost_cost", tc_fleet_cost(job, tc_fleet_hours(job, job->lost_ns)));
	else
		tc_json_null(json, "lost_cost");
	put_text(json, fleet, "first_fix", job->best.heuristic);
	tc_json_int_if(json, "gain_ns", job->best.heuristic != TC_STRTAB_NONE, job->best.gain_ns);
	tc_json_real(json, "gain_hours", tc_fleet_hours(job, job->best.gain_ns));
	put_fixes(json, fleet, job);
	if (fleet->changes)
		put_change(json, fleet, index);
	if (fleet->trend)
		put_trend(json, fleet, index);
	tc_json_end(json);
}

static void put_advice(struct tc_json *json, const struct tc_fleet *fleet)
{
	tc_json_array(json, "fixes");
	for (size_t i = 0; i < fleet->advice_count; i++) {
		const struct tc_fleet_advice *advice = &fleet->advice[i];
		if (advice->job_count + advice->gone_count + advice->unsure_count == 0)
			continue;
		tc_json_object(json, NULL);
		put_text(json, fleet, "heuristic", advice->heuristic);
		put_text(json, fleet, "title", advice->title);
		tc_json_int(json, "job_count", advice->job_count);
		tc_json_real(json, "gain_hours", advice->hours);
		if (fleet->changes) {
			tc_json_int(json, "new_count", advice->new_count);
			tc_json_int(json, "gone_count", advice->gone_count);
			tc_json_int(json, "unsure_count", advice->unsure_count);
		}
		tc_json_end(json);
	}
	tc_json_end(json);
}

/* All jobs, in the order of paths. See docs/fleet.schema.json. */
static void write_json(struct tc_fleet *fleet, struct tc_sink *sink, tc_doc_write_fn layout)
{
	const struct tc_fleet_side *after = &fleet->sides[TC_AFTER];
	struct tc_json json = {.sink = sink};

	(void)layout;
	sink->escapes = true;
	tc_json_begin(&json, TC_FLEET_VERSION);
	tc_json_string(&json, "index", after->path);
	tc_json_string(&json, "since", fleet->sides[TC_BEFORE].path);
	if (fleet->trend)
		put_nights(&json, fleet);
	tc_json_array(&json, "jobs");
	for (size_t i = 0; i < after->job_count; i++)
		put_job(&json, fleet, i);
	tc_json_end(&json);
	put_advice(&json, fleet);
	tc_json_end(&json);
	tc_sink_put(sink, "\n");
}

static void put_int(struct tc_sink *sink, bool known, int64_t value)
{
	if (known)
		tc_sink_format(sink, "%lld", (long long)value);
	tc_sink_put(sink, ",");
}

static void put_row(struct tc_sink *sink, const struct tc_fleet *fleet, size_t index)
{
	const struct tc_fleet_job *job = &fleet->sides[TC_AFTER].jobs[index];
	bool knows = tc_fleet_has_hours(job);

	tc_put_csv(sink, tc_fleet_text(fleet, job->path), ",");
	put_int(sink, true, job->trace_count);
	put_int(sink, true, job->failed_count);
	tc_put_csv(sink, tc_fleet_text(fleet, job->device), ",");
	put_int(sink, knows, job->device_count);
	put_int(sink, job->wall_ns > 0, job->wall_ns);
	put_int(sink, tc_fleet_step_ns(job) > 0, tc_fleet_step_ns(job));
	put_int(sink, knows, job->run_ns);
	put_int(sink, knows, job->idle_ns);
	put_int(sink, knows, job->lost_ns);
	tc_put_csv(sink, tc_fleet_text(fleet, job->best.heuristic), ",");
	put_int(sink, job->best.heuristic != TC_STRTAB_NONE, job->best.gain_ns);
	if (fleet->changes && fleet->changes[index].has_steps)
		tc_sink_format(sink, "%.3f", fleet->changes[index].result.difference_pct);
	tc_sink_put(sink, ",");
	if (fleet->changes)
		tc_sink_put(sink, outcome_name(&fleet->changes[index]));
	tc_sink_put(sink, ",");
	tc_put_csv(sink, tc_fleet_text(fleet, job->notes.owner), ",");
	tc_put_csv(sink, tc_fleet_text(fleet, job->notes.revision), ",");
	if (job->notes.price >= 0)
		tc_sink_format(sink, "%g", job->notes.price);
	tc_sink_put(sink, "\n");
}

/* A row a job, for spreadsheets and databases. */
static void write_csv(struct tc_fleet *fleet, struct tc_sink *sink, tc_doc_write_fn layout)
{
	(void)layout;
	sink->escapes = true;
	tc_sink_put(sink, "job,traces,failed,device,devices,wall_ns,step_mean_ns,run_ns,idle_ns,"
			  "lost_ns,first_fix,gain_ns,difference_pct,outcome,owner,commit,price\n");
	for (size_t i = 0; i < fleet->sides[TC_AFTER].job_count && !tc_sink_dead(sink); i++)
		put_row(sink, fleet, i);
}

/* ---- OpenMetrics, for Prometheus: gauges with a sample a job, and the line that ends them. */

static const struct gauge {
	const char *name, *unit, *help;
	bool is_hours; /* of what is lost; else the step */
} gauges[] = {
	{"tracecoach_job_step_seconds", "seconds",
		"Mean step without warm-up, of the rank that sets the pace.", false},
	{"tracecoach_job_lost_device_hours", "hours",
		"Device hours a day in which no device computes.", true},
};

/* Bytes that a sink would write as '?' are escaped: no two samples may have the same labels. */
static void put_label(struct tc_sink *sink, const char *name, struct tc_text value)
{
	static const char *const codes[] = {"\\\\", "\\\"", "\\n"};

	tc_sink_format(sink, "%s=\"", name);
	while (value.len > 0) {
		struct tc_glyph glyph = tc_glyph_at(value);
		bool is_kept = glyph.code == '\n' || glyph.code == '\t' ||
			       (glyph.code != TC_GLYPH_BROKEN && !tc_glyph_hidden(glyph.code));
		if (is_kept)
			tc_sink_escaped(
				sink, (struct tc_text){value.ptr, glyph.len}, "\\\"\n", codes);
		for (size_t i = 0; !is_kept && i < glyph.len; i++)
			tc_sink_format(sink, "\\\\x%02x", (unsigned char)value.ptr[i]);
		value.ptr += glyph.len;
		value.len -= glyph.len;
	}
	tc_sink_put(sink, "\"");
}

static void put_sample(struct tc_sink *sink, const struct tc_fleet *fleet,
	const struct gauge *gauge, const struct tc_fleet_job *job)
{
	if (gauge->is_hours ? !tc_fleet_has_hours(job) : tc_fleet_step_ns(job) == 0)
		return;
	double value = gauge->is_hours ? tc_fleet_hours(job, job->lost_ns)
				       : (double)tc_fleet_step_ns(job) / 1e9;
	tc_sink_format(sink, "%s{", gauge->name);
	put_label(sink, "path", tc_fleet_text(fleet, job->path));
	put_label(sink, ",device", tc_fleet_text(fleet, job->device));
	if (job->notes.owner != TC_STRTAB_NONE)
		put_label(sink, ",owner", tc_fleet_text(fleet, job->notes.owner));
	tc_sink_format(sink, "} %.9g\n", value);
}

static void write_openmetrics(struct tc_fleet *fleet, struct tc_sink *sink, tc_doc_write_fn layout)
{
	const struct tc_fleet_side *after = &fleet->sides[TC_AFTER];

	(void)layout;
	for (size_t i = 0; i < TC_COUNT_OF(gauges); i++) {
		const struct gauge *gauge = &gauges[i];
		tc_sink_format(sink, "# TYPE %s gauge\n# UNIT %s %s\n# HELP %s %s\n", gauge->name,
			gauge->name, gauge->unit, gauge->name, gauge->help);
		for (size_t k = 0; k < after->job_count && !tc_sink_dead(sink); k++)
			put_sample(sink, fleet, gauge, &after->jobs[k]);
	}
	tc_sink_put(sink, "# EOF\n");
}

/* ---- What systems for continuous integration show: a case a job, which fails where the job is
 * slower than the limit allows. */

static bool is_slower(const struct tc_fleet_change *change)
{
	return change->result.judged && change->result.outcome == TC_COMPARE_SLOWER;
}

/* Why a job cannot be judged. */
static void append_unjudged(struct tc_buf *text, const struct tc_fleet *fleet, size_t index)
{
	const struct tc_fleet_change *change = &fleet->changes[index];

	if (change->before == SIZE_MAX)
		tc_buf_append_string(text, "the job is new");
	else if (change->result.outcome == TC_COMPARE_DAMAGED)
		tc_buf_append_string(text, "a part of a recording was lost");
	else if (change->result.outcome == TC_COMPARE_OTHER_WORK)
		tc_fleet_append_reason(text, fleet, index);
	else
		tc_buf_append_string(text, "too few steps to judge");
}

static bool is_unjudged(const struct tc_fleet_change *change)
{
	return change->before == SIZE_MAX || !change->result.judged ||
	       change->result.outcome >= TC_COMPARE_UNLIKE;
}

/* What a lost recording hides, a gate does not pass. */
static bool is_error(const struct tc_fleet *fleet, const struct tc_fleet_change *change)
{
	return fleet->input->slower.is_given && change->before != SIZE_MAX &&
	       change->result.outcome == TC_COMPARE_DAMAGED;
}

static void put_case(struct tc_sink *sink, const struct tc_fleet *fleet, size_t index)
{
	const struct tc_fleet_change *change = &fleet->changes[index];
	const bool is_skipped = is_unjudged(change);
	struct tc_case test = {TC_TEXT("step time"),
		tc_fleet_text(fleet, fleet->sides[TC_AFTER].jobs[index].path),
		is_error(fleet, change) ? "error"
		: is_skipped            ? "skipped"
		: change->has_failed    ? "failure"
					: "system-out",
		.text = {0}};
	struct tc_buf text = {.ctx = fleet->ctx};

	if (is_skipped)
		append_unjudged(&text, fleet, index);
	else
		tc_fleet_append_change(&text, fleet, index, change);
	*(is_skipped || change->has_failed ? &test.message : &test.text) = tc_buf_text(&text);
	tc_junit_case(sink, &test);
	tc_buf_end(&sink->buf, &text);
}

static void write_junit(struct tc_fleet *fleet, struct tc_sink *sink, tc_doc_write_fn layout)
{
	const size_t count = fleet->sides[TC_AFTER].job_count;
	size_t errors = 0, skipped = 0;

	(void)layout;
	for (size_t i = 0; i < count; i++) {
		errors += is_error(fleet, &fleet->changes[i]);
		skipped += is_unjudged(&fleet->changes[i]);
	}
	tc_junit_begin(sink);
	tc_junit_suite(sink, TC_TEXT("jobs"),
		(const size_t[4]){count, fleet->result.slower_count, errors, skipped - errors});
	for (size_t i = 0; i < count && !tc_sink_dead(sink); i++)
		put_case(sink, fleet, i);
	tc_junit_suite_end(sink);
	tc_junit_end(sink);
}

/* Jobs that are slower, and those that cannot be judged although they were there before. */
static void write_github(struct tc_fleet *fleet, struct tc_sink *sink, tc_doc_write_fn layout)
{
	(void)layout;
	for (size_t i = 0; i < fleet->sides[TC_AFTER].job_count && !tc_sink_dead(sink); i++) {
		const struct tc_fleet_change *change = &fleet->changes[i];
		struct tc_buf title = {.ctx = fleet->ctx}, text = {.ctx = fleet->ctx};
		if (change->before == SIZE_MAX || (!is_slower(change) && !is_unjudged(change)))
			continue;
		tc_buf_append_text(
			&title, tc_fleet_text(fleet, fleet->sides[TC_AFTER].jobs[i].path));
		tc_buf_append_string(&title, is_slower(change) ? " is slower" : " is not judged");
		if (is_slower(change))
			tc_fleet_append_change(&text, fleet, i, change);
		else
			append_unjudged(&text, fleet, i);
		tc_put_command(sink,
			change->has_failed || is_error(fleet, change) ? "error"
			: is_slower(change)                           ? "warning"
								      : "notice",
			tc_buf_text(&title), tc_buf_text(&text));
		tc_buf_end(&sink->buf, &title);
		tc_buf_end(&sink->buf, &text);
	}
}

struct tc_fleet_writer {
	void (*write)(struct tc_fleet *fleet, struct tc_sink *sink, tc_doc_write_fn layout);
	tc_doc_write_fn layout; /* of its document; NULL without one */
};

static void write_page(struct tc_fleet *fleet, struct tc_sink *sink, tc_doc_write_fn layout)
{
	fleet->has_links = true;
	tc_page_begin(sink, tc_text_from(fleet->sides[TC_AFTER].path));
	tc_fleet_write_document(fleet, sink, layout);
	tc_page_end(sink);
}

static void write_chat(struct tc_fleet *fleet, struct tc_sink *sink, tc_doc_write_fn layout)
{
	fleet->is_short = true;
	tc_fleet_write_document(fleet, sink, layout);
}

enum { DEFAULT_TOP = 12 };

static const struct tc_fleet_writer text = {tc_fleet_write_document, tc_doc_write_text},
				    markdown = {tc_fleet_write_document, tc_doc_write_markdown},
				    html = {write_page, tc_doc_write_html},
				    json = {write_json, NULL}, csv = {write_csv, NULL},
				    openmetrics = {write_openmetrics, NULL},
				    chat = {write_chat, tc_doc_write_markdown},
				    junit = {write_junit, NULL}, github = {write_github, NULL};
static const struct tc_fleet_format formats[] = {
	{"text", "a page for the terminal: the fleet, its worst jobs, fixes, what changed", &text,
		false},
	{"md", "the same as Markdown", &markdown, false},
	{"html", "the same as a page to open in a browser", &html, false},
	{"json", "every job with its numbers and fixes", &json, false},
	{"csv", "a row a job", &csv, false},
	{"openmetrics", "step times and lost hours of the jobs, for Prometheus", &openmetrics,
		false},
	{"chat", "a few lines of Markdown for a chat or a mail: what became slower, largest fixes",
		&chat, false},
	{"junit", "JUnit XML: a case a job, which fails by --fail-on-slower", &junit, true},
	{"github", "annotations of a GitHub workflow: jobs that became slower", &github, true},
};

const struct tc_fleet_format *tc_fleet_formats(size_t *count)
{
	*count = TC_COUNT_OF(formats);
	return formats;
}

static struct tc_report_options sane(const struct tc_report_options *given)
{
	struct tc_report_options options = *given;

	if (options.top <= 0)
		options.top = DEFAULT_TOP;
	options.width = tc_report_width(options.width);
	return options;
}

static void run(struct tc_fleet *fleet, const struct tc_fleet_format *format, struct tc_sink *sink)
{
	if (format->needs_since && !fleet->input->since)
		tc_fail(fleet->ctx, TC_ERR_USAGE,
			"%s: says what became slower: name an earlier index, too", format->name);
	tc_fleet_load(fleet);
	sink->styled = fleet->options->color && format->writer == &text;
	if (!tc_ctx_failed(fleet->ctx))
		format->writer->write(fleet, sink, format->writer->layout);
}

enum tc_status tc_fleet_report(struct tc_fleet_report_result *result, struct tc_ctx *ctx,
	const struct tc_fleet_report_input *input, const struct tc_fleet_format *format,
	const struct tc_report_options *given, const struct tc_compare_output *output)
{
	TC_ENTER(ctx);
	const struct tc_report_options options = sane(given);
	struct tc_fleet fleet = {.ctx = ctx,
		.arena = {.ctx = ctx},
		.texts = {.ctx = ctx},
		.input = input,
		.options = &options,
		.sides = {[TC_BEFORE] = {.index = input->since, .path = input->since_path},
			[TC_AFTER] = {.index = input->index, .path = input->path}}};
	struct tc_sink sink;

	tc_sink_init(&sink, output->write, output->user);
	sink.ctx = ctx;
	run(&fleet, format, &sink);
	enum tc_status status = tc_sink_close(&sink, ctx);
	if (status == TC_OK)
		*result = fleet.result;
	tc_fleet_clear(&fleet);
	return status;
}
