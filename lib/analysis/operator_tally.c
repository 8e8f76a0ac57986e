/*
 * Operator tally (tables op_tree_row, op_kernel_row, op_work, op_step, captured_call and
 * captured_args): which host slices call which, and the device work they launch. It sees every host
 * slice at its start, in time order over all threads. So it sees an operator of the forward pass
 * before the backward work that belongs to it, and meets the work of each call without a search.
 */
#include <string.h>

#include "analysis/host_sweep.h"
#include "analysis/op_tree.h"
#include "model/output.h"
#include "model/timeline/work.h"
#include "core/alloc.h"
#include "core/saturate.h"

/*
 * Forwards: which operator of the forward pass a node of the backward pass belongs to. Autograd
 * counts the operations that it will differentiate, thread by thread. Beside each operator the
 * profiler writes the next number of that count. So of several operators with one number, the last
 * one is differentiated. The work of the backward pass has this number and the profiler's own
 * number of the forward thread.
 *
 * Only the latest numbers of a thread are kept: an operation is differentiated soon or never.
 */
struct forward {
	int64_t sequence;
	uint32_t node;
	int32_t thread;         /* host thread; -1: the slot is free */
	bool is_differentiated; /* and can make room for another */
};

struct forwards {
	struct forward *slots; /* by the last bits of sequence and thread */
	size_t slot_count;
	int32_t *threads; /* number of host threads that have counted */
	size_t thread_count, thread_capacity;
	/* The host thread of each of the profiler's, -1 until it is known. */
	int32_t *known;
	size_t known_count, known_capacity;
};

static void forwards_clear(struct forwards *forwards)
{
	tc_free(forwards->slots);
	tc_free(forwards->threads);
	tc_free(forwards->known);
	*forwards = (struct forwards){0};
}

enum {
	FORWARD_SLOTS = 1 << 12,
	MAX_SLOTS = 1 << 18,  /* operators that a step differentiates: hundreds to 100,000 */
	MAX_THREADS = 256,    /* threads that count: one, or one per device */
	MAX_NUMBER = 1 << 16, /* of the profiler's threads */
};

static struct forward *forward_slot(
	const struct forwards *forwards, int64_t sequence, int32_t thread)
{
	uint64_t number = (uint64_t)sequence + (uint64_t)thread * UINT64_C(0x9e3779b1);

	return &forwards->slots[number & (forwards->slot_count - 1)];
}

/* Doubles the slots. If two operators share a slot, the later number stays. */
static bool grow_forwards(struct forwards *forwards, struct tc_ctx *ctx)
{
	struct forwards old = *forwards;

	forwards->slot_count = old.slot_count ? 2 * old.slot_count : FORWARD_SLOTS;
	forwards->slots = tc_malloc(forwards->slot_count * sizeof(*forwards->slots));
	if (!forwards->slots) {
		*forwards = old;
		tc_no_memory(ctx);
		return false;
	}
	memset(forwards->slots, 0xff, forwards->slot_count * sizeof(*forwards->slots));
	for (size_t i = 0; i < old.slot_count; i++) {
		const struct forward *forward = &old.slots[i];
		if (forward->thread < 0)
			continue;
		struct forward *slot = forward_slot(forwards, forward->sequence, forward->thread);
		if (slot->thread < 0 || slot->sequence < forward->sequence)
			*slot = *forward;
	}
	tc_free(old.slots);
	return true;
}

static void know_thread(struct forwards *forwards, struct tc_ctx *ctx, int32_t thread)
{
	for (size_t i = forwards->thread_count; i-- > 0;)
		if (forwards->threads[i] == thread)
			return;
	if (forwards->thread_count < MAX_THREADS)
		TC_PUSH(ctx, forwards->threads, forwards->thread_count, forwards->thread_capacity,
			thread);
}

