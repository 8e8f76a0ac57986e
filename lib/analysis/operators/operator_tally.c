/* Maps host slices to nodes of the tree, and device work to the nodes; see operator_tally.h. */
#include "analysis/operators/operator_tally.h"

#include "analysis/time/intervals.h"
#include "core/alloc.h"

enum { BUSY_TRACKS = 1024 }; /* before those without open slices are looked for */

enum tc_status tc_operator_tally_init(struct tc_operator_tally *tally,
	const struct tc_timeline *timeline, struct tc_sorter *launched,
	struct tc_companion *companion)
{
	const void *record = NULL;
	enum tc_status status = TC_OK;

	*tally = (struct tc_operator_tally){
		.timeline = timeline, .launched = launched, .companion = companion};
	tc_tree_init(&tally->tree, timeline->labels);
	tally->tracks = tc_calloc(timeline->track_count, sizeof(struct tc_operator_track *));
	tally->busy_limit = BUSY_TRACKS;
	if (!tally->tracks)
		return tc_no_memory(timeline->ctx);
	if (launched) {
		status = tc_sorter_rewind(launched);
		if (!status)
			status = tc_sorter_next(launched, &record);
	}
	tally->next = record;
	return status;
}

static void free_track(struct tc_operator_track *track)
{
	tc_nesting_clear(&track->nesting);
	tc_free(track->frames);
	tc_free(track);
}

void tc_operator_tally_clear(struct tc_operator_tally *tally)
{
	for (size_t i = 0; i < tally->busy_count; i++)
		free_track(tally->tracks[tally->busy[i]]);
	tc_free(tally->tracks);
	tc_free(tally->busy);
	tc_tree_clear(&tally->tree);
	tc_node_kernels_clear(&tally->kernels);
	tc_forwards_clear(&tally->forwards);
	tc_captures_clear(&tally->captures);
	tc_step_calls_clear(&tally->steps);
	tc_capture_places_clear(&tally->without_sizes);
	tc_capture_places_clear(&tally->given);
	tc_capture_places_clear(&tally->given_without_sizes);
	tc_free(tally->replayed.works);
	*tally = (struct tc_operator_tally){0};
}

static enum tc_status next_work(struct tc_operator_tally *tally)
{
	const void *record = NULL;
	enum tc_status status = tc_sorter_next(tally->launched, &record);

	tally->next = record;
	return status;
}

/* Counts the calls whose work ran, in all and within steps; rates need both. */
static enum tc_status count_run(struct tc_operator_tally *tally, uint32_t node, int64_t ts_ns)
{
	const struct tc_timeline *timeline = tally->timeline;
	int32_t at = tc_timeline_step_at(timeline, ts_ns);

	struct tc_node_sums *sums = tc_tree_sums_get(&tally->tree, node);
	if (!sums)
		return tc_no_memory(timeline->ctx);
	sums->run_count++;
	if (at < 0 ||
		ts_ns >= tc_add_saturated(timeline->steps[at].ts_ns, timeline->steps[at].dur_ns))
		return TC_OK;
	return tc_step_calls_add(&tally->steps, node, at) ? TC_OK
							  : tc_no_memory(tally->timeline->ctx);
}

/* A call of an operator whose FLOPs are known. It runs nothing while a graph is captured. */
static enum tc_status count_work(struct tc_operator_tally *tally, uint32_t node, int64_t ts_ns)
{
	if (!tally->captures.is_open)
		return count_run(tally, node, ts_ns);
	return tc_captures_add_work(&tally->captures, node) ? TC_OK
							    : tc_no_memory(tally->timeline->ctx);
}

/* Adds work to the node that launched it, or to none. Work of a replay also goes to the captured
 * call. */
static enum tc_status give_work(struct tc_operator_tally *tally, const struct tc_launched *work,
	uint32_t node, uint32_t captured)
{
	const struct tc_node_kernel key = {
		.node = node, .capture = captured, .label = work->label, .track = work->track};

	bool good = true;
	if (node != TC_NODE_NONE && captured != TC_NODE_NONE)
		good = tc_tree_add_replay(&tally->tree, node, captured, work->dur_ns);
	else if (node != TC_NODE_NONE)
		good = tc_tree_add_work(&tally->tree, node, work->dur_ns);
	return good && tc_node_kernels_add(&tally->kernels, &key, work->dur_ns)
		       ? TC_OK
		       : tc_no_memory(tally->timeline->ctx);
}

static enum tc_status take_work(struct tc_operator_tally *tally, uint32_t node)
{
	enum tc_status status = give_work(tally, tally->next, node, TC_NODE_NONE);

	return status ? status : next_work(tally);
}

