/* How the inputs of an operator lie in memory, as far as kernels mind it. */
#include "model/timeline/work.h"

/* A dimension of size 1, and one whose elements are repeated, have no place in the order. */
static bool has_place(const struct tc_input *input, size_t dim)
{
	return input->size[dim] > 1 && input->stride[dim] > 0;
}

static bool has_strides(const struct tc_input *input, size_t rank)
{
	return input && input->rank >= rank && input->stride_count == input->rank;
}

/* Elements that are not there between the first and the last one: the tensor is a part of another
 * one. Repeated elements have stride 0 and leave none. */
static bool has_gaps(const struct tc_input *input)
{
	int64_t count = 0, reach = 1, step;

	for (size_t i = 0; i < input->rank; i++)
		if (__builtin_mul_overflow(input->size[i] - 1, input->stride[i], &step) ||
			step < 0 || __builtin_add_overflow(reach, step, &reach))
			return false;
	return tc_input_elements(&count, input) && count > 1 && reach > count;
}

/* Whether two dimensions, of the same sizes in both tensors, are in different orders. */
static bool is_turned(const struct tc_input *a, const struct tc_input *b)
{
	for (size_t i = 0; a->rank == b->rank && i < a->rank; i++)
		for (size_t k = i + 1; k < a->rank; k++)
			if (a->size[i] == b->size[i] && a->size[k] == b->size[k] &&
				has_place(a, i) && has_place(a, k) && has_place(b, i) &&
				has_place(b, k) &&
				(a->stride[i] < a->stride[k]) != (b->stride[i] < b->stride[k]))
				return true;
	return false;
}

/* Whether the last dimension has the shortest stride, and so on. */
static bool is_in_order(const struct tc_input *input)
{
	for (size_t i = 0; i < input->rank; i++)
		for (size_t k = i + 1; k < input->rank; k++)
			if (has_place(input, i) && has_place(input, k) &&
				input->stride[i] < input->stride[k])
				return false;
	return true;
}

/* Kernels for products take matrices of either order and any distance between their rows, and for
 * attention any distance between rows: not elements of a row that lie apart. */
static enum tc_layout layout_of_matrices(const struct tc_op_inputs *inputs, bool is_attention)
{
	const struct tc_input *first = NULL;

	for (size_t i = 0; i < inputs->count; i++) {
		const struct tc_input *input = tc_op_inputs_tensor(inputs, i);
		if (!has_strides(input, 2))
			continue;
		size_t row = input->rank - 2, column = input->rank - 1;
		if (has_place(input, column) && input->stride[column] != 1 &&
			(is_attention || (has_place(input, row) && input->stride[row] != 1)))
			return TC_LAYOUT_GAPS;
		first = first ? first : input;
	}
	if (!first)
		return TC_LAYOUT_UNKNOWN;
	size_t row = first->rank - 2, column = first->rank - 1;
	return has_place(first, row) && has_place(first, column) &&
			       first->stride[row] < first->stride[column]
		       ? TC_LAYOUT_TURNED
		       : TC_LAYOUT_DENSE;
}

/* Whether elements of other rows lie between those of one that is reduced: the shortest stride is
 * of a dimension that stays. Without strides the last dimension has it. */
static bool is_across(const struct tc_input *input, unsigned reduced_dims)
{
	size_t shortest = TC_RANK_MAX;

	for (size_t i = 0; i < input->rank; i++) {
		bool is_shorter = shortest == TC_RANK_MAX || !has_strides(input, 1) ||
				  input->stride[i] <= input->stride[shortest];
		if (input->size[i] > 1 && (!has_strides(input, 1) || input->stride[i] > 0) &&
			is_shorter)
			shortest = i;
	}
	return shortest < TC_RANK_MAX && !(reduced_dims >> shortest & 1);
}

static enum tc_layout layout_of_elements(const struct tc_op_inputs *inputs, bool is_image)
{
	const struct tc_input *first = NULL;
	bool is_mixed = false;

	for (size_t i = 0; i < inputs->count; i++) {
		const struct tc_input *input = tc_op_inputs_tensor(inputs, i);
		if (!has_strides(input, 2))
			continue;
		if (has_gaps(input))
			return TC_LAYOUT_GAPS;
		first = first ? first : input;
		is_mixed = is_mixed || is_turned(input, first);
	}
	if (!first)
		return TC_LAYOUT_UNKNOWN;
	/* Kernels are made for each order of the dimensions of an image. */
	if (is_image)
		return first->stride[1] == 1 && first->size[1] > 1 ? TC_LAYOUT_CHANNELS_LAST
								   : TC_LAYOUT_DENSE;
	return is_mixed ? TC_LAYOUT_MIXED : is_in_order(first) ? TC_LAYOUT_DENSE : TC_LAYOUT_TURNED;
}

enum tc_layout tc_layout_of(
	enum tc_work_kind kind, const struct tc_op_inputs *inputs, unsigned reduced_dims)
{
	const struct tc_input *rows = tc_op_inputs_tensor(inputs, 0);
	bool is_image = kind == TC_WORK_CONVOLUTION || kind == TC_WORK_CONVOLUTION_BACKWARD;

	if (reduced_dims && rows && is_across(rows, reduced_dims))
		return TC_LAYOUT_ACROSS;
	if (!is_image && kind < TC_WORK_NORM)
		return layout_of_matrices(inputs, kind >= TC_WORK_ATTENTION);
	return layout_of_elements(inputs, is_image);
}
