/*
 * Order: facts about a host slice that its neighbours decide: the slices directly before and after
 * it on its thread, and stretches of the recording, such as a loop over rows.
 */
#ifndef TC_REPLAY_EDIT_ORDER_H
#define TC_REPLAY_EDIT_ORDER_H

#include "replay/edit/match.h"

#define TC_NEIGHBOUR_NS INT64_C(1000000) /* slices further apart are not neighbours */

struct tc_order;

/* All arguments are borrowed; the results go to facts. */
enum tc_status tc_order_new(struct tc_order **out, struct tc_slice_facts *facts,
	const struct tc_timeline *timeline, struct tc_match *match);
void tc_order_free(struct tc_order *order); /* NULL is fine */

void tc_order_begin(struct tc_order *order, const struct tc_walk_slice *slice);
void tc_order_end(struct tc_order *order, const struct tc_walk_slice *slice);
/* After the last slice. */
enum tc_status tc_order_finish(struct tc_order *order);

#endif
