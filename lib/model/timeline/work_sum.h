/* The inputs of a framework operation, as the profiler recorded them, and sums of FLOPs and bytes,
 * of which formulas are made. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/text.h"
#include "names/label/label.h"

enum {
	TC_INPUTS_MAX = 24, /* further ones are ignored; cudnn_attention_backward has 17 */
	TC_RANK_MAX = 8,
};

/* Kinds of numbers, in the order in which a result takes them over. */
enum tc_number_kind { TC_NUMBER_TRUTH, TC_NUMBER_INTEGER, TC_NUMBER_REAL, TC_NUMBER_COMPLEX };

/* An input. One that is not a tensor, or has an unknown type, has element_bytes 0. */
struct tc_input {
	int64_t size[TC_RANK_MAX], stride[TC_RANK_MAX]; /* strides in elements, where recorded */
	size_t rank, stride_count;
	int64_t element_bytes;
	enum tc_precision precision;
	enum tc_number_kind kind;
	struct tc_text
		concrete; /* "[1, 1]", "True", without its quotes; ptr NULL when not recorded */
};

struct tc_op_inputs {
	struct tc_input input[TC_INPUTS_MAX];
	size_t count;
};

/* Reads the args of a slice (a JSON object). False when sizes or types are not recorded; texts are
 * borrowed from args. */
bool tc_op_inputs_read(struct tc_op_inputs *inputs, struct tc_text args);

/* The tensor at an index; NULL when there is none. */
const struct tc_input *tc_op_inputs_tensor(const struct tc_op_inputs *inputs, size_t at);
/* Elements of a tensor; false when a size is negative or they exceed 64 bits. */
bool tc_input_elements(int64_t *count, const struct tc_input *input);

/* Reads the numbers of a recorded list "[1, 1]", or a single one; "True" and "False" are 1 and 0.
 * Their count, 0 where it has more than `most` or something else. */
size_t tc_op_inputs_numbers(
	int64_t *out, size_t most, const struct tc_op_inputs *inputs, size_t at);

/* The text between the brackets of a list, or of a tuple of Python; false for other texts. */
static inline bool tc_list_open(struct tc_text *inside, struct tc_text list)
{
	if (!list.ptr || list.len < 2 || (list.ptr[0] != '[' && list.ptr[0] != '('))
		return false;
	*inside = (struct tc_text){list.ptr + 1, list.len - 2};
	return true;
}

/* ---- sums */

#define TC_WORK_UNKNOWN (-1)

/*
 * How large the pieces are in which a kernel can work, 0 where they are not known: `batch` products
 * of rows x inner and inner x columns. A convolution is a product for each group, of the elements
 * of the result, its channels, and the weights that each meets; attention one of queries and keys
 * for each head. Of reductions and norms: rows, which are reduced each by itself, of `inner`
 * elements; where indices choose: rows of `inner` elements that are moved.
 */
struct tc_extent {
	int64_t batch, rows, columns, inner;
	int64_t dilation;      /* of convolutions */
	unsigned reduced_dims; /* bits of the dimensions of the first input that make a row */
};

/* A sum of products that notices when it does not fit. */
struct tc_work_sum {
	int64_t total;
	bool is_known;
	struct tc_extent extent; /* of the FLOPs */
};

static const struct tc_work_sum tc_sum_zero = {0, true, {0}};

void tc_sum_add(struct tc_work_sum *sum, const int64_t *factors, size_t count);
/* Adds the product of the factors behind the sum. */
#define TC_SUM_ADD(sum, ...)                                                                       \
	tc_sum_add(sum, (const int64_t[]){__VA_ARGS__},                                            \
		sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

int64_t tc_sum_total(const struct tc_work_sum *sum);
/* The tensor at an index; without it, or with another rank than `rank` unless that is 0, the result
 * is unknown. */
const struct tc_input *tc_sum_tensor(
	struct tc_work_sum *sum, const struct tc_op_inputs *inputs, size_t at, size_t rank);
int64_t tc_sum_elements(struct tc_work_sum *sum, const struct tc_input *input);
/* Adds the bytes of an input, if there is one. */
void tc_sum_bytes(struct tc_work_sum *bytes, const struct tc_input *input);
/* A product that goes into a sum as a factor. */
int64_t tc_sum_product(struct tc_work_sum *sum, const int64_t *sizes, size_t count);
/* A single number of an input counts for all of `count`. */
bool tc_work_numbers(int64_t *out, size_t count, const struct tc_op_inputs *inputs, size_t at);
