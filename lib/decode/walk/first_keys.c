/* Keys that events start with; see first_keys.h. */
#include "decode/walk/first_keys.h"

#include "core/array.h"
#include "decode/json/json_text.h"

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
