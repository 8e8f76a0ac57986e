/*
 * Tokens of well-formed text to raw events and members of the trace: keeps track of where in a
 * trace it is, gathers the members of an event, and delivers what is complete. This is the fast
 * path; it runs once per token. For
 *
 *   {"rank": 3, "traceEvents": [{"ph":"X","ts":1.5,"args":{"stream":7}}, ...
 *
 * "rank" is delivered as a member when the list starts, which shows that the object is a container;
 * then each event when its brace closes. The tokens come from yajl, or from the quick parser of
 * fast/, which only the decoders of prefetched segments use.
 */
#include "decode/walk.h"

#include "core/alloc.h"
#include "core/limits.h"
#include "core/text/utf8.h"
#include "decode/event.h"
#include "decode/fast/plain.h"
#include "decode/json/json_text.h"
#include "decode/json/parser.h"

/* Kept out of the way of what runs for every token. */
#define RARE __attribute__((noinline, cold))

static void event_clear(struct tc_event_builder *builder)
{
	tc_buf_clear(&builder->copies);
	tc_buf_clear(&builder->compact);
}

/* Forgets the event before. */
static void event_reset(struct tc_event_builder *builder)
{
	for (uint64_t left = builder->used; left; left &= left - 1)
		builder->slot[__builtin_ctzll(left)].kind = TC_SCALAR_NONE;
	tc_raw_event_clear_args(&builder->event);
	builder->used = 0;
	builder->nested_count = 0;
	builder->others_nest = false;
	builder->fields_met = 0;
	builder->doubled_count = 0;
	tc_buf_reset(&builder->copies);
	tc_buf_reset(&builder->compact);
}

/* Forgets what a former args said, for the second of two. */
static void drop_args(struct tc_event_builder *builder)
{
	int kept = 0;

	for (int slot = 0; slot < TC_SLOT_COUNT; slot++) {
		if (!tc_slot_of_args(slot))
			continue;
		builder->slot[slot].kind = TC_SCALAR_NONE;
		builder->used &= ~(UINT64_C(1) << slot);
	}
	for (int i = 0; i < builder->nested_count; i++) {
		if (!tc_slot_of_args(builder->nested[i].slot))
			builder->nested[kept++] = builder->nested[i];
	}
	builder->nested_count = kept;
}

/* Counts a member whose key was met before; the last one of them counts. */
static RARE void event_meet_again(struct tc_event_builder *builder, enum tc_field field)
{
	builder->doubled_count++;
	builder->doubled = field;
	if (field == TC_FIELD_ARGS)
		drop_args(builder);
}

/* Notes a member, before its value. */
static inline void event_meet(struct tc_event_builder *builder, enum tc_field field)
{
	if (builder->fields_met >> field & 1)
		event_meet_again(builder, field);
	builder->fields_met |= UINT32_C(1) << field;
}

/* Keeps a scalar; a later one for the same slot wins. Text must stay where it is. */
static inline void event_set(
	struct tc_event_builder *builder, int slot, enum tc_scalar_kind kind, struct tc_text text)
{
	struct tc_kept *kept = &builder->slot[slot];

	builder->used |= UINT64_C(1) << slot;
	kept->kind = kind;
	kept->text = text;
}

/* Notes that the value of slot is nested and stands at [from, to) of the input. */
static void event_set_nested(struct tc_event_builder *builder, int slot, int64_t from, int64_t to)
{
	int kept = 0;

	event_set(builder, slot, TC_SCALAR_JSON, TC_TEXT_NONE);
	/* At most one per slot stays, so the table cannot overflow. */
	for (int i = 0; i < builder->nested_count; i++) {
		if (builder->nested[i].slot != slot)
			builder->nested[kept++] = builder->nested[i];
	}
	builder->nested[kept] = (struct tc_nested){slot, from, to};
	builder->nested_count = kept + 1;
	builder->others_nest |= !tc_slot_of_args(slot);
}

/* Text that was kept at old[0..len) now stands at fresh. */
static void event_move(
	struct tc_event_builder *builder, const char *old, size_t len, const char *fresh)
{
	uintptr_t from = (uintptr_t)old;

	for (uint64_t left = builder->used; left; left &= left - 1) {
		struct tc_text *text = &builder->slot[__builtin_ctzll(left)].text;
		uintptr_t at = (uintptr_t)text->ptr;
		if (text->ptr && at >= from && at - from < len)
			text->ptr = fresh + (at - from);
	}
}

