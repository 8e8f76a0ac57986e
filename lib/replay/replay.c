/* One walk over the recording makes the program; host.c, device.c and graph.c say what waited for
 * what. */
#include "replay/replay.h"

#include "replay/edges.h"

/* Gives each thread its first track. */
static void name_threads(struct tc_edges *edges, const struct tc_timeline *timeline)
{
	for (size_t i = timeline->track_count; i-- > 0;)
		if (timeline->tracks[i].kind == TC_TRACK_THREAD &&
			timeline->tracks[i].host_thread >= 0)
			tc_edge_thread_at(edges, (uint32_t)timeline->tracks[i].host_thread)->track =
				(uint32_t)i + 1;
}

static void open_edges(struct tc_edges *edges, struct tc_replay *recording, size_t clause_count)
{
	const struct tc_timeline *timeline = edges->timeline;
	static const struct tc_edge_thread first = {.slot = TC_SLOT_NONE,
		.spent_label = UINT32_MAX,
		.loader = {.start = {TC_SLOT_NONE, 0},
			.taken = {{TC_SLOT_NONE, 0}, {TC_SLOT_NONE, 0}}},
		.copied = {TC_SLOT_NONE, 0},
		.handover_step = -1};

	edges->slots = (struct tc_slots){.ctx = timeline->ctx,
		.program = recording->program,
		.sets = &recording->sets,
		.used = &recording->used};
	edges->newest_thread = edges->newest_workers[0] = edges->newest_workers[1] =
		TC_INDEX_NONE_32;
	edges->end_ns = edges->others_until_ns = INT64_MIN;
	edges->queue.left_launch_id = TC_NO_ID;
	edges->ended = edges->worked = edges->task_end = TC_POINT_NONE;
	tc_pool_init(&edges->nodes, tc_edges_node_bytes());
	for (size_t i = 0; i < clause_count; i++) {
		const struct tc_clause *clause = &edges->clauses[i];
		bool is_save = clause->action == TC_EDIT_SAVE && !clause->is_start;
		bool is_full = is_save && clause->saved_ppm[TC_END_LIKELY] == TC_PPM;
		if (is_full ||
			(is_save && !clause->is_host && clause->saved_ppm[TC_END_HIGH] >= TC_PPM))
			tc_clause_set_add(&edges->full, i);
		if (is_full || clause->with_gaps)
			tc_clause_set_add(&edges->gaps, i);
	}
	TC_ARENA(&edges->arena, edges->launches, 1);
	TC_ARENA(&edges->arena, edges->handovers, TC_EDGE_HANDOVERS);
	TC_ARENA(&edges->arena, edges->steps, TC_AHEAD_MAX);
	tc_paged_init(
		&edges->threads, timeline->ctx, timeline->host_thread_count, sizeof(first), &first);
	if (tc_ctx_failed(timeline->ctx))
		return;
	tc_launching_init(edges->launches);
	for (size_t i = 0; i < TC_EDGE_HANDOVERS; i++)
		edges->handovers[i].end = TC_POINT_NONE;
	for (size_t i = 0; i < TC_AHEAD_MAX; i++)
		edges->steps[i] = (struct tc_edge_step){-1, TC_POINT_NONE};
	name_threads(edges, timeline);
	tc_habits_find(&edges->habits, timeline, edges->clauses, clause_count);
	edges->handover_lead = edges->habits.handover_lead;
	edges->taken_handover = -1;
	edges->match = tc_match_new(timeline, &edges->habits.facts, edges->clauses, clause_count);
	tc_edges_make_lanes(edges);
}

static void close_edges(struct tc_edges *edges)
{
	tc_habits_clear(&edges->habits);
	tc_match_free(edges->match);
	tc_slots_clear(&edges->slots);
	tc_pool_clear(&edges->nodes);
	tc_paged_clear(&edges->threads);
	tc_arena_clear(&edges->arena);
}

static void walk_edges(struct tc_edges *edges, struct tc_replay *recording)
{
	const struct tc_walk walk = {.user = edges,
		.slice_bytes = sizeof(struct tc_edge_slice),
		.op_bytes = tc_edges_op_bytes(),
		.slice_begins = tc_edges_slice_begins,
		.slice_ends = tc_edges_slice_ends,
		.op_starts = tc_edges_op_starts,
		.op_ends = tc_edges_op_ends};

	tc_walk_run(&walk, edges->timeline);
	if (tc_ctx_failed(edges->timeline->ctx))
		return;
	tc_edges_end_host(edges);
	tc_edges_end_devices(edges);
	recording->end_ns = edges->end_ns;
	recording->has_launches = edges->any_launch;
	recording->batch_ns = edges->batch_ns;
	recording->beside_ppm = edges->habits.contention.usual_ppm;
	recording->place_count = edges->queue.most_count;
	recording->idle_ns = tc_edges_idle_ns(edges);
	tc_program_end(recording->program);
}

enum tc_status tc_replay_make(struct tc_replay *recording, const struct tc_timeline *timeline,
	const struct tc_clause *clauses, size_t clause_count)
{
	struct tc_edges edges = {
		.timeline = timeline, .clauses = clauses, .arena.ctx = timeline->ctx};

	size_t first = tc_timeline_first_steady(timeline);
	*recording = (struct tc_replay){.clauses = clauses,
		.has_warm_up = first > 0,
		.first_step_ns = timeline->step_count > 0 ? timeline->steps[first].ts_ns : 0,
		.step_count = timeline->step_count,
		.start_ns = timeline->start_ns,
		.end_ns = INT64_MIN,
		.kept = tc_hardware_kept(timeline->hardware)};
	recording->program = tc_program_new(timeline->ctx);
	if (!tc_ctx_failed(timeline->ctx))
		open_edges(&edges, recording, clause_count);
	if (!tc_ctx_failed(timeline->ctx))
		walk_edges(&edges, recording);
	close_edges(&edges);
	return tc_ctx_status(timeline->ctx);
}

/* Millionths of its time that a clause takes off, at an end of its range. */
static int64_t saved_ppm(const struct tc_replay *replay, size_t clause, enum tc_end end)
{
	const struct tc_clause *said = &replay->clauses[clause];
	const struct tc_kept *kept = &replay->kept;
	const int64_t kept_ppm[] = {[TC_END_LIKELY] = kept->likely_ppm,
		[TC_END_LOW] = kept->most_ppm,
		[TC_END_HIGH] = kept->least_ppm};

	return said->by_peaks && kept->most_ppm > 0 ? TC_PPM - kept_ppm[end] : said->saved_ppm[end];
}

struct tc_share tc_replay_share(const struct tc_replay *replay, const struct tc_clause_set *set,
	const struct tc_clause_set *whatif)
{
	enum tc_end end = tc_clause_set_end(whatif);
	struct tc_share share = {
		.frees = end == TC_END_HIGH && tc_clause_set_has(set, TC_CLAUSE_UNSURE)};

	for (size_t i = 0; i < TC_CLAUSE_MAX; i++) {
		if (!tc_clause_set_has(set, i) || !tc_clause_set_has(whatif, i))
			continue;
		const struct tc_clause *clause = &replay->clauses[i];
		int64_t ppm = saved_ppm(replay, i, end);
		share.saved_ppm = ppm > share.saved_ppm ? ppm : share.saved_ppm;
		share.frees |= clause->action != TC_EDIT_SAVE || clause->is_host || ppm >= TC_PPM;
	}
	return share;
}

void tc_replay_clear(struct tc_replay *recording)
{
	tc_program_free(recording->program);
	tc_free(recording->sets.items);
	recording->sets = (struct tc_clause_sets){0};
}
