/*
 * Nodes are found by the hash of their keys: a key is the parent's number, a label, a shape and the
 * forward operator. So the path of a slice is never compared as a whole.
 *
 *   step 1: forward > aten::linear [8, 16] > aten::addmm      nodes 0, 1, 2
 *   step 2: forward > aten::linear [8, 16] > aten::addmm      found again: nodes 0, 1, 2
 *           forward > aten::linear [4, 16]                    another shape: node 3
 */
#include "analysis/op_tree.h"

#include <string.h>

#include "core/alloc.h"
#include "core/array.h"
#include "core/limits.h"
#include "core/saturate.h"
#include "model/output.h"
#include "store/sql.h"

enum { FIRST_SLOTS = 256 };

void tc_tree_clear(struct tc_tree *tree)
{
	tc_free(tree->nodes);
	tc_free(tree->slots);
	tc_free(tree->sums);
	tc_free(tree->captures.calls);
	tc_free(tree->captures.works);
	tc_free(tree->captures.rows);
	tc_strtab_clear(&tree->captures.names);
	*tree = (struct tc_tree){0};
}

static uint64_t hash_of(const struct tc_node_key *key)
{
	uint64_t hash = key->shape ^ ((uint64_t)key->parent << 32 | key->label);

	hash = (hash ^ hash >> 31) * UINT64_C(0x9e3779b97f4a7c15);
	hash = (hash ^ key->forward) * UINT64_C(0xc2b2ae3d27d4eb4f);
	return hash ^ hash >> 29;
}

static bool same_key(const struct tc_node_key *a, const struct tc_node_key *b)
{
	return a->label == b->label && a->parent == b->parent && a->shape == b->shape &&
	       a->forward == b->forward;
}

/* The slot of a key, or the free one where it belongs. */
static size_t slot_of(const struct tc_tree *tree, const struct tc_node_key *key)
{
	size_t mask = tree->slot_count - 1, at = hash_of(key) & mask;

	while (tree->slots[at] != TC_NODE_NONE && !same_key(&tree->nodes[tree->slots[at]].key, key))
		at = (at + 1) & mask;
	return at;
}

/* Keeps half of the slots free. */
static bool grow_slots(struct tc_tree *tree)
{
	size_t count = tree->slot_count ? 2 * tree->slot_count : FIRST_SLOTS;
	uint32_t *slots = tc_malloc(count * sizeof(*slots));

	if (!slots) {
		tc_no_memory(tree->ctx);
		return false;
	}
	memset(slots, 0xff, count * sizeof(*slots));
	tc_free(tree->slots);
	tree->slots = slots;
	tree->slot_count = count;
	for (size_t i = 0; i < tree->count; i++)
		slots[slot_of(tree, &tree->nodes[i].key)] = (uint32_t)i;
	return true;
}

static enum tc_node_kind kind_of(const struct tc_label *label)
{
	if (label->is_module)
		return TC_NODE_MODULE;
	if (label->is_op)
		return TC_NODE_OPERATOR;
	if (label->is_python)
		return TC_NODE_PYTHON;
	return label->is_range ? TC_NODE_RANGE : TC_NODE_CALL;
}

/* Checkpointing runs the forward pass again within the backward pass, and then, within the same
 * call, the backward pass of that. */
static bool is_recomputed(const struct tc_tree *tree, const struct tc_node *node)
{
	if (node->key.parent == TC_NODE_NONE)
		return false;
	const struct tc_node *parent = &tree->nodes[node->key.parent];
	bool is_again = parent->phase == TC_NODE_RECOMPUTE ||
			tree->labels[parent->key.label].mark == TC_MARK_RECOMPUTE;
	return is_again && node->key.forward == parent->key.forward &&
	       tree->labels[node->key.label].phase != TC_PHASE_BACKWARD;
}

/* Python functions may have any name, so only slices of the framework and ranges of its user begin
 * a phase. */
static enum tc_node_phase phase_of(const struct tc_tree *tree, const struct tc_node *node)
{
	const struct tc_label *label = &tree->labels[node->key.label];
	enum tc_node_phase around = TC_NODE_NO_PHASE;

	if (node->key.parent != TC_NODE_NONE)
		around = (enum tc_node_phase)tree->nodes[node->key.parent].phase;
	if (is_recomputed(tree, node))
		return TC_NODE_RECOMPUTE;
	if (node->key.forward != TC_NODE_NONE)
		return TC_NODE_BACKWARD;
	if (label->role == TC_ROLE_DATALOADER)
		return TC_NODE_LOADER;
	if (label->phase != TC_PHASE_NONE && !label->is_python)
		return label->phase == TC_PHASE_BACKWARD ? TC_NODE_BACKWARD : TC_NODE_OPTIMIZER;
	if (around == TC_NODE_NO_PHASE && node->kind == TC_NODE_OPERATOR)
		return TC_NODE_FORWARD;
	return around;
}

