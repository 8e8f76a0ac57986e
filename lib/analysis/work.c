/*
 * First the inputs: lists of sizes, types and values in the JSON of the arguments. Then a formula
 * for each kind of work, on sums that notice when they do not fit. A product of [8, 16] and [16, 4]
 * of fp32 has 2 * 8 * 16 * 4 = 1024 FLOPs and moves 4 * (128 + 64 + 32) = 896 bytes.
 */
#include "analysis/work.h"

#include "core/array.h"
#include "core/text/decimal.h"
#include "decode/json/json_text.h"

/* The precision of a type, and the bytes of an element; UNKNOWN and 0 for anything else. */
static enum tc_precision type_find(int64_t *element_bytes, struct tc_text name)
{
	static const struct {
		const char *name;
		enum tc_precision precision;
		int64_t bytes;
	} rows[] = {
#define TC_TYPE(name, precision, bytes) {name, TC_PRECISION_##precision, bytes},
#include "names/types.def"
	};

	*element_bytes = 0;
	for (size_t i = 0; name.ptr && i < TC_COUNT_OF(rows); i++) {
		if (!tc_text_equal(name, tc_text_from(rows[i].name)))
			continue;
		*element_bytes = rows[i].bytes;
		return rows[i].precision;
	}
	return TC_PRECISION_UNKNOWN;
}

/* Takes the first element off a list's inside; false at its end. */
static bool next_element(struct tc_text *element, struct tc_text *rest)
{
	const char *end = rest->ptr + rest->len;
	const char *at = tc_json_skip_blanks(rest->ptr, end);

	if (at < end && *at == ',')
		at = tc_json_skip_blanks(at + 1, end);
	*element = (struct tc_text){at, (size_t)(end - at)};
	element->len = tc_json_value_length(*element);
	*rest = (struct tc_text){at + element->len, (size_t)(end - at) - element->len};
	return element->len > 0;
}

static bool open_list(struct tc_text *inside, struct tc_text list)
{
	if (!list.ptr || list.len < 2 || list.ptr[0] != '[')
		return false;
	*inside = (struct tc_text){list.ptr + 1, list.len - 2};
	return true;
}

/* A list of tensors contains lists and is not a tensor. */
static void read_sizes(struct tc_input *input, struct tc_text sizes)
{
	struct tc_text inside, element;
	bool is_tensor = open_list(&inside, sizes);

	while (is_tensor && next_element(&element, &inside)) {
		is_tensor = input->rank < TC_RANK_MAX &&
			    tc_decimal_int64(&input->size[input->rank], element);
		input->rank++;
	}
	if (!is_tensor)
		input->element_bytes = 0;
}

static struct tc_text between_quotes(struct tc_text string)
{
	if (string.len < 2 || string.ptr[0] != '"')
		return TC_TEXT_NONE;
	return (struct tc_text){string.ptr + 1, string.len - 2};
}

static void read_lists(struct tc_inputs *inputs, struct tc_text sizes, struct tc_text types,
	struct tc_text concretes)
{
	struct tc_text size, type, concrete;

	while (inputs->count < TC_INPUTS_MAX && next_element(&size, &sizes) &&
		next_element(&type, &types)) {
		struct tc_input *input = &inputs->input[inputs->count++];

		*input = (struct tc_input){.element_bytes = 0};
		input->precision = type_find(&input->element_bytes, between_quotes(type));
		read_sizes(input, size);
		if (concretes.ptr && next_element(&concrete, &concretes))
			input->concrete = between_quotes(concrete);
	}
}

bool tc_inputs_read(struct tc_inputs *inputs, struct tc_text args)
{
	struct tc_text sizes = TC_TEXT_NONE, types = TC_TEXT_NONE, concretes = TC_TEXT_NONE;
	struct tc_json_iter iter;
	struct tc_json_member member;

	inputs->count = 0;
	tc_json_iter_init(&iter, args);
	while (tc_json_iter_next(&iter, &member)) {
		if (tc_text_equal(member.key, TC_TEXT("Input Dims")) ||
			tc_text_equal(member.key, TC_TEXT("Input dims")))
			sizes = member.value;
		else if (tc_text_equal(member.key, TC_TEXT("Input type")) ||
			 tc_text_equal(member.key, TC_TEXT("Input Type")))
			types = member.value;
		else if (tc_text_equal(member.key, TC_TEXT("Concrete Inputs")))
			concretes = member.value;
	}
	if (!open_list(&sizes, sizes) || !open_list(&types, types))
		return false;
	if (!open_list(&concretes, concretes))
		concretes = TC_TEXT_NONE;
	read_lists(inputs, sizes, types, concretes);
	return true;
}

