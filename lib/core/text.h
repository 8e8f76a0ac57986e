/*
 * Borrowed text: a pointer and a length, not terminated. It never owns the bytes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct tc_text {
	const char *ptr; /* NULL when absent; "" with len 0 when empty */
	size_t len;
};

#define TC_TEXT(literal) ((struct tc_text){(literal), sizeof(literal) - 1})
#define TC_TEXT_NONE ((struct tc_text){NULL, 0})

static inline bool tc_text_equal(struct tc_text a, struct tc_text b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static inline bool tc_text_starts(struct tc_text a, struct tc_text prefix)
{
	return a.len >= prefix.len && memcmp(a.ptr, prefix.ptr, prefix.len) == 0;
}

static inline bool tc_text_ends(struct tc_text a, struct tc_text suffix)
{
	return a.len >= suffix.len &&
	       memcmp(a.ptr + a.len - suffix.len, suffix.ptr, suffix.len) == 0;
}

/* Below 0, 0 or above: bytes first, then the shorter one. */
static inline int tc_text_order(struct tc_text a, struct tc_text b)
{
	size_t len = a.len < b.len ? a.len : b.len;
	int order = len > 0 ? memcmp(a.ptr, b.ptr, len) : 0;

	return order != 0 ? order : a.len < b.len ? -1 : a.len > b.len;
}

static inline struct tc_text tc_text_from(const char *string)
{
	return (struct tc_text){string, string ? strlen(string) : 0};
}

/* Without the blanks and line ends around it. */
static inline struct tc_text tc_text_trim(struct tc_text text)
{
	while (text.len > 0 && memchr(" \t\r\n", text.ptr[0], 4)) {
		text.ptr++;
		text.len--;
	}
	while (text.len > 0 && memchr(" \t\r\n", text.ptr[text.len - 1], 4))
		text.len--;
	return text;
}

static inline bool tc_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Whether c may stand in a name of Python, C or SQL, beside which a word ends. */
static inline bool tc_is_word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || tc_is_digit(c) || c == '_';
}

/* Where needle, which is not empty, starts in text; NULL when it is not there. */
static inline const char *tc_text_find(struct tc_text text, struct tc_text needle)
{
	const char *p = text.ptr, *end;

	if (text.len < needle.len) /* a text without characters may have no address to add to */
		return NULL;
	end = text.ptr + text.len;
	while (p && (size_t)(end - p) >= needle.len) {
		p = memchr(p, needle.ptr[0], (size_t)(end - p) - needle.len + 1);
		if (p && memcmp(p, needle.ptr, needle.len) == 0)
			return p;
		p = p ? p + 1 : NULL;
	}
	return NULL;
}

static inline bool tc_text_contains(struct tc_text text, struct tc_text needle)
{
	return tc_text_find(text, needle) != NULL;
}

/* Whether needle is in text; *after is then the text behind it. */
static inline bool tc_text_after(struct tc_text text, struct tc_text needle, struct tc_text *after)
{
	const char *at = tc_text_find(text, needle);

	if (!at)
		return false;
	*after = (struct tc_text){at + needle.len, (size_t)(text.ptr + text.len - at) - needle.len};
	return true;
}

/* The name of the file or directory in a path: the part after the last slash, not counting slashes
 * at its end. */
static inline struct tc_text tc_text_last_part(struct tc_text path)
{
	size_t start;

	while (path.len > 1 && path.ptr[path.len - 1] == '/')
		path.len--;
	for (start = path.len; start > 0 && path.ptr[start - 1] != '/';)
		start--;
	return start < path.len ? (struct tc_text){path.ptr + start, path.len - start} : path;
}

/* The part of text before end, which points into it. */
static inline struct tc_text tc_text_before(struct tc_text text, const char *end)
{
	return (struct tc_text){text.ptr, (size_t)(end - text.ptr)};
}
