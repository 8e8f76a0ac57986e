/*
 * FLOPs and bytes of framework operations by the sizes of their inputs (names/label/works.def).
 * Pure functions: the same inputs give the same numbers.
 *
 * A multiplication and an addition are two FLOPs. Bytes are those of all inputs and results, each
 * once, as if caches held everything else: the least that must move. An unknown number, or one that
 * exceeds 64 bits, is TC_WORK_UNKNOWN.
 */
#ifndef TC_ANALYSIS_WORK_FORMULAS_H
#define TC_ANALYSIS_WORK_FORMULAS_H

#include "analysis/work/inputs.h"

#define TC_WORK_UNKNOWN (-1)

struct tc_work {
	int64_t flops, bytes;
	enum tc_precision precision; /* of the inputs */
	bool is_matrix;              /* for tensor or matrix cores */
};

struct tc_work tc_work_of(enum tc_work_kind kind, const struct tc_inputs *inputs);

#endif
