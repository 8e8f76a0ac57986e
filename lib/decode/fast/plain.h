/*
 * A quick parser of plain JSON: elements of a list, each with a comma behind it, in one piece. It
 * calls the handlers of json/parser.h with the same texts as yajl, which stays the judge: text that
 * is not plain (a fault of any kind, but also deep nesting and rare escapes) is refused and left to
 * yajl. So a mistake here may cost time, and must never let through what yajl refuses.
 *
 * Events repeat themselves, so keys in their order and arrays are compared with those that came
 * before, and are not read again when they are equal. In
 *
 *   {"ph":"X","args":{"stream":7,"grid":[1,2,3]}},{"ph":"X","args":{"stream":9,"grid":[1,2,3]}},
 *
 * the second event costs one comparison for each of {"ph":  ,"args":  {"stream":  ,"grid":  and
 * [1,2,3], and only "X" and 9 are scanned.
 *
 * It is a header so that handlers that are known where it is used become a part of it.
 */
#pragma once

#include "core/buf.h"
#include "core/text.h"
#include "decode/json/json_text.h"
#include "decode/json/parser.h"
#include "decode/json/scan.h"

/*
 * Keys as they came before: events of a trace have the same keys in the same order, with the same
 * blanks. A node of the tree is the text from the end of a value to the start of the next one, with
 * comma, blanks, key and colon, so that one comparison reads them all. A key that is not in the
 * tree is read token by token, and then put into it. Nodes hang on the key before, or on the key
 * whose value is the map around them, so a node stands for one depth.
 */

enum {
	TC_KEY_ROOT = 0,  /* no key: elements of the list are its value */
	TC_KEY_OTHER = 1, /* a key that is not kept, or that of an array; nothing follows it */
	TC_KEY_TREE_MAX = 160,
	TC_KEY_CHOICES = 6, /* at one place */
};

struct tc_key_node {
	char text[TC_SCAN_SAME_BYTES];
	uint8_t len, key_at, key_len;
	int16_t note; /* of the user: what note_of_key() said of the key */
	/* The first of the keys at a place, 0 when there is none. */
	uint8_t after;  /* behind the value of this key */
	uint8_t inside; /* at the start of a map that is its value */
	uint8_t next;   /* the next key at the same place */
};

_Static_assert(TC_KEY_TREE_MAX <= UINT8_MAX, "nodes have small numbers");

struct tc_key_tree {
	struct tc_key_node node[TC_KEY_TREE_MAX];
	unsigned count; /* of keys */
};

/* The key of those at a place that the text at p has, 0 when it has none. As many bytes as a node
 * has can be read. */
static inline unsigned tc_key_tree_find(
	const struct tc_key_tree *tree, unsigned first, const char *p)
{
	unsigned at = first;

	while (at && !tc_scan_same(p, tree->node[at].text, tree->node[at].len))
		at = tree->node[at].next;
	return at;
}

/* For what runs with every token, and for what does not. */
#define TC_PLAIN_INLINE static inline __attribute__((always_inline))
#define TC_PLAIN_RARE static __attribute__((noinline))

enum { TC_PLAIN_MAX_DEPTH = 63 };

/* An array that stood in the map of a map, without backslashes: the next one that starts with the
 * same bytes is equal most of the time. */
struct tc_plain_array {
	const char *text; /* from its bracket on; NULL when the entry is free */
	size_t len;       /* where it starts while it is open */
	int64_t weight; /* what its tokens have added to it; the weight before them while it is open
			 */
};

/* The handlers of tokens, and those for repetitions. */
struct tc_plain_handlers {
	struct tc_parser_handlers token;
	/* A number that stands for what key() has found out about the key. */
	int (*note_of_key)(const void *user);
	/* In place of key(), for a key at the same place among the others as one before, with its
	 * note. */
	int (*key_again)(void *user, const char *text, size_t len, int note);
	/* A sum to which each token adds what depends on its text alone. */
	int64_t (*weight_of)(const void *user);
	/* In place of the tokens of an array that has been met before as the value of a key in a
	 * map in a map: its text, and what its tokens have added to the weight. */
	int (*array_again)(void *user, const char *text, size_t len, int64_t weight);
};

enum { TC_PLAIN_ARRAYS = 64 };

struct tc_plain {
	const char *start, *at, *end;
	uint64_t maps; /* a bit for each open bracket, the innermost lowest: 1 for {, 0 for [ */
	int depth;
	struct tc_buf unescaped; /* the string of the current token, when it has escapes */
	struct tc_key_tree keys;
	unsigned key;                      /* the latest one: node of keys */
	uint8_t *place;                    /* where keys has the next one */
	const char *value_to;              /* the end of what is before the next key */
	uint8_t outer[TC_PLAIN_MAX_DEPTH]; /* the key that was latest when a bracket opened */
	struct tc_plain_array arrays[TC_PLAIN_ARRAYS];
	struct tc_plain_array *array; /* the one that is open, to be kept */
};

