/* Captured calls and replays; see captures.h. */
#include "analysis/operators/captures.h"

#include <string.h>

#include "core/alloc.h"

enum {
	MAX_CALLS = 1 << 20, /* of all captures: a graph has up to 10,000 */
	MAX_CAPTURES = 1024, /* that a replay is compared with */
};

void tc_captures_clear(struct tc_captures *captures)
{
	tc_free(captures->calls);
	tc_free(captures->works);
	tc_free(captures->rows);
	tc_free(captures->group);
	*captures = (struct tc_captures){0};
}

static bool begin(struct tc_captures *captures)
{
	captures->is_open = false;
	if (captures->count >= MAX_CAPTURES)
		return true;
	if (!TC_GROW(captures->rows, captures->capacity, captures->count + 1))
		return false;
	captures->rows[captures->count++] =
		(struct tc_capture){captures->call_count, 0, captures->work_count, 0};
	captures->is_open = true;
	return true;
}

bool tc_captures_see(struct tc_captures *captures, const struct tc_label *label, uint32_t node)
{
	if (label->mark == TC_MARK_GRAPH_BEGIN)
		return begin(captures);
	if (label->mark == TC_MARK_GRAPH_CAPTURE)
		captures->is_open = false;
	if (!captures->is_open || !label->is_launch || captures->call_count >= MAX_CALLS)
		return true;
	if (!TC_GROW(captures->calls, captures->call_capacity, captures->call_count + 1))
		return false;
	captures->calls[captures->call_count++] =
		(struct tc_captured){node, label->mark == TC_MARK_KERNEL_LAUNCH};
	struct tc_capture *capture = &captures->rows[captures->count - 1];
	if (++capture->count >= TC_CAPTURE_MAX_CALLS) {
		captures->is_open = false;
		capture->count = 0;
	}
	return true;
}

bool tc_captures_are_open(const struct tc_captures *captures)
{
	return captures->is_open;
}

bool tc_captures_add_work(struct tc_captures *captures, uint32_t node)
{
	if (captures->work_count >= MAX_CALLS)
		return true;
	if (!TC_GROW(captures->works, captures->work_capacity, captures->work_count + 1))
		return false;
	captures->works[captures->work_count++] = node;
	captures->rows[captures->count - 1].work_count++;
	return true;
}

bool tc_captures_add(struct tc_captures *captures, const struct tc_launched *work)
{
	if (!TC_GROW(captures->group, captures->group_capacity, captures->group_count + 1))
		return false;
	captures->group[captures->group_count++] = *work;
	return true;
}

static bool is_one_lane(const struct tc_captures *captures)
{
	for (size_t i = 1; i < captures->group_count; i++)
		if (captures->group[i].track != captures->group[0].track)
			return false;
	return captures->group_count > 0;
}

static bool fits(const struct tc_captures *captures, const struct tc_capture *capture,
	const struct tc_label *labels)
{
	if (capture->count == 0 || capture->count != captures->group_count)
		return false;
	for (size_t i = 0; i < capture->count; i++)
		if (captures->calls[capture->first + i].is_kernel !=
			(labels[captures->group[i].label].kind == TC_OP_KERNEL))
			return false;
	return true;
}

/* Whether two captures are of the same calls: the same place of the program, captured again. */
static bool are_same(const struct tc_captured *a, const struct tc_captured *b, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (a[i].node != b[i].node)
			return false;
	return true;
}

const struct tc_capture *tc_captures_match(
	const struct tc_captures *captures, const struct tc_label *labels)
{
	const struct tc_capture *found = NULL;

	if (!is_one_lane(captures))
		return NULL;
	for (size_t i = 0; i < captures->count; i++) {
		const struct tc_capture *capture = &captures->rows[i];
		if (!fits(captures, capture, labels))
			continue;
		if (found && !are_same(&captures->calls[found->first],
				     &captures->calls[capture->first], capture->count))
			return NULL;
		found = capture;
	}
	return found;
}