/* Takes an operator of the forward pass; they come in time order. */
static void forwards_add(
	struct forwards *forwards, struct tc_ctx *ctx, const struct forward *forward)
{
	if (!forwards->slots && !grow_forwards(forwards, ctx))
		return;
	know_thread(forwards, ctx, forward->thread);
	struct forward *slot = forward_slot(forwards, forward->sequence, forward->thread);
	while (slot->thread >= 0 && !slot->is_differentiated &&
		(slot->thread != forward->thread || slot->sequence != forward->sequence) &&
		forwards->slot_count < MAX_SLOTS) {
		if (!grow_forwards(forwards, ctx))
			return;
		slot = forward_slot(forwards, forward->sequence, forward->thread);
	}
	*slot = *forward;
}

static struct forward *find_on(const struct forwards *forwards, int64_t sequence, int32_t thread)
{
	struct forward *slot = forward_slot(forwards, sequence, thread);

	return slot->thread == thread && slot->sequence == sequence ? slot : NULL;
}

/* The only thread that has the number, or NULL. */
static struct forward *find_anywhere(const struct forwards *forwards, int64_t sequence)
{
	struct forward *found = NULL;

	for (size_t i = 0; i < forwards->thread_count; i++) {
		struct forward *slot = find_on(forwards, sequence, forwards->threads[i]);
		if (slot && found)
			return NULL;
		if (slot)
			found = slot;
	}
	return found;
}

/* The operator that work of the backward pass belongs to; TC_NODE_NONE when it or its thread is not
 * known. */
static uint32_t forwards_find(
	struct forwards *forwards, struct tc_ctx *ctx, int64_t sequence, int32_t forward_thread)
{
	struct forward *found = NULL;

	if (!forwards->slots || forward_thread < 0 || forward_thread >= MAX_NUMBER)
		return TC_NODE_NONE;
	size_t number = (size_t)forward_thread;
	while (forwards->known_count <= number)
		if (!TC_PUSH(ctx, forwards->known, forwards->known_count, forwards->known_capacity,
			    -1))
			return TC_NODE_NONE;
	if (forwards->known[number] >= 0) {
		found = find_on(forwards, sequence, forwards->known[number]);
	} else {
		found = find_anywhere(forwards, sequence);
		if (found)
			forwards->known[number] = found->thread;
	}
	if (!found)
		return TC_NODE_NONE;
	found->is_differentiated = true;
	return found->node;
}

/*
 * Calls by step of operators whose FLOPs are known: how many calls of a node began in each step.
 * Steps of a training run repeat, so a row covers consecutive steps with the same number of calls.
 */

/* Steps first to last have count calls each. */
struct stretch {
	uint32_t node;
	int32_t first, last;
	int64_t count;
};

/* The current step of a node, and the row that its calls may extend. */
struct step_open {
	int32_t step; /* -1 before the first call */
	int64_t count;
	size_t row; /* SIZE_MAX for none */
};

struct step_calls {
	struct stretch *rows;
	size_t count, capacity;
	struct step_open *open; /* by node */
	size_t open_count, open_capacity;
};

/* Totals of device work by launching node, operation and lane, in insertion order. */
struct kernel {
	uint32_t node;    /* or TC_NODE_NONE */
	uint32_t capture; /* for replays: the captured call; else TC_NODE_NONE */
	uint32_t label, track;
	int64_t count, min_ns, max_ns, slice_id; /* slice: the first that was launched */
	struct tc_work_time time;
};

struct kernels {
	struct kernel *rows;
	size_t count, capacity;
	struct tc_strtab keys; /* numbers rows by what they are of */
	size_t latest;         /* of rows */
};

/* The state of an open slice of a track, beside tc_nested. */
struct frame {
	uint32_t node;      /* or TC_NODE_NONE */
	bool has_end;       /* its time counts */
	size_t owner;       /* of frames: it, or what it is a part of; SIZE_MAX for none */
	int64_t covered_ns; /* until when nested slices share its time */
};

struct track {
	struct tc_nesting nesting;
	struct frame *frames; /* of nesting.items */
	size_t capacity;
};

