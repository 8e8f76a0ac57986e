/* Loads each trace, replays it, and writes the result; see tracecoach/whatif.h. */
#include "report/whatif/answer.h"

#include <string.h>

#include "advice/settings/fixes.h"
#include "advice/settings/settings.h"
#include "analysis/job/ranks.h"
#include "core/alloc.h"
#include "core/buf.h"
#include "replay/walk/load.h"
#include "report/json/json_writer.h"
#include "report/view/rows.h"
#include "store/connection.h"
#include "tracecoach/version.h"

static const char *keep(void *user, struct tc_text text)
{
	struct tc_whatif_asked *asked = user;
	struct tc_buf buf = TC_BUF_EMPTY;
	const char *kept = NULL;

	tc_buf_append_text(&buf, text);
	tc_buf_append_char(&buf, '\0');
	uint32_t number = tc_buf_failed(&buf) ? TC_STRTAB_NONE
					      : tc_strtab_intern(&asked->kept, tc_buf_text(&buf));
	if (number != TC_STRTAB_NONE)
		kept = tc_strtab_at(&asked->kept, number).ptr;
	tc_buf_clear(&buf);
	return kept;
}

static enum tc_status add_edit(struct tc_whatif_asked *asked, const char *text)
{
	struct tc_fixes *fixes = asked->fixes;
	struct tc_edit edit;
	enum tc_status status = tc_edit_parse(&edit, asked->ctx, tc_text_from(text), keep, asked);

	if (status)
		return status;
	if (edit.factor.len > 0)
		return tc_fail(asked->ctx, TC_ERR_USAGE, "edit '%s': '%.*s' is no number", text,
			(int)edit.factor.len, edit.factor.ptr);
	for (size_t i = 0; i < edit.clause_count; i++) {
		if (fixes->clause_count == TC_CLAUSE_MAX)
			return tc_fail(asked->ctx, TC_ERR_LIMIT, "too many edits");
		fixes->clauses[fixes->clause_count] = edit.clauses[i];
		tc_clause_set_add(&asked->set, fixes->clause_count++);
	}
	tc_buf_format(&asked->text, "%s%s", asked->text.len > 0 ? "; " : "", text);
	return TC_OK;
}

static enum tc_status add_fix(
	struct tc_whatif_asked *asked, const struct tc_settings *settings, struct tc_text id)
{
	const struct tc_heuristic *heuristic = NULL;
	struct tc_buf name = TC_BUF_EMPTY;

	tc_buf_append_text(&name, id);
	const char *string = tc_buf_string(&name);
	enum tc_status status = string ? tc_heuristic_find(&heuristic, asked->ctx, settings, string)
				       : tc_no_memory(asked->ctx);
	tc_buf_clear(&name);
	if (status)
		return status;
	for (size_t i = 0; i < asked->fixes->count; i++) {
		const struct tc_fix *fix = &asked->fixes->items[i];
		if (strcmp(fix->id, heuristic->id) != 0)
			continue;
		tc_clause_set_join(&asked->set, &fix->clauses);
		tc_buf_format(&asked->text, "%s%s", asked->text.len > 0 ? "; " : "", fix->edit);
		return TC_OK;
	}
	return tc_fail(asked->ctx, TC_ERR_USAGE,
		"%s says no edit that could be replayed: give --remove or --scale", heuristic->id);
}

static enum tc_status add_fixes(
	struct tc_whatif_asked *asked, const struct tc_settings *settings, const char *list)
{
	struct tc_text rest = tc_text_from(list);
	enum tc_status status = TC_OK;

	while (rest.len > 0 && !status) {
		const char *comma = memchr(rest.ptr, ',', rest.len);
		size_t len = comma ? (size_t)(comma - rest.ptr) : rest.len;
		status = add_fix(asked, settings, (struct tc_text){rest.ptr, len});
		len += comma ? 1 : 0;
		rest = (struct tc_text){rest.ptr + len, rest.len - len};
	}
	return status;
}

static enum tc_status read_options(
	struct tc_whatif_asked *asked, const struct tc_whatif_options *options)
{
	enum tc_status status = tc_advice_fixes_new(&asked->fixes, asked->ctx, options->settings);

	for (size_t i = 0; !status && options->edits && options->edits[i]; i++)
		status = add_edit(asked, options->edits[i]);
	for (size_t i = 0; !status && options->fixes && options->fixes[i]; i++)
		status = add_fixes(asked, options->settings, options->fixes[i]);
	return status ? status : tc_buf_failed(&asked->text) ? tc_no_memory(asked->ctx) : TC_OK;
}

/* ---- replaying */

