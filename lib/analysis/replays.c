/*
 * Replays: which captured call each device operation of a replayed graph comes from. The operations
 * of a replay are compared with the calls of each capture by the names of their kernels, where the
 * trace of the capture has them (ROCm writes them beside the call, and torch.compile names its
 * operators after its kernels), else by their kinds: kernels, and copies or fills.
 *
 *   capture: gemm  copy  norm  gemm  add        calls, in the order of the host
 *   replay:  gemm  norm  gemm  add              paired with calls 0, 2, 3, 4
 *
 * On one lane operations run in the order of the calls. Those that one of the two has alone (copies
 * that the graph leaves out, operations that a profiler lost, the rest of a recording that ends
 * early) stay without a pair, if names show half of the others. Operations of several lanes, and
 * those that the device runs in another order, are paired name by name, where replay and capture
 * have equally many of a name.
 *
 * If several captures fit equally well, all must be from the same places in the program. If their
 * sizes differ (a graph for each batch size), the sizes are unknown.
 *
 * Replays of one graph are alike, so a replay is compared once, and found again by the labels of
 * its operations. A capture with as many calls is compared one by one. If none fits so, captures
 * are aligned:
 *
 *   1. On one lane, by the shortest edit script: the greedy algorithm of E. W. Myers, "An O(ND)
 *      Difference Algorithm" (1986). Calls behind the last operation are free, so a recording that
 *      ends within a replay costs nothing. At most MAX_EDITS operations and calls are left out
 *      before, which makes it linear in the operations.
 *   2. What is left, name by name: if replay and capture have equally many of a name, the first
 *      is paired with the first.
 *
 * The capture with the most pairs wins. TC_COMPARE_STEPS bounds all comparing of a trace.
 */
#include "analysis/op_tree.h"

#include <string.h>

#include "core/array.h"
#include "core/collections/arena.h"

enum {
	MAX_EDITS = 256,
	MAX_KEPT = 1 << 22, /* operations of all different replays: 16 MB of labels */
};

#define COPY_NAME (TC_STRTAB_NONE - 1)

/* A replay of some operations in some order, and what came of it. */
struct tc_matched {
	size_t capture_count; /* there were so many complete captures when it was compared */
	struct tc_replay_match match;
};

/* An operation as captures are asked for it. */
struct operation {
	uint32_t name; /* of the captures' names; NONE: no captured kernel has it */
	bool is_kernel, is_copy;
};

/* A comparison of a replay with captures. */
struct comparison {
	struct tc_graph_matcher *matcher;
	const struct tc_captures *captures;
	struct tc_arena arena, scratch; /* for all captures, and for the one at hand */
	const struct operation *operations;
	size_t count;
	bool is_one_lane;
	uint32_t *calls, *best_calls; /* by operation: of the capture at hand, and the best one */
	size_t paired_count;          /* of calls */
	bool has_names;               /* of the capture's kernels, some are known */
};

static bool is_one_lane(const struct tc_replayed *replayed)
{
	for (size_t i = 1; i < replayed->count; i++)
		if (replayed->works[i].track != replayed->works[0].track)
			return false;
	return true;
}

static bool is_copy(const struct tc_label *label)
{
	return label->kind != TC_OP_KERNEL || label->name_class == TC_CLASS_COPY ||
	       label->name_class == TC_CLASS_MEMSET;
}

static void read_operations(struct comparison *comparison, const struct tc_replayed *replayed)
{
	struct operation *operations =
		tc_arena_take(&comparison->arena, replayed->count, sizeof(*operations));

	for (size_t i = 0; operations && i < replayed->count; i++) {
		const struct tc_label *label =
			&comparison->matcher->labels[replayed->works[i].label];
		operations[i] = (struct operation){
			tc_strtab_find(&comparison->captures->names, tc_label_name(label)),
			label->kind == TC_OP_KERNEL, is_copy(label)};
	}
	comparison->operations = operations;
	comparison->count = replayed->count;
	comparison->is_one_lane = is_one_lane(replayed);
}

