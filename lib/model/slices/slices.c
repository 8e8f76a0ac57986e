/*
 * Finished slices, from complete events and from pairs of begin and end events: a row in the batch,
 * and the timeline; before that the launches, if a slice may have one or make one.
 *
 * Begin and end events become slices once all are there and in time order: events of a thread may
 * come late, and the writers of Gaudi logs append whole logs after the fact. Events wait in a
 * sorter, their args in a spill file. The rule is Perfetto's: an end with a name (or category)
 * closes the innermost open begin of the same name (and category); one without closes the
 * innermost. A begin that nothing closes is kept with dur -1. Args are merged; where both have a
 * member, that of the end counts:
 *
 *   B a   B b   E a   E b   E        a closes a, though b is open; b closes b; E closes nothing
 *
 * Pairs that end at one time become slices in the order of their begins: of two that also begin at
 * one time the outer one must have the lower id, because ids decide how they nest.
 */
#include "model/slices/slices.h"

#include "core/alloc.h"
#include "core/array.h"
#include "core/hash.h"
#include "core/saturate.h"
#include "core/sort/spill.h"
#include "decode/json/json_text.h"
#include "model/slices/args_forms.h"

/*
 * What the args of a slice tell, by the names that writers have for it: correlation, step, recipe,
 * data type, shapes, call stack, and the numbers that say whether most operations are missing.
 *
 * All of this is best effort: a member of another type is passed over, a shape or a stack beyond
 * its limit is left out. Only recipes and data types that cannot be kept fail the context.
 */

/* ---- call stacks */

/* A training script has some hundred stacks of a kilobyte. */
enum { STACKS_MAX_BYTES = 16 * 1024 * 1024 };

/* 1 more than the number of a stack; 0 for an empty one, and for new ones beyond a limit or without
 * memory. */
static uint32_t stack_number(struct tc_slice_args *reader, struct tc_text text)
{
	struct tc_strtab *texts = &reader->stacks.texts;

	if (text.len == 0)
		return 0;
	uint32_t number = texts->text_bytes + (int64_t)text.len > STACKS_MAX_BYTES
				  ? tc_strtab_find(texts, text)
				  : tc_strtab_intern_again(texts, text, reader->stacks.last);
	if (number == TC_STRTAB_NONE)
		return 0;
	reader->stacks.last = number;
	return number + 1;
}

/* Adds the frames of a stack from the last one, which is the outermost, to the first. */
static void add_frames(struct tc_labels *labels, struct tc_timeline *timeline, struct tc_text text)
{
	while (text.len > 0) {
		size_t first = text.len;
		while (first > 0 && text.ptr[first - 1] != ';')
			first--;
		const struct tc_text name = {text.ptr + first, text.len - first};
		text.len = first > 0 ? first - 1 : 0;
		if (name.len == 0)
			continue;
		uint32_t label = tc_labels_intern(labels, TC_TEXT("python_function"), name);
		if (label != TC_LABEL_NONE)
			TC_TIMELINE_ADD(timeline, frame, &label);
	}
}

/*
 * ---- numbers of the profiler
 *
 * Whether most operations of a recording are missing from the file. A profiler numbers what it
 * records, so the numbers of a whole file are dense. Someone who drops events to make a file
 * smaller, or a sampling exporter, leaves holes everywhere. One numbering alone proves nothing:
 * without Python frames "Ev Idx" has holes, threads take "External id" in blocks, CUPTI also
 * numbers calls that nobody records. Where all three are thin, operations are missing.
 */

/* Our defaults, without a published source. Of whole files, the thinnest have 1 of 2 external ids
 * (threads that take 1,024 each) and 1 of 36 correlation ids (a toy of six kernels). */
enum {
	THIN_EVENTS = 10, /* one of so many numbers is there, or fewer */
	THIN_CALLS = 50,
	MIN_COUNT = 100 /* numbers that make a proof */
};

static void add_number(struct tc_numbers *numbers, int64_t number)
{
	if (numbers->count == 0 || number < numbers->lowest)
		numbers->lowest = number;
	if (numbers->count == 0 || number > numbers->highest)
		numbers->highest = number;
	numbers->count++;
}

