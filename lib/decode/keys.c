/* Key tables; see keys.h. */
#include "decode/keys.h"

/* TC_TEXT as a constant initialiser. */
#define NAME(literal)                                                                              \
	{                                                                                          \
		(literal), sizeof(literal) - 1                                                     \
	}

static const struct tc_text field_names[TC_FIELD_COUNT] = {
	[TC_FIELD_PH] = NAME("ph"),
	[TC_FIELD_TS] = NAME("ts"),
	[TC_FIELD_DUR] = NAME("dur"),
	[TC_FIELD_PID] = NAME("pid"),
	[TC_FIELD_TID] = NAME("tid"),
	[TC_FIELD_NAME] = NAME("name"),
	[TC_FIELD_CAT] = NAME("cat"),
	[TC_FIELD_ARGS] = NAME("args"),
	[TC_FIELD_ID] = NAME("id"),
	[TC_FIELD_BIND_ID] = NAME("bind_id"),
	[TC_FIELD_FLOW_IN] = NAME("flow_in"),
	[TC_FIELD_FLOW_OUT] = NAME("flow_out"),
	[TC_FIELD_BP] = NAME("bp"),
	[TC_FIELD_S] = NAME("s"),
	[TC_FIELD_ID2] = NAME("id2"),
	[TC_FIELD_TRACE_EVENTS] = NAME("traceEvents"),
};

static const struct tc_text arg_names[TC_ARG_COUNT] = {
#define TC_ARG(id, key) [TC_ARG_##id] = NAME(key),
#include "decode/args.def"
#undef TC_ARG
};

#define TC_ARG(id, key) _Static_assert(sizeof(key) - 1 <= TC_KEY_BYTES_MAX, key);
#include "decode/args.def"
#undef TC_ARG

static void fill(struct tc_key_slot *slots, const struct tc_text *names, int count)
{
	for (int i = 0; i < TC_KEY_SLOTS; i++)
		slots[i] = (struct tc_key_slot){.number = -1};
	for (int i = 0; i < count; i++) {
		const char *key = names[i].ptr;
		size_t len = names[i].len;
		uint64_t head = tc_key_head(key, len, key + len);
		unsigned slot = tc_key_hash(head, len);
		while (slots[slot].len != 0)
			slot = (slot + 1) % TC_KEY_SLOTS;
		slots[slot] = (struct tc_key_slot){head, tc_key_tail(key, len), (unsigned)len, i};
	}
}

_Static_assert((int)TC_ARG_COUNT < TC_KEY_SLOTS / 2, "the tables stay sparse");

struct tc_text tc_keys_field_name(enum tc_field field)
{
	return field_names[field];
}

void tc_keys_init(struct tc_keys *keys)
{
	fill(keys->fields, field_names, TC_FIELD_COUNT);
	fill(keys->args, arg_names, TC_ARG_COUNT);
}
