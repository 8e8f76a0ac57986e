/* The parts of the quick parser that need not be a part of its user; see plain.h. */

#include "decode/json/plain.h"

#include "decode/json/json_text.h"

/* Adds the text up to a value, with its key in it, at a place of the tree; the number of its node,
 * TC_KEY_OTHER when it is not kept. */
static unsigned key_tree_add(
	struct tc_key_tree *tree, uint8_t *place, struct tc_text text, struct tc_text key, int note)
{
	const struct tc_key_node *other = &tree->node[TC_KEY_OTHER];
	unsigned number = TC_KEY_OTHER + 1 + tree->count;
	int choices = 0;

	if (text.len > TC_SCAN_SAME_BYTES || number == TC_KEY_TREE_MAX || place == &other->after ||
		place == &other->inside)
		return TC_KEY_OTHER;
	for (; *place; place = &tree->node[*place].next) {
		if (++choices == TC_KEY_CHOICES)
			return TC_KEY_OTHER;
	}
	*place = (uint8_t)number;
	tree->count++;
	struct tc_key_node *node = &tree->node[number];
	memcpy(node->text, text.ptr, text.len);
	node->len = (uint8_t)text.len;
	node->key_at = (uint8_t)(key.ptr - text.ptr);
	node->key_len = (uint8_t)key.len;
	node->note = (int16_t)note;
	return number;
}

void tc_plain_clear(struct tc_plain *plain)
{
	tc_buf_clear(&plain->unescaped);
}

/* The end of the escape at a backslash, NULL when it is not plain: \u0000 and surrogates, which
 * parsers take for different things, are not. */
static const char *escape_end(const char *p, const char *end)
{
	if (end - p < 2)
		return NULL;
	if (p[1] != 'u')
		return p[1] && strchr("\"\\/bfnrt", p[1]) ? p + 2 : NULL;
	int unit = tc_json_hex4(p + 2, end);
	return unit > 0 && (unit < 0xd800 || unit > 0xdfff) ? p + 6 : NULL;
}

bool tc_plain_unescape(struct tc_plain *plain, const char *from, const char *escape)
{
	const char *p = escape;

	while (p && p < plain->end && *p == '\\') {
		p = escape_end(p, plain->end);
		if (p)
			p = tc_scan_string(p, plain->end);
	}
	if (!p || p == plain->end || *p != '"')
		return false;
	tc_buf_reset(&plain->unescaped);
	tc_json_unescape(&plain->unescaped, (struct tc_text){from, (size_t)(p - from)});
	plain->at = p + 1;
	return !tc_buf_failed(&plain->unescaped);
}

void tc_plain_keep_key(struct tc_plain *plain, struct tc_text key)
{
	const char *from = plain->value_to;
	const struct tc_text text = {from, (size_t)(plain->at - from)};
	bool stands_there = (uintptr_t)key.ptr - (uintptr_t)from < text.len;

	plain->key = TC_KEY_OTHER;
	if (stands_there)
		plain->key = key_tree_add(&plain->keys, plain->place, text, key, plain->note);
}

void tc_plain_keep_array(struct tc_plain *plain)
{
	struct tc_plain_array *array = plain->array;
	const char *text = plain->start + array->len;

	plain->array = NULL;
	array->len = (size_t)(plain->at - text);
	array->weight = plain->weight - array->weight;
	if (!memchr(text, '\\', array->len))
		array->text = text;
}

static const char *skip_digits(const char *p, const char *end)
{
	while (end - p >= TC_SCAN_BYTES) {
		int count = tc_scan_digit_count(p);
		p += count;
		if (count < TC_SCAN_BYTES)
			return p;
	}
	while (p < end && (unsigned char)(*p - '0') < 10)
		p++;
	return p;
}

/* The end of the digits at p, NULL when there are none. */
static const char *some_digits(const char *p, const char *end)
{
	const char *to = skip_digits(p, end);

	return to > p ? to : NULL;
}

const char *tc_plain_number_end(const char *p, const char *end)
{
	if (p < end && *p == '-')
		p++;
	p = p < end && *p == '0' ? p + 1 : some_digits(p, end);
	if (p && p < end && *p == '.')
		p = some_digits(p + 1, end);
	if (p && p < end && (*p == 'e' || *p == 'E')) {
		p++;
		if (p < end && (*p == '+' || *p == '-'))
			p++;
		p = some_digits(p, end);
	}
	return p;
}