/* Copies text so that it stays. NULL text when memory is out. */
static struct tc_text event_copy(struct tc_event_builder *builder, struct tc_text text)
{
	struct tc_buf *copies = &builder->copies;
	const char *old_ptr = copies->ptr, *zero;
	size_t old_len = copies->len;

	/* NUL ends strings in too many places further on. */
	for (size_t at = 0; at < text.len; at += (size_t)(zero - text.ptr) - at + 1) {
		zero = memchr(text.ptr + at, '\0', text.len - at);
		if (!zero)
			zero = text.ptr + text.len;
		tc_buf_append(copies, text.ptr + at, (size_t)(zero - text.ptr) - at);
		if (zero < text.ptr + text.len)
			tc_buf_append_string(copies, TC_UTF8_REPLACEMENT);
	}
	if (tc_buf_failed(copies))
		return TC_TEXT_NONE;
	if (copies->ptr != old_ptr && old_len > 0)
		event_move(builder, old_ptr, old_len, copies->ptr);
	if (copies->len == old_len)
		return TC_TEXT("");
	return (struct tc_text){copies->ptr + old_len, copies->len - old_len};
}

/* A member of the container, the object around the event list: metadata, unless it is that list. */
struct member {
	struct tc_buf key;
	bool is_list;       /* the key is traceEvents */
	int64_t value_from; /* the end of the key */
};

/* Where the walk is in the event. */
struct place {
	bool escapes; /* the event has escaped strings */
	int member_count;
	int field;  /* of the current member, -1 for an unknown one */
	int target; /* slot for the value at target_depth, or TC_SLOT_NONE */
	int target_depth;
	int64_t nested_from; /* of the nested value that goes to target */
	int64_t args_from;
	int64_t args_weight; /* the weight at the start of args */
	int64_t member_end;  /* of the last complete member; kept only at the top */
};

struct tc_walk {
	struct tc_position *position;
	struct tc_delivery *delivery;
	const struct tc_keys *keys;
	struct tc_first_keys *first_keys;

	struct tc_parser *parser;
	struct tc_plain plain;
	bool is_plain;                  /* the quick parser reads */
	const struct tc_window *window; /* while it is read */
	int64_t parse_base;             /* offset of the text in the current call of the parser */
	int64_t fed;                    /* the parser has seen the input up to here */
	int64_t restart_count;
	enum tc_walk_outcome stop; /* why a handler stopped the parser */
	int depth;                 /* of brackets in the event or container; 1 among its members */
	int64_t weight;            /* of the tokens of events, see event_value() */

	struct tc_event_builder event;
	struct place at;
	struct member member; /* of the container */
};

/* Offset of the end of the current token. */
static inline int64_t token_end(const struct tc_walk *walk)
{
	size_t used = walk->is_plain ? tc_plain_used(&walk->plain) : tc_parser_used(walk->parser);

	return walk->parse_base + (int64_t)used;
}

/* Does text of the parser stand in the window, unescaped and uncut? */
static inline bool in_window(const struct tc_walk *walk, const char *ptr)
{
	return (uintptr_t)ptr - (uintptr_t)walk->window->ptr < walk->window->len;
}

/* A member whose key, unescaped, ended before offset. False when memory is out. */
static bool member_start(
	struct member *member, const struct tc_keys *keys, struct tc_text key, int64_t offset)
{
	tc_buf_reset(&member->key);
	tc_buf_append_text(&member->key, key);
	member->is_list =
		tc_keys_field(keys, key.ptr, key.len, key.ptr + key.len) == TC_FIELD_TRACE_EVENTS;
	member->value_from = offset;
	return !tc_buf_failed(&member->key);
}

/* Delivers the member, whose value ended before offset. False when the delivery failed. */
static bool member_end(struct member *member, struct tc_delivery *delivery,
	const struct tc_window *window, int64_t offset)
{
	struct tc_text value = tc_window_rest(window, member->value_from);

	value.len = (size_t)(offset - member->value_from);
	while (value.len > 0 && (*value.ptr == ':' || tc_json_blank(*value.ptr))) {
		value.ptr++;
		value.len--;
	}
	return tc_delivery_member(delivery, &member->key, value, offset - (int64_t)value.len);
}

