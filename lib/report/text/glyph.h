/*
 * Characters of UTF-8 text on a terminal: how many columns one takes, and whether it shows at all.
 * The ranges are those of Unicode 15: East Asian Width (UAX #11) wide and fullwidth; categories Mn
 * and Me for marks without a column; Cc, Cf and Default_Ignorable_Code_Point for hidden characters.
 */
#ifndef TC_REPORT_TEXT_GLYPH_H
#define TC_REPORT_TEXT_GLYPH_H

#include <stdbool.h>
#include <stdint.h>

#include "core/text.h"

struct tc_glyph {
	size_t len;    /* bytes, at least 1 */
	uint32_t code; /* code point; TC_GLYPH_BROKEN for bytes that are not UTF-8 */
};

#define TC_GLYPH_BROKEN UINT32_MAX

/* The glyph at the start of text, which is not empty. */
struct tc_glyph tc_glyph_at(struct tc_text text);

/* True for characters that move the cursor (controls), change the direction of text, or do not
 * show. */
bool tc_glyph_hidden(uint32_t code);

/* 0 for marks on the character before, 2 for wide characters, else 1. */
int tc_glyph_columns(uint32_t code);

#endif