/* A replay, and the capture that it is of. */
struct replay {
	const struct tc_span *launch;
	uint32_t node; /* of the launch */
	const struct tc_captures *captures;
	const struct tc_capture *capture; /* NULL: not known */
	const struct tc_tree *tree;       /* of the nodes of captures */
	struct tc_capture_places *places; /* NULL: they are in the tree of the trace as they are */
	bool has_sizes;
};

/* Captures of the trace itself come first. */
static void match_replay(struct tc_operator_tally *tally, struct replay *replay)
{
	struct tc_companion *companion = tally->companion;
	const struct tc_label *labels = tally->timeline->labels;

	replay->captures = &tally->captures;
	replay->tree = &tally->tree;
	replay->capture =
		tc_captures_match(&tally->captures, &tally->tree, &tally->replayed, labels);
	bool is_given = !replay->capture && companion;
	if (is_given) {
		replay->captures = &companion->captures;
		replay->tree = &companion->tree;
		replay->capture = tc_captures_match(
			&companion->captures, &companion->tree, &tally->replayed, labels);
	}
	if (!replay->capture || replay->capture->match == TC_CAPTURE_OTHERS) {
		replay->capture = NULL;
		return;
	}
	replay->has_sizes = replay->capture->match == TC_CAPTURE_ONE;
	if (is_given)
		replay->places = replay->has_sizes ? &tally->given : &tally->given_without_sizes;
	else if (!replay->has_sizes)
		replay->places = &tally->without_sizes;
}

/* Sets *out to the node in the tree for a node of the capture. */
static enum tc_status place_node(
	uint32_t *out, struct tc_operator_tally *tally, const struct replay *replay, uint32_t node)
{
	*out = node;
	if (!replay->places || tc_capture_places_find(out, replay->places, &tally->tree,
				       replay->tree, node, replay->has_sizes))
		return TC_OK;
	return tc_no_memory(tally->timeline->ctx);
}

static enum tc_status give_operation(
	struct tc_operator_tally *tally, const struct replay *replay, size_t at)
{
	uint32_t captured = TC_NODE_NONE;
	enum tc_status status = TC_OK;

	if (replay->capture)
		status = place_node(&captured, tally, replay,
			replay->captures->calls[replay->capture->first + at].node);
	return status ? status
		      : give_work(tally, &tally->replayed.works[at], replay->node, captured);
}

/* A replay runs every operator of its capture. */
static enum tc_status count_replay(struct tc_operator_tally *tally, const struct replay *replay)
{
	const struct tc_capture *capture = replay->capture;
	enum tc_status status = TC_OK;
	uint32_t node;

	for (size_t i = 0; capture && i < capture->work_count && !status; i++) {
		status = place_node(
			&node, tally, replay, replay->captures->works[capture->first_work + i]);
		if (!status && node != TC_NODE_NONE)
			status = count_run(tally, node, replay->launch->ts_ns);
	}
	return status;
}

/* Gives the work of a replay to the calls that were captured, if they are known. */
static enum tc_status give_replay(
	struct tc_operator_tally *tally, const struct tc_span *span, uint32_t node)
{
	struct replay replay = {.launch = span, .node = node};
	enum tc_status status = TC_OK;

	match_replay(tally, &replay);
	for (size_t i = 0; i < tally->replayed.count && !status; i++)
		status = give_operation(tally, &replay, i);
	tally->replayed.count = 0;
	return status ? status : count_replay(tally, &replay);
}

static bool add_replayed(struct tc_replayed *replayed, const struct tc_launched *work)
{
	if (!TC_GROW(replayed->works, replayed->capacity, replayed->count + 1))
		return false;
	replayed->works[replayed->count++] = *work;
	return true;
}

/* Takes the work of this slice, which replays a graph that may have been captured in the trace. */
static enum tc_status take_replay(
	struct tc_operator_tally *tally, const struct tc_span *span, uint32_t node)
{
	enum tc_status status = TC_OK;

	while (!status && tally->next && tc_launched_compare(tally->next, span) == 0) {
		if (tally->replayed.count == TC_CAPTURE_MAX_CALLS)
			status = give_replay(tally, span, node);
		if (!add_replayed(&tally->replayed, tally->next))
			return tc_no_memory(tally->timeline->ctx);
		if (!status)
			status = next_work(tally);
	}
	return status ? status : give_replay(tally, span, node);
}

static bool has_captures(const struct tc_operator_tally *tally)
{
	return tally->captures.count > 0 ||
	       (tally->companion && tally->companion->captures.count > 0);
}

/* Takes the work that this slice launched. Work whose call comes earlier but is on no thread
 * belongs to no node. */
static enum tc_status take_launched(
	struct tc_operator_tally *tally, const struct tc_span *span, uint32_t node)
{
	const struct tc_label *label = &tally->timeline->labels[span->label];
	enum tc_status status = TC_OK;
	bool has_work = false;

