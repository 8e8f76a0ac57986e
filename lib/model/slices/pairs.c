/*
 * Begin and end events become slices once all are there and in time order: a thread's events may
 * come late, and the writers of Gaudi logs append whole logs after the fact. Events wait in a
 * sorter, their args in a spill file.
 *
 * The rule is Perfetto's: an end with a name (or category) closes the innermost open begin of the
 * same name (and category); one without closes the innermost. A begin that nothing closes is
 * kept with dur -1. Args are merged, the end's win.
 *
 * Pairs that end at one time become slices in the order of their begins: of two that also begin at
 * one time the outer one must have the lower id, which is how nesting tells them apart.
 */
#include "model/state.h"

#include <stdlib.h>

#include "core/alloc.h"
#include "decode/json/json_text.h"

enum {
	SORT_BYTES = 2 * 1024 * 1024,
	SEARCH_MAX_COUNT = 1024, /* open begins looked at for an end: bounds hostile input */
};

struct pair_event {
	int64_t ts_ns, sequence, byte_offset;
	int64_t args_offset, correlation;
	uint32_t args_len;
	uint32_t track, label, recipe, data_type;
	bool is_begin;
	struct tc_flow_end flow; /* of begins */
};

static int compare_pair_events(const void *a, const void *b)
{
	const struct pair_event *x = a, *y = b;

	if (x->track != y->track)
		return x->track < y->track ? -1 : 1;
	if (x->ts_ns != y->ts_ns)
		return x->ts_ns < y->ts_ns ? -1 : 1;
	return x->sequence < y->sequence ? -1 : x->sequence > y->sequence;
}

enum tc_status tc_pairs_add(struct tc_model *model, const struct tc_raw_event *event,
	uint32_t track, uint32_t label, bool is_begin)
{
	struct tc_slice slice = {.label = label};
	struct tc_flow_end flow = {0};
	enum tc_status status = TC_OK;

	if (is_begin)
		status = tc_flows_end_of(model, event, &flow);
	else if (event->bind_id.kind != TC_SCALAR_NONE)
		status = tc_model_log(
			model, TC_LOG_FLOW_WITHOUT_DIRECTION, event->byte_offset, event->name);
	if (!status && !model->pairs)
		status = tc_sorter_new(&model->pairs, model->ctx, sizeof(struct pair_event),
			SORT_BYTES, compare_pair_events);
	if (!status && !model->pair_args)
		status = tc_spill_new(&model->pair_args, model->ctx);
	if (!status)
		status = tc_model_read_args(model, event, &slice);
	struct pair_event pair = {
		.ts_ns = event->ts_ns,
		.sequence = model->sequence++,
		.byte_offset = event->byte_offset,
		.args_len = (uint32_t)event->args.len,
		.track = track,
		.label = label,
		.recipe = slice.recipe,
		.data_type = slice.data_type,
		.is_begin = is_begin,
		.flow = flow,
		.correlation = slice.correlation,
	};
	if (!status && pair.args_len > 0)
		status = tc_spill_append(
			model->pair_args, event->args.ptr, pair.args_len, &pair.args_offset);
	return status ? status : tc_sorter_add(model->pairs, &pair);
}

struct pair {
	struct pair_event begin, end;
	uint8_t zero_depth;
};

/* The begins that are open on the track at hand, outermost first. */
struct open_stack {
	struct pair_event *events;
	size_t count, capacity;
	struct pair *closed; /* at the time at hand */
	size_t closed_count, closed_capacity;
	struct tc_buf begin_args, end_args, merged;
};

static enum tc_status load_args(
	struct tc_model *model, const struct pair_event *event, struct tc_buf *into)
{
	tc_buf_reset(into);
	if (event->args_len == 0)
		return TC_OK;
	char *room = tc_buf_extend(into, event->args_len);
	if (!room)
		return tc_model_no_memory(model);
	return tc_spill_read(model->pair_args, room, event->args_len, event->args_offset);
}

static struct tc_text args_or_none(const struct tc_buf *buf)
{
	return buf->len > 0 ? tc_buf_text(buf) : TC_TEXT_NONE;
}

/* A sequence below 0 of the end: the begin stays open. */
static enum tc_status emit_pair(
	struct tc_model *model, struct open_stack *stack, const struct pair *pair)
{
	const struct pair_event *begin = &pair->begin;
	const struct pair_event *end = pair->end.sequence >= 0 ? &pair->end : NULL;
	bool conflict = false;
	int64_t slice_id;
	enum tc_status status = load_args(model, begin, &stack->begin_args);

	tc_buf_reset(&stack->end_args);
	tc_buf_reset(&stack->merged);
	if (!status && end)
		status = load_args(model, end, &stack->end_args);
	if (status)
		return status;
	if (stack->begin_args.len > 0 || stack->end_args.len > 0)
		tc_json_merge(&stack->merged, args_or_none(&stack->begin_args),
			args_or_none(&stack->end_args), &conflict);
	if (tc_buf_failed(&stack->merged))
		return tc_model_no_memory(model);
	if (conflict)
		status = tc_model_log(model, TC_LOG_DUPLICATE_ARG, end->byte_offset,
			model->labels.rows[begin->label].name);
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
		.zero_depth = pair->zero_depth,
	};
	if (!status)
		status = tc_model_emit_slice(model, &slice, &slice_id);
	return status ? status : tc_flows_add_v2(model, &begin->flow, &slice, slice_id);
}

