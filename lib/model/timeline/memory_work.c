/* Formulas of work that memory bounds. */
#include "model/timeline/work.h"

#include <string.h>

/* Bytes of all tensors among the inputs. */
static void add_inputs(struct tc_work_sum *bytes, const struct tc_op_inputs *inputs)
{
	for (size_t i = 0; i < inputs->count; i++)
		tc_sum_bytes(bytes, tc_op_inputs_tensor(inputs, i));
}

static int64_t tensors(const struct tc_op_inputs *inputs)
{
	int64_t count = 0;

	for (size_t i = 0; i < inputs->count; i++)
		count += tc_op_inputs_tensor(inputs, i) != NULL;
	return count;
}

/*
 * Work that memory bounds, by a letter for each input: r is read, w written, b both, and o read
 * beside a result of its size and type. The last letter holds for all further inputs; a dash is an
 * input that is not touched. Elements of an input with a capital letter count FLOPs.
 */
struct moves {
	const char *letters;
	int64_t flops; /* of an element */
};

static void move(struct tc_work_sum *flops, struct tc_work_sum *bytes,
	const struct tc_op_inputs *inputs, struct moves form)
{
	const char *at = form.letters;
	bool has_any = false;

	for (size_t i = 0; i < inputs->count; i++, at += at[1] != '\0') {
		const struct tc_input *input = tc_op_inputs_tensor(inputs, i);
		char letter = (char)(*at | 0x20);

		flops->is_known = flops->is_known && (input || letter == *at || *at == '-');
		if (!input || *at == '-')
			continue;
		has_any = true;
		if (letter != *at)
			TC_SUM_ADD(flops, form.flops, tc_sum_elements(flops, input));
		tc_sum_bytes(bytes, input);
		tc_sum_bytes(bytes, letter == 'b' || letter == 'o' ? input : NULL);
	}
	flops->is_known = flops->is_known && has_any;
}

static void norm(
	struct tc_work_sum *flops, struct tc_work_sum *bytes, const struct tc_op_inputs *inputs)
{
	int64_t weights = tensors(inputs) - 1;

	move(flops, bytes, inputs, (struct moves){"Or", 5 + (weights < 2 ? weights : 2)});
}

/* Whether the first of two inputs decides the type of a result, as in PyTorch: tensors with
 * dimensions count before those without, which are mostly numbers of Python, unless the number is
 * of a kind that the tensor is not. */
static bool decides(const struct tc_input *a, const struct tc_input *b)
{
	if (a->kind != b->kind)
		return a->kind > b->kind;
	if ((a->rank > 0) != (b->rank > 0))
		return a->rank > 0;
	return a->element_bytes > b->element_bytes;
}

/* The size of an element of the result. */
static int64_t promoted_bytes(const struct tc_op_inputs *inputs)
{
	const struct tc_input *first = NULL;
	bool has_sizes = false;

	for (size_t i = 0; i < inputs->count; i++) {
		const struct tc_input *input = tc_op_inputs_tensor(inputs, i);

		if (!input)
			continue;
		has_sizes = has_sizes || input->rank > 0;
		if (!first || decides(input, first))
			first = input;
	}
	if (!first)
		return 0;
	/* A float of Python beside integers gives the usual type. */
	if (first->rank == 0 && has_sizes && first->kind == TC_NUMBER_REAL)
		return 4;
	return first->element_bytes;
}

/* Dimensions are aligned from the last one. The result has the largest size of each. */
static void pointwise(struct tc_work_sum *flops, struct tc_work_sum *bytes,
	const struct tc_op_inputs *inputs, int64_t result_bytes)
{
	struct tc_input result = {.rank = 0};

	for (size_t i = 0; i < inputs->count; i++) {
		const struct tc_input *input = tc_op_inputs_tensor(inputs, i);

		for (size_t j = 1; input && j <= input->rank; j++) {
			int64_t *size = &result.size[TC_RANK_MAX - j];

			*size = j > result.rank || *size == 1 ? input->size[input->rank - j]
							      : *size;
			result.rank = j > result.rank ? j : result.rank;
		}
	}
	struct tc_work_sum count = tc_sum_zero;
	tc_sum_add(&count, result.size + TC_RANK_MAX - result.rank, result.rank);
	flops->is_known = count.is_known && result_bytes > 0;
	TC_SUM_ADD(flops, count.total);
	add_inputs(bytes, inputs);
	TC_SUM_ADD(bytes, count.total, result_bytes);
}

