/* UTF-8 by the table of the Unicode standard (well-formed byte sequences): which bytes may follow a
 * lead byte, so overlong forms, surrogates and what is above U+10FFFF are refused. */
#include "core/text/utf8.h"

#include "core/array.h"

/* For each lead byte: length, and the range of the second byte (the others are 80..BF). */
struct lead {
	unsigned char from, to, length, second_from, second_to;
};

static const struct lead leads[] = {
	{0xc2, 0xdf, 2, 0x80, 0xbf},
	{0xe0, 0xe0, 3, 0xa0, 0xbf},
	{0xe1, 0xec, 3, 0x80, 0xbf},
	{0xed, 0xed, 3, 0x80, 0x9f},
	{0xee, 0xef, 3, 0x80, 0xbf},
	{0xf0, 0xf0, 4, 0x90, 0xbf},
	{0xf1, 0xf3, 4, 0x80, 0xbf},
	{0xf4, 0xf4, 4, 0x80, 0x8f},
};

/* Whether no byte has its high bit set; fast. */
static bool is_ascii(struct tc_text text)
{
	const char *p = text.ptr;
	size_t len = text.len;
	uint64_t high = 0, word;

	for (; len >= 32; len -= 32, p += 32) {
		uint64_t words[4];
		memcpy(words, p, 32);
		high |= words[0] | words[1] | words[2] | words[3];
	}
	for (; len >= 8; len -= 8, p += 8) {
		memcpy(&word, p, 8);
		high |= word;
	}
	for (; len > 0; len--, p++)
		high |= (unsigned char)*p;
	return (high & UINT64_C(0x8080808080808080)) == 0;
}

static const struct lead *find_lead(unsigned char c)
{
	for (size_t i = 0; i < TC_COUNT_OF(leads); i++) {
		if (c >= leads[i].from && c <= leads[i].to)
			return &leads[i];
	}
	return NULL;
}

int tc_utf8_step(const char *at, const char *end, bool *cut)
{
	const unsigned char *p = (const unsigned char *)at;

	*cut = false;
	if (p[0] < 0x80)
		return 1;
	const struct lead *lead = find_lead(p[0]);
	if (!lead)
		return -1;
	for (int i = 1; i < lead->length; i++) {
		if (at + i == end) {
			*cut = true;
			return -i;
		}
		unsigned char from = i == 1 ? lead->second_from : 0x80;
		unsigned char to = i == 1 ? lead->second_to : 0xbf;
		if (p[i] < from || p[i] > to)
			return -i;
	}
	return lead->length;
}

bool tc_utf8_valid(struct tc_text text)
{
	bool cut;

	if (is_ascii(text))
		return true;
	for (const char *p = text.ptr, *end = p + text.len; p < end;) {
		int step = tc_utf8_step(p, end, &cut);
		if (step < 0)
			return false;
		p += step;
	}
	return true;
}

void tc_utf8_append_clean(struct tc_buf *out, struct tc_text text)
{
	if (tc_utf8_valid(text)) {
		tc_buf_append_text(out, text);
		return;
	}
	for (const char *p = text.ptr, *end = p + text.len; p < end;) {
		bool cut;
		int step = tc_utf8_step(p, end, &cut);
		if (step < 0)
			tc_buf_append_string(out, TC_UTF8_REPLACEMENT);
		else
			tc_buf_append(out, p, (size_t)step);
		p += step < 0 ? -step : step;
	}
}

struct tc_text tc_utf8_prefix(struct tc_text text, size_t most_bytes)
{
	if (text.len <= most_bytes)
		return text;
	while (most_bytes > 0 && ((unsigned char)text.ptr[most_bytes] & 0xc0) == 0x80)
		most_bytes--;
	return (struct tc_text){text.ptr, most_bytes};
}
