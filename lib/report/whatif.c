/*
 * What-ifs: loads each trace, replays it with the edits and fixes that were asked for, and writes
 * how much time they save and where the critical path then runs. The ranks of a job wait for each
 * other, so they are replayed together. See docs/edits.md.
 */
#include <sqlite3.h>
#include <string.h>

#include "advice/advise.h"
#include "advice/settings/fixes.h"
#include "advice/settings/settings.h"
#include "analysis/ranks.h"
#include "core/alloc.h"
#include "core/buf.h"
#include "replay/apply.h"
#include "replay/world.h"
#include "replay/path.h"
#include "replay/stragglers.h"
#include "replay/together.h"
#include "report/text/format.h"
#include "report/text/json.h"
#include "report/screen/screen.h"
#include "report/text/sink.h"
#include "report/view/ranks.h"
#include "report/view/view.h"
#include "store/connection.h"
#include "store/sql.h"
#include "tracecoach/version.h"
#include "tracecoach/whatif.h"

/* What the edits save of a steady step, or of the steady run if there is none: of a trace, or of
 * the ranks of a job that others wait for. */
struct saved {
	int64_t run_ns; /* the steady run, of which gains are shares */
	struct tc_won won;
	struct tc_gain gain; /* its range */
	bool is_unknown; /* the trace, or one of a rank, lacks the calls that launch device work */
	bool is_own; /* the gain is what the edits take off this rank itself; steps are the job's */
};

static int64_t before_ns_of(const struct saved *saved)
{
	return saved->won.step_before_ns > 0 ? saved->won.step_before_ns : saved->run_ns;
}

static int64_t then_ns_of(const struct saved *saved)
{
	return saved->won.step_before_ns > 0        ? saved->won.step_after_ns
	       : saved->won.gain_ns < saved->run_ns ? saved->run_ns - saved->won.gain_ns
						    : 0;
}

struct trace_answer {
	int64_t trace_id;
	int64_t rank; /* -1 for a trace that is no rank of a job */
	bool is_late; /* nobody waits for it */
	struct saved saved;
	/* The time in which the loader's workers deliver a batch, and the gain if each batch is
	 * ready; 0: no call waits for them, or its ranks were replayed together. */
	int64_t batch_ns, ready_gain_ns, edits_ns; /* the last: what the edits add to that */
	unsigned idle_parts;                       /* bits of asked.parts that change nothing */
	const struct tc_path *before, *then;       /* critical paths */
	const char *edit;                          /* several: with "; " between them */
};

/* The ranks of a job together: the gain of the ranks that others still wait for. */
struct job_answer {
	int64_t job_id;
	size_t rank_count, late_count;
	int64_t trace_id, rank; /* that the gain is of */
	struct saved saved;
	bool is_of_waiting; /* the times are the median of the other ranks, which wait for it */
};

/* One what-if: all edits and fixes that were asked for. */
struct asked {
	struct tc_ctx *ctx;
	const struct tc_settings *settings;
	struct tc_settings *defaults; /* where the caller has none */
	struct tc_advice *advice;     /* of the report */
	struct tc_job report;   /* whose numbers fixes may be; its advice is made for the first */
	struct tc_fixes *fixes; /* of the settings; behind theirs the clauses of the edits */
	struct tc_clause_set set;
	struct tc_together_part parts[TC_TOGETHER_MAX]; /* edits and fixes; more are in the last */
	const char *names[TC_TOGETHER_MAX];             /* by part; NULL for several in one */
	size_t part_count;
	struct tc_buf text;
	struct tc_strtab kept; /* patterns of the edits */
};

/* Where the answers go. */
struct output {
	struct asked *asked;
	sqlite3 *db;
	enum tc_whatif_format format;
	struct tc_sink sink;
	struct tc_json json;
	int64_t apart_id; /* the job of which is_apart is known; -1: none */
	bool is_apart;
	int64_t main_id;   /* the trace whose answer is that of the whole */
	struct saved main; /* and this is it, of its job where its ranks wait for each other */
	struct job_answer *jobs; /* JSON only: written at the end */
	size_t job_count, job_capacity;
};

/* ---- the answer for a trace, and for a job, as text and as JSON */

/* Work on the critical path: a role of host slices, an engine, or waiting. */
struct whatif_part {
	enum tc_piece piece;
	const char *name; /* role or engine, or NULL */
	int64_t before_ns, then_ns;
};

enum { MAX_PARTS = 64, SHOWN_PARTS = 8, WIDTH = 100 }; /* WIDTH: of a line */

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
		const enum tc_piece piece = (enum tc_piece)row->piece;
		const char *name = part_name(row);
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

