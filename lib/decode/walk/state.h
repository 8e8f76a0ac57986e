/* What the walk knows of where it is: for walk.c alone. */
#ifndef TC_DECODE_WALK_STATE_H
#define TC_DECODE_WALK_STATE_H

#include "decode/delivery.h"
#include "decode/json/parser.h"
#include "decode/json/plain.h"
#include "decode/walk/event.h"
#include "decode/walk/first_keys.h"
#include "decode/walk/member.h"
#include "decode/walk/outcome.h"
#include "decode/walk/position.h"

struct tc_walk {
	struct tc_position *position;
	struct tc_delivery *delivery;
	const struct tc_keys *keys;
	struct tc_first_keys *first_keys;

	struct tc_parser *parser;
	struct tc_plain plain;
	bool is_plain;                  /* the quick parser reads */
	const struct tc_window *window; /* while it is read */
	int64_t parse_base;             /* offset of the text in the current call of the parser */
	int64_t fed;                    /* the parser has seen the input up to here */
	int64_t restart_count;
	enum tc_walk_outcome stop; /* why a handler stopped the parser */
	int depth;                 /* of brackets in the event or container; 1 among its members */

	/* Of the event. */
	struct tc_event_builder event;
	bool escapes; /* it has escaped strings */
	int member_count;
	int field;  /* of the current member, -1 for an unknown one */
	int target; /* slot for the value at target_depth, or TC_SLOT_NONE */
	int target_depth;
	int64_t nested_from; /* of the nested value that goes to target */
	int64_t args_from;
	int64_t args_weight; /* plain.weight at the start of args */
	int64_t member_end;  /* of the last complete member; kept only at the top */

	struct tc_member member; /* of the container */
};

/* Offset of the end of the current token. */
static inline int64_t token_end(const struct tc_walk *walk)
{
	size_t used = walk->is_plain ? tc_plain_used(&walk->plain) : tc_parser_used(walk->parser);

	return walk->parse_base + (int64_t)used;
}

/* Does text of the parser stand in the window, unescaped and uncut? */
static inline bool in_window(const struct tc_walk *walk, const char *ptr)
{
	return (uintptr_t)ptr - (uintptr_t)walk->window->ptr < walk->window->len;
}

#endif
