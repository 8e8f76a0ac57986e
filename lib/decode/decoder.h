/*
 * What prefetch (fast/) needs of a decoder: to start one in the middle of an event list, and to
 * move one over events that another has decoded.
 */
#pragma once

#include "decode/decode.h"
#include "decode/keys.h"

/* A place behind the comma after an element of the event list, and what a decoder knows there. The
 * parser is in one state only: it wants an element. */
struct tc_decoder_mark {
	int64_t offset, comma_at;
	struct tc_first_keys first_keys;
};

/* Puts a new decoder behind a comma of an event list. A plain one is fed once, and fails
 * (TC_ERR_INPUT, nothing said) on text that is not plain JSON, see fast/plain.h. */
enum tc_status tc_decoder_start_in_list(struct tc_decoder *decoder, int64_t offset, bool plain);

/* Whether a decoder that was put into a list has read all of its input, stands at such a place now,
 * and has neither left the list nor restarted the parser. Sets the place then. */
bool tc_decoder_stayed_in_list(const struct tc_decoder *decoder, struct tc_decoder_mark *mark);

/* Whether the decoder has read all of its input and stands at such a place, at an offset. Moves it
 * to a later one then. */
bool tc_decoder_jump(
	struct tc_decoder *decoder, int64_t offset, const struct tc_decoder_mark *mark);
/* Delivers an event as its own. */
enum tc_status tc_decoder_deliver(struct tc_decoder *decoder, const struct tc_raw_event *event);
