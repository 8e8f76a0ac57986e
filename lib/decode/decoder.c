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
#include "core/limits.h"
#include "decode/delivery.h"
#include "decode/json/json_text.h"
#include "decode/keys.h"
#include "decode/position.h"
#include "decode/walk.h"

/*
 * ---- salvage: text that the walk refused, one element of the trace at a time. Each function works
 * from the position on and returns the next step there. In this order:
 *
 *   mend    the element is made valid JSON (json/repair.c) and handed to the walk in its place
 *   skip    what is too large or too deep is dropped up to its end, by brackets and quotes alone
 *   resync  what makes no sense is dropped up to the next object that opens with a key that events
 *           open with
 *
 * Everything that is mended or dropped is logged. Each byte is looked at a bounded number of times,
 * so damage costs time by its length: a second try to mend waits until twice as much is there.
 */

enum salvage_outcome {
	SALVAGE_MORE,        /* more bytes are needed to decide */
	SALVAGE_FAILED,      /* the delivery has a status */
	SALVAGE_PARSE,       /* the text there is for the walk */
	SALVAGE_REPAIRED,    /* the event there was repaired: it is repair.out now */
	SALVAGE_REPAIR_NEXT, /* something was dealt with: repair the text behind it */
	SALVAGE_SKIP,        /* the value there is to be dropped */
	SALVAGE_LOST,        /* the text makes no sense: find where the next event starts */
};

/* A value that is dropped: brackets open, and inside a string or after its backslash. Zeroed at the
 * start of the value. */
struct skip {
	int64_t depth;
	bool string, escape, started;
};

/* Why the walk refused the text. */
enum damage { DAMAGE_TEXT, DAMAGE_DEEP, DAMAGE_LARGE };

struct salvage {
	/* Borrowed. */
	const struct tc_window *window;
	struct tc_position *position;
	struct tc_delivery *delivery;
	const struct tc_keys *keys;
	const struct tc_first_keys *first_keys;

	enum damage damage;
	bool phase_seen;  /* the damaged event has shown its phase */
	int64_t retry_at; /* try again to mend when the window goes so far */
	struct tc_repair repair;
	struct tc_buf key; /* of the member of the container that is mended */

	struct skip skip;
	int64_t lost_at; /* where dropping started */
	char previous;   /* the last byte dropped that is no blank */
};

/* Frees what it holds. */
static void salvage_clear(struct salvage *salvage)
{
	tc_repair_clear(&salvage->repair);
	tc_buf_clear(&salvage->key);
}

/* Starts on damage at the position. */
static void salvage_start(struct salvage *salvage, enum damage damage, bool phase_seen)
{
	salvage->damage = damage;
	salvage->phase_seen = phase_seen;
}

/* A second try to mend waits until so much more is there, so that tries stay linear. */
enum { RETRY_BYTES = 512 };

static const char *const note_messages[TC_LOG_KIND_COUNT] = {
	[TC_LOG_TRAILING_COMMA] = "inside an event",
	[TC_LOG_MISSING_COMMA] = "between members of an event",
};

static enum salvage_outcome no_memory(struct salvage *s)
{
	tc_delivery_no_memory(s->delivery, s->position->hold);
	return SALVAGE_FAILED;
}

/* Len bytes are not enough to mend what is at the position. */
static enum salvage_outcome retry(struct salvage *s, size_t len)
{
	int64_t more = (int64_t)len * 2;

	s->retry_at = s->position->hold + (more > RETRY_BYTES ? more : RETRY_BYTES);
	return SALVAGE_MORE;
}

/* Is it too early for another try? */
static bool too_early(const struct salvage *s)
{
	return tc_window_end(s->window) < s->retry_at && !s->window->at_end;
}

static enum salvage_outcome skip(struct salvage *s)
{
	s->skip = (struct skip){0};
	return SALVAGE_SKIP;
}

/* Bytes from an offset on are dropped; previous stands before the position. */
static enum salvage_outcome lost(struct salvage *s, int64_t from, char previous)
{
	s->lost_at = from;
	s->previous = previous;
	s->skip = (struct skip){0};
	return SALVAGE_LOST;
}

