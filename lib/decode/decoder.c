/*
 * The decoder's door. Input is parsed where the caller has it; only what an unfinished element
 * needs is carried over to the next call, so that an element's bytes always lie in one piece.
 */
#include "decode/decoder.h"

#include "core/alloc.h"
#include "core/limits.h"
#include "decode/json/json_text.h"

/* The first piece of new input that is joined to carried bytes: most elements end in it, and the
 * rest of the input is then parsed in place. */
enum { JOIN_BYTES = 8 * 1024 };

enum tc_status tc_decoder_new(
	struct tc_decoder **out, struct tc_ctx *ctx, const struct tc_decode_sink *sink)
{
	struct tc_decoder *d = tc_calloc(1, sizeof(*d));

	if (d)
		d->json = tc_json_new(d);
	if (!d || !d->json) {
		tc_decoder_free(d);
		return tc_fail(ctx, TC_ERR_NOMEM, "cannot make a decoder: out of memory");
	}
	d->ctx = ctx;
	d->sink = *sink;
	d->comma_at = -1;
	d->window.ptr = "";
	tc_keys_init(&d->keys);
	*out = d;
	return TC_OK;
}

void tc_decoder_free(struct tc_decoder *d)
{
	if (!d)
		return;
	tc_json_free(d->json);
	tc_event_clear(&d->event);
	tc_repair_clear(&d->repair);
	tc_buf_clear(&d->carry);
	tc_buf_clear(&d->key);
	tc_buf_clear(&d->scratch);
	tc_free(d);
}

struct tc_text tc_decoder_rest(const struct tc_decoder *d, int64_t offset)
{
	return (struct tc_text){
		tc_decoder_at(d, offset), (size_t)(tc_decoder_window_end(d) - offset)};
}

bool tc_decoder_log(struct tc_decoder *d, enum tc_log_kind kind, int64_t offset, int64_t count,
	const char *message)
{
	struct tc_log_entry entry = {kind, offset, count, tc_text_from(message ? message : "")};

	if (d->status == TC_OK)
		d->status = d->sink.log(d->sink.user, &entry);
	return d->status == TC_OK;
}

bool tc_decoder_no_memory(struct tc_decoder *d)
{
	if (d->status == TC_OK)
		d->status = tc_fail(d->ctx, TC_ERR_NOMEM,
			"out of memory while decoding at byte %lld", (long long)d->hold);
	return false;
}

void tc_decoder_resume(struct tc_decoder *d)
{
	const char *prime = "";

	if (d->place == TC_PLACE_CONTAINER)
		prime = "{\"\":\"\"";
	else if (d->place == TC_PLACE_LIST)
		prime = d->in_container ? "{\"\":[" : "[";
	if (tc_json_restart(d->json, prime) != TC_JSON_TAKEN)
		tc_decoder_no_memory(d);
	d->resume_count++;
	d->mode = TC_MODE_PARSE;
	d->stop = TC_STOP_NONE;
	d->depth = d->place == TC_PLACE_CONTAINER ? 1 : 0;
	d->fed = d->hold;
}

/* Between elements: what is blank need not be held. */
static void release_blanks(struct tc_decoder *d)
{
	int64_t end = tc_decoder_window_end(d);

	for (; d->hold < end; d->hold++) {
		char c = *tc_decoder_at(d, d->hold);
		if (c == ',' && d->place == TC_PLACE_LIST && d->comma_at < 0)
			d->comma_at = d->hold;
		else if (!tc_json_blank(c))
			return;
	}
}

/* All of the window is parsed and an element is unfinished: is it still of a size to keep? */
static bool within_limits(struct tc_decoder *d)
{
	int64_t held = tc_decoder_window_end(d) - d->hold;

	switch (d->place) {
	case TC_PLACE_EVENT: return held <= TC_EVENT_MAX_BYTES;
	case TC_PLACE_CONTAINER: return held <= TC_META_MAX_BYTES + TC_CHUNK_BYTES;
	default: break;
	}
	release_blanks(d);
	return tc_decoder_window_end(d) - d->hold <= TC_EVENT_MAX_BYTES;
}

/* Lets the parser read the rest of the window. False when it wants more. */
static bool parse(struct tc_decoder *d)
{
	struct tc_text rest = tc_decoder_rest(d, d->fed);

	if (rest.len == 0) {
		/* A container cut before its list still has members worth keeping. */
		bool cut_at_top = d->at_end && d->place == TC_PLACE_EVENT && d->event_at_top;
		if (within_limits(d) && !cut_at_top)
			return false;
		d->stop = cut_at_top ? TC_STOP_NONE : TC_STOP_LARGE;
		d->mode = TC_MODE_MEND;
		return true;
	}
	d->parse_base = d->fed;
	switch (tc_json_parse(d->json, rest.ptr, rest.len)) {
	case TC_JSON_TAKEN: d->fed = tc_decoder_window_end(d); break;
	case TC_JSON_NO_MEMORY: tc_decoder_no_memory(d); break;
	case TC_JSON_BROKEN:
	case TC_JSON_STOPPED: d->mode = TC_MODE_MEND; break;
	}
	return true;
}

/* Works on the window until it needs more input or something failed. */
static void pump(struct tc_decoder *d)
{
	bool more = true;

	while (more && d->status == TC_OK) {
		switch (d->mode) {
		case TC_MODE_PARSE: more = parse(d); break;
		case TC_MODE_MEND: more = tc_mend(d); break;
		case TC_MODE_RESYNC: more = tc_resync(d); break;
		case TC_MODE_SKIP: more = tc_mend_skip(d); break;
		}
	}
}