static enum tc_status replay_timeline(
	struct tc_whatif_output *output, const struct tc_timeline *timeline, int64_t rank)
{
	struct tc_whatif_asked *asked = output->asked;
	struct tc_replay replay = {0};
	struct tc_shifts shifts = {0};
	enum tc_status status = tc_replay_make(
		&replay, timeline, asked->fixes->clauses, asked->fixes->clause_count);

	if (!status)
		status = tc_shifts_run(&shifts, asked->ctx, &replay, &asked->set, 1);
	if (!status) {
		struct tc_whatif_trace trace = {
			.trace_id = timeline->trace_id, .rank = rank, .won = shifts.won[0]};
		status = tc_whatif_answer(output, &trace, &replay, NULL);
	}
	tc_shifts_clear(&shifts);
	tc_replay_clear(&replay);
	return status;
}

static void replay_alone(struct tc_whatif_output *output, int64_t trace_id, int64_t rank)
{
	struct tc_loaded *loaded = NULL;

	if (tc_loaded_new(&loaded, output->asked->ctx, output->db, trace_id) == TC_OK)
		replay_timeline(output, tc_loaded_timeline(loaded), rank);
	tc_loaded_free(loaded);
}

/* Whether the ranks of a job wait for each other in a replay. Where recordings begin the same step
 * apart, import replays each alone, so the same fix wins the same here. */
static bool is_together(const struct tc_whatif_output *output, int64_t job_id)
{
	const struct tc_whatif_asked *asked = output->asked;

	return tc_fixes_have_ranks(asked->fixes, &asked->set) ||
	       tc_rows_single(asked->ctx, output->db, "SELECT " TC_STARTS_APART_SQL, job_id) == 0;
}

/* Replays a trace alone, or a whole job if the trace is the first of its ranks. */
static void replay_trace(struct tc_whatif_output *output, const struct tc_rows *row)
{
	int64_t trace_id = tc_rows_int(row, 0);

	if (tc_rows_null(row, 1))
		replay_alone(output, trace_id, -1);
	else if (!is_together(output, tc_rows_int(row, 1)))
		replay_alone(output, trace_id, tc_rows_int(row, 2));
	else if (tc_rows_int(row, 1) == trace_id)
		tc_whatif_ranks(output, trace_id);
}

static void end_json(struct tc_whatif_output *output)
{
	struct tc_json *json = &output->json;

	tc_json_end(json);
	tc_json_array(json, "jobs");
	for (size_t i = 0; i < output->job_count; i++) {
		tc_json_object(json, NULL);
		tc_whatif_job_json(json, &output->jobs[i]);
		tc_json_end(json);
	}
	tc_json_end(json);
	tc_json_int(json, "step_before_ns", output->slowest_before_ns);
	tc_json_int_if(json, "step_after_ns", !output->slowest_is_unknown, output->slowest_then_ns);
	tc_json_end(json);
	tc_sink_put(&output->sink, "\n");
}

static void answer_all(struct tc_whatif_output *output)
{
	bool is_json = output->format == TC_WHATIF_JSON;

	if (tc_whatif_check_ranks(output))
		return;
	if (is_json) {
		output->json = (struct tc_json){.sink = &output->sink};
		tc_json_begin(&output->json, TC_WHATIF_VERSION);
		tc_json_array(&output->json, "traces");
	} else {
		tc_whatif_edits_text(&output->sink, tc_buf_text(&output->asked->text));
	}
	struct tc_rows row = tc_rows_open(output->asked->ctx, output->db,
		"SELECT t.id, j.job_id, j.rank FROM trace t"
		" LEFT JOIN job_rank j ON j.trace_id = t.id"
		" ORDER BY t.id");
	while (tc_rows_next(&row))
		replay_trace(output, &row);
	if (is_json)
		end_json(output);
}

enum tc_status tc_whatif(struct tc_ctx *ctx, struct tc_store *store,
	const struct tc_whatif_options *options, enum tc_whatif_format format, tc_write_fn write,
	void *user)
{
	struct tc_whatif_asked asked = {.ctx = ctx, .text = TC_BUF_EMPTY, .kept = TC_STRTAB_EMPTY};
	struct tc_whatif_output output = {
		.asked = &asked, .db = tc_store_db(store), .format = format};
	enum tc_status status = read_options(&asked, options);

	if (!status) {
		tc_sink_init(&output.sink, write, user);
		output.sink.ctx = ctx;
		output.sink.escapes = format == TC_WHATIF_JSON;
		answer_all(&output);
		status = tc_sink_close(&output.sink, ctx);
	}
	tc_free(output.jobs);
	tc_advice_fixes_free(asked.fixes);
	tc_buf_clear(&asked.text);
	tc_strtab_clear(&asked.kept);
	return status;
}
