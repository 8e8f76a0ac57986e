/* Maps host slices to nodes of the tree, and device work to the nodes; see operator_tally.h. */

#include "analysis/operators/operator_tally.h"

#include <string.h>

#include "analysis/time/intervals.h"
#include "core/alloc.h"

/* The current step of a node, and the row that its calls may extend. */
struct tc_step_open {
	int32_t step; /* -1 before the first call */
	int64_t count;
	size_t row; /* SIZE_MAX for none */
};

static void step_calls_clear(struct tc_step_calls *calls)
{
	tc_free(calls->rows);
	tc_free(calls->open);
	*calls = (struct tc_step_calls){0};
}

/* The step of a node is complete. */
static bool close_step(struct tc_step_calls *calls, uint32_t node)
{
	struct tc_step_open *open = &calls->open[node];

	if (open->step < 0)
		return true;
	struct tc_step_stretch *row = open->row == SIZE_MAX ? NULL : &calls->rows[open->row];
	if (row && row->count == open->count && row->last + 1 == open->step) {
		row->last = open->step;
		return true;
	}
	if (!TC_GROW(calls->rows, calls->capacity, calls->count + 1))
		return false;
	open->row = calls->count;
	calls->rows[calls->count++] =
		(struct tc_step_stretch){node, open->step, open->step, open->count};
	return true;
}

/* Counts a call of a node in a step. The steps of a node never decrease. False when memory is out.
 * */
static bool step_calls_add(struct tc_step_calls *calls, uint32_t node, int32_t step)
{
	if (!TC_GROW(calls->open, calls->open_capacity, (size_t)node + 1))
		return false;
	while (calls->open_count <= node)
		calls->open[calls->open_count++] = (struct tc_step_open){-1, 0, SIZE_MAX};
	struct tc_step_open *open = &calls->open[node];
	if (open->step != step) {
		if (!close_step(calls, node))
			return false;
		open->step = step;
		open->count = 0;
	}
	open->count++;
	return true;
}

/* Call it after the last call. False when memory is out. */
static bool step_calls_finish(struct tc_step_calls *calls)
{
	for (size_t i = 0; i < calls->open_count; i++)
		if (!close_step(calls, (uint32_t)i))
			return false;
	calls->open_count = 0;
	return true;
}

static void node_kernels_clear(struct tc_node_kernels *kernels)
{
	tc_free(kernels->rows);
	tc_strtab_clear(&kernels->keys);
	*kernels = (struct tc_node_kernels){0};
}

static bool same_key(const struct tc_node_kernel *a, const struct tc_node_kernel *b)
{
	return a->node == b->node && a->label == b->label && a->track == b->track &&
	       a->capture == b->capture;
}

static bool find(struct tc_node_kernels *kernels, const struct tc_node_kernel *key)
{
	const uint32_t words[] = {key->node, key->label, key->track, key->capture};

	if (kernels->latest < kernels->count && same_key(&kernels->rows[kernels->latest], key))
		return true;
	kernels->latest = tc_strtab_intern(
		&kernels->keys, (struct tc_text){(const char *)words, sizeof(words)});
	if (kernels->latest < kernels->count)
		return true;
	if (kernels->latest == TC_STRTAB_NONE ||
		!TC_GROW(kernels->rows, kernels->capacity, kernels->count + 1))
		return false;
	struct tc_node_kernel *row = &kernels->rows[kernels->count++];
	*row = *key;
	row->count = row->max_ns = 0;
	row->time = (struct tc_work_time){0};
	row->min_ns = INT64_MAX;
	return true;
}

/* Counts an operation of the row that *key has node, capture, label and track of; false when memory
 * is out. */
static bool node_kernels_add(
	struct tc_node_kernels *kernels, const struct tc_node_kernel *key, struct tc_work_time time)
{
	if (!find(kernels, key))
		return false;
	struct tc_node_kernel *row = &kernels->rows[kernels->latest];
	row->count++;
	tc_work_time_add(&row->time, time);
	if (time.dur_ns < row->min_ns)
		row->min_ns = time.dur_ns;
	if (time.dur_ns > row->max_ns)
		row->max_ns = time.dur_ns;
	return true;
}