/* Replays of captured graphs. */
struct graphs {
	struct tc_replayed replayed;        /* the current one */
	struct tc_graph_matcher own, other; /* of captures of the trace, and of the companion */
	struct misfit {
		int64_t launch_count, count;
	} misfits[TC_MISFIT_COUNT]; /* replays, and their operations without a captured call */
	struct tc_rows names;       /* by slice: the kernel that a captured call names */
	int64_t nameless_count;     /* captured calls since the last one with a name */
	struct tc_capture_places without_sizes;              /* of captures of the trace */
	struct tc_capture_places given, given_without_sizes; /* of those of the companion */
};

struct operators {
	const struct tc_host_sweep *sweep;
	const struct tc_timeline *timeline;
	const struct tc_launched *next; /* of the work of launches; NULL at its end */
	struct track **tracks;          /* by track of the timeline; NULL without open slices */
	uint32_t *busy;                 /* tracks that are not NULL */
	size_t busy_count, busy_capacity, busy_limit;
	struct tc_tree tree;
	struct kernels kernels;
	struct forwards forwards;
	struct tc_companion *companion; /* borrowed; NULL for none */
	struct graphs graphs;
	struct step_calls steps;
};

/* The step of a node is complete. */
static void close_step(struct step_calls *calls, struct tc_ctx *ctx, uint32_t node)
{
	struct step_open *open = &calls->open[node];

	if (open->step < 0)
		return;
	struct stretch *row = open->row == SIZE_MAX ? NULL : &calls->rows[open->row];
	if (row && row->count == open->count && row->last + 1 == open->step) {
		row->last = open->step;
		return;
	}
	const struct stretch stretch = {node, open->step, open->step, open->count};
	if (TC_PUSH(ctx, calls->rows, calls->count, calls->capacity, stretch))
		open->row = calls->count - 1;
}

/* Counts a call of a node in a step. The steps of a node never decrease. */
static void count_in_step(struct step_calls *calls, struct tc_ctx *ctx, uint32_t node, int32_t step)
{
	while (calls->open_count <= node)
		if (!TC_PUSH(ctx, calls->open, calls->open_count, calls->open_capacity,
			    (struct step_open){-1, 0, SIZE_MAX}))
			return;
	struct step_open *open = &calls->open[node];
	if (open->step != step) {
		close_step(calls, ctx, node);
		open->step = step;
		open->count = 0;
	}
	open->count++;
}

static bool same_key(const struct kernel *a, const struct kernel *b)
{
	return a->node == b->node && a->label == b->label && a->track == b->track &&
	       a->capture == b->capture;
}

/* The row of a key, made when new; NULL when memory is out. */
static struct kernel *kernel_of(
	struct kernels *kernels, struct tc_ctx *ctx, const struct kernel *key)
{
	const uint32_t words[] = {key->node, key->label, key->track, key->capture};

	if (kernels->latest < kernels->count && same_key(&kernels->rows[kernels->latest], key))
		return &kernels->rows[kernels->latest];
	kernels->latest = tc_strtab_intern(
		&kernels->keys, (struct tc_text){(const char *)words, sizeof(words)});
	/* After a failure a row may be missing, and numbers are ahead of the rows. */
	if (kernels->latest >= kernels->count &&
		(tc_ctx_failed(ctx) ||
			!TC_PUSH(ctx, kernels->rows, kernels->count, kernels->capacity, *key)))
		return NULL;
	return &kernels->rows[kernels->latest];
}

static void count_kernel(struct kernel *row, struct tc_work_time time)
{
	row->count++;
	tc_work_time_add(&row->time, time);
	if (time.dur_ns < row->min_ns)
		row->min_ns = time.dur_ns;
	if (time.dur_ns > row->max_ns)
		row->max_ns = time.dur_ns;
}

enum {
	NAMELESS_CALLS = 64, /* then names are no longer looked for */
	BUSY_TRACKS = 1024,  /* before those without open slices are looked for */
};

static void free_track(struct track *track)
{
	tc_nesting_clear(&track->nesting);
	tc_free(track->frames);
	tc_free(track);
}

