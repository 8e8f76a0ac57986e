/*
 * One event while it is read: its members as the walk keeps them, and the raw event that they make.
 * Scalars are kept as text where they stand until the event ends; nothing is allocated for an event
 * that lies in one chunk and has no escapes.
 */
#pragma once

#include "core/buf.h"
#include "decode/keys.h"
#include "decode/raw_event.h"

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

/* Does the value of a slot stand in args? */
static inline bool tc_slot_of_args(int slot)
{
	return slot >= TC_SLOT_ARG || slot == TC_FIELD_ARGS;
}

/*
 * Makes builder->event of what was kept: the event's text is raw and starts at raw_offset of the
 * input. False when memory is out. What it makes is borrowed until the next event.
 */
bool tc_event_finish(struct tc_event_builder *builder, struct tc_text raw, int64_t raw_offset);