/* The elements of a tensor along all dimensions but those in `left_out`, bits of them. */
static int64_t elements_without(
	struct tc_work_sum *sum, const struct tc_input *input, unsigned left_out)
{
	int64_t sizes[TC_RANK_MAX];
	size_t kept = 0;

	for (size_t i = 0; i < input->rank; i++)
		if (!(left_out >> i & 1))
			sizes[kept++] = input->size[i];
	return tc_sum_product(sum, sizes, kept);
}

/* Bits of the dimensions that an input lists: -1 is the last one. All where it lists none. */
static unsigned listed_dims(struct tc_work_sum *sum, const struct tc_op_inputs *inputs, size_t at)
{
	const int64_t rank = (int64_t)inputs->input[0].rank;
	int64_t listed[TC_RANK_MAX];
	struct tc_text text = at < inputs->count ? inputs->input[at].concrete : TC_TEXT_NONE;
	size_t count = tc_op_inputs_numbers(listed, TC_RANK_MAX, inputs, at);
	unsigned dims = 0;

	if (count == 0 && text.len > 0 && !tc_text_equal(text, TC_TEXT("[]")))
		sum->is_known = false;
	for (size_t i = 0; i < count; i++) {
		int64_t dim = listed[i] + (listed[i] < 0 ? rank : 0);
		sum->is_known = sum->is_known && dim >= 0 && dim < rank;
		dims |= sum->is_known ? 1U << dim : 0;
	}
	return dims ? dims : (1U << rank) - 1;
}

/* Rows that are reduced along dimensions, each by itself. */
static void set_rows(struct tc_work_sum *flops, const struct tc_input *input, unsigned dims)
{
	int64_t rows = input ? elements_without(flops, input, dims) : 0;

	if (flops->is_known && rows > 0)
		flops->extent = (struct tc_extent){
			1, rows, 0, tc_sum_elements(flops, input) / rows, 0, dims};
}

/* Rows along the dimension that an input says, or else along the last one. */
static void set_rows_along(
	struct tc_work_sum *flops, const struct tc_op_inputs *inputs, size_t at, size_t dim_at)
{
	const struct tc_input *input = tc_op_inputs_tensor(inputs, at);

	if (!flops->is_known || !input || input->rank == 0)
		return;
	unsigned last = 1U << (input->rank - 1);
	struct tc_work_sum dims = *flops;
	unsigned listed = dim_at > 0 ? listed_dims(&dims, inputs, dim_at) : last;
	set_rows(flops, input, dims.is_known && (listed & (listed - 1)) == 0 ? listed : last);
}

/* An element of the result for all along the listed dimensions. sum() of two inputs has a type in
 * their place, and reduces all. */
static void reduction(struct tc_work_sum *flops, struct tc_work_sum *bytes,
	const struct tc_op_inputs *inputs, size_t dims_at)
{
	const struct tc_input *input = tc_sum_tensor(flops, inputs, 0, 0);

	if (!flops->is_known)
		return;
	unsigned dims = listed_dims(flops, inputs, inputs->count > 2 ? dims_at : SIZE_MAX);
	TC_SUM_ADD(flops, tc_sum_elements(flops, input));
	tc_sum_bytes(bytes, input);
	int64_t kept = elements_without(flops, input, dims);
	TC_SUM_ADD(bytes, kept, input->element_bytes);
	set_rows(flops, input, dims);
}

/* Windows of an input, of the sizes, steps and padding that its inputs list, and no step is one of
 * the size: a result for each, and its place for a maximum. */
