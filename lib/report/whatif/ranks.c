/* The ranks of a job replayed together; see whatif.h. */
#include "core/alloc.h"
#include "replay/walk/load.h"
#include "replay/run/replays.h"
#include "replay/whatif/stragglers.h"
#include "report/whatif/whatif.h"
#include "store/sql.h"

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

/* each_clause() calls visit for the clauses about late ranks that the user asked for. */
typedef enum tc_status (*clause_fn)(void *user, const struct tc_clause *clause);

static enum tc_status each_clause(const struct tc_whatif_asked *asked, clause_fn visit, void *user)
{
	enum tc_status status = TC_OK;

	for (size_t i = 0; i < asked->fixes->clause_count && !status; i++)
		if (tc_clause_set_has(&asked->set, i) &&
			asked->fixes->clauses[i].action == TC_EDIT_LATE)
			status = visit(user, &asked->fixes->clauses[i]);
	return status;
}

/* ---- ranks that nobody waits for */

static enum tc_status check_clause(void *user, const struct tc_clause *clause)
{
	const struct tc_whatif_output *output = user;
	enum tc_status status = TC_OK;

	for (size_t i = 0; i < clause->rank_count && !status; i++) {
		const struct tc_sql_value rank = tc_sql_int(clause->ranks[i]);
		bool found = false;
		int64_t one = 0;
		status = tc_sql_lookup(&one, &found, output->asked->ctx, output->db,
			"SELECT 1 FROM job_rank WHERE rank = ?1", &rank);
		if (!status && !found)
			status = tc_fail(output->asked->ctx, TC_ERR_USAGE,
				"no trace of a job is of rank %d", (int)clause->ranks[i]);
	}
	return status;
}

enum tc_status tc_whatif_check_ranks(struct tc_whatif_output *output)
{
	return each_clause(output->asked, check_clause, output);
}

static enum tc_status mark_ranks(void *user, const struct tc_clause *clause)
{
	struct job *job = user;

	for (size_t i = 0; i < job->world.count; i++)
		for (size_t k = 0; k < clause->rank_count; k++)
			if (job->world.ranks[i].rank == clause->ranks[k])
				job->is_late[i] = true;
	for (size_t i = 0; i < job->world.count && clause->all_late; i++) {
		const struct tc_sql_value trace = tc_sql_int(job->world.ranks[i].trace_id);
		bool found = false;
		int64_t order = 0;
		enum tc_status status =
			tc_sql_lookup(&order, &found, job->output->asked->ctx, job->output->db,
				"SELECT late_order FROM job_rank WHERE trace_id = ?1", &trace);
		if (status)
			return status;
		job->is_late[i] = job->is_late[i] || found;
	}
	return TC_OK;
}

static enum tc_status find_late(struct job *job)
{
	enum tc_status status = each_clause(job->output->asked, mark_ranks, job);

	for (size_t i = 0; i < job->world.count; i++)
		job->late_count += job->is_late[i];
	if (!status && job->late_count == job->world.count && job->late_count > 0)
		status = tc_fail(job->output->asked->ctx, TC_ERR_USAGE,
			"somebody must be waited for: name fewer than all %zu ranks",
			job->late_count);
	return status;
}

/* ---- replaying */

static enum tc_status load_rank(void *user, sqlite3_stmt *row)
{
	struct job *job = user;
	struct tc_whatif_asked *asked = job->output->asked;
	int64_t trace_id = sqlite3_column_int64(row, 0);
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
	const struct tc_sql_value parameter = tc_sql_int(job_id);
	enum tc_status status = tc_sql_each(output->asked->ctx, output->db,
		"SELECT trace_id FROM job_rank WHERE job_id = ?1 ORDER BY trace_id", &parameter,
		load_rank, job);

	if (!status)
		status = tc_world_find(
			&job->world, output->asked->ctx, output->db, &job->replays, job_id);
	if (status)
		return status;
	job->is_late = tc_calloc(job->world.count + 1, sizeof(*job->is_late));
	job->shifts = tc_calloc(job->world.count + 1, sizeof(*job->shifts));
	job->meets = tc_calloc(job->world.count + 1, sizeof(*job->meets));
	return job->is_late && job->shifts && job->meets ? find_late(job)
							 : tc_no_memory(job->output->asked->ctx);
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

	size_t index = 0;

	while (job->is_late[index])
		index++;
	enum tc_status status =
		tc_world_won(&answer.won, &job->world, job->shifts, job->is_late, 0, index);
	if (status)
		return status;
	answer.wall_ns = tc_replay_wall_ns(job->world.ranks[index].replay);
	answer.is_unknown = job->is_unknown && answer.won.gain_ns == 0;
	if (output->format == TC_WHATIF_TEXT) {
		tc_whatif_job_text(&output->sink, &answer);
		return TC_OK;
	}
	if (!TC_GROW(output->jobs, output->job_capacity, output->job_count + 1))
		return tc_no_memory(job->output->asked->ctx);
	output->jobs[output->job_count++] = answer;
	return TC_OK;
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
