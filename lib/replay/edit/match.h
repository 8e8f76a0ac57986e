/* Which clauses are about which slices and operations. */
#ifndef TC_REPLAY_EDIT_MATCH_H
#define TC_REPLAY_EDIT_MATCH_H

#include "replay/edit/edit.h"
#include "replay/walk/slice_bits.h"
#include "replay/walk/walk.h"

struct tc_match;

/* The bit of what lies in an optimizer's step; the others are of terms about slices around. */
#define TC_INSIDE_UPDATE (UINT64_C(1) << 63)

/* All of it is borrowed. */
enum tc_status tc_match_new(struct tc_match **out, const struct tc_timeline *timeline,
	const struct tc_slice_facts *facts, const struct tc_clause *clauses, size_t clause_count);
void tc_match_free(struct tc_match *match); /* NULL is fine */

/* Bits of the terms about what comes directly before or after a slice; and about slices around, before
 * and after, of those that the name of a label meets. */
struct tc_match_neighbours {
	uint64_t before, after;
};

const struct tc_match_neighbours *tc_match_neighbours(const struct tc_match *match);
/* Bits of the terms about stretches of the recording, such as passes. */
uint64_t tc_match_stretches(const struct tc_match *match);
uint64_t tc_match_terms_of(struct tc_match *match, uint32_t label);

/* The clauses of a host slice by what they do. */
struct tc_slice_match {
	struct tc_clause_set whole, own, nowait;
	uint64_t inside; /* bits of terms about slices around, of this one and those around it */
};

/* around: of the slice around it, 0 for none. */
void tc_match_slice(struct tc_slice_match *out, struct tc_match *match, const struct tc_span *span,
	uint64_t around);

/* The same of device work. */
struct tc_op_match {
	struct tc_clause_set save, nowait, overlap, hide;
};

/* launched_in: inside of the call that launched it, 0 where that is not known. Operations of a device are
 * given in the order of their starts; lane is a number of the lane. */
void tc_match_op(struct tc_op_match *out, struct tc_match *match, const struct tc_walk_op *op,
	uint64_t launched_in, uint32_t lane);

#endif