static void pooling(struct tc_work_sum *flops, struct tc_work_sum *bytes,
	const struct tc_op_inputs *inputs, int64_t place_bytes)
{
	const struct tc_input *input = tc_sum_tensor(flops, inputs, 0, 0);
	int64_t window[TC_RANK_MAX], step[TC_RANK_MAX], padding[TC_RANK_MAX] = {0};
	size_t dims = tc_op_inputs_numbers(window, TC_RANK_MAX, inputs, 1);
	struct tc_work_sum results = tc_sum_zero;

	if (!input || dims < 1 || dims >= input->rank ||
		!tc_work_numbers(padding, dims, inputs, 3)) {
		flops->is_known = false;
		return;
	}
	if (!tc_work_numbers(step, dims, inputs, 2))
		memcpy(step, window, sizeof(step));
	TC_SUM_ADD(&results, tc_sum_product(flops, input->size, input->rank - dims));
	for (size_t i = 0; i < dims; i++) {
		const int64_t size = input->size[input->rank - dims + i], most = 1 << 28;
		bool is_sane = size <= most && padding[i] >= 0 && padding[i] <= most &&
			       step[i] > 0 && window[i] > 0 && size + 2 * padding[i] >= window[i];
		flops->is_known = flops->is_known && is_sane;
		if (is_sane)
			results.is_known = !__builtin_mul_overflow(results.total,
				(size + 2 * padding[i] - window[i]) / step[i] + 1, &results.total);
	}
	flops->is_known = flops->is_known && results.is_known;
	TC_SUM_ADD(flops, results.total, tc_sum_product(flops, window, dims));
	tc_sum_bytes(bytes, input);
	TC_SUM_ADD(bytes, results.total, input->element_bytes + place_bytes);
}

/* A result whose last sizes an input lists, the others those of the first input. */
static void resize(struct tc_work_sum *flops, struct tc_work_sum *bytes,
	const struct tc_op_inputs *inputs, size_t sizes_at)
{
	const struct tc_input *input = tc_sum_tensor(flops, inputs, 0, 0);
	int64_t sizes[TC_RANK_MAX];
	size_t count = tc_op_inputs_numbers(sizes, TC_RANK_MAX, inputs, sizes_at);
	struct tc_work_sum result = tc_sum_zero;

	if (!input || count < 1 || count > input->rank) {
		flops->is_known = false;
		return;
	}
	TC_SUM_ADD(&result, tc_sum_product(flops, input->size, input->rank - count),
		tc_sum_product(flops, sizes, count));
	flops->is_known = flops->is_known && result.is_known;
	TC_SUM_ADD(flops, result.total);
	tc_sum_bytes(bytes, input);
	TC_SUM_ADD(bytes, result.total, input->element_bytes);
}

/* `count` rows of `row` elements that indices choose. */
static void set_chosen(struct tc_work_sum *flops, int64_t count, int64_t row)
{
	if (flops->is_known)
		flops->extent = (struct tc_extent){1, count, 0, row, 0, 0};
}

/* A row of a table, or an element, for each index: read, and written. */
static void gather(enum tc_work_kind kind, struct tc_work_sum *flops, struct tc_work_sum *bytes,
	const struct tc_op_inputs *inputs)
{
	const struct tc_input *table = tc_sum_tensor(flops, inputs, 0, 0);
	const struct tc_input *index =
		tc_sum_tensor(flops, inputs, kind == TC_WORK_EMBEDDING ? 1 : 2, 0);
	int64_t row = 1;

	if (!flops->is_known)
		return;
	if (kind != TC_WORK_GATHER)
		row = elements_without(flops, table,
			kind == TC_WORK_EMBEDDING ? 1 : listed_dims(flops, inputs, 1));
	TC_SUM_ADD(bytes, 2, tc_sum_elements(flops, index), row, table->element_bytes);
	tc_sum_bytes(bytes, index);
	set_chosen(flops, tc_sum_elements(flops, index), row);
}

/* Rows of a table that indices choose, added up to a row for each of the third input. */
static void embedding_bag(
	struct tc_work_sum *flops, struct tc_work_sum *bytes, const struct tc_op_inputs *inputs)
{
	const struct tc_input *table = tc_sum_tensor(flops, inputs, 0, 2);
	const struct tc_input *index = tc_sum_tensor(flops, inputs, 1, 0);
	const struct tc_input *bags = tc_sum_tensor(flops, inputs, 2, 1);

	if (!flops->is_known)
		return;
	TC_SUM_ADD(flops, tc_sum_elements(flops, index), table->size[1]);
	TC_SUM_ADD(bytes, tc_sum_elements(flops, index), table->size[1], table->element_bytes);
	TC_SUM_ADD(bytes, bags->size[0], table->size[1], table->element_bytes);
	tc_sum_bytes(bytes, index);
	tc_sum_bytes(bytes, bags);
	set_chosen(flops, tc_sum_elements(flops, index), table->size[1]);
}

/* Where rows that are added, or elements, go to places that indices choose: each is read, and what
 * it is added to is read and written. */
