/* Inside of the catalogue; see tracecoach/catalogue.h. */
#ifndef TC_ADVICE_CATALOGUE_H
#define TC_ADVICE_CATALOGUE_H

#include "advice/box.h"
#include "advice/heuristic.h"
#include "tracecoach/catalogue.h"

struct tc_catalogue {
	struct tc_box *box; /* owner of all texts */
	struct tc_heuristic_file **files;
	size_t count, capacity;
	size_t built_in_count; /* of count: those in front */
};

/* Compiles the query of every rule on an empty store; the first fault fails the call. */
enum tc_status tc_catalogue_check(const struct tc_catalogue *catalogue, struct tc_ctx *ctx);

#endif
