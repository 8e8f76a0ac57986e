/*
 * Prefetch: the input of a decoder, read and decoded ahead by helper threads, and by the caller
 * when the next part is not ready. It never changes the result: a decoder that is fed chunk
 * by chunk delivers equal events in equal order. prefetch.c says how.
 */
#pragma once

#include "core/buf.h"
#include "decode/decoder.h"
#include "decode/raw_event.h"
#include "source/source.h"

/* After a segment was fed: the bytes of the source that were read until then, and whether its
 * events had been decoded ahead. */
typedef void (*tc_fed_fn)(void *user, int64_t read_bytes, bool was_ahead);

/* Feeds a decoder all of a source in segments of so many bytes. fed may be NULL. */
enum tc_status tc_prefetch_feed(struct tc_decoder *decoder, struct tc_ctx *ctx,
	struct tc_source *source, size_t segment_bytes, tc_fed_fn fed, void *user);

/* The steps of it, for one segment. */

/* Copies of raw events, small and free of pointers. Text that stands in the source of the batch is
 * referred to, other text is copied. */
struct tc_event_batch {
	struct tc_text source; /* must stay while events are added and read; up to 1 GiB */
	int64_t source_offset; /* of its first byte in the input */
	struct tc_buf records, texts;
	struct tc_text args; /* of the event being added, and where args_at finds it in the batch */
	uint32_t args_at;
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

/* Where the last event seems to start that is in the second half of text: behind a closing brace
 * and a comma. 0 when there is none. */
size_t tc_segment_cut(struct tc_text text);

/* Decodes a segment ahead, supposing that it and what follows it start with an event of a list.
 * Fails the context only for want of memory or on an interrupt. */
void tc_segment_decode(struct tc_segment *segment, struct tc_ctx *ctx);

/* Feeds the decoder the next bytes of its input. *taken is true if they were not decoded again. */
enum tc_status tc_segment_feed(
	struct tc_decoder *decoder, const struct tc_segment *segment, bool *taken);