static int by_name(const struct whatif_part *a, const struct whatif_part *b)
{
	int order = strcmp(tc_piece_name(a->piece), tc_piece_name(b->piece));

	return order ? order : strcmp(a->name ? a->name : "", b->name ? b->name : "");
}

TC_ORDER(compare, struct whatif_part, TC_DOWN_OF(most) TC_DOWN(then_ns) TC_BY(by_name));

/* Sums up both paths by part and sorts the parts, largest first. Returns their number. */
static size_t sum_up(struct whatif_part parts[MAX_PARTS], const struct trace_answer *trace)
{
	size_t count = 0;

	add_path(parts, &count, trace->before, false);
	add_path(parts, &count, trace->then, true);
	TC_SORT(parts, count, compare);
	return count;
}

static void put_title(struct tc_sink *sink, const char *piece, const char *name)
{
	struct tc_text title = tc_part_title(tc_text_from(name));

	tc_sink_format(sink, "%s%.*s", piece, (int)title.len, title.ptr);
}

static void put_part_name(struct tc_sink *sink, const struct whatif_part *part)
{
	switch (part->piece) {
	case TC_PIECE_HOST:
		put_title(sink, "host: ", part->name ? part->name : "nothing recorded");
		break;
	case TC_PIECE_DEVICE: put_title(sink, "device: ", part->name ? part->name : "work"); break;
	case TC_PIECE_LAUNCH: tc_sink_put(sink, "from launches to the start of their work"); break;
	case TC_PIECE_QUEUE: tc_sink_put(sink, "between work on the device"); break;
	case TC_PIECE_WAKE:
		tc_sink_put(sink, "from the end of a wait to the host's next work");
		break;
	case TC_PIECE_NONE: tc_sink_put(sink, "before the first work, or not known"); break;
	}
}

static void put_saved(struct tc_sink *sink, const struct saved *saved)
{
	const struct tc_gain_shown gain = {
		saved->won.gain_ns, saved->gain.low_ns, saved->gain.high_ns};
	const char *by = saved->is_own ? " by this rank itself" : "";

	tc_sink_format(sink, "  %s takes %s as recorded, ",
		saved->won.step_before_ns > 0 ? "a steady step" : "the steady run",
		tc_show_ns(before_ns_of(saved)).text);
	if (saved->is_unknown) {
		tc_sink_format(sink,
			"an unknown time with the edits\n  saved in the steady run%s: unknown. The "
			"trace does not show which calls launched\n  the work of its devices, so "
			"nothing moves when the host gets faster.\n",
			by);
		return;
	}
	tc_sink_format(sink, "%s with the edits\n  saved in the steady run%s: %s, ",
		tc_show_ns(then_ns_of(saved)).text, by, tc_show_gain(&gain).text);
	if (tc_gain_is_range(&gain))
		tc_sink_format(sink, "likely %s, ", tc_show_ns(gain.likely_ns).text);
	tc_sink_format(sink, "%.1f %%\n", tc_format_share_pct(gain.likely_ns, saved->run_ns));
}

/* Puts the part that takes most of the path after the edits. */
static void put_limit(struct tc_sink *sink, const struct whatif_part *parts, size_t count)
{
	const struct whatif_part *limit = NULL;
	int64_t then_ns = 0;

	for (size_t i = 0; i < count; i++) {
		then_ns = tc_add_saturated(then_ns, parts[i].then_ns);
		if (parts[i].then_ns > (limit ? limit->then_ns : 0))
			limit = &parts[i];
	}
	if (!limit)
		return;
	tc_sink_put(sink, "  Then the limit is ");
	put_part_name(sink, limit);
	tc_sink_format(sink, ", %.0f %% of the critical path.\n",
		tc_format_share_pct(limit->then_ns, then_ns));
}

/* A loader whose workers are the limit hides what the edits could save. */
static void put_loader(struct tc_sink *sink, const struct trace_answer *trace)
{
	int64_t run_ns = trace->saved.run_ns,
		hidden_ns = trace->edits_ns - trace->saved.won.gain_ns;

	if (trace->batch_ns <= 0 || tc_format_share_pct(hidden_ns, run_ns) < TC_GAIN_NOTHING_PCT)
		return;
	tc_sink_format(sink,
		"  A batch comes every %s. If the workers keep up, the edits save %s, %.1f %%.\n",
		tc_show_ns(trace->batch_ns).text, tc_show_ns(trace->edits_ns).text,
		tc_format_share_pct(trace->edits_ns, run_ns));
}