/* Moves the window to bytes of the same input; text of the open event moves with it. */
static void set_window(struct tc_decoder *d, const char *ptr, int64_t base, size_t len)
{
	if (d->place == TC_PLACE_EVENT && d->window.len > 0)
		tc_event_move(&d->event, tc_decoder_at(d, base),
			(size_t)(tc_decoder_window_end(d) - base), ptr);
	d->window = (struct tc_window){ptr, base, len};
}

/* Parses bytes in place, then carries what is held. */
static void feed_in_place(struct tc_decoder *d, const char *bytes, int64_t base, size_t len)
{
	set_window(d, bytes, base, len);
	pump(d);
	if (d->status != TC_OK)
		return;
	struct tc_text held = tc_decoder_rest(d, d->hold);
	tc_buf_reset(&d->carry);
	tc_buf_append_text(&d->carry, held);
	if (tc_buf_failed(&d->carry)) {
		tc_decoder_no_memory(d);
		return;
	}
	set_window(d, d->carry.ptr ? d->carry.ptr : "", d->hold, held.len);
}

/* Drops what is held no longer from the carried bytes, and adds new ones. */
static void carry_on(struct tc_decoder *d, const char *bytes, size_t len)
{
	int64_t base = d->window.base;
	const char *old = d->carry.ptr;
	size_t old_len = d->carry.len, dropped = (size_t)(d->hold - base);

	tc_buf_append(&d->carry, bytes, len);
	if (tc_buf_failed(&d->carry)) {
		tc_decoder_no_memory(d);
		return;
	}
	if (d->carry.ptr != old && d->place == TC_PLACE_EVENT)
		tc_event_move(&d->event, old, old_len, d->carry.ptr);
	d->window = (struct tc_window){d->carry.ptr, base, d->carry.len};
	/* Moving costs as much as is kept: only worth it when more than that goes. */
	if (dropped > d->carry.len / 2) {
		tc_event_move(
			&d->event, d->carry.ptr + dropped, d->carry.len - dropped, d->carry.ptr);
		tc_buf_consume(&d->carry, dropped);
		d->window = (struct tc_window){d->carry.ptr, d->hold, d->carry.len};
	}
}

enum tc_status tc_decoder_feed(struct tc_decoder *d, const char *bytes, size_t len)
{
	size_t done = 0;

	if (d->status == TC_OK && tc_ctx_interrupted(d->ctx))
		d->status = tc_fail(d->ctx, TC_ERR_INTERRUPTED, "interrupted");
	size_t piece = JOIN_BYTES;
	while (done < len && d->status == TC_OK) {
		/* Nothing before these bytes is needed: they are parsed where they are. */
		if (d->hold >= d->byte_count) {
			int64_t start = d->byte_count - (int64_t)done;
			d->byte_count = start + (int64_t)len;
			feed_in_place(d, bytes + (d->hold - start), d->hold,
				(size_t)(d->byte_count - d->hold));
			break;
		}
		if (piece > len - done)
			piece = len - done;
		carry_on(d, bytes + done, piece);
		d->byte_count += (int64_t)piece;
		done += piece;
		if (d->status == TC_OK)
			pump(d);
		piece *= 2;
	}
	return d->status;
}

/* What the end of the input cuts. */
static void log_end(struct tc_decoder *d)
{
	int64_t end = d->byte_count;
	int64_t held = end - d->hold;

	switch (d->place) {
	case TC_PLACE_TOP:
		if (held > 0)
			tc_decoder_log(d, TC_LOG_TRAILING_GARBAGE, d->hold, held, "");
		break;
	case TC_PLACE_EVENT:
		tc_decoder_log(d, TC_LOG_TRUNCATED, d->hold, held, "the input ends in an event");
		break;
	case TC_PLACE_CONTAINER:
		if (!d->midway)
			tc_decoder_log(d, TC_LOG_TRUNCATED, d->hold, held,
				"the input ends before the closing } of the trace");
		break;
	case TC_PLACE_LIST:
		if (held > 0 || d->source_cut)
			tc_decoder_log(d, TC_LOG_TRUNCATED, d->hold, held,
				"the input ends in the event list");
		else if (d->midway || !d->in_container)
			tc_decoder_log(d, TC_LOG_UNTERMINATED, end, 1, "");
		else
			tc_decoder_log(d, TC_LOG_TRUNCATED, end, 0,
				"the input ends before the closing ] of the event list");
		break;
	}
}

enum tc_status tc_decoder_finish(struct tc_decoder *d, bool source_cut)
{
	if (d->finished || d->status != TC_OK)
		return d->status;
	d->finished = true;
	d->at_end = true;
	d->source_cut = source_cut;
	pump(d);
	if (d->status == TC_OK && d->place != TC_PLACE_EVENT && d->mode != TC_MODE_SKIP)
		release_blanks(d);
	if (d->status == TC_OK)
		log_end(d);
	return d->status;
}

enum tc_form tc_decoder_form(const struct tc_decoder *d)
{
	return d->form;
}

int64_t tc_decoder_event_count(const struct tc_decoder *d)
{
	return d->event_count;
}

int64_t tc_decoder_byte_count(const struct tc_decoder *d)
{
	return d->byte_count;
}

int64_t tc_decoder_list_count(const struct tc_decoder *d)
{
	return d->list_count;
}
