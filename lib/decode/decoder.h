/*
 * What prefetch (fast/) needs of a decoder: to start one in the middle of an event list, and to
 * move one over events that another has decoded.
 */
#ifndef TC_DECODE_DECODER_H
#define TC_DECODE_DECODER_H

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

/* Does the decoder stand at such a place, with all of its input read? */
bool tc_decoder_between_elements(const struct tc_decoder *decoder);
/* The same, without having left the list or restarted the parser since it was put into it. */
bool tc_decoder_stayed_in_list(const struct tc_decoder *decoder);
/* The place. */
void tc_decoder_mark(const struct tc_decoder *decoder, struct tc_decoder_mark *mark);

/* Moves a decoder that stands between elements to a later such place. */
void tc_decoder_jump(struct tc_decoder *decoder, const struct tc_decoder_mark *mark);
/* Delivers an event as its own. */
enum tc_status tc_decoder_deliver(struct tc_decoder *decoder, const struct tc_raw_event *event);

#endif