/* Delivers all members of an object, which stands at offset and may lack its end. */
static bool member_deliver_all(
	struct member *member, struct tc_delivery *delivery, struct tc_text object, int64_t offset)
{
	struct tc_json_iter iter;
	struct tc_json_member each;

	tc_json_iter_init(&iter, object);
	while (tc_json_iter_next(&iter, &each)) {
		int64_t value_at = offset + (each.value.ptr - object.ptr);
		tc_buf_reset(&member->key);
		tc_json_unescape(&member->key, each.key);
		if (tc_buf_failed(&member->key))
			return tc_delivery_no_memory(delivery, value_at);
		if (!tc_delivery_member(delivery, &member->key, each.value, value_at))
			return false;
	}
	return true;
}

static bool no_memory(struct tc_walk *walk)
{
	return tc_delivery_no_memory(walk->delivery, walk->position->hold);
}

/* A copy of text that does not stand in the window: it was unescaped, or cut by the end of a chunk.
 */
static RARE struct tc_text keep_copy(struct tc_walk *walk, const char *ptr, size_t len)
{
	walk->at.escapes = true;
	struct tc_text copy = event_copy(&walk->event, (struct tc_text){ptr, len});
	if (!copy.ptr)
		no_memory(walk);
	return copy;
}

static bool log_element(struct tc_walk *walk)
{
	tc_position_skip_gap(walk->position, walk->window);
	return tc_delivery_note(walk->delivery, TC_LOG_NOT_AN_EVENT, walk->position->hold);
}

/* Brackets open inside an event or container, between elements of a level. */
static int depth_at(enum tc_level level)
{
	return level == TC_LEVEL_CONTAINER ? 1 : 0;
}

static bool start_trace(struct tc_walk *walk, int64_t offset)
{
	return tc_position_start_trace(walk->position) ||
	       tc_delivery_note(walk->delivery, TC_LOG_CONCATENATED, offset);
}

static void start_event(struct tc_walk *walk)
{
	event_reset(&walk->event);
	tc_position_enter_event(walk->position, token_end(walk) - 1);
	walk->at.member_end = walk->position->hold + 1;
	walk->depth = 1;
	walk->at.field = -1;
	walk->at.target = TC_SLOT_NONE;
	walk->at.target_depth = 1;
	walk->at.escapes = false;
	walk->at.member_count = 0;
}

/* Delivers the members [start of the object, last complete one) as metadata. */
static bool deliver_members(struct tc_walk *walk)
{
	struct tc_text raw = tc_window_rest(walk->window, walk->position->hold);

	raw.len = (size_t)(walk->at.member_end - walk->position->hold);
	return member_deliver_all(&walk->member, walk->delivery, raw, walk->position->hold);
}

/* The end of a top-level object that has neither events nor a phase. */
static bool end_plain_object(struct tc_walk *walk, int64_t end)
{
	walk->at.member_end = end;
	if (walk->position->form == TC_FORM_LINES)
		return tc_delivery_note(walk->delivery, TC_LOG_NO_PHASE, walk->position->hold);
	if (walk->position->form == TC_FORM_UNKNOWN)
		walk->position->form = TC_FORM_OBJECT;
	return deliver_members(walk);
}

static RARE bool log_doubled(struct tc_walk *walk)
{
	return tc_delivery_log(walk->delivery, TC_LOG_DUPLICATE_MEMBER, walk->position->hold,
		walk->event.doubled_count, tc_keys_field_name(walk->event.doubled).ptr);
}

static bool deliver_event(struct tc_walk *walk, struct tc_text raw)
{
	if (!tc_event_finish(&walk->event, raw, walk->position->hold))
		return no_memory(walk);
	if (walk->event.event.ph == 0)
		return tc_delivery_note(walk->delivery, TC_LOG_NO_PHASE, walk->position->hold);
	if (walk->event.doubled_count > 0 && !log_doubled(walk))
		return false;
	if (walk->position->form == TC_FORM_UNKNOWN)
		walk->position->form = TC_FORM_LINES;
	tc_first_keys_learn(walk->first_keys, raw);
	return tc_delivery_event(walk->delivery, &walk->event.event);
}

