#include "decode/walk/state.h"

#include "core/array.h"
#include "core/text/decimal.h"
#include "core/text/utf8.h"
#include "decode/json/json_text.h"

void tc_member_clear(struct tc_member *member)
{
	tc_buf_clear(&member->key);
}

bool tc_member_start(
	struct tc_member *member, const struct tc_keys *keys, struct tc_text key, int64_t offset)
{
	tc_buf_reset(&member->key);
	tc_buf_append_text(&member->key, key);
	member->is_list =
		tc_keys_field(keys, key.ptr, key.len, key.ptr + key.len) == TC_FIELD_TRACE_EVENTS;
	member->value_from = offset;
	return !tc_buf_failed(&member->key);
}

bool tc_member_end(struct tc_member *member, struct tc_delivery *delivery,
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

bool tc_member_deliver_all(struct tc_member *member, struct tc_delivery *delivery,
	struct tc_text object, int64_t offset)
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

void tc_event_clear(struct tc_event_builder *builder)
{
	tc_buf_clear(&builder->copies);
	tc_buf_clear(&builder->compact);
}

void tc_event_reset(struct tc_event_builder *builder)
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

static bool of_args(int slot)
{
	return slot >= TC_SLOT_ARG || slot == TC_FIELD_ARGS;
}

/* Forgets what a former args said, for the second of two. */
static void drop_args(struct tc_event_builder *builder)
{
	int kept = 0;

	for (int slot = 0; slot < TC_SLOT_COUNT; slot++) {
		if (!of_args(slot))
			continue;
		builder->slot[slot].kind = TC_SCALAR_NONE;
		builder->used &= ~(UINT64_C(1) << slot);
	}
	for (int i = 0; i < builder->nested_count; i++) {
		if (!of_args(builder->nested[i].slot))
			builder->nested[kept++] = builder->nested[i];
	}
	builder->nested_count = kept;
}

void tc_event_meet_again(struct tc_event_builder *builder, enum tc_field field)
{
	builder->doubled_count++;
	builder->doubled = field;
	if (field == TC_FIELD_ARGS)
		drop_args(builder);
}

void tc_event_set_nested(struct tc_event_builder *builder, int slot, int64_t from, int64_t to)
{
	int kept = 0;

	tc_event_set(builder, slot, TC_SCALAR_JSON, TC_TEXT_NONE);
	/* At most one per slot stays, so the table cannot overflow. */
	for (int i = 0; i < builder->nested_count; i++) {
		if (builder->nested[i].slot != slot)
			builder->nested[kept++] = builder->nested[i];
	}
	builder->nested[kept] = (struct tc_nested){slot, from, to};
	builder->nested_count = kept + 1;
	builder->others_nest |= !of_args(slot);
}

_Static_assert((int)TC_SLOT_COUNT <= 64, "used has a bit for each slot");

_Static_assert((int)TC_ARG_COUNT <= 32, "arg_set has a bit for each");

_Static_assert((int)TC_SLOT_COUNT <= (int)TC_NESTED_MAX, "one nested value per slot");

void tc_event_move(struct tc_event_builder *builder, const char *old, size_t len, const char *fresh)
{
	uintptr_t from = (uintptr_t)old;

	for (uint64_t left = builder->used; left; left &= left - 1) {
		struct tc_text *text = &builder->slot[__builtin_ctzll(left)].text;
		uintptr_t at = (uintptr_t)text->ptr;
		if (text->ptr && at >= from && at - from < len)
			text->ptr = fresh + (at - from);
	}
}

struct tc_text tc_event_copy(struct tc_event_builder *builder, struct tc_text text)
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
		tc_event_move(builder, old_ptr, old_len, copies->ptr);
	if (copies->len == old_len)
		return TC_TEXT("");
	return (struct tc_text){copies->ptr + old_len, copies->len - old_len};
}

static enum tc_time_state finish_time(int64_t *out_ns, const struct tc_kept *kept)
{
	switch (kept->kind) {
	case TC_SCALAR_NONE:
	case TC_SCALAR_NULL: *out_ns = 0; return TC_TIME_ABSENT;
	case TC_SCALAR_NUMBER:
	case TC_SCALAR_TEXT:
		if (tc_decimal_us_to_ns(out_ns, kept->text))
			return TC_TIME_OK;
		break;
	default: break;
	}
	*out_ns = 0;
	return TC_TIME_BAD;
}

