/*
 * Tokens of well-formed text: keeps track of where we are and hands scalars to the event builder.
 * This is the fast path; it runs once per token.
 */
#include "decode/walk/walk.h"

#include "core/limits.h"
#include "decode/decoder.h"
#include "decode/json/json_text.h"
#include "core/utf8.h"

/* Kept out of the way of what runs for every token. */
#define RARE __attribute__((noinline, cold))

/* Offset of the end of the current token. */
static inline int64_t token_end(const struct tc_decoder *d)
{
	return d->parse_base + (int64_t)tc_json_used(d->json);
}

/* Does text of the parser stand in the window, unescaped and uncut? */
static inline bool in_window(const struct tc_decoder *d, const char *ptr)
{
	return (uintptr_t)ptr - (uintptr_t)d->window.ptr < d->window.len;
}

/* A copy of text that does not: unescaped, or cut by a chunk. */
static RARE struct tc_text keep_copy(struct tc_decoder *d, const char *ptr, size_t len)
{
	d->escapes = true;
	struct tc_text copy = tc_event_copy(&d->event, (struct tc_text){ptr, len});
	if (!copy.ptr)
		tc_decoder_no_memory(d);
	return copy;
}

static bool log_element(struct tc_decoder *d)
{
	int64_t end = tc_decoder_window_end(d);

	for (; d->hold < end; d->hold++) {
		char c = *tc_decoder_at(d, d->hold);
		if (c != ',' && !tc_json_blank(c))
			break;
	}
	return tc_decoder_log(d, TC_LOG_NOT_AN_EVENT, d->hold, 1, "");
}

/* The end of something in the list, and at the top. */
static void end_element(struct tc_decoder *d, int64_t offset)
{
	d->hold = offset;
	d->element_seen = true;
	d->comma_at = -1;
}

static bool start_trace(struct tc_decoder *d, int64_t offset)
{
	if (d->trace_count++ == 0)
		return true;
	return tc_decoder_log(d, TC_LOG_CONCATENATED, offset, 1, "");
}

/* Does every surrogate escape of raw JSON text have its partner? */
static bool pairs_whole(struct tc_text raw)
{
	const char *p = raw.ptr, *end = raw.ptr + raw.len;
	bool high = false; /* the escape that ends at p was a high surrogate */

	while (p < end) {
		const char *slash = memchr(p, '\\', (size_t)(end - p));
		int unit = slash && end - slash >= 2 && slash[1] == 'u'
				   ? tc_json_hex4(slash + 2, end)
				   : -1;
		bool low = unit >= 0xdc00 && unit <= 0xdfff;
		if (high ? !low || slash != p : low)
			return false;
		high = unit >= 0xd800 && unit <= 0xdbff;
		p = slash ? slash + (unit < 0 ? 2 : 6) : end;
	}
	return !high;
}

/* Text must be UTF-8 with whole surrogate pairs before it can be passed on. */
static bool clean(struct tc_text raw, bool escapes)
{
	return tc_utf8_valid(raw) && (!escapes || pairs_whole(raw));
}

bool tc_walk_deliver_meta(
	struct tc_decoder *d, struct tc_text key, struct tc_text raw, int64_t offset)
{
	struct tc_text json;
	size_t key_len;

	if (raw.len > TC_META_MAX_BYTES)
		return tc_decoder_log(d, TC_LOG_META_TOO_LARGE, offset, 1, tc_buf_string(&d->key));
	tc_buf_reset(&d->scratch);
	tc_utf8_append_clean(&d->scratch, key);
	key_len = d->scratch.len;
	if (clean(raw, true)) {
		tc_json_compact(&d->scratch, raw);
	} else {
		enum tc_repair_result result = tc_repair_value(&d->repair, &d->keys, raw, true);
		if (result == TC_REPAIR_NO_MEMORY)
			return tc_decoder_no_memory(d);
		if (result != TC_REPAIR_DONE)
			return true;
		tc_json_compact(&d->scratch, tc_buf_text(&d->repair.out));
	}
	if (tc_buf_failed(&d->scratch))
		return tc_decoder_no_memory(d);
	json = tc_buf_text(&d->scratch);
	key = (struct tc_text){json.ptr, key_len};
	json.ptr += key_len;
	json.len -= key_len;
	d->status = d->sink.meta(d->sink.user, key, json);
	return d->status == TC_OK;
}