/* Edits as they are in tc_whatif_trace, a line each. */
static void put_edits(struct tc_sink *sink, struct tc_text edits)
{
	struct tc_buf clean = TC_BUF_EMPTY, line = TC_BUF_EMPTY;

	tc_sink_put(sink, "Edits\n");
	while (edits.len > 0) {
		tc_format_clean(&clean, tc_edit_take_first(&edits), false, 0);
		tc_format_wrap(&line, tc_buf_text(&clean), 4, 2, WIDTH);
		tc_sink_format(sink, "  %.*s\n", (int)line.len, tc_buf_text(&line).ptr);
		tc_buf_reset(&clean);
		tc_buf_reset(&line);
	}
	tc_buf_clear(&clean);
	tc_buf_clear(&line);
}

/* A part that changes nothing would read as one that is asked for and helps. */
static void put_idle_parts(
	struct tc_sink *sink, const struct asked *asked, const struct trace_answer *trace)
{
	struct tc_buf name = TC_BUF_EMPTY;

	for (size_t i = 0; i < asked->part_count; i++) {
		if (!(trace->idle_parts >> i & 1) || !asked->names[i])
			continue;
		tc_format_clean(&name, tc_text_from(asked->names[i]), false, 0);
		tc_sink_format(sink, "  %.*s changes nothing in this recording.\n", (int)name.len,
			tc_buf_text(&name).ptr);
		tc_buf_reset(&name);
	}
	tc_buf_clear(&name);
}

/* Says how much sooner the recording ends, its first step included, which is no steady one. */
static void put_path_title(struct tc_sink *sink, const struct whatif_part *parts, size_t count)
{
	int64_t sooner_ns = 0;

	for (size_t i = 0; i < count; i++)
		sooner_ns = tc_add_saturated(
			sooner_ns, tc_sub_saturated(parts[i].before_ns, parts[i].then_ns));
	tc_sink_put(sink, "\n  The critical path of the recording");
	if (sooner_ns > 0)
		tc_sink_format(sink, ", which ends %s sooner", tc_show_ns(sooner_ns).text);
	tc_sink_put(sink, "\n      before       then\n");
}

static void whatif_text(struct tc_sink *sink, const struct asked *asked,
	const struct trace_answer *trace, struct tc_text path)
{
	struct whatif_part parts[MAX_PARTS];
	size_t count = sum_up(parts, trace);
	struct tc_buf title = TC_BUF_EMPTY;

	tc_format_clean(&title, path, false, 0);
	tc_sink_text(sink, tc_buf_text(&title));
	tc_buf_clear(&title);
	if (trace->rank >= 0)
		tc_sink_format(sink, ", rank %lld", (long long)trace->rank);
	tc_sink_put(sink, "\n");
	if (trace->is_late)
		tc_sink_put(sink, "  Nobody waits for this rank: see what the others win.\n");
	put_saved(sink, &trace->saved);
	if (trace->saved.is_unknown) {
		tc_sink_put(sink, "\n");
		return;
	}
	if (*trace->edit && !trace->is_late && trace->saved.won.removed_ns == 0 &&
		trace->saved.won.gain_ns == 0)
		tc_sink_put(sink,
			"  Nothing changes: see whether this recording has what the edits name.\n");
	else if (!trace->is_late)
		put_idle_parts(sink, asked, trace);
	put_path_title(sink, parts, count);
	for (size_t i = 0; i < count && i < SHOWN_PARTS; i++) {
		tc_sink_format(sink, "  %10s %10s  ", tc_show_ns(parts[i].before_ns).text,
			tc_show_ns(parts[i].then_ns).text);
		put_part_name(sink, &parts[i]);
		tc_sink_put(sink, "\n");
	}
	put_limit(sink, parts, count);
	put_loader(sink, trace);
	tc_sink_put(sink, "\n");
}

static void put_job_text(struct tc_sink *sink, const struct job_answer *job)
{
	tc_sink_format(sink, "One job, %s ranks", tc_show_count((int64_t)job->rank_count).text);
	if (job->late_count > 0)
		tc_sink_format(sink, ", nobody waits for %s of them",
			tc_show_count((int64_t)job->late_count).text);
	tc_sink_format(sink, "; times of %srank %lld\n",
		job->is_of_waiting ? "the median of the ranks other than " : "",
		(long long)job->rank);
	put_saved(sink, &job->saved);
	tc_sink_put(sink, "\n");
}

static void put_gain(struct tc_json *json, const struct saved *saved)
{
	tc_json_int_if(json, "gain_ns", !saved->is_unknown, saved->won.gain_ns);
	tc_json_int_if(json, "gain_low_ns", !saved->is_unknown, saved->gain.low_ns);
	tc_json_int_if(json, "gain_high_ns", !saved->is_unknown, saved->gain.high_ns);
}

