/*
 * The decoder owns the window, the walk and the salvage, feeds one or the other, and is the only
 * place where it changes which:
 *
 *   window          the bytes at hand
 *   walk            reads well-formed text
 *   salvage         mends what the walk cannot read, skips it, or finds where the next event starts
 *   position        where in the trace they are; both move it
 *   delivery        what they have to say, to the sink
 */
#include "decode/decoder.h"

#include "core/alloc.h"
#include "decode/salvage.h"
#include "decode/walk.h"

/* The first piece of new input that is joined to kept bytes: most elements end in it, and the rest
 * of the input is then parsed in place. */
enum { JOIN_BYTES = 8 * 1024 };

enum mode {
	MODE_WALK,   /* the parser reads */
	MODE_MEND,   /* it failed; the element at the position is looked at by hand */
	MODE_SKIP,   /* a value too large or too deep is dropped */
	MODE_RESYNC, /* bytes are dropped until an event starts */
};

struct tc_decoder {
	struct tc_keys keys;
	struct tc_first_keys first_keys;
	struct tc_delivery delivery;
	struct tc_window window;
	struct tc_position position;
	struct tc_walk *walk;
	struct tc_salvage salvage;
	enum mode mode;
	bool finished;
	bool plain;          /* reads plain text only */
	int64_t start_count; /* restarts of the walk when it was put into a list */
};

enum tc_status tc_decoder_new(
	struct tc_decoder **out, struct tc_ctx *ctx, const struct tc_decode_sink *sink)
{
	struct tc_decoder *d = tc_calloc(1, sizeof(*d));

	if (d)
		d->walk = tc_walk_new(&d->position, &d->delivery, &d->keys, &d->first_keys);
	if (!d || !d->walk) {
		tc_decoder_free(d);
		return tc_fail(ctx, TC_ERR_NOMEM, "cannot make a decoder: out of memory");
	}
	tc_keys_init(&d->keys);
	tc_delivery_init(&d->delivery, ctx, sink, &d->keys);
	tc_window_init(&d->window, 0);
	tc_position_init(&d->position);
	d->salvage = (struct tc_salvage){
		.window = &d->window,
		.position = &d->position,
		.delivery = &d->delivery,
		.keys = &d->keys,
		.first_keys = &d->first_keys,
	};
	*out = d;
	return TC_OK;
}

void tc_decoder_free(struct tc_decoder *d)
{
	if (!d)
		return;
	tc_walk_free(d->walk);
	tc_salvage_clear(&d->salvage);
	tc_delivery_clear(&d->delivery);
	tc_window_clear(&d->window);
	tc_free(d);
}

/* Lets the walk read on. What it cannot read is handed to the salvage. */
static enum tc_salvage_outcome walk(struct tc_decoder *d)
{
	enum tc_damage damage = TC_DAMAGE_TEXT;

	switch (tc_walk_feed(d->walk, &d->window)) {
	case TC_WALK_MORE: return TC_SALVAGE_MORE;
	case TC_WALK_FAILED: return TC_SALVAGE_FAILED;
	case TC_WALK_BROKEN: break;
	case TC_WALK_DEEP: damage = TC_DAMAGE_DEEP; break;
	case TC_WALK_LARGE: damage = TC_DAMAGE_LARGE; break;
	}
	if (d->plain) {
		d->delivery.status = TC_ERR_INPUT;
		return TC_SALVAGE_FAILED;
	}
	tc_salvage_start(&d->salvage, damage, tc_walk_facts(d->walk).phase_seen);
	return TC_SALVAGE_REPAIR_NEXT;
}