/* A scalar as the event shows it: integers recognised. */
static void finish_scalar(struct tc_scalar *scalar, const struct tc_kept *kept)
{
	scalar->kind = kept->kind;
	scalar->i64 = 0;
	scalar->text = TC_TEXT_NONE;
	switch (kept->kind) {
	case TC_SCALAR_NONE:
	case TC_SCALAR_NULL: break;
	case TC_SCALAR_BOOL: scalar->i64 = kept->text.ptr[0] == 't'; break;
	case TC_SCALAR_NUMBER:
		if (tc_decimal_whole(&scalar->i64, kept->text))
			scalar->kind = TC_SCALAR_INT;
		else
			scalar->text = kept->text;
		break;
	default: scalar->text = kept->text;
	}
}

/* Name and category also take a number, as its text. */
static struct tc_text finish_text(const struct tc_kept *kept)
{
	if (kept->kind == TC_SCALAR_TEXT || kept->kind == TC_SCALAR_NUMBER)
		return kept->text;
	return TC_TEXT_NONE;
}

/* flow_in and flow_out: true, a number but 0, a text but "", "0" and "false". */
static bool finish_flag(const struct tc_kept *kept)
{
	double number;

	switch (kept->kind) {
	case TC_SCALAR_BOOL: return kept->text.ptr[0] == 't';
	case TC_SCALAR_NUMBER: return !tc_decimal_double(&number, kept->text) || number != 0;
	case TC_SCALAR_TEXT:
		return kept->text.len > 0 && !tc_text_equal(kept->text, TC_TEXT("0")) &&
		       !tc_text_equal(kept->text, TC_TEXT("false"));
	default: return false;
	}
}

static void finish_id(struct tc_event_builder *builder)
{
	struct tc_raw_event *event = &builder->event;
	static const struct {
		int slot;
		enum tc_id_scope scope;
	} order[] = {
		{TC_SLOT_ID_GLOBAL, TC_ID_GLOBAL},
		{TC_SLOT_ID_LOCAL, TC_ID_LOCAL},
		{TC_FIELD_ID, TC_ID_PLAIN},
	};

	event->id = (struct tc_scalar){0};
	event->id_scope = TC_ID_NONE;
	for (size_t i = 0; i < TC_COUNT_OF(order); i++) {
		const struct tc_kept *kept = &builder->slot[order[i].slot];
		if (kept->kind == TC_SCALAR_NONE || kept->kind == TC_SCALAR_NULL)
			continue;
		finish_scalar(&event->id, kept);
		event->id_scope = order[i].scope;
		return;
	}
}

/* Appends the compact form of [from, to) of the input; there is room. */
static struct tc_text append_compact(
	struct tc_buf *out, struct tc_text raw, int64_t raw_offset, int64_t from, int64_t to)
{
	char *start = out->ptr + out->len;
	struct tc_text json = {raw.ptr + (from - raw_offset), (size_t)(to - from)};
	char *end = tc_json_compact_to(start, json);

	out->len = (size_t)(end - out->ptr);
	return (struct tc_text){start, (size_t)(end - start)};
}

/* Args without blanks are referred to where they stand, and so are members of it. */
static void slice_args(struct tc_event_builder *builder, struct tc_text raw, int64_t raw_offset)
{
	for (int i = 0; i < builder->nested_count; i++) {
		const struct tc_nested *part = &builder->nested[i];
		struct tc_kept *kept = &builder->slot[part->slot];
		if (kept->kind == TC_SCALAR_JSON && of_args(part->slot))
			kept->text = (struct tc_text){raw.ptr + (part->from - raw_offset),
				(size_t)(part->to - part->from)};
	}
	builder->event.args = builder->slot[TC_FIELD_ARGS].text;
}

/* The args member as text; members of it that are nested are slices of that text. */
static void compact_args(struct tc_event_builder *builder, const struct tc_nested *args,
	struct tc_text raw, int64_t raw_offset)
{
	struct tc_buf *out = &builder->compact;
	int64_t at = args->from;

	if (builder->args_compact) {
		slice_args(builder, raw, raw_offset);
		return;
	}
	const char *start = out->ptr + out->len;
	for (const struct tc_nested *part = builder->nested; part < args; part++) {
		struct tc_kept *kept = &builder->slot[part->slot];
		if (part->slot < TC_SLOT_ARG || kept->kind != TC_SCALAR_JSON)
			continue;
		append_compact(out, raw, raw_offset, at, part->from);
		kept->text = append_compact(out, raw, raw_offset, part->from, part->to);
		at = part->to;
	}
	append_compact(out, raw, raw_offset, at, args->to);
	struct tc_text text = {start, (size_t)(out->ptr + out->len - start)};
	builder->event.args = text.len > 2 ? text : TC_TEXT_NONE;
}