static bool log_notes(struct salvage *s, int64_t offset)
{
	for (int kind = 0; kind < TC_LOG_KIND_COUNT; kind++) {
		const struct tc_repair_note *note = &s->repair.notes[kind];
		if (note->count == 0)
			continue;
		if (!tc_delivery_log(s->delivery, (enum tc_log_kind)kind,
			    offset + (int64_t)note->at, note->count, note_messages[kind]))
			return false;
	}
	return true;
}

/* Logs and drops the event, which is too large or too deep. */
static enum salvage_outcome drop_event(struct salvage *s, enum tc_log_kind kind)
{
	if (!tc_delivery_note(s->delivery, kind, s->position->hold))
		return SALVAGE_FAILED;
	return skip(s);
}

/* Is the top-level object that broke a container rather than an event? */
static bool is_container(const struct salvage *s)
{
	if (!s->position->event_at_top || s->phase_seen)
		return false;
	struct tc_text rest = tc_window_rest(s->window, s->position->hold);
	return s->damage == DAMAGE_LARGE ||
	       tc_first_keys_open(s->first_keys, rest.ptr, rest.ptr + rest.len) != 1;
}

static enum salvage_outcome become_container(struct salvage *s)
{
	int64_t start = s->position->hold++;

	s->damage = DAMAGE_TEXT;
	tc_position_enter_container(s->position);
	if (!tc_position_start_trace(s->position) &&
		!tc_delivery_note(s->delivery, TC_LOG_CONCATENATED, start))
		return SALVAGE_FAILED;
	return SALVAGE_REPAIR_NEXT;
}

/* The event makes no sense: bytes are dropped until the next one starts. */
static enum salvage_outcome give_up_event(struct salvage *s)
{
	int64_t start = s->position->hold++;

	tc_position_abandon_event(s->position);
	return lost(s, start, '{');
}

static enum salvage_outcome try_event(struct salvage *s, struct tc_text raw)
{
	struct tc_position *position = s->position;

	switch (tc_repair_value(&s->repair, s->keys, raw, s->window->at_end)) {
	case TC_REPAIR_MORE:
		if (raw.len <= TC_EVENT_MAX_BYTES)
			return retry(s, raw.len);
		s->damage = DAMAGE_LARGE;
		return SALVAGE_REPAIR_NEXT;
	case TC_REPAIR_NO_MEMORY: return no_memory(s);
	case TC_REPAIR_DEEP: return drop_event(s, TC_LOG_EVENT_TOO_DEEP);
	case TC_REPAIR_CONTAINER:
		return position->event_at_top ? become_container(s) : give_up_event(s);
	case TC_REPAIR_DONE:
		if (s->repair.end > TC_EVENT_MAX_BYTES)
			return drop_event(s, TC_LOG_EVENT_TOO_LARGE);
		return log_notes(s, position->hold) ? SALVAGE_REPAIRED : SALVAGE_FAILED;
	default: return give_up_event(s);
	}
}

static enum salvage_outcome mend_event(struct salvage *s)
{
	if (is_container(s))
		return become_container(s);
	if (s->damage == DAMAGE_DEEP)
		return drop_event(s, TC_LOG_EVENT_TOO_DEEP);
	if (s->damage == DAMAGE_LARGE)
		return drop_event(s, TC_LOG_EVENT_TOO_LARGE);
	if (too_early(s))
		return SALVAGE_MORE;
	return try_event(s, tc_window_rest(s->window, s->position->hold));
}

/* An element of the list that is no object. */
static enum salvage_outcome mend_element(struct salvage *s)
{
	struct tc_position *position = s->position;
	struct tc_text raw = tc_window_rest(s->window, position->hold);