/* Lets the walk read the mended event in place of the damaged one. False when it cannot. */
static bool walk_mended(struct tc_decoder *d)
{
	const struct tc_repair *repair = &d->salvage.repair;
	int64_t start = d->position.hold, end = start + (int64_t)repair->end;
	struct tc_text text = tc_buf_text(&repair->out);
	const struct tc_window mended = {.ptr = text.ptr, .len = text.len, .base = start};

	tc_position_abandon_event(&d->position);
	enum tc_walk_outcome outcome = TC_WALK_FAILED;
	if (tc_walk_restart(d->walk))
		outcome = tc_walk_feed(d->walk, &mended);
	if (outcome == TC_WALK_MORE && d->position.level != TC_LEVEL_EVENT) {
		tc_walk_jump(d->walk, end);
		return true;
	}
	if (outcome != TC_WALK_FAILED)
		tc_delivery_log(&d->delivery, TC_LOG_DAMAGED_EVENT, start, end - start, "");
	tc_position_leave_event(&d->position, end);
	tc_salvage_start(&d->salvage, TC_DAMAGE_TEXT, false);
	return false;
}

/* Works on the window until more input is needed or something failed. Modes change only here. */
static void work(struct tc_decoder *d)
{
	enum tc_salvage_outcome outcome = TC_SALVAGE_REPAIR_NEXT;

	while (d->delivery.status == TC_OK) {
		switch (d->mode) {
		case MODE_WALK: outcome = walk(d); break;
		case MODE_MEND: outcome = tc_salvage_mend(&d->salvage); break;
		case MODE_SKIP: outcome = tc_salvage_skip(&d->salvage); break;
		case MODE_RESYNC: outcome = tc_salvage_resync(&d->salvage); break;
		}
		switch (outcome) {
		case TC_SALVAGE_MORE:
		case TC_SALVAGE_FAILED: return;
		case TC_SALVAGE_PARSE:
			tc_walk_restart(d->walk);
			d->mode = MODE_WALK;
			break;
		case TC_SALVAGE_REPAIRED: d->mode = walk_mended(d) ? MODE_WALK : MODE_MEND; break;
		case TC_SALVAGE_REPAIR_NEXT: d->mode = MODE_MEND; break;
		case TC_SALVAGE_SKIP: d->mode = MODE_SKIP; break;
		case TC_SALVAGE_LOST: d->mode = MODE_RESYNC; break;
		}
	}
}

/* The open event's text stands where the window has moved it. */
static void follow(struct tc_decoder *d, bool moved, const struct tc_window_move *move)
{
	if (moved)
		tc_walk_follow(d->walk, move);
	else
		tc_delivery_no_memory(&d->delivery, d->position.hold);
}

/* Reads bytes in place, then keeps what is still needed. */
static void feed_in_place(struct tc_decoder *d, const char *bytes, size_t len)
{
	struct tc_window_move move;

	tc_window_show(&d->window, bytes, len);
	work(d);
	if (d->delivery.status == TC_OK)
		follow(d, tc_window_keep(&d->window, &move, d->position.hold), &move);
}

/* Reads bytes behind those that are kept. */
static void feed_joined(struct tc_decoder *d, const char *bytes, size_t len)
{
	struct tc_window_move move;

	follow(d, tc_window_add(&d->window, &move, d->position.hold, bytes, len), &move);
	work(d);
}

enum tc_status tc_decoder_feed(struct tc_decoder *d, const char *bytes, size_t len)
{
	enum tc_status *status = &d->delivery.status;
	size_t piece = JOIN_BYTES;

	if (*status == TC_OK && tc_ctx_interrupted(d->delivery.ctx))
		*status = tc_fail(d->delivery.ctx, TC_ERR_INTERRUPTED, "interrupted");
	while (len > 0 && *status == TC_OK) {
		/* Nothing before these bytes is needed: they are read where they are. */
		bool in_place = d->position.hold == tc_window_end(&d->window);
		if (in_place || piece > len)
			piece = len;
		(in_place ? feed_in_place : feed_joined)(d, bytes, piece);
		bytes += piece;
		len -= piece;
		piece *= 2;
	}
	return *status;
}