	while (!status && tally->next) {
		int order = tc_launched_compare(tally->next, span);
		if (order > 0)
			break;
		has_work |= order == 0;
		if (order == 0 && label->mark == TC_MARK_GRAPH_LAUNCH && has_captures(tally))
			status = take_replay(tally, span, node);
		else
			status = take_work(tally, order == 0 ? node : TC_NODE_NONE);
	}
	if (!status && !has_work && node != TC_NODE_NONE &&
		!tc_captures_see(&tally->captures, label, node))
		return tc_no_memory(tally->timeline->ctx);
	return status;
}

/* The forward operator of a slice of the backward pass, by its sequence number. */
static bool find_forward(
	struct tc_operator_tally *tally, struct tc_node_key *key, const struct tc_span *span)
{
	if (key->parent != TC_NODE_NONE)
		key->forward = tally->tree.nodes[key->parent].key.forward;
	if (key->forward != TC_NODE_NONE || span->sequence < 0 || span->forward_thread < 0)
		return true;
	return tc_forwards_find(
		&key->forward, &tally->forwards, span->sequence, span->forward_thread);
}

/* Sets *node to the node of a nested slice. */
static enum tc_status find_node(uint32_t *node, struct tc_operator_tally *tally,
	const struct tc_span *span, uint32_t parent)
{
	struct tc_node_key key = {.parent = parent, .label = span->label, .forward = TC_NODE_NONE};
	bool is_op = tally->timeline->labels[span->label].is_op;

	if (is_op) {
		key.shape = span->shape;
		if (!find_forward(tally, &key, span))
			return tc_no_memory(tally->timeline->ctx);
	} else if (parent != TC_NODE_NONE) {
		key.forward = tally->tree.nodes[parent].key.forward;
	}
	if (!tc_tree_find(node, &tally->tree, &key, span->slice_id))
		return tc_no_memory(tally->timeline->ctx);
	if (*node != TC_NODE_NONE && tally->tree.nodes[*node].slice_id == TC_NO_ID)
		tally->tree.nodes[*node].slice_id = span->slice_id;
	if (is_op && *node != TC_NODE_NONE && span->sequence >= 0 && span->forward_thread < 0 &&
		!tc_forwards_add(&tally->forwards, span->sequence,
			tally->timeline->tracks[span->track].host_thread, *node))
		return tc_no_memory(tally->timeline->ctx);
	return TC_OK;
}

/* Takes the time of a slice off the slice around it. */
static void cover(
	struct tc_operator_tally *tally, struct tc_operator_frame *around, struct tc_interval time)
{
	if (time.start_ns < around->covered_ns)
		time.start_ns = around->covered_ns;
	if (time.end_ns <= time.start_ns)
		return;
	around->covered_ns = time.end_ns;
	if (around->has_end)
		tally->tree.nodes[around->node].self_ns -= time.end_ns - time.start_ns;
}

static void count_call(struct tc_node *node, struct tc_interval time)
{
	int64_t dur_ns = time.end_ns - time.start_ns;

	node->count++;
	node->dur_ns = tc_add_saturated(node->dur_ns, dur_ns);
	node->self_ns = tc_add_saturated(node->self_ns, dur_ns);
}

/* Each step has its own name, so slices in a step become children of what is around the step. The
 * span of the recording belongs to no node. */
static bool is_transparent(const struct tc_operator_tally *tally, const struct tc_span *span)
{
	const struct tc_label *label = &tally->timeline->labels[span->label];

	return label->is_step || label->mark == TC_MARK_RECORDING;
}

/* Adds the call stack of an outermost operator above it, if the trace has no events of frames. A
 * frame has the time of such operators. *node is first the node above the frames, then the
 * innermost frame. */
static enum tc_status find_frames(
	uint32_t *node, struct tc_operator_tally *tally, const struct tc_span *span)
{
	const struct tc_timeline *timeline = tally->timeline;
	struct tc_tree *tree = &tally->tree;
	struct tc_node_key key = {.parent = *node, .forward = TC_NODE_NONE};
	uint32_t found;

	if (!timeline->labels[span->label].is_op || span->stack == 0 || span->dur_ns < 0 ||
		(*node != TC_NODE_NONE &&
			(tree->nodes[*node].nearest[TC_NODE_PYTHON] != TC_NODE_NONE ||
				tree->nodes[*node].nearest[TC_NODE_OPERATOR] != TC_NODE_NONE)))
		return TC_OK;
	size_t at = timeline->stacks[span->stack - 1];
	size_t end = span->stack < timeline->stack_count ? timeline->stacks[span->stack]
							 : timeline->frame_count;
	for (; at < end; at++) {
		key.label = timeline->frames[at];
		if (!tc_tree_find(&found, tree, &key, TC_NO_ID))
			return tc_no_memory(tally->timeline->ctx);
		if (found == TC_NODE_NONE)
			return TC_OK;
		tree->nodes[found].count++;
		tree->nodes[found].dur_ns =
			tc_add_saturated(tree->nodes[found].dur_ns, span->dur_ns);
		*node = key.parent = found;
	}
	return TC_OK;
}

