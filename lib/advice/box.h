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
	size_t finding_capacity, account_capacity;
	struct tc_arena arena;
};

/* A new empty box, or NULL when memory is out; free it as &box->advice with tc_advice_free(). */
struct tc_box *tc_box_new(void);

/* Add one zeroed element; NULL when memory is out. Borrowed until the next one is added. */
struct tc_finding *tc_box_add_finding(struct tc_box *box);
struct tc_account_row *tc_box_add_account(struct tc_box *box);

/* Moves the finding at index behind all others, so that it can be dropped. */
void tc_box_move_last(struct tc_box *box, size_t index);
/* Takes the last finding back and frees its evidence. */
void tc_box_drop_finding(struct tc_box *box);

#endif
