/*
 * The end of an event: of what the walk has kept it makes the raw event. Times go from their text
 * straight to nanoseconds, integers are recognised in whatever form they are written, and nested
 * values (args, and members of it that the model reads) become JSON without blanks. Nearly always
 * args has none and is referred to where it stands.
 */
#include "decode/event.h"

#include "core/array.h"
#include "core/text/decimal.h"
#include "decode/json/json_text.h"

_Static_assert((int)TC_SLOT_COUNT <= 64, "used has a bit for each slot");

_Static_assert((int)TC_ARG_COUNT <= 32, "arg_set has a bit for each");

_Static_assert((int)TC_SLOT_COUNT <= (int)TC_NESTED_MAX, "one nested value per slot");

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
		if (kept->kind == TC_SCALAR_JSON && tc_slot_of_args(part->slot))
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

/* The members that few events have. */
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
