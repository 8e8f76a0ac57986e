/*
 * What an edit takes off collectives: how much of them it hides beside compute, or saves of their
 * starts. Compute takes longer beside collectives than alone (contention.h), so with the time that
 * goes of them goes a part of that of the compute beside them. A device keeps the latest stretches
 * in which the same collectives ran.
 */
#include "core/saturate.h"
#include "replay/edges.h"

/* How much of the collectives can be hidden beside the last part of the compute before them. A
 * graph hands over all its gradients at its end, and each graph has as many. A collective sends a
 * bucket when the last of its gradients is there, and buckets are of one size: so one that the last
 * graph fills is not hidden, and those from one on that a graph fills take no more than the time
 * after it. At the high end of a range buckets may be cut where graphs end. */
static int64_t hideable_ns(const struct tc_edge_device *device, int64_t beside_ppm, bool cut_to_fit)
{
	int64_t beside_ns = tc_part_of(device->beside_ns, beside_ppm);
	int64_t graphs = 1, ended = 0, full = 0, hidden_ns = INT64_MAX;

	if (!device->by_graphs)
		return beside_ns;
	if (device->reduced_count == 0)
		return 0; /* an edit may name other work than collectives */
	for (size_t i = 0; i < device->cut_count; i++)
		graphs += device->beside_ns - device->cuts[i] <= beside_ns;
	int64_t count = cut_to_fit ? graphs : device->reduced_count;
	int64_t each_ns = device->reduced_ns / count; /* no more than `count` of them are full */
	for (size_t i = 0; i < device->cut_count; i++) {
		int64_t after_ns = device->beside_ns - device->cuts[i];
		if (after_ns > beside_ns)
			continue;
		int64_t filled = count * ++ended / graphs;
		int64_t until_ns = tc_add_saturated(full * each_ns, after_ns);
		if (filled > full && until_ns < hidden_ns)
			hidden_ns = until_ns;
		full = filled;
	}
	return full * each_ns < hidden_ns ? full * each_ns : hidden_ns;
}

/* What goes of a collective when few large ones do the work of many: the time to start, which is no
 * longer than the shortest one of the recording takes. Of a short one some time moves data all the
 * same: at least a twentieth, and likely half of it where the recording does not show how many
 * parameters there are. */
static int64_t merged_ns(const struct tc_edges *edges, const struct tc_clause *clause,
	const struct tc_edge_node *node)
{
	int64_t dur_ns = node->end_ns - node->ts_ns, ns = clause->merged_ns[TC_END_LIKELY];
	int64_t shown_ns = edges->habits.startup_ns[clause->end];
	bool is_shown = shown_ns < INT64_MAX;
	int64_t most_ns =
		is_shown || clause->end == TC_END_HIGH ? dur_ns - dur_ns / 20 : dur_ns / 2;
	int64_t shortest_ns = edges->habits.start_ns[node->engine];

	if (is_shown)
		ns = shown_ns < clause->merged_ns[TC_END_LOW]    ? clause->merged_ns[TC_END_LOW]
		     : shown_ns > clause->merged_ns[TC_END_HIGH] ? clause->merged_ns[TC_END_HIGH]
								 : shown_ns;
	if (shortest_ns > 0 && shortest_ns < ns)
		ns = shortest_ns;
	return ns < most_ns ? ns : most_ns;
}

/* ---- compute beside collectives */

static struct tc_edge_beside *beside_of(
	const struct tc_edges *edges, const struct tc_edge_node *node)
{
	return &edges->devices[edges->lanes[node->lane].device].beside;
}

static struct tc_clause_set set_of(const struct tc_edges *edges, uint16_t mask)
{
	static const struct tc_clause_set empty;

	return mask ? edges->slots.sets->items[mask] : empty;
}

static void add_part(struct tc_edge_stretch *stretch, uint16_t mask, int64_t ppm)
{
	if (mask && ppm > 0 && stretch->part_count < TC_EDGE_PARTS)
		stretch->parts[stretch->part_count++] = (struct tc_edge_part){mask, ppm};
}