enum {
	FIRST_SLOTS = 1 << 12,
	MAX_SLOTS = 1 << 18,  /* operators that a step differentiates: hundreds to 100,000 */
	MAX_THREADS = 256,    /* threads that count: one, or one per device */
	MAX_NUMBER = 1 << 16, /* of the profiler's threads */
};

static void forwards_clear(struct tc_forwards *forwards)
{
	tc_free(forwards->slots);
	tc_free(forwards->threads);
	tc_free(forwards->known);
	*forwards = (struct tc_forwards){0};
}

static struct tc_forward *slot_of(
	const struct tc_forwards *forwards, int64_t sequence, int32_t thread)
{
	uint64_t number = (uint64_t)sequence + (uint64_t)thread * UINT64_C(0x9e3779b1);

	return &forwards->slots[number & (forwards->slot_count - 1)];
}

/* Doubles the slots. If two operators share a slot, the later number stays. */
static bool grow(struct tc_forwards *forwards)
{
	struct tc_forwards old = *forwards;

	forwards->slot_count = old.slot_count ? 2 * old.slot_count : FIRST_SLOTS;
	forwards->slots = tc_malloc(forwards->slot_count * sizeof(*forwards->slots));
	if (!forwards->slots) {
		*forwards = old;
		return false;
	}
	memset(forwards->slots, 0xff, forwards->slot_count * sizeof(*forwards->slots));
	for (size_t i = 0; i < old.slot_count; i++) {
		const struct tc_forward *forward = &old.slots[i];
		if (forward->thread < 0)
			continue;
		struct tc_forward *slot = slot_of(forwards, forward->sequence, forward->thread);
		if (slot->thread < 0 || slot->sequence < forward->sequence)
			*slot = *forward;
	}
	tc_free(old.slots);
	return true;
}

static bool know_thread(struct tc_forwards *forwards, int32_t thread)
{
	for (size_t i = forwards->thread_count; i-- > 0;)
		if (forwards->threads[i] == thread)
			return true;
	if (forwards->thread_count >= MAX_THREADS)
		return true;
	if (!TC_GROW(forwards->threads, forwards->thread_capacity, forwards->thread_count + 1))
		return false;
	forwards->threads[forwards->thread_count++] = thread;
	return true;
}

/* Takes an operator of the forward pass; they come in time order. False when memory is out. */
static bool forwards_add(
	struct tc_forwards *forwards, int64_t sequence, int32_t thread, uint32_t node)
{
	const struct tc_forward forward = {sequence, node, thread, false};

	if ((!forwards->slots && !grow(forwards)) || !know_thread(forwards, thread))
		return false;
	struct tc_forward *slot = slot_of(forwards, sequence, thread);
	while (slot->thread >= 0 && !slot->is_differentiated &&
		(slot->thread != thread || slot->sequence != sequence) &&
		forwards->slot_count < MAX_SLOTS) {
		if (!grow(forwards))
			return false;
		slot = slot_of(forwards, sequence, thread);
	}
	*slot = forward;
	return true;
}

static struct tc_forward *find_on(
	const struct tc_forwards *forwards, int64_t sequence, int32_t thread)
{
	struct tc_forward *slot = slot_of(forwards, sequence, thread);

	return slot->thread == thread && slot->sequence == sequence ? slot : NULL;
}

/* The only thread that has the number, or NULL. */
static struct tc_forward *find_anywhere(const struct tc_forwards *forwards, int64_t sequence)
{
	struct tc_forward *found = NULL;

	for (size_t i = 0; i < forwards->thread_count; i++) {
		struct tc_forward *slot = find_on(forwards, sequence, forwards->threads[i]);
		if (slot && found)
			return NULL;
		if (slot)
			found = slot;
	}
	return found;
}