static void find_outer(const struct tc_tree *tree, struct tc_node *node)
{
	uint32_t above = node->key.parent;

	node->is_outer = node->is_outer_shape = true;
	for (; above != TC_NODE_NONE && node->is_outer_shape; above = tree->nodes[above].key.parent)
		if (tree->nodes[above].key.label == node->key.label) {
			node->is_outer = false;
			node->is_outer_shape = tree->nodes[above].key.shape != node->key.shape;
		}
}

static void set_place(const struct tc_tree *tree, struct tc_node *node, uint32_t number)
{
	const struct tc_node *parent =
		node->key.parent == TC_NODE_NONE ? NULL : &tree->nodes[node->key.parent];

	node->kind = kind_of(&tree->labels[node->key.label]) & 15;
	for (int i = 0; i < TC_NODE_KIND_COUNT; i++)
		node->nearest[i] = parent ? parent->nearest[i] : TC_NODE_NONE;
	node->nearest[node->kind] = number;
	node->depth = parent ? (uint16_t)(parent->depth + 1) : 0;
	node->phase = phase_of(tree, node) & 15;
	find_outer(tree, node);
}

/* Makes room for one more node, but not for more than there may be. */
static bool grow_nodes(struct tc_tree *tree)
{
	size_t most = TC_TREE_MAX_COUNT;

	if (tree->count < tree->capacity)
		return true;
	if (tree->capacity + tree->capacity / 2 <= most) {
		if (TC_GROW(tree->nodes, tree->capacity, tree->count + 1))
			return true;
	} else {
		struct tc_node *nodes = tc_realloc(tree->nodes, most * sizeof(*nodes));
		if (nodes) {
			tree->nodes = nodes;
			tree->capacity = most;
			return true;
		}
	}
	tc_no_memory(tree->ctx);
	return false;
}

/* TC_NODE_NONE when there is no room for it. */
static uint32_t add_node(struct tc_tree *tree, const struct tc_node_key *key, int64_t slice_id)
{
	bool is_deep = key->parent != TC_NODE_NONE &&
		       tree->nodes[key->parent].depth + 1 >= TC_TREE_MAX_DEPTH;

	if (is_deep || tree->count >= TC_TREE_MAX_COUNT || !grow_nodes(tree))
		return TC_NODE_NONE;
	struct tc_node node = {.key = *key,
		.latest_child = TC_NODE_NONE,
		.sums = TC_NODE_NONE,
		.slice_id = slice_id};
	set_place(tree, &node, (uint32_t)tree->count);
	tree->nodes[tree->count] = node;
	return (uint32_t)tree->count++;
}

uint32_t tc_tree_find(struct tc_tree *tree, const struct tc_node_key *key, int64_t slice_id)
{
	/* An operator that calls one other, repeatedly. */
	if (key->parent != TC_NODE_NONE) {
		uint32_t latest = tree->nodes[key->parent].latest_child;
		if (latest != TC_NODE_NONE && same_key(&tree->nodes[latest].key, key))
			return latest;
	}
	if (tree->slot_count < 2 * (tree->count + 1) && tree->count < TC_TREE_MAX_COUNT &&
		!grow_slots(tree))
		return TC_NODE_NONE;
	size_t at = slot_of(tree, key);
	uint32_t node = tree->slots[at];
	if (node == TC_NODE_NONE && key->shape != 0 && tree->count >= TC_TREE_MAX_SHAPES) {
		struct tc_node_key without = *key;
		without.shape = 0;
		tree->without_shape_count++;
		return tc_tree_find(tree, &without, slice_id);
	}
	if (node == TC_NODE_NONE)
		tree->slots[at] = node = add_node(tree, key, slice_id);
	if (node == TC_NODE_NONE)
		tree->left_out_count++;
	else if (key->parent != TC_NODE_NONE)
		tree->nodes[key->parent].latest_child = node;
	return node;
}

/* The sums of a node to add to, until another node gets some; NULL when memory is out. */
static struct tc_node_sums *sums_of(struct tc_tree *tree, uint32_t number)
{
	struct tc_node *node = &tree->nodes[number];