/* Edits that merge collectives take a part of each. */
static void add_merged(
	struct tc_edges *edges, struct tc_edge_stretch *stretch, const struct tc_edge_node *node)
{
	for (size_t i = 0; i < TC_CLAUSE_MAX && !tc_clause_set_is_empty(&node->hide); i++) {
		struct tc_clause_set one = {{0}};
		if (!tc_clause_set_has(&node->hide, i) || edges->clauses[i].action != TC_EDIT_MERGE)
			continue;
		tc_clause_set_add(&one, i);
		add_part(stretch, tc_slots_mask(&edges->slots, &one),
			tc_ppm_of(merged_ns(edges, &edges->clauses[i], node),
				node->end_ns - node->ts_ns));
	}
}

/* Where several collectives run, compute is alone when an edit takes all of them. */
static void begin_stretch(struct tc_edges *edges, struct tc_edge_beside *beside, int64_t time_ns)
{
	struct tc_edge_stretch *stretch =
		&beside->stretches[beside->stretch_count++ % TC_EDGE_STRETCHES];
	struct tc_clause_set common = set_of(edges, beside->open[0]->save_mask);

	for (size_t i = 1; i < beside->open_count; i++) {
		const struct tc_clause_set other = set_of(edges, beside->open[i]->save_mask);
		common = tc_clause_set_common(&common, &other);
	}
	*stretch = (struct tc_edge_stretch){.from_ns = time_ns, .until_ns = INT64_MAX};
	add_part(stretch, tc_slots_mask(&edges->slots, &common), TC_PPM);
	if (beside->open_count == 1)
		add_merged(edges, stretch, beside->open[0]);
}

static void change(struct tc_edges *edges, struct tc_edge_beside *beside, int64_t time_ns)
{
	if (beside->stretch_count > 0) {
		struct tc_edge_stretch *last =
			&beside->stretches[(beside->stretch_count - 1) % TC_EDGE_STRETCHES];
		if (last->until_ns == INT64_MAX)
			last->until_ns = time_ns;
	}
	/* Those that are not counted in would stay. */
	if (beside->open_count > 0 && beside->lost_count == 0)
		begin_stretch(edges, beside, time_ns);
}

static bool counts(const struct tc_edges *edges, const struct tc_edge_node *node)
{
	return edges->habits.contention.any && tc_engine_is_collective(node->engine);
}

void tc_edge_begin_beside(struct tc_edges *edges, const struct tc_edge_node *node)
{
	struct tc_edge_beside *beside = beside_of(edges, node);

	if (!counts(edges, node))
		return;
	if (beside->open_count + beside->lost_count == 0) {
		beside->since_ns = node->ts_ns;
		beside->computed_ns = node->computed_ns;
		beside->taken = (struct tc_clause_set){{0}};
	}
	const struct tc_clause_set save = set_of(edges, node->save_mask);
	tc_clause_set_join(&beside->taken, &save);
	tc_clause_set_join(&beside->taken, &node->hide);
	if (beside->open_count < TC_EDGE_BESIDE)
		beside->open[beside->open_count++] = node;
	else
		beside->lost_count++;
	change(edges, beside, node->ts_ns);
}

/* Collectives that run at the same time are beside the same compute, so it counts when the last of
 * them ends. */
