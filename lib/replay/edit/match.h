/* Which clauses concern which slices and operations. */
#ifndef TC_REPLAY_EDIT_MATCH_H
#define TC_REPLAY_EDIT_MATCH_H

#include "replay/edit/edit.h"
#include "replay/walk/slice_bits.h"
#include "replay/walk/walk.h"

struct tc_match;

/* The bit of work within an optimizer's step. All other bits belong to terms about slices
 * around. */
#define TC_INSIDE_UPDATE (UINT64_C(1) << 63)

/* All arguments are borrowed. */
enum tc_status tc_match_new(struct tc_match **out, const struct tc_timeline *timeline,
	const struct tc_slice_facts *facts, const struct tc_clause *clauses, size_t clause_count);
void tc_match_free(struct tc_match *match); /* NULL is fine */

/* Whether what it keeps by label could be kept: asked once all slices are matched. */
enum tc_status tc_match_status(const struct tc_match *match);

/* What device work is. A name says nothing of it on lanes that hold all work of a device. */
static inline enum tc_op_kind tc_label_kind(const struct tc_label *label)
{
	bool is_work = label->kind == TC_OP_NONE && label->task_engine == TC_ENGINE_NONE;

	return is_work ? TC_OP_KERNEL : (enum tc_op_kind)label->kind;
}

/* Bits of the terms about the slices directly before or after; and, by label, bits of the terms
 * about slices around, before and after that its name meets. */
struct tc_match_neighbours {
	uint64_t before, after;
};

const struct tc_match_neighbours *tc_match_neighbours(const struct tc_match *match);
/* Bits of the terms about stretches of the recording, such as passes. */
uint64_t tc_match_stretches(const struct tc_match *match);
uint64_t tc_match_terms_of(struct tc_match *match, uint32_t label);

/* The clauses that a host slice meets, by what they do. */
struct tc_slice_match {
	struct tc_clause_set whole, own, nowait;
	/* bits of the terms about slices around that it or a slice around it meets */
	uint64_t inside;
};

/* around: `inside` of the slice around it; 0 for none. */
void tc_match_slice(struct tc_slice_match *out, struct tc_match *match, const struct tc_span *span,
	uint64_t around);

/* The clauses that device work meets. */
struct tc_op_match {
	struct tc_clause_set save, nowait, overlap, hide;
	struct tc_clause_set start; /* take the time to start off */
};

/* launched_in: `inside` of the call that launched it; 0 when unknown. Operations of a device come
 * in the order of their starts; lane is the number of the lane. */
void tc_match_op(struct tc_op_match *out, struct tc_match *match, const struct tc_walk_op *op,
	uint64_t launched_in, uint32_t lane);

#endif
