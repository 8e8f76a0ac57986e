/*
 * Numbers and words for people. The ranges of characters are those of Unicode 15: East Asian Width
 * (UAX #11) wide and fullwidth; categories Mn and Me for marks without a column; Cc, Cf and
 * Default_Ignorable_Code_Point for hidden characters.
 */
#include "report/text/format.h"

#include <math.h>

#include "core/alloc.h"
#include "core/saturate.h"
#include "core/text/utf8.h"
#include "tracecoach/text.h"

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

static const struct range zero_width[] = {{0x300, 0x36f}, {0x483, 0x489}, {0x591, 0x5bd},
	{0x610, 0x61a}, {0x64b, 0x65f}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x20d0, 0x20ff},
	{0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}};

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

/* 0 for marks on the character before, 2 for wide characters, else 1. */
static int glyph_columns(uint32_t code)
{
	if (code < zero_width[0].first || code == TC_GLYPH_BROKEN)
		return 1;
	return IN(zero_width, code) ? 0 : IN(wide, code) ? 2 : 1;
}

/* ---- numbers */

enum { MOST_MARKS = 8 };
#define TAB "  " /* no tab: pasted into a shell, it would complete a name */

static uint64_t magnitude(struct tc_buf *buf, int64_t value)
{
	if (value >= 0)
		return (uint64_t)value;
	tc_buf_append_char(buf, '-');
	return 0 - (uint64_t)value;
}

static void append_thousands(struct tc_buf *buf, uint64_t value)
{
	char digits[32];
	size_t at = sizeof(digits);

	for (int count = 0; count == 0 || value > 0; count++, value /= 10) {
		if (count > 0 && count % 3 == 0)
			digits[--at] = ',';
		digits[--at] = (char)('0' + value % 10);
	}
	tc_buf_append(buf, digits + at, sizeof(digits) - at);
}

/* value / unit with four digits, for 1 <= value / unit < 1000. */
static void append_four_digits(struct tc_buf *buf, uint64_t value, uint64_t unit)
{
	static const uint64_t tens[] = {1, 10, 100, 1000};
	int decimals = value < unit * 10 ? 3 : value < unit * 100 ? 2 : 1;
	uint64_t scaled = (value * tens[decimals] + unit / 2) / unit;

	if (scaled >= 10000) { /* 9.9996 rounds to 10.00 */
		decimals--;
		scaled = (value * tens[decimals] + unit / 2) / unit;
	}
	tc_buf_format(buf, "%llu.%0*llu", (unsigned long long)(scaled / tens[decimals]), decimals,
		(unsigned long long)(scaled % tens[decimals]));
}

/* Two units, the second one cut and not rounded, as clocks show time, and left out when it is 0:
 * "16 min 40 s", "12 d 23 h". */
static void append_long(struct tc_buf *buf, uint64_t seconds)
{
	static const struct {
		uint64_t seconds, second_seconds; /* of both units */
		const char *first, *second;
	} units[] = {{86400, 3600, " d", " h"}, {3600, 60, " h", " min"}, {60, 1, " min", " s"}};
	size_t i = 0;

	while (i < 2 && seconds < units[i].seconds)
		i++;
	uint64_t rest = seconds % units[i].seconds / units[i].second_seconds;
	append_thousands(buf, seconds / units[i].seconds);
	tc_buf_append_string(buf, units[i].first);
	if (rest > 0)
		tc_buf_format(buf, " %d%s", (int)rest, units[i].second);
}

void tc_format_ns(struct tc_buf *buf, int64_t ns)
{
	static const struct {
		uint64_t ns;
		const char *name;
	} units[] = {{1000, " us"}, {1000000, " ms"}, {1000000000, " s"}};
	uint64_t value = magnitude(buf, ns);

	if (value < 1000) {
		tc_buf_format(buf, "%llu ns", (unsigned long long)value);
		return;
	}
	for (size_t i = 0; i < 3; i++) {
		uint64_t unit = units[i].ns;
		if (value < unit * 1000 - unit / 20) { /* 999.95 rounds to 1.000 of the next */
			append_four_digits(buf, value < unit ? unit : value, unit);
			tc_buf_append_string(buf, units[i].name);
			return;
		}
	}
	append_long(buf, value / 1000000000);
}

