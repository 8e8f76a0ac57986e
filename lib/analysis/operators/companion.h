/*
 * Companion: the calls that graphs were captured from, when the capture is in another trace than
 * the replay. They are read from the store of that trace. The timeline of this trace begins with
 * the labels of that store, in the same order.
 */
#ifndef TC_ANALYSIS_OPERATORS_COMPANION_H
#define TC_ANALYSIS_OPERATORS_COMPANION_H

#include <sqlite3.h>

#include "analysis/operators/captures.h"
#include "core/context.h"
#include "core/collections/strtab.h"

struct tc_companion_label {
	uint32_t category, name; /* of texts, or TC_STRTAB_NONE */
};

struct tc_companion {
	struct tc_strtab texts;
	struct tc_strtab label_keys; /* the bytes of a label; its number is that of the label */
	struct tc_companion_label *labels;
	size_t label_count, label_capacity;
	struct tc_tree tree; /* keys alone; their labels are of labels[] */
	uint32_t *args;      /* by node: of texts, or TC_STRTAB_NONE */
	size_t args_capacity;
	struct tc_captures captures;
};

void tc_companion_clear(struct tc_companion *companion);
/* Adds the captures of a store, which may have none. */
enum tc_status tc_companion_add(struct tc_companion *companion, struct tc_ctx *ctx, sqlite3 *db);
struct tc_text tc_companion_text(const struct tc_companion *companion, uint32_t number);

#endif