bool tc_walk_enter_list(struct tc_decoder *d, bool in_container, int64_t offset)
{
	d->place = TC_PLACE_LIST;
	d->in_container = in_container;
	d->list_depth = 0;
	d->depth = 0;
	d->element_seen = false;
	d->comma_at = -1;
	d->hold = offset;
	d->list_count++;
	return true;
}

void tc_walk_leave_list(struct tc_decoder *d, int64_t offset)
{
	if (d->list_depth > 0) {
		d->list_depth--;
		end_element(d, offset);
		return;
	}
	d->place = d->in_container ? TC_PLACE_CONTAINER : TC_PLACE_TOP;
	d->depth = d->in_container ? 1 : 0;
	d->hold = offset;
	d->comma_at = -1;
}

void tc_walk_leave_container(struct tc_decoder *d, int64_t offset)
{
	d->place = TC_PLACE_TOP;
	d->in_container = false;
	d->midway = false;
	d->depth = 0;
	d->hold = offset;
	d->comma_at = -1;
}

void tc_walk_leave_event(struct tc_decoder *d, int64_t offset)
{
	d->place = d->event_at_top ? TC_PLACE_TOP : TC_PLACE_LIST;
	d->depth = 0;
	end_element(d, offset);
}

static void start_event(struct tc_decoder *d)
{
	tc_event_reset(&d->event);
	d->event_at_top = d->place == TC_PLACE_TOP;
	d->place = TC_PLACE_EVENT;
	d->event_start = token_end(d) - 1;
	d->hold = d->event_start;
	d->member_end = d->event_start + 1;
	d->depth = 1;
	d->field = -1;
	d->target = TC_SLOT_NONE;
	d->target_depth = 1;
	d->escapes = false;
	d->member_count = 0;
	d->retry_bytes = 0;
}

/* Delivers the members [start of the object, last complete one) as metadata. */
static bool deliver_members(struct tc_decoder *d)
{
	struct tc_text raw = tc_decoder_rest(d, d->event_start);
	struct tc_json_iter iter;
	struct tc_json_member member;

	raw.len = (size_t)(d->member_end - d->event_start);
	tc_json_iter_init(&iter, raw);
	while (tc_json_iter_next(&iter, &member)) {
		tc_buf_reset(&d->key);
		tc_json_unescape(&d->key, member.key);
		if (tc_buf_failed(&d->key))
			return tc_decoder_no_memory(d);
		if (!tc_walk_deliver_meta(d, tc_buf_text(&d->key), member.value,
			    d->event_start + (member.value.ptr - raw.ptr)))
			return false;
	}
	return true;
}

bool tc_walk_enter_container(struct tc_decoder *d)
{
	if (d->form == TC_FORM_UNKNOWN)
		d->form = TC_FORM_OBJECT;
	d->place = TC_PLACE_CONTAINER;
	d->in_container = true;
	d->depth = 1;
	return start_trace(d, d->event_start);
}

/* The end of a top-level object that has neither events nor a phase. */
static bool end_plain_object(struct tc_decoder *d, int64_t end)
{
	d->member_end = end;
	if (d->form == TC_FORM_LINES)
		return tc_decoder_log(d, TC_LOG_NO_PHASE, d->event_start, 1, "");
	if (d->form == TC_FORM_UNKNOWN)
		d->form = TC_FORM_OBJECT;
	return deliver_members(d);
}

/* Does the event start with the key that was met first? Nearly always it does. */
static bool starts_as_first(const struct tc_first_keys *keys, struct tc_text raw)
{
	const char *p = raw.ptr + 1, *end = raw.ptr + raw.len;
	size_t len = keys->len[0];

	while (p < end && tc_json_blank(*p))
		p++;
	return keys->count > 0 && (size_t)(end - p) > len + 1 && *p == '"' && p[1 + len] == '"' &&
	       memcmp(p + 1, keys->bytes[0], len) == 0;
}