bool tc_gain_is_range(const struct tc_gain_shown *gain)
{
	return gain->low_ns >= 0 && gain->low_ns <= gain->likely_ns &&
	       gain->likely_ns <= gain->high_ns &&
	       gain->high_ns - gain->low_ns > gain->likely_ns / 10;
}

static const struct unit {
	int64_t ns;
	const char *name;
} units_of_ends[] = {{86400 * INT64_C(1000000000), "d"}, {3600 * INT64_C(1000000000), "h"},
	{60 * INT64_C(1000000000), "min"}, {1000000000, "s"}, {1000000, "ms"}, {1000, "us"},
	{1, "ns"}};

/* The largest unit that the time has one of; seconds up to 1000 of them. */
static const struct unit *unit_of_end(int64_t ns)
{
	const struct unit *unit = &units_of_ends[ns < 1000 * INT64_C(1000000000) ? 3 : 0];

	while (ns < unit->ns)
		unit++;
	return unit;
}

static int64_t round_up(int64_t ns, int64_t step_ns)
{
	return tc_add_saturated((ns - 1) / step_ns * step_ns, step_ns);
}

static void append_end(struct tc_buf *buf, int64_t ns, int64_t step_ns, const struct unit *unit)
{
	if (step_ns < unit->ns)
		tc_buf_format(buf, "%.1f", (double)ns / (double)unit->ns);
	else
		append_thousands(buf, (uint64_t)(ns / unit->ns));
}

void tc_format_gain(struct tc_buf *buf, const struct tc_gain_shown *gain)
{
	if (!tc_gain_is_range(gain) || gain->high_ns < 10) {
		tc_format_ns(buf, gain->likely_ns);
		return;
	}
	/* "30 to 45 ms", "3.0 to 4.5 h": multiples of a step of which the upper end has 10 to 100.
	 * 59.9 min round to 60, which are 1.0 h. */
	const struct unit *unit = unit_of_end(gain->high_ns);
	int64_t step_ns = unit->ns > 1 ? unit->ns / 10 : 1;
	while (gain->high_ns / step_ns >= 100)
		step_ns *= 10;
	int64_t high_ns = round_up(gain->high_ns, step_ns);
	if (unit_of_end(high_ns) != unit) {
		unit = unit_of_end(high_ns);
		step_ns = unit->ns / 10;
		high_ns = round_up(high_ns, step_ns);
	}
	append_end(buf, gain->low_ns / step_ns * step_ns, step_ns, unit);
	tc_buf_append_string(buf, " to ");
	append_end(buf, high_ns, step_ns, unit);
	tc_buf_format(buf, " %s", unit->name);
}

void tc_format_hours(struct tc_buf *buf, double hours)
{
	if (hours >= 9.95)
		tc_format_count(buf, llround(hours));
	else
		tc_buf_format(buf, "%.1f", hours);
}

void tc_format_pct(struct tc_buf *buf, double pct)
{
	tc_buf_format(buf, "%.1f %%", pct);
}

static void tc_format_share(struct tc_buf *buf, double pct)
{
	if (pct > 0 && pct < 0.5)
		tc_buf_append_string(buf, "<1 %");
	else if (pct < 100 && pct >= 99.5)
		tc_buf_append_string(buf, ">99 %");
	else
		tc_buf_format(buf, "%.0f %%", pct);
}

void tc_format_count(struct tc_buf *buf, int64_t count)
{
	append_thousands(buf, magnitude(buf, count));
}

void tc_format_counted(struct tc_buf *buf, int64_t count, const char *noun)
{
	size_t len = strlen(noun);
	const char *plural = len > 0 && noun[len - 1] == 'x' ? "es" : "s";

	tc_format_count(buf, count);
	tc_buf_format(buf, " %s%s", noun, count == 1 ? "" : plural);
}

