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

static unsigned hash_key(const char *key, size_t len)
{
	unsigned first = (unsigned char)key[0], last = (unsigned char)key[len - 1];

	return (first * 7 + last * 13 + (unsigned)len * 31) % TC_KEY_SLOTS;
}

static void fill(unsigned char *slots, const struct tc_text *names, int count)
{
	memset(slots, 0, TC_KEY_SLOTS);
	for (int i = 0; i < count; i++) {
		unsigned slot = hash_key(names[i].ptr, names[i].len);
		while (slots[slot] != 0)
			slot = (slot + 1) % TC_KEY_SLOTS;
		slots[slot] = (unsigned char)(i + 1);
	}
}

static inline int find(
	const unsigned char *slots, const struct tc_text *names, const char *key, size_t len)
{
	if (len == 0)
		return -1;
	for (unsigned slot = hash_key(key, len); slots[slot]; slot = (slot + 1) % TC_KEY_SLOTS) {
		const struct tc_text *name = &names[slots[slot] - 1];
		if (name->len == len && memcmp(name->ptr, key, len) == 0)
			return slots[slot] - 1;
	}
	return -1;
}

void tc_keys_init(struct tc_keys *keys)
{
	fill(keys->field_slots, field_names, TC_FIELD_COUNT);
	fill(keys->arg_slots, arg_names, TC_ARG_COUNT);
}

int tc_keys_field(const struct tc_keys *keys, const char *key, size_t len)
{
	return find(keys->field_slots, field_names, key, len);
}

int tc_keys_arg(const struct tc_keys *keys, const char *key, size_t len)
{
	return find(keys->arg_slots, arg_names, key, len);
}
