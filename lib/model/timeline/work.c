/*
 * A formula for each kind of work, on sums that notice when they do not fit: products, convolutions
 * and attention each have a function, and work that memory bounds has a letter for each input
 * (moves). A product of [8, 16] and [16, 4] of fp32 has 2 * 8 * 16 * 4 = 1024 FLOPs and moves 4 *
 * (128 + 64 + 32) = 896 bytes.
 */
#include "model/timeline/work.h"

#include "core/array.h"
#include "core/text/decimal.h"

/* The bytes of a type by its number among those of PyTorch (c10::ScalarType), 0 for others. */
static int64_t numbered_type_bytes(int64_t number)
{
	static const int8_t bytes[] = {
		1, 1, 2, 4, 8, 2, 4, 8, 4, 8, 16, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1};

	return number >= 0 && number < (int64_t)TC_COUNT_OF(bytes) ? bytes[number] : 0;
}

/* A single number of an input counts for all of `count`. */
static bool read_numbers(int64_t *out, size_t count, const struct tc_op_inputs *inputs, size_t at)
{
	size_t got = tc_op_inputs_numbers(out, count, inputs, at);

	for (size_t i = got; got == 1 && i < count; i++)
		out[i] = out[0];
	return got > 0 && (got == count || got == 1);
}

static bool read_truth(bool *out, const struct tc_op_inputs *inputs, size_t at)
{
	int64_t number = 0;
	bool is_known = tc_op_inputs_numbers(&number, 1, inputs, at) == 1;

	*out = number != 0;
	return is_known;
}

/* A sum of products that notices when it does not fit. */
struct work_sum {
	int64_t total;
	bool is_known;
	struct tc_extent extent; /* of the FLOPs */
};

static const struct work_sum zero = {0, true, {0}};

static void add_product(struct work_sum *sum, const int64_t *factors, size_t count)
{
	int64_t product = 1;

	for (size_t i = 0; i < count && sum->is_known; i++)
		sum->is_known =
			factors[i] >= 0 && !__builtin_mul_overflow(product, factors[i], &product);
	if (sum->is_known)
		sum->is_known = !__builtin_add_overflow(sum->total, product, &sum->total);
}

