/*
 * The box: what tc_advise() hands out is the public struct tc_advice at the head of one of these,
 * which owns every string and array in it.
 */
#ifndef TC_ADVICE_BOX_H
#define TC_ADVICE_BOX_H

#include "core/collections/arena.h"
#include "core/text.h"
#include "tracecoach/advice.h"

struct tc_box {
	struct tc_advice advice; /* first: tc_advice_free() gets its address */
	size_t finding_capacity, account_capacity, setting_capacity;
	struct tc_arena arena;
};

#endif