/* Makes the JSON of all nested values. */
static bool finish_nested(struct tc_event_builder *builder, struct tc_text raw, int64_t raw_offset)
{
	struct tc_buf *out = &builder->compact;
	const struct tc_kept *args = &builder->slot[TC_FIELD_ARGS];
	size_t string_len = 0;

	builder->event.args = TC_TEXT_NONE;
	if (builder->nested_count == 0 && args->kind != TC_SCALAR_TEXT)
		return true;
	/* Nearly always: args ended last of what is nested. */
	if (args->kind == TC_SCALAR_JSON && builder->args_compact && !builder->others_nest) {
		slice_args(builder, raw, raw_offset);
		return true;
	}
	if (args->kind == TC_SCALAR_TEXT && args->text.len > 0) {
		tc_json_append_string(out, args->text);
		string_len = out->len;
	}
	/* The compact form is never longer than raw: make that room, so that nothing moves
	 * later. */
	if (builder->nested_count > 0)
		tc_buf_extend(out, raw.len);
	if (tc_buf_failed(out))
		return false;
	if (string_len > 0)
		builder->event.args = (struct tc_text){out->ptr, string_len};
	out->len = string_len;
	for (int i = 0; i < builder->nested_count; i++) {
		const struct tc_nested *nested = &builder->nested[i];
		struct tc_kept *kept = &builder->slot[nested->slot];
		if (kept->kind != TC_SCALAR_JSON || nested->slot >= TC_SLOT_ARG)
			continue;
		if (nested->slot == TC_FIELD_ARGS)
			compact_args(builder, nested, raw, raw_offset);
		else
			kept->text = append_compact(out, raw, raw_offset, nested->from, nested->to);
	}
	return true;
}

#define SLOT_BIT(slot) (UINT64_C(1) << (slot))

/* What few events have. */
static const uint64_t rare_slots = SLOT_BIT(TC_FIELD_ID) | SLOT_BIT(TC_SLOT_ID_LOCAL) |
				   SLOT_BIT(TC_SLOT_ID_GLOBAL) | SLOT_BIT(TC_FIELD_BIND_ID) |
				   SLOT_BIT(TC_FIELD_FLOW_IN) | SLOT_BIT(TC_FIELD_FLOW_OUT) |
				   SLOT_BIT(TC_FIELD_BP) | SLOT_BIT(TC_FIELD_S);

static void finish_rare(struct tc_event_builder *builder)
{
	struct tc_raw_event *event = &builder->event;
	const struct tc_kept *slot = builder->slot;
	bool used = builder->used & rare_slots;

	if (!used && !builder->rare_shown)
		return;
	builder->rare_shown = used;
	finish_scalar(&event->bind_id, &slot[TC_FIELD_BIND_ID]);
	finish_id(builder);
	event->flow_in = finish_flag(&slot[TC_FIELD_FLOW_IN]);
	event->flow_out = finish_flag(&slot[TC_FIELD_FLOW_OUT]);
	event->bp = finish_text(&slot[TC_FIELD_BP]);
	event->scope = finish_text(&slot[TC_FIELD_S]);
}

bool tc_event_finish(struct tc_event_builder *builder, struct tc_text raw, int64_t raw_offset)
{
	struct tc_raw_event *event = &builder->event;
	const struct tc_kept *slot = builder->slot;

	if (!finish_nested(builder, raw, raw_offset))
		return false;
	const struct tc_kept *ph = &slot[TC_FIELD_PH];
	event->ph = ph->kind == TC_SCALAR_TEXT && ph->text.len > 0 ? ph->text.ptr[0] : 0;
	event->ts_state = finish_time(&event->ts_ns, &slot[TC_FIELD_TS]);
	event->dur_state = finish_time(&event->dur_ns, &slot[TC_FIELD_DUR]);
	finish_scalar(&event->pid, &slot[TC_FIELD_PID]);
	finish_scalar(&event->tid, &slot[TC_FIELD_TID]);
	event->name = finish_text(&slot[TC_FIELD_NAME]);
	event->cat = finish_text(&slot[TC_FIELD_CAT]);
	finish_rare(builder);
	event->arg_set = (uint32_t)(builder->used >> TC_SLOT_ARG);
	for (uint32_t left = event->arg_set; left; left &= left - 1) {
		int arg = __builtin_ctz(left);
		finish_scalar(&event->arg[arg], &slot[TC_SLOT_ARG + arg]);
	}
	event->byte_offset = raw_offset;
	event->raw = raw;
	return true;
}