/* Logs what the end of the input cuts. */
static void log_end(struct tc_decoder *d, bool source_cut)
{
	const struct tc_position *position = &d->position;
	int64_t held = tc_window_end(&d->window) - position->hold;
	enum tc_log_kind kind = TC_LOG_TRUNCATED;
	const char *message = "";

	switch (position->level) {
	case TC_LEVEL_TOP:
		if (held == 0)
			return;
		kind = TC_LOG_TRAILING_GARBAGE;
		break;
	case TC_LEVEL_EVENT: message = "the input ends in an event"; break;
	case TC_LEVEL_CONTAINER:
		if (position->midway)
			return;
		message = "the input ends before the closing } of the trace";
		break;
	case TC_LEVEL_LIST:
		message = "the input ends before the closing ] of the event list";
		if (held > 0 || source_cut) {
			message = "the input ends in the event list";
		} else if (position->midway || !position->in_container) {
			tc_delivery_note(&d->delivery, TC_LOG_UNTERMINATED, position->hold);
			return;
		}
		break;
	}
	tc_delivery_log(&d->delivery, kind, position->hold, held, message);
}

enum tc_status tc_decoder_finish(struct tc_decoder *d, bool source_cut)
{
	if (d->finished || d->delivery.status != TC_OK)
		return d->delivery.status;
	d->finished = true;
	d->window.at_end = true;
	work(d);
	if (d->position.level != TC_LEVEL_EVENT && d->mode != MODE_SKIP)
		tc_position_skip_blanks(&d->position, &d->window);
	if (d->delivery.status == TC_OK)
		log_end(d, source_cut);
	return d->delivery.status;
}

struct tc_decoder_facts tc_decoder_facts(const struct tc_decoder *d)
{
	return (struct tc_decoder_facts){d->position.form, d->delivery.event_count,
		tc_window_end(&d->window), d->position.list_count};
}

enum tc_status tc_decoder_start_in_list(struct tc_decoder *d, int64_t offset, bool plain)
{
	d->position.form = TC_FORM_ARRAY;
	d->position.level = TC_LEVEL_LIST;
	tc_position_end_element(&d->position, offset);
	tc_window_jump(&d->window, offset);
	tc_walk_restart(d->walk);
	d->start_count = tc_walk_facts(d->walk).restart_count;
	d->plain = plain;
	if (plain)
		tc_walk_read_plain(d->walk);
	return d->delivery.status;
}

/* All of the input is read, and the decoder stands behind the comma after an element of the list.
 */
static bool is_between_elements(const struct tc_decoder *d)
{
	const struct tc_position *position = &d->position;
	int64_t end = tc_window_end(&d->window);

	return d->delivery.status == TC_OK && d->mode == MODE_WALK &&
	       position->level == TC_LEVEL_LIST && position->hold == end &&
	       tc_walk_facts(d->walk).end == end && position->element_seen &&
	       position->comma_at >= 0;
}

bool tc_decoder_stayed_in_list(const struct tc_decoder *d, struct tc_decoder_mark *mark)
{
	if (!is_between_elements(d) || d->position.list_count != 0 || d->position.list_depth != 0 ||
		tc_walk_facts(d->walk).restart_count != d->start_count)
		return false;
	*mark = (struct tc_decoder_mark){d->position.hold, d->position.comma_at, d->first_keys};
	return true;
}

bool tc_decoder_jump(struct tc_decoder *d, int64_t offset, const struct tc_decoder_mark *mark)
{
	if (!is_between_elements(d) || tc_window_end(&d->window) != offset)
		return false;
	tc_window_jump(&d->window, mark->offset);
	tc_walk_jump(d->walk, mark->offset);
	d->position.comma_at = mark->comma_at;
	tc_first_keys_join(&d->first_keys, &mark->first_keys);
	return true;
}

enum tc_status tc_decoder_deliver(struct tc_decoder *d, const struct tc_raw_event *event)
{
	tc_delivery_event(&d->delivery, event);
	return d->delivery.status;
}