	if (too_early(s))
		return SALVAGE_MORE;
	enum tc_repair_result result = tc_repair_value(&s->repair, s->keys, raw, s->window->at_end);
	if (result == TC_REPAIR_NO_MEMORY)
		return no_memory(s);
	if (result == TC_REPAIR_MORE && raw.len <= TC_EVENT_MAX_BYTES)
		return retry(s, raw.len);
	if (result == TC_REPAIR_FAILED || result == TC_REPAIR_CONTAINER)
		return lost(s, position->hold, '\n');
	if (!tc_delivery_note(s->delivery, TC_LOG_NOT_AN_EVENT, position->hold))
		return SALVAGE_FAILED;
	if (result != TC_REPAIR_DONE)
		return skip(s);
	tc_position_end_element(position, position->hold + (int64_t)s->repair.end);
	return SALVAGE_REPAIR_NEXT;
}

/* The list or container ends: is there a comma that should not be? False when the sink failed. */
static bool log_trailing_comma(struct salvage *s)
{
	int64_t comma_at = s->position->comma_at;

	return comma_at < 0 || tc_delivery_note(s->delivery, TC_LOG_TRAILING_COMMA, comma_at);
}

static enum salvage_outcome mend_list(struct salvage *s)
{
	struct tc_position *position = s->position;
	int c = tc_position_skip_gap(position, s->window);

	if (c < 0)
		return SALVAGE_MORE;
	if (c == ']') {
		if (!log_trailing_comma(s))
			return SALVAGE_FAILED;
		tc_position_leave_list(position, position->hold + 1);
		return position->level == TC_LEVEL_LIST ? SALVAGE_REPAIR_NEXT : SALVAGE_PARSE;
	}
	if (c != '{' && (c != '[' || s->damage == DAMAGE_DEEP))
		return mend_element(s);
	if (position->element_seen && position->comma_at < 0 &&
		!tc_delivery_note(s->delivery, TC_LOG_MISSING_COMMA, position->hold))
		return SALVAGE_FAILED;
	return SALVAGE_PARSE;
}

/* Drops the member's value, which starts at offset. */
static enum salvage_outcome drop_member(struct salvage *s, int64_t offset, const char *message)
{
	s->position->hold = offset;
	if (!tc_delivery_log(s->delivery, TC_LOG_META_TOO_LARGE, offset, 1, message))
		return SALVAGE_FAILED;
	return skip(s);
}

/* The value at offset of the member was mended. */
static enum salvage_outcome end_member(struct salvage *s, int64_t offset)
{
	struct tc_position *position = s->position;

	if (s->repair.end > TC_META_MAX_BYTES)
		return drop_member(s, offset, tc_buf_string(&s->key));
	if (!log_notes(s, offset) ||
		!tc_delivery_member(s->delivery, &s->key, tc_buf_text(&s->repair.out), offset))
		return SALVAGE_FAILED;
	position->hold = offset + (int64_t)s->repair.end;
	position->comma_at = -1;
	return SALVAGE_PARSE;
}

/* Mends the value at offset of the member. */
static enum salvage_outcome mend_member_value(struct salvage *s, int64_t offset)
{
	struct tc_text raw = tc_window_rest(s->window, offset);

	switch (tc_repair_value(&s->repair, s->keys, raw, s->window->at_end)) {
	case TC_REPAIR_NO_MEMORY: return no_memory(s);
	case TC_REPAIR_MORE:
		if (raw.len > TC_META_MAX_BYTES)
			return drop_member(s, offset, tc_buf_string(&s->key));
		return retry(s, raw.len);
	case TC_REPAIR_DEEP: return drop_member(s, offset, "nested too deep");
	case TC_REPAIR_DONE: return end_member(s, offset);
	case TC_REPAIR_CONTAINER: /* a brace is missing: the list would be lost in the value */
	case TC_REPAIR_FAILED: break;
	}
	s->position->hold = offset;
	return lost(s, offset, ':');
}

/* The key at hold into s->key; the offset of its value, -1 for more, -2 for damage. */
static int64_t mend_key(struct salvage *s)
{
	struct tc_text raw = tc_window_rest(s->window, s->position->hold);
	const char *end = raw.ptr + raw.len;
	size_t len = tc_json_value_length(raw);

	if (len == 0)
		return raw.len > TC_META_MAX_BYTES ? -2 : -1;
	const char *colon = tc_json_skip_blanks(raw.ptr + len, end);
	if (colon == end)
		return -1;
	if (*colon != ':')
		return -2;
	const char *value = tc_json_skip_blanks(colon + 1, end);
	if (value == end)
		return -1;
	tc_buf_reset(&s->key);
	tc_json_unescape(&s->key, (struct tc_text){raw.ptr + 1, len - 2});
	return s->position->hold + (value - raw.ptr);
}