	if (node->sums == TC_NODE_NONE) {
		if (!TC_PUSH(tree->ctx, tree->sums, tree->sums_count, tree->sums_capacity,
			    (struct tc_node_sums){0}))
			return NULL;
		node->sums = (uint32_t)tree->sums_count - 1;
	}
	return &tree->sums[node->sums];
}

/* The sums of a node to read: zeros where there are none. */
static const struct tc_node_sums *sums_at(const struct tc_tree *tree, uint32_t number)
{
	static const struct tc_node_sums none = {0};
	const struct tc_node *node = &tree->nodes[number];

	return node->sums == TC_NODE_NONE ? &none : &tree->sums[node->sums];
}

/* To the total of the node itself. */
static void add_total(struct tc_tree *tree, uint32_t number, struct tc_work_time time)
{
	struct tc_node_sums *sums = sums_of(tree, number);

	if (sums)
		tc_work_time_add(&sums->total_work, time);
}

/* Device work counts for the nearest node of each kind. */
static void add_work(struct tc_tree *tree, uint32_t number, struct tc_work_time time)
{
	const struct tc_node *node = &tree->nodes[number];

	for (int i = 0; i < TC_NODE_KIND_COUNT; i++) {
		if (node->nearest[i] == TC_NODE_NONE)
			continue;
		struct tc_node_sums *nearest = sums_of(tree, node->nearest[i]);
		if (!nearest)
			return;
		nearest->work_count++;
		tc_work_time_add(&nearest->work, time);
	}
	add_total(tree, number, time);
}

/* The innermost node that contains both, or TC_NODE_NONE. A parent has a lower number. */
static uint32_t join_of(const struct tc_tree *tree, uint32_t a, uint32_t b)
{
	while (a != b && a != TC_NODE_NONE && b != TC_NODE_NONE)
		if (a > b)
			a = tree->nodes[a].key.parent;
		else
			b = tree->nodes[b].key.parent;
	return a == b ? a : TC_NODE_NONE;
}

/* The operator around work computes as the label says. */
static void take_kernel_label(struct tc_tree *tree, uint32_t number, const struct tc_label *label)
{
	uint32_t around = tree->nodes[number].nearest[TC_NODE_OPERATOR];
	struct tc_node_sums *sums = around == TC_NODE_NONE ? NULL : sums_of(tree, around);

	if (!sums)
		return;
	sums->has_fp32 |= tc_label_is_matrix(label) && label->precision == TC_PRECISION_FP32;
	sums->has_tf32 |= tc_label_is_matrix(label) && label->precision == TC_PRECISION_TF32;
	sums->is_transfer |= label->direction == TC_DIRECTION_HTOD ||
			     label->direction == TC_DIRECTION_DTOH ||
			     label->direction == TC_DIRECTION_PTOP;
}

void tc_tree_add_work(struct tc_tree *tree, uint32_t node, uint32_t captured, uint32_t label,
	struct tc_work_time time)
{
	uint32_t place = captured == TC_NODE_NONE ? node : captured;
	struct tc_phase_work *phase =
		&tree->phases[place == TC_NODE_NONE ? TC_NODE_NO_PHASE : tree->nodes[place].phase];

	phase->count++;
	tc_work_time_add(&phase->time, time);
	if (node == TC_NODE_NONE)
		return;
	take_kernel_label(tree, place, &tree->labels[label]);
	add_work(tree, place, time);
	if (captured == TC_NODE_NONE)
		return;
	uint32_t join = join_of(tree, node, captured);
	add_total(tree, node, time);
	struct tc_node_sums *sums = join == TC_NODE_NONE ? NULL : sums_of(tree, join);
	if (sums)
		tc_work_time_take(&sums->total_work, time);
}

void tc_tree_count_run(struct tc_tree *tree, uint32_t node)
{
	struct tc_node_sums *sums = sums_of(tree, node);

	if (sums)
		sums->run_count++;
}

/* Adds the sums of a node to its parent. */
static void add_to_parent(
	struct tc_tree *tree, const struct tc_node *node, struct tc_node_sums added)
{
	if (node->key.parent == TC_NODE_NONE || node->sums == TC_NODE_NONE)
		return;
	struct tc_node_sums *sums = sums_of(tree, node->key.parent);
	if (!sums)
		return;
	tc_work_time_add(&sums->total_work, added.total_work);
	sums->has_fp32 |= added.has_fp32;
	sums->has_tf32 |= added.has_tf32;
	sums->backward_ns = tc_add_saturated(sums->backward_ns, added.backward_ns);
	tc_work_time_add(&sums->backward_work, added.backward_work);
}

