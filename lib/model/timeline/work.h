/*
 * Work of framework operations: FLOPs and bytes by the sizes of their inputs, which are read from
 * the arguments that the profiler recorded (names/label/works.def has which operator has which
 * formula). Pure functions: equal inputs give equal numbers.
 *
 * A multiplication and an addition are two FLOPs. Bytes are those of all inputs and results, each
 * once, as if caches held everything else: the least that must move. An unknown number, or one that
 * exceeds 64 bits, is TC_WORK_UNKNOWN.
 */
#pragma once

#include "core/collections/strtab.h"
#include "model/timeline/work_sum.h"

/* How the inputs lie in memory. Of convolutions the image decides. */
enum tc_layout {
	TC_LAYOUT_UNKNOWN,
	TC_LAYOUT_DENSE,
	TC_LAYOUT_CHANNELS_LAST, /* dense images, channels beside each other */
	TC_LAYOUT_TURNED,        /* dense, but not in the order of the first one's dimensions */
	TC_LAYOUT_MIXED,         /* dense, but in different orders of their dimensions */
	TC_LAYOUT_GAPS,          /* some input is a part of a larger tensor; of matrices: in which
				    elements of a row lie apart */
	TC_LAYOUT_ACROSS,        /* elements of a row that is reduced lie apart */
};

/* A tensor of an operator over elements. `order` is 0 where its rows lie behind each other, or
 * where strides are not recorded; other ways to lie have numbers. */
struct tc_operand {
	int64_t elements; /* 0: there is none, or its size is not known */
	uint64_t order;
};

enum { TC_OPERANDS_MAX = 3 };

struct tc_work {
	int64_t flops, bytes;
	enum tc_precision precision; /* of the inputs */
	bool is_matrix;              /* for tensor or matrix cores */
	struct tc_extent extent;
	enum tc_layout layout;
	/* of an operator over elements, in a timeline's works */
	struct tc_operand written, read[TC_OPERANDS_MAX];
};

/* Whether an operator can read what another one wrote: an input has as many elements as the
 * result, in the same order. */
static inline bool tc_work_reads(const struct tc_work *work, const struct tc_operand *written)
{
	for (size_t i = 0; i < TC_OPERANDS_MAX; i++)
		if (work->read[i].elements == written->elements &&
			work->read[i].order == written->order)
			return true;
	return false;
}

/* "gaps"; NULL for UNKNOWN. */
static inline const char *tc_layout_name(enum tc_layout layout)
{
	static const char *const names[] = {
		NULL, "dense", "channels_last", "turned", "mixed", "gaps", "across"};

	return names[layout];
}

/* reduced_dims: as in struct tc_extent. */
enum tc_layout tc_layout_of(
	enum tc_work_kind kind, const struct tc_op_inputs *inputs, unsigned reduced_dims);

/* Adds what work does that memory bounds: all but matrix work. */
void tc_memory_work(enum tc_work_kind kind, struct tc_work_sum *flops, struct tc_work_sum *bytes,
	const struct tc_op_inputs *inputs);

struct tc_work tc_work_of(enum tc_work_kind kind, const struct tc_op_inputs *inputs);

/*
 * The work of the operators of a trace by label and shape, from the arguments of the first call of
 * each.
 */
struct tc_works {
	struct tc_strtab keys; /* a number for each label and shape */
	struct tc_work *rows;  /* by number */
	size_t count, capacity;
	uint32_t latest;
};

/* Takes a call; args is its JSON object. */
void tc_works_add(struct tc_works *works, struct tc_ctx *ctx, enum tc_work_kind kind,
	uint32_t label, uint64_t shape, struct tc_text args);
/* The number of a label and shape whose bytes are known, else UINT32_MAX. */
uint32_t tc_works_find(const struct tc_works *works, uint32_t label, uint64_t shape);
