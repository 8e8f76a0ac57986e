/*
 * The walk: the parser's tokens of well-formed text to raw events and members of the trace. It is
 * fed a window and says how far it came; the salvage works on text that it cannot read.
 */
#pragma once

#include "decode/delivery.h"
#include "decode/keys.h"
#include "decode/position.h"

/* How far the walk came with a window. */
enum tc_walk_outcome {
	TC_WALK_MORE,   /* all of the window was read */
	TC_WALK_BROKEN, /* the text at the position is no JSON, or not clean */
	TC_WALK_DEEP,   /* it is nested deeper than the limit */
	TC_WALK_LARGE,  /* it is larger than the limit */
	TC_WALK_FAILED, /* the delivery has a status */
};

struct tc_walk;

/* The arguments are borrowed: the walk moves the position and learns first keys. NULL when memory
 * is out. */
struct tc_walk *tc_walk_new(struct tc_position *position, struct tc_delivery *delivery,
	const struct tc_keys *keys, struct tc_first_keys *first_keys);
void tc_walk_free(struct tc_walk *walk); /* NULL is fine */

/* Reads on to the window's end. After any outcome but TC_WALK_MORE it must be restarted. */
enum tc_walk_outcome tc_walk_feed(struct tc_walk *walk, const struct tc_window *window);

/* Starts the parser anew at the position. False when memory is out; the delivery has the status. */
bool tc_walk_restart(struct tc_walk *walk);
/* Between elements of a list: reads what is plain only (fast/plain.h), in one window. Any other
 * outcome than TC_WALK_MORE means that it was not plain. */
void tc_walk_read_plain(struct tc_walk *walk);
/* Goes on at an offset as if what lies before had been read: the parser's state is as it was. */
void tc_walk_jump(struct tc_walk *walk, int64_t offset);
/* Follows text of the open event to where it is now. */
void tc_walk_follow(struct tc_walk *walk, const struct tc_window_move *move);

struct tc_walk_facts {
	int64_t end; /* the input is read up to here */
	int64_t restart_count;
	bool phase_seen; /* the open event has shown a phase */
};
struct tc_walk_facts tc_walk_facts(const struct tc_walk *walk);
