/*
 * Begin and end events become slices once all are there and in time order: events of a thread may
 * come late, and the writers of Gaudi logs append whole logs after the fact. Events wait in a
 * sorter, their args in a spill file.
 *
 * The rule is Perfetto's: an end with a name (or category) closes the innermost open begin of the
 * same name (and category); one without closes the innermost. A begin that nothing closes is
 * kept with dur -1. Args are merged; where both have a member, that of the end counts.
 *
 * Pairs that end at one time become slices in the order of their begins: of two that also begin at
 * one time the outer one must have the lower id, because ids decide how they nest.
 */
#ifndef TC_MODEL_SLICES_PAIRS_H
#define TC_MODEL_SLICES_PAIRS_H

#include "core/sort/spill.h"
#include "model/flows/flows.h"
#include "model/slices/slice_args.h"
#include "model/slices/slices.h"

struct tc_pairs {
	struct tc_ctx *ctx; /* borrowed, as the next five */
	struct tc_import_log *log;
	const struct tc_labels *labels;
	struct tc_slice_args *args_reader;
	struct tc_slices *slices;
	struct tc_flows *flows;
	struct tc_sorter *events;
	struct tc_spill *args;
	int64_t sequence; /* the order of the file */
};

enum tc_status tc_pairs_add(struct tc_pairs *pairs, const struct tc_raw_event *event,
	uint32_t track, uint32_t label, bool is_begin);
/* Makes the slices. */
enum tc_status tc_pairs_finish(struct tc_pairs *pairs);
void tc_pairs_clear(struct tc_pairs *pairs);

#endif
