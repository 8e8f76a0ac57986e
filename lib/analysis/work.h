/*
 * Work of framework operations: FLOPs and bytes by the sizes of their inputs, which are read from
 * the arguments that the profiler recorded (names/label/works.def has which operator has which
 * formula). Pure functions: equal inputs give equal numbers.
 *
 * A multiplication and an addition are two FLOPs. Bytes are those of all inputs and results, each
 * once, as if caches held everything else: the least that must move. An unknown number, or one that
 * exceeds 64 bits, is TC_WORK_UNKNOWN.
 */
#ifndef TC_ANALYSIS_WORK_H
#define TC_ANALYSIS_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/text.h"
#include "names/label/label.h"

enum {
	TC_INPUTS_MAX = 24, /* further ones are ignored; cudnn_attention_backward has 17 */
	TC_RANK_MAX = 8,
};

/* An input. One that is not a tensor, or has an unknown type, has element_bytes 0. */
struct tc_input {
	int64_t size[TC_RANK_MAX];
	size_t rank;
	int64_t element_bytes;
	enum tc_precision precision;
	struct tc_text
		concrete; /* "[1, 1]", "True", without its quotes; ptr NULL when not recorded */
};

struct tc_inputs {
	struct tc_input input[TC_INPUTS_MAX];
	size_t count;
};

/* Reads the args of a slice (a JSON object). False when sizes or types are not recorded; texts are
 * borrowed from args. */
bool tc_inputs_read(struct tc_inputs *inputs, struct tc_text args);

/* The tensor at an index; NULL when there is none. */
const struct tc_input *tc_inputs_tensor(const struct tc_inputs *inputs, size_t at);
/* Elements of a tensor; false when a size is negative or they exceed 64 bits. */
bool tc_input_elements(int64_t *count, const struct tc_input *input);

#define TC_WORK_UNKNOWN (-1)

struct tc_work {
	int64_t flops, bytes;
	enum tc_precision precision; /* of the inputs */
	bool is_matrix;              /* for tensor or matrix cores */
};

struct tc_work tc_work_of(enum tc_work_kind kind, const struct tc_inputs *inputs);

#endif