/* Adds the outermost nodes of a backward pass to the operator that it belongs to. */
static void add_to_forward(
	struct tc_tree *tree, const struct tc_node *node, struct tc_node_sums added)
{
	uint32_t parent = node->key.parent, forward = node->key.forward;

	if (forward == TC_NODE_NONE ||
		(parent != TC_NODE_NONE && tree->nodes[parent].key.forward == forward))
		return;
	struct tc_node_sums *sums = sums_of(tree, forward);
	if (!sums)
		return;
	sums->backward_ns = tc_add_saturated(sums->backward_ns, node->dur_ns);
	tc_work_time_add(&sums->backward_work, added.total_work);
}

/* Sums up the tree, when everything is added. */
static void sum(struct tc_tree *tree)
{
	for (size_t i = tree->count; i-- > 0;) {
		const struct tc_node *node = &tree->nodes[i];
		struct tc_node_sums sums = *sums_at(tree, (uint32_t)i);
		add_to_parent(tree, node, sums);
		add_to_forward(tree, node, sums);
	}
}

/* Captures. */

enum {
	MAX_CALLS = 1 << 20, /* total over all captures; a graph has up to 10,000 */
	MAX_CAPTURES = 1024, /* at most this many are compared with a replay */
};

/* Calls beyond a limit are not kept. */
static void begin_capture(struct tc_tree *tree)
{
	struct tc_captures *captures = &tree->captures;
	const struct tc_capture capture = {
		.first = captures->call_count, .first_work = captures->work_count};

	captures->is_open =
		captures->count < MAX_CAPTURES &&
		TC_PUSH(tree->ctx, captures->rows, captures->count, captures->capacity, capture);
}

static void add_call(struct tc_tree *tree, struct tc_captured call)
{
	struct tc_captures *captures = &tree->captures;

	if (!captures->is_open || captures->call_count >= MAX_CALLS ||
		!TC_PUSH(tree->ctx, captures->calls, captures->call_count, captures->call_capacity,
			call))
		return;
	struct tc_capture *capture = &captures->rows[captures->count - 1];
	if (++capture->count >= TC_CAPTURE_MAX_CALLS) {
		captures->is_open = false;
		capture->count = 0;
	}
}

void tc_captures_add_work(struct tc_tree *tree, uint32_t node)
{
	struct tc_captures *captures = &tree->captures;

	if (captures->is_open && captures->work_count < MAX_CALLS &&
		TC_PUSH(tree->ctx, captures->works, captures->work_count, captures->work_capacity,
			(struct tc_captured_operator){
				node, (uint32_t)captures->rows[captures->count - 1].count}))
		captures->rows[captures->count - 1].work_count++;
}

void tc_captures_see(
	struct tc_tree *tree, const struct tc_label *label, uint32_t node, uint32_t name)
{
	if (label->mark == TC_MARK_GRAPH_BEGIN) {
		begin_capture(tree);
		return;
	}
	if (label->mark == TC_MARK_GRAPH_CAPTURE)
		tree->captures.is_open = false;
	if (label->is_launch)
		add_call(tree,
			(struct tc_captured){node, name, label->mark == TC_MARK_KERNEL_LAUNCH});
}

static bool make_room(struct tc_capture_places *places, struct tc_ctx *ctx, uint32_t node)
{
	while (places->count <= node)
		if (!TC_PUSH(ctx, places->nodes, places->count, places->capacity, TC_NODE_NONE))
			return false;
	return true;
}

uint32_t tc_capture_place(struct tc_capture_places *places, struct tc_tree *tree,
	const struct tc_tree *from, uint32_t node, bool has_sizes)
{
	if (node == TC_NODE_NONE || !make_room(places, tree->ctx, node))
		return TC_NODE_NONE;
	if (places->nodes[node] != TC_NODE_NONE)
		return places->nodes[node];
	struct tc_node_key key = from->nodes[node].key;
	uint32_t parent = key.parent;
	key.parent = tc_capture_place(places, tree, from, parent, has_sizes);
	key.forward = tc_capture_place(places, tree, from, key.forward, has_sizes);
	if (parent != TC_NODE_NONE && key.parent == TC_NODE_NONE)
		return TC_NODE_NONE;
	key.shape = has_sizes ? key.shape : 0;
	uint32_t place = tc_tree_find(tree, &key, TC_NO_ID);
	places->nodes[node] = place;
	return place;
}

/* Captures of the store of another trace. */

/* A store that is added: its nodes come by id. */
struct reader {
	struct tc_companion *companion;
	struct tc_ctx *ctx;
	int64_t *ids; /* op_tree_row.id of its nodes */
	size_t count, capacity;
	size_t base; /* number of the first of them */
	int64_t trace_id, capture;
};

