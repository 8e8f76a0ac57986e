/*
 * Numbers and words for people: durations, shares, bars, wrapped and cleaned text, and how wide a
 * character of UTF-8 is on a terminal. The functions append to a buffer and allocate nothing else.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/buf.h"
#include "core/text.h"

/* "12 ns", "3.456 us", "74.87 ms", "999.9 s": four digits, the unit that fits; exact rounding. From
 * 1,000 s on two units, the second one cut: "20 min 34 s", "3 h 25 min", "12 d 23 h". */
void tc_format_ns(struct tc_buf *buf, int64_t ns);
/* A gain: "38.12 ms", or "30 to 45 ms" where the ends of its range differ by more than a tenth of
 * it: two digits of the upper end, rounded outwards. */
struct tc_gain_shown {
	int64_t likely_ns, low_ns, high_ns;
};
void tc_format_gain(struct tc_buf *buf, const struct tc_gain_shown *gain);
/* Whether that is a range. */
bool tc_gain_is_range(const struct tc_gain_shown *gain);
/* "24.3 %" */
void tc_format_pct(struct tc_buf *buf, double pct);
/* "1,234,567" */
void tc_format_count(struct tc_buf *buf, int64_t count);
void tc_format_hours(struct tc_buf *buf, double hours); /* "61", "0.4" */
/* "1 job", "1,234 jobs" */
void tc_format_counted(struct tc_buf *buf, int64_t count, const char *noun);
/* "512 B", "4.75 MiB", "94.6 GiB": powers of 1024, three digits or four. Rates and data sheets are
 * in powers of 1000: GB/s, GB. */
void tc_format_bytes(struct tc_buf *buf, int64_t bytes);
/*
 * The same as text, for a sentence: tc_buf_format(buf, "%s idle", tc_show_ns(idle_ns).text). The
 * noun is one of ours, which are short.
 */
struct tc_shown {
	char text[96];
};
struct tc_shown tc_show_ns(int64_t ns);
struct tc_shown tc_show_gain(const struct tc_gain_shown *gain);
struct tc_shown tc_show_pct(double pct);
/* "24 %"; "<1 %" for a small share above 0, ">99 %" for a large share below 100 %. */
struct tc_shown tc_show_share(double pct);
struct tc_shown tc_show_count(int64_t count);
struct tc_shown tc_show_counted(int64_t count, const char *noun);
/* Nanoseconds as milliseconds the way Python prints the float ns / 1e6: "415.491", "0.0". */
void tc_format_python_ms(struct tc_buf *buf, int64_t ns);

/* part / whole * 100, 0 when whole is not above 0. */
double tc_format_share_pct(int64_t part, int64_t whole);

/* The most columns of one paragraph or cell. Our longest texts have 3,000, the longest real names
 * 5,160. */
enum { TC_FORMAT_MAX_COLUMNS = 16384 };

/* Columns that UTF-8 text takes on a terminal. */
int tc_format_columns(struct tc_text text);
/* Bytes of the longest start of text that takes at most so many columns. */
size_t tc_format_prefix(struct tc_text text, int columns);
/*
 * Appends text fit for a terminal. Control characters, characters that change the direction of text
 * or do not show, and invalid UTF-8 become '?'; with ascii, so does everything beyond ASCII. Text
 * longer than max_columns (0: TC_FORMAT_MAX_COLUMNS) loses its middle. All text of a trace passes
 * through here before layout, so no paragraph or cell has a longer one.
 */
void tc_format_clean(struct tc_buf *buf, struct tc_text text, bool ascii, int max_columns);
/* Appends count blanks; none when count is not above 0. */
void tc_format_pad(struct tc_buf *buf, int count);
/* A bar of share (0..1) of width columns, padded with blanks to width. */
void tc_format_bar(struct tc_buf *buf, double share, int width, bool ascii);
/*
 * Appends text wrapped at width. Lines after the first are indented; column is the number of
 * columns that the first line has already. A number stays with the word after it. A word longer
 * than a line is broken, after a mark ("/", "_") if it has one. There is no newline at the end.
 */
void tc_format_wrap(struct tc_buf *buf, struct tc_text text, int indent, int column, int width);

/*
 * Appends SQL for use inside a double-quoted word of a POSIX shell. It keeps its lines. Blanks and
 * comments outside of literals become one blank or line end, and characters that the shell would
 * interpret are escaped.
 */
void tc_format_shell_sql(struct tc_buf *buf, struct tc_text sql);
/* Appends a word for a POSIX shell, in single quotes when it needs them. A word with line ends or
 * other characters that no output shows as they are becomes a call of printf. */
void tc_format_shell_word(struct tc_buf *buf, struct tc_text word);

/* ---- characters of UTF-8 text on a terminal: how many columns one takes, and whether it shows
 * at all */

struct tc_glyph {
	size_t len;    /* bytes, at least 1 */
	uint32_t code; /* code point; TC_GLYPH_BROKEN for bytes that are not UTF-8 */
};

#define TC_GLYPH_BROKEN UINT32_MAX

/* The glyph at the start of text, which is not empty. */
struct tc_glyph tc_glyph_at(struct tc_text text);

/* Whether a character is hidden: those that move the cursor (controls), change the direction of
 * text, or do not show. */
bool tc_glyph_hidden(uint32_t code);
