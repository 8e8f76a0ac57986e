/*
 * Decoder: a push parser from bytes to raw events. Feed it chunks of any size; it calls the sink
 * for each event, each top-level member that is not an event list, and each thing that was wrong.
 * Nothing in the bytes makes it fail: damaged input is logged and skipped, at most one event is
 * lost around each damage. Only memory, an interrupt or a sink that fails end it early.
 */
#ifndef TC_DECODE_DECODE_H
#define TC_DECODE_DECODE_H

#include "tracecoach/context.h"
#include "decode/raw_event.h"

/* Kinds of import_log rows; log_kinds.def gives each its name, severity and help. */
enum tc_log_kind {
#define TC_LOG_KIND(id, name, severity, help) TC_LOG_##id,
#include "decode/log_kinds.def"
#undef TC_LOG_KIND
	TC_LOG_KIND_COUNT
};

struct tc_log_entry {
	enum tc_log_kind kind;
	int64_t byte_offset;    /* in the decompressed input; -1 when it has none */
	int64_t count;          /* bytes for the *_bytes kinds, else occurrences (usually 1) */
	struct tc_text message; /* what and where, may be empty; borrowed */
};

/* Form of the input, told once the first byte that decides it was seen. */
enum tc_form { TC_FORM_UNKNOWN = 0, TC_FORM_OBJECT, TC_FORM_ARRAY, TC_FORM_LINES };

/* Where a decoder delivers. Each returns TC_OK to go on. */
struct tc_decode_sink {
	void *user;
	enum tc_status (*event)(void *user, const struct tc_raw_event *event);
	/* A top-level member outside the event list: key unescaped, value as compact JSON text. */
	enum tc_status (*meta)(void *user, struct tc_text key, struct tc_text json);
	enum tc_status (*log)(void *user, const struct tc_log_entry *entry);
};

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

/* The form seen, and how many events and bytes went through. */
enum tc_form tc_decoder_form(const struct tc_decoder *decoder);
int64_t tc_decoder_event_count(const struct tc_decoder *decoder);
int64_t tc_decoder_byte_count(const struct tc_decoder *decoder);
/* Event lists seen, empty ones too: 0 when the input was no trace, unless it was events alone. */
int64_t tc_decoder_list_count(const struct tc_decoder *decoder);

#endif