static void put_won(struct tc_json *json, const struct saved *saved)
{
	bool has_steps = saved->won.step_before_ns > 0, is_known = !saved->is_unknown;

	put_gain(json, saved);
	tc_json_int_if(json, "step_before_ns", has_steps, saved->won.step_before_ns);
	tc_json_int_if(json, "step_after_ns", has_steps && is_known, saved->won.step_after_ns);
}

static void put_job_json(struct tc_json *json, const struct job_answer *job)
{
	tc_json_int(json, "job_id", job->job_id);
	tc_json_int(json, "trace_id", job->trace_id);
	tc_json_int(json, "rank_count", (int64_t)job->rank_count);
	tc_json_int(json, "late_count", (int64_t)job->late_count);
	tc_json_int(json, "wall_ns", job->saved.run_ns);
	put_won(json, &job->saved);
}

static void whatif_json(struct tc_json *json, const struct trace_answer *trace)
{
	struct whatif_part parts[MAX_PARTS];
	size_t count = sum_up(parts, trace);

	tc_json_int(json, "trace_id", trace->trace_id);
	tc_json_int_if(json, "rank", trace->rank >= 0, trace->rank);
	tc_json_bool(json, "is_late", trace->is_late);
	tc_json_string(json, "edit", trace->edit);
	tc_json_int(json, "wall_ns", trace->saved.run_ns);
	put_won(json, &trace->saved);
	tc_json_int(json, "removed_ns", trace->saved.won.removed_ns);
	tc_json_int_if(json, "batch_ns", trace->batch_ns > 0, trace->batch_ns);
	tc_json_int_if(json, "gain_if_batches_ready_ns", trace->batch_ns > 0, trace->ready_gain_ns);
	tc_json_array(json, "critical_path");
	for (size_t i = 0; i < count; i++) {
		tc_json_object(json, NULL);
		tc_json_string(json, "piece", tc_piece_name(parts[i].piece));
		tc_json_string(json, "name", parts[i].name);
		tc_json_int(json, "before_ns", parts[i].before_ns);
		tc_json_int(json, "then_ns", parts[i].then_ns);
		tc_json_end(json);
	}
	tc_json_end(json);
}

static void write_trace(struct output *output, const struct trace_answer *trace)
{
	if (trace->trace_id == output->main_id)
		output->main = trace->saved;
	if (output->format == TC_WHATIF_TEXT) {
		struct tc_rows row = TC_ROWS(output->asked->ctx, output->db,
			"SELECT path FROM trace WHERE id = ?1", trace->trace_id);
		if (tc_rows_next(&row))
			whatif_text(&output->sink, output->asked, trace, tc_rows_text(&row, 0));
		tc_rows_close(&row);
		return;
	}
	tc_json_object(&output->json, NULL);
	whatif_json(&output->json, trace);
	tc_json_end(&output->json);
}

/* If the trace does not have the calls that launch device work, no edit of the host moves that
 * work. A gain of nothing then means that the gain is unknown. */
static void find_unknown(struct output *output, struct trace_answer *trace)
{
	struct saved *saved = &trace->saved;

	saved->is_unknown =
		tc_format_share_pct(saved->won.gain_ns, saved->run_ns) < TC_GAIN_NOTHING_PCT &&
		tc_rows_single(output->asked->ctx, output->db,
			"SELECT 1 FROM capability d JOIN capability l USING (trace_id)"
			" WHERE trace_id = ?1 AND d.name = 'device' AND d.present"
			" AND l.name = 'launches' AND NOT l.present",
			trace->trace_id);
}

/* Finds the critical paths of a trace and whether its gain is known, and writes the answer. meets
 * is NULL unless ranks were replayed together. */
static void answer(struct output *output, struct trace_answer *trace,
	const struct tc_replay *replay, const struct tc_meets *meets)
{
	struct tc_ctx *ctx = output->asked->ctx;
	struct tc_path before = {0}, then = {0};
	struct tc_replay applied = {0};

	trace->edit = tc_buf_string(&output->asked->text);
	trace->saved.run_ns = tc_view_steady_ns(ctx, output->db, trace->trace_id);
	trace->before = &before;
	trace->then = &then;
	if (trace->edit && !tc_path_find(&before, replay, TC_PATH_PIECES, ctx) &&
		!tc_replay_apply(&applied, ctx, replay, &output->asked->set, meets) &&
		!tc_path_find(&then, &applied, TC_PATH_PIECES, ctx)) {
		find_unknown(output, trace);
		write_trace(output, trace);
	}
	tc_path_clear(&before);
	tc_path_clear(&then);
	tc_replay_clear(&applied);
}