/* True when end may close begin: what the end names must be the same. */
static bool closes(
	const struct tc_model *model, const struct pair_event *begin, const struct pair_event *end)
{
	const struct tc_label *of_begin = &model->labels.rows[begin->label];
	const struct tc_label *of_end = &model->labels.rows[end->label];

	if (begin->label == end->label)
		return true;
	if (of_end->name.len > 0 && !tc_text_equal(of_begin->name, of_end->name))
		return false;
	return of_end->category.len == 0 || tc_text_equal(of_begin->category, of_end->category);
}

static enum tc_status on_end(
	struct tc_model *model, struct open_stack *stack, const struct pair_event *end)
{
	size_t at = stack->count;
	size_t floor = at > SEARCH_MAX_COUNT ? at - SEARCH_MAX_COUNT : 0;

	while (at > floor && !closes(model, &stack->events[at - 1], end))
		at--;
	if (at == floor)
		return tc_model_log(model,
			stack->count > 0 ? TC_LOG_MISMATCHED_END : TC_LOG_UNMATCHED_END,
			end->byte_offset, model->labels.rows[end->label].name);
	void *closed = stack->closed;
	if (tc_reserve(&closed, &stack->closed_capacity, stack->closed_count + 1,
		    sizeof(*stack->closed)))
		return tc_model_no_memory(model);
	stack->closed = closed;
	stack->closed[stack->closed_count++] = (struct pair){stack->events[at - 1], *end, 0};
	memmove(&stack->events[at - 1], &stack->events[at],
		(stack->count - at) * sizeof(stack->events[0]));
	stack->count--;
	return TC_OK;
}

static int compare_begins(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	return x->begin.sequence < y->begin.sequence ? -1 : x->begin.sequence > y->begin.sequence;
}

/* Pairs without length, by their begins: how many of them are around each. */
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

/* What was closed at one time, in the order of its begins. */
static enum tc_status emit_closed(struct tc_model *model, struct open_stack *stack)
{
	enum tc_status status = TC_OK;

	if (stack->closed_count > 1)
		qsort(stack->closed, stack->closed_count, sizeof(stack->closed[0]), compare_begins);
	find_zero_depths(stack);
	for (size_t i = 0; i < stack->closed_count && !status; i++)
		status = emit_pair(model, stack, &stack->closed[i]);
	stack->closed_count = 0;
	return status;
}

static enum tc_status on_begin(
	struct tc_model *model, struct open_stack *stack, const struct pair_event *begin)
{
	void *events = stack->events;

	if (tc_reserve(&events, &stack->capacity, stack->count + 1, sizeof(*begin)))
		return tc_model_no_memory(model);
	stack->events = events;
	stack->events[stack->count++] = *begin;
	return TC_OK;
}

/* What is left when a track ends, the open begins outermost first. */
static enum tc_status end_track(struct tc_model *model, struct open_stack *stack)
{
	enum tc_status status = emit_closed(model, stack);

	for (size_t i = 0; i < stack->count && !status; i++) {
		const struct pair_event *begin = &stack->events[i];
		status = tc_model_log(model, TC_LOG_UNMATCHED_BEGIN, begin->byte_offset,
			model->labels.rows[begin->label].name);
		if (!status)
			status = emit_pair(
				model, stack, &(struct pair){.begin = *begin, .end.sequence = -1});
	}
	stack->count = 0;
	return status;
}

static enum tc_status on_pair_event(struct tc_model *model, struct open_stack *stack,
	const struct pair_event *event, const struct pair_event *last)
{
	enum tc_status status = TC_OK;

	if (event->track != last->track)
		status = end_track(model, stack);
	else if (event->ts_ns != last->ts_ns)
		status = emit_closed(model, stack);
	if (status)
		return status;
	return event->is_begin ? on_begin(model, stack, event) : on_end(model, stack, event);
}

static void clear_stack(struct open_stack *stack)
{
	tc_free(stack->events);
	tc_free(stack->closed);
	tc_buf_clear(&stack->begin_args);
	tc_buf_clear(&stack->end_args);
	tc_buf_clear(&stack->merged);
}

enum tc_status tc_pairs_finish(struct tc_model *model)
{
	struct open_stack stack = {0};
	struct pair_event last = {.track = TC_INDEX_NONE};
	const void *record = NULL;

	if (!model->pairs)
		return TC_OK;
	enum tc_status status = tc_sorter_rewind(model->pairs);
	while (!status && !(status = tc_sorter_next(model->pairs, &record)) && record) {
		status = on_pair_event(model, &stack, record, &last);
		last = *(const struct pair_event *)record;
	}
	if (!status)
		status = end_track(model, &stack);
	clear_stack(&stack);
	tc_sorter_free(model->pairs);
	tc_spill_free(model->pair_args);
	model->pairs = NULL;
	model->pair_args = NULL;
	return status;
}
