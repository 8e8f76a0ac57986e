/*
 * A formula for each kind of work, on sums that notice when they do not fit: here products,
 * convolutions and attention, in memory_work.c work that memory bounds. A product of [8, 16] and
 * [16, 4] of fp32 has 2 * 8 * 16 * 4 = 1024 FLOPs and moves 4 * (128 + 64 + 32) = 896 bytes.
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

static bool read_truth(bool *out, const struct tc_op_inputs *inputs, size_t at)
{
	int64_t number = 0;
	bool is_known = tc_op_inputs_numbers(&number, 1, inputs, at) == 1;

	*out = number != 0;
	return is_known;
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

static void matrix_product(struct tc_work_sum *flops, struct tc_work_sum *bytes,
	const struct tc_op_inputs *inputs, struct product form)
{
	size_t rank = form.is_batch ? 3 : 2, first = form.has_addend || form.has_out;
	const struct tc_input *a = tc_sum_tensor(flops, inputs, first, rank);
	const struct tc_input *b =
		tc_sum_tensor(flops, inputs, first + 1, form.is_vector ? 1 : rank);
	const struct tc_input *addend = form.has_addend ? tc_sum_tensor(flops, inputs, 0, 0) : NULL;

	if (!flops->is_known)
		return;
	int64_t batch = form.is_batch ? a->size[0] : 1;
	int64_t m = a->size[rank - 2], k = a->size[rank - 1];
	int64_t n = form.is_vector ? 1 : b->size[rank - 1];

	flops->is_known = b->size[b->rank - 2 + form.is_vector] == k &&
			  (!form.is_batch || b->size[0] == batch);
	TC_SUM_ADD(flops, 2, batch, m, n, k);
	flops->extent = (struct tc_extent){batch, m, n, k, 0, 0};
	if (form.has_addend)
		TC_SUM_ADD(flops, batch, m, n);
	tc_sum_bytes(bytes, a);
	tc_sum_bytes(bytes, b);
	tc_sum_bytes(bytes, addend);
	int64_t result_bytes = a->element_bytes;
	if (form.has_out)
		result_bytes = inputs->input[0].element_bytes;
	else if (form.is_scaled)
		result_bytes = scaled_bytes(inputs, a);
	TC_SUM_ADD(bytes, batch, m, n, result_bytes);
	bytes->is_known = bytes->is_known && result_bytes > 0;
}

/* Rows in groups, each with a matrix of its own: [rows, k] and [groups, k, n]. */
static void grouped_product(
	struct tc_work_sum *flops, struct tc_work_sum *bytes, const struct tc_op_inputs *inputs)
{
	const struct tc_input *a = tc_sum_tensor(flops, inputs, 0, 2);
	const struct tc_input *b = tc_sum_tensor(flops, inputs, 1, 3);

	if (!flops->is_known)
		return;
	flops->is_known = a->size[1] == b->size[1];
	TC_SUM_ADD(flops, 2, a->size[0], a->size[1], b->size[2]);
	flops->extent = (struct tc_extent){b->size[0], b->size[0] > 0 ? a->size[0] / b->size[0] : 0,
		b->size[2], a->size[1], 0, 0};
	tc_sum_bytes(bytes, a);
	tc_sum_bytes(bytes, b);
	TC_SUM_ADD(bytes, a->size[0], b->size[2], a->element_bytes == 1 ? 2 : a->element_bytes);
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
	struct tc_work_sum *flops, struct tc_work_sum *bytes, const struct tc_op_inputs *inputs)
{
	const struct tc_input *tokens = tc_sum_tensor(flops, inputs, 0, 2);
	const struct tc_input *up = tc_sum_tensor(flops, inputs, 1, 3);
	const struct tc_input *down = tc_sum_tensor(flops, inputs, 2, 3);
	const struct tc_input *choice = tc_op_inputs_tensor(inputs, inputs->count > 4 ? 4 : 3);

