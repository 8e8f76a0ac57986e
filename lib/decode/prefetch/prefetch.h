/*
 * Prefetch: the segments of one source in their order, the next ones read and decoded by helper
 * threads while the caller works on this one, and by the caller when this one is not ready. A
 * source of one segment needs no threads.
 *
 *   reading   one thread at a time, in order; it cuts where an event seems to start
 *   decoding  on the thread that has read, where both ends of the segment are such places
 */
#ifndef TC_DECODE_PREFETCH_PREFETCH_H
#define TC_DECODE_PREFETCH_PREFETCH_H

#include "core/buf.h"
#include "decode/decoder.h"
#include "decode/raw_event.h"
#include "source/source.h"

/*
 * Segments: the input cut where events of a list seem to start, so that several can be decoded at
 * once, each by a decoder of its own that supposes to be between two events. That is a guess; it
 * is checked by the one decoder that knows, the one fed from the first byte on. Standing between
 * two events at the very start of a segment that was decoded without anything to log, it takes
 * those events and stands at the segment's end as if it had decoded it. In all other cases it
 * decodes the segment's bytes. So the guess costs time when it is wrong, and never changes what is
 * delivered.
 */

/*
 * Copies of raw events, small and free of pointers, for a decoder that runs ahead of the one who
 * wants its events. Text that lies in the batch's source is referred to, other text is copied.
 */

struct tc_event_batch {
	struct tc_text source; /* must stay while events are added and read; up to 1 GiB */
	int64_t source_offset; /* of its first byte in the input */
	struct tc_buf records, texts;
	struct tc_text args; /* of the event being added, and where args_at finds it in the batch */
	uint32_t args_at;
};

void tc_event_batch_clear(struct tc_event_batch *batch); /* frees */

/* Reads the events in their order. */
struct tc_event_reader {
	const struct tc_event_batch *batch;
	size_t at;
	struct tc_raw_event event;
};

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

struct tc_prefetch;

struct tc_prefetch_segment {
	struct tc_segment segment; /* clean only when it was decoded */
	int64_t read_bytes;        /* of the source, once this was read */
};

/* The source is borrowed, and used until tc_prefetch_free(). The caller owns *out. */
enum tc_status tc_prefetch_new(struct tc_prefetch **out, struct tc_ctx *ctx,
	struct tc_source *source, size_t segment_bytes);

/* The next segment, borrowed until tc_prefetch_done(); NULL at the end of the source. */
enum tc_status tc_prefetch_next(
	struct tc_prefetch *prefetch, const struct tc_prefetch_segment **out);

/* Gives the segment back. taken says whether decoding it ahead was of use: decoding ahead
 * ends where it mostly is not. */
void tc_prefetch_done(struct tc_prefetch *prefetch, bool taken);

/* Ends the threads. NULL is fine. */
void tc_prefetch_free(struct tc_prefetch *prefetch);

#endif
