/*
 * Text that the parser refused, one element at a time: the element is made valid and parsed, or
 * dropped; then the parser is restarted behind it.
 */
#include "core/limits.h"
#include "decode/decoder.h"
#include "decode/json/json_text.h"

/* A second try to mend waits until so much more is there, so that tries stay linear. */
enum { RETRY_BYTES = 512 };

static const char *const note_messages[TC_LOG_KIND_COUNT] = {
	[TC_LOG_TRAILING_COMMA] = "inside an event",
	[TC_LOG_MISSING_COMMA] = "between members of an event",
};

/* Skips blanks and commas from hold on; the byte after them, or -1 when there is none yet. */
static int skip_gap(struct tc_decoder *d)
{
	int64_t end = tc_decoder_window_end(d);

	for (; d->hold < end; d->hold++) {
		char c = *tc_decoder_at(d, d->hold);
		if (c == ',' && d->comma_at < 0)
			d->comma_at = d->hold;
		else if (c != ',' && !tc_json_blank(c))
			return (unsigned char)c;
	}
	return -1;
}

static bool log_notes(struct tc_decoder *d, int64_t offset)
{
	for (int kind = 0; kind < TC_LOG_KIND_COUNT; kind++) {
		const struct tc_repair_note *note = &d->repair.notes[kind];
		if (note->count == 0)
			continue;
		if (!tc_decoder_log(d, (enum tc_log_kind)kind, offset + (int64_t)note->at,
			    note->count, note_messages[kind]))
			return false;
	}
	return true;
}