static int64_t one_of(const struct tc_numbers *numbers)
{
	if (numbers->count < MIN_COUNT)
		return 1;
	return tc_sub_saturated(numbers->highest, numbers->lowest) / numbers->count;
}

/* Counts the numbers of an event of this label. */
static void count_numbers(struct tc_numbering *numbering, const struct tc_raw_event *event,
	const struct tc_label *label)
{
	int64_t number;

	if (tc_scalar_integer(&number, &event->arg[TC_ARG_EVENT_INDEX])) {
		add_number(&numbering->events, number);
		if (tc_scalar_integer(&number, &event->arg[TC_ARG_EXTERNAL_ID]))
			add_number(&numbering->operations, number);
	} else if (label->engine == TC_ENGINE_NONE &&
		   tc_scalar_integer(&number, &event->arg[TC_ARG_CORRELATION])) {
		add_number(&numbering->calls, number);
	}
}

int64_t tc_numbering_one_of(const struct tc_numbering *numbering)
{
	int64_t events = one_of(&numbering->events), operations = one_of(&numbering->operations);

	if (events < THIN_EVENTS || operations < THIN_EVENTS ||
		one_of(&numbering->calls) < THIN_CALLS)
		return 1;
	return events < operations ? events : operations;
}

/* Gives the timeline the frames of all stacks, whose labels are added, and recorded_one_of. Before
 * the labels are handed over. */
static void slice_args_hand_over(
	const struct tc_slice_args *reader, struct tc_labels *labels, struct tc_timeline *timeline)
{
	const struct tc_strtab *texts = &reader->stacks.texts;

	timeline->recorded_one_of = tc_numbering_one_of(&reader->numbering);
	for (size_t i = 0;
		i < texts->count && TC_TIMELINE_ADD(timeline, stack, &timeline->frame_count) >= 0;
		i++)
		add_frames(labels, timeline, tc_strtab_at(texts, (uint32_t)i));
}

/* ---- members */

/* Shapes repeat. Beyond this size of all texts a new shape is left out. */
enum { SHAPES_MAX_BYTES = 4 * 1024 * 1024 };

static void slice_args_init(struct tc_slice_args *reader, struct tc_timeline *timeline)
{
	*reader = (struct tc_slice_args){.texts = &timeline->texts,
		.works = &timeline->works,
		.last_recipe = TC_STRTAB_NONE,
		.last_data_type = TC_STRTAB_NONE,
		.scratch.ctx = timeline->ctx,
		.stacks.last = TC_STRTAB_NONE};
}

static void slice_args_clear(struct tc_slice_args *reader)
{
	tc_buf_clear(&reader->scratch);
	tc_strtab_clear(&reader->stacks.texts);
}

/* Recipe ids have 16 bits and are used again, so a recipe is its name and id together. */
static uint32_t read_recipe(struct tc_slice_args *reader, const struct tc_scalar *arg)
{
	const struct tc_scalar *name = &arg[TC_ARG_RECIPE_NAME];
	struct tc_buf *scratch = &reader->scratch;
	int64_t id = 0;

	tc_scalar_integer(&id, &arg[TC_ARG_RECIPE_ID]);
	if (id == 0 && (name->kind != TC_SCALAR_TEXT || name->text.len == 0))
		return TC_STRTAB_NONE;
	tc_buf_reset(scratch);
	if (name->kind == TC_SCALAR_TEXT)
		tc_buf_append_text(scratch, name->text);
	tc_buf_append_char(scratch, '#');
	tc_buf_append(scratch, (const char *)&id, sizeof(id));
	reader->last_recipe =
		tc_strtab_intern_again(reader->texts, tc_buf_text(scratch), reader->last_recipe);
	return reader->last_recipe;
}

static uint32_t read_data_type(struct tc_slice_args *reader, const struct tc_scalar *type)
{
	if (type->kind != TC_SCALAR_TEXT || type->text.len == 0)
		return TC_STRTAB_NONE;
	reader->last_data_type =
		tc_strtab_intern_again(reader->texts, type->text, reader->last_data_type);
	return reader->last_data_type;
}