static enum salvage_outcome mend_member(struct salvage *s)
{
	if (too_early(s))
		return SALVAGE_MORE;
	int64_t value = mend_key(s);
	if (value == -1)
		return SALVAGE_MORE;
	if (value == -2)
		return lost(s, s->position->hold, '\n');
	if (tc_buf_failed(&s->key))
		return no_memory(s);
	if (tc_text_equal(tc_buf_text(&s->key), TC_TEXT("traceEvents")) &&
		*tc_window_at(s->window, value) == '[') {
		tc_position_enter_list(s->position, true, value + 1);
		return SALVAGE_PARSE;
	}
	return mend_member_value(s, value);
}

static enum salvage_outcome mend_container(struct salvage *s)
{
	int c = tc_position_skip_gap(s->position, s->window);

	if (c < 0)
		return SALVAGE_MORE;
	if (c == '}') {
		if (!log_trailing_comma(s))
			return SALVAGE_FAILED;
		tc_position_leave_container(s->position, s->position->hold + 1);
		return SALVAGE_PARSE;
	}
	return c == '"' ? mend_member(s) : lost(s, s->position->hold, '\n');
}

/* Events with commas between them, outside any list: its start is missing. */
static enum salvage_outcome start_midway(struct salvage *s)
{
	struct tc_position *position = s->position;

	if (!tc_delivery_log(s->delivery, TC_LOG_STARTS_MIDWAY, 0, 0, ""))
		return SALVAGE_FAILED;
	position->midway = true;
	tc_position_start_trace(position);
	tc_position_enter_list(position, true, position->hold);
	return SALVAGE_PARSE;
}

/* Bytes that start as a byte order mark does, where a value should. */
static enum salvage_outcome mend_bom(struct salvage *s)
{
	struct tc_position *position = s->position;
	struct tc_text rest = tc_window_rest(s->window, position->hold);
	size_t len = rest.len < 3 ? rest.len : 3;

	if (memcmp(rest.ptr, "\xef\xbb\xbf", len) != 0 || (len < 3 && s->window->at_end))
		return lost(s, position->hold, '\n');
	if (len < 3)
		return SALVAGE_MORE;
	if (!tc_delivery_note(s->delivery, TC_LOG_BOM, position->hold))
		return SALVAGE_FAILED;
	position->hold += 3;
	return SALVAGE_REPAIR_NEXT;
}

static enum salvage_outcome mend_top(struct salvage *s)
{
	struct tc_position *position = s->position;
	int c = tc_position_skip_gap(position, s->window);

	if (c < 0)
		return SALVAGE_MORE;
	if (c == '{' && position->comma_at >= 0 && position->form == TC_FORM_LINES)
		return start_midway(s);
	if (c == '{' || c == '[') {
		position->comma_at = -1;
		return SALVAGE_PARSE;
	}
	return c == 0xef ? mend_bom(s) : lost(s, position->hold, '\n');
}

/* Mends the element or member at the position, or returns why that cannot be done. */
static enum salvage_outcome salvage_mend(struct salvage *s)
{
	switch (s->position->level) {
	case TC_LEVEL_EVENT: return mend_event(s);
	case TC_LEVEL_LIST: return mend_list(s);
	case TC_LEVEL_CONTAINER: return mend_container(s);
	default: return mend_top(s);
	}
}

/* A byte inside a string; true when it closes the string. */
static bool skip_in_string(struct skip *skip, char c)
{
	if (skip->escape)
		skip->escape = false;
	else if (c == '\\')
		skip->escape = true;
	else if (c == '"')
		skip->string = false;
	return !skip->string;
}

/* Takes one byte of a value that is dropped; true when the value ended, before the byte if *used is
 * false. */
