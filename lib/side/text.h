/* Looking into lines of text. */
#ifndef TC_SIDE_TEXT_H
#define TC_SIDE_TEXT_H

#include "core/text.h"

static inline struct tc_text tc_side_trim(struct tc_text text)
{
	while (text.len > 0 && strchr(" \t\r\n", text.ptr[0]) && text.ptr[0]) {
		text.ptr++;
		text.len--;
	}
	while (text.len > 0 && text.ptr[text.len - 1] && strchr(" \t\r\n", text.ptr[text.len - 1]))
		text.len--;
	return text;
}

/* Where needle starts in text, NULL when it is not there. */
static inline const char *tc_side_find_text(struct tc_text text, struct tc_text needle)
{
	const char *p = text.ptr, *end = text.ptr + text.len;

	while (p && (size_t)(end - p) >= needle.len) {
		p = memchr(p, needle.ptr[0], (size_t)(end - p) - needle.len + 1);
		if (p && memcmp(p, needle.ptr, needle.len) == 0)
			return p;
		p = p ? p + 1 : NULL;
	}
	return NULL;
}

static inline bool tc_side_contains(struct tc_text text, struct tc_text needle)
{
	return tc_side_find_text(text, needle) != NULL;
}

/* True when needle is in text; *after is then what follows it. */
static inline bool tc_side_after(struct tc_text text, struct tc_text needle, struct tc_text *after)
{
	const char *at = tc_side_find_text(text, needle);

	if (!at)
		return false;
	*after = (struct tc_text){at + needle.len, (size_t)(text.ptr + text.len - at) - needle.len};
	return true;
}

/* The part of text before end, which points into it. */
static inline struct tc_text tc_side_before(struct tc_text text, const char *end)
{
	return (struct tc_text){text.ptr, (size_t)(end - text.ptr)};
}

#endif