static int end_event(struct tc_walk *walk)
{
	int64_t end = token_end(walk);
	struct tc_text raw = tc_window_rest(walk->window, walk->position->hold);
	bool good;

	raw.len = (size_t)(end - walk->position->hold);
	if (walk->position->event_at_top && walk->event.slot[TC_FIELD_PH].kind == TC_SCALAR_NONE) {
		good = end_plain_object(walk, end);
	} else if (walk->at.member_count == 0) {
		good = tc_delivery_note(walk->delivery, TC_LOG_EMPTY_EVENT, walk->position->hold);
	} else if (raw.len > TC_EVENT_MAX_BYTES) {
		walk->stop = TC_WALK_LARGE;
		return 0;
	} else if (!tc_json_clean(raw, walk->at.escapes)) {
		walk->stop = TC_WALK_BROKEN;
		return 0;
	} else {
		good = deliver_event(walk, raw);
	}
	tc_position_leave_event(walk->position, end);
	return good;
}

/* A value of the container is complete. */
static int end_member(struct tc_walk *walk)
{
	int64_t end = token_end(walk);

	if (!member_end(&walk->member, walk->delivery, walk->window, end))
		return 0;
	walk->position->hold = end;
	return 1;
}

/* A scalar outside any event, or the end of a value of the container. */
static RARE int plain_value(struct tc_walk *walk)
{
	switch (walk->position->level) {
	case TC_LEVEL_CONTAINER: return walk->depth == 1 ? end_member(walk) : 1;
	case TC_LEVEL_LIST:
		if (!log_element(walk))
			return 0;
		tc_position_end_element(walk->position, token_end(walk));
		return 1;
	default: walk->stop = TC_WALK_BROKEN; return 0; /* at the top it is no trace: mended */
	}
}

/*
 * A scalar inside an event.
 *
 * The weight of tokens is what they take without blanks: a value with the comma behind it, a key
 * with quotes and colon, brackets with a comma behind them less the one that the last value inside
 * has not. What cannot be known here (escapes, empty brackets) is counted too small. So when args
 * are as long as that, they have no blanks, and need no copy.
 */
static inline int event_value(
	struct tc_walk *walk, enum tc_scalar_kind kind, const char *ptr, size_t len)
{
	bool plain = in_window(walk, ptr);

	walk->weight += (int64_t)len + (kind == TC_SCALAR_TEXT ? 3 : 1);
	if (walk->at.target != TC_SLOT_NONE && walk->at.target_depth == walk->depth) {
		struct tc_text text =
			plain ? (struct tc_text){ptr, len} : keep_copy(walk, ptr, len);
		if (!text.ptr)
			return 0;
		event_set(&walk->event, walk->at.target, kind, text);
	} else if (kind == TC_SCALAR_TEXT) {
		walk->at.escapes |= !plain;
	}
	if (walk->position->event_at_top && walk->depth == 1)
		walk->at.member_end = token_end(walk);
	return 1;
}

static int event_literal(struct tc_walk *walk, enum tc_scalar_kind kind, const char *text)
{
	walk->weight += text && *text == 'f' ? 6 : 5;
	if (walk->at.target != TC_SLOT_NONE && walk->at.target_depth == walk->depth)
		event_set(&walk->event, walk->at.target, kind, tc_text_from(text));
	if (walk->depth == 1 && walk->position->event_at_top)
		walk->at.member_end = token_end(walk);
	return 1;
}

static int on_null(void *user)
{
	struct tc_walk *walk = user;

	if (walk->position->level != TC_LEVEL_EVENT)
		return plain_value(walk);
	return event_literal(walk, TC_SCALAR_NULL, NULL);
}

static int on_bool(void *user, int value)
{
	struct tc_walk *walk = user;

	if (walk->position->level != TC_LEVEL_EVENT)
		return plain_value(walk);
	return event_literal(walk, TC_SCALAR_BOOL, value ? "true" : "false");
}

static int on_number(void *user, const char *text, size_t len)
{
	struct tc_walk *walk = user;

	if (walk->position->level != TC_LEVEL_EVENT)
		return plain_value(walk);
	return event_value(walk, TC_SCALAR_NUMBER, text, len);
}

static int on_string(void *user, const unsigned char *text, size_t len)
{
	struct tc_walk *walk = user;

	if (walk->position->level != TC_LEVEL_EVENT)
		return plain_value(walk);
	return event_value(walk, TC_SCALAR_TEXT, (const char *)text, len);
}