/* Operations whose cost depends on the shapes of their inputs. */
static bool needs_shape(enum tc_framework_kind kind)
{
	return kind == TC_FRAMEWORK_MATMUL || kind == TC_FRAMEWORK_CONVOLUTION ||
	       kind == TC_FRAMEWORK_NORM || kind == TC_FRAMEWORK_COPY;
}

/* The number of the first of two spellings that is a list; TC_STRTAB_NONE without one. */
static uint32_t read_list(
	struct tc_strtab *texts, const struct tc_scalar *list, const struct tc_scalar *old)
{
	if (list->kind != TC_SCALAR_JSON)
		list = old;
	if (list->kind != TC_SCALAR_JSON)
		return TC_STRTAB_NONE;
	if (texts->text_bytes + (int64_t)list->text.len > SHAPES_MAX_BYTES)
		return tc_strtab_find(texts, list->text);
	return tc_strtab_intern(texts, list->text);
}

/* The ids that a call shares with its device work. Ids of CANN are in a space apart: the task queue
 * of torch_npu counts in correlation_id, too. */
static const struct {
	enum tc_arg arg;
	int64_t space;
} correlations[] = {
	{TC_ARG_CORRELATION, 0},
	{TC_ARG_CONNECTION_ID, INT64_C(1) << 61},
	{TC_ARG_CORRELATION_ID, 0},
	{TC_ARG_CORRELATION_PADDLE, 0},
};

/* Launches and work without such an id may share the number that Kineto gives what it records: the
 * one of the call on ROCm, elsewhere that of the operator around it, which its waits have as well.
 */
static int64_t correlation_of(const struct tc_raw_event *event, const struct tc_label *label)
{
	int64_t id;

	for (size_t i = 0; i < TC_COUNT_OF(correlations); i++)
		if (tc_scalar_integer(&id, &event->arg[correlations[i].arg]))
			return id ^ correlations[i].space;
	if ((label->engine != TC_ENGINE_NONE || label->is_launch) &&
		tc_scalar_integer(&id, &event->arg[TC_ARG_EXTERNAL_ID]) && id > 0)
		return id ^ TC_EXTERNAL_IDS;
	return TC_CORRELATION_NONE;
}

/* Whether args hold a number that other events do not have. */
static bool has_id(const struct tc_raw_event *event)
{
	uint32_t ids = UINT32_C(1) << TC_ARG_EXTERNAL_ID | UINT32_C(1) << TC_ARG_EXTERNAL_ID_OLD |
		       UINT32_C(1) << TC_ARG_PYTHON_ID;

	for (size_t i = 0; i < TC_COUNT_OF(correlations); i++)
		ids |= UINT32_C(1) << correlations[i].arg;
	return event->arg_set & ids;
}

/* One number for the sizes and types of all inputs; 0 where no sizes are recorded. */
static uint64_t shape_of(const struct tc_scalar *arg)
{
	const struct tc_scalar *dims = &arg[TC_ARG_INPUT_DIMS], *types = &arg[TC_ARG_INPUT_TYPE];

	if (dims->kind != TC_SCALAR_JSON)
		dims = &arg[TC_ARG_INPUT_DIMS_OLD];
	if (types->kind != TC_SCALAR_JSON)
		types = &arg[TC_ARG_INPUT_TYPE_OLD];
	if (dims->kind != TC_SCALAR_JSON)
		return 0;
	uint64_t hash = tc_hash_of(dims->text.ptr, dims->text.len);
	if (types->kind == TC_SCALAR_JSON)
		hash = hash * 31 + tc_hash_of(types->text.ptr, types->text.len);
	return hash ? hash : 1;
}

/* One number of 16 bits for the blocks of a kernel's launch, from 1; 0 where they are not recorded.
 * The args of kernels are alike, so they stand about where they stood the last time. */
static uint64_t blocks_of(struct tc_slice_args *reader, struct tc_text args)
{
	const struct tc_text key = TC_TEXT("\"grid\":[");
	const size_t near = 8;
	size_t from = reader->blocks_at > near ? reader->blocks_at - near : 0;
	struct tc_text window = {args.ptr + from, key.len + 2 * near};
	const char *at = NULL;

	if (from + window.len <= args.len)
		at = tc_text_find(window, key);
	if (!at)
		at = tc_text_find(args, key);
	if (!at)
		return 0;
	reader->blocks_at = (size_t)(at - args.ptr);
	const char *blocks = at + key.len;
	const char *end = memchr(blocks, ']', (size_t)(args.ptr + args.len - blocks));
	return end ? 1 + (tc_hash_of(blocks, (size_t)(end - blocks)) & 0xffff) : 0;
}