/* Remembers what key a good event starts with. */
static void learn_first_key(struct tc_decoder *d, struct tc_text raw)
{
	struct tc_json_iter iter;
	struct tc_json_member member;

	if (starts_as_first(&d->first_keys, raw))
		return;
	tc_json_iter_init(&iter, raw);
	if (tc_json_iter_next(&iter, &member))
		tc_resync_learn(&d->first_keys, member.key);
}

static bool deliver_event(struct tc_decoder *d, struct tc_text raw)
{
	if (!tc_event_finish(&d->event, raw, d->event_start))
		return tc_decoder_no_memory(d);
	if (d->event.event.ph == 0)
		return tc_decoder_log(d, TC_LOG_NO_PHASE, d->event_start, 1, "");
	if (d->form == TC_FORM_UNKNOWN)
		d->form = TC_FORM_LINES;
	learn_first_key(d, raw);
	d->event_count++;
	d->status = d->sink.event(d->sink.user, &d->event.event);
	return d->status == TC_OK;
}

static int end_event(struct tc_decoder *d)
{
	int64_t end = token_end(d);
	struct tc_text raw = tc_decoder_rest(d, d->event_start);
	bool good;

	raw.len = (size_t)(end - d->event_start);
	if (d->event_at_top && d->event.slot[TC_FIELD_PH].kind == TC_SCALAR_NONE) {
		good = end_plain_object(d, end);
	} else if (d->member_count == 0) {
		good = tc_decoder_log(d, TC_LOG_EMPTY_EVENT, d->event_start, 1, "");
	} else if (raw.len > TC_EVENT_MAX_BYTES) {
		d->stop = TC_STOP_LARGE;
		return 0;
	} else if (!clean(raw, d->escapes)) {
		d->stop = TC_STOP_TEXT;
		return 0;
	} else {
		good = deliver_event(d, raw);
	}
	tc_walk_leave_event(d, end);
	return good;
}

/* A value of the container is complete. */
static int end_member(struct tc_decoder *d)
{
	int64_t end = token_end(d);
	struct tc_text raw = tc_decoder_rest(d, d->value_from);

	raw.len = (size_t)(end - d->value_from);
	while (raw.len > 0 && (*raw.ptr == ':' || tc_json_blank(*raw.ptr))) {
		raw.ptr++;
		raw.len--;
	}
	if (!tc_walk_deliver_meta(d, tc_buf_text(&d->key), raw, end - (int64_t)raw.len))
		return 0;
	d->hold = end;
	return 1;
}

/* A scalar outside any event, or the end of a value of the container. */
static RARE int plain_value(struct tc_decoder *d)
{
	switch (d->place) {
	case TC_PLACE_CONTAINER: return d->depth == 1 ? end_member(d) : 1;
	case TC_PLACE_LIST:
		if (!log_element(d))
			return 0;
		end_element(d, token_end(d));
		return 1;
	default: d->stop = TC_STOP_NONE; return 0; /* at the top it is no trace: mended */
	}
}

/*
 * A scalar inside an event.
 *
 * dense adds up what the tokens take without blanks: a value with the comma behind it, a key with
 * quotes and colon, brackets with a comma behind them less the one that the last value inside has
 * not. What cannot be known here (escapes, empty brackets) is counted too small. So when args are
 * as long as that, they have no blanks, and need no copy.
 */
static inline int event_value(
	struct tc_decoder *d, enum tc_scalar_kind kind, const char *ptr, size_t len)
{
	bool plain = in_window(d, ptr);

	d->dense += (int64_t)len + (kind == TC_SCALAR_TEXT ? 3 : 1);
	if (d->target != TC_SLOT_NONE && d->target_depth == d->depth) {
		struct tc_text text = plain ? (struct tc_text){ptr, len} : keep_copy(d, ptr, len);
		if (!text.ptr)
			return 0;
		tc_event_set(&d->event, d->target, kind, text);
	} else if (kind == TC_SCALAR_TEXT) {
		d->escapes |= !plain;
	}
	if (d->event_at_top && d->depth == 1)
		d->member_end = token_end(d);
	return 1;
}