void tc_companion_clear(struct tc_companion *companion)
{
	tc_strtab_clear(&companion->texts);
	tc_strtab_clear(&companion->label_keys);
	tc_free(companion->labels);
	tc_free(companion->args);
	tc_tree_clear(&companion->tree);
	*companion = (struct tc_companion){0};
}

/* TC_STRTAB_NONE for NULL. */
static uint32_t take_text(struct tc_companion *companion, struct tc_sql_value value)
{
	return value.kind == TC_SQL_TEXT ? tc_strtab_intern(&companion->texts, value.text)
					 : TC_STRTAB_NONE;
}

static uint32_t take_label(struct reader *reader, const struct tc_rows *row)
{
	struct tc_companion *companion = reader->companion;
	struct tc_companion_label label = {take_text(companion, tc_rows_value(row, 3)),
		take_text(companion, tc_rows_value(row, 4))};
	const struct tc_text key = {(const char *)&label, sizeof(label)};
	uint32_t number = tc_strtab_intern(&companion->label_keys, key);

	if (number == companion->label_count)
		TC_PUSH(reader->ctx, companion->labels, companion->label_count,
			companion->label_capacity, label);
	return number;
}

static uint32_t node_of(const struct reader *reader, int64_t id)
{
	size_t at;

	TC_BISECT(at, reader->count, reader->ids[at] < id);
	return at < reader->count && reader->ids[at] == id ? (uint32_t)(reader->base + at)
							   : TC_NODE_NONE;
}

static uint32_t node_at(const struct reader *reader, const struct tc_rows *row, int column)
{
	return tc_rows_null(row, column) ? TC_NODE_NONE : node_of(reader, tc_rows_int(row, column));
}

static void take_node(struct reader *reader, const struct tc_rows *row)
{
	struct tc_companion *companion = reader->companion;
	struct tc_tree *tree = &companion->tree;
	int64_t shape = tc_rows_int(row, 5);
	struct tc_node_key key = {.parent = node_at(reader, row, 1),
		.forward = node_at(reader, row, 2),
		.label = take_label(reader, row)};

	memcpy(&key.shape, &shape, sizeof(shape));
	if (!TC_ROOM(reader->ctx, companion->args, companion->args_capacity, tree->count + 1))
		return;
	companion->args[tree->count] = take_text(companion, tc_rows_value(row, 6));
	TC_PUSH(reader->ctx, reader->ids, reader->count, reader->capacity, tc_rows_int(row, 0));
	TC_PUSH(reader->ctx, tree->nodes, tree->count, tree->capacity,
		(struct tc_node){.key = key});
}

static uint32_t take_name(struct tc_tree *tree, const struct tc_rows *row)
{
	struct tc_sql_value name = tc_rows_value(row, 4);

	return name.kind == TC_SQL_TEXT ? tc_strtab_intern(&tree->captures.names, name.text)
					: TC_STRTAB_NONE;
}

static void take_call(struct reader *reader, const struct tc_rows *row)
{
	struct tc_tree *tree = &reader->companion->tree;
	int64_t trace_id = tc_rows_int(row, 0), capture = tc_rows_int(row, 1);
	uint32_t node = node_at(reader, row, 2);

	if (trace_id != reader->trace_id || capture != reader->capture)
		begin_capture(tree);
	reader->trace_id = trace_id;
	reader->capture = capture;
	if (node == TC_NODE_NONE)
		return;
	if (tc_rows_null(row, 3))
		tc_captures_add_work(tree, node);
	else
		add_call(tree,
			(struct tc_captured){node, take_name(tree, row), tc_rows_int(row, 3) != 0});
}

void tc_companion_add(struct tc_companion *companion, struct tc_ctx *ctx, sqlite3 *db)
{
	struct reader reader = {
		.companion = companion, .ctx = ctx, .base = companion->tree.count, .trace_id = -1};

	companion->texts.ctx = companion->label_keys.ctx = companion->tree.ctx = ctx;
	companion->tree.captures.names.ctx = ctx;
	struct tc_rows nodes = tc_rows_open(ctx, db,
		"WITH RECURSIVE used(id) AS (SELECT node_id FROM captured_call UNION"
		" SELECT iif(e.value, n.parent_id, n.forward_id) FROM used u JOIN op_tree_row n ON"
		" n.id = u.id JOIN (SELECT 0 AS value UNION ALL SELECT 1) e"
		" WHERE iif(e.value, n.parent_id, n.forward_id) IS NOT NULL)"
		" SELECT n.id, n.parent_id, n.forward_id, l.category, l.name, n.shape,"
		" iif(n.shape IS NULL, NULL, a.args) FROM op_tree_row n JOIN label l ON l.id = "
		"n.label_id"
		" LEFT JOIN op_args a ON a.node_id = n.id WHERE n.id IN (SELECT id FROM used)"
		" ORDER BY n.id");
	while (tc_rows_next(&nodes))
		take_node(&reader, &nodes);
	struct tc_rows calls = tc_rows_open(ctx, db,
		"SELECT trace_id, capture, node_id, is_kernel, kernel FROM captured_call"
		" ORDER BY trace_id, capture, position");
	while (tc_rows_next(&calls))
		take_call(&reader, &calls);
	companion->tree.captures.is_open = false;
	tc_free(reader.ids);
}

