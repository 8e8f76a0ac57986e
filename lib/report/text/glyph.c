/* Characters on a terminal. See glyph.h. */
#include "report/text/glyph.h"

#include "core/text/utf8.h"

struct range {
	uint32_t first, last;
};

/* Categories Cc, Cf, Zl and Zp, the rest of Default_Ignorable_Code_Point, and numbers beyond
 * Unicode. Variation selectors are not here, since they change the look of the character before
 * them. Sorted. */
static const struct range hidden[] = {{0x0, 0x1f}, {0x7f, 0x9f}, {0xad, 0xad}, {0x600, 0x605},
	{0x61c, 0x61c}, {0x6dd, 0x6dd}, {0x70f, 0x70f}, {0x890, 0x891}, {0x8e2, 0x8e2},
	{0x115f, 0x1160}, {0x17b4, 0x17b5}, {0x180b, 0x180f}, {0x200b, 0x200f}, {0x2028, 0x202e},
	{0x2060, 0x206f}, {0x3164, 0x3164}, {0xd800, 0xdfff}, {0xfeff, 0xfeff}, {0xffa0, 0xffa0},
	{0xfff0, 0xfffb}, {0xfffe, 0xffff}, {0x110bd, 0x110bd}, {0x110cd, 0x110cd},
	{0x13430, 0x1343f}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
	{0x110000, 0x1fffff}};

static const struct range wide[] = {{0x1100, 0x115f}, {0x2e80, 0x303e}, {0x3041, 0x33ff},
	{0x3400, 0x4dbf}, {0x4e00, 0xa4cf}, {0xa960, 0xa97f}, {0xac00, 0xd7a3}, {0xf900, 0xfaff},
	{0xfe30, 0xfe6f}, {0xff00, 0xff60}, {0xffe0, 0xffe6}, {0x1f300, 0x1f64f},
	{0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff}, {0x20000, 0x2fffd}, {0x30000, 0x3fffd}};

static const struct range marks[] = {{0x300, 0x36f}, {0x483, 0x489}, {0x591, 0x5bd}, {0x610, 0x61a},
	{0x64b, 0x65f}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f},
	{0xfe20, 0xfe2f}};

#define IN(ranges, code) is_in(ranges, sizeof(ranges) / sizeof((ranges)[0]), code)

static bool is_in(const struct range *ranges, size_t count, uint32_t code)
{
	for (size_t i = 0; i < count; i++)
		if (code >= ranges[i].first && code <= ranges[i].last)
			return true;
	return false;
}

struct tc_glyph tc_glyph_at(struct tc_text text)
{
	unsigned char lead = (unsigned char)text.ptr[0];
	bool cut;

	if (lead < 0x80)
		return (struct tc_glyph){1, lead};
	int step = tc_utf8_step(text.ptr, text.ptr + text.len, &cut);
	if (step < 0)
		return (struct tc_glyph){(size_t)-step, TC_GLYPH_BROKEN};
	uint32_t code = lead & (0x7fU >> step);
	for (int i = 1; i < step; i++)
		code = code << 6 | ((unsigned char)text.ptr[i] & 0x3fU);
	return (struct tc_glyph){(size_t)step, code};
}

bool tc_glyph_hidden(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && IN(hidden, code));
}

int tc_glyph_columns(uint32_t code)
{
	if (code < marks[0].first || code == TC_GLYPH_BROKEN)
		return 1;
	return IN(marks, code) ? 0 : IN(wide, code) ? 2 : 1;
}