static RARE void id_key(struct tc_walk *walk, const char *key, size_t len)
{
	walk->at.target = TC_SLOT_NONE;
	if (len == 5 && memcmp(key, "local", 5) == 0)
		walk->at.target = TC_SLOT_ID_LOCAL;
	else if (len == 6 && memcmp(key, "global", 6) == 0)
		walk->at.target = TC_SLOT_ID_GLOBAL;
	walk->at.target_depth = 2;
}

/* Members of args and id2. */
static inline void nested_key(struct tc_walk *walk, const char *key, size_t len, const char *limit)
{
	if (walk->at.field == TC_FIELD_ARGS) {
		int arg = tc_keys_arg(walk->keys, key, len, limit);
		walk->at.target = arg >= 0 ? TC_SLOT_ARG + arg : TC_SLOT_NONE;
		walk->at.target_depth = 2;
	} else if (walk->at.field == TC_FIELD_ID2) {
		id_key(walk, key, len);
	}
}

static inline void event_key(struct tc_walk *walk, int field)
{
	walk->at.field = field;
	walk->at.member_count++;
	walk->at.target = walk->at.field < TC_FIELD_ID2 ? walk->at.field : TC_SLOT_NONE;
	walk->at.target_depth = 1;
	if (walk->at.field >= 0)
		event_meet(&walk->event, (enum tc_field)walk->at.field);
}

static RARE int container_key(struct tc_walk *walk, const char *key, size_t len)
{
	if (walk->position->level != TC_LEVEL_CONTAINER || walk->depth != 1)
		return 1;
	const struct tc_text text = {key, len};
	return member_start(&walk->member, walk->keys, text, token_end(walk)) || no_memory(walk);
}

static int on_key(void *user, const unsigned char *text, size_t len)
{
	struct tc_walk *walk = user;
	const char *key = (const char *)text;

	if (walk->position->level != TC_LEVEL_EVENT)
		return container_key(walk, key, len);
	bool plain = in_window(walk, key);
	const char *limit = plain ? walk->window->ptr + walk->window->len : key + len;
	walk->at.escapes |= !plain;
	walk->weight += (int64_t)len + 3;
	if (walk->depth == 1)
		event_key(walk, tc_keys_field(walk->keys, key, len, limit));
	else if (walk->depth == 2)
		nested_key(walk, key, len, limit);
	return 1;
}

/* The field or target that on_key() has found: it is the same for every key of that place. */
static int note_of_key(const void *user)
{
	const struct tc_walk *walk = user;

	return walk->depth == 1 ? walk->at.field : walk->at.target;
}

static int on_key_again(void *user, const char *text, size_t len, int note)
{
	struct tc_walk *walk = user;

	(void)text;
	walk->weight += (int64_t)len + 3;
	if (walk->depth == 1) {
		event_key(walk, note);
	} else if (walk->depth == 2 &&
		   (walk->at.field == TC_FIELD_ARGS || walk->at.field == TC_FIELD_ID2)) {
		walk->at.target = note;
		walk->at.target_depth = 2;
	}
	return 1;
}

static inline int open_nested(struct tc_walk *walk)
{
	if (walk->depth >= TC_JSON_MAX_DEPTH) {
		walk->stop = TC_WALK_DEEP;
		return 0;
	}
	if (walk->position->level == TC_LEVEL_EVENT && walk->at.target != TC_SLOT_NONE &&
		walk->at.target_depth == walk->depth) {
		*(walk->at.target == TC_FIELD_ARGS ? &walk->at.args_from : &walk->at.nested_from) =
			token_end(walk) - 1;
		if (walk->at.target == TC_FIELD_ARGS) {
			walk->at.target = TC_SLOT_NONE;
			walk->at.args_weight = walk->weight;
		}
	}
	walk->weight += 2;
	walk->depth++;
	return 1;
}

/* The event list starts before the end of the current token. */
static int enter_list(struct tc_walk *walk, bool in_container)
{
	tc_position_enter_list(walk->position, in_container, token_end(walk));
	walk->depth = 0;
	return 1;
}

/* The object at the top has the event list: it is a container. */
static int turn_container(struct tc_walk *walk)
{
	tc_position_enter_container(walk->position);
	if (!start_trace(walk, walk->position->hold) || !deliver_members(walk))
		return 0;
	return enter_list(walk, true);
}

static int on_start_map(void *user)
{
	struct tc_walk *walk = user;

	if (walk->position->level == TC_LEVEL_EVENT || walk->position->level == TC_LEVEL_CONTAINER)
		return open_nested(walk);
	start_event(walk);
	return 1;
}