#define ADD(sum, ...)                                                                              \
	add_product(sum, (const int64_t[]){__VA_ARGS__},                                           \
		sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

static int64_t total(const struct work_sum *sum)
{
	return sum->is_known ? sum->total : TC_WORK_UNKNOWN;
}

/* The tensor at an index; without it the result is unknown. */
static const struct tc_input *tensor(
	struct work_sum *sum, const struct tc_op_inputs *inputs, size_t at, size_t rank)
{
	const struct tc_input *input = tc_op_inputs_tensor(inputs, at);

	if (!input || (rank > 0 && input->rank != rank))
		sum->is_known = false;
	return sum->is_known ? input : NULL;
}

static int64_t elements(struct work_sum *sum, const struct tc_input *input)
{
	int64_t count = 0;

	if (!tc_input_elements(&count, input))
		sum->is_known = false;
	return count;
}

static void add_bytes(struct work_sum *bytes, const struct tc_input *input)
{
	if (input)
		ADD(bytes, elements(bytes, input), input->element_bytes);
}

/* Bytes of all tensors among the inputs. */
static void add_inputs(struct work_sum *bytes, const struct tc_op_inputs *inputs)
{
	for (size_t i = 0; i < inputs->count; i++)
		add_bytes(bytes, tc_op_inputs_tensor(inputs, i));
}

struct product {
	bool is_batch, has_addend, is_scaled;
	bool is_vector; /* the second operand has one dimension */
	bool has_out;   /* the tensor before the operands takes the result */
};

/* The type of a result that has a type of its own: _scaled_mm has its number as seventh input, and
 * the type of the operands without one. _int_mm has two inputs, and sums of 32 bits. */
static int64_t scaled_bytes(const struct tc_op_inputs *inputs, const struct tc_input *a)
{
	int64_t number = -1;

	if (inputs->count <= 2)
		return 4;
	if (inputs->count <= 6 || !inputs->input[6].concrete.ptr)
		return 0;
	if (inputs->input[6].concrete.len == 0)
		return a->element_bytes;
	return tc_decimal_int64(&number, inputs->input[6].concrete) ? numbered_type_bytes(number)
								    : 0;
}

static void matrix_product(struct work_sum *flops, struct work_sum *bytes,
	const struct tc_op_inputs *inputs, struct product form)
{
	size_t rank = form.is_batch ? 3 : 2, first = form.has_addend || form.has_out;
	const struct tc_input *a = tensor(flops, inputs, first, rank);
	const struct tc_input *b = tensor(flops, inputs, first + 1, form.is_vector ? 1 : rank);
	const struct tc_input *addend = form.has_addend ? tensor(flops, inputs, 0, 0) : NULL;

	if (!flops->is_known)
		return;
	int64_t batch = form.is_batch ? a->size[0] : 1;
	int64_t m = a->size[rank - 2], k = a->size[rank - 1];
	int64_t n = form.is_vector ? 1 : b->size[rank - 1];

	flops->is_known = b->size[b->rank - 2 + form.is_vector] == k &&
			  (!form.is_batch || b->size[0] == batch);
	ADD(flops, 2, batch, m, n, k);
	flops->extent = (struct tc_extent){batch, m, n, k, 0, 0};
	if (form.has_addend)
		ADD(flops, batch, m, n);
	add_bytes(bytes, a);
	add_bytes(bytes, b);
	add_bytes(bytes, addend);
	int64_t result_bytes = a->element_bytes;
	if (form.has_out)
		result_bytes = inputs->input[0].element_bytes;
	else if (form.is_scaled)
		result_bytes = scaled_bytes(inputs, a);
	ADD(bytes, batch, m, n, result_bytes);
	bytes->is_known = bytes->is_known && result_bytes > 0;
}

/* Rows in groups, each with a matrix of its own: [rows, k] and [groups, k, n]. */
static void grouped_product(
	struct work_sum *flops, struct work_sum *bytes, const struct tc_op_inputs *inputs)
{
	const struct tc_input *a = tensor(flops, inputs, 0, 2);
	const struct tc_input *b = tensor(flops, inputs, 1, 3);

	if (!flops->is_known)
		return;
	flops->is_known = a->size[1] == b->size[1];
	ADD(flops, 2, a->size[0], a->size[1], b->size[2]);
	flops->extent = (struct tc_extent){b->size[0], b->size[0] > 0 ? a->size[0] / b->size[0] : 0,
		b->size[2], a->size[1], 0, 0};
	add_bytes(bytes, a);
	add_bytes(bytes, b);
	ADD(bytes, a->size[0], b->size[2], a->element_bytes == 1 ? 2 : a->element_bytes);
}

/* The experts that tokens reach which choose `chosen` of `experts` each, all experts alike often:
 * the one number here that is expected and not exact. */
static int64_t reached_experts(int64_t tokens, int64_t experts, int64_t chosen)
{
	double missed = 1;

	if (chosen >= experts)
		return experts;
	for (int64_t i = 0; i < tokens && missed * (double)experts > 0.5; i++)
		missed *= 1 - (double)chosen / (double)experts;
	return (int64_t)((double)experts * (1 - missed) + 0.5);
}

/* Tokens [t, k], two matrices for each expert [e, n, k] and [e, k, n2], and the experts that each
 * token chooses [t, chosen], in the fifth input or in the fourth. */
static void fused_experts(
	struct work_sum *flops, struct work_sum *bytes, const struct tc_op_inputs *inputs)
{
	const struct tc_input *tokens = tensor(flops, inputs, 0, 2);
	const struct tc_input *up = tensor(flops, inputs, 1, 3);
	const struct tc_input *down = tensor(flops, inputs, 2, 3);
	const struct tc_input *choice = tc_op_inputs_tensor(inputs, inputs->count > 4 ? 4 : 3);

	flops->is_known = flops->is_known && choice && choice->rank == 2 && up->size[0] > 0 &&
			  choice->size[0] == tokens->size[0] && down->size[0] == up->size[0];
	if (!flops->is_known)
		return;
	int64_t each = up->size[0];
	int64_t reached = reached_experts(tokens->size[0], each, choice->size[1]);
	struct work_sum weights = zero;
	ADD(&weights, up->size[1], up->size[2]);
	ADD(&weights, down->size[1], down->size[2]);
	flops->is_known = weights.is_known;
	ADD(flops, 2, tokens->size[0], choice->size[1], weights.total);
	flops->extent = (struct tc_extent){reached,
		reached > 0 ? tokens->size[0] * choice->size[1] / reached : 0, up->size[1],
		up->size[2], 0, 0};
	add_bytes(bytes, tokens);
	add_bytes(bytes, tokens); /* the result */
	add_bytes(bytes, choice);
	ADD(bytes, reached, weights.total, up->element_bytes);
}

struct convolution {
	const struct tc_input *input, *weight;
	size_t dims; /* spatial */
	int64_t stride[TC_RANK_MAX], padding[TC_RANK_MAX], dilation[TC_RANK_MAX],
		output_padding[TC_RANK_MAX];
	int64_t groups;
	bool is_transposed;
	int64_t out[TC_RANK_MAX]; /* spatial sizes of the result */
};

static int64_t output_size(const struct convolution *form, size_t i)
{
	int64_t in = form->input->size[2 + i];
	int64_t reach = form->dilation[i] * (form->weight->size[2 + i] - 1);

	if (form->is_transposed)
		return (in - 1) * form->stride[i] - 2 * form->padding[i] + reach +
		       form->output_padding[i] + 1;
	int64_t room = in + 2 * form->padding[i] - reach - 1;
	return room < 0 ? 0 : room / form->stride[i] + 1;
}

/* Far more dimensions than any layer has; with larger values the sums above would overflow. */
static bool is_sane(const struct convolution *form)
{
	const int64_t most = 1 << 28;

	for (size_t i = 0; i < form->dims; i++) {
		const int64_t values[] = {form->input->size[2 + i], form->weight->size[2 + i] - 1,
			form->stride[i] - 1, form->padding[i], form->dilation[i] - 1,
			form->output_padding[i]};

		for (size_t j = 0; j < TC_COUNT_OF(values); j++)
			if (values[j] < 0 || values[j] > most)
				return false;
	}
	return true;
}

/* The inputs from index `first` on: input, weight, bias (backward: its size), stride, padding,
 * dilation, transposed, output_padding, groups. */
static bool read_convolution(struct convolution *form, struct work_sum *flops,
	const struct tc_op_inputs *inputs, size_t first)
{
	form->input = tensor(flops, inputs, first, 0);
	form->weight = tensor(flops, inputs, first + 1, 0);
	if (!flops->is_known || form->input->rank < 3 || form->weight->rank != form->input->rank)
		return false;
	form->dims = form->input->rank - 2;
	bool known = read_numbers(form->stride, form->dims, inputs, first + 3) &&
		     read_numbers(form->padding, form->dims, inputs, first + 4) &&
		     read_numbers(form->dilation, form->dims, inputs, first + 5) &&
		     read_truth(&form->is_transposed, inputs, first + 6) &&
		     read_numbers(form->output_padding, form->dims, inputs, first + 7) &&
		     read_numbers(&form->groups, 1, inputs, first + 8) && is_sane(form);
	for (size_t i = 0; i < form->dims && known; i++)
		form->out[i] = output_size(form, i);
	return known;
}

/* A product that goes into a sum as a factor. */
static int64_t product_of(struct work_sum *sum, const int64_t *sizes, size_t count)
{
	struct work_sum product = zero;

	add_product(&product, sizes, count);
	sum->is_known = sum->is_known && product.is_known;
	return product.total;
}

/* Multiplications and additions of one pass: every weight is multiplied with each element of the
 * result once. */
static void add_passes(struct work_sum *flops, const struct convolution *form, int64_t passes)
{
	const int64_t *sizes = form->is_transposed ? form->input->size + 2 : form->out;

	ADD(flops, 2, passes, form->input->size[0], product_of(flops, sizes, form->dims),
		elements(flops, form->weight));
	if (!flops->is_known || form->groups < 1 || form->weight->size[0] < 1)
		return;
	int64_t outputs =
		form->weight->size[form->is_transposed] / (form->is_transposed ? 1 : form->groups);
	flops->extent = (struct tc_extent){form->groups,
		form->input->size[0] * product_of(flops, sizes, form->dims), outputs,
		elements(flops, form->weight) / form->weight->size[form->is_transposed],
		form->dilation[0], 0};
}

static int64_t result_elements(struct work_sum *sum, const struct convolution *form)
{
	struct work_sum count = zero;
	int64_t channels = form->weight->size[0];

	if (form->is_transposed) {
		struct work_sum all = zero;

		ADD(&all, form->weight->size[1], form->groups);
		channels = total(&all);
	}
	ADD(&count, form->input->size[0], channels, product_of(sum, form->out, form->dims));
	sum->is_known = sum->is_known && count.is_known;
	return count.total;
}

static void convolution(
	struct work_sum *flops, struct work_sum *bytes, const struct tc_op_inputs *inputs)
{
	struct convolution form = {.groups = 1};

	flops->is_known = read_convolution(&form, flops, inputs, 0);
	if (!flops->is_known)
		return;
	add_passes(flops, &form, 1);
	int64_t result = result_elements(flops, &form);
	const struct tc_input *bias = tc_op_inputs_tensor(inputs, 2);
	if (bias)
		ADD(flops, result);
	add_bytes(bytes, form.input);
	add_bytes(bytes, form.weight);
	add_bytes(bytes, bias);
	ADD(bytes, result, form.input->element_bytes);
}

/* The mask says which gradients are computed: of input, weight and bias. */
static bool wants(const struct tc_op_inputs *inputs, bool wanted[3])
{
	const struct tc_text text = inputs->count > 10 ? inputs->input[10].concrete : TC_TEXT_NONE;
	size_t count = 0;

	for (size_t i = 0; text.ptr && i < text.len && count < 3; i++)
		if (text.ptr[i] == 'T' || text.ptr[i] == 'F')
			wanted[count++] = text.ptr[i] == 'T';
	return count == 3;
}

static void convolution_backward(
	struct work_sum *flops, struct work_sum *bytes, const struct tc_op_inputs *inputs)
{
	struct convolution form = {.groups = 1};
	const struct tc_input *gradient = tensor(flops, inputs, 0, 0);
	bool wanted[3];

	flops->is_known =
		read_convolution(&form, flops, inputs, 1) && gradient && wants(inputs, wanted);
	if (!flops->is_known)
		return;
	add_passes(flops, &form, wanted[0] + wanted[1]);
	if (wanted[2])
		ADD(flops, elements(flops, gradient));
	/* Each gradient is a pass of its own, which reads that of the result. */
	for (size_t i = 0; i < 3; i++)
		add_bytes(bytes, wanted[i] ? gradient : NULL);
	add_bytes(bytes, wanted[0] ? form.weight : NULL); /* read for the gradient of the input, */
	add_bytes(bytes, wanted[0] ? form.input : NULL);  /* which is written */
	add_bytes(bytes, wanted[1] ? form.input : NULL);
	add_bytes(bytes, wanted[1] ? form.weight : NULL);
	if (wanted[2])
		ADD(bytes, gradient->size[1], gradient->element_bytes);
}

/* How tensors of an attention operator lie. */
enum attention_layout {
	HEADS_FIRST, /* [batch, heads, rows, size] */
	ROWS_FIRST,  /* [batch, rows, heads, size] */
	PACKED,      /* [rows of all sequences, heads, size], where they begin behind the values */
};

/* Where an attention operator has its inputs, and how many products of size d_qk and d_v it
 * computes. */
struct attention {
	enum attention_layout layout;
	size_t query, mask, is_causal; /* 0: it has no mask */
	int64_t qk_products, v_products;
	bool is_backward;
};

/* In one batch the pairs of a query and a key are rows * columns, those of a triangle fewer. */
struct attention_size {
	int64_t batch, heads, rows, columns, qk_size, v_size;
};

static struct attention_size attention_size(enum attention_layout layout, const struct tc_input *q,
	const struct tc_input *k, const struct tc_input *v)
{
	if (layout == PACKED)
		return (struct attention_size){
			1, q->size[1], q->size[0], k->size[0], q->size[2], v->size[2]};
	size_t rows = layout == HEADS_FIRST ? 2 : 1;
	return (struct attention_size){q->size[0], q->size[3 - rows], q->size[rows], k->size[rows],
		q->size[3], v->size[3]};
}

/* Packed sequences have equal lengths here: with the lengths that they have, the pairs are no
 * fewer. Their begins are one more than they are. */
static bool unpack(struct attention_size *size, const struct tc_input *begins)
{
	int64_t count = begins && begins->rank == 1 ? begins->size[0] - 1 : 0;

	if (count < 1 || size->rows % count != 0 || size->columns % count != 0)
		return count == 1;
	size->batch = count;
	size->rows /= count;
	size->columns /= count;
	return true;
}

/* A causal mask is a word, or the number of its kind: 0 for none. */
static bool read_causal(bool *out, const struct tc_op_inputs *inputs, size_t at)
{
	int64_t kind = 0;

	if (read_truth(out, inputs, at))
		return true;
	if (!read_numbers(&kind, 1, inputs, at))
		return false;
	*out = kind != 0;
	return true;
}

static void attention(struct work_sum *flops, struct work_sum *bytes,
	const struct tc_op_inputs *inputs, struct attention form)
{
	size_t rank = form.layout == PACKED ? 3 : 4;
	const struct tc_input *q = tensor(flops, inputs, form.query, rank);
	const struct tc_input *k = tensor(flops, inputs, form.query + 1, rank);
	const struct tc_input *v = tensor(flops, inputs, form.query + 2, rank);
	bool is_causal = false;

	flops->is_known = flops->is_known && read_causal(&is_causal, inputs, form.is_causal);
	if (!flops->is_known)
		return;
	struct attention_size size = attention_size(form.layout, q, k, v);
	if (form.layout == PACKED)
		flops->is_known = unpack(&size, tc_op_inputs_tensor(inputs, form.query + 3));
	int64_t columns = size.columns, pairs_twice = 2;
	/* A square mask leaves a triangle. For other masks the trace does not say in which corner
	 * the triangle starts. */
	if (is_causal) {
		flops->is_known = flops->is_known && size.rows == columns && size.rows < INT32_MAX;
		pairs_twice = 1;
		columns = flops->is_known ? size.rows + 1 : 0;
	}
	ADD(flops, pairs_twice, form.qk_products, size.batch, size.heads, size.rows, columns,
		size.qk_size);
	ADD(flops, pairs_twice, form.v_products, size.batch, size.heads, size.rows, columns,
		size.v_size);
	flops->extent = (struct tc_extent){
		size.batch * size.heads, size.rows, size.columns, size.qk_size, 0, 0};
	for (int copies = form.is_backward ? 2 : 1; copies > 0; copies--) {
		add_bytes(bytes, q); /* with their gradients */
		add_bytes(bytes, k);
		add_bytes(bytes, v);
	}
	if (form.mask > 0)
		add_bytes(bytes, tc_op_inputs_tensor(inputs, form.mask));
	/* The result, and for the backward pass the incoming gradient. */
	ADD(bytes, form.is_backward ? 2 : 1, size.batch, size.heads, size.rows, size.v_size,
		q->element_bytes);
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

static void move(struct work_sum *flops, struct work_sum *bytes, const struct tc_op_inputs *inputs,
	struct moves form)
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
			ADD(flops, form.flops, elements(flops, input));
		add_bytes(bytes, input);
		add_bytes(bytes, letter == 'b' || letter == 'o' ? input : NULL);
	}
	flops->is_known = flops->is_known && has_any;
}