static bool skip_byte(struct skip *skip, char c, bool *used)
{
	bool closes = c == '}' || c == ']', opens = c == '{' || c == '[';

	*used = true;
	if (skip->string)
		return skip_in_string(skip, c) && skip->depth == 0;
	if (skip->started && skip->depth == 0 && (closes || c == ',' || c == '\n')) {
		*used = false;
		return true;
	}
	skip->started = true;
	skip->string = c == '"';
	skip->depth += opens - closes;
	return closes && skip->depth <= 0;
}

/* Does an event start at the brace p? 1, 0, or -1 when more bytes must decide. */
static int opens_event(const struct salvage *s, const char *p, const char *end)
{
	int found = tc_first_keys_open(s->first_keys, p, end);

	/* Behind a colon or a quote an object is more likely a value than an event. */
	if (found == 1 && (s->previous == ':' || s->previous == '"'))
		found = tc_repair_shows_phase(p, end, s->window->at_end);
	return found;
}

/* Is the quote at p the start of "traceEvents": [ ? The end of that in *after. */
static int opens_list(const char **after, const char *p, const char *end)
{
	struct tc_text key;
	int found = tc_first_keys_read(&key, p, end);

	if (found != 1)
		return found;
	if (!tc_text_equal(key, TC_TEXT("traceEvents")))
		return 0;
	p = tc_json_skip_blanks(tc_json_skip_blanks(key.ptr + key.len + 1, end) + 1, end);
	if (p == end)
		return -1;
	*after = p + 1;
	return *p == '[';
}

/* Logs the bytes dropped up to an offset, by where they are. */
static bool log_dropped(struct salvage *s, int64_t to)
{
	const struct tc_position *position = s->position;
	enum tc_log_kind kind = TC_LOG_DAMAGED_EVENT;

	if (position->level == TC_LEVEL_TOP && position->form == TC_FORM_UNKNOWN)
		kind = s->window->at_end && to == tc_window_end(s->window) ? TC_LOG_TRAILING_GARBAGE
									   : TC_LOG_STARTS_MIDWAY;
	else if (position->level == TC_LEVEL_TOP && position->form != TC_FORM_LINES)
		kind = TC_LOG_TRAILING_GARBAGE;
	return tc_delivery_log(s->delivery, kind, s->lost_at, to - s->lost_at, "");
}

/* An event list goes on or starts at offset. */
static enum salvage_outcome go_on(struct salvage *s, int64_t offset, bool in_container)
{
	struct tc_position *position = s->position;

	position->hold = offset;
	if (!log_dropped(s, offset))
		return SALVAGE_FAILED;
	if (position->level == TC_LEVEL_TOP && position->form == TC_FORM_LINES)
		return SALVAGE_PARSE;
	if (position->level == TC_LEVEL_TOP) {
		position->midway = !in_container;
		tc_position_start_trace(position);
	}
	if (position->form == TC_FORM_UNKNOWN)
		position->form = in_container ? TC_FORM_OBJECT : TC_FORM_ARRAY;
	if (position->level != TC_LEVEL_LIST)
		tc_position_enter_list(position, true, offset);
	return SALVAGE_PARSE;
}

/* In a container: does the damaged value seem to end with the byte c at hold? */
static bool end_of_member(struct salvage *s, char c)
{
	struct tc_position *position = s->position;
	bool used;

	if (position->level != TC_LEVEL_CONTAINER || !skip_byte(&s->skip, c, &used))
		return false;
	position->hold += used;
	log_dropped(s, position->hold);
	position->comma_at = -1;
	return true;
}

/* After SALVAGE_LOST: drops bytes until an event starts. */
static enum salvage_outcome salvage_resync(struct salvage *s)
{
	const struct tc_window *window = s->window;
	struct tc_position *position = s->position;
	const char *end = window->ptr + window->len, *after = NULL;

