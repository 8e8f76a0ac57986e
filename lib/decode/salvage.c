/*
 * Salvage: text that the walk refused, one element of the trace at a time. In this order:
 *
 *   mend    the element is made valid JSON (json/repair.c) and handed to the walk in its place
 *   skip    what is too large or too deep is dropped up to its end, by brackets and quotes alone
 *   resync  what makes no sense is dropped up to the next object that opens with a key that events
 *           open with
 *
 * Everything that is mended or dropped is logged. Each byte is looked at a bounded number of times,
 * so damage costs time by its length: a second try to mend waits until twice as much is there.
 */
#include "decode/salvage.h"

#include "core/limits.h"
#include "decode/json/json_text.h"

/* A second try to mend waits until so much more is there, so that tries stay linear. */
enum { RETRY_BYTES = 512 };

static const char *const note_messages[TC_LOG_KIND_COUNT] = {
	[TC_LOG_TRAILING_COMMA] = "inside an event",
	[TC_LOG_MISSING_COMMA] = "between members of an event",
};

static enum tc_salvage_outcome no_memory(struct tc_salvage *s)
{
	tc_delivery_no_memory(s->delivery, s->position->hold);
	return TC_SALVAGE_FAILED;
}

/* Len bytes are not enough to mend what is at the position. */
static enum tc_salvage_outcome retry(struct tc_salvage *s, size_t len)
{
	int64_t more = (int64_t)len * 2;

	s->retry_at = s->position->hold + (more > RETRY_BYTES ? more : RETRY_BYTES);
	return TC_SALVAGE_MORE;
}

/* Is it too early for another try? */
static bool too_early(const struct tc_salvage *s)
{
	return tc_window_end(s->window) < s->retry_at && !s->window->at_end;
}

static enum tc_salvage_outcome skip(struct tc_salvage *s)
{
	s->skip = (struct tc_skip){0};
	return TC_SALVAGE_SKIP;
}

/* Bytes from an offset on are dropped; previous stands before the position. */
static enum tc_salvage_outcome lost(struct tc_salvage *s, int64_t from, char previous)
{
	s->lost_at = from;
	s->previous = previous;
	s->skip = (struct tc_skip){0};
	return TC_SALVAGE_LOST;
}

static bool log_notes(struct tc_salvage *s, int64_t offset)
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
static enum tc_salvage_outcome drop_event(struct tc_salvage *s, enum tc_log_kind kind)
{
	if (!tc_delivery_note(s->delivery, kind, s->position->hold))
		return TC_SALVAGE_FAILED;
	return skip(s);
}

/* Is the top-level object that broke a container rather than an event? */
static bool is_container(const struct tc_salvage *s)
{
	if (!s->position->event_at_top || s->phase_seen)
		return false;
	struct tc_text rest = tc_window_rest(s->window, s->position->hold);
	return s->damage == TC_DAMAGE_LARGE ||
	       tc_first_keys_open(s->first_keys, rest.ptr, rest.ptr + rest.len) != 1;
}

static enum tc_salvage_outcome become_container(struct tc_salvage *s)
{
	int64_t start = s->position->hold++;

	s->damage = TC_DAMAGE_TEXT;
	tc_position_enter_container(s->position);
	if (!tc_position_start_trace(s->position) &&
		!tc_delivery_note(s->delivery, TC_LOG_CONCATENATED, start))
		return TC_SALVAGE_FAILED;
	return TC_SALVAGE_REPAIR_NEXT;
}

/* The event makes no sense: bytes are dropped until the next one starts. */
static enum tc_salvage_outcome give_up_event(struct tc_salvage *s)
{
	int64_t start = s->position->hold++;

	tc_position_abandon_event(s->position);
	return lost(s, start, '{');
}

static enum tc_salvage_outcome try_event(struct tc_salvage *s, struct tc_text raw)
{
	struct tc_position *position = s->position;

	switch (tc_repair_value(&s->repair, s->keys, raw, s->window->at_end)) {
	case TC_REPAIR_MORE:
		if (raw.len <= TC_EVENT_MAX_BYTES)
			return retry(s, raw.len);
		s->damage = TC_DAMAGE_LARGE;
		return TC_SALVAGE_REPAIR_NEXT;
	case TC_REPAIR_NO_MEMORY: return no_memory(s);
	case TC_REPAIR_DEEP: return drop_event(s, TC_LOG_EVENT_TOO_DEEP);
	case TC_REPAIR_CONTAINER:
		return position->event_at_top ? become_container(s) : give_up_event(s);
	case TC_REPAIR_DONE:
		if (s->repair.end > TC_EVENT_MAX_BYTES)
			return drop_event(s, TC_LOG_EVENT_TOO_LARGE);
		return log_notes(s, position->hold) ? TC_SALVAGE_REPAIRED : TC_SALVAGE_FAILED;
	default: return give_up_event(s);
	}
}