/* Sets *node to the operator that work of the backward pass belongs to. Leaves it unchanged when
 * the operator or its thread is not known. False when memory is out. */
static bool forwards_find(
	uint32_t *node, struct tc_forwards *forwards, int64_t sequence, int32_t forward_thread)
{
	struct tc_forward *found = NULL;

	if (!forwards->slots || forward_thread < 0 || forward_thread >= MAX_NUMBER)
		return true;
	size_t number = (size_t)forward_thread;
	if (!TC_GROW(forwards->known, forwards->known_capacity, number + 1))
		return false;
	while (forwards->known_count <= number)
		forwards->known[forwards->known_count++] = -1;
	if (forwards->known[number] >= 0) {
		found = find_on(forwards, sequence, forwards->known[number]);
	} else {
		found = find_anywhere(forwards, sequence);
		if (found)
			forwards->known[number] = found->thread;
	}
	if (found) {
		found->is_differentiated = true;
		*node = found->node;
	}
	return true;
}

static bool capture_places_find(uint32_t *out, struct tc_capture_places *places,
	struct tc_tree *tree, const struct tc_tree *from, uint32_t node, bool has_sizes);

static void capture_places_clear(struct tc_capture_places *places)
{
	tc_free(places->nodes);
	*places = (struct tc_capture_places){0};
}

static bool make_room(struct tc_capture_places *places, uint32_t node)
{
	if (!TC_GROW(places->nodes, places->capacity, (size_t)node + 1))
		return false;
	while (places->count <= node)
		places->nodes[places->count++] = TC_NODE_NONE;
	return true;
}

/* The place of a node's parent, or of its forward operator. */
static bool find_other(uint32_t *out, struct tc_capture_places *places, struct tc_tree *tree,
	const struct tc_tree *from, uint32_t node, bool has_sizes)
{
	*out = TC_NODE_NONE;
	return node == TC_NODE_NONE ||
	       capture_places_find(out, places, tree, from, node, has_sizes);
}

/* *out is the place of a node of `from`, which may be the tree itself; TC_NODE_NONE when the tree
 * is full. False when memory is out. */
static bool capture_places_find(uint32_t *out, struct tc_capture_places *places,
	struct tc_tree *tree, const struct tc_tree *from, uint32_t node, bool has_sizes)
{
	struct tc_node_key key = from->nodes[node].key;
	uint32_t parent = key.parent;

	if (!make_room(places, node))
		return false;
	*out = places->nodes[node];
	if (*out != TC_NODE_NONE)
		return true;
	if (!find_other(&key.parent, places, tree, from, parent, has_sizes) ||
		!find_other(&key.forward, places, tree, from, key.forward, has_sizes))
		return false;
	if (parent != TC_NODE_NONE && key.parent == TC_NODE_NONE)
		return true;
	key.shape = has_sizes ? key.shape : 0;
	if (!tc_tree_find(out, tree, &key, TC_NO_ID))
		return false;
	places->nodes[node] = *out;
	return true;
}

enum { BUSY_TRACKS = 1024 }; /* before those without open slices are looked for */

enum tc_status tc_operator_tally_init(struct tc_operator_tally *tally,
	const struct tc_timeline *timeline, struct tc_sorter *launched,
	struct tc_companion *companion)
{
	*tally = (struct tc_operator_tally){
		.timeline = timeline, .launched = launched, .companion = companion};
	tc_tree_init(&tally->tree, timeline->labels);
	tally->tracks = tc_calloc(timeline->track_count, sizeof(struct tc_operator_track *));
	tally->busy_limit = BUSY_TRACKS;
	if (!tally->tracks)
		return tc_no_memory(timeline->ctx);
	return TC_SORTER_FIRST(launched, tally->next);
}