static int event_literal(struct tc_decoder *d, enum tc_scalar_kind kind, const char *text)
{
	d->dense += text && *text == 'f' ? 6 : 5;
	if (d->target != TC_SLOT_NONE && d->target_depth == d->depth)
		tc_event_set(&d->event, d->target, kind, tc_text_from(text));
	if (d->depth == 1 && d->event_at_top)
		d->member_end = token_end(d);
	return 1;
}

int tc_walk_null(void *user)
{
	struct tc_decoder *d = user;

	if (d->place != TC_PLACE_EVENT)
		return plain_value(d);
	return event_literal(d, TC_SCALAR_NULL, NULL);
}

int tc_walk_bool(void *user, int value)
{
	struct tc_decoder *d = user;

	if (d->place != TC_PLACE_EVENT)
		return plain_value(d);
	return event_literal(d, TC_SCALAR_BOOL, value ? "true" : "false");
}

int tc_walk_number(void *user, const char *text, size_t len)
{
	struct tc_decoder *d = user;

	if (d->place != TC_PLACE_EVENT)
		return plain_value(d);
	return event_value(d, TC_SCALAR_NUMBER, text, len);
}

int tc_walk_string(void *user, const unsigned char *text, size_t len)
{
	struct tc_decoder *d = user;

	if (d->place != TC_PLACE_EVENT)
		return plain_value(d);
	return event_value(d, TC_SCALAR_TEXT, (const char *)text, len);
}

static RARE void id_key(struct tc_decoder *d, const char *key, size_t len)
{
	d->target = TC_SLOT_NONE;
	if (len == 5 && memcmp(key, "local", 5) == 0)
		d->target = TC_SLOT_ID_LOCAL;
	else if (len == 6 && memcmp(key, "global", 6) == 0)
		d->target = TC_SLOT_ID_GLOBAL;
	d->target_depth = 2;
}

/* Members of args and id2. */
static inline void nested_key(struct tc_decoder *d, const char *key, size_t len, const char *limit)
{
	if (d->field == TC_FIELD_ARGS) {
		int arg = tc_keys_arg(&d->keys, key, len, limit);
		d->target = arg >= 0 ? TC_SLOT_ARG + arg : TC_SLOT_NONE;
		d->target_depth = 2;
	} else if (d->field == TC_FIELD_ID2) {
		id_key(d, key, len);
	}
}

static RARE void second_args(struct tc_decoder *d)
{
	tc_event_drop_args(&d->event);
}

static inline void event_key(struct tc_decoder *d, const char *key, size_t len, const char *limit)
{
	d->field = tc_keys_field(&d->keys, key, len, limit);
	d->member_count++;
	d->target = d->field < TC_FIELD_ID2 ? d->field : TC_SLOT_NONE;
	d->target_depth = 1;
	if (d->field == TC_FIELD_ARGS && d->event.slot[TC_FIELD_ARGS].kind != TC_SCALAR_NONE)
		second_args(d);
}

static RARE int container_key(struct tc_decoder *d, const char *key, size_t len)
{
	if (d->place != TC_PLACE_CONTAINER || d->depth != 1)
		return 1;
	tc_buf_reset(&d->key);
	tc_buf_append(&d->key, key, len);
	if (tc_buf_failed(&d->key))
		return tc_decoder_no_memory(d);
	d->list_key = tc_keys_field(&d->keys, key, len, key + len) == TC_FIELD_TRACE_EVENTS;
	d->value_from = token_end(d);
	return 1;
}

int tc_walk_key(void *user, const unsigned char *text, size_t len)
{
	struct tc_decoder *d = user;
	const char *key = (const char *)text;

	if (d->place != TC_PLACE_EVENT)
		return container_key(d, key, len);
	bool plain = in_window(d, key);
	const char *limit = plain ? d->window.ptr + d->window.len : key + len;
	d->escapes |= !plain;
	d->dense += (int64_t)len + 3;
	if (d->depth == 1)
		event_key(d, key, len, limit);
	else if (d->depth == 2)
		nested_key(d, key, len, limit);
	return 1;
}