static void norm(struct work_sum *flops, struct work_sum *bytes, const struct tc_op_inputs *inputs)
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
static void pointwise(struct work_sum *flops, struct work_sum *bytes,
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
	struct work_sum count = zero;
	add_product(&count, result.size + TC_RANK_MAX - result.rank, result.rank);
	flops->is_known = count.is_known && result_bytes > 0;
	ADD(flops, count.total);
	add_inputs(bytes, inputs);
	ADD(bytes, count.total, result_bytes);
}

/* The elements of a tensor along all dimensions but those in `left_out`, bits of them. */
static int64_t elements_without(
	struct work_sum *sum, const struct tc_input *input, unsigned left_out)
{
	int64_t sizes[TC_RANK_MAX];
	size_t kept = 0;

	for (size_t i = 0; i < input->rank; i++)
		if (!(left_out >> i & 1))
			sizes[kept++] = input->size[i];
	return product_of(sum, sizes, kept);
}

/* Bits of the dimensions that an input lists: -1 is the last one. All where it lists none. */
static unsigned listed_dims(struct work_sum *sum, const struct tc_op_inputs *inputs, size_t at)
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
static void set_rows(struct work_sum *flops, const struct tc_input *input, unsigned dims)
{
	int64_t rows = input ? elements_without(flops, input, dims) : 0;

	if (flops->is_known && rows > 0)
		flops->extent =
			(struct tc_extent){1, rows, 0, elements(flops, input) / rows, 0, dims};
}