/* ---- a job: its ranks replayed together */

struct job {
	struct output *output;
	struct tc_replays replays;
	struct tc_world world;
	struct tc_arena arena;
	struct tc_clause_set sets[TC_TOGETHER_COLUMNS];
	size_t set_count;
	struct tc_world_whatif *whatifs; /* by set; the first is all that was asked for */
	size_t late_count;
	bool is_unknown; /* the gain of a rank is unknown */
	struct tc_shifts *shifts;
	struct tc_meets *meets;
};

/* Fails unless there is a trace for every rank that the edits name as never late. */
static void check_ranks(struct output *output)
{
	const struct asked *asked = output->asked;

	for (size_t at = 0; at < asked->fixes->clause_count; at++) {
		const struct tc_clause *clause = &asked->fixes->clauses[at];
		bool is_asked =
			tc_clause_set_has(&asked->set, at) && clause->action == TC_EDIT_LATE;
		for (size_t i = 0; is_asked && i < clause->rank_count; i++)
			if (!tc_rows_single(asked->ctx, output->db,
				    "SELECT 1 FROM job_rank WHERE rank = ?1", clause->ranks[i]) &&
				!tc_ctx_failed(asked->ctx))
				tc_fail(asked->ctx, TC_ERR_USAGE, "no trace of a job is of rank %d",
					(int)clause->ranks[i]);
	}
}

static bool is_late(const struct job *job, size_t rank)
{
	return job->whatifs[0].is_late && job->whatifs[0].is_late[rank];
}

static void find_late(struct job *job)
{
	for (size_t i = 0; i < job->world.count; i++)
		job->late_count += is_late(job, i);
	if (job->late_count == job->world.count && job->late_count > 0)
		tc_fail(job->output->asked->ctx, TC_ERR_USAGE,
			"somebody must be waited for: name fewer than all %zu ranks",
			job->late_count);
}

/* ---- replaying */

static void load_rank(struct job *job, int64_t trace_id)
{
	struct asked *asked = job->output->asked;
	struct tc_replay replay;

	tc_replay_load(&replay, job->output->db, trace_id, asked->fixes->clauses,
		asked->fixes->clause_count, asked->ctx);
	if (!tc_ctx_failed(asked->ctx))
		tc_replays_take(&job->replays, asked->ctx, trace_id, &replay);
	tc_replay_clear(&replay);
}

static void load(struct job *job, int64_t job_id)
{
	struct output *output = job->output;
	struct tc_ctx *ctx = output->asked->ctx;
	struct tc_rows row = TC_ROWS(ctx, output->db,
		"SELECT trace_id FROM job_rank WHERE job_id = ?1 ORDER BY trace_id", job_id);

	while (tc_rows_next(&row))
		load_rank(job, tc_rows_int(&row, 0));
	tc_world_find(&job->world, ctx, output->db, &job->replays, job_id);
	if (tc_ctx_failed(ctx))
		return;
	job->set_count =
		tc_together_sets(job->sets, output->asked->parts, output->asked->part_count);
	job->whatifs = tc_together_whatifs(
		&job->arena, &job->world, output->asked->fixes, job->sets, job->set_count);
	TC_ARENA(&job->arena, job->shifts, job->world.count);
	TC_ARENA(&job->arena, job->meets, job->world.count);
	if (!tc_ctx_failed(ctx))
		find_late(job);
}

/* The answer for all that was asked for: won is by set. */
static void settle(struct saved *saved, unsigned *idle_parts, const struct asked *asked,
	const struct tc_won *all)
{
	unsigned whole = (1U << asked->part_count) - 1;
	struct tc_together together;

	tc_together_settle(&together, all, asked->part_count);
	saved->won = together.won[whole];
	saved->gain = together.gains[whole];
	for (size_t i = 0; i < asked->part_count; i++)
		if (together.won[1U << i].removed_ns == 0 && together.won[1U << i].gain_ns == 0)
			*idle_parts |= 1U << i;
}

static void write_rank(struct job *job, size_t index)
{
	const struct tc_world_rank *rank = &job->world.ranks[index];
	struct trace_answer trace = {
		.trace_id = rank->trace_id, .rank = rank->rank, .is_late = is_late(job, index)};

	trace.saved.is_own = true;
	settle(&trace.saved, &trace.idle_parts, job->output->asked, job->shifts[index].won);
	answer(job->output, &trace, rank->replay, &job->meets[index]);
	job->is_unknown |= trace.saved.is_unknown;
}

