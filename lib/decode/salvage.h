/*
 * Salvage: text that the walk could not read, one element at a time. Each function works from the
 * position on and returns the next step there; the decoder takes it.
 */
#pragma once

#include "decode/delivery.h"
#include "decode/keys.h"
#include "decode/position.h"

enum tc_salvage_outcome {
	TC_SALVAGE_MORE,        /* more bytes are needed to decide */
	TC_SALVAGE_FAILED,      /* the delivery has a status */
	TC_SALVAGE_PARSE,       /* the text there is for the walk */
	TC_SALVAGE_REPAIRED,    /* the event there was repaired: it is repair.out now */
	TC_SALVAGE_REPAIR_NEXT, /* something was dealt with: repair the text behind it */
	TC_SALVAGE_SKIP,        /* the value there is to be dropped */
	TC_SALVAGE_LOST,        /* the text makes no sense: find where the next event starts */
};

/* A value that is dropped: brackets open, and inside a string or after its backslash. Zeroed at the
 * start of the value. */
struct tc_skip {
	int64_t depth;
	bool string, escape, started;
};

/* Why the walk refused the text. */
enum tc_damage { TC_DAMAGE_TEXT, TC_DAMAGE_DEEP, TC_DAMAGE_LARGE };

struct tc_salvage {
	/* Borrowed. */
	const struct tc_window *window;
	struct tc_position *position;
	struct tc_delivery *delivery;
	const struct tc_keys *keys;
	const struct tc_first_keys *first_keys;

	enum tc_damage damage;
	bool phase_seen;  /* the damaged event has shown its phase */
	int64_t retry_at; /* try again to mend when the window goes so far */
	struct tc_repair repair;
	struct tc_buf key; /* of the member of the container that is mended */

	struct tc_skip skip;
	int64_t lost_at; /* where dropping started */
	char previous;   /* the last byte dropped that is no blank */
};

/* Frees what it holds. */
static inline void tc_salvage_clear(struct tc_salvage *salvage)
{
	tc_repair_clear(&salvage->repair);
	tc_buf_clear(&salvage->key);
}

/* Starts on damage at the position. */
static inline void tc_salvage_start(
	struct tc_salvage *salvage, enum tc_damage damage, bool phase_seen)
{
	salvage->damage = damage;
	salvage->phase_seen = phase_seen;
}

/* Mends the element or member at the position, or returns why that cannot be done. */
enum tc_salvage_outcome tc_salvage_mend(struct tc_salvage *salvage);
/* After TC_SALVAGE_SKIP: drops the value. */
enum tc_salvage_outcome tc_salvage_skip(struct tc_salvage *salvage);
/* After TC_SALVAGE_LOST: drops bytes until an event starts. */
enum tc_salvage_outcome tc_salvage_resync(struct tc_salvage *salvage);