static void clear_operators(void *self)
{
	struct operators *tally = self;

	for (size_t i = 0; i < tally->busy_count; i++)
		free_track(tally->tracks[tally->busy[i]]);
	tc_free(tally->tracks);
	tc_free(tally->busy);
	tc_tree_clear(&tally->tree);
	tc_free(tally->kernels.rows);
	tc_strtab_clear(&tally->kernels.keys);
	forwards_clear(&tally->forwards);
	tc_free(tally->steps.rows);
	tc_free(tally->steps.open);
	tc_rows_close(&tally->graphs.names);
	tc_free(tally->graphs.without_sizes.nodes);
	tc_free(tally->graphs.given.nodes);
	tc_free(tally->graphs.given_without_sizes.nodes);
	tc_free(tally->graphs.replayed.works);
	tc_strtab_clear(&tally->graphs.own.keys);
	tc_arena_clear(&tally->graphs.own.arena);
	tc_strtab_clear(&tally->graphs.other.keys);
	tc_arena_clear(&tally->graphs.other.arena);
}

static struct tc_graph_matcher matcher_of(struct tc_tree *tree, const struct tc_timeline *timeline)
{
	return (struct tc_graph_matcher){.tree = tree,
		.labels = timeline->labels,
		.keys.ctx = timeline->ctx,
		.arena.ctx = timeline->ctx,
		.steps_left = TC_COMPARE_STEPS};
}

static void begin_operators(void *self, const struct tc_host_sweep *sweep)
{
	const struct tc_timeline *timeline = sweep->timeline;
	struct operators *tally = self;

	*tally = (struct operators){
		.sweep = sweep,
		.timeline = timeline,
		.companion = sweep->companion,
		.tree = {.ctx = timeline->ctx,
			.labels = timeline->labels,
			.captures.names.ctx = timeline->ctx},
		.kernels.keys.ctx = timeline->ctx,
		.graphs.names = tc_rows_prepare(timeline->ctx, sweep->tables->db,
			"SELECT args ->> '$.kernel' FROM slice_args WHERE slice_id = ? AND "
			"json_valid(args)"),
		.tracks = tc_new(timeline->ctx, timeline->track_count, sizeof(struct track *)),
		.busy_limit = BUSY_TRACKS,
	};
	tally->graphs.own = matcher_of(&tally->tree, timeline);
	if (tally->companion)
		tally->graphs.other = matcher_of(&tally->companion->tree, timeline);
	tally->next = tc_sorter_first(sweep->devices->launched);
}

/* Counts the calls whose work ran, in all and within steps; rates need both. */
static void count_run(struct operators *tally, uint32_t node, int64_t ts_ns)
{
	const struct tc_timeline *timeline = tally->timeline;
	int32_t at = tc_timeline_step_at(timeline, ts_ns);

	tc_tree_count_run(&tally->tree, node);
	if (at >= 0 &&
		ts_ns < tc_add_saturated(timeline->steps[at].ts_ns, timeline->steps[at].dur_ns))
		count_in_step(&tally->steps, timeline->ctx, node, at);
}

/* A call counts as a run if its FLOPs are known. While a graph is captured it runs nothing. */
static void count_work(struct operators *tally, uint32_t node, const struct tc_span *span)
{
	const struct tc_label *label = &tally->timeline->labels[span->label];

	if (!tally->tree.captures.is_open) {
		if (label->work != TC_WORK_NONE)
			count_run(tally, node, span->ts_ns);
	} else if (label->is_op || label->is_module) {
		tc_captures_add_work(&tally->tree, node);
	}
}

/* Adds work to the node that launched it, or to none. Work of a replay also goes to the captured
 * call. */
static void give_work(
	struct operators *tally, const struct tc_launched *work, uint32_t node, uint32_t captured)
{
	const struct kernel key = {.node = node,
		.capture = captured,
		.label = work->label,
		.track = work->track,
		.slice_id = work->slice_id,
		.min_ns = INT64_MAX};

