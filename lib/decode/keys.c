/* The tables of known keys, and the keys that events start with. */
#include "decode/keys.h"

#include "core/array.h"
#include "decode/json/json_text.h"

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

/* Keys that some producer starts its events with. */
static const struct tc_text usual[] = {
	{"ph", 2},
	{"name", 4},
	{"pid", 3},
	{"tid", 3},
	{"ts", 2},
	{"cat", 3},
	{"args", 4},
	{"id", 2},
	{"dur", 3},
	{"s", 1},
};

static int find(const struct tc_first_keys *keys, struct tc_text key)
{
	for (int i = 0; i < keys->count; i++) {
		if (tc_text_equal(key, (struct tc_text){keys->bytes[i], keys->len[i]}))
			return i;
	}
	return -1;
}

static bool known(const struct tc_first_keys *keys, struct tc_text key)
{
	for (size_t i = 0; i < TC_COUNT_OF(usual); i++) {
		if (tc_text_equal(key, usual[i]))
			return true;
	}
	return find(keys, key) >= 0;
}

static void add(struct tc_first_keys *keys, struct tc_text key)
{
	if (keys->count == TC_FIRST_KEYS_MAX || key.len > TC_FIRST_KEY_BYTES || key.len == 0 ||
		find(keys, key) >= 0)
		return;
	memcpy(keys->bytes[keys->count], key.ptr, key.len);
	keys->len[keys->count++] = key.len;
}

/* Does the event start with the key that was met first? Nearly always it does. */
static bool starts_as_first(const struct tc_first_keys *keys, struct tc_text raw)
{
	const char *p = raw.ptr + 1, *end = raw.ptr + raw.len;
	size_t len = keys->len[0];

	p = tc_json_skip_blanks(p, end);
	return keys->count > 0 && (size_t)(end - p) > len + 1 && *p == '"' && p[1 + len] == '"' &&
	       memcmp(p + 1, keys->bytes[0], len) == 0;
}

void tc_first_keys_learn(struct tc_first_keys *keys, struct tc_text raw)
{
	struct tc_json_iter iter;
	struct tc_json_member member;

	if (starts_as_first(keys, raw))
		return;
	tc_json_iter_init(&iter, raw);
	if (tc_json_iter_next(&iter, &member))
		add(keys, member.key);
}

void tc_first_keys_join(struct tc_first_keys *keys, const struct tc_first_keys *others)
{
	for (int i = 0; i < others->count; i++)
		add(keys, (struct tc_text){others->bytes[i], others->len[i]});
}

int tc_first_keys_read(struct tc_text *key, const char *p, const char *end)
{
	if (p == end)
		return -1;
	if (*p != '"')
		return 0;
	const char *quote = ++p;
	while (quote < end && *quote != '"' && quote - p <= TC_FIRST_KEY_BYTES)
		quote++;
	if (quote == end)
		return -1;
	*key = (struct tc_text){p, (size_t)(quote - p)};
	if (*quote != '"')
		return 0;
	p = tc_json_skip_blanks(quote + 1, end);
	if (p == end)
		return -1;
	return *p == ':';
}

int tc_first_keys_open(const struct tc_first_keys *keys, const char *p, const char *end)
{
	struct tc_text key;
	int found = *p == '{' ? tc_first_keys_read(&key, tc_json_skip_blanks(p + 1, end), end) : 0;

	return found == 1 ? known(keys, key) : found;
}
