/* Decoding ahead, and taking what was decoded; see segment.h. */
#include "decode/prefetch/segment.h"

#include "decode/json/repair.h"
#include "decode/json/json_text.h"

void tc_segment_clear(struct tc_segment *segment)
{
	tc_event_batch_clear(&segment->events);
}

/* The byte before p that is no blank, start when there is none. */
static const char *skip_blanks_back(const char *p, const char *start)
{
	do
		p--;
	while (p > start && tc_json_blank(*p));
	return p;
}

/* Does the brace at p follow on an object and a comma? */
static bool follows_object(const char *start, const char *p)
{
	if (p - start < 2)
		return false;
	p = skip_blanks_back(p, start);
	if (*p != ',' || p == start)
		return false;
	return *skip_blanks_back(p, start) == '}';
}

size_t tc_segment_cut(struct tc_text text)
{
	const char *start = text.ptr, *end = text.ptr + text.len;
	const char *half = start + text.len / 2, *found = NULL;

	for (const char *p = end; p > half;) {
		if (*--p != '{' || !follows_object(start, p))
			continue;
		if (tc_repair_shows_phase(p, end, true) == 1)
			return (size_t)(p - start);
		/* May be a value in an event; better than nothing. */
		found = found ? found : p;
	}
	return found ? (size_t)(found - start) : 0;
}

static enum tc_status add_event(void *user, const struct tc_raw_event *event)
{
	struct tc_segment *segment = user;

	return tc_event_batch_add(&segment->events, event) ? TC_OK : TC_ERR_NOMEM;
}

/* What is no event ends the decoding ahead. */
static enum tc_status refuse_meta(void *user, struct tc_text key, struct tc_text json)
{
	struct tc_segment *segment = user;

	(void)key;
	(void)json;
	segment->clean = false;
	return TC_ERR_INPUT;
}

static enum tc_status refuse_log(void *user, const struct tc_log_entry *entry)
{
	struct tc_segment *segment = user;

	(void)entry;
	segment->clean = false;
	return TC_ERR_INPUT;
}

static enum tc_status decode(struct tc_segment *segment, struct tc_ctx *ctx, bool plain)
{
	const struct tc_decode_sink sink = {segment, add_event, refuse_meta, refuse_log};
	struct tc_decoder *d;
	enum tc_status status = tc_decoder_new(&d, ctx, &sink);

	if (status)
		return status;
	tc_event_batch_reset(&segment->events, segment->text, segment->offset);
	segment->clean = true;
	status = tc_decoder_start_in_list(d, segment->offset, plain);
	if (!status)
		status = tc_decoder_feed(d, segment->text.ptr, segment->text.len);
	if (status == TC_ERR_INPUT)
		segment->clean = false;
	if (!segment->clean)
		status = TC_OK;
	else if (status == TC_ERR_NOMEM)
		tc_fail(ctx, status, "out of memory while decoding ahead");
	segment->clean = segment->clean && tc_decoder_stayed_in_list(d);
	tc_decoder_mark(d, &segment->end);
	tc_decoder_free(d);
	return status;
}

enum tc_status tc_segment_decode(struct tc_segment *segment, struct tc_ctx *ctx)
{
	enum tc_status status = decode(segment, ctx, true);

	if (!status && !segment->clean)
		status = decode(segment, ctx, false);
	return status;
}

static enum tc_status deliver(struct tc_decoder *d, const struct tc_event_batch *events)
{
	enum tc_status status = TC_OK;
	struct tc_event_reader reader;
	const struct tc_raw_event *event;

	tc_event_reader_init(&reader, events);
	while (!status && (event = tc_event_reader_next(&reader)))
		status = tc_decoder_deliver(d, event);
	return status;
}

enum tc_status tc_segment_feed(struct tc_decoder *d, const struct tc_segment *segment, bool *taken)
{
	*taken = segment->clean && tc_decoder_between_elements(d) &&
		 tc_decoder_byte_count(d) == segment->offset;
	if (!*taken)
		return tc_decoder_feed(d, segment->text.ptr, segment->text.len);
	tc_decoder_jump(d, &segment->end);
	return deliver(d, &segment->events);
}