/* The next token that the parser expects, or how it ended. */
enum tc_plain_next {
	TC_PLAIN_VALUE,
	TC_PLAIN_KEY,
	TC_PLAIN_AFTER, /* a comma or the end of a list or map */
	TC_PLAIN_DONE,
	TC_PLAIN_BROKEN,
	TC_PLAIN_STOPPED,
};

/* Frees what it holds. */
TC_PLAIN_INLINE void tc_plain_clear(struct tc_plain *plain)
{
	tc_buf_clear(&plain->unescaped);
}

/* How much was used, the current token included: as tc_parser_used(). */
static inline size_t tc_plain_used(const struct tc_plain *plain)
{
	return (size_t)(plain->at - plain->start);
}

/* The end of the escape at a backslash; NULL for one that is not plain, such as \u0000 and
 * surrogates, which parsers take for different things. */
TC_PLAIN_RARE const char *tc_plain_escape_end(const char *p, const char *end)
{
	if (end - p < 2)
		return NULL;
	if (p[1] != 'u')
		return p[1] && strchr("\"\\/bfnrt", p[1]) ? p + 2 : NULL;
	int unit = tc_json_hex4(p + 2, end);
	return unit > 0 && (unit < 0xd800 || unit > 0xdfff) ? p + 6 : NULL;
}

/* The string whose first backslash is at escape; its first byte is at from. Moves on behind the
 * closing quote. False when it is not plain, or memory is out. */