static bool fits(const struct operation *operation, const struct tc_captured *call)
{
	if (!call->is_kernel)
		return operation->is_copy;
	return operation->is_kernel &&
	       (call->name == TC_STRTAB_NONE || call->name == operation->name);
}

/* False when no more may be done. */
static bool spend(struct comparison *comparison, size_t steps)
{
	struct tc_graph_matcher *matcher = comparison->matcher;

	matcher->steps_left -= (int64_t)steps;
	return matcher->steps_left >= 0;
}

static bool fits_whole(struct comparison *comparison, const struct tc_capture *capture)
{
	const struct tc_captured *calls = &comparison->captures->calls[capture->first];

	if (!comparison->is_one_lane || capture->count != comparison->count)
		return false;
	for (size_t i = 0; i < capture->count; i++)
		if (!spend(comparison, 1) || !fits(&comparison->operations[i], &calls[i]))
			return false;
	for (size_t i = 0; i < capture->count; i++)
		comparison->calls[i] = (uint32_t)i;
	comparison->paired_count = capture->count;
	return true;
}

/* How far paths of so many edits get on each diagonal, operations minus calls. */
struct front {
	int64_t *reached; /* of operations, by diagonal; those of d edits begin at d * d */
	int64_t count, call_count;
};

static int64_t *reached_at(const struct front *front, int64_t edits, int64_t diagonal)
{
	return &front->reached[edits * edits + edits + diagonal];
}

/* Whether the path to a diagonal leaves out a call last, else an operation. */
static bool is_call_last(const struct front *front, int64_t edits, int64_t diagonal)
{
	return diagonal == -edits ||
	       (diagonal != edits && *reached_at(front, edits - 1, diagonal - 1) <
					     *reached_at(front, edits - 1, diagonal + 1));
}

static int64_t begin_at(const struct front *front, int64_t edits, int64_t diagonal)
{
	if (edits == 0)
		return 0;
	return is_call_last(front, edits, diagonal)
		       ? *reached_at(front, edits - 1, diagonal + 1)
		       : *reached_at(front, edits - 1, diagonal - 1) + 1;
}

/* Follows operations and calls that fit. */
static int64_t slide(struct comparison *comparison, const struct front *front,
	const struct tc_captured *calls, int64_t at, int64_t diagonal)
{
	int64_t begin = at;

	while (at < front->count && at - diagonal < front->call_count &&
		fits(&comparison->operations[at], &calls[at - diagonal]))
		at++;
	spend(comparison, (size_t)(at - begin) + 1);
	return at;
}

/* Pairs the operations along the path that ends there. */
static void trace_back(
	struct comparison *comparison, const struct front *front, int64_t edits, int64_t diagonal)
{
	for (; edits >= 0; edits--) {
		int64_t at = *reached_at(front, edits, diagonal);
		int64_t begin = begin_at(front, edits, diagonal);
		for (; at > begin; at--) {
			comparison->calls[at - 1] = (uint32_t)(at - 1 - diagonal);
			comparison->paired_count++;
		}
		if (edits > 0)
			diagonal += is_call_last(front, edits, diagonal) ? 1 : -1;
	}
}

/* Pairs operations of one lane with calls in their order, so that as few operations as MAX_EDITS
 * shows are left out. */
static void align(struct comparison *comparison, const struct tc_capture *capture)
{
	const struct tc_captured *calls = &comparison->captures->calls[capture->first];
	const int64_t most = (int64_t)(comparison->count + capture->count < MAX_EDITS
					       ? comparison->count + capture->count
					       : MAX_EDITS);
	const size_t room = (size_t)((most + 1) * (most + 1));
	struct front front = {.reached = tc_arena_take(&comparison->scratch, room, sizeof(int64_t)),
		.count = (int64_t)comparison->count,
		.call_count = (int64_t)capture->count};
	int64_t best_edits = -1, best_diagonal = 0, fewest = front.count;

	/* Operations that a path leaves out: half of its edits and its diagonal. */
	for (int64_t d = 0; front.reached && d <= most && fewest > 0; d++)
		for (int64_t k = -d; k <= d && comparison->matcher->steps_left >= 0; k += 2) {
			int64_t at = slide(comparison, &front, calls, begin_at(&front, d, k), k);
			*reached_at(&front, d, k) = at;
			if (at != front.count || at - k > front.call_count || (d + k) / 2 >= fewest)
				continue;
			fewest = (d + k) / 2;
			best_edits = d;
			best_diagonal = k;
		}
	if (best_edits >= 0)
		trace_back(comparison, &front, best_edits, best_diagonal);
}