const struct tc_input *tc_inputs_tensor(const struct tc_inputs *inputs, size_t at)
{
	return at < inputs->count && inputs->input[at].element_bytes > 0 ? &inputs->input[at]
									 : NULL;
}

bool tc_input_elements(int64_t *count, const struct tc_input *input)
{
	int64_t product = 1;

	for (size_t i = 0; i < input->rank; i++)
		if (input->size[i] < 0 || __builtin_mul_overflow(product, input->size[i], &product))
			return false;
	*count = product;
	return true;
}

/* Blanks around a number of a list that Python wrote. */
static struct tc_text trimmed(struct tc_text text)
{
	while (text.len > 0 && text.ptr[0] == ' ')
		text = (struct tc_text){text.ptr + 1, text.len - 1};
	while (text.len > 0 && text.ptr[text.len - 1] == ' ')
		text.len--;
	return text;
}

static bool next_number(int64_t *out, struct tc_text *rest)
{
	size_t len = 0;

	while (len < rest->len && rest->ptr[len] != ',')
		len++;
	bool good = tc_decimal_int64(out, trimmed((struct tc_text){rest->ptr, len}));
	size_t taken = len < rest->len ? len + 1 : len;
	*rest = (struct tc_text){rest->ptr + taken, rest->len - taken};
	return good;
}

/* Reads the numbers of a recorded list "[1, 1]". A single number, with or without a list, counts
 * for all of `count`. */
static bool read_numbers(int64_t *out, size_t count, const struct tc_inputs *inputs, size_t at)
{
	struct tc_text inside;
	size_t got = 0;

	if (at >= inputs->count || !inputs->input[at].concrete.ptr)
		return false;
	if (!open_list(&inside, inputs->input[at].concrete))
		inside = inputs->input[at].concrete;
	while (got < count && inside.len > 0)
		if (!next_number(&out[got++], &inside))
			return false;
	for (size_t i = got; got == 1 && i < count; i++)
		out[i] = out[0];
	return inside.len == 0 && (got == count || got == 1);
}

/* A recorded "True" or "False". */
static bool read_truth(bool *out, const struct tc_inputs *inputs, size_t at)
{
	struct tc_text text = at < inputs->count ? inputs->input[at].concrete : TC_TEXT_NONE;

	*out = text.ptr && tc_text_equal(text, TC_TEXT("True"));
	return *out || (text.ptr && tc_text_equal(text, TC_TEXT("False")));
}

/* A sum of products that notices when it does not fit. */
struct work_sum {
	int64_t total;
	bool is_known;
};

static const struct work_sum zero = {0, true};

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
	struct work_sum *sum, const struct tc_inputs *inputs, size_t at, size_t rank)
{
	const struct tc_input *input = tc_inputs_tensor(inputs, at);

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
static void add_inputs(struct work_sum *bytes, const struct tc_inputs *inputs)
{
	for (size_t i = 0; i < inputs->count; i++)
		add_bytes(bytes, tc_inputs_tensor(inputs, i));
}

struct product {
	bool is_batch, has_addend, is_scaled;
};

static void matrix_product(struct work_sum *flops, struct work_sum *bytes,
	const struct tc_inputs *inputs, struct product form)
{
	size_t rank = form.is_batch ? 3 : 2, first = form.has_addend;
	const struct tc_input *a = tensor(flops, inputs, first, rank);
	const struct tc_input *b = tensor(flops, inputs, first + 1, rank);
	const struct tc_input *addend = form.has_addend ? tensor(flops, inputs, 0, 0) : NULL;

	if (!flops->is_known)
		return;
	int64_t batch = form.is_batch ? a->size[0] : 1;
	int64_t m = a->size[rank - 2], k = a->size[rank - 1], n = b->size[rank - 1];

	flops->is_known = b->size[rank - 2] == k && (!form.is_batch || b->size[0] == batch);
	ADD(flops, 2, batch, m, n, k);
	if (form.has_addend)
		ADD(flops, batch, m, n);
	add_bytes(bytes, a);
	add_bytes(bytes, b);
	add_bytes(bytes, addend);
	ADD(bytes, batch, m, n, a->element_bytes);
	bytes->is_known = bytes->is_known && !form.is_scaled;
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
	const struct tc_inputs *inputs, size_t first)
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

static int64_t spatial(struct work_sum *sum, const int64_t *sizes, size_t count)
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