/* Keeps the first failure; what comes after it counts for nothing. */
static void keep(struct tc_operator_tally *tally, bool has_memory)
{
	if (!has_memory && !tally->status)
		tally->status = tc_no_memory(tally->timeline->ctx);
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
	node_kernels_clear(&tally->kernels);
	forwards_clear(&tally->forwards);
	tc_captures_clear(&tally->captures);
	step_calls_clear(&tally->steps);
	capture_places_clear(&tally->without_sizes);
	capture_places_clear(&tally->given);
	capture_places_clear(&tally->given_without_sizes);
	tc_free(tally->replayed.works);
	*tally = (struct tc_operator_tally){0};
}

/* Counts the calls whose work ran, in all and within steps; rates need both. */
static void count_run(struct tc_operator_tally *tally, uint32_t node, int64_t ts_ns)
{
	const struct tc_timeline *timeline = tally->timeline;
	int32_t at = tc_timeline_step_at(timeline, ts_ns);

	struct tc_node_sums *sums = tc_tree_sums_get(&tally->tree, node);
	keep(tally, sums);
	if (sums)
		sums->run_count++;
	if (at >= 0 &&
		ts_ns < tc_add_saturated(timeline->steps[at].ts_ns, timeline->steps[at].dur_ns))
		keep(tally, step_calls_add(&tally->steps, node, at));
}

/* A call of an operator whose FLOPs are known. It runs nothing while a graph is captured. */
static void count_work(struct tc_operator_tally *tally, uint32_t node, int64_t ts_ns)
{
	if (tally->captures.is_open)
		keep(tally, tc_captures_add_work(&tally->captures, node));
	else
		count_run(tally, node, ts_ns);
}

/* Adds work to the node that launched it, or to none. Work of a replay also goes to the captured
 * call. */
static void give_work(struct tc_operator_tally *tally, const struct tc_launched *work,
	uint32_t node, uint32_t captured)
{
	const struct tc_node_kernel key = {
		.node = node, .capture = captured, .label = work->label, .track = work->track};

	if (node != TC_NODE_NONE && captured != TC_NODE_NONE)
		keep(tally, tc_tree_add_replay(&tally->tree, node, captured, work->time));
	else if (node != TC_NODE_NONE)
		keep(tally, tc_tree_add_work(&tally->tree, node, work->time));
	keep(tally, node_kernels_add(&tally->kernels, &key, work->time));
}

/* After a failure there is no more work. */
static void next_work(struct tc_operator_tally *tally)
{
	if (!tally->status)
		tally->status = TC_SORTER_NEXT(tally->launched, tally->next);
	if (tally->status)
		tally->next = NULL;
}