struct places {
	size_t index,
		source; /* inputs; index 0: of the gradients' rows, which go into a new table */
	bool has_rows;  /* the source has rows of the first input, else elements */
};

static void scatter(struct tc_work_sum *flops, struct tc_work_sum *bytes,
	const struct tc_op_inputs *inputs, struct places form)
{
	const struct tc_input *into = tc_sum_tensor(flops, inputs, 0, 0);
	const struct tc_input *source = tc_sum_tensor(flops, inputs, form.source, 0);
	const struct tc_input *index = tc_op_inputs_tensor(inputs, form.index);

	if (!flops->is_known || source->rank == 0)
		flops->is_known = false;
	if (!flops->is_known)
		return;
	int64_t moved = tc_sum_elements(flops, source);
	TC_SUM_ADD(flops, moved);
	tc_sum_bytes(bytes, source);
	tc_sum_bytes(bytes, index);
	TC_SUM_ADD(bytes, 2, moved, into->element_bytes);
	int64_t row = form.has_rows && source->rank > 1 ? source->size[source->rank - 1] : 1;
	set_chosen(flops, row > 0 ? moved / row : 0, row);
}

/* Gradients of the rows of a table, whose number is the third input. */
static void embedding_backward(
	struct tc_work_sum *flops, struct tc_work_sum *bytes, const struct tc_op_inputs *inputs)
{
	const struct tc_input *gradient = tc_sum_tensor(flops, inputs, 0, 0);
	int64_t rows = 0;

	flops->is_known =
		flops->is_known && gradient->rank > 0 && tc_work_numbers(&rows, 1, inputs, 2);
	if (!flops->is_known)
		return;
	int64_t row = gradient->size[gradient->rank - 1];
	TC_SUM_ADD(flops, tc_sum_elements(flops, gradient));
	add_inputs(bytes, inputs);
	TC_SUM_ADD(bytes, rows, row, gradient->element_bytes);
	set_chosen(flops, row > 0 ? tc_sum_elements(flops, gradient) / row : 0, row);
}

/* A selection of the largest reads the keys once for each byte of one, as a radix selection does. A
 * sort writes them, too, and their positions. */
static void sort(struct tc_work_sum *flops, struct tc_work_sum *bytes,
	const struct tc_op_inputs *inputs, bool is_whole)
{
	const struct tc_input *input = tc_sum_tensor(flops, inputs, 0, 0);

	if (!flops->is_known)
		return;
	int64_t size = input->element_bytes;
	TC_SUM_ADD(bytes, tc_sum_elements(flops, input), is_whole ? 2 * size + 8 : size * size);
}

/* Inductor's kernels have all tensors as inputs, and behind them the sizes of their loops: no
 * kernel touches more elements of a tensor, which matters where it looks up rows of a table. What
 * they compute is not recorded. */
static void compiled(
	struct tc_work_sum *flops, struct tc_work_sum *bytes, const struct tc_op_inputs *inputs)
{
	struct tc_work_sum loops = tc_sum_zero;
	int64_t most = 1;

	for (size_t i = 0; i < inputs->count; i++) {
		int64_t size;
		if (!tc_op_inputs_tensor(inputs, i) && tc_work_numbers(&size, 1, inputs, i) &&
			size > 0 && __builtin_mul_overflow(most, size, &most))
			most = INT64_MAX;
	}
	for (size_t i = 0; i < inputs->count; i++) {
		const struct tc_input *input = tc_op_inputs_tensor(inputs, i);
		int64_t count = input ? tc_sum_elements(&loops, input) : 0;

		if (input)
			TC_SUM_ADD(bytes, most > 1 && count > most ? most : count,
				input->element_bytes);
	}
	bytes->is_known = bytes->is_known && loops.is_known && tensors(inputs) > 0;
	flops->is_known = false;
}

/* Work whose result has sizes of its own; false for other work. */
static bool by_size(enum tc_work_kind kind, struct tc_work_sum *flops, struct tc_work_sum *bytes,
	const struct tc_op_inputs *inputs)
{
	switch (kind) {
	case TC_WORK_REDUCTION: reduction(flops, bytes, inputs, 1); return true;
	case TC_WORK_VECTOR_NORM: reduction(flops, bytes, inputs, 2); return true;
	case TC_WORK_POOL: pooling(flops, bytes, inputs, 0); return true;
	case TC_WORK_MAX_POOL: pooling(flops, bytes, inputs, 8); return true;
	case TC_WORK_RESIZE: resize(flops, bytes, inputs, 1); return true;
	case TC_WORK_RESIZE_BACKWARD: resize(flops, bytes, inputs, 2); return true;
	default: return false;
	}
}

