#include "model/timeline/work_sum.h"

/* A single number of an input counts for all of `count`. */
bool tc_work_numbers(int64_t *out, size_t count, const struct tc_op_inputs *inputs, size_t at)
{
	size_t got = tc_op_inputs_numbers(out, count, inputs, at);

	for (size_t i = got; got == 1 && i < count; i++)
		out[i] = out[0];
	return got > 0 && (got == count || got == 1);
}

void tc_sum_add(struct tc_work_sum *sum, const int64_t *factors, size_t count)
{
	int64_t product = 1;

	for (size_t i = 0; i < count && sum->is_known; i++)
		sum->is_known =
			factors[i] >= 0 && !__builtin_mul_overflow(product, factors[i], &product);
	if (sum->is_known)
		sum->is_known = !__builtin_add_overflow(sum->total, product, &sum->total);
}

int64_t tc_sum_total(const struct tc_work_sum *sum)
{
	return sum->is_known ? sum->total : TC_WORK_UNKNOWN;
}

/* The tensor at an index; without it the result is unknown. */
const struct tc_input *tc_sum_tensor(
	struct tc_work_sum *sum, const struct tc_op_inputs *inputs, size_t at, size_t rank)
{
	const struct tc_input *input = tc_op_inputs_tensor(inputs, at);

	if (!input || (rank > 0 && input->rank != rank))
		sum->is_known = false;
	return sum->is_known ? input : NULL;
}

int64_t tc_sum_elements(struct tc_work_sum *sum, const struct tc_input *input)
{
	int64_t count = 0;

	if (!tc_input_elements(&count, input))
		sum->is_known = false;
	return count;
}

/* The elements in memory: those along a dimension with stride 0 are one, repeated by expand(). */
void tc_sum_bytes(struct tc_work_sum *bytes, const struct tc_input *input)
{
	struct tc_input stored;

	if (!input)
		return;
	stored = *input;
	for (size_t i = 0; i < input->rank && input->stride_count == input->rank; i++)
		if (input->stride[i] == 0 && input->size[i] > 1)
			stored.size[i] = 1;
	TC_SUM_ADD(bytes, tc_sum_elements(bytes, &stored), input->element_bytes);
}

/* A product that goes into a sum as a factor. */
int64_t tc_sum_product(struct tc_work_sum *sum, const int64_t *sizes, size_t count)
{
	struct tc_work_sum product = tc_sum_zero;

	tc_sum_add(&product, sizes, count);
	sum->is_known = sum->is_known && product.is_known;
	return product.total;
}
