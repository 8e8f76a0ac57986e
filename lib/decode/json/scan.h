/*
 * Scanning JSON many bytes at a time: to the end of blanks, to what ends the plain part of a
 * string. With SSE2 or NEON where the compiler's target has them, else by words of eight bytes.
 * Nothing is read behind the end.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(TC_SCAN_WORDS) /* asked for, by a test */
#elif defined(__SSE2__)
#include <emmintrin.h>
#define TC_SCAN_SSE2 1
#elif defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#define TC_SCAN_NEON 1
#endif

/* A blank between tokens. Beyond JSON's four, vertical tab and form feed, as yajl has it. */
static inline bool tc_json_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Does a string go on behind this byte? Quotes, backslashes and control characters end it. */
static inline bool tc_scan_plain(char c)
{
	return c != '"' && c != '\\' && (unsigned char)c >= 0x20;
}

enum { TC_SCAN_SAME_BYTES = 32 };

#if defined(TC_SCAN_SSE2)

enum { TC_SCAN_BYTES = 16 };

/* How many of the next bytes are blank. */
static inline int tc_scan_blank_count(const char *p)
{
	__m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
	__m128i from_tab = _mm_sub_epi8(bytes, _mm_set1_epi8('\t'));
	__m128i controls =
		_mm_cmpeq_epi8(_mm_min_epu8(from_tab, _mm_set1_epi8('\r' - '\t')), from_tab);
	__m128i blanks = _mm_or_si128(controls, _mm_cmpeq_epi8(bytes, _mm_set1_epi8(' ')));
	unsigned others = (unsigned)_mm_movemask_epi8(blanks) ^ 0xffffU;

	return others ? __builtin_ctz(others) : TC_SCAN_BYTES;
}

/* How many of the next bytes are plain. */
static inline int tc_scan_plain_count(const char *p)
{
	__m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
	__m128i marks = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')),
		_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')));
	__m128i controls = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1f)), bytes);
	unsigned others = (unsigned)_mm_movemask_epi8(_mm_or_si128(marks, controls));

	return others ? __builtin_ctz(others) : TC_SCAN_BYTES;
}

/* How many of the next bytes are digits. */
static inline int tc_scan_digit_count(const char *p)
{
	__m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
	__m128i digits = _mm_sub_epi8(bytes, _mm_set1_epi8('0'));
	__m128i good = _mm_cmpeq_epi8(_mm_min_epu8(digits, _mm_set1_epi8(9)), digits);
	unsigned others = (unsigned)_mm_movemask_epi8(good) ^ 0xffffU;

	return others ? __builtin_ctz(others) : TC_SCAN_BYTES;
}

/* Do the first len bytes, one at least, of two texts agree? TC_SCAN_SAME_BYTES of each may be
 * read. */
static inline bool tc_scan_same(const char *a, const char *b, size_t len)
{
	const __m128i *left = (const __m128i *)(const void *)a;
	const __m128i *right = (const __m128i *)(const void *)b;
	unsigned low = (unsigned)_mm_movemask_epi8(
		_mm_cmpeq_epi8(_mm_loadu_si128(left), _mm_loadu_si128(right)));
	unsigned high = (unsigned)_mm_movemask_epi8(
		_mm_cmpeq_epi8(_mm_loadu_si128(left + 1), _mm_loadu_si128(right + 1)));

	return (uint64_t) ~(low | high << 16) << (64 - len) == 0;
}

#elif defined(TC_SCAN_NEON)

enum { TC_SCAN_BYTES = 16 };

/* The number of leading bytes that are not set in a mask of whole bytes. */
static inline int tc_scan_clear_count(uint8x16_t mask)
{
	uint8x8_t halves = vshrn_n_u16(vreinterpretq_u16_u8(mask), 4);
	uint64_t nibbles = vget_lane_u64(vreinterpret_u64_u8(halves), 0);

	return nibbles ? __builtin_ctzll(nibbles) / 4 : TC_SCAN_BYTES;
}