/* Work on places that indices choose; false for other work. */
static bool by_index(enum tc_work_kind kind, struct tc_work_sum *flops, struct tc_work_sum *bytes,
	const struct tc_op_inputs *inputs)
{
	switch (kind) {
	case TC_WORK_EMBEDDING:
	case TC_WORK_ROWS:
	case TC_WORK_GATHER: gather(kind, flops, bytes, inputs); return true;
	case TC_WORK_SCATTER:
		scatter(flops, bytes, inputs, (struct places){2, 3, false});
		return true;
	case TC_WORK_ADD_ROWS:
		scatter(flops, bytes, inputs, (struct places){2, 3, true});
		return true;
	case TC_WORK_PUT: scatter(flops, bytes, inputs, (struct places){1, 2, true}); return true;
	case TC_WORK_EMBEDDING_BACKWARD: embedding_backward(flops, bytes, inputs); return true;
	case TC_WORK_EMBEDDING_BAG: embedding_bag(flops, bytes, inputs); return true;
	default: return false;
	}
}

void tc_memory_work(enum tc_work_kind kind, struct tc_work_sum *flops, struct tc_work_sum *bytes,
	const struct tc_op_inputs *inputs)
{
	static const struct moves moves[TC_WORK_COUNT] = {
		[TC_WORK_NORM_BACKWARD] = {"Or", 13},
		[TC_WORK_OUT_NORM] = {"Wr", 4},
		[TC_WORK_ADD_NORM] = {"Bbr", 5},
		[TC_WORK_SOFTMAX] = {"Or", 5},
		[TC_WORK_SOFTMAX_BACKWARD] = {"Or", 4},
		[TC_WORK_IN_PLACE] = {"Br", 1},
		[TC_WORK_GATED] = {"Wr", 2},
		[TC_WORK_ROTATION] = {"rBB-", 3},
		[TC_WORK_COPY] = {"Wr", 0},
		[TC_WORK_SCAN] = {"O-", 1},
		[TC_WORK_POOL_BACKWARD] = {"Rw-----r", 1},
		[TC_WORK_FILL] = {"W-", 0},
	};

	switch (kind) {
	case TC_WORK_NORM:
	case TC_WORK_BATCH_NORM: norm(flops, bytes, inputs); break;
	case TC_WORK_POINTWISE: pointwise(flops, bytes, inputs, promoted_bytes(inputs)); break;
	case TC_WORK_COMPARISON: pointwise(flops, bytes, inputs, 1); break;
	case TC_WORK_DROPOUT:
		move(flops, bytes, inputs, (struct moves){"O-", 1});
		TC_SUM_ADD(bytes, tc_sum_total(flops), flops->is_known); /* the mask */
		break;
	case TC_WORK_COMPILED: compiled(flops, bytes, inputs); break;
	case TC_WORK_SELECTION: sort(flops, bytes, inputs, false); break;
	case TC_WORK_SORT: sort(flops, bytes, inputs, true); break;
	default:
		if (!by_index(kind, flops, bytes, inputs) && !by_size(kind, flops, bytes, inputs))
			move(flops, bytes, inputs, moves[kind]);
	}
	static const struct {
		bool has_rows;
		uint8_t at, dim_at; /* the input with the rows, and with their dimension */
	} rows[TC_WORK_COUNT] = {
		[TC_WORK_NORM] = {true, 0, 0},
		[TC_WORK_OUT_NORM] = {true, 1, 0},
		[TC_WORK_ADD_NORM] = {true, 0, 0},
		[TC_WORK_SOFTMAX] = {true, 0, 1},
		[TC_WORK_SOFTMAX_BACKWARD] = {true, 0, 2},
		[TC_WORK_SCAN] = {true, 0, 1},
		[TC_WORK_SELECTION] = {true, 0, 2},
		[TC_WORK_SORT] = {true, 0, 2},
	};
	if (rows[kind].has_rows)
		set_rows_along(flops, inputs, rows[kind].at, rows[kind].dim_at);
	if (rows[kind].has_rows && rows[kind].dim_at == 0)
		flops->extent.reduced_dims = 0; /* norms copy inputs of another order before */
}
