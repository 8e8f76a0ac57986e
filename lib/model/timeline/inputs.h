/*
 * Inputs of a framework operation as the profiler recorded them: sizes, types, and the values of
 * those that are no tensors.
 */
#ifndef TC_MODEL_TIMELINE_INPUTS_H
#define TC_MODEL_TIMELINE_INPUTS_H

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

/* The text between the brackets of a list; false for other texts. */
static inline bool tc_list_open(struct tc_text *inside, struct tc_text list)
{
	if (!list.ptr || list.len < 2 || list.ptr[0] != '[')
		return false;
	*inside = (struct tc_text){list.ptr + 1, list.len - 2};
	return true;
}

#endif