static enum tc_salvage_outcome mend_event(struct tc_salvage *s)
{
	if (is_container(s))
		return become_container(s);
	if (s->damage == TC_DAMAGE_DEEP)
		return drop_event(s, TC_LOG_EVENT_TOO_DEEP);
	if (s->damage == TC_DAMAGE_LARGE)
		return drop_event(s, TC_LOG_EVENT_TOO_LARGE);
	if (too_early(s))
		return TC_SALVAGE_MORE;
	return try_event(s, tc_window_rest(s->window, s->position->hold));
}

/* An element of the list that is no object. */
static enum tc_salvage_outcome mend_element(struct tc_salvage *s)
{
	struct tc_position *position = s->position;
	struct tc_text raw = tc_window_rest(s->window, position->hold);

	if (too_early(s))
		return TC_SALVAGE_MORE;
	enum tc_repair_result result = tc_repair_value(&s->repair, s->keys, raw, s->window->at_end);
	if (result == TC_REPAIR_NO_MEMORY)
		return no_memory(s);
	if (result == TC_REPAIR_MORE && raw.len <= TC_EVENT_MAX_BYTES)
		return retry(s, raw.len);
	if (result == TC_REPAIR_FAILED || result == TC_REPAIR_CONTAINER)
		return lost(s, position->hold, '\n');
	if (!tc_delivery_note(s->delivery, TC_LOG_NOT_AN_EVENT, position->hold))
		return TC_SALVAGE_FAILED;
	if (result != TC_REPAIR_DONE)
		return skip(s);
	tc_position_end_element(position, position->hold + (int64_t)s->repair.end);
	return TC_SALVAGE_REPAIR_NEXT;
}

/* The list or container ends: is there a comma that should not be? False when the sink failed. */
static bool log_trailing_comma(struct tc_salvage *s)
{
	int64_t comma_at = s->position->comma_at;

	return comma_at < 0 || tc_delivery_note(s->delivery, TC_LOG_TRAILING_COMMA, comma_at);
}

static enum tc_salvage_outcome mend_list(struct tc_salvage *s)
{
	struct tc_position *position = s->position;
	int c = tc_position_skip_gap(position, s->window);

	if (c < 0)
		return TC_SALVAGE_MORE;
	if (c == ']') {
		if (!log_trailing_comma(s))
			return TC_SALVAGE_FAILED;
		tc_position_leave_list(position, position->hold + 1);
		return position->level == TC_LEVEL_LIST ? TC_SALVAGE_REPAIR_NEXT : TC_SALVAGE_PARSE;
	}
	if (c != '{' && (c != '[' || s->damage == TC_DAMAGE_DEEP))
		return mend_element(s);
	if (position->element_seen && position->comma_at < 0 &&
		!tc_delivery_note(s->delivery, TC_LOG_MISSING_COMMA, position->hold))
		return TC_SALVAGE_FAILED;
	return TC_SALVAGE_PARSE;
}

/* Drops the member's value, which starts at offset. */
static enum tc_salvage_outcome drop_member(
	struct tc_salvage *s, int64_t offset, const char *message)
{
	s->position->hold = offset;
	if (!tc_delivery_log(s->delivery, TC_LOG_META_TOO_LARGE, offset, 1, message))
		return TC_SALVAGE_FAILED;
	return skip(s);
}

/* The value at offset of the member was mended. */
static enum tc_salvage_outcome end_member(struct tc_salvage *s, int64_t offset)
{
	struct tc_position *position = s->position;

	if (s->repair.end > TC_META_MAX_BYTES)
		return drop_member(s, offset, tc_buf_string(&s->key));
	if (!log_notes(s, offset) ||
		!tc_delivery_member(s->delivery, &s->key, tc_buf_text(&s->repair.out), offset))
		return TC_SALVAGE_FAILED;
	position->hold = offset + (int64_t)s->repair.end;
	position->comma_at = -1;
	return TC_SALVAGE_PARSE;
}

/* Mends the value at offset of the member. */
static enum tc_salvage_outcome mend_member_value(struct tc_salvage *s, int64_t offset)
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
static int64_t mend_key(struct tc_salvage *s)
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

static enum tc_salvage_outcome mend_member(struct tc_salvage *s)
{
	if (too_early(s))
		return TC_SALVAGE_MORE;
	int64_t value = mend_key(s);
	if (value == -1)
		return TC_SALVAGE_MORE;
	if (value == -2)
		return lost(s, s->position->hold, '\n');
	if (tc_buf_failed(&s->key))
		return no_memory(s);
	if (tc_text_equal(tc_buf_text(&s->key), TC_TEXT("traceEvents")) &&
		*tc_window_at(s->window, value) == '[') {
		tc_position_enter_list(s->position, true, value + 1);
		return TC_SALVAGE_PARSE;
	}
	return mend_member_value(s, value);
}

static enum tc_salvage_outcome mend_container(struct tc_salvage *s)
{
	int c = tc_position_skip_gap(s->position, s->window);