static inline int open_nested(struct tc_decoder *d)
{
	if (d->depth >= TC_JSON_MAX_DEPTH) {
		d->stop = TC_STOP_DEEP;
		return 0;
	}
	if (d->place == TC_PLACE_EVENT && d->target != TC_SLOT_NONE &&
		d->target_depth == d->depth) {
		*(d->target == TC_FIELD_ARGS ? &d->args_from : &d->nested_from) = token_end(d) - 1;
		if (d->target == TC_FIELD_ARGS) {
			d->target = TC_SLOT_NONE;
			d->args_dense = d->dense;
		}
	}
	d->dense += 2;
	d->depth++;
	return 1;
}

/* The object at the top has the event list: it is a container. */
static int turn_container(struct tc_decoder *d)
{
	int64_t offset = token_end(d);

	if (!tc_walk_enter_container(d) || !deliver_members(d))
		return 0;
	return tc_walk_enter_list(d, true, offset);
}

int tc_walk_start_map(void *user)
{
	struct tc_decoder *d = user;

	if (d->place == TC_PLACE_EVENT || d->place == TC_PLACE_CONTAINER)
		return open_nested(d);
	start_event(d);
	return 1;
}

/* A list in the list, as from a trace that was appended to one without end: its objects are
 * events as well. */
static int open_inner_list(struct tc_decoder *d)
{
	if (d->list_depth >= TC_JSON_MAX_DEPTH) {
		d->stop = TC_STOP_DEEP;
		return 0;
	}
	if (!log_element(d))
		return 0;
	d->list_depth++;
	d->element_seen = false;
	d->comma_at = -1;
	d->hold = token_end(d);
	return 1;
}

int tc_walk_start_array(void *user)
{
	struct tc_decoder *d = user;

	if (d->place == TC_PLACE_LIST)
		return open_inner_list(d);
	if (d->place == TC_PLACE_TOP) {
		if (d->form == TC_FORM_UNKNOWN)
			d->form = TC_FORM_ARRAY;
		return start_trace(d, token_end(d) - 1) &&
		       tc_walk_enter_list(d, false, token_end(d));
	}
	if (d->depth == 1 && d->place == TC_PLACE_EVENT && d->event_at_top &&
		d->field == TC_FIELD_TRACE_EVENTS)
		return turn_container(d);
	if (d->depth == 1 && d->place == TC_PLACE_CONTAINER && d->list_key)
		return tc_walk_enter_list(d, true, token_end(d));
	return open_nested(d);
}

/* A nested value of the event ends: keeps it when it is asked for. */
static void close_nested(struct tc_decoder *d)
{
	if (d->depth == 1 && d->field == TC_FIELD_ARGS) {
		int64_t end = token_end(d);
		tc_event_set_nested(&d->event, TC_FIELD_ARGS, d->args_from, end);
		d->event.args_compact = end - d->args_from == d->dense - d->args_dense - 1;
	} else if (d->target != TC_SLOT_NONE && d->target_depth == d->depth)
		tc_event_set_nested(&d->event, d->target, d->nested_from, token_end(d));
	if (d->depth == 1 && d->event_at_top)
		d->member_end = token_end(d);
}

int tc_walk_end_map(void *user)
{
	struct tc_decoder *d = user;

	if (d->place == TC_PLACE_EVENT) {
		if (--d->depth == 0)
			return end_event(d);
		close_nested(d);
		return 1;
	}
	if (--d->depth == 0) {
		tc_walk_leave_container(d, token_end(d));
		return 1;
	}
	return plain_value(d);
}

int tc_walk_end_array(void *user)
{
	struct tc_decoder *d = user;

	if (d->place == TC_PLACE_LIST) {
		tc_walk_leave_list(d, token_end(d));
		return 1;
	}
	d->depth--;
	if (d->place != TC_PLACE_EVENT)
		return plain_value(d);
	close_nested(d);
	return 1;
}