static void ease(struct tc_edges *edges, const struct tc_edge_node *node, int64_t time_ns)
{
	const struct tc_edge_device *device = &edges->devices[edges->lanes[node->lane].device];
	const struct tc_edge_beside *beside = &device->beside;
	struct tc_replay_op op = tc_edge_node_op(edges, node, TC_REPLAY_EASE, TC_PIECE_NONE);
	int64_t before_ns =
		device->compute_count > 0 ? 0 : beside->since_ns - edges->worked.time_ns;

	/* Where several devices compute, it is not known whose boundary was the last. */
	if (beside->open_count + beside->lost_count > 0 ||
		edges->habits.contention.usual_ppm == 0 || edges->queue.is_shared)
		return;
	op.time_ns = time_ns;
	op.mask = tc_slots_mask(&edges->slots, &beside->taken);
	/* Else nothing was computed near them: they are over, and free nothing. */
	if (edges->worked.slot != TC_SLOT_NONE && before_ns < UINT32_MAX) {
		op.dst = edges->worked.slot;
		op.src = before_ns > 0 ? (uint32_t)before_ns : 0;
		op.amount_ns = tc_edge_computed_until(device, time_ns) - beside->computed_ns;
	}
	tc_slots_add(&edges->slots, &op);
}

static void end_beside(struct tc_edges *edges, const struct tc_edge_node *node, int64_t time_ns)
{
	struct tc_edge_beside *beside = beside_of(edges, node);
	size_t at = 0;

	if (!counts(edges, node))
		return;
	while (at < beside->open_count && beside->open[at] != node)
		at++;
	if (at < beside->open_count)
		beside->open[at] = beside->open[--beside->open_count];
	else
		beside->lost_count--;
	change(edges, beside, time_ns);
	ease(edges, node, time_ns);
}

/* ---- collectives that end */

void tc_edge_hide_collective(struct tc_edges *edges, const struct tc_edge_node *node)
{
	struct tc_edge_device *device = &edges->devices[edges->lanes[node->lane].device];
	int64_t dur_ns = node->end_ns - node->ts_ns, hidden_ns[TC_END_COUNT] = {0};

	end_beside(edges, node, node->end_ns);
	if (tc_engine_is_collective(node->engine) && !node->is_copy) {
		device->reduced_ns = tc_add_saturated(device->reduced_ns, dur_ns);
		device->reduced_count++;
	}
	for (size_t i = 0; i < TC_CLAUSE_MAX && !tc_clause_set_is_empty(&node->hide); i++) {
		const struct tc_clause *clause = &edges->clauses[i];
		struct tc_clause_set one = {{0}};
		if (!tc_clause_set_has(&node->hide, i))
			continue;
		tc_clause_set_add(&one, i);
		uint16_t mask = tc_slots_mask(&edges->slots, &one);
		if (clause->action == TC_EDIT_MERGE) {
			tc_edge_save(
				edges, node, node->end_ns, merged_ns(edges, clause, node), mask);
			continue;
		}
		int64_t left_ns = tc_sub_saturated(
			hideable_ns(device, clause->beside_ppm, clause->end == TC_END_HIGH),
			device->hidden_ns[clause->end]);
		left_ns = left_ns < dur_ns ? left_ns : dur_ns;
		if (left_ns > hidden_ns[clause->end])
			hidden_ns[clause->end] = left_ns;
		/* The compute that hides it takes longer. */
		tc_edge_save(edges, node, node->end_ns,
			left_ns - tc_part_of(left_ns, edges->habits.contention.usual_ppm), mask);
	}
	for (int end = 0; end < TC_END_COUNT; end++)
		device->hidden_ns[end] = tc_add_saturated(device->hidden_ns[end], hidden_ns[end]);
}

/* ---- compute that ends */

struct saving {
	struct tc_edges *edges;
	const struct tc_edge_node *node;
	uint32_t slot;
	enum tc_replay_kind kind;
	int64_t time_ns;
	int64_t whole_ns; /* what edits can take off so far */
	/* what all stretches so far with the same single part take, not yet written */
	struct tc_edge_part part;
	int64_t part_ns;
};