void tc_format_bytes(struct tc_buf *buf, int64_t bytes)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	double value = (double)magnitude(buf, bytes);
	size_t unit = 0;

	for (; value >= 999.95 && unit < 6; unit++)
		value /= 1024;
	if (unit == 0)
		tc_buf_format(buf, "%.0f B", value);
	else
		tc_buf_format(buf, "%.*f %s", value < 9.995 ? 2 : 1, value, units[unit]);
}

/* The buffer is in the result, and large enough: it never grows. */
#define SHOW(unit, parameters, ...)                                                                \
	struct tc_shown tc_show_##unit parameters {                                                \
		struct tc_shown shown;                                                             \
		struct tc_buf buf = {.ptr = shown.text, .capacity = sizeof(shown.text)};           \
		tc_format_##unit(&buf, __VA_ARGS__);                                               \
		shown.text[buf.len] = '\0';                                                        \
		return shown;                                                                      \
	}
SHOW(ns, (int64_t ns), ns)
SHOW(gain, (const struct tc_gain_shown *gain), gain)
SHOW(pct, (double pct), pct)
SHOW(share, (double pct), pct)
SHOW(count, (int64_t count), count)
SHOW(counted, (int64_t count, const char *noun), count, noun)

/* Below 0.0001 Python writes exponents: 99 ns is 9.9e-05. */
static void append_python_tiny(struct tc_buf *buf, uint64_t ns)
{
	if (ns < 10)
		tc_buf_format(buf, "%de-06", (int)ns);
	else if (ns % 10 == 0)
		tc_buf_format(buf, "%de-05", (int)ns / 10);
	else
		tc_buf_format(buf, "%d.%de-05", (int)ns / 10, (int)ns % 10);
}

/*
 * Up to 10^15 ns the shortest text that reads back as the double ns / 1e6 is the exact decimal
 * number, since a double keeps 15 digits. So integer arithmetic is enough, and nothing is rounded.
 */
void tc_format_python_ms(struct tc_buf *buf, int64_t ns)
{
	uint64_t value = magnitude(buf, ns);
	uint64_t fraction = value % 1000000;
	int digits = 6;

	if (value > 0 && value < 100) {
		append_python_tiny(buf, value);
		return;
	}
	for (; digits > 1 && fraction % 10 == 0; digits--)
		fraction /= 10;
	tc_buf_format(buf, "%llu.%0*llu", (unsigned long long)(value / 1000000), digits,
		(unsigned long long)fraction);
}

double tc_format_share_pct(int64_t part, int64_t whole)
{
	return whole > 0 ? (double)part / (double)whole * 100 : 0;
}

/* The glyph at a byte of the text. */
static struct tc_glyph glyph_at(struct tc_text text, size_t at)
{
	return tc_glyph_at((struct tc_text){text.ptr + at, text.len - at});
}

int tc_format_columns(struct tc_text text)
{
	int columns = 0;

	for (size_t at = 0; at < text.len;) {
		struct tc_glyph glyph = glyph_at(text, at);
		columns += glyph_columns(glyph.code);
		at += glyph.len;
	}
	return columns;
}

size_t tc_format_prefix(struct tc_text text, int columns)
{
	size_t at = 0;

	while (at < text.len) {
		struct tc_glyph glyph = glyph_at(text, at);
		columns -= glyph_columns(glyph.code);
		if (columns < 0)
			break;
		at += glyph.len;
	}
	return at;
}

/* The number of bytes to skip at the start so that at most so many columns are left. */
static size_t all_but(struct tc_text text, int columns)
{
	int left = tc_format_columns(text);
	size_t at = 0;

	while (left > columns) {
		struct tc_glyph glyph = glyph_at(text, at);
		left -= glyph_columns(glyph.code);
		at += glyph.len;
	}
	return at;
}