/* Rows along the dimension that an input says, or else along the last one. */
static void set_rows_along(
	struct work_sum *flops, const struct tc_op_inputs *inputs, size_t at, size_t dim_at)
{
	const struct tc_input *input = tc_op_inputs_tensor(inputs, at);

	if (!flops->is_known || !input || input->rank == 0)
		return;
	unsigned last = 1U << (input->rank - 1);
	struct work_sum dims = *flops;
	unsigned listed = dim_at > 0 ? listed_dims(&dims, inputs, dim_at) : last;
	set_rows(flops, input, dims.is_known && (listed & (listed - 1)) == 0 ? listed : last);
}

/* An element of the result for all along the listed dimensions. sum() of two inputs has a type in
 * their place, and reduces all. */
static void reduction(struct work_sum *flops, struct work_sum *bytes,
	const struct tc_op_inputs *inputs, size_t dims_at)
{
	const struct tc_input *input = tensor(flops, inputs, 0, 0);

	if (!flops->is_known)
		return;
	unsigned dims = listed_dims(flops, inputs, inputs->count > 2 ? dims_at : SIZE_MAX);
	ADD(flops, elements(flops, input));
	add_bytes(bytes, input);
	int64_t kept = elements_without(flops, input, dims);
	ADD(bytes, kept, input->element_bytes);
	set_rows(flops, input, dims);
}

