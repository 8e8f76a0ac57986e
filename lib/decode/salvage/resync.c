/*
 * Finding the next event in bytes that make no sense: an object that opens with a key that events
 * open with. Bytes are looked at once and dropped. Also dropping single values.
 */
#include "decode/json/json_text.h"
#include "decode/salvage/salvage.h"

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

	if (position->level != TC_LEVEL_CONTAINER || !tc_skip_byte(&s->skip, c, &used))
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
		bool used, ended = tc_skip_byte(
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
