/*
 * Match: which clauses of edits are about which slices and operations, and the facts about slices
 * that this needs, as sets of slices.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/usual.h"
#include "core/collections/arena.h"
#include "replay/edit.h"
#include "replay/roof.h"
#include "replay/walk.h"

/* One bit for each slice id that has it; a chunk of ids without any costs a pointer. They are in an
 * arena, which keeps that memory was out. */
struct tc_slice_bits {
	uint64_t **chunks;
	size_t chunk_count;
};

void tc_slice_bits_set(struct tc_slice_bits *bits, struct tc_arena *arena, int64_t slice_id);
bool tc_slice_bits_get(const struct tc_slice_bits *bits, int64_t slice_id);

/* A part of the recording: of one thread, or of all with thread -1. */
struct tc_stretch {
	int64_t from_ns, until_ns;
	int32_t thread;
};

struct tc_stretches {
	struct tc_stretch *items;
	size_t count, capacity;
};

/* After the last one is added: those of one thread come in order and do not overlap. */
void tc_stretches_sort(struct tc_stretches *stretches);

/* Stretches of passes, as the terms adding-pass, zeroed-pass and clipped name them. */
struct tc_passes {
	struct tc_stretches adding, zeroed, clipped;
};

/* Facts about slices that only a pass over the whole recording shows. */
struct tc_slice_facts {
	struct tc_arena arena;
	struct tc_slice_bits launching; /* host slices that enclose a launch */
	struct tc_slice_bits
		fallbacks;          /* operations that read from the device and write back to it */
	struct tc_slice_bits reads; /* framework copies from the device */
	/* Launches whose operator reads what that of the launch before on their thread wrote, and
	 * those whose operator does not; where sizes do not tell they are in neither. */
	struct tc_slice_bits chained, apart;
	/* By number of a term: host slices directly before or after the slices that the term
	 * names. */
	struct tc_slice_bits neighbours[TC_TERMS_MAX];
	struct tc_stretches row_loops;
	struct tc_passes passes;
	struct tc_stretches short_pieces; /* few launches between two waits */
	/* work between two matrix products, with a softmax among it */
	struct tc_slice_bits between;
	struct tc_slice_bits beside; /* these two products */
	/* Graphs, by recipe: those with steps of an optimizer's update, and those with matrix
	 * products. */
	struct tc_slice_bits update_recipes, matrix_recipes;
	struct tc_roof roof;
	struct tc_loading loading;
	int64_t long_ns; /* an operation that takes this long computes something itself */
	/* The program stays some steps ahead of the device, by waits for an event in every step.
	 * But these calls blocked until all work of the step before them had ended. */
	bool runs_ahead;
	struct tc_slice_bits drains;
};

/* Notes whether the operator of a launch reads what that of the launch before on its thread wrote:
 * the operators of a thread follow each other on the device in that order. Both are numbers of
 * works plus 1, 0 for none. An operator behind itself, on inputs of the same sizes, looks like a
 * loop that reads the same inputs. */
static inline void tc_slice_facts_flow(struct tc_slice_facts *facts,
	const struct tc_timeline *timeline, uint32_t *before, uint32_t work,
	int64_t launch_slice_id)
{
	const struct tc_work *from = *before > 0 ? &timeline->works.rows[*before - 1] : NULL;
	const struct tc_work *to = work > 0 ? &timeline->works.rows[work - 1] : NULL;

	if (from && to && from->written.elements > 0 && to->written.elements > 0) {
		bool reads = from != to && tc_work_reads(to, &from->written);
		tc_slice_bits_set(
			reads ? &facts->chained : &facts->apart, &facts->arena, launch_slice_id);
	}
	*before = work;
}

/* ---- clauses that are about a slice */

struct tc_match;

/* All arguments are borrowed. */
struct tc_match *tc_match_new(const struct tc_timeline *timeline,
	const struct tc_slice_facts *facts, const struct tc_clause *clauses, size_t clause_count);
void tc_match_free(struct tc_match *match); /* NULL is fine */

/* What device work is. A name says nothing of it on lanes that hold all work of a device. */
static inline enum tc_op_kind tc_label_kind(const struct tc_label *label)
{
	bool is_work = label->kind == TC_OP_NONE && label->task_engine == TC_ENGINE_NONE;

	return is_work ? TC_OP_KERNEL : (enum tc_op_kind)label->kind;
}

/* Bits of the terms about the slices directly before or after; and, by label, bits of the terms
 * about slices around, before and after that its name meets. */
struct tc_match_neighbours {
	tc_terms before, after;
};
struct tc_match_neighbours tc_match_sides(const struct tc_match *match);
tc_terms tc_match_terms(const struct tc_match *match, uint32_t label);

/* The clauses that a host slice meets, by what they do. */
struct tc_slice_match {
	struct tc_clause_set whole, own, nowait;
	/* bits of the terms about slices around that it or a slice around it meets */
	tc_terms inside;
};

/* around: `inside` of the slice around it; 0 for none. */
void tc_match_slice(struct tc_slice_match *out, struct tc_match *match, const struct tc_span *span,
	tc_terms around);

struct tc_silence; /* of analysis/silence.h */

/* The clauses that take time off within a silence, where the slices around it meet the terms in
 * `inside`; and those that leave such a silence as it is, whatever slices it is in. */
void tc_match_silence(struct tc_clause_set *takes, struct tc_clause_set *leaves,
	struct tc_match *match, const struct tc_silence *silence, tc_terms inside);

/* The clauses that device work meets. */
struct tc_op_match {
	struct tc_clause_set save, nowait, overlap, hide;
	struct tc_clause_set start; /* take the time to start off */
	bool is_update;             /* of an optimizer's step, whatever clauses say */
	/* Over elements, and no update: between collectives it works on what they reduce, as a
	 * division by the number of ranks does. */
	bool is_of_collectives;
};

/* launched_in: `inside` of the call that launched it; 0 when unknown. Operations of a device come
 * in the order of their starts; lane is the number of the lane. */
void tc_match_op(struct tc_op_match *out, struct tc_match *match, const struct tc_walk_op *op,
	tc_terms launched_in, uint32_t lane);

/*
 * Order (order.c): facts about a host slice that its neighbours decide: the slices directly before
 * and after it on its thread, and stretches of the recording, such as a loop over rows.
 */

#define TC_NEIGHBOUR_NS INT64_C(1000000) /* slices further apart are not neighbours */

struct tc_order;

/* All arguments are borrowed; the results go to facts. */
struct tc_order *tc_order_new(struct tc_slice_facts *facts, const struct tc_timeline *timeline,
	const struct tc_match *match);
void tc_order_free(struct tc_order *order); /* NULL is fine */

void tc_order_begin(struct tc_order *order, const struct tc_walk_slice *slice);
void tc_order_end(struct tc_order *order, const struct tc_walk_slice *slice);
/* After the last slice. */
void tc_order_finish(struct tc_order *order);