/* An operation or a call without a pair, by name. */
struct single {
	uint32_t name, index;
};

static int compare_singles(const void *a, const void *b)
{
	const struct single *x = a, *y = b;

	if (x->name != y->name)
		return x->name < y->name ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

static size_t single_operations(const struct comparison *comparison, struct single *singles)
{
	size_t count = 0;

	for (size_t i = 0; i < comparison->count; i++) {
		const struct operation *operation = &comparison->operations[i];
		uint32_t name = operation->is_copy && operation->name == TC_STRTAB_NONE
					? COPY_NAME
					: operation->name;
		if (comparison->calls[i] == TC_NODE_NONE && name != TC_STRTAB_NONE)
			singles[count++] = (struct single){name, (uint32_t)i};
	}
	TC_SORT(singles, count, compare_singles);
	return count;
}

/* is_paired is room for a flag of each call. */
static size_t single_calls(const struct comparison *comparison, const struct tc_capture *capture,
	struct single *singles, bool *is_paired)
{
	const struct tc_captured *calls = &comparison->captures->calls[capture->first];
	size_t count = 0;

	memset(is_paired, 0, capture->count);
	for (size_t i = 0; i < comparison->count; i++)
		if (comparison->calls[i] != TC_NODE_NONE)
			is_paired[comparison->calls[i]] = true;
	for (size_t i = 0; i < capture->count; i++) {
		uint32_t name = calls[i].is_kernel ? calls[i].name : COPY_NAME;
		if (!is_paired[i] && name != TC_STRTAB_NONE)
			singles[count++] = (struct single){name, (uint32_t)i};
	}
	TC_SORT(singles, count, compare_singles);
	return count;
}

static size_t run_of(const struct single *singles, size_t count, size_t at)
{
	size_t end = at;

	while (end < count && singles[end].name == singles[at].name)
		end++;
	return end - at;
}

/* Pairs what has no pair, where both have equally many of a name. */
static void pair_by_name(struct comparison *comparison, const struct tc_capture *capture)
{
	struct single *own =
		tc_arena_take(&comparison->scratch, comparison->count, sizeof(struct single));
	struct single *calls =
		tc_arena_take(&comparison->scratch, capture->count + 1, sizeof(struct single));
	bool *is_paired = tc_arena_take(&comparison->scratch, capture->count + 1, sizeof(bool));

	if (!own || !calls || !is_paired || !spend(comparison, comparison->count + capture->count))
		return;
	size_t own_count = single_operations(comparison, own);
	size_t call_count = single_calls(comparison, capture, calls, is_paired);
	for (size_t i = 0, j = 0; i < own_count && j < call_count;) {
		size_t own_run = run_of(own, own_count, i), run = run_of(calls, call_count, j);
		bool is_same = own[i].name == calls[j].name,
		     is_before = own[i].name < calls[j].name;
		for (size_t k = 0; is_same && own_run == run && k < run; k++) {
			comparison->calls[own[i + k].index] = calls[j + k].index;
			comparison->paired_count++;
		}
		i += is_same || is_before ? own_run : 0;
		j += is_same || !is_before ? run : 0;
	}
}

/* Whether names show at least half of the operations where they are. */
static bool is_shown(struct comparison *comparison, const struct tc_capture *capture)
{
	const struct tc_captured *calls = &comparison->captures->calls[capture->first];
	size_t shown = 0;

	for (size_t i = 0; i < comparison->count; i++)
		shown += comparison->calls[i] != TC_NODE_NONE &&
			 calls[comparison->calls[i]].name != TC_STRTAB_NONE;
	return 2 * shown >= comparison->count;
}

static bool has_names(const struct tc_captures *captures, const struct tc_capture *capture)
{
	for (size_t i = 0; i < capture->count; i++)
		if (captures->calls[capture->first + i].name != TC_STRTAB_NONE)
			return true;
	return false;
}

/* Pairs the operations with the calls of a capture. False when that says nothing. */
static bool pair_some(struct comparison *comparison, const struct tc_capture *capture)
{
	if (capture->count == 0 || !has_names(comparison->captures, capture))
		return false;
	comparison->has_names = true;
	for (size_t i = 0; i < comparison->count; i++)
		comparison->calls[i] = TC_NODE_NONE;
	comparison->paired_count = 0;
	if (comparison->is_one_lane)
		align(comparison, capture);
	pair_by_name(comparison, capture);
	tc_arena_clear(&comparison->scratch);
	return is_shown(comparison, capture);
}

/* Whether two nodes are the same place in the program, and whether their sizes are equal too. */
static enum tc_misfit compare_nodes(
	bool *has_sizes, const struct tc_tree *tree, uint32_t a, uint32_t b)
{
	for (; a != b; a = tree->nodes[a].key.parent, b = tree->nodes[b].key.parent) {
		if (a == TC_NODE_NONE || b == TC_NODE_NONE ||
			tree->nodes[a].key.label != tree->nodes[b].key.label)
			return TC_MISFIT_PLACES;
		if (tree->nodes[a].key.shape != tree->nodes[b].key.shape)
			*has_sizes = false;
	}
	return TC_FITS;
}

/* Another capture fits as well as the best one. */
static void compare_captures(struct comparison *comparison, struct tc_replay_match *best,
	const struct tc_capture *capture)
{
	const struct tc_captured *calls = comparison->captures->calls;

	for (size_t i = 0; i < comparison->count && best->misfit == TC_FITS; i++) {
		uint32_t a = comparison->best_calls[i], b = comparison->calls[i];
		if (a == TC_NODE_NONE || b == TC_NODE_NONE)
			best->misfit = a == b ? TC_FITS : TC_MISFIT_PLACES;
		else
			best->misfit = compare_nodes(&best->has_sizes, comparison->matcher->tree,
				calls[best->capture->first + a].node,
				calls[capture->first + b].node);
	}
	spend(comparison, comparison->count);
}

/* Without the one that is still filled. */
static size_t closed_count(const struct tc_captures *captures)
{
	return captures->count - captures->is_open;
}

/* Compares the replay with all captures, one call after the other or by their names. */
static void try_all(struct comparison *comparison, struct tc_replay_match *best,
	bool (*pair)(struct comparison *, const struct tc_capture *))
{
	const struct tc_captures *captures = comparison->captures;
	size_t best_count = 0;

	for (size_t i = 0; i < closed_count(captures) && comparison->matcher->steps_left > 0; i++) {
		const struct tc_capture *capture = &captures->rows[i];
		if (!pair(comparison, capture) || comparison->paired_count < best_count)
			continue;
		bool is_even = comparison->paired_count == best_count &&
			       capture->count == best->capture->count;
		if (is_even) {
			compare_captures(comparison, best, capture);
		} else if (comparison->paired_count > best_count ||
			   capture->count < best->capture->count) {
			*best = (struct tc_replay_match){
				.misfit = TC_FITS, .capture = capture, .has_sizes = true};
			best_count = comparison->paired_count;
			uint32_t *calls = comparison->best_calls;
			comparison->best_calls = comparison->calls;
			comparison->calls = calls;
		}
	}
}

static enum tc_misfit misfit_of(const struct comparison *comparison)
{
	if (comparison->matcher->steps_left < 0)
		return TC_MISFIT_LIMIT;
	if (comparison->has_names)
		return TC_MISFIT_NAMES;
	return comparison->is_one_lane ? TC_MISFIT_COUNTS : TC_MISFIT_LANES;
}

static struct tc_replay_match compare(
	struct tc_graph_matcher *matcher, const struct tc_replayed *replayed)
{
	struct comparison comparison = {.matcher = matcher,
		.captures = &matcher->tree->captures,
		.arena.ctx = matcher->keys.ctx,
		.scratch.ctx = matcher->keys.ctx};
	struct tc_replay_match best = {.misfit = TC_MISFIT_LIMIT};
	size_t count = replayed->count;
	uint32_t *calls = tc_arena_take(&matcher->arena, count, sizeof(*calls));

	read_operations(&comparison, replayed);
	comparison.calls = tc_arena_take(&comparison.arena, count, sizeof(*calls));
	comparison.best_calls = tc_arena_take(&comparison.arena, count, sizeof(*calls));
	if (!tc_ctx_failed(matcher->keys.ctx)) {
		try_all(&comparison, &best, fits_whole);
		if (!best.capture)
			try_all(&comparison, &best, pair_some);
		if (best.capture)
			memcpy(calls, comparison.best_calls, count * sizeof(*calls));
		else
			best.misfit = misfit_of(&comparison);
	}
	tc_arena_clear(&comparison.arena);
	best.calls = calls;
	best.capture = best.misfit == TC_FITS ? best.capture : NULL;
	return best;
}

/* Numbers the replay by the labels of its operations and whether they are on one lane. */
static uint32_t number_of(struct tc_graph_matcher *matcher, const struct tc_replayed *replayed)
{
	struct tc_buf key = {.ctx = matcher->keys.ctx};
	bool is_one = is_one_lane(replayed);

	tc_buf_append_char(&key, is_one ? 'o' : 's');
	for (size_t i = 0; i < replayed->count; i++)
		tc_buf_append(&key, (const char *)&replayed->works[i].label, sizeof(uint32_t));
	uint32_t number = tc_strtab_intern(
		&matcher->keys, (struct tc_text){key.ptr, key.failed ? 0 : key.len});
	tc_buf_clear(&key);
	return number;
}

/* Room for a replay, and what is known of it; NULL when memory is out. */
static struct tc_matched *matched_of(
	struct tc_graph_matcher *matcher, const struct tc_replayed *replayed)
{
	uint32_t number = number_of(matcher, replayed);

	if (tc_ctx_failed(matcher->keys.ctx))
		return NULL;
	if (number == matcher->matched_count) {
		if (!TC_ARENA_GROW(&matcher->arena, matcher->matched, matcher->matched_capacity,
			    matcher->matched_count + 1))
			return NULL;
		matcher->matched[matcher->matched_count++].capture_count = SIZE_MAX;
	}
	return &matcher->matched[number];
}

struct tc_replay_match tc_graph_matcher_find(
	struct tc_graph_matcher *matcher, const struct tc_replayed *replayed)
{
	const struct tc_captures *captures = &matcher->tree->captures;
	size_t count = closed_count(captures);
	struct tc_matched *matched =
		matcher->kept_count < MAX_KEPT ? matched_of(matcher, replayed) : NULL;

	if (!matched)
		return (struct tc_replay_match){.misfit = TC_MISFIT_LIMIT};
	if (matched->capture_count != count) {
		matcher->kept_count += replayed->count;
		matched->capture_count = count;
		matched->match = compare(matcher, replayed);
	}
	return matched->match;
}

const char *const tc_misfit_words[TC_MISFIT_COUNT] = {
	[TC_FITS] = "no call of the capture that the rest of the replay fits has their names",
	[TC_MISFIT_COUNTS] = "a replay has more or fewer operations than each capture, whose "
			     "calls do not name their kernels",
	[TC_MISFIT_NAMES] = "no capture has the names of half the kernels of a replay: it is "
			    "of another model, batch size or version",
	[TC_MISFIT_LANES] = "a replay runs on several lanes, and calls of the captures do not "
			    "name their kernels",
	[TC_MISFIT_PLACES] = "captures of several places of the program fit equally well",
	[TC_MISFIT_LIMIT] = "there were more different replays and captures than are compared",
};