/* A framework operation: its number for autograd, the shapes of its inputs, its stack. */
static void read_operation(struct tc_slice *slice, struct tc_slice_args *reader,
	const struct tc_scalar *arg, const struct tc_label *label)
{
	int64_t thread;

	if (!tc_scalar_integer(&slice->sequence, &arg[TC_ARG_SEQUENCE]) || slice->sequence < 0)
		slice->sequence = -1;
	if (tc_scalar_integer(&thread, &arg[TC_ARG_FORWARD_THREAD]) && thread > 0 &&
		thread <= INT32_MAX)
		slice->forward_thread = (int32_t)thread;
	slice->shape = shape_of(arg);
	if (label->work != TC_WORK_NONE && slice->shape != 0)
		tc_works_add(reader->works, reader->scratch.ctx, label->work, slice->label,
			slice->shape, slice->args);
	if (arg[TC_ARG_CALL_STACK].kind == TC_SCALAR_TEXT)
		slice->stack = stack_number(reader, arg[TC_ARG_CALL_STACK].text);
}

/* Sets all members of *slice that come from args. */
static void slice_args_read(struct tc_slice *slice, struct tc_slice_args *reader,
	const struct tc_raw_event *event, const struct tc_label *label)
{
	const struct tc_scalar *arg = event->arg;

	count_numbers(&reader->numbering, event, label);
	slice->args = event->args;
	slice->has_id = has_id(event);
	slice->correlation = correlation_of(event, label);
	slice->sequence = slice->forward_thread = -1;
	slice->sizes = slice->types = TC_STRTAB_NONE;
	slice->shape = 0;
	slice->stack = 0;
	if (label->is_op)
		read_operation(slice, reader, arg, label);
	else if (label->kind == TC_OP_KERNEL && event->args.ptr)
		slice->shape = blocks_of(reader, event->args);
	slice->has_step = tc_scalar_integer(&slice->step_number, &arg[TC_ARG_STEP_NUMBER]);
	if (needs_shape(label->framework)) {
		slice->sizes = read_list(
			reader->texts, &arg[TC_ARG_INPUT_DIMS], &arg[TC_ARG_INPUT_DIMS_OLD]);
		slice->types = read_list(
			reader->texts, &arg[TC_ARG_INPUT_TYPE], &arg[TC_ARG_INPUT_TYPE_OLD]);
	}
	slice->data_type = read_data_type(reader, &arg[TC_ARG_DATA_TYPE]);
	slice->recipe = read_recipe(reader, arg);
}

struct tc_slices {
	struct tc_slice_parts parts;
	struct tc_slice_args args;
	struct tc_args_forms *forms;
	struct tc_sorter *pair_events;
	struct tc_spill *pair_args;
	int64_t pair_sequence; /* the order of the file */
};

/* ---- rows and spans */

/* The args of a row: by their form, if args of this form were seen before. */
static struct tc_row_args make_args(struct tc_slices *slices, const struct tc_slice *slice)
{
	struct tc_row_sink *sink = slices->parts.sink;
	struct tc_row_args args = {0};
	enum tc_args_match match = tc_args_forms_match(slices->forms, slice->args, slice->has_id,
		slice->label, sink->next->args_form, &args);

	if (match == TC_ARGS_FIRST)
		return tc_row_sink_args(sink, slice->args);
	if (match == TC_ARGS_KNOWN)
		return args;
	struct tc_form_row *form = tc_row_sink_form(sink);
	if (!form)
		return args;
	struct tc_buf *text = &sink->batch->text;
	*form = (struct tc_form_row){.id = sink->next->args_form++, .offset = (uint32_t)text->len};
	form->bits = tc_args_forms_append_pattern(text, slice->args, slice->has_id);
	form->len = (uint32_t)text->len - form->offset;
	return args;
}

