/* The ranks of a job replayed together; see answer.h. */
#include "report/whatif/answer.h"

#include "core/alloc.h"
#include "replay/walk/load.h"
#include "replay/run/replays.h"
#include "replay/whatif/stragglers.h"
#include "report/view/rows.h"

/* A job while it is replayed. */
struct job {
	struct tc_whatif_output *output;
	struct tc_replays replays;
	struct tc_world world;
	bool *is_late; /* by rank of the world */
	size_t late_count;
	bool is_unknown; /* the gain of a rank is unknown */
	struct tc_shifts *shifts;
	struct tc_meets *meets;
};

/* ---- ranks that nobody waits for */

/* The next clause about late ranks that the user asked for, from *at on; NULL at the end. */
static const struct tc_clause *next_clause(const struct tc_whatif_asked *asked, size_t *at)
{
	while (*at < asked->fixes->clause_count) {
		const struct tc_clause *clause = &asked->fixes->clauses[*at];
		if (tc_clause_set_has(&asked->set, (*at)++) && clause->action == TC_EDIT_LATE)
			return clause;
	}
	return NULL;
}

enum tc_status tc_whatif_check_ranks(struct tc_whatif_output *output)
{
	struct tc_ctx *ctx = output->asked->ctx;
	const struct tc_clause *clause;

	for (size_t at = 0; (clause = next_clause(output->asked, &at));)
		for (size_t i = 0; i < clause->rank_count && !tc_ctx_failed(ctx); i++)
			if (!tc_rows_single(ctx, output->db,
				    "SELECT 1 FROM job_rank WHERE rank = ?1", clause->ranks[i]) &&
				!tc_ctx_failed(ctx))
				tc_fail(ctx, TC_ERR_USAGE, "no trace of a job is of rank %d",
					(int)clause->ranks[i]);
	return tc_ctx_status(ctx);
}

static bool is_late(const struct job *job, const struct tc_clause *clause, size_t rank)
{
	for (size_t i = 0; i < clause->rank_count; i++)
		if (job->world.ranks[rank].rank == clause->ranks[i])
			return true;
	return clause->all_late &&
	       tc_rows_single(job->output->asked->ctx, job->output->db,
		       "SELECT late_order IS NOT NULL FROM job_rank WHERE trace_id = ?1",
		       job->world.ranks[rank].trace_id);
}

static enum tc_status find_late(struct job *job)
{
	struct tc_ctx *ctx = job->output->asked->ctx;
	const struct tc_clause *clause;

	for (size_t at = 0; (clause = next_clause(job->output->asked, &at));)
		for (size_t i = 0; i < job->world.count; i++)
			job->is_late[i] = job->is_late[i] || is_late(job, clause, i);
	for (size_t i = 0; i < job->world.count; i++)
		job->late_count += job->is_late[i];
	if (job->late_count == job->world.count && job->late_count > 0)
		tc_fail(ctx, TC_ERR_USAGE,
			"somebody must be waited for: name fewer than all %zu ranks",
			job->late_count);
	return tc_ctx_status(ctx);
}

/* ---- replaying */

static enum tc_status load_rank(struct job *job, int64_t trace_id)
{
	struct tc_whatif_asked *asked = job->output->asked;
	struct tc_loaded *loaded = NULL;
	struct tc_replay replay = {0};
	enum tc_status status = tc_loaded_new(&loaded, asked->ctx, job->output->db, trace_id);

	if (!status)
		status = tc_replay_make(&replay, tc_loaded_timeline(loaded), asked->fixes->clauses,
			asked->fixes->clause_count);
	if (!status)
		status = tc_replays_take(&job->replays, asked->ctx, trace_id, &replay);
	tc_replay_clear(&replay);
	tc_loaded_free(loaded);
	return status;
}

static enum tc_status load(struct job *job, int64_t job_id)
{
	struct tc_whatif_output *output = job->output;
	struct tc_ctx *ctx = output->asked->ctx;
	struct tc_rows row = TC_ROWS(ctx, output->db,
		"SELECT trace_id FROM job_rank WHERE job_id = ?1 ORDER BY trace_id", job_id);

	while (tc_rows_next(&row))
		load_rank(job, tc_rows_int(&row, 0));
	enum tc_status status = tc_ctx_status(ctx);
	if (!status)
		status = tc_world_find(&job->world, ctx, output->db, &job->replays, job_id);
	if (status)
		return status;
	job->is_late = tc_calloc(job->world.count + 1, sizeof(*job->is_late));
	job->shifts = tc_calloc(job->world.count + 1, sizeof(*job->shifts));
	job->meets = tc_calloc(job->world.count + 1, sizeof(*job->meets));
	return job->is_late && job->shifts && job->meets ? find_late(job) : tc_no_memory(ctx);
}

static enum tc_status write_rank(struct job *job, size_t index)
{
	const struct tc_world_rank *rank = &job->world.ranks[index];
	struct tc_whatif_trace trace = {.trace_id = rank->trace_id,
		.rank = rank->rank,
		.is_late = job->is_late[index],
		.won = job->shifts[index].won[0]};

	enum tc_status status =
		tc_whatif_answer(job->output, &trace, rank->replay, &job->meets[index]);
	job->is_unknown |= trace.is_unknown;
	return status;
}

static enum tc_status write_job(struct job *job, int64_t job_id)
{
	struct tc_whatif_output *output = job->output;
	struct tc_whatif_job answer = {
		.job_id = job_id, .rank_count = job->world.count, .late_count = job->late_count};
	struct tc_world_won won;
	enum tc_status status = tc_world_won(
		&won, &job->world, job->shifts, job->is_late, 0, tc_world_longest(&job->world));

	if (status)
		return status;
	answer.won = won.won;
	answer.wall_ns = tc_replay_wall_ns(job->world.ranks[won.rank].replay);
	answer.is_unknown = job->is_unknown && answer.won.gain_ns == 0;
	if (output->format == TC_WHATIF_TEXT) {
		tc_whatif_job_text(&output->sink, &answer);
		return TC_OK;
	}
	return TC_PUSH(output->asked->ctx, output->jobs, output->job_count, output->job_capacity,
		       answer)
		       ? TC_OK
		       : TC_ERR_NOMEM;
}

static enum tc_status replay(struct job *job, int64_t job_id)
{
	const struct tc_world_whatif whatif = {job->output->asked->set, job->is_late};
	const struct tc_world_notes notes = {.meets = job->meets};

	for (size_t i = 0; i < job->world.count; i++)
		job->meets[i].is_wanted = true;
	enum tc_status status = tc_world_run(job->shifts, &job->world, &whatif, 1, &notes);
	for (size_t i = 0; i < job->world.count && !status; i++)
		status = write_rank(job, i);
	return status ? status : write_job(job, job_id);
}

enum tc_status tc_whatif_ranks(struct tc_whatif_output *output, int64_t job_id)
{
	struct job job = {.output = output};
	enum tc_status status = load(&job, job_id);

	if (!status)
		status = replay(&job, job_id);
	for (size_t i = 0; i < job.world.count; i++) {
		if (job.shifts)
			tc_shifts_clear(&job.shifts[i]);
		if (job.meets)
			tc_free(job.meets[i].shifts_ns);
	}
	tc_free(job.is_late);
	tc_free(job.shifts);
	tc_free(job.meets);
	tc_free(job.world.ranks);
	tc_replays_clear(&job.replays);
	return status;
}