/* `count` rows of `row` elements that indices choose. */
static void set_chosen(struct work_sum *flops, int64_t count, int64_t row)
{
	if (flops->is_known)
		flops->extent = (struct tc_extent){1, count, 0, row, 0, 0};
}

/* A row of a table, or an element, for each index: read, and written. */
static void gather(enum tc_work_kind kind, struct work_sum *flops, struct work_sum *bytes,
	const struct tc_op_inputs *inputs)
{
	const struct tc_input *table = tensor(flops, inputs, 0, 0);
	const struct tc_input *index = tensor(flops, inputs, kind == TC_WORK_EMBEDDING ? 1 : 2, 0);
	int64_t row = 1;

	if (!flops->is_known)
		return;
	if (kind != TC_WORK_GATHER)
		row = elements_without(flops, table,
			kind == TC_WORK_EMBEDDING ? 1 : listed_dims(flops, inputs, 1));
	ADD(bytes, 2, elements(flops, index), row, table->element_bytes);
	add_bytes(bytes, index);
	set_chosen(flops, elements(flops, index), row);
}

/* Where rows that are added, or elements, go to places that indices choose: each is read, and what
 * it is added to is read and written. */
struct places {
	size_t index,
		source; /* inputs; index 0: of the gradients' rows, which go into a new table */
	bool has_rows;  /* the source has rows of the first input, else elements */
};