	tc_tree_add_work(&tally->tree, node, captured, work->label, work->time);
	struct kernel *row = kernel_of(&tally->kernels, tally->timeline->ctx, &key);
	if (row)
		count_kernel(row, work->time);
}

static void next_work(struct operators *tally)
{
	tally->next = tc_sorter_next(tally->sweep->devices->launched);
}

static void take_work(struct operators *tally, uint32_t node)
{
	give_work(tally, tally->next, node, TC_NODE_NONE);
	next_work(tally);
}

/* A replay, and the capture that it is of. */
struct replay {
	const struct tc_span *launch;
	struct tc_replay_match match;
	const struct tc_tree *tree;       /* of the nodes of captures */
	struct tc_capture_places *places; /* NULL: they are in the tree of the trace as they are */
};

/* Captures of the trace itself come first. */
static void match_replay(struct operators *tally, struct replay *replay)
{
	struct graphs *graphs = &tally->graphs;
	struct tc_graph_matcher *matcher = &graphs->own;

	replay->match = tc_graph_matcher_find(matcher, &graphs->replayed);
	if (!replay->match.has_sizes)
		replay->places = &graphs->without_sizes;
	if (!replay->match.capture && tally->companion) {
		matcher = &graphs->other;
		replay->match = tc_graph_matcher_find(matcher, &graphs->replayed);
		replay->places =
			replay->match.has_sizes ? &graphs->given : &graphs->given_without_sizes;
	}
	replay->tree = matcher->tree;
}

/* The node in the tree for a node of the capture, or TC_NODE_NONE. */
static uint32_t place_of(struct operators *tally, const struct replay *replay, uint32_t node)
{
	return replay->places ? tc_capture_place(replay->places, &tally->tree, replay->tree, node,
					replay->match.has_sizes)
			      : node;
}

/* A replay runs the operators and modules of its capture whose calls it has. is_run: by call. */
static void count_replay(struct operators *tally, const struct replay *replay, const bool *is_run)
{
	const struct tc_capture *capture = replay->match.capture;
	const struct tc_captured_operator *works =
		&replay->tree->captures.works[capture->first_work];

	for (size_t i = 0; i < capture->work_count; i++) {
		size_t call = works[i].call < capture->count ? works[i].call : capture->count - 1;
		uint32_t node =
			is_run[call] ? place_of(tally, replay, works[i].node) : TC_NODE_NONE;
		if (node == TC_NODE_NONE)
			continue;
		struct tc_node *place = &tally->tree.nodes[node];
		place->count++;
		if (tally->timeline->labels[place->key.label].work != TC_WORK_NONE)
			count_run(tally, node, replay->launch->ts_ns);
	}
}

/* The call that was captured for an operation of a replay, or TC_NODE_NONE. */
static uint32_t captured_of(struct operators *tally, const struct replay *replay, size_t operation)
{
	const struct tc_replay_match *match = &replay->match;

	if (!match->capture || match->calls[operation] == TC_NODE_NONE)
		return TC_NODE_NONE;
	return place_of(tally, replay,
		replay->tree->captures.calls[match->capture->first + match->calls[operation]].node);
}

/* Gives the work of a replay to the calls that were captured, if they are known. */
static void give_replay(struct operators *tally, const struct tc_span *span, uint32_t node)
{
	struct replay replay = {.launch = span};
	struct tc_arena arena = {.ctx = tally->timeline->ctx};

	match_replay(tally, &replay);
	const struct tc_capture *capture = replay.match.capture;
	bool *is_run = tc_arena_take(&arena, capture ? capture->count : 0, sizeof(*is_run));
	struct misfit *misfit = &tally->graphs.misfits[replay.match.misfit];
	for (size_t i = 0; is_run && i < tally->graphs.replayed.count; i++) {
		uint32_t captured = captured_of(tally, &replay, i);
		if (captured == TC_NODE_NONE)
			misfit->count++;
		else
			is_run[replay.match.calls[i]] = true;
		give_work(tally, &tally->graphs.replayed.works[i], node, captured);
	}
	misfit->launch_count++;
	tally->graphs.replayed.count = 0;
	if (capture && is_run)
		count_replay(tally, &replay, is_run);
	tc_arena_clear(&arena);
}

