/*
 * The thresholds of one run: a number for every parameter of every heuristic, first the defaults
 * of the descriptors. Descriptors stay constant; whoever overrides a threshold changes these.
 */
#ifndef TC_ADVICE_SETTINGS_PARAMS_H
#define TC_ADVICE_SETTINGS_PARAMS_H

#include <stddef.h>

#include "advice/catalogue/catalogue.h"
#include "core/collections/arena.h"

struct tc_params {
	struct tc_arena arena;
	double *values; /* of all heuristics, in the order of the catalogue */
	size_t *first;  /* per heuristic: index of its first value */
};

#define TC_PARAMS_EMPTY ((struct tc_params){0})

/* Fills params with the defaults. Returns 0, or -1 with params empty when memory is out. */
int tc_params_init(struct tc_params *params, const struct tc_catalogue *catalogue);
void tc_params_clear(struct tc_params *params);

/* The values of the index-th heuristic, in the order of its descriptor's params. */
double *tc_params_of(const struct tc_params *params, size_t index);

#endif