	if (c < 0)
		return TC_SALVAGE_MORE;
	if (c == '}') {
		if (!log_trailing_comma(s))
			return TC_SALVAGE_FAILED;
		tc_position_leave_container(s->position, s->position->hold + 1);
		return TC_SALVAGE_PARSE;
	}
	return c == '"' ? mend_member(s) : lost(s, s->position->hold, '\n');
}

/* Events with commas between them, outside any list: its start is missing. */
static enum tc_salvage_outcome start_midway(struct tc_salvage *s)
{
	struct tc_position *position = s->position;

	if (!tc_delivery_log(s->delivery, TC_LOG_STARTS_MIDWAY, 0, 0, ""))
		return TC_SALVAGE_FAILED;
	position->midway = true;
	tc_position_start_trace(position);
	tc_position_enter_list(position, true, position->hold);
	return TC_SALVAGE_PARSE;
}

/* Bytes that start as a byte order mark does, where a value should. */
static enum tc_salvage_outcome mend_bom(struct tc_salvage *s)
{
	struct tc_position *position = s->position;
	struct tc_text rest = tc_window_rest(s->window, position->hold);
	size_t len = rest.len < 3 ? rest.len : 3;

	if (memcmp(rest.ptr, "\xef\xbb\xbf", len) != 0 || (len < 3 && s->window->at_end))
		return lost(s, position->hold, '\n');
	if (len < 3)
		return TC_SALVAGE_MORE;
	if (!tc_delivery_note(s->delivery, TC_LOG_BOM, position->hold))
		return TC_SALVAGE_FAILED;
	position->hold += 3;
	return TC_SALVAGE_REPAIR_NEXT;
}

static enum tc_salvage_outcome mend_top(struct tc_salvage *s)
{
	struct tc_position *position = s->position;
	int c = tc_position_skip_gap(position, s->window);

	if (c < 0)
		return TC_SALVAGE_MORE;
	if (c == '{' && position->comma_at >= 0 && position->form == TC_FORM_LINES)
		return start_midway(s);
	if (c == '{' || c == '[') {
		position->comma_at = -1;
		return TC_SALVAGE_PARSE;
	}
	return c == 0xef ? mend_bom(s) : lost(s, position->hold, '\n');
}

enum tc_salvage_outcome tc_salvage_mend(struct tc_salvage *s)
{
	switch (s->position->level) {
	case TC_LEVEL_EVENT: return mend_event(s);
	case TC_LEVEL_LIST: return mend_list(s);
	case TC_LEVEL_CONTAINER: return mend_container(s);
	default: return mend_top(s);
	}
}

/* A byte inside a string; true when it closes the string. */
static bool skip_in_string(struct tc_skip *skip, char c)
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
static bool skip_byte(struct tc_skip *skip, char c, bool *used)
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
static int opens_event(const struct tc_salvage *s, const char *p, const char *end)
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
static bool log_dropped(struct tc_salvage *s, int64_t to)
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
static enum tc_salvage_outcome go_on(struct tc_salvage *s, int64_t offset, bool in_container)
{
	struct tc_position *position = s->position;

	position->hold = offset;
	if (!log_dropped(s, offset))
		return TC_SALVAGE_FAILED;
	if (position->level == TC_LEVEL_TOP && position->form == TC_FORM_LINES)
		return TC_SALVAGE_PARSE;
	if (position->level == TC_LEVEL_TOP) {
		position->midway = !in_container;
		tc_position_start_trace(position);
	}
	if (position->form == TC_FORM_UNKNOWN)
		position->form = in_container ? TC_FORM_OBJECT : TC_FORM_ARRAY;
	if (position->level != TC_LEVEL_LIST)
		tc_position_enter_list(position, true, offset);
	return TC_SALVAGE_PARSE;
}

/* In a container: does the damaged value seem to end with the byte c at hold? */
static bool end_of_member(struct tc_salvage *s, char c)
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

enum tc_salvage_outcome tc_salvage_resync(struct tc_salvage *s)
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
			return TC_SALVAGE_MORE;
		if (found == 1 && *p == '{')
			return go_on(s, position->hold, false);
		if (found == 1)
			return go_on(s, window->base + (after - window->ptr), true);
		if (end_of_member(s, *p))
			return TC_SALVAGE_REPAIR_NEXT;
		if (!tc_json_blank(*p))
			s->previous = *p;
	}
	if (window->at_end && position->hold > s->lost_at) {
		log_dropped(s, position->hold);
		s->lost_at = position->hold;
	}
	return TC_SALVAGE_MORE;
}

enum tc_salvage_outcome tc_salvage_skip(struct tc_salvage *s)
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
		return position->level == TC_LEVEL_LIST ? TC_SALVAGE_REPAIR_NEXT : TC_SALVAGE_PARSE;
	}
	return TC_SALVAGE_MORE;
}