/* Takes the work of this slice, which replays a graph that may have been captured in the trace. */
static void take_replay(struct operators *tally, const struct tc_span *span, uint32_t node)
{
	struct tc_replayed *replayed = &tally->graphs.replayed;

	while (tally->next && tc_launched_compare(tally->next, span) == 0) {
		if (replayed->count == TC_CAPTURE_MAX_CALLS)
			give_replay(tally, span, node);
		TC_PUSH(tally->timeline->ctx, replayed->works, replayed->count, replayed->capacity,
			*tally->next);
		next_work(tally);
	}
	give_replay(tally, span, node);
}

static bool has_captures(const struct operators *tally)
{
	return tally->tree.captures.count > 0 ||
	       (tally->companion && tally->companion->tree.captures.count > 0);
}

/* The kernel that a captured call launches: its name beside the call, or that of the operator that
 * torch.compile made of it. Writers name it at every call or at none. */
static uint32_t kernel_name(
	struct operators *tally, const struct tc_span *span, uint32_t node, enum tc_mark mark)
{
	struct tc_tree *tree = &tally->tree;

	if (!tree->captures.is_open || mark != TC_MARK_KERNEL_LAUNCH)
		return TC_STRTAB_NONE;
	uint32_t caller = tree->nodes[node].nearest[TC_NODE_OPERATOR];
	const struct tc_label *label = &tally->timeline->labels[span->label];
	if (caller != TC_NODE_NONE)
		label = &tally->timeline->labels[tree->nodes[caller].key.label];
	if (label->work == TC_WORK_COMPILED)
		return tc_strtab_intern(&tree->captures.names, tc_label_name(label));
	if (tally->graphs.nameless_count == NAMELESS_CALLS)
		return TC_STRTAB_NONE;
	uint32_t name = TC_STRTAB_NONE;
	tally->graphs.nameless_count++;
	tc_rows_again(&tally->graphs.names, span->slice_id);
	while (tc_rows_next(&tally->graphs.names)) {
		struct tc_sql_value kernel = tc_rows_value(&tally->graphs.names, 0);
		if (kernel.kind != TC_SQL_TEXT)
			continue;
		tally->graphs.nameless_count = 0;
		name = tc_strtab_intern(&tree->captures.names, kernel.text);
	}
	return name;
}

/* Takes the work that this slice launched. Work whose call comes earlier but is on no thread
 * belongs to no node. */
static void take_launched(struct operators *tally, const struct tc_span *span, uint32_t node)
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
		tc_captures_see(
			&tally->tree, label, node, kernel_name(tally, span, node, label->mark));
}

/* The forward operator of a slice of the backward pass, by its sequence number. */
static void find_forward(
	struct operators *tally, struct tc_node_key *key, const struct tc_span *span)
{
	if (key->parent != TC_NODE_NONE)
		key->forward = tally->tree.nodes[key->parent].key.forward;
	if (key->forward == TC_NODE_NONE && span->sequence >= 0 && span->forward_thread >= 0)
		key->forward = forwards_find(&tally->forwards, tally->timeline->ctx, span->sequence,
			span->forward_thread);
}

/* The node of a nested slice, or TC_NODE_NONE when the tree is full. */
static uint32_t find_node(struct operators *tally, const struct tc_span *span, uint32_t parent)
{
	struct tc_node_key key = {.parent = parent, .label = span->label, .forward = TC_NODE_NONE};
	bool is_op = tally->timeline->labels[span->label].is_op;

	if (is_op) {
		key.shape = span->shape;
		find_forward(tally, &key, span);
	} else if (parent != TC_NODE_NONE) {
		key.forward = tally->tree.nodes[parent].key.forward;
	}
	uint32_t node = tc_tree_find(&tally->tree, &key, span->slice_id);
	if (node == TC_NODE_NONE)
		return node;
	if (tally->tree.nodes[node].slice_id == TC_NO_ID)
		tally->tree.nodes[node].slice_id = span->slice_id;
	if (is_op && span->sequence >= 0 && span->forward_thread < 0)
		forwards_add(&tally->forwards, tally->timeline->ctx,
			&(struct forward){span->sequence, node,
				tally->timeline->tracks[span->track].host_thread, false});
	return node;
}