/* Keeps at most MOST_MARKS marks on one character. Marks take no column, so the limit of columns
 * does not limit them. */
static void append_clean(struct tc_buf *buf, struct tc_text text, bool ascii)
{
	int marks = 0;

	for (size_t at = 0; at < text.len;) {
		struct tc_glyph glyph = glyph_at(text, at);
		bool broken = glyph.code == TC_GLYPH_BROKEN || (ascii && glyph.code >= 0x80);
		marks = glyph_columns(glyph.code) == 0 ? marks + 1 : 0;
		if (broken || tc_glyph_hidden(glyph.code))
			tc_buf_append_char(buf, '?');
		else if (marks <= MOST_MARKS)
			tc_buf_append_text(buf, (struct tc_text){text.ptr + at, glyph.len});
		at += glyph.len;
	}
}

void tc_format_clean(struct tc_buf *buf, struct tc_text text, bool ascii, int max_columns)
{
	const char *dots = ascii ? "..." : "\xe2\x80\xa6";
	int dot_columns = ascii ? 3 : 1;

	if (max_columns <= dot_columns || max_columns > TC_FORMAT_MAX_COLUMNS)
		max_columns = TC_FORMAT_MAX_COLUMNS;
	if (tc_format_columns(text) <= max_columns) {
		append_clean(buf, text, ascii);
		return;
	}
	int tail = (max_columns - dot_columns) / 2;
	size_t end = tc_format_prefix(text, max_columns - dot_columns - tail);
	size_t from = all_but(text, tail);
	append_clean(buf, (struct tc_text){text.ptr, end}, ascii);
	tc_buf_append_string(buf, dots);
	append_clean(buf, (struct tc_text){text.ptr + from, text.len - from}, ascii);
}

void tc_format_pad(struct tc_buf *buf, int count)
{
	for (; count > 0; count--)
		tc_buf_append_char(buf, ' ');
}

void tc_format_bar(struct tc_buf *buf, double share, int width, bool ascii)
{
	static const char *const eighths[] = {"", "\xe2\x96\x8f", "\xe2\x96\x8e", "\xe2\x96\x8d",
		"\xe2\x96\x8c", "\xe2\x96\x8b", "\xe2\x96\x8a", "\xe2\x96\x89"};
	int per_column = ascii ? 1 : 8;
	double wanted = share * width * per_column + 0.5;
	int marks = wanted <= 0                    ? 0
		    : wanted >= width * per_column ? width * per_column
						   : (int)wanted;

	if (marks == 0 && share > 0)
		marks = 1; /* a share above 0 is never an empty bar */
	for (int i = 0; i < marks / per_column; i++)
		tc_buf_append_string(buf, ascii ? "#" : "\xe2\x96\x88");
	if (!ascii)
		tc_buf_append_string(buf, eighths[marks % 8]);
	tc_format_pad(buf, width - (marks + per_column - 1) / per_column);
}

/* The end of the word that starts at from. */
static size_t word_end(struct tc_text text, size_t from)
{
	from = from < text.len ? from : text.len;
	while (from < text.len && text.ptr[from] != ' ' && text.ptr[from] != '\n')
		from++;
	return from;
}

/* Reads no more of the word than the columns can hold, so that a long word costs no time. */
static bool fits(struct tc_text word, int columns)
{
	return tc_format_prefix(word, columns) == word.len;
}

/* Like word_end(), but a number and the word after it count as one word if they fit into a line:
 * "62.3 %",
 * "+280.0 ms", "220 events". */
static size_t wrap_end(struct tc_text text, size_t from, int columns)
{
	size_t end = word_end(text, from);

	for (size_t i = from; i < end; i++)
		if (!tc_is_digit(text.ptr[i]) && !memchr(".,(+-", text.ptr[i], 5))
			return end;
	if (end == from || end + 1 >= text.len || text.ptr[end] != ' ' ||
		!tc_is_digit(text.ptr[end - 1]))
		return end;
	size_t both = word_end(text, end + 1);
	return fits((struct tc_text){text.ptr + from, both - from}, columns) ? both : end;
}