	flops->is_known = flops->is_known && choice && choice->rank == 2 && up->size[0] > 0 &&
			  choice->size[0] == tokens->size[0] && down->size[0] == up->size[0];
	if (!flops->is_known)
		return;
	int64_t each = up->size[0];
	int64_t reached = reached_experts(tokens->size[0], each, choice->size[1]);
	struct tc_work_sum weights = tc_sum_zero;
	TC_SUM_ADD(&weights, up->size[1], up->size[2]);
	TC_SUM_ADD(&weights, down->size[1], down->size[2]);
	flops->is_known = weights.is_known;
	TC_SUM_ADD(flops, 2, tokens->size[0], choice->size[1], weights.total);
	flops->extent = (struct tc_extent){reached,
		reached > 0 ? tokens->size[0] * choice->size[1] / reached : 0, up->size[1],
		up->size[2], 0, 0};
	tc_sum_bytes(bytes, tokens);
	tc_sum_bytes(bytes, tokens); /* the result */
	tc_sum_bytes(bytes, choice);
	TC_SUM_ADD(bytes, reached, weights.total, up->element_bytes);
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
static bool read_convolution(struct convolution *form, struct tc_work_sum *flops,
	const struct tc_op_inputs *inputs, size_t first)
{
	form->input = tc_sum_tensor(flops, inputs, first, 0);
	form->weight = tc_sum_tensor(flops, inputs, first + 1, 0);
	if (!flops->is_known || form->input->rank < 3 || form->weight->rank != form->input->rank)
		return false;
	form->dims = form->input->rank - 2;
	bool known = tc_work_numbers(form->stride, form->dims, inputs, first + 3) &&
		     tc_work_numbers(form->padding, form->dims, inputs, first + 4) &&
		     tc_work_numbers(form->dilation, form->dims, inputs, first + 5) &&
		     read_truth(&form->is_transposed, inputs, first + 6) &&
		     tc_work_numbers(form->output_padding, form->dims, inputs, first + 7) &&
		     tc_work_numbers(&form->groups, 1, inputs, first + 8) && is_sane(form);
	for (size_t i = 0; i < form->dims && known; i++)
		form->out[i] = output_size(form, i);
	return known;
}

/* Multiplications and additions of one pass: every weight is multiplied with each element of the
 * result once. */
static void add_passes(struct tc_work_sum *flops, const struct convolution *form, int64_t passes)
{
	const int64_t *sizes = form->is_transposed ? form->input->size + 2 : form->out;

	TC_SUM_ADD(flops, 2, passes, form->input->size[0], tc_sum_product(flops, sizes, form->dims),
		tc_sum_elements(flops, form->weight));
	if (!flops->is_known || form->groups < 1 || form->weight->size[0] < 1)
		return;
	int64_t outputs =
		form->weight->size[form->is_transposed] / (form->is_transposed ? 1 : form->groups);
	flops->extent = (struct tc_extent){form->groups,
		form->input->size[0] * tc_sum_product(flops, sizes, form->dims), outputs,
		tc_sum_elements(flops, form->weight) / form->weight->size[form->is_transposed],
		form->dilation[0], 0};
}

static int64_t result_elements(struct tc_work_sum *sum, const struct convolution *form)
{
	struct tc_work_sum count = tc_sum_zero;
	int64_t channels = form->weight->size[0];

	if (form->is_transposed) {
		struct tc_work_sum all = tc_sum_zero;

		TC_SUM_ADD(&all, form->weight->size[1], form->groups);
		channels = tc_sum_total(&all);
	}
	TC_SUM_ADD(
		&count, form->input->size[0], channels, tc_sum_product(sum, form->out, form->dims));
	sum->is_known = sum->is_known && count.is_known;
	return count.total;
}

static void convolution(
	struct tc_work_sum *flops, struct tc_work_sum *bytes, const struct tc_op_inputs *inputs)
{
	struct convolution form = {.groups = 1};

	flops->is_known = read_convolution(&form, flops, inputs, 0);
	if (!flops->is_known)
		return;
	add_passes(flops, &form, 1);
	int64_t result = result_elements(flops, &form);
	const struct tc_input *bias = tc_op_inputs_tensor(inputs, 2);
	if (bias)
		TC_SUM_ADD(flops, result);
	tc_sum_bytes(bytes, form.input);
	tc_sum_bytes(bytes, form.weight);
	tc_sum_bytes(bytes, bias);
	TC_SUM_ADD(bytes, result, form.input->element_bytes);
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
	struct tc_work_sum *flops, struct tc_work_sum *bytes, const struct tc_op_inputs *inputs)
{
	struct convolution form = {.groups = 1};
	const struct tc_input *gradient = tc_sum_tensor(flops, inputs, 0, 0);
	bool wanted[3];