/* Takes time off where an edit removes the operation itself, or does what a part says. */
static void write_part(struct saving *saving, const struct tc_clause_set *set, int64_t amount_ns)
{
	struct tc_clause_set either = set_of(saving->edges, saving->node->save_mask);
	struct tc_replay_op op =
		tc_edge_node_op(saving->edges, saving->node, saving->kind, TC_PIECE_NONE);

	if (amount_ns <= 0)
		return;
	tc_clause_set_join(&either, set);
	op.dst = saving->slot;
	op.mask = tc_slots_mask(&saving->edges->slots, &either);
	op.time_ns = saving->time_ns;
	op.amount_ns = amount_ns;
	tc_slots_add(&saving->edges->slots, &op);
}

static void flush(struct saving *saving)
{
	const struct tc_clause_set set = set_of(saving->edges, saving->part.mask);

	write_part(saving, &set, saving->part_ns);
	saving->part_ns = 0;
}

/* The parts of a stretch, the largest first: what a smaller one takes, each larger one does. */
static void write_parts(struct saving *saving, const struct tc_edge_stretch *stretch, int64_t ns)
{
	struct tc_edge_part parts[TC_EDGE_PARTS];
	struct tc_clause_set sets = {{0}};

	for (size_t i = 0; i < stretch->part_count; i++) {
		size_t at = i;
		for (; at > 0 && parts[at - 1].ppm < stretch->parts[i].ppm; at--)
			parts[at] = parts[at - 1];
		parts[at] = stretch->parts[i];
	}
	for (size_t i = 0; i < stretch->part_count; i++) {
		const struct tc_clause_set set = set_of(saving->edges, parts[i].mask);
		int64_t less_ns =
			i + 1 < stretch->part_count ? tc_part_of(ns, parts[i + 1].ppm) : 0;
		tc_clause_set_join(&sets, &set);
		write_part(saving, &sets, tc_part_of(ns, parts[i].ppm) - less_ns);
	}
}

/* What the operation took longer because of a stretch. */
static void take_stretch(
	struct saving *saving, const struct tc_edge_stretch *stretch, int64_t beside_ns)
{
	int64_t ns = tc_part_of(beside_ns, saving->node->beside_ppm), most_ns = 0;
	bool is_single = stretch->part_count == 1 && stretch->parts[0].ppm == TC_PPM;

	for (size_t i = 0; i < stretch->part_count; i++)
		if (tc_part_of(ns, stretch->parts[i].ppm) > most_ns)
			most_ns = tc_part_of(ns, stretch->parts[i].ppm);
	saving->whole_ns += most_ns;
	if (!is_single || stretch->parts[0].mask != saving->part.mask)
		flush(saving);
	if (is_single) {
		saving->part = stretch->parts[0];
		saving->part_ns += ns;
	} else {
		write_parts(saving, stretch, ns);
	}
}

int64_t tc_edge_save_beside(struct tc_edges *edges, const struct tc_edge_node *node, uint32_t slot,
	enum tc_replay_kind kind, int64_t time_ns)
{
	const struct tc_edge_beside *beside = beside_of(edges, node);
	uint64_t count = beside->stretch_count;
	uint64_t first = count < TC_EDGE_STRETCHES ? 0 : count - TC_EDGE_STRETCHES;
	struct saving saving = {
		.edges = edges, .node = node, .slot = slot, .kind = kind, .time_ns = time_ns};

	if (node->beside_ppm == 0)
		return 0;
	for (; first < count; count--)
		if (beside->stretches[(count - 1) % TC_EDGE_STRETCHES].until_ns <= node->ts_ns)
			first = count;
	count = beside->stretch_count;
	for (uint64_t i = first; i < count; i++) {
		const struct tc_edge_stretch *stretch = &beside->stretches[i % TC_EDGE_STRETCHES];
		int64_t from_ns = stretch->from_ns > node->ts_ns ? stretch->from_ns : node->ts_ns;
		int64_t until_ns = stretch->until_ns < time_ns ? stretch->until_ns : time_ns;
		if (until_ns > from_ns && stretch->part_count > 0)
			take_stretch(&saving, stretch, until_ns - from_ns);
	}
	flush(&saving);
	return saving.whole_ns;
}
