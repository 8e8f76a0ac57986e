/* Captured calls and replays; see captures.h. */
#include "analysis/operators/captures.h"

#include "core/alloc.h"

enum {
	MAX_CALLS = 1 << 20, /* total over all captures; a graph has up to 10,000 */
	MAX_CAPTURES = 1024, /* at most this many are compared with a replay */
};

void tc_captures_clear(struct tc_captures *captures)
{
	tc_free(captures->calls);
	tc_free(captures->works);
	tc_free(captures->rows);
	*captures = (struct tc_captures){0};
}

bool tc_captures_begin(struct tc_captures *captures)
{
	captures->is_open = false;
	if (captures->count >= MAX_CAPTURES)
		return true;
	if (!TC_GROW(captures->rows, captures->capacity, captures->count + 1))
		return false;
	captures->rows[captures->count++] = (struct tc_capture){
		.first = captures->call_count, .first_work = captures->work_count};
	captures->is_open = true;
	return true;
}

bool tc_captures_add_call(struct tc_captures *captures, uint32_t node, bool is_kernel)
{
	if (!captures->is_open || captures->call_count >= MAX_CALLS)
		return true;
	if (!TC_GROW(captures->calls, captures->call_capacity, captures->call_count + 1))
		return false;
	captures->calls[captures->call_count++] = (struct tc_captured){node, is_kernel};
	struct tc_capture *capture = &captures->rows[captures->count - 1];
	if (++capture->count >= TC_CAPTURE_MAX_CALLS) {
		captures->is_open = false;
		capture->count = 0;
	}
	return true;
}

bool tc_captures_add_work(struct tc_captures *captures, uint32_t node)
{
	if (!captures->is_open || captures->work_count >= MAX_CALLS)
		return true;
	if (!TC_GROW(captures->works, captures->work_capacity, captures->work_count + 1))
		return false;
	captures->works[captures->work_count++] = node;
	captures->rows[captures->count - 1].work_count++;
	return true;
}

bool tc_captures_see(struct tc_captures *captures, const struct tc_label *label, uint32_t node)
{
	if (label->mark == TC_MARK_GRAPH_BEGIN)
		return tc_captures_begin(captures);
	if (label->mark == TC_MARK_GRAPH_CAPTURE)
		captures->is_open = false;
	return !label->is_launch ||
	       tc_captures_add_call(captures, node, label->mark == TC_MARK_KERNEL_LAUNCH);
}

static bool is_one_lane(const struct tc_replayed *replayed)
{
	for (size_t i = 1; i < replayed->count; i++)
		if (replayed->works[i].track != replayed->works[0].track)
			return false;
	return replayed->count > 0;
}

static bool fits(const struct tc_captures *captures, const struct tc_capture *capture,
	const struct tc_replayed *replayed, const struct tc_label *labels)
{
	if (capture->count == 0 || capture->count != replayed->count)
		return false;
	for (size_t i = 0; i < capture->count; i++)
		if (captures->calls[capture->first + i].is_kernel !=
			(labels[replayed->works[i].label].kind == TC_OP_KERNEL))
			return false;
	return true;
}

/* Whether two nodes are the same place in the program, and whether their sizes are equal too. */
static enum tc_capture_match compare_nodes(const struct tc_tree *tree, uint32_t a, uint32_t b)
{
	enum tc_capture_match match = TC_CAPTURE_ONE;

	for (; a != b; a = tree->nodes[a].key.parent, b = tree->nodes[b].key.parent) {
		if (a == TC_NODE_NONE || b == TC_NODE_NONE ||
			tree->nodes[a].key.label != tree->nodes[b].key.label)
			return TC_CAPTURE_OTHERS;
		if (tree->nodes[a].key.shape != tree->nodes[b].key.shape)
			match = TC_CAPTURE_SIZES_VARY;
	}
	return match;
}

/* Compares all calls of two captures in the same way. Returns ONE when their kinds differ, because
 * a replay that fits one does not fit the other. */
static enum tc_capture_match compare_captures(const struct tc_captures *captures,
	const struct tc_tree *tree, const struct tc_capture *x, const struct tc_capture *y)
{
	const struct tc_captured *a = &captures->calls[x->first], *b = &captures->calls[y->first];
	enum tc_capture_match match = TC_CAPTURE_ONE;

	for (size_t i = 0; i < x->count; i++)
		if (a[i].is_kernel != b[i].is_kernel)
			return TC_CAPTURE_ONE;
	for (size_t i = 0; i < x->count && match != TC_CAPTURE_OTHERS; i++) {
		enum tc_capture_match one = compare_nodes(tree, a[i].node, b[i].node);
		match = one < match ? one : match;
	}
	return match;
}

/* If a replay fits several captures, all of them fit whatever the first one fits, so they are
 * compared only once. */
static void judge(
	const struct tc_captures *captures, const struct tc_tree *tree, struct tc_capture *capture)
{
	if (capture->judged_at == captures->count)
		return;
	capture->judged_at = captures->count;
	capture->match = TC_CAPTURE_ONE;
	for (size_t i = 0; i < captures->count; i++) {
		const struct tc_capture *other = &captures->rows[i];
		if (other == capture || other->count != capture->count)
			continue;
		enum tc_capture_match match = compare_captures(captures, tree, capture, other);
		capture->match = match < capture->match ? match : capture->match;
	}
}

const struct tc_capture *tc_captures_match(struct tc_captures *captures, const struct tc_tree *tree,
	const struct tc_replayed *replayed, const struct tc_label *labels)
{
	if (!is_one_lane(replayed))
		return NULL;
	for (size_t i = 0; i < captures->count; i++) {
		struct tc_capture *capture = &captures->rows[i];
		if (!fits(captures, capture, replayed, labels))
			continue;
		judge(captures, tree, capture);
		return capture;
	}
	return NULL;
}