/* A list in the list, as from a trace that was appended to one without end: its objects are
 * events as well. */
static int open_inner_list(struct tc_walk *walk)
{
	if (walk->position->list_depth >= TC_JSON_MAX_DEPTH) {
		walk->stop = TC_WALK_DEEP;
		return 0;
	}
	if (!log_element(walk))
		return 0;
	tc_position_enter_inner_list(walk->position, token_end(walk));
	return 1;
}

static int on_start_array(void *user)
{
	struct tc_walk *walk = user;

	if (walk->position->level == TC_LEVEL_LIST)
		return open_inner_list(walk);
	if (walk->position->level == TC_LEVEL_TOP) {
		if (walk->position->form == TC_FORM_UNKNOWN)
			walk->position->form = TC_FORM_ARRAY;
		return start_trace(walk, token_end(walk) - 1) && enter_list(walk, false);
	}
	if (walk->depth == 1 && walk->position->level == TC_LEVEL_EVENT &&
		walk->position->event_at_top && walk->at.field == TC_FIELD_TRACE_EVENTS)
		return turn_container(walk);
	if (walk->depth == 1 && walk->position->level == TC_LEVEL_CONTAINER && walk->member.is_list)
		return enter_list(walk, true);
	return open_nested(walk);
}

/* A nested value of the event ends: keeps it when it is asked for. */
static void close_nested(struct tc_walk *walk)
{
	if (walk->depth == 1 && walk->at.field == TC_FIELD_ARGS) {
		int64_t end = token_end(walk);
		event_set_nested(&walk->event, TC_FIELD_ARGS, walk->at.args_from, end);
		walk->event.args_compact =
			end - walk->at.args_from == walk->weight - walk->at.args_weight - 1;
	} else if (walk->at.target != TC_SLOT_NONE && walk->at.target_depth == walk->depth)
		event_set_nested(
			&walk->event, walk->at.target, walk->at.nested_from, token_end(walk));
	if (walk->depth == 1 && walk->position->event_at_top)
		walk->at.member_end = token_end(walk);
}

static int on_end_map(void *user)
{
	struct tc_walk *walk = user;

	if (walk->position->level == TC_LEVEL_EVENT) {
		if (--walk->depth == 0)
			return end_event(walk);
		close_nested(walk);
		return 1;
	}
	if (--walk->depth == 0) {
		tc_position_leave_container(walk->position, token_end(walk));
		return 1;
	}
	return plain_value(walk);
}

static int on_end_array(void *user)
{
	struct tc_walk *walk = user;

	if (walk->position->level == TC_LEVEL_LIST) {
		tc_position_leave_list(walk->position, token_end(walk));
		walk->depth = depth_at(walk->position->level);
		return 1;
	}
	walk->depth--;
	if (walk->position->level != TC_LEVEL_EVENT)
		return plain_value(walk);
	close_nested(walk);
	return 1;
}

/* Does what the tokens of the array would do. They lie too deep to be kept; only the array may be.
 */
static int on_array_again(void *user, const char *text, size_t len, int64_t weight)
{
	struct tc_walk *walk = user;
	int64_t end = token_end(walk);

	(void)text;
	walk->weight += weight;
	if (walk->at.target != TC_SLOT_NONE && walk->at.target_depth == walk->depth)
		event_set_nested(&walk->event, walk->at.target, end - (int64_t)len, end);
	return 1;
}

static int64_t weight_of(const void *user)
{
	const struct tc_walk *walk = user;

	return walk->weight;
}

static const struct tc_plain_handlers handlers = {
	.token =
		{
			.null = on_null,
			.boolean = on_bool,
			.number = on_number,
			.string = on_string,
			.start_map = on_start_map,
			.key = on_key,
			.end_map = on_end_map,
			.start_array = on_start_array,
			.end_array = on_end_array,
		},
	.note_of_key = note_of_key,
	.key_again = on_key_again,
	.weight_of = weight_of,
	.array_again = on_array_again,
};

struct tc_walk *tc_walk_new(struct tc_position *position, struct tc_delivery *delivery,
	const struct tc_keys *keys, struct tc_first_keys *first_keys)
{
	struct tc_walk *walk = tc_calloc(1, sizeof(*walk));

	if (!walk)
		return NULL;
	walk->position = position;
	walk->delivery = delivery;
	walk->keys = keys;
	walk->first_keys = first_keys;
	walk->stop = TC_WALK_BROKEN;
	walk->parser = tc_parser_new(&handlers.token, walk);
	if (!walk->parser) {
		tc_walk_free(walk);
		return NULL;
	}
	return walk;
}

