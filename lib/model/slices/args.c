/*
 * What the args of a slice tell, by the names that writers have for it: correlation, step, recipe,
 * data type, shapes, call stack, and the numbers that say whether most operations are missing.
 *
 * All of this is best effort: a member of another type is passed over, a shape or a stack beyond
 * its limit is left out. Only recipes and data types that cannot be kept fail the context.
 */
#include "model/slices/args.h"

#include "core/array.h"
#include "core/hash.h"
#include "core/saturate.h"

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
			tc_timeline_add_frame(timeline, label);
	}
}

void tc_slice_args_hand_over(
	const struct tc_slice_args *reader, struct tc_labels *labels, struct tc_timeline *timeline)
{
	const struct tc_strtab *texts = &reader->stacks.texts;

	timeline->recorded_one_of = tc_numbering_one_of(&reader->numbering);
	for (size_t i = 0; i < texts->count && tc_timeline_add_stack(timeline) >= 0; i++)
		add_frames(labels, timeline, tc_strtab_at(texts, (uint32_t)i));
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

/* ---- members */

/* Shapes repeat. Beyond this size of all texts a new shape is left out. */
enum { SHAPES_MAX_BYTES = 4 * 1024 * 1024 };

void tc_slice_args_init(struct tc_slice_args *reader, struct tc_timeline *timeline)
{
	*reader = (struct tc_slice_args){.texts = &timeline->texts,
		.works = &timeline->works,
		.last_recipe = TC_STRTAB_NONE,
		.last_data_type = TC_STRTAB_NONE,
		.scratch.ctx = timeline->ctx,
		.stacks.last = TC_STRTAB_NONE};
}

void tc_slice_args_clear(struct tc_slice_args *reader)
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

static int64_t correlation_of(const struct tc_raw_event *event)
{
	int64_t id;

	for (size_t i = 0; i < TC_COUNT_OF(correlations); i++)
		if (tc_scalar_integer(&id, &event->arg[correlations[i].arg]))
			return id ^ correlations[i].space;
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

/* A framework operation: its number for autograd, the shapes of its inputs, the frames around it.
 */
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

void tc_slice_args_read(struct tc_slice *slice, struct tc_slice_args *reader,
	const struct tc_raw_event *event, const struct tc_label *label)
{
	const struct tc_scalar *arg = event->arg;

	count_numbers(&reader->numbering, event, label);
	slice->args = event->args;
	slice->has_id = has_id(event);
	slice->correlation = correlation_of(event);
	slice->sequence = slice->forward_thread = -1;
	slice->sizes = slice->types = TC_STRTAB_NONE;
	slice->shape = 0;
	slice->stack = 0;
	if (label->is_op)
		read_operation(slice, reader, arg, label);
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