static void write_job(struct job *job, int64_t job_id)
{
	struct output *output = job->output;
	int64_t pace_id = tc_ranks_pace(output->asked->ctx, output->db, job_id);
	struct job_answer answer = {.job_id = job_id,
		.trace_id = pace_id,
		.rank_count = job->world.count,
		.late_count = job->late_count};
	size_t rank = 0;
	unsigned idle_parts = 0;
	struct tc_won won[TC_TOGETHER_COLUMNS];

	while (rank + 1 < job->world.count && job->world.ranks[rank].trace_id != pace_id)
		rank++;
	if (tc_together_job(won, rank, &job->world, job->shifts, job->whatifs, job->set_count))
		return;
	settle(&answer.saved, &idle_parts, output->asked, won);
	answer.saved.run_ns = tc_view_steady_ns(output->asked->ctx, output->db, pace_id);
	answer.rank = job->world.ranks[rank].rank;
	answer.is_of_waiting = job->whatifs[0].is_late || job->world.ranks[rank].late_order == 1;
	answer.saved.is_unknown = job->is_unknown && answer.saved.won.gain_ns == 0;
	if (pace_id == output->main_id)
		output->main = answer.saved;
	if (output->format == TC_WHATIF_TEXT)
		put_job_text(&output->sink, &answer);
	else
		TC_PUSH(output->asked->ctx, output->jobs, output->job_count, output->job_capacity,
			answer);
}

static void replay(struct job *job, int64_t job_id)
{
	const struct asked *asked = job->output->asked;
	const struct tc_world_notes notes = {.meets = job->meets};

	for (size_t i = 0; i < job->world.count; i++)
		job->meets[i].is_wanted = true;
	tc_world_run(job->shifts, &job->world, job->whatifs, job->set_count, &notes);
	for (size_t i = 0; i < job->world.count && !tc_ctx_failed(asked->ctx); i++)
		write_rank(job, i);
	if (!tc_ctx_failed(asked->ctx))
		write_job(job, job_id);
}

/* Whether recordings begin the same step apart, so that they do not show who waits for whom. Each
 * trace of a job asks. */
static bool are_apart(struct output *output, int64_t job_id)
{
	if (output->apart_id != job_id)
		output->is_apart = tc_rows_single(output->asked->ctx, output->db,
					   "SELECT " TC_STARTS_APART_SQL, job_id) != 0;
	output->apart_id = job_id;
	return output->is_apart;
}

/* Says once why nothing changes where only late ranks were asked for and there are none. */
static bool put_no_late(const struct job *job, int64_t job_id)
{
	struct output *output = job->output;
	const struct asked *asked = output->asked;

	if (output->format != TC_WHATIF_TEXT || job->late_count > 0 || asked->part_count != 1 ||
		!tc_fixes_have_ranks(asked->fixes, &asked->set))
		return false;
	tc_sink_format(&output->sink, "One job, %s ranks\n  Nothing changes: ",
		tc_show_count((int64_t)job->world.count).text);
	tc_sink_put(&output->sink, are_apart(output, job_id)
					   ? "the recordings do not show which rank is slow: of "
					     "one step each, they start apart.\n\n"
					   : "no rank makes the others wait for long.\n\n");
	return true;
}

/* Replays the ranks of a job together and writes an answer for each. */
static void replay_job(struct output *output, int64_t job_id)
{
	struct job job = {.output = output, .arena.ctx = output->asked->ctx};

	load(&job, job_id);
	if (!tc_ctx_failed(output->asked->ctx) && !put_no_late(&job, job_id))
		replay(&job, job_id);
	for (size_t i = 0; i < job.world.count; i++) {
		if (job.shifts)
			tc_shifts_clear(&job.shifts[i]);
		if (job.meets)
			tc_free(job.meets[i].shifts_ns);
	}
	tc_arena_clear(&job.arena);
	tc_free(job.world.ranks);
	tc_replays_clear(&job.replays);
}

