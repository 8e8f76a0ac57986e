/* Critical paths before and after the edits, and whether the gain is known; see answer.h. */

#include "report/whatif/answer.h"

#include <stdlib.h>
#include <string.h>

#include "advice/settings/settings.h"
#include "replay/run/apply.h"
#include "report/json/json_writer.h"
#include "report/text/format.h"
#include "report/view/parts.h"
#include "report/view/rows.h"

/* The replay of a trace as text and as JSON. */

/* What the critical path spends its time on: a role of host slices, an engine, or waiting. */
struct whatif_part {
	const char *piece, *name; /* name: role or engine, or NULL */
	int64_t before_ns, then_ns;
};

enum { MAX_PARTS = 64 };

enum { SHOWN_PARTS = 8 };

enum { WIDTH = 100 }; /* of a line */

static const char *part_name(const struct tc_path_row *row)
{
	if (row->piece == TC_PIECE_HOST)
		return tc_role_name((enum tc_role)row->role_or_engine);
	return row->piece == TC_PIECE_DEVICE ? tc_engine_name((enum tc_engine)row->role_or_engine)
					     : NULL;
}

static void add_path(
	struct whatif_part *parts, size_t *count, const struct tc_path *path, bool is_then)
{
	for (size_t i = 0; i < path->count; i++) {
		const struct tc_path_row *row = &path->rows[i];
		const char *piece = tc_piece_name((enum tc_piece)row->piece),
			   *name = part_name(row);
		size_t at = 0;
		while (at < *count && !(parts[at].piece == piece && parts[at].name == name))
			at++;
		if (at == MAX_PARTS || row->path_ns == 0)
			continue;
		if (at == *count)
			parts[(*count)++] = (struct whatif_part){piece, name, 0, 0};
		*(is_then ? &parts[at].then_ns : &parts[at].before_ns) += row->path_ns;
	}
}

/* The larger of both times: a part that the fix removes is as important as one that stays. */
static int64_t most(const struct whatif_part *part)
{
	return part->before_ns > part->then_ns ? part->before_ns : part->then_ns;
}

static int compare(const void *left, const void *right)
{
	const struct whatif_part *a = left, *b = right;
	int64_t a_ns = most(a), b_ns = most(b);

	if (a_ns != b_ns)
		return a_ns > b_ns ? -1 : 1;
	if (a->then_ns != b->then_ns)
		return a->then_ns > b->then_ns ? -1 : 1;
	int order = strcmp(a->piece, b->piece);
	return order ? order : strcmp(a->name ? a->name : "", b->name ? b->name : "");
}

/* Sums up both paths by part and sorts the parts, largest first. Returns their number. */
static size_t sum_up(struct whatif_part parts[MAX_PARTS], const struct tc_whatif_trace *trace)
{
	size_t count = 0;

	add_path(parts, &count, trace->before, false);
	add_path(parts, &count, trace->then, true);
	qsort(parts, count, sizeof(parts[0]), compare);
	return count;
}

static void put_ns(struct tc_sink *sink, int64_t ns)
{
	tc_sink_format(sink, "%10s", tc_show_ns(ns).text);
}

static void put_title(struct tc_sink *sink, const char *piece, const char *name)
{
	struct tc_text title = tc_part_title(tc_text_from(name));

	tc_sink_format(sink, "%s%.*s", piece, (int)title.len, title.ptr);
}

static void put_part_name(struct tc_sink *sink, const struct whatif_part *part)
{
	if (strcmp(part->piece, "host") == 0)
		put_title(sink, "host: ", part->name ? part->name : "nothing recorded");
	else if (strcmp(part->piece, "device") == 0)
		put_title(sink, "device: ", part->name ? part->name : "work");
	else if (strcmp(part->piece, "launch") == 0)
		tc_sink_put(sink, "from launches to the start of their work");
	else if (strcmp(part->piece, "queue") == 0)
		tc_sink_put(sink, "between work on the device");
	else if (strcmp(part->piece, "wake") == 0)
		tc_sink_put(sink, "from the end of a wait to the host's next work");
	else
		tc_sink_put(sink, "before the first work, or not known");
}

static void put_before(struct tc_sink *sink, const struct tc_won *won, int64_t wall_ns)
{
	tc_sink_format(sink, "  %s takes %s as recorded, ",
		won->step_before_ns > 0 ? "a steady step" : "the recording",
		tc_show_ns(tc_whatif_before_ns(won, wall_ns)).text);
}

static void put_unknown(struct tc_sink *sink, const struct tc_won *won, int64_t wall_ns)
{
	put_before(sink, won, wall_ns);
	tc_sink_put(sink,
		"an unknown time with the edits\n  saved in the recording: unknown. The trace does "
		"not "
		"show which calls launched\n  the work of its devices, so nothing moves when the "
		"host gets faster.\n");
}

