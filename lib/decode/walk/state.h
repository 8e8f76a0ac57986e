/* What the walk knows of where it is: for walk.c alone. */
#ifndef TC_DECODE_WALK_STATE_H
#define TC_DECODE_WALK_STATE_H

#include "core/buf.h"
#include "decode/delivery.h"
#include "decode/json/parser.h"
#include "decode/json/plain.h"
#include "decode/keys.h"
#include "decode/raw_event.h"
#include "decode/walk/first_keys.h"
#include "decode/walk/outcome.h"
#include "decode/walk/position.h"
#include "decode/window.h"

/*
 * A member of the container, the object around the event list: metadata, unless it is that list.
 */

struct tc_member {
	struct tc_buf key;
	bool is_list;       /* the key is traceEvents */
	int64_t value_from; /* the end of the key */
};

void tc_member_clear(struct tc_member *member); /* frees */

/* A member whose key, unescaped, ended before offset. False when memory is out. */
bool tc_member_start(
	struct tc_member *member, const struct tc_keys *keys, struct tc_text key, int64_t offset);

/* Delivers the member, whose value ended before offset. Like the rest below it returns false when
 * the delivery failed. */
bool tc_member_end(struct tc_member *member, struct tc_delivery *delivery,
	const struct tc_window *window, int64_t offset);

/* Delivers all members of an object, which stands at offset and may lack its end. */
bool tc_member_deliver_all(struct tc_member *member, struct tc_delivery *delivery,
	struct tc_text object, int64_t offset);

/*
 * Gathers the members of one event while it is parsed and makes the struct tc_raw_event of them.
 * Scalars are kept as text where they stand until the event ends; nothing is allocated for an
 * event that lies in one chunk and has no escapes.
 */

/* Where scalars are kept: the fields, the two members of id2, the arguments. */
enum {
	TC_SLOT_ID_LOCAL = TC_FIELD_COUNT,
	TC_SLOT_ID_GLOBAL,
	TC_SLOT_ARG,
	TC_SLOT_COUNT = TC_SLOT_ARG + TC_ARG_COUNT,
	TC_SLOT_NONE = -1,
};

/* A nested value that is to be kept as JSON: where it stands in the input. */
struct tc_nested {
	int slot;
	int64_t from, to;
};

enum { TC_NESTED_MAX = 64 };

/* A scalar as it stands in the input. NUMBER until the end also for integers. */
struct tc_kept {
	struct tc_text text; /* stale when the kind is NONE */
	enum tc_scalar_kind kind;
};

struct tc_event_builder {
	struct tc_kept slot[TC_SLOT_COUNT];
	uint64_t used;    /* bit n: slot n is kept */
	bool rare_shown;  /* the event shows a slot of those that few events have */
	bool others_nest; /* a nested value does not belong to args */
	struct tc_nested nested[TC_NESTED_MAX]; /* in the order of their ends */
	int nested_count;
	bool args_compact;     /* args has no blanks as it stands */
	struct tc_buf copies;  /* unescaped strings, and tokens that were cut by a chunk's end */
	struct tc_buf compact; /* JSON without blanks */
	uint32_t fields_met;   /* bit n: enum tc_field n is a member */
	int doubled_count;     /* members that were met before */
	enum tc_field doubled; /* the last of them */
	struct tc_raw_event event;
};

void tc_event_clear(struct tc_event_builder *builder); /* frees */

/* Forgets the event. */
void tc_event_reset(struct tc_event_builder *builder);

/* Keeps a scalar; a later one for the same slot wins. Text must stay where it is. */
static inline void tc_event_set(
	struct tc_event_builder *builder, int slot, enum tc_scalar_kind kind, struct tc_text text)
{
	struct tc_kept *kept = &builder->slot[slot];

	builder->used |= UINT64_C(1) << slot;
	kept->kind = kind;
	kept->text = text;
}

/* Counts a member whose key was met before; the second one of them counts. */
void tc_event_meet_again(struct tc_event_builder *builder, enum tc_field field);

/* Notes a member, before its value. */
static inline void tc_event_meet(struct tc_event_builder *builder, enum tc_field field)
{
	if (builder->fields_met >> field & 1)
		tc_event_meet_again(builder, field);
	builder->fields_met |= UINT32_C(1) << field;
}

/* Notes that the value of slot is nested and stands at [from, to) of the input. */
void tc_event_set_nested(struct tc_event_builder *builder, int slot, int64_t from, int64_t to);

/* Copies text so that it stays. NULL text when memory is out. */
struct tc_text tc_event_copy(struct tc_event_builder *builder, struct tc_text text);

/* Text that was kept at old[0..len) now stands at fresh. */
void tc_event_move(
	struct tc_event_builder *builder, const char *old, size_t len, const char *fresh);

/*
 * Finishes the event, whose text is raw and starts at raw_offset of the input. False when memory
 * is out. What it returns is borrowed until the next event.
 */
bool tc_event_finish(struct tc_event_builder *builder, struct tc_text raw, int64_t raw_offset);

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