/*
 * Where to break a word that is longer than a line: the number of bytes that take at most so many
 * columns. The break is after the last mark in the second half of them, or at their end without
 * one.
 */
static size_t piece_end(struct tc_text word, int columns)
{
	size_t end = tc_format_prefix(word, columns);
	size_t half = tc_format_prefix(word, columns / 2);

	if (end == 0)
		return glyph_at(word, 0).len;
	for (size_t i = end; i > half && end < word.len; i--)
		if (memchr("/_-.,:;<>()=", word.ptr[i - 1], 12))
			return i;
	return end;
}

/* Text being wrapped. */
struct lines {
	struct tc_buf *buf;
	int indent, column, width;
};

static void next_line(struct lines *lines)
{
	tc_buf_append_char(lines->buf, '\n');
	tc_format_pad(lines->buf, lines->indent);
	lines->column = lines->indent;
}

static void put_word(struct lines *lines, struct tc_text word)
{
	while (!fits(word, lines->width - lines->column)) {
		size_t end = piece_end(word, lines->width - lines->column);
		if (end == word.len)
			break;
		tc_buf_append_text(lines->buf, (struct tc_text){word.ptr, end});
		word = (struct tc_text){word.ptr + end, word.len - end};
		next_line(lines);
	}
	tc_buf_append_text(lines->buf, word);
	lines->column += tc_format_columns(word);
}

void tc_format_wrap(struct tc_buf *buf, struct tc_text text, int indent, int column, int width)
{
	struct lines lines = {buf, indent, column, width};
	bool line_start = true;

	for (size_t i = 0; i < text.len;) {
		size_t end = wrap_end(text, i, width - indent);
		struct tc_text word = {text.ptr + i, end - i};
		i = end + 1;
		if (word.len == 0)
			continue;
		if (!line_start && !fits(word, width - lines.column - 1)) {
			next_line(&lines);
		} else if (!line_start) {
			tc_buf_append_char(buf, ' ');
			lines.column++;
		}
		put_word(&lines, word);
		line_start = false;
	}
}

/* The end of the literal or quoted name that starts at `from`, after its closing quote. */
static size_t quoted_end(struct tc_text sql, size_t from)
{
	char quote = sql.ptr[from];
	size_t at = from + 1;

	while (at < sql.len && sql.ptr[at] != quote)
		at++;
	return at < sql.len ? at + 1 : at;
}

/* The end of the blanks and comments that start at `from`. */
static size_t blank_end(struct tc_text sql, size_t from)
{
	size_t at = from;

	while (at < sql.len) {
		if (memchr(" \t\r\n", sql.ptr[at], 4)) {
			at++;
		} else if (at + 1 < sql.len && memcmp(sql.ptr + at, "--", 2) == 0) {
			while (at < sql.len && sql.ptr[at] != '\n')
				at++;
		} else if (at + 1 < sql.len && memcmp(sql.ptr + at, "/*", 2) == 0) {
			at += 2;
			while (at < sql.len && !(sql.ptr[at - 1] == '*' && sql.ptr[at] == '/'))
				at++;
			at += at < sql.len;
		} else {
			break;
		}
	}
	return at;
}

static void append_shell(struct tc_buf *buf, struct tc_text text)
{
	static const char *const escaped[] = {"\\\"", "\\\\", "\\$", "\\`"};

	tc_buf_append_escaped(buf, text, "\"\\$`", escaped);
}

/* Replaces blanks and comments by a line end with the indentation of the next line, or by one
 * blank. */
static void append_blank(struct tc_buf *buf, struct tc_text blank)
{
	size_t line = blank.len;

	while (line > 0 && blank.ptr[line - 1] != '\n')
		line--;
	tc_buf_append_char(buf, line > 0 ? '\n' : ' ');
	for (size_t i = line; line > 0 && i < blank.len && memchr(" \t", blank.ptr[i], 2); i++)
		tc_buf_append_string(buf, blank.ptr[i] == '\t' ? TAB : " ");
}

