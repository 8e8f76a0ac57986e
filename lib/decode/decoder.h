/*
 * The state that the files of the decoder share.
 *
 *   decoder.c  the door: windows over the input, the loop, the end
 *   walk.c     tokens of well-formed text: where we are, what is an event
 *   mend.c     text that the parser refused: one element at a time, then back to the parser
 *   resync.c   text that cannot be mended: where the next event starts
 *   segment.c  parts of the event list that another decoder has decoded ahead
 *
 * All offsets are those of the input. Bytes from hold on are in the window; what lies before is
 * done with. In a container or list hold is the end of the last complete element, in an event its
 * first byte.
 */
#ifndef TC_DECODE_DECODER_H
#define TC_DECODE_DECODER_H

#include "core/buf.h"
#include "decode/decode.h"
#include "decode/walk/event.h"
#include "decode/json/parser.h"
#include "decode/keys.h"
#include "decode/json/repair.h"
#include "decode/prefetch/segment.h"

enum tc_place {
	TC_PLACE_TOP,       /* between top-level values */
	TC_PLACE_CONTAINER, /* among the members of an object that has an event list */
	TC_PLACE_LIST,      /* among the elements of the event list */
	TC_PLACE_EVENT,     /* inside an event, or a top-level object not yet known for either */
};

enum tc_mode {
	TC_MODE_PARSE,  /* the JSON parser reads */
	TC_MODE_MEND,   /* it failed; the element at hold is looked at by hand */
	TC_MODE_RESYNC, /* bytes are dropped until an event starts */
	TC_MODE_SKIP,   /* a value too large or too deep is dropped */
};

/* Why a handler stopped the parser. */
enum tc_stop { TC_STOP_NONE, TC_STOP_TEXT, TC_STOP_DEEP, TC_STOP_LARGE };

/* A piece of the input: the byte ptr[0] has the offset base. */
struct tc_window {
	const char *ptr;
	int64_t base;
	size_t len;
};

/* State of TC_MODE_SKIP: brackets open, and inside a string or after its backslash. */
struct tc_skip {
	int64_t depth;
	bool string, escape, started;
};

struct tc_decoder {
	struct tc_ctx *ctx;
	struct tc_decode_sink sink;
	struct tc_json *json;
	struct tc_keys keys;
	enum tc_status status; /* the first failure; sticky */
	enum tc_form form;
	int64_t event_count, byte_count;
	bool at_end, source_cut, finished;

	struct tc_window window;
	struct tc_buf carry;
	int64_t parse_base; /* offset of the text in the current call of the parser */
	int64_t fed;        /* the parser has seen the input up to here */
	int64_t hold;

	enum tc_mode mode;
	int64_t resume_count; /* restarts of the parser */
	enum tc_place place;
	enum tc_stop stop;
	int depth;         /* of brackets inside the event or container; 1 among its members */
	bool in_container; /* the list is a member of an object */
	bool midway;       /* the list's start was never seen */
	bool element_seen; /* the list has had an element */
	int64_t comma_at;  /* the comma after the last element, -1 for none */
	int trace_count;   /* containers and arrays at the top */
	int64_t list_count;
	int list_depth; /* of lists in the list */

	struct tc_event_builder event;
	int64_t event_start;
	bool event_at_top; /* no list around it: may turn out to be a container */
	bool escapes;      /* the event has escaped strings */
	int member_count;
	int field;  /* of the current member of the event, -1 for an unknown one */
	int target; /* slot for the value at target_depth, or TC_SLOT_NONE */
	int target_depth;
	int64_t nested_from; /* of the nested value that goes to target */
	int64_t args_from;
	int64_t dense;      /* bytes that the event's tokens take when written without blanks */
	int64_t args_dense; /* the same up to the start of args */
	int64_t member_end; /* of the last complete member; kept only at the top */

	struct tc_buf key; /* of the current member of the container */
	bool list_key;     /* that key is traceEvents */
	int64_t value_from;
	struct tc_buf scratch;

	struct tc_repair repair;
	size_t retry_bytes; /* try again to mend when so much is there */
	struct tc_skip skip;
	int64_t damage_from;             /* where dropping started */
	char previous;                   /* the last byte dropped that is no blank */
	struct tc_first_keys first_keys; /* of good events */
};

/* decoder.c */

/* The byte at an offset of the window. */
static inline const char *tc_decoder_at(const struct tc_decoder *decoder, int64_t offset)
{
	return decoder->window.ptr + (offset - decoder->window.base);
}
static inline int64_t tc_decoder_window_end(const struct tc_decoder *decoder)
{
	return decoder->window.base + (int64_t)decoder->window.len;
}
/* The window from an offset on. */
struct tc_text tc_decoder_rest(const struct tc_decoder *decoder, int64_t offset);
/* Passes a row to the sink. False when the sink failed; the status is set. */
bool tc_decoder_log(struct tc_decoder *decoder, enum tc_log_kind kind, int64_t offset,
	int64_t count, const char *message);
bool tc_decoder_no_memory(struct tc_decoder *decoder);
/* Restarts the parser for the current place, at hold. */
void tc_decoder_resume(struct tc_decoder *decoder);

/* walk.c: also used where elements are mended. */

/* Delivers a member of the container: its value as it stands at offset. A too large one is logged;
 * its key is then expected in decoder->key. */
bool tc_walk_deliver_meta(
	struct tc_decoder *decoder, struct tc_text key, struct tc_text raw, int64_t offset);
/* Enters the event list that starts before offset; leaves the list or container before it. */
bool tc_walk_enter_list(struct tc_decoder *decoder, bool in_container, int64_t offset);
void tc_walk_leave_list(struct tc_decoder *decoder, int64_t offset);
void tc_walk_leave_container(struct tc_decoder *decoder, int64_t offset);
/* Back to the place around the event, which ended before offset. */
void tc_walk_leave_event(struct tc_decoder *decoder, int64_t offset);
bool tc_walk_enter_container(struct tc_decoder *decoder);

/* mend.c. Each returns false when it needs more input. */
bool tc_mend(struct tc_decoder *decoder);
bool tc_mend_skip(struct tc_decoder *decoder);
/* Feeds one byte to the skipper; true when the value ended, before the byte if *used is false. */
bool tc_mend_skip_byte(struct tc_skip *skip, char c, bool *used);
/* Drops the value that starts at hold. */
void tc_mend_start_skip(struct tc_decoder *decoder);

/* resync.c */
void tc_resync_start(struct tc_decoder *decoder, int64_t from);
bool tc_resync(struct tc_decoder *decoder);
/* Notes a key that a good event started with. */
void tc_resync_learn(struct tc_first_keys *keys, struct tc_text key);

/* 1: an event seems to start at p, a brace. 0: not so. -1: more bytes are needed to tell. */
int tc_resync_plausible(const struct tc_decoder *decoder, const char *p, const char *end);

#endif