static inline int tc_scan_blank_count(const char *p)
{
	uint8x16_t bytes = vld1q_u8((const uint8_t *)p);
	uint8x16_t from_tab = vsubq_u8(bytes, vdupq_n_u8('\t'));
	uint8x16_t blanks = vorrq_u8(
		vcleq_u8(from_tab, vdupq_n_u8('\r' - '\t')), vceqq_u8(bytes, vdupq_n_u8(' ')));

	return tc_scan_clear_count(vmvnq_u8(blanks));
}

static inline int tc_scan_digit_count(const char *p)
{
	uint8x16_t digits = vsubq_u8(vld1q_u8((const uint8_t *)p), vdupq_n_u8('0'));

	return tc_scan_clear_count(vcgtq_u8(digits, vdupq_n_u8(9)));
}

static inline int tc_scan_plain_count(const char *p)
{
	uint8x16_t bytes = vld1q_u8((const uint8_t *)p);
	uint8x16_t marks =
		vorrq_u8(vceqq_u8(bytes, vdupq_n_u8('"')), vceqq_u8(bytes, vdupq_n_u8('\\')));

	return tc_scan_clear_count(vorrq_u8(marks, vcltq_u8(bytes, vdupq_n_u8(0x20))));
}

#else

enum { TC_SCAN_BYTES = 8 };

#define TC_SCAN_ONES UINT64_C(0x0101010101010101)

/* The next bytes as a word, the first one lowest. */
static inline uint64_t tc_scan_word(const char *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
	return word;
}

/* Which bytes are below a limit of at most 0x80: 0x80 in those. Bytes above the lowest such one may
 * be wrong. */
static inline uint64_t tc_scan_below(uint64_t word, unsigned limit)
{
	return (word - TC_SCAN_ONES * limit) & ~word & TC_SCAN_ONES << 7;
}

static inline uint64_t tc_scan_equal(uint64_t word, char c)
{
	return tc_scan_below(word ^ TC_SCAN_ONES * (unsigned char)c, 1);
}

static inline int tc_scan_blank_count(const char *p)
{
	int count = 0;

	while (count < TC_SCAN_BYTES && tc_json_blank(p[count]))
		count++;
	return count;
}

static inline int tc_scan_plain_count(const char *p)
{
	uint64_t word = tc_scan_word(p);
	uint64_t others =
		tc_scan_equal(word, '"') | tc_scan_equal(word, '\\') | tc_scan_below(word, 0x20);

	return others ? __builtin_ctzll(others) / 8 : TC_SCAN_BYTES;
}

static inline int tc_scan_digit_count(const char *p)
{
	int count = 0;

	while (count < TC_SCAN_BYTES && (unsigned char)(p[count] - '0') < 10)
		count++;
	return count;
}

#endif

#if !defined(TC_SCAN_SSE2)

static inline bool tc_scan_same(const char *a, const char *b, size_t len)
{
	return memcmp(a, b, len) == 0;
}

#endif

/* The first byte of [p, end) that is no blank, end when there is none. Most often there is no blank
 * or one; behind a line's end there are many. */
static inline const char *tc_json_skip_blanks(const char *p, const char *end)
{
	if (p < end && tc_json_blank(*p))
		p++;
	if (p == end || !tc_json_blank(*p))
		return p;
	for (int count = TC_SCAN_BYTES; end - p >= TC_SCAN_BYTES && count == TC_SCAN_BYTES;
		p += count)
		count = tc_scan_blank_count(p);
	while (p < end && tc_json_blank(*p))
		p++;
	return p;
}

/* The first byte of [p, end) that is not plain, end when there is none. */
static inline const char *tc_scan_string(const char *p, const char *end)
{
	while (end - p >= TC_SCAN_BYTES) {
		int count = tc_scan_plain_count(p);
		p += count;
		if (count < TC_SCAN_BYTES)
			return p;
	}
	while (p < end && tc_scan_plain(*p))
		p++;
	return p;
}
