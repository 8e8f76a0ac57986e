/*
 * A quick parser of plain JSON: elements of a list, each with a comma behind it, in one piece. It
 * calls the same handlers with the same texts as the parser of parser.h, which stays the judge:
 * text that is not plain here (a fault of any kind, but also deep nesting and rare escapes) is left
 * for it. So this one only ever refuses too much.
 *
 * It is a header so that handlers that are known where it is used become a part of it.
 */
#ifndef TC_DECODE_JSON_PLAIN_H
#define TC_DECODE_JSON_PLAIN_H

#include "core/buf.h"
#include "decode/json/parser.h"
#include "decode/json/scan.h"

#define TC_PLAIN_INLINE static inline __attribute__((always_inline))

enum { TC_PLAIN_MAX_DEPTH = 63 };

struct tc_plain {
	const char *start, *at, *end;
	uint64_t maps; /* a bit for each open bracket, the innermost lowest: is it a map's? */
	int depth;
	struct tc_buf unescaped; /* the string of the current token, when it has escapes */
};

/* What follows. */
enum tc_plain_next {
	TC_PLAIN_VALUE,
	TC_PLAIN_KEY,
	TC_PLAIN_AFTER, /* a comma or the end of a list or map */
	TC_PLAIN_DONE,
	TC_PLAIN_BROKEN,
	TC_PLAIN_STOPPED,
};

void tc_plain_clear(struct tc_plain *plain); /* frees */

/* How much was used, the current token included: as tc_parser_used(). */
static inline size_t tc_plain_used(const struct tc_plain *plain)
{
	return (size_t)(plain->at - plain->start);
}

/* The string whose first backslash is at escape; its first byte is at from. Moves on behind the
 * closing quote. False when it is not plain, or memory is out. */
bool tc_plain_unescape(struct tc_plain *plain, const char *from, const char *escape);

/* The end of the number at p, NULL when it is none. */
const char *tc_plain_number_end(const char *p, const char *end);

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

TC_PLAIN_INLINE enum tc_plain_next tc_plain_close(
	struct tc_plain *plain, const struct tc_parser_handlers *handlers, void *user)
{
	bool is_map = plain->maps & 1;

	plain->at++;
	plain->maps >>= 1;
	plain->depth--;
	return tc_plain_after(is_map ? handlers->end_map(user) : handlers->end_array(user));
}

TC_PLAIN_INLINE enum tc_plain_next tc_plain_open(
	struct tc_plain *plain, const struct tc_parser_handlers *handlers, void *user, bool is_map)
{
	if (plain->depth == TC_PLAIN_MAX_DEPTH)
		return TC_PLAIN_BROKEN;
	plain->at++;
	if (!(is_map ? handlers->start_map(user) : handlers->start_array(user)))
		return TC_PLAIN_STOPPED;
	plain->maps = plain->maps << 1 | is_map;
	plain->depth++;
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
	struct tc_plain *plain, const struct tc_parser_handlers *handlers, void *user)
{
	struct tc_text text;

	if (!tc_plain_string(plain, &text))
		return TC_PLAIN_BROKEN;
	return tc_plain_after(handlers->string(user, (const unsigned char *)text.ptr, text.len));
}

TC_PLAIN_INLINE enum tc_plain_next tc_plain_number(
	struct tc_plain *plain, const struct tc_parser_handlers *handlers, void *user)
{
	const char *from = plain->at, *to = tc_plain_number_end(from, plain->end);

	if (!to || to == plain->end) /* it may go on */
		return TC_PLAIN_BROKEN;
	plain->at = to;
	return tc_plain_after(handlers->number(user, from, (size_t)(to - from)));
}

TC_PLAIN_INLINE enum tc_plain_next tc_plain_value(
	struct tc_plain *plain, const struct tc_parser_handlers *handlers, void *user)
{
	plain->at = tc_json_skip_blanks(plain->at, plain->end);
	if (plain->at == plain->end)
		return plain->depth == 0 ? TC_PLAIN_DONE : TC_PLAIN_BROKEN;
	switch (*plain->at) {
	case '"': return tc_plain_text(plain, handlers, user);
	case '{': return tc_plain_open(plain, handlers, user, true);
	case '[': return tc_plain_open(plain, handlers, user, false);
	case 't':
		return tc_plain_word(plain, "true", 4) ? tc_plain_after(handlers->boolean(user, 1))
						       : TC_PLAIN_BROKEN;
	case 'f':
		return tc_plain_word(plain, "false", 5) ? tc_plain_after(handlers->boolean(user, 0))
							: TC_PLAIN_BROKEN;
	case 'n':
		return tc_plain_word(plain, "null", 4) ? tc_plain_after(handlers->null(user))
						       : TC_PLAIN_BROKEN;
	default: return tc_plain_number(plain, handlers, user);
	}
}

TC_PLAIN_INLINE enum tc_plain_next tc_plain_key(
	struct tc_plain *plain, const struct tc_parser_handlers *handlers, void *user)
{
	struct tc_text text;

	plain->at = tc_json_skip_blanks(plain->at, plain->end);
	if (plain->at == plain->end || *plain->at != '"' || !tc_plain_string(plain, &text))
		return TC_PLAIN_BROKEN;
	if (!handlers->key(user, (const unsigned char *)text.ptr, text.len))
		return TC_PLAIN_STOPPED;
	plain->at = tc_json_skip_blanks(plain->at, plain->end);
	if (plain->at == plain->end || *plain->at != ':')
		return TC_PLAIN_BROKEN;
	plain->at++;
	return TC_PLAIN_VALUE;
}

TC_PLAIN_INLINE enum tc_plain_next tc_plain_go_on(
	struct tc_plain *plain, const struct tc_parser_handlers *handlers, void *user)
{
	bool in_map = plain->maps & 1;

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
	const struct tc_parser_handlers *handlers, void *user, struct tc_text bytes)
{
	enum tc_plain_next next = TC_PLAIN_VALUE;

	plain->start = plain->at = bytes.ptr;
	plain->end = bytes.ptr + bytes.len;
	plain->maps = 0;
	plain->depth = 0;
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

#endif
