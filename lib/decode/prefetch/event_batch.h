/*
 * Copies of raw events, small and free of pointers, for a decoder that runs ahead of the one who
 * wants its events. Text that lies in the batch's source is referred to, other text is copied.
 */
#ifndef TC_DECODE_PREFETCH_EVENT_BATCH_H
#define TC_DECODE_PREFETCH_EVENT_BATCH_H

#include "core/buf.h"
#include "decode/raw_event.h"

struct tc_event_batch {
	struct tc_text source; /* must stay while events are added and read; up to 1 GiB */
	int64_t source_offset; /* of its first byte in the input */
	struct tc_buf records, texts;
	struct tc_text args; /* of the event being added, and where args_at finds it in the batch */
	uint32_t args_at;
};

void tc_event_batch_clear(struct tc_event_batch *batch); /* frees */
/* Empties the batch, for events that are decoded from source. */
void tc_event_batch_reset(
	struct tc_event_batch *batch, struct tc_text source, int64_t source_offset);
/* False when memory is out. */
bool tc_event_batch_add(struct tc_event_batch *batch, const struct tc_raw_event *event);

/* Reads the events in their order. */
struct tc_event_reader {
	const struct tc_event_batch *batch;
	size_t at;
	struct tc_raw_event event;
};

void tc_event_reader_init(struct tc_event_reader *reader, const struct tc_event_batch *batch);
/* The next event, borrowed until the next call; NULL at the end. */
const struct tc_raw_event *tc_event_reader_next(struct tc_event_reader *reader);

#endif
