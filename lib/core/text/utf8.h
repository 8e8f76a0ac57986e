/* UTF-8: checks, and steps over bad bytes. */
#pragma once

#include <stdbool.h>

#include "core/buf.h"
#include "core/text.h"

#define TC_UTF8_REPLACEMENT "\xef\xbf\xbd"

/* Whether text is UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF. */
bool tc_utf8_valid(struct tc_text text);

/*
 * The length of the character at the start of [at, end), which is not empty: 1 to 4, or the
 * negative length of the bad bytes that one U+FFFD replaces. *cut is set when more bytes could
 * have made it a character.
 */
int tc_utf8_step(const char *at, const char *end, bool *cut);

/* The longest start of text that has no more bytes and cuts no character. */
struct tc_text tc_utf8_prefix(struct tc_text text, size_t most_bytes);

/* Appends text with U+FFFD in place of bad bytes. */
void tc_utf8_append_clean(struct tc_buf *out, struct tc_text text);