void tc_format_shell_sql(struct tc_buf *buf, struct tc_text sql)
{
	size_t start = buf->len;

	while (sql.len > 0 && memchr(" \t\r\n;", sql.ptr[sql.len - 1], 5))
		sql.len--;
	for (size_t i = 0; i < sql.len;) {
		size_t end = blank_end(sql, i);
		if (end > i) {
			if (buf->len > start && end < sql.len)
				append_blank(buf, (struct tc_text){sql.ptr + i, end - i});
		} else {
			end = memchr("'\"`", sql.ptr[i], 3) ? quoted_end(sql, i) : i + 1;
			append_shell(buf, (struct tc_text){sql.ptr + i, end - i});
		}
		i = end;
	}
}

/* Whether an output would show other characters in its place. */
static bool is_unprintable(struct tc_text word)
{
	for (size_t i = 0, len; i < word.len; i += len) {
		struct tc_glyph glyph = tc_glyph_at((struct tc_text){word.ptr + i, word.len - i});
		if (glyph.code == TC_GLYPH_BROKEN || tc_glyph_hidden(glyph.code))
			return true;
		len = glyph.len;
	}
	return false;
}

/* A call of printf(1) that writes the word: "-" may begin an option, "!" a word of the history. */
static void append_printf(struct tc_buf *buf, struct tc_text word)
{
	tc_buf_append_string(buf, "\"$(printf '");
	for (size_t i = 0; i < word.len; i++) {
		unsigned char byte = (unsigned char)word.ptr[i];
		if (byte > ' ' && byte < 0x7f && !memchr("'\\%-!", byte, 5))
			tc_buf_append_char(buf, word.ptr[i]);
		else
			tc_buf_format(buf, "\\%03o", byte);
	}
	tc_buf_append_string(buf, "')\"");
}

void tc_format_shell_word(struct tc_buf *buf, struct tc_text word)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789_-./+,:@%=";
	static const char *const quoted[] = {"'\\''"};
	bool quote = word.len == 0;

	for (size_t i = 0; i < word.len; i++)
		quote |= !memchr(safe, word.ptr[i], sizeof(safe) - 1);
	if (is_unprintable(word)) {
		append_printf(buf, word);
		return;
	}
	if (!quote) {
		tc_buf_append_text(buf, word);
		return;
	}
	tc_buf_append_char(buf, '\'');
	tc_buf_append_escaped(buf, word, "'", quoted);
	tc_buf_append_char(buf, '\'');
}

/* ---- texts of other programs, made fit for a terminal (tracecoach/text.h) */

/* The fewest columns for a text beside its label. With fewer left, the text goes below the label,
 * indented. */
#define TEXT_LEAST 24
#define TEXT_INDENT 4

void tc_text_free(char *text)
{
	tc_free(text);
}

char *tc_text_line(const char *text, int columns)
{
	struct tc_buf line = TC_BUF_EMPTY;

	tc_format_clean(&line, tc_text_from(text), false, 0);
	if (columns >= 0)
		line.len = tc_format_prefix(tc_buf_text(&line), columns);
	return tc_buf_take_string(&line);
}

char *tc_text_wrap(const char *label, const char *text, int indent, int width)
{
	struct tc_buf lines = TC_BUF_EMPTY;
	int used = tc_format_columns(tc_text_from(label));

	tc_buf_append_string(&lines, label);
	if (used > 0 && (used + 1 > indent || width - indent < TEXT_LEAST)) {
		tc_buf_append_char(&lines, '\n');
		indent = TEXT_INDENT;
		used = 0;
	}
	tc_format_pad(&lines, indent - used);
	tc_format_wrap(&lines, tc_text_from(text), indent, indent, width);
	tc_buf_append_char(&lines, '\n');
	return tc_buf_take_string(&lines);
}