	ADD(flops, 2, passes, form->input->size[0], spatial(flops, sizes, form->dims),
		elements(flops, form->weight));
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
	ADD(&count, form->input->size[0], channels, spatial(sum, form->out, form->dims));
	sum->is_known = sum->is_known && count.is_known;
	return count.total;
}

static void convolution(
	struct work_sum *flops, struct work_sum *bytes, const struct tc_inputs *inputs)
{
	struct convolution form = {.groups = 1};

	flops->is_known = read_convolution(&form, flops, inputs, 0);
	if (!flops->is_known)
		return;
	add_passes(flops, &form, 1);
	int64_t result = result_elements(flops, &form);
	const struct tc_input *bias = tc_inputs_tensor(inputs, 2);
	if (bias)
		ADD(flops, result);
	add_bytes(bytes, form.input);
	add_bytes(bytes, form.weight);
	add_bytes(bytes, bias);
	ADD(bytes, result, form.input->element_bytes);
}

/* The mask says which gradients are computed: of input, weight and bias. */
static bool wants(const struct tc_inputs *inputs, bool wanted[3])
{
	const struct tc_text text = inputs->count > 10 ? inputs->input[10].concrete : TC_TEXT_NONE;
	size_t count = 0;

	for (size_t i = 0; text.ptr && i < text.len && count < 3; i++)
		if (text.ptr[i] == 'T' || text.ptr[i] == 'F')
			wanted[count++] = text.ptr[i] == 'T';
	return count == 3;
}

static void convolution_backward(
	struct work_sum *flops, struct work_sum *bytes, const struct tc_inputs *inputs)
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
	add_bytes(bytes, gradient);
	add_bytes(bytes, wanted[0] ? form.weight : NULL); /* read for the gradient of the input, */
	add_bytes(bytes, wanted[0] ? form.input : NULL);  /* which is written */
	add_bytes(bytes, wanted[1] ? form.input : NULL);
	add_bytes(bytes, wanted[1] ? form.weight : NULL);
	if (wanted[2])
		ADD(bytes, gradient->size[1], gradient->element_bytes);
}

/* Where an attention operator has its inputs, and how many products of size d_qk and d_v it
 * computes. */
struct attention {
	size_t query, mask, is_causal; /* 0: it has no mask */
	int64_t qk_products, v_products;
	bool is_backward;
};

static void attention(struct work_sum *flops, struct work_sum *bytes,
	const struct tc_inputs *inputs, struct attention form)
{
	const struct tc_input *q = tensor(flops, inputs, form.query, 4);
	const struct tc_input *k = tensor(flops, inputs, form.query + 1, 4);
	const struct tc_input *v = tensor(flops, inputs, form.query + 2, 4);
	bool is_causal = false;

	flops->is_known = flops->is_known && read_truth(&is_causal, inputs, form.is_causal);
	if (!flops->is_known)
		return;
	int64_t batch = q->size[0], heads = q->size[1], rows = q->size[2], columns = k->size[2];
	/* A square mask leaves a triangle. For other masks the trace does not say in which corner
	 * the triangle starts. */
	flops->is_known = !is_causal || (rows == columns && rows < INT32_MAX);
	int64_t pairs_twice = 2;
	if (is_causal && flops->is_known) {
		pairs_twice = 1;
		columns = rows + 1;
	}
	ADD(flops, pairs_twice, form.qk_products, batch, heads, rows, columns, q->size[3]);
	ADD(flops, pairs_twice, form.v_products, batch, heads, rows, columns, v->size[3]);
	for (int copies = form.is_backward ? 2 : 1; copies > 0; copies--) {
		add_bytes(bytes, q); /* with their gradients */
		add_bytes(bytes, k);
		add_bytes(bytes, v);
	}
	if (form.mask > 0)
		add_bytes(bytes, tc_inputs_tensor(inputs, form.mask));
	/* The result, and for the backward pass the incoming gradient. */
	ADD(bytes, form.is_backward ? 2 : 1, batch, heads, rows, v->size[3], q->element_bytes);
}

static int64_t tensors(const struct tc_inputs *inputs)
{
	int64_t count = 0;

	for (size_t i = 0; i < inputs->count; i++)
		count += tc_inputs_tensor(inputs, i) != NULL;
	return count;
}

/* FLOPs per element of the input, or of a gradient of its size. */
static void by_element(struct work_sum *flops, struct work_sum *bytes,
	const struct tc_inputs *inputs, int64_t each)
{
	const struct tc_input *input = tensor(flops, inputs, 0, 0);

	if (!input)
		return;
	ADD(flops, each, elements(flops, input));
	add_inputs(bytes, inputs);
	add_bytes(bytes, input); /* the result */
}