/* Takes the time of a slice off the slice around it. */
static void cover(struct operators *tally, struct frame *around, struct tc_interval time)
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
static bool is_transparent(const struct operators *tally, const struct tc_span *span)
{
	const struct tc_label *label = &tally->timeline->labels[span->label];

	return label->is_step || label->mark == TC_MARK_RECORDING;
}

/* Adds the call stack of an outermost operator above it, if the trace has no events of frames. A
 * frame has the time of such operators. Returns the innermost frame, or `above`, the node above the
 * frames. */
static uint32_t find_frames(struct operators *tally, const struct tc_span *span, uint32_t above)
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
		uint32_t found = tc_tree_find(tree, &key, TC_NO_ID);
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
static uint32_t open_slice(
	struct operators *tally, struct track *track, const struct tc_span *span, size_t parent)
{
	size_t own = track->nesting.count - 1;
	size_t owner = parent == SIZE_MAX ? SIZE_MAX : track->frames[parent].owner;
	uint32_t above = owner == SIZE_MAX ? TC_NODE_NONE : track->frames[owner].node;
	struct tc_interval time = tc_interval_of(span->ts_ns, span->dur_ns);

	track->frames[own] = (struct frame){above, false, owner, INT64_MIN};
	if (is_transparent(tally, span))
		return above;
	above = find_frames(tally, span, above);
	uint32_t node = find_node(tally, span, above);
	if (node == TC_NODE_NONE)
		return above;
	track->frames[own] = (struct frame){node, span->dur_ns >= 0, own, INT64_MIN};
	if (span->dur_ns < 0)
		return node;
	count_call(&tally->tree.nodes[node], time);
	if (owner != SIZE_MAX)
		cover(tally, &track->frames[owner], time);
	count_work(tally, node, span);
	return node;
}

/* Frees the tracks whose slices have all ended. Threads may be many, and each be there for a
 * while. */