void tc_mend_start_skip(struct tc_decoder *d)
{
	d->skip = (struct tc_skip){0};
	d->mode = TC_MODE_SKIP;
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

bool tc_mend_skip_byte(struct tc_skip *skip, char c, bool *used)
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

bool tc_mend_skip(struct tc_decoder *d)
{
	int64_t end = tc_decoder_window_end(d);

	while (d->hold < end) {
		bool used, ended = tc_mend_skip_byte(&d->skip, *tc_decoder_at(d, d->hold), &used);
		d->hold += used;
		if (!ended)
			continue;
		if (d->place == TC_PLACE_EVENT)
			tc_walk_leave_event(d, d->hold);
		d->element_seen = true;
		d->comma_at = -1;
		if (d->place == TC_PLACE_LIST)
			d->mode = TC_MODE_MEND;
		else
			tc_decoder_resume(d);
		return true;
	}
	return false;
}

/* Logs and drops the event at hold, which is too large or too deep. */
static bool drop_event(struct tc_decoder *d, enum tc_log_kind kind)
{
	d->hold = d->event_start;
	if (tc_decoder_log(d, kind, d->event_start, 1, ""))
		tc_mend_start_skip(d);
	return true;
}

/* Parses the mended event in place of the damaged one, which ended before offset. */
static void parse_mended(struct tc_decoder *d, int64_t end)
{
	struct tc_window window = d->window;
	struct tc_text text = tc_buf_text(&d->repair.out);

	if (!log_notes(d, d->event_start))
		return;
	d->place = d->event_at_top ? TC_PLACE_TOP : TC_PLACE_LIST;
	d->hold = d->event_start;
	d->depth = 0;
	tc_decoder_resume(d);
	if (d->status != TC_OK)
		return;
	d->window = (struct tc_window){text.ptr, d->event_start, text.len};
	d->parse_base = d->event_start;
	enum tc_json_result result = tc_json_parse(d->json, text.ptr, text.len);
	d->window = window;
	if (d->status != TC_OK)
		return;
	if (result == TC_JSON_NO_MEMORY) {
		tc_decoder_no_memory(d);
		return;
	}
	if (result != TC_JSON_TAKEN || d->place == TC_PLACE_EVENT) {
		tc_decoder_log(d, TC_LOG_DAMAGED_EVENT, d->event_start, end - d->event_start, "");
		d->hold = end;
		tc_walk_leave_event(d, end);
		tc_decoder_resume(d);
		d->mode = TC_MODE_MEND;
		return;
	}
	d->hold = end;
	d->fed = end;
}

/* Is the top-level object that broke a container rather than an event? */
static bool is_container(const struct tc_decoder *d)
{
	if (!d->event_at_top || d->event.slot[TC_FIELD_PH].kind != TC_SCALAR_NONE)
		return false;
	struct tc_text rest = tc_decoder_rest(d, d->event_start);
	return d->stop == TC_STOP_LARGE ||
	       tc_resync_plausible(d, rest.ptr, rest.ptr + rest.len) != 1;
}

static bool become_container(struct tc_decoder *d)
{
	d->hold = d->event_start + 1;
	tc_walk_enter_container(d);
	d->stop = TC_STOP_NONE;
	return true;
}

/* The event makes no sense: bytes are dropped until the next one starts. */
static bool give_up_event(struct tc_decoder *d)
{
	d->hold = d->event_start + 1;
	d->place = d->event_at_top ? TC_PLACE_TOP : TC_PLACE_LIST;
	d->depth = 0;
	tc_resync_start(d, d->event_start);
	d->previous = '{';
	return true;
}

static bool try_event(struct tc_decoder *d, struct tc_text raw)
{
	switch (tc_repair_value(&d->repair, &d->keys, raw, d->at_end)) {
	case TC_REPAIR_MORE:
		if (raw.len > TC_EVENT_MAX_BYTES) {
			d->stop = TC_STOP_LARGE;
			return true;
		}
		d->retry_bytes = raw.len * 2 > RETRY_BYTES ? raw.len * 2 : RETRY_BYTES;
		return false;
	case TC_REPAIR_NO_MEMORY: return tc_decoder_no_memory(d);
	case TC_REPAIR_DEEP: return drop_event(d, TC_LOG_EVENT_TOO_DEEP);
	case TC_REPAIR_CONTAINER: return d->event_at_top ? become_container(d) : give_up_event(d);
	case TC_REPAIR_DONE:
		if (d->repair.end > TC_EVENT_MAX_BYTES)
			return drop_event(d, TC_LOG_EVENT_TOO_LARGE);
		parse_mended(d, d->event_start + (int64_t)d->repair.end);
		return true;
	default: return give_up_event(d);
	}
}

static bool mend_event(struct tc_decoder *d)
{
	struct tc_text raw = tc_decoder_rest(d, d->event_start);

	if (is_container(d))
		return become_container(d);
	if (d->stop == TC_STOP_DEEP)
		return drop_event(d, TC_LOG_EVENT_TOO_DEEP);
	if (d->stop == TC_STOP_LARGE)
		return drop_event(d, TC_LOG_EVENT_TOO_LARGE);
	if (raw.len < d->retry_bytes && !d->at_end)
		return false;
	return try_event(d, raw);
}

/* An element of the list that is no object. */
static bool mend_element(struct tc_decoder *d)
{
	struct tc_text raw = tc_decoder_rest(d, d->hold);

	if (raw.len < d->retry_bytes && !d->at_end)
		return false;
	enum tc_repair_result result = tc_repair_value(&d->repair, &d->keys, raw, d->at_end);
	if (result == TC_REPAIR_NO_MEMORY)
		return tc_decoder_no_memory(d);
	if (result == TC_REPAIR_MORE && raw.len <= TC_EVENT_MAX_BYTES) {
		d->retry_bytes = raw.len * 2 > RETRY_BYTES ? raw.len * 2 : RETRY_BYTES;
		return false;
	}
	d->retry_bytes = 0;
	if (result == TC_REPAIR_DEEP || result == TC_REPAIR_MORE) {
		if (tc_decoder_log(d, TC_LOG_NOT_AN_EVENT, d->hold, 1, ""))
			tc_mend_start_skip(d);
		return true;
	}
	if (result != TC_REPAIR_DONE) {
		tc_resync_start(d, d->hold);
		return true;
	}
	tc_decoder_log(d, TC_LOG_NOT_AN_EVENT, d->hold, 1, "");
	d->hold += (int64_t)d->repair.end;
	d->element_seen = true;
	d->comma_at = -1;
	return true;
}

static bool mend_list(struct tc_decoder *d)
{
	int c = skip_gap(d);

	if (c < 0)
		return false;
	if (c == ']') {
		if (d->comma_at >= 0 &&
			!tc_decoder_log(d, TC_LOG_TRAILING_COMMA, d->comma_at, 1, ""))
			return false;
		tc_walk_leave_list(d, d->hold + 1);
		if (d->place != TC_PLACE_LIST)
			tc_decoder_resume(d);
		return true;
	}
	if (c != '{' && (c != '[' || d->stop == TC_STOP_DEEP))
		return mend_element(d);
	if (d->element_seen && d->comma_at < 0 &&
		!tc_decoder_log(d, TC_LOG_MISSING_COMMA, d->hold, 1, ""))
		return false;
	tc_decoder_resume(d);
	return true;
}

/* Drops the member's value, which starts at offset. */
static bool drop_member(struct tc_decoder *d, int64_t offset, const char *message)
{
	d->hold = offset;
	if (tc_decoder_log(d, TC_LOG_META_TOO_LARGE, offset, 1, message))
		tc_mend_start_skip(d);
	return true;
}

/* Mends the value at offset of the member d->key. False when more is needed. */
static bool mend_member_value(struct tc_decoder *d, int64_t offset)
{
	struct tc_text raw = tc_decoder_rest(d, offset);

	switch (tc_repair_value(&d->repair, &d->keys, raw, d->at_end)) {
	case TC_REPAIR_NO_MEMORY: return tc_decoder_no_memory(d);
	case TC_REPAIR_MORE:
		if (raw.len > TC_META_MAX_BYTES)
			return drop_member(d, offset, tc_buf_string(&d->key));
		d->retry_bytes = raw.len * 2 > RETRY_BYTES ? raw.len * 2 : RETRY_BYTES;
		return false;
	case TC_REPAIR_DEEP: return drop_member(d, offset, "nested too deep");
	case TC_REPAIR_DONE: break;
	case TC_REPAIR_CONTAINER: /* a brace is missing: the list would be lost in the value */
	case TC_REPAIR_FAILED:
		d->hold = offset;
		tc_resync_start(d, offset);
		d->previous = ':';
		return true;
	}
	return true;
}

/* The key at hold into d->key; the offset of its value, -1 for more, -2 for damage. */
static int64_t mend_key(struct tc_decoder *d)
{
	struct tc_text raw = tc_decoder_rest(d, d->hold);
	size_t len = tc_json_value_length(raw);

	if (len == 0)
		return raw.len > TC_META_MAX_BYTES ? -2 : -1;
	int64_t at = d->hold + (int64_t)len, end = tc_decoder_window_end(d);
	while (at < end && tc_json_blank(*tc_decoder_at(d, at)))
		at++;
	if (at == end)
		return -1;
	if (*tc_decoder_at(d, at) != ':')
		return -2;
	at++;
	while (at < end && tc_json_blank(*tc_decoder_at(d, at)))
		at++;
	if (at == end)
		return -1;
	tc_buf_reset(&d->key);
	tc_json_unescape(&d->key, (struct tc_text){raw.ptr + 1, len - 2});
	if (tc_buf_failed(&d->key))
		tc_decoder_no_memory(d);
	return at;
}

static bool mend_member(struct tc_decoder *d)
{
	struct tc_text rest = tc_decoder_rest(d, d->hold);

	if (rest.len < d->retry_bytes && !d->at_end)
		return false;
	int64_t value = mend_key(d);
	if (d->status != TC_OK || value == -1)
		return false;
	if (value == -2) {
		tc_resync_start(d, d->hold);
		return true;
	}
	struct tc_text key = tc_buf_text(&d->key);
	if (tc_text_equal(key, TC_TEXT("traceEvents")) && *tc_decoder_at(d, value) == '[') {
		tc_walk_enter_list(d, true, value + 1);
		tc_decoder_resume(d);
		return true;
	}
	d->retry_bytes = 0;
	if (!mend_member_value(d, value) || d->mode != TC_MODE_MEND)
		return d->status == TC_OK && d->mode != TC_MODE_MEND;
	if (d->repair.end > TC_META_MAX_BYTES)
		return drop_member(d, value, tc_buf_string(&d->key));
	if (log_notes(d, value))
		tc_walk_deliver_meta(d, key, tc_buf_text(&d->repair.out), value);
	d->hold = value + (int64_t)d->repair.end;
	d->comma_at = -1;
	tc_decoder_resume(d);
	return true;
}

static bool mend_container(struct tc_decoder *d)
{
	int c = skip_gap(d);

	if (c < 0)
		return false;
	if (c == '}') {
		if (d->comma_at >= 0 &&
			!tc_decoder_log(d, TC_LOG_TRAILING_COMMA, d->comma_at, 1, ""))
			return false;
		tc_walk_leave_container(d, d->hold + 1);
		tc_decoder_resume(d);
		return true;
	}
	if (c == '"')
		return mend_member(d);
	tc_resync_start(d, d->hold);
	return true;
}

/* Skips a byte order mark. 1 done, 0 none here, -1 more needed. */
static int skip_bom(struct tc_decoder *d)
{
	struct tc_text rest = tc_decoder_rest(d, d->hold);
	size_t len = rest.len < 3 ? rest.len : 3;

	if (memcmp(rest.ptr, "\xef\xbb\xbf", len) != 0)
		return 0;
	if (len < 3)
		return d->at_end ? 0 : -1;
	tc_decoder_log(d, TC_LOG_BOM, d->hold, 1, "");
	d->hold += 3;
	return 1;
}

static bool mend_top(struct tc_decoder *d)
{
	int c = skip_gap(d);

	if (c < 0)
		return false;
	bool listed = d->comma_at >= 0 && d->form == TC_FORM_LINES && c == '{';
	if (listed) {
		/* Events with commas between them, outside any list: its start is missing. */
		if (!tc_decoder_log(d, TC_LOG_STARTS_MIDWAY, 0, 0, ""))
			return false;
		d->midway = true;
		d->trace_count++;
		tc_walk_enter_list(d, true, d->hold);
	}
	if (listed || c == '{' || c == '[') {
		d->comma_at = -1;
		tc_decoder_resume(d);
		return true;
	}
	int bom = c == 0xef ? skip_bom(d) : 0;
	if (bom != 0)
		return bom > 0;
	tc_resync_start(d, d->hold);
	return true;
}

bool tc_mend(struct tc_decoder *d)
{
	switch (d->place) {
	case TC_PLACE_EVENT: return mend_event(d);
	case TC_PLACE_LIST: return mend_list(d);
	case TC_PLACE_CONTAINER: return mend_container(d);
	default: return mend_top(d);
	}
}
