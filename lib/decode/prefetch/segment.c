/* Decoding ahead, and taking what was decoded; see segment.h. */
#include "decode/prefetch/segment.h"

#include "decode/decoder.h"
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

/* Puts a new decoder into an event list, behind a comma. */
static void start_in_list(struct tc_decoder *d, int64_t offset)
{
	d->form = TC_FORM_ARRAY;
	d->place = TC_PLACE_LIST;
	d->element_seen = true;
	d->byte_count = d->hold = d->window.base = offset;
	tc_decoder_resume(d);
}

/* Has all input been parsed, and ended behind the comma after an element of the list? Then the
 * parser is in one state only: it wants an element. */
static bool between_elements(const struct tc_decoder *d)
{
	return d->status == TC_OK && d->mode == TC_MODE_PARSE && d->place == TC_PLACE_LIST &&
	       d->hold == d->byte_count && d->fed == d->byte_count && d->element_seen &&
	       d->comma_at >= 0;
}

enum tc_status tc_segment_decode(struct tc_segment *segment, struct tc_ctx *ctx)
{
	const struct tc_decode_sink sink = {segment, add_event, refuse_meta, refuse_log};
	struct tc_decoder *d;
	enum tc_status status = tc_decoder_new(&d, ctx, &sink);

	if (status)
		return status;
	tc_event_batch_reset(&segment->events, segment->text, segment->offset);
	segment->clean = true;
	start_in_list(d, segment->offset);
	int64_t resume_count = d->resume_count;
	status = tc_decoder_feed(d, segment->text.ptr, segment->text.len);
	if (!segment->clean)
		status = TC_OK;
	else if (status == TC_ERR_NOMEM)
		tc_fail(ctx, status, "out of memory while decoding ahead");
	/* The list was never left, nor the parser restarted. */
	segment->clean = segment->clean && between_elements(d) && d->list_count == 0 &&
			 d->list_depth == 0 && d->resume_count == resume_count;
	segment->comma_at = d->comma_at;
	segment->first_keys = d->first_keys;
	tc_decoder_free(d);
	return status;
}

/* Moves the decoder behind a segment as if it had decoded it, but for the events. */
static void move_behind(struct tc_decoder *d, const struct tc_segment *segment)
{
	const struct tc_first_keys *keys = &segment->first_keys;

	d->byte_count = d->hold = d->fed = segment->offset + (int64_t)segment->text.len;
	d->window = (struct tc_window){"", d->hold, 0};
	d->comma_at = segment->comma_at;
	tc_buf_reset(&d->carry);
	for (int i = 0; i < keys->count; i++)
		tc_resync_learn(&d->first_keys, (struct tc_text){keys->bytes[i], keys->len[i]});
}

static enum tc_status deliver(struct tc_decoder *d, const struct tc_event_batch *events)
{
	struct tc_event_reader reader;
	const struct tc_raw_event *event;

	tc_event_reader_init(&reader, events);
	while (d->status == TC_OK && (event = tc_event_reader_next(&reader))) {
		d->event_count++;
		d->status = d->sink.event(d->sink.user, event);
	}
	return d->status;
}

enum tc_status tc_segment_feed(struct tc_decoder *d, const struct tc_segment *segment, bool *taken)
{
	*taken = segment->clean && between_elements(d) && d->byte_count == segment->offset;
	if (!*taken)
		return tc_decoder_feed(d, segment->text.ptr, segment->text.len);
	move_behind(d, segment);
	return deliver(d, &segment->events);
}