/* Rows: op_tree_row, op_work, phase_total, captured_call and captured_args. */

/* The work of a node, for a row of op_work. */
struct op_work {
	struct tc_tables *tables;
	int64_t node_id, trace_id;
	const struct tc_node_sums *sums;
	enum tc_work_kind kind;
	bool is_known; /* the inputs say what a call moves */
};

/* How kernels compute on inputs of 32 bits, where they say it. */
static const char *kernel_precision(const struct tc_work *work, const struct tc_node_sums *sums)
{
	if (!work->is_matrix || work->precision != TC_PRECISION_FP32)
		return NULL;
	if (sums->has_tf32)
		return tc_precision_name(TC_PRECISION_TF32);
	return sums->has_fp32 ? tc_precision_name(TC_PRECISION_FP32) : NULL;
}

static struct tc_sql_value known(int64_t value)
{
	return tc_sql_int_if(value != TC_WORK_UNKNOWN, value);
}

static void put_args(struct op_work *work, struct tc_text args)
{
	struct tc_op_inputs inputs;

	if (!args.ptr || !tc_op_inputs_read(&inputs, args))
		return;
	const struct tc_work found = tc_work_of(work->kind, &inputs);
	work->is_known = found.bytes != TC_WORK_UNKNOWN || found.flops != TC_WORK_UNKNOWN;
	const struct tc_sql_value values[] = {
		tc_sql_int(work->node_id),
		tc_sql_int(work->trace_id),
		tc_sql_string(tc_work_name(work->kind)),
		tc_sql_int(found.is_matrix),
		tc_sql_string(tc_precision_name(found.precision)),
		known(found.flops),
		known(found.bytes),
		tc_sql_int_if(found.extent.batch > 0, found.extent.batch),
		tc_sql_int_if(found.extent.batch > 0, found.extent.rows),
		tc_sql_int_if(found.extent.columns > 0, found.extent.columns),
		tc_sql_int_if(found.extent.batch > 0, found.extent.inner),
		tc_sql_int_if(found.extent.dilation > 0, found.extent.dilation),
		tc_sql_string(tc_layout_name(found.layout)),
		tc_sql_int(work->sums->run_count),
		tc_sql_string(kernel_precision(&found, work->sums)),
		tc_sql_int(work->sums->is_transfer),
	};

	TC_TABLES_PUT(work->tables,
		"op_work (node_id, trace_id, work, is_matrix, precision, flops, bytes, batch_count,"
		" row_count, column_count, inner_count, dilation, layout, run_count,"
		" kernel_precision, is_transfer)",
		values);
}

/* Writes the row of a node, from the arguments of its first call; none when sizes and types are not
 * recorded. */
static void put_work(struct op_work *work, struct tc_rows *args)
{
	tc_rows_again(args, work->node_id);
	while (tc_rows_next(args))
		put_args(work, tc_rows_text(args, 0));
}

struct rows {
	const struct tc_tree *tree;
	const struct tc_timeline *timeline;
	struct tc_tables *tables;
	int64_t base; /* op_tree_row.id of the first node */
};

/* A hash is stored as the integer of the same bits. */
static struct tc_sql_value shape_value(uint64_t shape)
{
	int64_t value;

	memcpy(&value, &shape, sizeof(value));
	return tc_sql_int_if(shape != 0, value);
}

/* The backward pass runs outside of modules. It gets the module of the operator that it
 * differentiates. */
static uint32_t module_of(const struct tc_tree *tree, const struct tc_node *node)
{
	uint32_t module = node->nearest[TC_NODE_MODULE];

	if (module == TC_NODE_NONE && node->key.forward != TC_NODE_NONE)
		module = tree->nodes[node->key.forward].nearest[TC_NODE_MODULE];
	return module;
}