static void add_row(struct tc_slices *slices, const struct tc_slice *slice, int64_t slice_id)
{
	struct tc_row_sink *sink = slices->parts.sink;
	struct tc_slice_row *row = tc_row_sink_slice(sink);

	if (!row)
		return;
	*row = (struct tc_slice_row){
		.id = slice_id,
		.ts_ns = slice->ts_ns,
		.dur_ns = slice->dur_ns,
		.track_id = (uint32_t)sink->first.track + slice->track,
		.label_id = (uint32_t)sink->first.label + slice->label,
		.args = make_args(slices, slice),
	};
	tc_row_sink_flush(sink, false);
}

/* Slices with a correlation id reach the timeline when their launches are joined. */
static void add_span(struct tc_slices *slices, const struct tc_slice *slice,
	const struct tc_span *span, int64_t correlation)
{
	const struct tc_slice_parts *parts = &slices->parts;
	const struct tc_label *label = &parts->labels->rows[span->label];

	if (label->role == TC_ROLE_SYNC)
		tc_timeline_add_wait(parts->timeline, span);
	tc_steps_see(slices->parts.steps, span, label);
	if (tc_launches_add(parts->launches, span, correlation, label))
		return;
	if (label->is_step || label->is_iteration || slice->has_step)
		tc_steps_add(slices->parts.steps, slices->parts.ctx, span, label,
			slice->has_step ? &slice->step_number : NULL);
	tc_spans_add(parts->timeline->spans, span);
}

/* Ranks in a merged trace count their calls each from 1. */
static int64_t rank_space(const struct tc_tracks *tracks, uint32_t track)
{
	uint32_t rank = tracks->processes[tracks->tracks[track].process].rank;

	return rank == TC_STRTAB_NONE ? 0 : (int64_t)(rank + 1) << TC_CORRELATION_BITS;
}

/* Adds a finished slice; returns its id in the store. */
static int64_t add_slice(struct tc_slices *slices, const struct tc_slice *slice)
{
	struct tc_tracks *tracks = slices->parts.tracks;
	struct tc_track_row *track = &tracks->tracks[slice->track];
	const struct tc_span span = {
		.ts_ns = slice->ts_ns,
		.dur_ns = slice->dur_ns,
		.slice_id = slices->parts.sink->next->slice++,
		.track = slice->track,
		.label = slice->label,
		.launch_slice_id = TC_NO_ID,
		.step = -1,
		.sequence = slice->sequence,
		.shape = slice->shape,
		.forward_thread = slice->forward_thread,
		.stack = slice->stack,
		.sizes = slice->sizes,
		.types = slice->types,
		.data_type = slice->data_type,
		.recipe = slice->recipe,
		.zero_depth = slice->zero_depth,
		.layer = tc_label_layer(&slices->parts.labels->rows[slice->label]),
	};
	int64_t correlation = slice->correlation;

	if (correlation != TC_CORRELATION_NONE)
		correlation ^= rank_space(tracks, slice->track);
	if (track->slice_count++ == 0)
		track->first_slice_id = span.slice_id;
	track->last_slice_id = span.slice_id;
	track->has_correlation |= slice->correlation != TC_CORRELATION_NONE;
	add_row(slices, slice, span.slice_id);
	add_span(slices, slice, &span, correlation);
	return span.slice_id;
}

int64_t tc_slices_add_event(
	struct tc_slices *slices, const struct tc_raw_event *event, uint32_t track, uint32_t label)
{
	struct tc_slice slice = {.ts_ns = event->ts_ns,
		.dur_ns = event->dur_ns < 0 ? 0 : event->dur_ns,
		.track = track,
		.label = label};

	slice_args_read(&slice, &slices->args, event, &slices->parts.labels->rows[label]);
	return add_slice(slices, &slice);
}

/* ---- pairs of begin and end events */

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

static const struct tc_label *label_of(const struct tc_slices *slices, uint32_t label)
{
	return &slices->parts.labels->rows[label];
}