TC_PLAIN_RARE bool tc_plain_unescape(struct tc_plain *plain, const char *from, const char *escape)
{
	const char *p = escape;

	while (p && p < plain->end && *p == '\\') {
		p = tc_plain_escape_end(p, plain->end);
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

TC_PLAIN_RARE const char *tc_plain_skip_digits(const char *p, const char *end)
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
TC_PLAIN_RARE const char *tc_plain_some_digits(const char *p, const char *end)
{
	const char *to = tc_plain_skip_digits(p, end);

	return to > p ? to : NULL;
}

/* The end of the number at p, NULL when it is none. */
TC_PLAIN_RARE const char *tc_plain_number_end(const char *p, const char *end)
{
	if (p < end && *p == '-')
		p++;
	p = p < end && *p == '0' ? p + 1 : tc_plain_some_digits(p, end);
	if (p && p < end && *p == '.')
		p = tc_plain_some_digits(p + 1, end);
	if (p && p < end && (*p == 'e' || *p == 'E')) {
		p++;
		if (p < end && (*p == '+' || *p == '-'))
			p++;
		p = tc_plain_some_digits(p, end);
	}
	return p;
}

/* The string at a quote; moves on behind the closing one. */
TC_PLAIN_INLINE bool tc_plain_string(struct tc_plain *plain, struct tc_text *out)
{
	const char *from = plain->at + 1, *to = tc_scan_string(from, plain->end);

	if (to < plain->end && *to == '"') {
		*out = (struct tc_text){from, (size_t)(to - from)};
		plain->at = to + 1;
		return true;
	}
	if (to == plain->end || *to != '\\' || !tc_plain_unescape(plain, from, to))
		return false;
	*out = tc_buf_text(&plain->unescaped);
	return true;
}

TC_PLAIN_INLINE enum tc_plain_next tc_plain_after(bool good)
{
	return good ? TC_PLAIN_AFTER : TC_PLAIN_STOPPED;
}

/* Keeps the array that has just been closed. */
TC_PLAIN_RARE void tc_plain_keep_array(struct tc_plain *plain, int64_t weight)
{
	struct tc_plain_array *array = plain->array;
	const char *text = plain->start + array->len;

	plain->array = NULL;
	array->len = (size_t)(plain->at - text);
	array->weight = weight - array->weight;
	if (!memchr(text, '\\', array->len))
		array->text = text;
}

TC_PLAIN_INLINE enum tc_plain_next tc_plain_close(
	struct tc_plain *plain, const struct tc_plain_handlers *handlers, void *user)
{
	bool is_map = plain->maps & 1;

	plain->at++;
	plain->maps >>= 1;
	plain->key = plain->outer[--plain->depth];
	bool good = is_map ? handlers->token.end_map(user) : handlers->token.end_array(user);
	if (plain->depth == 2 && plain->array)
		tc_plain_keep_array(plain, handlers->weight_of(user));
	return tc_plain_after(good);
}

/* In a map: does a key of this place stand here, with all up to its value? It becomes the latest
 * one then. */
TC_PLAIN_INLINE bool tc_plain_known_key(struct tc_plain *plain, uint8_t *place)
{
	unsigned key = 0;

	plain->value_to = plain->at;
	plain->place = place;
	if (plain->end - plain->at >= TC_SCAN_SAME_BYTES)
		key = tc_key_tree_find(&plain->keys, *place, plain->at);
	if (key)
		plain->key = key;
	return key > 0;
}

TC_PLAIN_INLINE enum tc_plain_next tc_plain_meet_key(
	struct tc_plain *plain, const struct tc_plain_handlers *handlers, void *user)
{
	const struct tc_key_node *node = &plain->keys.node[plain->key];
	const char *from = plain->at, *text = from + node->key_at;

	plain->at = text + node->key_len + 1;
	if (!handlers->key_again(user, text, node->key_len, node->note))
		return TC_PLAIN_STOPPED;
	plain->at = from + node->len;
	return TC_PLAIN_VALUE;
}

TC_PLAIN_INLINE enum tc_plain_next tc_plain_open(
	struct tc_plain *plain, const struct tc_plain_handlers *handlers, void *user, bool is_map)
{
	if (plain->depth == TC_PLAIN_MAX_DEPTH)
		return TC_PLAIN_BROKEN;
	plain->at++;
	if (!(is_map ? handlers->token.start_map(user) : handlers->token.start_array(user)))
		return TC_PLAIN_STOPPED;
	plain->maps = plain->maps << 1 | is_map;
	plain->outer[plain->depth++] = (uint8_t)plain->key;
	if (!is_map)
		plain->key = TC_KEY_OTHER;
	if (is_map && tc_plain_known_key(plain, &plain->keys.node[plain->key].inside))
		return tc_plain_meet_key(plain, handlers, user);
	plain->at = tc_json_skip_blanks(plain->at, plain->end);
	if (plain->at < plain->end && *plain->at == (is_map ? '}' : ']'))
		return tc_plain_close(plain, handlers, user);
	return is_map ? TC_PLAIN_KEY : TC_PLAIN_VALUE;
}

TC_PLAIN_INLINE bool tc_plain_word(struct tc_plain *plain, const char *word, size_t len)
{
	if ((size_t)(plain->end - plain->at) < len || memcmp(plain->at, word, len) != 0)
		return false;
	plain->at += len;
	return true;
}

TC_PLAIN_INLINE enum tc_plain_next tc_plain_text(
	struct tc_plain *plain, const struct tc_plain_handlers *handlers, void *user)
{
	struct tc_text text;

	if (!tc_plain_string(plain, &text))
		return TC_PLAIN_BROKEN;
	return tc_plain_after(
		handlers->token.string(user, (const unsigned char *)text.ptr, text.len));
}

TC_PLAIN_INLINE enum tc_plain_next tc_plain_number(
	struct tc_plain *plain, const struct tc_plain_handlers *handlers, void *user)
{
	const char *from = plain->at, *to = tc_plain_number_end(from, plain->end);

	if (!to || to == plain->end) /* it may go on */
		return TC_PLAIN_BROKEN;
	plain->at = to;
	return tc_plain_after(handlers->token.number(user, from, (size_t)(to - from)));
}

/* Where an array that starts with these bytes is kept. */
TC_PLAIN_INLINE struct tc_plain_array *tc_plain_array_slot(struct tc_plain *plain)
{
	uint64_t head[2];

	memcpy(head, plain->at, sizeof(head));
	uint64_t hash =
		head[0] * UINT64_C(0x9e3779b97f4a7c15) ^ head[1] * UINT64_C(0xc2b2ae3d27d4eb4f);
	return &plain->arrays[hash >> 58];
}

/* An array: known as a whole, or opened. */
TC_PLAIN_INLINE enum tc_plain_next tc_plain_array(
	struct tc_plain *plain, const struct tc_plain_handlers *handlers, void *user)
{
	const char *from = plain->at;

	if (plain->depth != 2 || plain->maps != 3 || plain->end - from < 16)
		return tc_plain_open(plain, handlers, user, false);
	struct tc_plain_array *array = tc_plain_array_slot(plain);
	if (array->text && (size_t)(plain->end - from) >= array->len &&
		memcmp(array->text, from, array->len) == 0) {
		plain->at += array->len;
		return tc_plain_after(handlers->array_again(user, from, array->len, array->weight));
	}
	*array = (struct tc_plain_array){
		NULL, (size_t)(from - plain->start), handlers->weight_of(user)};
	plain->array = array;
	return tc_plain_open(plain, handlers, user, false);
}

TC_PLAIN_INLINE enum tc_plain_next tc_plain_value(
	struct tc_plain *plain, const struct tc_plain_handlers *handlers, void *user)
{
	plain->at = tc_json_skip_blanks(plain->at, plain->end);
	if (plain->at == plain->end)
		return plain->depth == 0 ? TC_PLAIN_DONE : TC_PLAIN_BROKEN;
	switch (*plain->at) {
	case '"': return tc_plain_text(plain, handlers, user);
	case '{': return tc_plain_open(plain, handlers, user, true);
	case '[': return tc_plain_array(plain, handlers, user);
	case 't':
		return tc_plain_word(plain, "true", 4)
			       ? tc_plain_after(handlers->token.boolean(user, 1))
			       : TC_PLAIN_BROKEN;
	case 'f':
		return tc_plain_word(plain, "false", 5)
			       ? tc_plain_after(handlers->token.boolean(user, 0))
			       : TC_PLAIN_BROKEN;
	case 'n':
		return tc_plain_word(plain, "null", 4) ? tc_plain_after(handlers->token.null(user))
						       : TC_PLAIN_BROKEN;
	default: return tc_plain_number(plain, handlers, user);
	}
}

/* Adds the text up to a value, with its key in it, at a place of the tree; the number of its node,
 * TC_KEY_OTHER when it is not kept. */
TC_PLAIN_RARE unsigned tc_key_tree_add(
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

/* Keeps the key whose value follows. */
TC_PLAIN_RARE void tc_plain_keep_key(struct tc_plain *plain, struct tc_text key, int note)
{
	const char *from = plain->value_to;
	const struct tc_text text = {from, (size_t)(plain->at - from)};
	bool stands_there = (uintptr_t)key.ptr - (uintptr_t)from < text.len;

	plain->key = TC_KEY_OTHER;
	if (stands_there)
		plain->key = tc_key_tree_add(&plain->keys, plain->place, text, key, note);
}

TC_PLAIN_INLINE enum tc_plain_next tc_plain_key(
	struct tc_plain *plain, const struct tc_plain_handlers *handlers, void *user)
{
	struct tc_text text;

	plain->at = tc_json_skip_blanks(plain->at, plain->end);
	if (plain->at == plain->end || *plain->at != '"' || !tc_plain_string(plain, &text))
		return TC_PLAIN_BROKEN;
	if (!handlers->token.key(user, (const unsigned char *)text.ptr, text.len))
		return TC_PLAIN_STOPPED;
	plain->at = tc_json_skip_blanks(plain->at, plain->end);
	if (plain->at == plain->end || *plain->at != ':')
		return TC_PLAIN_BROKEN;
	plain->at = tc_json_skip_blanks(plain->at + 1, plain->end);
	tc_plain_keep_key(plain, text, handlers->note_of_key(user));
	return TC_PLAIN_VALUE;
}

TC_PLAIN_INLINE enum tc_plain_next tc_plain_go_on(
	struct tc_plain *plain, const struct tc_plain_handlers *handlers, void *user)
{
	bool in_map = plain->maps & 1;

	if (in_map && tc_plain_known_key(plain, &plain->keys.node[plain->key].after))
		return tc_plain_meet_key(plain, handlers, user);
	plain->at = tc_json_skip_blanks(plain->at, plain->end);
	if (plain->at == plain->end)
		return TC_PLAIN_BROKEN;
	if (*plain->at == ',') {
		plain->at++;
		return in_map ? TC_PLAIN_KEY : TC_PLAIN_VALUE;
	}
	if (plain->depth == 0 || *plain->at != (in_map ? '}' : ']'))
		return TC_PLAIN_BROKEN;
	return tc_plain_close(plain, handlers, user);
}

/* Parses all of the bytes, which must end behind a comma of the list. */
TC_PLAIN_INLINE enum tc_parser_result tc_plain_parse(struct tc_plain *plain,
	const struct tc_plain_handlers *handlers, void *user, struct tc_text bytes)
{
	enum tc_plain_next next = TC_PLAIN_VALUE;

	plain->start = plain->at = bytes.ptr;
	plain->end = bytes.ptr + bytes.len;
	plain->maps = 0;
	plain->depth = 0;
	plain->key = TC_KEY_ROOT;
	plain->array = NULL;
	memset(plain->arrays, 0, sizeof(plain->arrays));
	for (;;) {
		switch (next) {
		case TC_PLAIN_KEY: next = tc_plain_key(plain, handlers, user); break;
		case TC_PLAIN_VALUE: next = tc_plain_value(plain, handlers, user); break;
		case TC_PLAIN_AFTER: next = tc_plain_go_on(plain, handlers, user); break;
		case TC_PLAIN_DONE: return TC_PARSER_TAKEN;
		case TC_PLAIN_STOPPED: return TC_PARSER_STOPPED;
		default: return TC_PARSER_BROKEN;
		}
	}
}
