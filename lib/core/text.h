/*
 * Borrowed text: a pointer and a length, not terminated. The owner is always somebody else.
 */
#ifndef TC_CORE_TEXT_H
#define TC_CORE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct tc_text {
	const char *ptr; /* NULL for "not there"; "" with len 0 for "there and empty" */
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

static inline struct tc_text tc_text_from(const char *string)
{
	return (struct tc_text){string, string ? strlen(string) : 0};
}

#endif
