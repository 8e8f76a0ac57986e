/* Pairing with a stack of open begins for a track; see pairs.h. */
#include "model/slices/pairs.h"

#include "core/alloc.h"
#include "core/array.h"
#include "decode/json/json_text.h"

enum {
	SORT_BYTES = 2 * 1024 * 1024,
	SEARCH_MAX_COUNT = 1024, /* open begins searched for an end: a limit for hostile input */
};

struct pair_event {
	int64_t ts_ns, sequence, byte_offset;
	int64_t args_offset, correlation;
	uint32_t args_len;
	uint32_t track, label, recipe, data_type, sizes, types;
	bool is_begin;
	struct tc_flow_end flow; /* of begins */
};

TC_ORDER(compare_pair_events, struct pair_event, TC_UP(track) TC_UP(ts_ns) TC_UP(sequence));

static const struct tc_sorter_layout layout = {
	sizeof(struct pair_event), SORT_BYTES, compare_pair_events};

static const struct tc_label *label_of(const struct tc_pairs *pairs, uint32_t label)
{
	return &pairs->labels->rows[label];
}

enum tc_status tc_pairs_add(struct tc_pairs *pairs, const struct tc_raw_event *event,
	uint32_t track, uint32_t label, bool is_begin)
{
	struct tc_slice slice = {.label = label};
	struct tc_flow_end flow = {0};
	enum tc_status status = TC_OK;

	if (is_begin)
		status = tc_flows_read_v2(&flow, pairs->flows, event);
	else if (event->bind_id.kind != TC_SCALAR_NONE)
		status = tc_import_log_add_event(pairs->log, TC_LOG_FLOW_WITHOUT_DIRECTION, event);
	if (!status && !pairs->args)
		status = tc_spill_new(&pairs->args, pairs->ctx);
	if (!status)
		status = tc_slice_args_read(
			&slice, pairs->args_reader, event, label_of(pairs, label));
	struct pair_event pair = {
		.ts_ns = event->ts_ns,
		.sequence = pairs->sequence++,
		.byte_offset = event->byte_offset,
		.args_len = (uint32_t)event->args.len,
		.track = track,
		.label = label,
		.recipe = slice.recipe,
		.data_type = slice.data_type,
		.sizes = slice.sizes,
		.types = slice.types,
		.is_begin = is_begin,
		.flow = flow,
		.correlation = slice.correlation,
	};
	if (!status && pair.args_len > 0)
		status = tc_spill_append(
			pairs->args, event->args.ptr, pair.args_len, &pair.args_offset);
	return status ? status : tc_sorter_put(&pairs->events, pairs->ctx, &layout, &pair);
}

struct pair {
	struct pair_event begin, end;
	uint8_t zero_depth;
};

/* The begins that are open on the track at hand, outermost first. */
struct open_stack {
	struct tc_pairs *pairs;
	struct pair_event last; /* read before the one at hand */
	struct pair_event *events;
	size_t count, capacity;
	struct pair *closed; /* at the time at hand */
	size_t closed_count, closed_capacity;
	struct tc_buf begin_args, end_args, merged;
};

static enum tc_status load_args(
	struct tc_buf *into, const struct tc_pairs *pairs, const struct pair_event *event)
{
	tc_buf_reset(into);
	if (event->args_len == 0)
		return TC_OK;
	char *room = tc_buf_extend(into, event->args_len);
	if (!room)
		return tc_no_memory(pairs->ctx);
	return tc_spill_read(pairs->args, room, event->args_len, event->args_offset);
}

static struct tc_text args_or_none(const struct tc_buf *buf)
{
	return buf->len > 0 ? tc_buf_text(buf) : TC_TEXT_NONE;
}

/* Merges the args of a pair in stack->merged; end is NULL without one. */
static enum tc_status merge_args(
	struct open_stack *stack, const struct pair_event *begin, const struct pair_event *end)
{
	const struct tc_pairs *pairs = stack->pairs;
	bool conflict = false;
	enum tc_status status = load_args(&stack->begin_args, pairs, begin);

	tc_buf_reset(&stack->end_args);
	tc_buf_reset(&stack->merged);
	if (!status && end)
		status = load_args(&stack->end_args, pairs, end);
	if (status)
		return status;
	if (stack->begin_args.len > 0 || stack->end_args.len > 0)
		tc_json_merge(&stack->merged, args_or_none(&stack->begin_args),
			args_or_none(&stack->end_args), &conflict);
	if (tc_buf_failed(&stack->merged))
		return tc_no_memory(pairs->ctx);
	return conflict ? tc_import_log_add_one(pairs->log, TC_LOG_DUPLICATE_ARG, end->byte_offset,
				  tc_label_name(label_of(pairs, begin->label)))
			: TC_OK;
}

/* Adds the slice of a pair; an end with a sequence below 0 is none. */
static enum tc_status add_pair(struct open_stack *stack, const struct pair *pair)
{
	const struct pair_event *begin = &pair->begin;
	const struct pair_event *end = pair->end.sequence >= 0 ? &pair->end : NULL;
	int64_t slice_id;
	enum tc_status status = merge_args(stack, begin, end);
	const struct tc_slice slice = {
		.has_id = true,
		.ts_ns = begin->ts_ns,
		.dur_ns = end ? end->ts_ns - begin->ts_ns : -1,
		.track = begin->track,
		.label = begin->label,
		.args = args_or_none(&stack->merged),
		.correlation = begin->correlation,
		.recipe = begin->recipe,
		.data_type = begin->data_type,
		.sizes = begin->sizes,
		.types = begin->types,
		.sequence = -1,
		.forward_thread = -1,
		.zero_depth = pair->zero_depth,
	};
	if (!status)
		status = tc_slices_add(&slice_id, stack->pairs->slices, &slice);
	return status ? status
		      : tc_flows_add_v2(stack->pairs->flows, &begin->flow, begin->ts_ns,
				begin->label, slice_id);
}