static const char *keep(void *user, struct tc_text text)
{
	struct asked *asked = user;
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

/* Adds a part to all that is asked for. */
static void add_part(struct asked *asked, const struct tc_together_part *part, const char *name)
{
	bool is_full = asked->part_count == TC_TOGETHER_MAX;

	asked->names[is_full ? TC_TOGETHER_MAX - 1 : asked->part_count] = is_full ? NULL : name;
	tc_clause_set_join(&asked->set, &part->ends[TC_END_LIKELY]);
	tc_together_add(asked->parts, &asked->part_count, part);
}

static void add_edit(struct asked *asked, const char *text)
{
	struct tc_fixes *fixes = asked->fixes;
	struct tc_clause_set part = {{0}};
	struct tc_edit edit;

	if (tc_edit_parse(&edit, asked->ctx, tc_text_from(text), keep, asked))
		return;
	if (edit.factor.len > 0)
		tc_fail(asked->ctx, TC_ERR_USAGE, "edit '%s': '%.*s' is no number", text,
			(int)edit.factor.len, edit.factor.ptr);
	else if (edit.clause_count > TC_CLAUSE_MAX - fixes->clause_count)
		tc_fail(asked->ctx, TC_ERR_LIMIT, "too many edits");
	if (tc_ctx_failed(asked->ctx))
		return;
	for (size_t i = 0; i < edit.clause_count; i++) {
		fixes->clauses[fixes->clause_count] = edit.clauses[i];
		tc_clause_set_add(&part, fixes->clause_count++);
	}
	tc_buf_format(&asked->text, "%s%s", asked->text.len > 0 ? "; " : "", text);
	add_part(asked, &(struct tc_together_part){{part, part, part}}, text);
}

static const struct tc_heuristic *find_numbered(struct asked *asked, const char *number)
{
	struct tc_job *report = &asked->report;

	if (!report->advice)
		report->advice = asked->advice = tc_advise(asked->ctx, report->db, asked->settings);
	return report->advice ? tc_explain_number(report, number) : NULL;
}

static void add_fix(struct asked *asked, struct tc_text id)
{
	const struct tc_heuristic *heuristic = NULL;
	const char *name = keep(asked, id);

	if (!name)
		tc_no_memory(asked->ctx);
	else if (tc_asks_number(name))
		heuristic = find_numbered(asked, name);
	else
		tc_heuristic_find(&heuristic, asked->ctx, asked->settings, name);
	if (!heuristic)
		return;
	for (size_t i = 0; i < asked->fixes->count; i++) {
		const struct tc_fix *fix = &asked->fixes->items[i];
		if (strcmp(fix->id, heuristic->id) != 0)
			continue;
		tc_buf_format(&asked->text, "%s%s", asked->text.len > 0 ? "; " : "", fix->edit);
		add_part(asked, &(struct tc_together_part){{fix->clauses, fix->low, fix->high}},
			fix->id);
		return;
	}
	tc_fail(asked->ctx, TC_ERR_USAGE,
		"%s says no edit that could be replayed: give one with --remove", heuristic->id);
}

static void add_fixes(struct asked *asked, const char *list)
{
	do {
		size_t len = strcspn(list, ",");
		add_fix(asked, (struct tc_text){list, len});
		list += list[len] ? len + 1 : len;
	} while (*list && !tc_ctx_failed(asked->ctx));
}

static void read_options(struct asked *asked, const struct tc_whatif_options *options)
{
	TC_CHECK_SIZE(asked->ctx, options);
	asked->settings = options->settings;
	if (!asked->settings && !tc_ctx_failed(asked->ctx)) {
		tc_settings_new(&asked->defaults, asked->ctx, NULL);
		asked->settings = asked->defaults;
	}
	if (!tc_ctx_failed(asked->ctx))
		asked->fixes = tc_advice_fixes_new(asked->ctx, asked->settings);
	for (size_t i = 0; !tc_ctx_failed(asked->ctx) && options->edits && options->edits[i]; i++)
		add_edit(asked, options->edits[i]);
	for (size_t i = 0; !tc_ctx_failed(asked->ctx) && options->fixes && options->fixes[i]; i++)
		add_fixes(asked, options->fixes[i]);
}

/* ---- replaying */

/* Replays a trace with what is asked for, also with batches that are always ready. */
static void replay_alone(struct output *output, int64_t trace_id, int64_t rank)
{
	struct asked *asked = output->asked;
	struct tc_replay replay;
	struct tc_shifts shifts = {0};
	struct tc_clause_set sets[TC_TOGETHER_COLUMNS + 2] = {0};
	size_t ready = tc_together_sets(sets, asked->parts, asked->part_count);

	tc_clause_set_add(&sets[ready + 1], TC_CLAUSE_LOADER_KEEPS_UP);
	sets[ready] = sets[ready + 1];
	tc_clause_set_join(&sets[ready], &asked->set);
	tc_replay_load(&replay, output->db, trace_id, asked->fixes->clauses,
		asked->fixes->clause_count, asked->ctx);
	if (!tc_ctx_failed(asked->ctx) &&
		!tc_shifts_run(&shifts, asked->ctx, &replay, sets, ready + 2)) {
		struct trace_answer trace = {.trace_id = trace_id,
			.rank = rank,
			.batch_ns = replay.batch_ns,
			.ready_gain_ns = shifts.won[ready].gain_ns,
			.edits_ns = shifts.won[ready].gain_ns - shifts.won[ready + 1].gain_ns};
		settle(&trace.saved, &trace.idle_parts, asked, shifts.won);
		answer(output, &trace, &replay, NULL);
	}
	tc_shifts_clear(&shifts);
	tc_replay_clear(&replay);
}

/* Whether the ranks of a job wait for each other in a replay. Where recordings are apart, import
 * replays each alone, so the same fix wins the same here. */
static bool is_together(struct output *output, int64_t job_id)
{
	const struct asked *asked = output->asked;

	return tc_fixes_have_ranks(asked->fixes, &asked->set) || !are_apart(output, job_id);
}

/* Replays a trace alone, or a whole job if the trace is the first of its ranks. */
static void replay_trace(struct output *output, const struct tc_rows *row)
{
	int64_t trace_id = tc_rows_int(row, 0), job_id = tc_rows_int(row, 1);

	if (tc_rows_null(row, 1) || !is_together(output, job_id))
		replay_alone(output, trace_id, tc_rows_int(row, 2));
	else if (job_id == trace_id)
		replay_job(output, trace_id);
}

static void end_json(struct output *output)
{
	struct tc_json *json = &output->json;

	tc_json_end(json);
	tc_json_array(json, "jobs");
	for (size_t i = 0; i < output->job_count; i++) {
		tc_json_object(json, NULL);
		put_job_json(json, &output->jobs[i]);
		tc_json_end(json);
	}
	tc_json_end(json);
	tc_json_int(json, "trace_id", output->main_id);
	put_gain(json, &output->main);
	tc_json_int(json, "step_before_ns", before_ns_of(&output->main));
	tc_json_int_if(json, "step_after_ns", !output->main.is_unknown, then_ns_of(&output->main));
	tc_json_end(json);
	tc_sink_put(&output->sink, "\n");
}

/* What is said of the whole is said of the first job, or of the first trace where there is none, as
 * the numbers of a report are. */
static int64_t find_main(struct tc_ctx *ctx, sqlite3 *db)
{
	int64_t job = tc_rows_single(ctx, db, "SELECT coalesce(min(job_id), -1) FROM job_rank", 0);

	return job >= 0 ? tc_ranks_pace(ctx, db, job)
			: tc_rows_single(ctx, db, "SELECT min(id) FROM trace", 0);
}

static void answer_all(struct output *output)
{
	bool is_json = output->format == TC_WHATIF_JSON;

	output->main_id = find_main(output->asked->ctx, output->db);
	check_ranks(output);
	if (tc_ctx_failed(output->asked->ctx))
		return;
	if (is_json) {
		output->json = (struct tc_json){.sink = &output->sink};
		tc_json_begin(&output->json, TC_WHATIF_VERSION);
		tc_json_array(&output->json, "traces");
	}
	struct tc_rows row = tc_rows_open(output->asked->ctx, output->db,
		"SELECT t.id, j.job_id, coalesce(j.rank, -1) FROM trace t LEFT JOIN job_rank j ON"
		" j.trace_id = t.id ORDER BY t.id");
	while (tc_rows_next(&row))
		replay_trace(output, &row);
	if (is_json)
		end_json(output);
	else
		put_edits(&output->sink, tc_buf_text(&output->asked->text));
}

enum tc_status tc_whatif(struct tc_ctx *ctx, struct tc_store *store,
	const struct tc_whatif_options *options, enum tc_whatif_format format, tc_write_fn write,
	void *user)
{
	static const struct tc_whatif_options nothing = {0};
	TC_ENTER(ctx);
	sqlite3 *db = tc_store_db(store);
	struct asked asked = {.ctx = ctx,
		.text = {.ctx = ctx},
		.report = {.ctx = ctx, .db = db, .options = {.step = -1, .rank = -1}}};
	struct output output = {.asked = &asked, .db = db, .format = format, .apart_id = -1};

	read_options(&asked, options ? options : &nothing);
	if (!tc_ctx_failed(ctx)) {
		tc_sink_init(&output.sink, write, user);
		output.sink.ctx = ctx;
		output.sink.escapes = format == TC_WHATIF_JSON;
		answer_all(&output);
		tc_sink_close(&output.sink, ctx);
	}
	tc_free(output.jobs);
	tc_advice_fixes_free(asked.fixes);
	tc_advice_free(asked.advice);
	tc_settings_free(asked.defaults);
	tc_buf_clear(&asked.text);
	tc_strtab_clear(&asked.kept);
	return tc_ctx_status(ctx);
}