static const char *const phase_names[TC_NODE_PHASE_COUNT] = {
	NULL, "forward", "backward", "recompute", "optimizer", "loader"};

static void write_node(const struct rows *rows, uint32_t number)
{
	static const char *const kinds[] = {"operator", "module", "range", "python", "call"};
	const struct tc_timeline *timeline = rows->timeline;
	const struct tc_node *node = &rows->tree->nodes[number];
	const struct tc_node_sums *sums = sums_at(rows->tree, number);
	const struct tc_sql_value values[] = {
		tc_sql_int(rows->base + number),
		tc_sql_int(timeline->trace_id),
		tc_node_value(rows->base, node->key.parent),
		tc_sql_int(node->depth),
		tc_sql_string(kinds[node->kind]),
		tc_sql_int(timeline->label_base + node->key.label),
		shape_value(node->key.shape),
		tc_sql_string(phase_names[node->phase]),
		tc_node_value(rows->base, node->nearest[TC_NODE_OPERATOR]),
		tc_node_value(rows->base, module_of(rows->tree, node)),
		tc_node_value(rows->base, node->key.forward),
		tc_sql_int(node->is_outer),
		tc_sql_int(node->is_outer_shape),
		tc_sql_id(node->slice_id),
		tc_sql_int(node->count),
		tc_sql_int(node->dur_ns),
		tc_sql_int(node->self_ns),
		tc_sql_int(sums->work_count),
		tc_sql_int(sums->work.dur_ns),
		tc_sql_int(sums->total_work.dur_ns),
		tc_sql_int(sums->backward_ns),
		tc_sql_int(sums->backward_work.dur_ns),
		tc_sql_int(sums->work.exclusive_ns),
		tc_sql_int(sums->total_work.exclusive_ns),
		tc_sql_int(sums->backward_work.exclusive_ns),
	};

	TC_TABLES_PUT(rows->tables,
		"op_tree_row (id, trace_id, parent_id, depth, kind, label_id, shape,"
		" phase, op_id, module_id, forward_id, is_outer, is_outer_shape,"
		" slice_id, count, host_ns, host_self_ns, device_count, device_self_ns,"
		" device_ns, backward_ns, backward_device_ns, self_exclusive_ns, exclusive_ns,"
		" backward_exclusive_ns)",
		values);
}

/* Each moment of a host thread counts once: where no slice within the slice runs. */
static void write_phases(const struct rows *rows)
{
	int64_t counts[TC_NODE_PHASE_COUNT] = {0}, host_ns[TC_NODE_PHASE_COUNT] = {0};
	bool is_there[TC_NODE_PHASE_COUNT] = {false};

	for (size_t i = 0; i < rows->tree->count; i++) {
		const struct tc_node *node = &rows->tree->nodes[i];
		is_there[node->phase] = true;
		counts[node->phase] += node->kind == TC_NODE_OPERATOR ? node->count : 0;
		host_ns[node->phase] = tc_add_saturated(host_ns[node->phase], node->self_ns);
	}
	for (int i = 0; i < TC_NODE_PHASE_COUNT; i++) {
		const struct tc_phase_work *work = &rows->tree->phases[i];
		const struct tc_sql_value values[] = {
			tc_sql_int(rows->timeline->trace_id),
			tc_sql_string(phase_names[i] ? phase_names[i] : "other"),
			tc_sql_int(counts[i]),
			tc_sql_int(host_ns[i]),
			tc_sql_int(work->count),
			tc_sql_int(work->time.dur_ns),
			tc_sql_int(work->time.exclusive_ns),
		};
		if (is_there[i] || work->count > 0)
			TC_TABLES_PUT(rows->tables,
				"phase_total (trace_id, phase, count, host_ns, device_count, "
				"device_ns, exclusive_ns)",
				values);
	}
}

/* The operators before a call, and the call, unless it is the end. Returns the next operator. */
static size_t write_call(const struct rows *rows, size_t number, size_t call, size_t at)
{
	const struct tc_captures *captures = &rows->tree->captures;
	const struct tc_capture *capture = &captures->rows[number];
	struct tc_sql_value values[] = {tc_sql_int(rows->timeline->trace_id),
		tc_sql_int((int64_t)number), tc_sql_null(), tc_sql_null(), tc_sql_null(),
		tc_sql_null()};
	const char *into =
		"captured_call (trace_id, capture, position, node_id, is_kernel, kernel)";

	for (; at < capture->work_count; at++) {
		const struct tc_captured_operator *work =
			&captures->works[capture->first_work + at];
		if (work->call > call)
			break;
		values[2] = tc_sql_int((int64_t)(call + at));
		values[3] = tc_sql_int(rows->base + work->node);
		TC_TABLES_PUT(rows->tables, into, values);
	}
	if (call == capture->count)
		return at;
	const struct tc_captured *captured = &captures->calls[capture->first + call];
	values[2] = tc_sql_int((int64_t)(call + at));
	values[3] = tc_sql_int(rows->base + captured->node);
	values[4] = tc_sql_int(captured->is_kernel);
	if (captured->name != TC_STRTAB_NONE)
		values[5] = tc_sql_text(tc_strtab_at(&captures->names, captured->name));
	TC_TABLES_PUT(rows->tables, into, values);
	return at;
}