/* True when end may close begin: the name and category that the end has must be the same. */
static bool closes(
	const struct tc_pairs *pairs, const struct pair_event *begin, const struct pair_event *end)
{
	const struct tc_label *of_begin = label_of(pairs, begin->label);
	const struct tc_label *of_end = label_of(pairs, end->label);

	if (begin->label == end->label)
		return true;
	struct tc_text name = tc_label_name(of_end), category = tc_label_category(of_end);
	if (name.len > 0 && !tc_text_equal(tc_label_name(of_begin), name))
		return false;
	return category.len == 0 || tc_text_equal(tc_label_category(of_begin), category);
}

static enum tc_status on_end(struct open_stack *stack, const struct pair_event *end)
{
	const struct tc_pairs *pairs = stack->pairs;
	size_t at = stack->count;
	size_t floor = at > SEARCH_MAX_COUNT ? at - SEARCH_MAX_COUNT : 0;

	while (at > floor && !closes(pairs, &stack->events[at - 1], end))
		at--;
	if (at == floor)
		return tc_import_log_add_one(pairs->log,
			stack->count > 0 ? TC_LOG_MISMATCHED_END : TC_LOG_UNMATCHED_END,
			end->byte_offset, tc_label_name(label_of(pairs, end->label)));
	if (!TC_GROW(stack->closed, stack->closed_capacity, stack->closed_count + 1))
		return tc_no_memory(pairs->ctx);
	stack->closed[stack->closed_count++] = (struct pair){stack->events[at - 1], *end, 0};
	memmove(&stack->events[at - 1], &stack->events[at],
		(stack->count - at) * sizeof(stack->events[0]));
	stack->count--;
	return TC_OK;
}

TC_ORDER(compare_begins, struct pair, TC_UP(begin.sequence));

/* Sets zero_depth of pairs without length: 1 more than the number of such pairs around each. */
static void find_zero_depths(struct open_stack *stack)
{
	int64_t ends[UINT8_MAX];
	size_t depth = 0;

	for (size_t i = 0; i < stack->closed_count; i++) {
		struct pair *pair = &stack->closed[i];
		if (pair->begin.ts_ns != pair->end.ts_ns)
			continue;
		while (depth > 0 && ends[depth - 1] < pair->begin.sequence)
			depth--;
		if (depth < UINT8_MAX)
			ends[depth++] = pair->end.sequence;
		pair->zero_depth = (uint8_t)depth;
	}
}

/* Adds what was closed at one time, in the order of its begins. */
static enum tc_status add_closed(struct open_stack *stack)
{
	enum tc_status status = TC_OK;

	TC_SORT(stack->closed, stack->closed_count, compare_begins);
	find_zero_depths(stack);
	for (size_t i = 0; i < stack->closed_count && !status; i++)
		status = add_pair(stack, &stack->closed[i]);
	stack->closed_count = 0;
	return status;
}

static enum tc_status on_begin(struct open_stack *stack, const struct pair_event *begin)
{
	if (!TC_GROW(stack->events, stack->capacity, stack->count + 1))
		return tc_no_memory(stack->pairs->ctx);
	stack->events[stack->count++] = *begin;
	return TC_OK;
}

/* Adds what is left when a track ends, the open begins outermost first. */
static enum tc_status end_track(struct open_stack *stack)
{
	const struct tc_pairs *pairs = stack->pairs;
	enum tc_status status = add_closed(stack);

	for (size_t i = 0; i < stack->count && !status; i++) {
		const struct pair_event *begin = &stack->events[i];
		status = tc_import_log_add_one(pairs->log, TC_LOG_UNMATCHED_BEGIN,
			begin->byte_offset, tc_label_name(label_of(pairs, begin->label)));
		if (!status)
			status = add_pair(
				stack, &(struct pair){.begin = *begin, .end.sequence = -1});
	}
	stack->count = 0;
	return status;
}

static enum tc_status on_pair_event(void *user, const void *record)
{
	struct open_stack *stack = user;
	const struct pair_event *event = record;
	enum tc_status status = TC_OK;

	if (event->track != stack->last.track)
		status = end_track(stack);
	else if (event->ts_ns != stack->last.ts_ns)
		status = add_closed(stack);
	stack->last = *event;
	if (status)
		return status;
	return event->is_begin ? on_begin(stack, event) : on_end(stack, event);
}

void tc_pairs_clear(struct tc_pairs *pairs)
{
	tc_sorter_free(pairs->events);
	tc_spill_free(pairs->args);
	pairs->events = NULL;
	pairs->args = NULL;
}

enum tc_status tc_pairs_finish(struct tc_pairs *pairs)
{
	struct open_stack stack = {.pairs = pairs, .last.track = TC_INDEX_NONE};
	enum tc_status status = tc_sorter_each(pairs->events, on_pair_event, &stack);

	if (!status)
		status = end_track(&stack);
	tc_free(stack.events);
	tc_free(stack.closed);
	tc_buf_clear(&stack.begin_args);
	tc_buf_clear(&stack.end_args);
	tc_buf_clear(&stack.merged);
	tc_pairs_clear(pairs);
	return status;
}