static void scatter(struct work_sum *flops, struct work_sum *bytes,
	const struct tc_op_inputs *inputs, struct places form)
{
	const struct tc_input *into = tensor(flops, inputs, 0, 0);
	const struct tc_input *source = tensor(flops, inputs, form.source, 0);
	const struct tc_input *index = tc_op_inputs_tensor(inputs, form.index);

	if (!flops->is_known || source->rank == 0)
		flops->is_known = false;
	if (!flops->is_known)
		return;
	int64_t moved = elements(flops, source);
	ADD(flops, moved);
	add_bytes(bytes, source);
	add_bytes(bytes, index);
	ADD(bytes, 2, moved, into->element_bytes);
	int64_t row = form.has_rows && source->rank > 1 ? source->size[source->rank - 1] : 1;
	set_chosen(flops, row > 0 ? moved / row : 0, row);
}

/* Gradients of the rows of a table, whose number is the third input. */
static void embedding_backward(
	struct work_sum *flops, struct work_sum *bytes, const struct tc_op_inputs *inputs)
{
	const struct tc_input *gradient = tensor(flops, inputs, 0, 0);
	int64_t rows = 0;

	flops->is_known =
		flops->is_known && gradient->rank > 0 && read_numbers(&rows, 1, inputs, 2);
	if (!flops->is_known)
		return;
	int64_t row = gradient->size[gradient->rank - 1];
	ADD(flops, elements(flops, gradient));
	add_inputs(bytes, inputs);
	ADD(bytes, rows, row, gradient->element_bytes);
	set_chosen(flops, row > 0 ? elements(flops, gradient) / row : 0, row);
}