	flops->is_known =
		read_convolution(&form, flops, inputs, 1) && gradient && wants(inputs, wanted);
	if (!flops->is_known)
		return;
	add_passes(flops, &form, wanted[0] + wanted[1]);
	if (wanted[2])
		TC_SUM_ADD(flops, tc_sum_elements(flops, gradient));
	/* Each gradient is a pass of its own, which reads that of the result. */
	for (size_t i = 0; i < 3; i++)
		tc_sum_bytes(bytes, wanted[i] ? gradient : NULL);
	tc_sum_bytes(
		bytes, wanted[0] ? form.weight : NULL); /* read for the gradient of the input, */
	tc_sum_bytes(bytes, wanted[0] ? form.input : NULL); /* which is written */
	tc_sum_bytes(bytes, wanted[1] ? form.input : NULL);
	tc_sum_bytes(bytes, wanted[1] ? form.weight : NULL);
	if (wanted[2])
		TC_SUM_ADD(bytes, gradient->size[1], gradient->element_bytes);
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
	if (!tc_work_numbers(&kind, 1, inputs, at))
		return false;
	*out = kind != 0;
	return true;
}

static void attention(struct tc_work_sum *flops, struct tc_work_sum *bytes,
	const struct tc_op_inputs *inputs, struct attention form)
{
	size_t rank = form.layout == PACKED ? 3 : 4;
	const struct tc_input *q = tc_sum_tensor(flops, inputs, form.query, rank);
	const struct tc_input *k = tc_sum_tensor(flops, inputs, form.query + 1, rank);
	const struct tc_input *v = tc_sum_tensor(flops, inputs, form.query + 2, rank);
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
	TC_SUM_ADD(flops, pairs_twice, form.qk_products, size.batch, size.heads, size.rows, columns,
		size.qk_size);
	TC_SUM_ADD(flops, pairs_twice, form.v_products, size.batch, size.heads, size.rows, columns,
		size.v_size);
	flops->extent = (struct tc_extent){
		size.batch * size.heads, size.rows, size.columns, size.qk_size, 0, 0};
	for (int copies = form.is_backward ? 2 : 1; copies > 0; copies--) {
		tc_sum_bytes(bytes, q); /* with their gradients */
		tc_sum_bytes(bytes, k);
		tc_sum_bytes(bytes, v);
	}
	if (form.mask > 0)
		tc_sum_bytes(bytes, tc_op_inputs_tensor(inputs, form.mask));
	/* The result, and for the backward pass the incoming gradient. */
	TC_SUM_ADD(bytes, form.is_backward ? 2 : 1, size.batch, size.heads, size.rows, size.v_size,
		q->element_bytes);
}

static void matrix_work(enum tc_work_kind kind, struct tc_work_sum *flops,
	struct tc_work_sum *bytes, const struct tc_op_inputs *inputs)
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

struct tc_work tc_work_of(enum tc_work_kind kind, const struct tc_op_inputs *inputs)
{
	struct tc_work_sum flops = tc_sum_zero, bytes = tc_sum_zero;
	struct tc_work work = {.precision = TC_PRECISION_UNKNOWN, .is_matrix = is_matrix(kind)};
	size_t first = kind == TC_WORK_OUT_PRODUCT; /* behind the result */

	if (work.is_matrix)
		matrix_work(kind, &flops, &bytes, inputs);
	else
		tc_memory_work(kind, &flops, &bytes, inputs);
	bytes.is_known = bytes.is_known && (flops.is_known || kind == TC_WORK_COMPILED);
	work.flops = tc_sum_total(&flops);
	work.bytes = tc_sum_total(&bytes);
	work.extent = flops.extent;
	work.layout = tc_layout_of(kind, inputs, flops.extent.reduced_dims);
	for (size_t i = first; i < inputs->count && work.precision == TC_PRECISION_UNKNOWN; i++)
		if (tc_op_inputs_tensor(inputs, i))
			work.precision = inputs->input[i].precision;
	return work;
}
