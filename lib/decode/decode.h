/*
 * Decoder: a push parser from bytes to raw events. Feed it chunks of any size; it calls the sink
 * for each event, each top-level member that is not an event list, and each thing that was wrong.
 * Nothing in the bytes makes it fail: damaged input is logged and skipped, at most one event is
 * lost around each damage. Only memory, an interrupt or a sink that fails end it early.
 */
#pragma once

#include "core/context.h"
#include "decode/sink.h"

struct tc_decoder;

/* Makes a decoder that delivers to *sink (copied). The caller owns *out: tc_decoder_free(). */
enum tc_status tc_decoder_new(
	struct tc_decoder **out, struct tc_ctx *ctx, const struct tc_decode_sink *sink);
void tc_decoder_free(struct tc_decoder *decoder);

/* Feeds the next len bytes. They are copied or consumed before it returns. */
enum tc_status tc_decoder_feed(struct tc_decoder *decoder, const char *bytes, size_t len);

/*
 * Ends the input: delivers what is complete, logs what is cut. source_cut says that the source
 * itself ended early (a gzip member without its trailer), so the end is known to be a cut.
 */
enum tc_status tc_decoder_finish(struct tc_decoder *decoder, bool source_cut);

/* Counts of the input decoded so far. */
struct tc_decoder_facts {
	enum tc_form form;
	int64_t event_count, byte_count;
	/* Event lists seen, empty ones too: 0 when the input was no trace, unless it was events
	 * alone. */
	int64_t list_count;
	/* It ended in an event or in a list of events, so that events are missing. */
	bool ends_early;
};
struct tc_decoder_facts tc_decoder_facts(const struct tc_decoder *decoder);
