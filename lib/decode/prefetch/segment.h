/*
 * Segments: the input cut where events of a list seem to start, so that several can be decoded at
 * once, each by a decoder of its own that supposes to be between two events. That is a guess; it
 * is checked by the one decoder that knows, the one fed from the first byte on. Standing between
 * two events at the very start of a segment that was decoded without anything to log, it takes
 * those events and stands at the segment's end as if it had decoded it. In all other cases it
 * decodes the segment's bytes. So the guess costs time when it is wrong, and never changes what is
 * delivered.
 */
#ifndef TC_DECODE_PREFETCH_SEGMENT_H
#define TC_DECODE_PREFETCH_SEGMENT_H

#include "decode/decoder.h"
#include "decode/prefetch/event_batch.h"

struct tc_segment {
	struct tc_text text; /* borrowed */
	int64_t offset;      /* of its first byte in the input */
	bool clean;          /* decoded from event to event without anything to log */
	/* If it is clean: */
	struct tc_decoder_mark end;
	struct tc_event_batch events;
};

void tc_segment_clear(struct tc_segment *segment); /* frees the events */

/*
 * Where the last event seems to start that is in the second half of text: behind a closing brace
 * and a comma. 0 when there is none.
 */
size_t tc_segment_cut(struct tc_text text);

/* Decodes a segment ahead, supposing that it and what follows it start with an event of a list.
 * Fails only for want of memory or on an interrupt. */
enum tc_status tc_segment_decode(struct tc_segment *segment, struct tc_ctx *ctx);

/* Feeds the decoder the next bytes of its input. *taken is true if they were not decoded again. */
enum tc_status tc_segment_feed(
	struct tc_decoder *decoder, const struct tc_segment *segment, bool *taken);

#endif
