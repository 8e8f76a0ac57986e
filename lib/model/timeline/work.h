/*
 * Work of framework operations: FLOPs and bytes by the sizes of their inputs, which are read from
 * the arguments that the profiler recorded (names/label/works.def has which operator has which
 * formula). Pure functions: equal inputs give equal numbers.
 *
 * A multiplication and an addition are two FLOPs. Bytes are those of all inputs and results, each
 * once, as if caches held everything else: the least that must move. An unknown number, or one that
 * exceeds 64 bits, is TC_WORK_UNKNOWN.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/collections/strtab.h"
#include "core/text.h"
#include "names/label/label.h"

/* ---- inputs of a framework operation, as the profiler recorded them */

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

/* The text between the brackets of a list; false for other texts. */
static inline bool tc_list_open(struct tc_text *inside, struct tc_text list)
{
	if (!list.ptr || list.len < 2 || list.ptr[0] != '[')
		return false;
	*inside = (struct tc_text){list.ptr + 1, list.len - 2};
	return true;
}

/* ---- work */

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

/* How the inputs lie in memory. Of convolutions the image decides. */
enum tc_layout {
	TC_LAYOUT_UNKNOWN,
	TC_LAYOUT_DENSE,
	TC_LAYOUT_CHANNELS_LAST, /* dense images, channels beside each other */
	TC_LAYOUT_TURNED,        /* dense, but not in the order of the first one's dimensions */
	TC_LAYOUT_MIXED,         /* dense, but in different orders of their dimensions */
	TC_LAYOUT_GAPS,          /* some input is a part of a larger tensor; of matrices: in which
				    elements of a row lie apart */
	TC_LAYOUT_ACROSS,        /* elements of a row that is reduced lie apart */
};

/* A tensor of an operator over elements. `order` is 0 where its rows lie behind each other, or
 * where strides are not recorded; other ways to lie have numbers. */
struct tc_operand {
	int64_t elements; /* 0: there is none, or its size is not known */
	uint64_t order;
};

enum { TC_OPERANDS_MAX = 3 };

struct tc_work {
	int64_t flops, bytes;
	enum tc_precision precision; /* of the inputs */
	bool is_matrix;              /* for tensor or matrix cores */
	struct tc_extent extent;
	enum tc_layout layout;
	/* of an operator over elements, in a timeline's works */
	struct tc_operand written, read[TC_OPERANDS_MAX];
};

/* Whether an operator can read what another one wrote: an input has as many elements as the
 * result, in the same order. */
static inline bool tc_work_reads(const struct tc_work *work, const struct tc_operand *written)
{
	for (size_t i = 0; i < TC_OPERANDS_MAX; i++)
		if (work->read[i].elements == written->elements &&
			work->read[i].order == written->order)
			return true;
	return false;
}

/* "gaps"; NULL for UNKNOWN. */
static inline const char *tc_layout_name(enum tc_layout layout)
{
	static const char *const names[] = {
		NULL, "dense", "channels_last", "turned", "mixed", "gaps", "across"};

	return names[layout];
}

/* reduced_dims: as in struct tc_extent. */
enum tc_layout tc_layout_of(
	enum tc_work_kind kind, const struct tc_op_inputs *inputs, unsigned reduced_dims);

struct tc_work tc_work_of(enum tc_work_kind kind, const struct tc_op_inputs *inputs);

/*
 * The work of the operators of a trace by label and shape, from the arguments of the first call of
 * each.
 */
struct tc_works {
	struct tc_strtab keys; /* a number for each label and shape */
	struct tc_work *rows;  /* by number */
	size_t count, capacity;
	uint32_t latest;
};

/* Takes a call; args is its JSON object. */
void tc_works_add(struct tc_works *works, struct tc_ctx *ctx, enum tc_work_kind kind,
	uint32_t label, uint64_t shape, struct tc_text args);
/* The number of a label and shape whose bytes are known, else UINT32_MAX. */
uint32_t tc_works_find(const struct tc_works *works, uint32_t label, uint64_t shape);