static void norm(struct work_sum *flops, struct work_sum *bytes, const struct tc_inputs *inputs)
{
	int64_t weights = tensors(inputs) - 1;

	by_element(flops, bytes, inputs, 5 + (weights < 2 ? weights : 2));
}

/* Dimensions are aligned from the last one. The result has the largest size of each, and the widest
 * type. */
static void pointwise(
	struct work_sum *flops, struct work_sum *bytes, const struct tc_inputs *inputs)
{
	struct tc_input result = {.rank = 0};

	for (size_t i = 0; i < inputs->count; i++) {
		const struct tc_input *input = tc_inputs_tensor(inputs, i);

		for (size_t j = 1; input && j <= input->rank; j++) {
			int64_t *size = &result.size[TC_RANK_MAX - j];

			*size = j > result.rank || *size == 1 ? input->size[input->rank - j]
							      : *size;
			result.rank = j > result.rank ? j : result.rank;
		}
		if (input && input->element_bytes > result.element_bytes)
			result.element_bytes = input->element_bytes;
	}
	struct work_sum count = zero;
	add_product(&count, result.size + TC_RANK_MAX - result.rank, result.rank);
	flops->is_known = count.is_known && result.element_bytes > 0;
	ADD(flops, count.total);
	add_inputs(bytes, inputs);
	ADD(bytes, count.total, result.element_bytes);
}

static void matrix_work(enum tc_work_kind kind, struct work_sum *flops, struct work_sum *bytes,
	const struct tc_inputs *inputs)
{
	static const struct product products[TC_WORK_COUNT] = {
		[TC_WORK_ADD_PRODUCT] = {.has_addend = true},
		[TC_WORK_BATCH_PRODUCT] = {.is_batch = true},
		[TC_WORK_ADD_BATCH_PRODUCT] = {.is_batch = true, .has_addend = true},
		[TC_WORK_SCALED_PRODUCT] = {.is_scaled = true},
	};
	static const struct attention attentions[TC_WORK_COUNT] = {
		[TC_WORK_ATTENTION] = {0, 0, 4, 1, 1, false},
		[TC_WORK_MASKED_ATTENTION] = {0, 3, 6, 1, 1, false},
		[TC_WORK_ATTENTION_BACKWARD] = {1, 0, 11, 3, 2, true},
		[TC_WORK_MASKED_ATTENTION_BACKWARD] = {1, 4, 11, 3, 2, true},
		[TC_WORK_CUDNN_ATTENTION_BACKWARD] = {1, 8, 14, 3, 2, true},
	};

	if (kind == TC_WORK_CONVOLUTION)
		convolution(flops, bytes, inputs);
	else if (kind == TC_WORK_CONVOLUTION_BACKWARD)
		convolution_backward(flops, bytes, inputs);
	else if (attentions[kind].qk_products > 0)
		attention(flops, bytes, inputs, attentions[kind]);
	else
		matrix_product(flops, bytes, inputs, products[kind]);
}

static bool is_matrix(enum tc_work_kind kind)
{
	return kind < TC_WORK_NORM;
}

static void other_work(enum tc_work_kind kind, struct work_sum *flops, struct work_sum *bytes,
	const struct tc_inputs *inputs)
{
	switch (kind) {
	case TC_WORK_NORM: norm(flops, bytes, inputs); break;
	case TC_WORK_NORM_BACKWARD: by_element(flops, bytes, inputs, 13); break;
	case TC_WORK_SOFTMAX: by_element(flops, bytes, inputs, 5); break;
	case TC_WORK_SOFTMAX_BACKWARD: by_element(flops, bytes, inputs, 4); break;
	default: pointwise(flops, bytes, inputs);
	}
}

struct tc_work tc_work_of(enum tc_work_kind kind, const struct tc_inputs *inputs)
{
	struct work_sum flops = zero, bytes = zero;
	struct tc_work work = {.precision = TC_PRECISION_UNKNOWN, .is_matrix = is_matrix(kind)};

	if (work.is_matrix)
		matrix_work(kind, &flops, &bytes, inputs);
	else
		other_work(kind, &flops, &bytes, inputs);
	bytes.is_known = bytes.is_known && flops.is_known;
	work.flops = total(&flops);
	work.bytes = total(&bytes);
	for (size_t i = 0; i < inputs->count && work.precision == TC_PRECISION_UNKNOWN; i++)
		if (tc_inputs_tensor(inputs, i))
			work.precision = inputs->input[i].precision;
	return work;
}