static void free_idle_tracks(struct operators *tally, int64_t now_ns)
{
	size_t left = 0;

	for (size_t i = 0; i < tally->busy_count; i++) {
		uint32_t number = tally->busy[i];
		struct track *track = tally->tracks[number];
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
static struct track *track_of(struct operators *tally, const struct tc_span *span)
{
	struct track **track = &tally->tracks[span->track];

	if (*track)
		return *track;
	if (tally->busy_count == tally->busy_limit)
		free_idle_tracks(tally, span->ts_ns);
	*track = tc_calloc(1, sizeof(**track));
	if (!*track)
		tc_no_memory(tally->timeline->ctx);
	else if (!TC_PUSH(tally->timeline->ctx, tally->busy, tally->busy_count,
			 tally->busy_capacity, span->track)) {
		tc_free(*track);
		*track = NULL;
	}
	return *track;
}

/* When the first work starts that the slice launched which is taken next. */
static void before(void *self, struct tc_host_open *host)
{
	struct operators *tally = self;
	const struct tc_span *span = &host->open.span;

	while (tally->next && tc_launched_compare(tally->next, span) < 0)
		take_work(tally, TC_NODE_NONE);
	host->first_work_ns = tally->next && tc_launched_compare(tally->next, span) == 0
				      ? tally->next->ts_ns
				      : INT64_MIN;
}

/* Takes a host slice that starts, also one without an end. */
static void take_slice(void *self, const struct tc_span *span)
{
	struct operators *tally = self;
	struct track *track = track_of(tally, span);

	if (!track)
		return;
	tc_nesting_end(&track->nesting, span->ts_ns);
	size_t parent = tc_nesting_add(&track->nesting, tally->timeline->ctx, span);
	if (tc_ctx_failed(tally->timeline->ctx))
		return;
	if (TC_ROOM(tally->timeline->ctx, track->frames, track->capacity, track->nesting.count))
		take_launched(tally, span, open_slice(tally, track, span, parent));
}

static void start(void *self, struct tc_host_open *host)
{
	take_slice(self, &host->open.span);
}

/* Rows: op_step and op_kernel_row; the tree writes its own. */

/* The steps in which these operators ran. */
static void write_steps(const struct operators *tally, int64_t base)
{
	const struct tc_timeline *timeline = tally->timeline;
	const struct step_calls *calls = &tally->steps;

	for (size_t i = 0; i < calls->count; i++) {
		const struct stretch *stretch = &calls->rows[i];
		const struct tc_sql_value values[] = {
			tc_sql_int(base + stretch->node),
			tc_sql_int(timeline->steps[stretch->first].id),
			tc_sql_int(timeline->steps[stretch->last].id),
			tc_sql_int(stretch->count),
		};
		TC_TABLES_PUT(tally->sweep->tables,
			"INSERT INTO op_step (node_id, trace_id, first_step_id, last_step_id, "
			"count)"
			" SELECT node_id, trace_id, ?2, ?3, ?4 FROM op_work WHERE node_id = ?1",
			values);
	}
}

static void write_kernels(const struct operators *tally, int64_t base)
{
	const struct tc_timeline *timeline = tally->timeline;

	for (size_t i = 0; i < tally->kernels.count; i++) {
		const struct kernel *kernel = &tally->kernels.rows[i];
		const struct tc_sql_value values[] = {
			tc_sql_int(timeline->trace_id),
			tc_node_value(base, kernel->node),
			tc_node_value(base, kernel->capture),
			tc_sql_int(timeline->label_base + kernel->label),
			tc_sql_int(timeline->track_base + kernel->track),
			tc_sql_int(kernel->count),
			tc_sql_int(kernel->time.dur_ns),
			tc_sql_int(kernel->time.exclusive_ns),
			tc_sql_int(kernel->min_ns),
			tc_sql_int(kernel->max_ns),
			tc_sql_int(kernel->slice_id),
		};
		TC_TABLES_PUT(tally->sweep->tables,
			"op_kernel_row (trace_id, node_id, capture_id, label_id, track_id, count,"
			" dur_ns, exclusive_ns, min_ns, max_ns, slice_id)",
			values);
	}
}

/* Says why operations of replays have no captured call, where there are captures. */
static void log_misfits(const struct operators *tally)
{
	for (int i = 0; i < TC_MISFIT_COUNT; i++) {
		const struct misfit *misfit = &tally->graphs.misfits[i];
		TC_LOG_PUT(tally->sweep->tables, tally->timeline->trace_id, TC_LOG_REPLAY_UNMATCHED,
			misfit->count,
			"%d device operations of %d launches of graphs have no captured call: %s",
			tc_sql_int(misfit->count), tc_sql_int(misfit->launch_count),
			tc_sql_string(tc_misfit_words[i]));
	}
}

/* Writes op_tree_row, op_kernel_row, op_work, op_step, captured_call and captured_args. */
static void finish(void *self)
{
	struct operators *tally = self;
	struct tc_ctx *ctx = tally->timeline->ctx;

	while (tally->next && !tc_ctx_failed(ctx))
		take_work(tally, TC_NODE_NONE);
	for (size_t i = 0; i < tally->steps.open_count; i++)
		close_step(&tally->steps, ctx, (uint32_t)i);
	int64_t base = tc_tree_write(&tally->tree, tally->timeline, tally->sweep->tables,
		tally->companion, &tally->graphs.given);
	write_steps(tally, base);
	write_kernels(tally, base);
	log_misfits(tally);
}

const struct tc_host_visitor tc_operator_visitor = {.size = sizeof(struct operators),
	.begin = begin_operators,
	.clear = clear_operators,
	.before = before,
	.start = start,
	.endless = take_slice,
	.finish = finish};
