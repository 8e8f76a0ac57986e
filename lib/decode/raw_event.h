/*
 * One event as the file says it, before anything is interpreted: what the decoders hand to the
 * model. All text is borrowed from the decoder and valid only during the call.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/text/decimal.h"
#include "core/text.h"

/* A scalar of the file. Numbers that are no int64 keep their decimal text. */
enum tc_scalar_kind {
	TC_SCALAR_NONE = 0, /* the key is not there */
	TC_SCALAR_NULL,
	TC_SCALAR_BOOL,   /* i64 is 0 or 1 */
	TC_SCALAR_INT,    /* i64 */
	TC_SCALAR_NUMBER, /* not an int64 (a fraction, u64 above 2^63): text */
	TC_SCALAR_TEXT,   /* text, unescaped UTF-8 */
	TC_SCALAR_JSON,   /* an object or array: text is its compact JSON */
};

struct tc_scalar {
	enum tc_scalar_kind kind;
	int64_t i64;
	struct tc_text text;
};

/* Whether a scalar is an integer or the text of one. */
static inline bool tc_scalar_integer(int64_t *out, const struct tc_scalar *scalar)
{
	if (scalar->kind != TC_SCALAR_INT)
		return scalar->kind == TC_SCALAR_TEXT && tc_decimal_int64(out, scalar->text);
	*out = scalar->i64;
	return true;
}

/* The members of args that the model reads; args.def lists them. */
enum tc_arg {
#define TC_ARG(id, key) TC_ARG_##id,
#include "decode/args.def"
#undef TC_ARG
	TC_ARG_COUNT
};

/* Whether ts or dur is there and is a time. */
enum tc_time_state {
	TC_TIME_ABSENT = 0, /* no such key, or null */
	TC_TIME_OK,
	TC_TIME_BAD, /* there, but no number ("100a", NaN, out of range) */
};

enum tc_id_scope { TC_ID_NONE = 0, TC_ID_PLAIN, TC_ID_LOCAL, TC_ID_GLOBAL };

struct tc_raw_event {
	char ph; /* first letter of ph; 0 when there is none */
	enum tc_time_state ts_state, dur_state;
	int64_t ts_ns, dur_ns; /* file's microseconds as exact ns, half away from zero */
	struct tc_scalar pid, tid;
	struct tc_scalar id; /* async, flow and object id (id, id2.local, id2.global) */
	enum tc_id_scope id_scope;
	struct tc_scalar bind_id; /* flow v2 */
	bool flow_in, flow_out;
	struct tc_text name, cat; /* ptr NULL when absent */
	struct tc_text bp;        /* flow binding point */
	struct tc_text scope;     /* s of instants */
	struct tc_text args;      /* compact JSON text of args when it is an object or array that is
				     not empty; else ptr NULL */
	struct tc_scalar arg[TC_ARG_COUNT];
	uint32_t arg_set;    /* bit n: arg[n] is there */
	int64_t byte_offset; /* of the event's '{' in the (decompressed) input */
	struct tc_text raw;  /* from there to its '}', mended where it was damaged; ptr NULL for an
				event of a prefetched segment */
};

/* Forgets the members of args. */
static inline void tc_raw_event_clear_args(struct tc_raw_event *event)
{
	for (uint32_t left = event->arg_set; left; left &= left - 1)
		event->arg[__builtin_ctz(left)] = (struct tc_scalar){0};
	event->arg_set = 0;
}