void tc_walk_free(struct tc_walk *walk)
{
	if (!walk)
		return;
	tc_parser_free(walk->parser);
	tc_plain_clear(&walk->plain);
	event_clear(&walk->event);
	tc_buf_clear(&walk->member.key);
	tc_free(walk);
}

bool tc_walk_restart(struct tc_walk *walk)
{
	const struct tc_position *position = walk->position;
	const char *prime = "";

	if (position->level == TC_LEVEL_CONTAINER)
		prime = "{\"\":\"\"";
	else if (position->level == TC_LEVEL_LIST)
		prime = position->in_container ? "{\"\":[" : "[";
	walk->restart_count++;
	walk->stop = TC_WALK_BROKEN;
	walk->depth = depth_at(position->level);
	walk->fed = position->hold;
	return tc_parser_restart(walk->parser, prime) == TC_PARSER_TAKEN || no_memory(walk);
}

/* All of the window is read and an element is unfinished: is it still of a size to keep? */
static bool within_limits(struct tc_walk *walk)
{
	int64_t end = tc_window_end(walk->window), max = TC_EVENT_MAX_BYTES;

	if (walk->position->level == TC_LEVEL_CONTAINER)
		max = TC_META_MAX_BYTES + TC_CHUNK_BYTES;
	else if (walk->position->level != TC_LEVEL_EVENT)
		tc_position_skip_blanks(walk->position, walk->window);
	return end - walk->position->hold <= max;
}

/* The outcome when the window is read. */
static enum tc_walk_outcome end_of_window(struct tc_walk *walk)
{
	const struct tc_position *position = walk->position;

	/* A container cut before its list still has members worth keeping. */
	if (walk->window->at_end && position->level == TC_LEVEL_EVENT && position->event_at_top)
		return TC_WALK_BROKEN;
	return within_limits(walk) ? TC_WALK_MORE : TC_WALK_LARGE;
}

/* The parser reads a token that was cut once more from its start. So it waits until there is as
 * much more of the element as it has seen: what it reads again is then less than the element. */
static bool too_early(struct tc_walk *walk, struct tc_text rest)
{
	return (int64_t)rest.len < walk->fed - walk->position->hold && !walk->window->at_end &&
	       within_limits(walk);
}

static enum tc_walk_outcome read_on(struct tc_walk *walk)
{
	struct tc_text rest = tc_window_rest(walk->window, walk->fed);
	enum tc_parser_result result = TC_PARSER_TAKEN;

	if (too_early(walk, rest))
		return TC_WALK_MORE;
	walk->parse_base = walk->fed;
	if (rest.len > 0)
		result = walk->is_plain ? tc_plain_parse(&walk->plain, &handlers, walk, rest)
					: tc_parser_feed(walk->parser, rest.ptr, rest.len);
	if (result == TC_PARSER_TAKEN) {
		walk->fed = tc_window_end(walk->window);
		return end_of_window(walk);
	}
	if (result == TC_PARSER_NO_MEMORY)
		no_memory(walk);
	return walk->delivery->status == TC_OK ? walk->stop : TC_WALK_FAILED;
}

enum tc_walk_outcome tc_walk_feed(struct tc_walk *walk, const struct tc_window *window)
{
	walk->window = window;
	enum tc_walk_outcome outcome = read_on(walk);
	walk->window = NULL; /* it is borrowed for the call */
	return outcome;
}

void tc_walk_read_plain(struct tc_walk *walk)
{
	walk->is_plain = true;
}

void tc_walk_jump(struct tc_walk *walk, int64_t offset)
{
	walk->position->hold = offset;
	walk->fed = offset;
}

void tc_walk_follow(struct tc_walk *walk, const struct tc_window_move *move)
{
	if (walk->position->level == TC_LEVEL_EVENT)
		event_move(&walk->event, move->from, move->len, move->to);
}

struct tc_walk_facts tc_walk_facts(const struct tc_walk *walk)
{
	return (struct tc_walk_facts){walk->fed, walk->restart_count,
		walk->event.slot[TC_FIELD_PH].kind != TC_SCALAR_NONE};
}