static void take_work(struct tc_operator_tally *tally, uint32_t node)
{
	give_work(tally, tally->next, node, TC_NODE_NONE);
	next_work(tally);
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

/* The node in the tree for a node of the capture, or TC_NODE_NONE. */
static uint32_t place_of(
	struct tc_operator_tally *tally, const struct replay *replay, uint32_t node)
{
	uint32_t place = node;

	if (replay->places)
		keep(tally, capture_places_find(&place, replay->places, &tally->tree, replay->tree,
				    node, replay->has_sizes));
	return tally->status ? TC_NODE_NONE : place;
}

/* A replay runs every operator of its capture. */
static void count_replay(struct tc_operator_tally *tally, const struct replay *replay)
{
	const struct tc_capture *capture = replay->capture;

	for (size_t i = 0; capture && i < capture->work_count; i++) {
		uint32_t node =
			place_of(tally, replay, replay->captures->works[capture->first_work + i]);
		if (node != TC_NODE_NONE)
			count_run(tally, node, replay->launch->ts_ns);
	}
}

/* Gives the work of a replay to the calls that were captured, if they are known. */
static void give_replay(struct tc_operator_tally *tally, const struct tc_span *span, uint32_t node)
{
	struct replay replay = {.launch = span, .node = node};

	match_replay(tally, &replay);
	for (size_t i = 0; i < tally->replayed.count; i++) {
		const struct tc_captured *calls = replay.captures->calls;
		uint32_t captured = replay.capture ? place_of(tally, &replay,
							     calls[replay.capture->first + i].node)
						   : TC_NODE_NONE;
		give_work(tally, &tally->replayed.works[i], node, captured);
	}
	tally->replayed.count = 0;
	count_replay(tally, &replay);
}

/* Takes the work of this slice, which replays a graph that may have been captured in the trace. */
static void take_replay(struct tc_operator_tally *tally, const struct tc_span *span, uint32_t node)
{
	struct tc_replayed *replayed = &tally->replayed;

	while (tally->next && tc_launched_compare(tally->next, span) == 0) {
		if (replayed->count == TC_CAPTURE_MAX_CALLS)
			give_replay(tally, span, node);
		bool has_room = TC_GROW(replayed->works, replayed->capacity, replayed->count + 1);
		if (has_room)
			replayed->works[replayed->count++] = *tally->next;
		keep(tally, has_room);
		next_work(tally);
	}
	give_replay(tally, span, node);
}

static bool has_captures(const struct tc_operator_tally *tally)
{
	return tally->captures.count > 0 ||
	       (tally->companion && tally->companion->captures.count > 0);
}

/* Takes the work that this slice launched. Work whose call comes earlier but is on no thread
 * belongs to no node. */
static void take_launched(
	struct tc_operator_tally *tally, const struct tc_span *span, uint32_t node)
{
	const struct tc_label *label = &tally->timeline->labels[span->label];
	bool has_work = false;

	while (tally->next) {
		int order = tc_launched_compare(tally->next, span);
		if (order > 0)
			break;
		has_work |= order == 0;
		if (order == 0 && label->mark == TC_MARK_GRAPH_LAUNCH && has_captures(tally))
			take_replay(tally, span, node);
		else
			take_work(tally, order == 0 ? node : TC_NODE_NONE);
	}
	if (!has_work && node != TC_NODE_NONE)
		keep(tally, tc_captures_see(&tally->captures, label, node));
}

/* The forward operator of a slice of the backward pass, by its sequence number. */
static void find_forward(
	struct tc_operator_tally *tally, struct tc_node_key *key, const struct tc_span *span)
{
	if (key->parent != TC_NODE_NONE)
		key->forward = tally->tree.nodes[key->parent].key.forward;
	if (key->forward == TC_NODE_NONE && span->sequence >= 0 && span->forward_thread >= 0)
		keep(tally, forwards_find(&key->forward, &tally->forwards, span->sequence,
				    span->forward_thread));
}

static uint32_t find_in_tree(
	struct tc_operator_tally *tally, const struct tc_node_key *key, int64_t slice_id)
{
	uint32_t node = TC_NODE_NONE;
	bool has_memory = tc_tree_find(&node, &tally->tree, key, slice_id);

	keep(tally, has_memory);
	return has_memory ? node : TC_NODE_NONE;
}

/* The node of a nested slice, or TC_NODE_NONE when the tree is full. */
static uint32_t find_node(
	struct tc_operator_tally *tally, const struct tc_span *span, uint32_t parent)
{
	struct tc_node_key key = {.parent = parent, .label = span->label, .forward = TC_NODE_NONE};
	bool is_op = tally->timeline->labels[span->label].is_op;

	if (is_op) {
		key.shape = span->shape;
		find_forward(tally, &key, span);
	} else if (parent != TC_NODE_NONE) {
		key.forward = tally->tree.nodes[parent].key.forward;
	}
	uint32_t node = find_in_tree(tally, &key, span->slice_id);
	if (node == TC_NODE_NONE)
		return node;
	if (tally->tree.nodes[node].slice_id == TC_NO_ID)
		tally->tree.nodes[node].slice_id = span->slice_id;
	if (is_op && span->sequence >= 0 && span->forward_thread < 0)
		keep(tally, forwards_add(&tally->forwards, span->sequence,
				    tally->timeline->tracks[span->track].host_thread, node));
	return node;
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
 * frame has the time of such operators. Returns the innermost frame, or `above`, the node above the
 * frames. */
static uint32_t find_frames(
	struct tc_operator_tally *tally, const struct tc_span *span, uint32_t above)
{
	const struct tc_timeline *timeline = tally->timeline;
	struct tc_tree *tree = &tally->tree;
	struct tc_node_key key = {.parent = above, .forward = TC_NODE_NONE};

	if (!timeline->labels[span->label].is_op || span->stack == 0 || span->dur_ns < 0 ||
		(above != TC_NODE_NONE &&
			(tree->nodes[above].nearest[TC_NODE_PYTHON] != TC_NODE_NONE ||
				tree->nodes[above].nearest[TC_NODE_OPERATOR] != TC_NODE_NONE)))
		return above;
	size_t at = timeline->stacks[span->stack - 1];
	size_t end = span->stack < timeline->stack_count ? timeline->stacks[span->stack]
							 : timeline->frame_count;
	for (; at < end; at++) {
		key.label = timeline->frames[at];
		uint32_t found = find_in_tree(tally, &key, TC_NO_ID);
		if (found == TC_NODE_NONE)
			break;
		tree->nodes[found].count++;
		tree->nodes[found].dur_ns =
			tc_add_saturated(tree->nodes[found].dur_ns, span->dur_ns);
		key.parent = found;
	}
	return key.parent;
}

/* The node of the last slice of a track, whose frame is set. */
static uint32_t open_slice(struct tc_operator_tally *tally, struct tc_operator_track *track,
	const struct tc_span *span, size_t parent)
{
	size_t own = track->nesting.count - 1;
	size_t owner = parent == SIZE_MAX ? SIZE_MAX : track->frames[parent].owner;
	uint32_t above = owner == SIZE_MAX ? TC_NODE_NONE : track->frames[owner].node;
	struct tc_interval time = tc_interval_of(span->ts_ns, span->dur_ns);

	track->frames[own] = (struct tc_operator_frame){above, false, owner, INT64_MIN};
	if (is_transparent(tally, span))
		return above;
	above = find_frames(tally, span, above);
	uint32_t node = find_node(tally, span, above);
	if (node == TC_NODE_NONE)
		return above;
	track->frames[own] = (struct tc_operator_frame){node, span->dur_ns >= 0, own, INT64_MIN};
	if (span->dur_ns < 0)
		return node;
	count_call(&tally->tree.nodes[node], time);
	if (owner != SIZE_MAX)
		cover(tally, &track->frames[owner], time);
	if (tally->timeline->labels[span->label].work != TC_WORK_NONE)
		count_work(tally, node, span->ts_ns);
	return node;
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
	while (tally->next && tc_launched_compare(tally->next, span) < 0)
		take_work(tally, TC_NODE_NONE);
	*ts_ns = tally->next && tc_launched_compare(tally->next, span) == 0 ? tally->next->ts_ns
									    : INT64_MIN;
	return tally->status;
}

enum tc_status tc_operator_tally_start(struct tc_operator_tally *tally, const struct tc_span *span)
{
	struct tc_operator_track *track = track_of(tally, span);

	if (!track)
		return tc_no_memory(tally->timeline->ctx);
	tc_nesting_end(&track->nesting, span->ts_ns);
	size_t parent = tc_nesting_add(&track->nesting, tally->timeline->ctx, span);
	if (tc_ctx_failed(tally->timeline->ctx) ||
		!TC_GROW(track->frames, track->capacity, track->nesting.count))
		return tc_no_memory(tally->timeline->ctx);
	take_launched(tally, span, open_slice(tally, track, span, parent));
	return tally->status;
}

enum tc_status tc_operator_tally_finish(struct tc_operator_tally *tally)
{
	while (tally->next)
		take_work(tally, TC_NODE_NONE);
	keep(tally, step_calls_finish(&tally->steps) && tc_tree_sum(&tally->tree));
	return tally->status;
}