void tc_slices_add_begin_end(struct tc_slices *slices, const struct tc_raw_event *event,
	uint32_t track, uint32_t label, bool is_begin)
{
	const struct tc_slice_parts *parts = &slices->parts;
	struct tc_slice slice = {.label = label};
	struct tc_flow_end flow = {0};

	if (is_begin)
		flow = tc_flows_read_v2(parts->flows, event);
	else if (event->bind_id.kind != TC_SCALAR_NONE)
		tc_import_log_add_event(parts->log, TC_LOG_FLOW_WITHOUT_DIRECTION, event);
	slice_args_read(&slice, &slices->args, event, label_of(slices, label));
	struct pair_event pair = {
		.ts_ns = event->ts_ns,
		.sequence = slices->pair_sequence++,
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
	if (!slices->pair_args)
		slices->pair_args = tc_spill_new(parts->ctx);
	if (slices->pair_args && pair.args_len > 0)
		tc_spill_append(
			slices->pair_args, event->args.ptr, pair.args_len, &pair.args_offset);
	tc_sorter_put(&slices->pair_events, parts->ctx, &layout, &pair);
}

struct pair {
	struct pair_event begin, end;
	uint8_t zero_depth;
};

/* The begins that are open on the track at hand, outermost first. */
struct open_stack {
	struct tc_slices *slices;
	struct pair_event last; /* read before the one at hand */
	struct pair_event *events;
	size_t count, capacity;
	struct pair *closed; /* at the time at hand */
	size_t closed_count, closed_capacity;
	struct tc_buf begin_args, end_args, merged;
};

/* Reads the args of an event, NULL for none, and returns them. */
static struct tc_text load_args(
	struct tc_buf *into, const struct tc_slices *slices, const struct pair_event *event)
{
	tc_buf_reset(into);
	char *room = event && event->args_len > 0 ? tc_buf_extend(into, event->args_len) : NULL;
	if (!room)
		return TC_TEXT_NONE;
	tc_spill_read(
		slices->pair_args, slices->parts.ctx, room, event->args_len, event->args_offset);
	return tc_buf_text(into);
}

static void log_pair(const struct tc_slices *slices, enum tc_log_kind kind,
	const struct pair_event *at, uint32_t label)
{
	tc_import_log_add_one(
		slices->parts.log, kind, at->byte_offset, tc_label_name(label_of(slices, label)));
}

/* Merges the args of a pair in stack->merged; end is NULL without one. */
static void merge_args(
	struct open_stack *stack, const struct pair_event *begin, const struct pair_event *end)
{
	struct tc_text of_begin = load_args(&stack->begin_args, stack->slices, begin);
	struct tc_text of_end = load_args(&stack->end_args, stack->slices, end);
	bool conflict = false;

	tc_buf_reset(&stack->merged);
	if (of_begin.ptr || of_end.ptr)
		tc_json_merge(&stack->merged, of_begin, of_end, &conflict);
	if (conflict)
		log_pair(stack->slices, TC_LOG_DUPLICATE_ARG, end, begin->label);
}

/* Adds the slice of a pair; an end with a sequence below 0 is none. */
static void add_pair(struct open_stack *stack, const struct pair *pair)
{
	const struct pair_event *begin = &pair->begin;
	const struct pair_event *end = pair->end.sequence >= 0 ? &pair->end : NULL;

	merge_args(stack, begin, end);
	if (tc_ctx_failed(stack->slices->parts.ctx))
		return;
	const struct tc_slice slice = {
		.has_id = true,
		.ts_ns = begin->ts_ns,
		.dur_ns = end ? end->ts_ns - begin->ts_ns : -1,
		.track = begin->track,
		.label = begin->label,
		.args = stack->merged.len > 0 ? tc_buf_text(&stack->merged) : TC_TEXT_NONE,
		.correlation = begin->correlation,
		.recipe = begin->recipe,
		.data_type = begin->data_type,
		.sizes = begin->sizes,
		.types = begin->types,
		.sequence = -1,
		.forward_thread = -1,
		.zero_depth = pair->zero_depth,
	};
	int64_t slice_id = add_slice(stack->slices, &slice);
	tc_flows_add_v2(
		stack->slices->parts.flows, &begin->flow, begin->ts_ns, begin->label, slice_id);
}

/* Whether end may close begin: the name and category that the end has must be the same. */
static bool closes(const struct tc_slices *slices, const struct pair_event *begin,
	const struct pair_event *end)
{
	const struct tc_label *of_begin = label_of(slices, begin->label);
	const struct tc_label *of_end = label_of(slices, end->label);

	if (begin->label == end->label)
		return true;
	struct tc_text name = tc_label_name(of_end), category = tc_label_category(of_end);
	if (name.len > 0 && !tc_text_equal(tc_label_name(of_begin), name))
		return false;
	return category.len == 0 || tc_text_equal(tc_label_category(of_begin), category);
}

static void on_end(struct open_stack *stack, const struct pair_event *end)
{
	size_t at = stack->count;
	size_t floor = at > SEARCH_MAX_COUNT ? at - SEARCH_MAX_COUNT : 0;

	while (at > floor && !closes(stack->slices, &stack->events[at - 1], end))
		at--;
	if (at == floor) {
		log_pair(stack->slices,
			stack->count > 0 ? TC_LOG_MISMATCHED_END : TC_LOG_UNMATCHED_END, end,
			end->label);
		return;
	}
	TC_PUSH(stack->slices->parts.ctx, stack->closed, stack->closed_count,
		stack->closed_capacity, (struct pair){stack->events[at - 1], *end, 0});
	memmove(&stack->events[at - 1], &stack->events[at],
		(stack->count - at) * sizeof(stack->events[0]));
	stack->count--;
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
static void add_closed(struct open_stack *stack)
{
	TC_SORT(stack->closed, stack->closed_count, compare_begins);
	find_zero_depths(stack);
	for (size_t i = 0; i < stack->closed_count; i++)
		add_pair(stack, &stack->closed[i]);
	stack->closed_count = 0;
}

/* Adds what is left when a track ends, the open begins outermost first. */
static void end_track(struct open_stack *stack)
{
	add_closed(stack);
	for (size_t i = 0; i < stack->count; i++) {
		const struct pair_event *begin = &stack->events[i];
		log_pair(stack->slices, TC_LOG_UNMATCHED_BEGIN, begin, begin->label);
		add_pair(stack, &(struct pair){.begin = *begin, .end.sequence = -1});
	}
	stack->count = 0;
}

void tc_slices_end_pairs(struct tc_slices *slices)
{
	struct tc_ctx *ctx = slices->parts.ctx;
	struct open_stack stack = {.slices = slices,
		.last.track = TC_INDEX_NONE,
		.begin_args.ctx = ctx,
		.end_args.ctx = ctx,
		.merged.ctx = ctx};
	const struct pair_event *event;

	for (event = tc_sorter_first(slices->pair_events); event;
		event = tc_sorter_next(slices->pair_events)) {
		if (event->track != stack.last.track)
			end_track(&stack);
		else if (event->ts_ns != stack.last.ts_ns)
			add_closed(&stack);
		stack.last = *event;
		if (event->is_begin)
			TC_PUSH(ctx, stack.events, stack.count, stack.capacity, *event);
		else
			on_end(&stack, event);
	}
	end_track(&stack);
	tc_free(stack.events);
	tc_free(stack.closed);
	tc_buf_clear(&stack.begin_args);
	tc_buf_clear(&stack.end_args);
	tc_buf_clear(&stack.merged);
	tc_sorter_free(slices->pair_events);
	tc_spill_free(slices->pair_args);
	slices->pair_events = NULL;
	slices->pair_args = NULL;
}

/* ---- life */

struct tc_slices *tc_slices_new(const struct tc_slice_parts *parts)
{
	struct tc_slices *slices = tc_calloc(1, sizeof(*slices));
	struct tc_args_forms *forms = tc_args_forms_new();

	if (!slices || !forms) {
		tc_no_memory(parts->ctx);
		tc_args_forms_free(forms);
		tc_free(slices);
		return NULL;
	}
	slices->parts = *parts;
	slices->forms = forms;
	slice_args_init(&slices->args, parts->timeline);
	return slices;
}

void tc_slices_hand_over(struct tc_slices *slices)
{
	slice_args_hand_over(&slices->args, slices->parts.labels, slices->parts.timeline);
}

void tc_slices_free(struct tc_slices *slices)
{
	if (!slices)
		return;
	tc_sorter_free(slices->pair_events);
	tc_spill_free(slices->pair_args);
	tc_args_forms_free(slices->forms);
	slice_args_clear(&slices->args);
	tc_free(slices);
}
