/* Characters on a terminal. See glyph.h. */
#include "report/glyph.h"

struct range {
	uint32_t first, last;
};

/* C0, DEL, C1, soft hyphen, marks of direction, joiners, separators of lines, surrogates, tags,
 * what is beyond Unicode. */
static const struct range hidden[] = {{0x0, 0x1f}, {0x7f, 0x9f}, {0xad, 0xad}, {0x61c, 0x61c},
	{0x115f, 0x1160}, {0x180b, 0x180f}, {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},
	{0x3164, 0x3164}, {0xd800, 0xdfff}, {0xfeff, 0xfeff}, {0xfff0, 0xfffb}, {0xe0000, 0xe0fff},
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
	size_t len = lead < 0xc2 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 1;
	uint32_t code = len == 1 ? lead : lead & (0x7fU >> len);

	if (len > text.len || (len == 1 && lead >= 0x80))
		return (struct tc_glyph){1, TC_GLYPH_BROKEN};
	for (size_t i = 1; i < len; i++) {
		unsigned char next = (unsigned char)text.ptr[i];
		if ((next & 0xc0) != 0x80)
			return (struct tc_glyph){1, TC_GLYPH_BROKEN};
		code = code << 6 | (next & 0x3fU);
	}
	return (struct tc_glyph){len, code};
}

bool tc_glyph_hidden(uint32_t code)
{
	return IN(hidden, code);
}

int tc_glyph_columns(uint32_t code)
{
	if (code < marks[0].first || code == TC_GLYPH_BROKEN)
		return 1;
	return IN(marks, code) ? 0 : IN(wide, code) ? 2 : 1;
}