static void put_times(struct tc_sink *sink, const struct tc_won *won, int64_t wall_ns)
{
	put_before(sink, won, wall_ns);
	tc_sink_format(sink, "%s with the edits\n  saved in the recording: %s, %.1f %%\n",
		tc_show_ns(tc_whatif_then_ns(won, wall_ns)).text, tc_show_ns(won->gain_ns).text,
		tc_format_share_pct(won->gain_ns, wall_ns));
}

/* Puts the part that takes most of the path after the edits. */
static void put_limit(struct tc_sink *sink, const struct tc_whatif_trace *trace,
	const struct whatif_part *parts, size_t count)
{
	const struct whatif_part *limit = NULL;

	for (size_t i = 0; i < count; i++)
		if (parts[i].then_ns > (limit ? limit->then_ns : 0))
			limit = &parts[i];
	if (!limit)
		return;
	tc_sink_put(sink, "  Then the limit is ");
	put_part_name(sink, limit);
	tc_sink_format(sink, ", %.0f %% of the critical path.\n",
		tc_format_share_pct(limit->then_ns, trace->wall_ns - trace->won.end_ns));
}

/* The first of several edits; rest gets those behind it. Blanks stand in quotes only. */
static struct tc_text first_edit(struct tc_text *rest)
{
	const struct tc_text all = *rest;
	bool is_quoted = false;

	for (size_t i = 0; i + 1 < all.len; i++) {
		is_quoted ^= all.ptr[i] == '\'';
		if (is_quoted || all.ptr[i] != ';' || all.ptr[i + 1] != ' ')
			continue;
		*rest = (struct tc_text){all.ptr + i + 2, all.len - i - 2};
		return (struct tc_text){all.ptr, i};
	}
	*rest = TC_TEXT_NONE;
	return all;
}

void tc_whatif_edits_text(struct tc_sink *sink, struct tc_text edits)
{
	struct tc_buf clean = TC_BUF_EMPTY, line = TC_BUF_EMPTY;

	tc_sink_put(sink, edits.len > 0 ? "With\n" : "Nothing changed\n");
	while (edits.len > 0) {
		tc_format_clean(&clean, first_edit(&edits), false, 0);
		tc_format_wrap(&line, tc_buf_text(&clean), 4, 2, WIDTH);
		tc_sink_format(sink, "  %.*s\n", (int)line.len, tc_buf_text(&line).ptr);
		tc_buf_reset(&clean);
		tc_buf_reset(&line);
	}
	tc_sink_put(sink, "\n");
	tc_buf_clear(&clean);
	tc_buf_clear(&line);
}

/* The path is the title, as in a report. */
static void put_path(struct tc_sink *sink, struct tc_text path)
{
	struct tc_buf title = TC_BUF_EMPTY;

	tc_format_clean(&title, path, false, 0);
	tc_sink_text(sink, tc_buf_text(&title));
	tc_buf_clear(&title);
}

static void whatif_text(
	struct tc_sink *sink, const struct tc_whatif_trace *trace, struct tc_text path)
{
	struct whatif_part parts[MAX_PARTS];
	size_t count = sum_up(parts, trace);

	put_path(sink, path);
	if (trace->rank >= 0)
		tc_sink_format(sink, ", rank %lld", (long long)trace->rank);
	tc_sink_put(sink, "\n");
	if (trace->is_late)
		tc_sink_put(sink, "  Nobody waits for this rank: see what the others win.\n");
	if (trace->is_unknown) {
		put_unknown(sink, &trace->won, trace->wall_ns);
		tc_sink_put(sink, "\n");
		return;
	}
	put_times(sink, &trace->won, trace->wall_ns);
	if (*trace->edit && !trace->is_late && trace->won.removed_ns == 0 &&
		trace->won.gain_ns == 0)
		tc_sink_put(sink, "  Nothing changes: see whether this recording has what the "
				  "edits name.\n");
	tc_sink_put(sink, "\n  The critical path\n      before       then\n");
	for (size_t i = 0; i < count && i < SHOWN_PARTS; i++) {
		tc_sink_put(sink, "  ");
		put_ns(sink, parts[i].before_ns);
		tc_sink_put(sink, " ");
		put_ns(sink, parts[i].then_ns);
		tc_sink_put(sink, "  ");
		put_part_name(sink, &parts[i]);
		tc_sink_put(sink, "\n");
	}
	put_limit(sink, trace, parts, count);
	tc_sink_put(sink, "\n");
}

void tc_whatif_job_text(struct tc_sink *sink, const struct tc_whatif_job *job)
{
	tc_sink_format(sink, "One job, %s ranks", tc_show_count((int64_t)job->rank_count).text);
	if (job->late_count > 0)
		tc_sink_format(sink, ", nobody waits for %s of them",
			tc_show_count((int64_t)job->late_count).text);
	tc_sink_put(sink, "\n");
	(job->is_unknown ? put_unknown : put_times)(sink, &job->won, job->wall_ns);
	tc_sink_put(sink, "\n");
}