/* *node is the node of the last slice of a track, whose frame is set. */
static enum tc_status open_slice(uint32_t *node, struct tc_operator_tally *tally,
	struct tc_operator_track *track, const struct tc_span *span, size_t parent)
{
	size_t own = track->nesting.count - 1;
	size_t owner = parent == SIZE_MAX ? SIZE_MAX : track->frames[parent].owner;
	uint32_t above = owner == SIZE_MAX ? TC_NODE_NONE : track->frames[owner].node;
	struct tc_interval time = tc_interval_of(span->ts_ns, span->dur_ns);

	track->frames[own] = (struct tc_operator_frame){above, false, owner, INT64_MIN};
	*node = above;
	if (is_transparent(tally, span))
		return TC_OK;
	enum tc_status status = find_frames(&above, tally, span);
	if (!status)
		status = find_node(node, tally, span, above);
	if (status || *node == TC_NODE_NONE) { /* the tree is full */
		*node = above;
		return status;
	}
	track->frames[own] = (struct tc_operator_frame){*node, span->dur_ns >= 0, own, INT64_MIN};
	if (span->dur_ns < 0)
		return TC_OK;
	count_call(&tally->tree.nodes[*node], time);
	if (owner != SIZE_MAX)
		cover(tally, &track->frames[owner], time);
	return tally->timeline->labels[span->label].work == TC_WORK_NONE
		       ? TC_OK
		       : count_work(tally, *node, span->ts_ns);
}

/* Frees the tracks whose slices have all ended. Threads may be many, and each be there for a
 * while. */
static void free_idle_tracks(struct tc_operator_tally *tally, int64_t now_ns)
{
	size_t left = 0;

	for (size_t i = 0; i < tally->busy_count; i++) {
		uint32_t number = tally->busy[i];
		struct tc_operator_track *track = tally->tracks[number];
		tc_nesting_end(&track->nesting, now_ns);
		if (track->nesting.count > 0) {
			tally->busy[left++] = number;
		} else {
			free_track(track);
			tally->tracks[number] = NULL;
		}
	}
	tally->busy_count = left;
	tally->busy_limit = 2 * left + BUSY_TRACKS;
}

/* NULL when memory is out. */
static struct tc_operator_track *track_of(
	struct tc_operator_tally *tally, const struct tc_span *span)
{
	struct tc_operator_track **track = &tally->tracks[span->track];

	if (*track)
		return *track;
	if (tally->busy_count == tally->busy_limit)
		free_idle_tracks(tally, span->ts_ns);
	if (!TC_GROW(tally->busy, tally->busy_capacity, tally->busy_count + 1))
		return NULL;
	*track = tc_calloc(1, sizeof(**track));
	if (*track)
		tally->busy[tally->busy_count++] = span->track;
	return *track;
}

enum tc_status tc_operator_tally_next_work(
	int64_t *ts_ns, struct tc_operator_tally *tally, const struct tc_span *span)
{
	enum tc_status status = TC_OK;

	while (!status && tally->next && tc_launched_compare(tally->next, span) < 0)
		status = take_work(tally, TC_NODE_NONE);
	if (!status)
		*ts_ns = tally->next && tc_launched_compare(tally->next, span) == 0
				 ? tally->next->ts_ns
				 : INT64_MIN;
	return status;
}

enum tc_status tc_operator_tally_start(struct tc_operator_tally *tally, const struct tc_span *span)
{
	struct tc_operator_track *track = track_of(tally, span);
	size_t parent;
	uint32_t node;

	if (!track)
		return tc_no_memory(tally->timeline->ctx);
	tc_nesting_end(&track->nesting, span->ts_ns);
	if (!tc_nesting_add(&parent, &track->nesting, span) ||
		!TC_GROW(track->frames, track->capacity, track->nesting.count))
		return tc_no_memory(tally->timeline->ctx);
	enum tc_status status = open_slice(&node, tally, track, span, parent);
	return status ? status : take_launched(tally, span, node);
}

enum tc_status tc_operator_tally_finish(struct tc_operator_tally *tally)
{
	enum tc_status status = TC_OK;

	while (!status && tally->next)
		status = take_work(tally, TC_NODE_NONE);
	if (!status && (!tc_step_calls_finish(&tally->steps) || !tc_tree_sum(&tally->tree)))
		status = tc_no_memory(tally->timeline->ctx);
	return status;
}
