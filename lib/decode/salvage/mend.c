/*
 * One element at a time: the element is made valid, or dropped, and the parser can go on behind
 * it.
 */
#include "decode/salvage/salvage.h"

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

void tc_salvage_start(struct tc_salvage *s, enum tc_damage damage, bool phase_seen)
{
	s->damage = damage;
	s->phase_seen = phase_seen;
}

void tc_salvage_clear(struct tc_salvage *s)
{
	tc_repair_clear(&s->repair);
	tc_buf_clear(&s->key);
}