	for (; position->hold < tc_window_end(window); position->hold++) {
		const char *p = tc_window_at(window, position->hold);
		int found = 0;
		if (*p == '{')
			found = opens_event(s, p, end);
		else if (*p == '"' && position->level != TC_LEVEL_LIST)
			found = opens_list(&after, p, end);
		if (found == -1 && !window->at_end)
			return SALVAGE_MORE;
		if (found == 1 && *p == '{')
			return go_on(s, position->hold, false);
		if (found == 1)
			return go_on(s, window->base + (after - window->ptr), true);
		if (end_of_member(s, *p))
			return SALVAGE_REPAIR_NEXT;
		if (!tc_json_blank(*p))
			s->previous = *p;
	}
	if (window->at_end && position->hold > s->lost_at) {
		log_dropped(s, position->hold);
		s->lost_at = position->hold;
	}
	return SALVAGE_MORE;
}

/* After SALVAGE_SKIP: drops the value. */
static enum salvage_outcome salvage_skip(struct salvage *s)
{
	struct tc_position *position = s->position;

	while (position->hold < tc_window_end(s->window)) {
		bool used, ended = skip_byte(
				   &s->skip, *tc_window_at(s->window, position->hold), &used);
		position->hold += used;
		if (!ended)
			continue;
		if (position->level == TC_LEVEL_EVENT)
			tc_position_abandon_event(position);
		tc_position_end_element(position, position->hold);
		return position->level == TC_LEVEL_LIST ? SALVAGE_REPAIR_NEXT : SALVAGE_PARSE;
	}
	return SALVAGE_MORE;
}

/* ---- the decoder */

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
	struct salvage salvage;
	enum mode mode;
	bool finished, ends_early;
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
	d->salvage = (struct salvage){
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
	salvage_clear(&d->salvage);
	tc_delivery_clear(&d->delivery);
	tc_window_clear(&d->window);
	tc_free(d);
}

/* Lets the walk read on. What it cannot read is handed to the salvage. */
static enum salvage_outcome walk(struct tc_decoder *d)
{
	enum damage damage = DAMAGE_TEXT;

	switch (tc_walk_feed(d->walk, &d->window)) {
	case TC_WALK_MORE: return SALVAGE_MORE;
	case TC_WALK_FAILED: return SALVAGE_FAILED;
	case TC_WALK_BROKEN: break;
	case TC_WALK_DEEP: damage = DAMAGE_DEEP; break;
	case TC_WALK_LARGE: damage = DAMAGE_LARGE; break;
	}
	if (d->plain) {
		d->delivery.status = TC_ERR_INPUT;
		return SALVAGE_FAILED;
	}
	salvage_start(&d->salvage, damage, tc_walk_facts(d->walk).phase_seen);
	return SALVAGE_REPAIR_NEXT;
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
	salvage_start(&d->salvage, DAMAGE_TEXT, false);
	return false;
}

/* Works on the window until more input is needed or something failed. Modes change only here. */
static void work(struct tc_decoder *d)
{
	enum salvage_outcome outcome = SALVAGE_REPAIR_NEXT;

	while (d->delivery.status == TC_OK) {
		switch (d->mode) {
		case MODE_WALK: outcome = walk(d); break;
		case MODE_MEND: outcome = salvage_mend(&d->salvage); break;
		case MODE_SKIP: outcome = salvage_skip(&d->salvage); break;
		case MODE_RESYNC: outcome = salvage_resync(&d->salvage); break;
		}
		switch (outcome) {
		case SALVAGE_MORE:
		case SALVAGE_FAILED: return;
		case SALVAGE_PARSE:
			tc_walk_restart(d->walk);
			d->mode = MODE_WALK;
			break;
		case SALVAGE_REPAIRED: d->mode = walk_mended(d) ? MODE_WALK : MODE_MEND; break;
		case SALVAGE_REPAIR_NEXT: d->mode = MODE_MEND; break;
		case SALVAGE_SKIP: d->mode = MODE_SKIP; break;
		case SALVAGE_LOST: d->mode = MODE_RESYNC; break;
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
	d->ends_early = kind == TC_LOG_TRUNCATED && position->level != TC_LEVEL_CONTAINER;
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
		tc_window_end(&d->window), d->position.list_count, d->ends_early};
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