/* A selection of the largest reads the keys once for each byte of one, as a radix selection does. A
 * sort writes them, too, and their positions. */
static void sort(struct work_sum *flops, struct work_sum *bytes, const struct tc_op_inputs *inputs,
	bool is_whole)
{
	const struct tc_input *input = tensor(flops, inputs, 0, 0);

	if (!flops->is_known)
		return;
	int64_t size = input->element_bytes;
	ADD(bytes, elements(flops, input), is_whole ? 2 * size + 8 : size * size);
}

/* Inductor's kernels have all tensors as inputs, and behind them the sizes of their loops: no
 * kernel touches more elements of a tensor, which matters where it looks up rows of a table. What
 * they compute is not recorded. */
static void compiled(
	struct work_sum *flops, struct work_sum *bytes, const struct tc_op_inputs *inputs)
{
	struct work_sum loops = zero;
	int64_t most = 1;

	for (size_t i = 0; i < inputs->count; i++) {
		int64_t size;
		if (!tc_op_inputs_tensor(inputs, i) && read_numbers(&size, 1, inputs, i) &&
			size > 0 && __builtin_mul_overflow(most, size, &most))
			most = INT64_MAX;
	}
	for (size_t i = 0; i < inputs->count; i++) {
		const struct tc_input *input = tc_op_inputs_tensor(inputs, i);
		int64_t count = input ? elements(&loops, input) : 0;

		if (input)
			ADD(bytes, most > 1 && count > most ? most : count, input->element_bytes);
	}
	bytes->is_known = bytes->is_known && loops.is_known && tensors(inputs) > 0;
	flops->is_known = false;
}

static void matrix_work(enum tc_work_kind kind, struct work_sum *flops, struct work_sum *bytes,
	const struct tc_op_inputs *inputs)
{
	static const struct product products[TC_WORK_COUNT] = {
		[TC_WORK_ADD_PRODUCT] = {.has_addend = true},
		[TC_WORK_BATCH_PRODUCT] = {.is_batch = true},
		[TC_WORK_ADD_BATCH_PRODUCT] = {.is_batch = true, .has_addend = true},
		[TC_WORK_SCALED_PRODUCT] = {.is_scaled = true},
		[TC_WORK_OUT_PRODUCT] = {.has_out = true},
		[TC_WORK_VECTOR_PRODUCT] = {.is_vector = true},
		[TC_WORK_ADD_VECTOR_PRODUCT] = {.is_vector = true, .has_addend = true},
	};
	static const struct attention attentions[TC_WORK_COUNT] = {
		[TC_WORK_ATTENTION] = {HEADS_FIRST, 0, 0, 4, 1, 1, false},
		[TC_WORK_MASKED_ATTENTION] = {HEADS_FIRST, 0, 3, 6, 1, 1, false},
		[TC_WORK_FLASH_ATTENTION] = {ROWS_FIRST, 0, 0, 5, 1, 1, false},
		[TC_WORK_PACKED_ATTENTION] = {PACKED, 0, 0, 9, 1, 1, false},
		[TC_WORK_ATTENTION_BACKWARD] = {HEADS_FIRST, 1, 0, 11, 3, 2, true},
		[TC_WORK_MASKED_ATTENTION_BACKWARD] = {HEADS_FIRST, 1, 4, 11, 3, 2, true},
		[TC_WORK_CUDNN_ATTENTION_BACKWARD] = {HEADS_FIRST, 1, 8, 14, 3, 2, true},
		[TC_WORK_FLASH_ATTENTION_BACKWARD] = {ROWS_FIRST, 1, 0, 11, 3, 2, true},
	};

	if (kind == TC_WORK_CONVOLUTION)
		convolution(flops, bytes, inputs);
	else if (kind == TC_WORK_CONVOLUTION_BACKWARD)
		convolution_backward(flops, bytes, inputs);
	else if (kind == TC_WORK_GROUPED_PRODUCT)
		grouped_product(flops, bytes, inputs);
	else if (kind == TC_WORK_FUSED_EXPERTS)
		fused_experts(flops, bytes, inputs);
	else if (kind == TC_WORK_PAGED_ATTENTION)
		flops->is_known = false;
	else if (attentions[kind].qk_products > 0)
		attention(flops, bytes, inputs, attentions[kind]);
	else
		matrix_product(flops, bytes, inputs, products[kind]);
}

