/*
 * Work of framework operations: FLOPs and bytes by the sizes of their inputs, which are read from
 * the arguments that the profiler recorded (names/label/works.def has which operator has which
 * formula). Pure functions: equal inputs give equal numbers.
 *
 * A multiplication and an addition are two FLOPs. Bytes are those of all inputs and results, each
 * once, as if caches held everything else: the least that must move. An unknown number, or one that
 * exceeds 64 bits, is TC_WORK_UNKNOWN.
 */
#ifndef TC_MODEL_TIMELINE_WORK_H
#define TC_MODEL_TIMELINE_WORK_H

#include "model/timeline/inputs.h"

#define TC_WORK_UNKNOWN (-1)

struct tc_work {
	int64_t flops, bytes;
	enum tc_precision precision; /* of the inputs */
	bool is_matrix;              /* for tensor or matrix cores */
};

struct tc_work tc_work_of(enum tc_work_kind kind, const struct tc_inputs *inputs);

#endif
