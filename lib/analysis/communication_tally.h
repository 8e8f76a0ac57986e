/*
 * Communication tally (table communication): how much of each communication operation is exposed,
 * because its device computes nothing at the same time. A spill file keeps the operations until the
 * slices are in the store.
 */
#ifndef TC_ANALYSIS_COMMUNICATION_TALLY_H
#define TC_ANALYSIS_COMMUNICATION_TALLY_H

#include "core/sort/spill.h"
#include "store/tables.h"

struct tc_communication_tally {
	struct tc_spill *spill; /* NULL without any */
	int64_t count;
};

void tc_communication_tally_add(struct tc_communication_tally *tally, struct tc_ctx *ctx,
	int64_t slice_id, int64_t exposed_ns);
void tc_communication_tally_write(
	const struct tc_communication_tally *tally, struct tc_tables *tables, int64_t trace_id);
void tc_communication_tally_clear(struct tc_communication_tally *tally);

#endif