static bool is_matrix(enum tc_work_kind kind)
{
	return kind < TC_WORK_NORM;
}

/* Work on places that indices choose; false for other work. */
static bool by_index(enum tc_work_kind kind, struct work_sum *flops, struct work_sum *bytes,
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
	default: return false;
	}
}

static void other_work(enum tc_work_kind kind, struct work_sum *flops, struct work_sum *bytes,
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
		[TC_WORK_FILL] = {"W-", 0},
	};

	switch (kind) {
	case TC_WORK_NORM:
	case TC_WORK_BATCH_NORM: norm(flops, bytes, inputs); break;
	case TC_WORK_POINTWISE: pointwise(flops, bytes, inputs, promoted_bytes(inputs)); break;
	case TC_WORK_COMPARISON: pointwise(flops, bytes, inputs, 1); break;
	case TC_WORK_REDUCTION: reduction(flops, bytes, inputs, 1); break;
	case TC_WORK_VECTOR_NORM: reduction(flops, bytes, inputs, 2); break;
	case TC_WORK_COMPILED: compiled(flops, bytes, inputs); break;
	case TC_WORK_SELECTION: sort(flops, bytes, inputs, false); break;
	case TC_WORK_SORT: sort(flops, bytes, inputs, true); break;
	default:
		if (!by_index(kind, flops, bytes, inputs))
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
		[TC_WORK_SELECTION] = {true, 0, 2},
		[TC_WORK_SORT] = {true, 0, 2},
	};
	if (rows[kind].has_rows)
		set_rows_along(flops, inputs, rows[kind].at, rows[kind].dim_at);
	if (rows[kind].has_rows && rows[kind].dim_at == 0)
		flops->extent.reduced_dims = 0; /* norms copy inputs of another order before */
}

struct tc_work tc_work_of(enum tc_work_kind kind, const struct tc_op_inputs *inputs)
{
	struct work_sum flops = zero, bytes = zero;
	struct tc_work work = {.precision = TC_PRECISION_UNKNOWN, .is_matrix = is_matrix(kind)};
	size_t first = kind == TC_WORK_OUT_PRODUCT; /* behind the result */

	if (work.is_matrix)
		matrix_work(kind, &flops, &bytes, inputs);
	else
		other_work(kind, &flops, &bytes, inputs);
	bytes.is_known = bytes.is_known && (flops.is_known || kind == TC_WORK_COMPILED);
	work.flops = total(&flops);
	work.bytes = total(&bytes);
	work.extent = flops.extent;
	work.layout = tc_layout_of(kind, inputs, flops.extent.reduced_dims);
	for (size_t i = first; i < inputs->count && work.precision == TC_PRECISION_UNKNOWN; i++)
		if (tc_op_inputs_tensor(inputs, i))
			work.precision = inputs->input[i].precision;
	return work;
}