/* The calls that graphs were captured from, for other traces that replay them. */
static void write_captures(const struct rows *rows)
{
	const struct tc_captures *captures = &rows->tree->captures;

	for (size_t i = 0; i < captures->count; i++)
		for (size_t call = 0, at = 0;
			captures->rows[i].count > 0 && call <= captures->rows[i].count; call++)
			at = write_call(rows, i, call, at);
}

/* The args of nodes whose calls were in another trace. */
static void write_args(const struct rows *rows, const struct tc_companion *companion,
	const struct tc_capture_places *given)
{
	for (size_t i = 0; i < given->count; i++) {
		uint32_t node = given->nodes[i];
		if (node == TC_NODE_NONE || companion->args[i] == TC_STRTAB_NONE ||
			rows->tree->nodes[node].slice_id != TC_NO_ID)
			continue;
		const struct tc_sql_value values[] = {
			tc_sql_int(rows->base + node),
			tc_sql_text(tc_companion_text(companion, companion->args[i])),
		};
		TC_TABLES_PUT(rows->tables,
			"INSERT OR IGNORE INTO captured_args (node_id, args) VALUES (?, ?)",
			values);
	}
}

/* Calls of an operator with known work are a part of it: copies within a convolution. */
static void write_works(const struct rows *rows)
{
	const struct tc_timeline *timeline = rows->timeline;
	const struct tc_tree *tree = rows->tree;
	struct tc_arena arena = {.ctx = timeline->ctx};
	struct tc_rows args = tc_rows_prepare(timeline->ctx, rows->tables->db,
		"SELECT args FROM op_args WHERE node_id = ? AND typeof(args) = 'text'");
	bool *is_within = tc_arena_take(&arena, tree->count + 1, sizeof(*is_within));
	for (size_t i = 0; is_within && i < tree->count; i++) {
		const struct tc_node *node = &tree->nodes[i];
		const struct tc_label *label = &timeline->labels[node->key.label];
		struct op_work work = {rows->tables, rows->base + (int64_t)i, timeline->trace_id,
			sums_at(tree, (uint32_t)i), label->work, false};

		is_within[i] = node->key.parent != TC_NODE_NONE && is_within[node->key.parent];
		if (label->work == TC_WORK_NONE || node->key.shape == 0 || is_within[i])
			continue;
		put_work(&work, &args);
		is_within[i] = work.is_known;
	}
	tc_rows_close(&args);
	tc_arena_clear(&arena);
}

static void log_limit(const struct rows *rows)
{
	const struct tc_tree *tree = rows->tree;

	TC_LOG_PUT(rows->tables, rows->timeline->trace_id, TC_LOG_TREE_LIMIT,
		tree->left_out_count + tree->without_shape_count,
		"the operator tree has at most %d nodes, and %d of them in a path: %d slices on "
		"other paths count as parts of the slices around them, and %d operators count "
		"without the sizes of their inputs",
		tc_sql_int(TC_TREE_MAX_COUNT), tc_sql_int(TC_TREE_MAX_DEPTH),
		tc_sql_int(tree->left_out_count), tc_sql_int(tree->without_shape_count));
}

int64_t tc_tree_write(struct tc_tree *tree, const struct tc_timeline *timeline,
	struct tc_tables *tables, const struct tc_companion *companion,
	const struct tc_capture_places *given)
{
	struct rows rows = {tree, timeline, tables, 0};
	int64_t last = 0;

	sum(tree);
	if (tc_tables_find(&last, tables, "SELECT max(id) FROM op_tree_row", NULL))
		rows.base = last + 1;
	for (size_t i = 0; i < tree->count; i++)
		write_node(&rows, (uint32_t)i);
	write_phases(&rows);
	write_captures(&rows);
	write_args(&rows, companion, given);
	write_works(&rows);
	log_limit(&rows);
	return rows.base;
}