static void put_won(struct tc_json *json, const struct tc_won *won, bool is_unknown)
{
	bool has_steps = won->step_before_ns > 0;

	tc_json_int_if(json, "gain_ns", !is_unknown, won->gain_ns);
	tc_json_int_if(json, "step_before_ns", has_steps, won->step_before_ns);
	tc_json_int_if(json, "step_after_ns", has_steps && !is_unknown, won->step_after_ns);
}

void tc_whatif_job_json(struct tc_json *json, const struct tc_whatif_job *job)
{
	tc_json_int(json, "job_id", job->job_id);
	tc_json_int(json, "rank_count", (int64_t)job->rank_count);
	tc_json_int(json, "late_count", (int64_t)job->late_count);
	tc_json_int(json, "wall_ns", job->wall_ns);
	put_won(json, &job->won, job->is_unknown);
}

/* Both write members into the open object. */
static void whatif_json(struct tc_json *json, const struct tc_whatif_trace *trace)
{
	struct whatif_part parts[MAX_PARTS];
	size_t count = sum_up(parts, trace);

	tc_json_int(json, "trace_id", trace->trace_id);
	tc_json_int_if(json, "rank", trace->rank >= 0, trace->rank);
	tc_json_bool(json, "is_late", trace->is_late);
	tc_json_string(json, "edit", trace->edit);
	tc_json_int(json, "wall_ns", trace->wall_ns);
	put_won(json, &trace->won, trace->is_unknown);
	tc_json_int(json, "removed_ns", trace->won.removed_ns);
	tc_json_array(json, "critical_path");
	for (size_t i = 0; i < count; i++) {
		tc_json_object(json, NULL);
		tc_json_string(json, "piece", parts[i].piece);
		tc_json_string(json, "name", parts[i].name);
		tc_json_int(json, "before_ns", parts[i].before_ns);
		tc_json_int(json, "then_ns", parts[i].then_ns);
		tc_json_end(json);
	}
	tc_json_end(json);
}

static void write_trace(struct tc_whatif_output *output, const struct tc_whatif_trace *trace)
{
	int64_t before_ns = tc_whatif_before_ns(&trace->won, trace->wall_ns);

	if (!trace->is_late && before_ns > output->slowest_before_ns) {
		output->slowest_before_ns = before_ns;
		output->slowest_then_ns = tc_whatif_then_ns(&trace->won, trace->wall_ns);
		output->slowest_is_unknown = trace->is_unknown;
	}
	if (output->format == TC_WHATIF_TEXT) {
		struct tc_rows row = TC_ROWS(output->asked->ctx, output->db,
			"SELECT path FROM trace WHERE id = ?1", trace->trace_id);
		if (tc_rows_next(&row))
			whatif_text(&output->sink, trace, tc_rows_text(&row, 0));
		tc_rows_close(&row);
		return;
	}
	tc_json_object(&output->json, NULL);
	whatif_json(&output->json, trace);
	tc_json_end(&output->json);
}

/* If the trace does not have the calls that launch device work, no edit of the host moves that
 * work. A gain of nothing then means that the gain is unknown. */
static void find_unknown(struct tc_whatif_output *output, struct tc_whatif_trace *trace)
{
	trace->is_unknown =
		tc_format_share_pct(trace->won.gain_ns, trace->wall_ns) < TC_GAIN_NOTHING_PCT &&
		tc_rows_single(output->asked->ctx, output->db,
			"SELECT 1 FROM capability d JOIN capability l USING (trace_id)"
			" WHERE trace_id = ?1 AND d.name = 'device' AND d.present"
			" AND l.name = 'launches' AND NOT l.present",
			trace->trace_id);
}

enum tc_status tc_whatif_answer(struct tc_whatif_output *output, struct tc_whatif_trace *trace,
	const struct tc_replay *replay, const struct tc_meets *meets)
{
	struct tc_ctx *ctx = output->asked->ctx;
	struct tc_path before = {0}, then = {0};
	struct tc_replay applied = {0};

	trace->edit = tc_buf_string(&output->asked->text);
	trace->wall_ns = tc_replay_wall_ns(replay);
	enum tc_status status =
		trace->edit ? tc_path_find(&before, replay, ctx) : tc_no_memory(ctx);
	if (!status)
		status = tc_replay_apply(&applied, ctx, replay, &output->asked->set, meets);
	if (!status)
		status = tc_path_find(&then, &applied, ctx);
	trace->before = &before;
	trace->then = &then;
	if (!status) {
		find_unknown(output, trace);
		write_trace(output, trace);
	}
	tc_path_clear(&before);
	tc_path_clear(&then);
	tc_replay_clear(&applied);
	return status;
}
