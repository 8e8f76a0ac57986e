/*
 * Numbers and words for people: durations, shares, bars, wrapped and cleaned text. All append to
 * a buffer; none allocates elsewhere.
 */
#ifndef TC_REPORT_TEXT_FORMAT_H
#define TC_REPORT_TEXT_FORMAT_H

#include <stdint.h>

#include "core/buf.h"

/* "12 ns", "3.456 us", "74.87 ms", "1,234 s": four digits, the unit that fits; exact rounding. */
void tc_format_ns(struct tc_buf *buf, int64_t ns);
/* "24.3 %" */
void tc_format_pct(struct tc_buf *buf, double pct);
/* "24 %", "<1 %" for what is more than nothing, ">99 %" for what is not all. */
void tc_format_share(struct tc_buf *buf, double pct);
/* "1,234,567" */
void tc_format_count(struct tc_buf *buf, int64_t count);
/* "1 job", "1,234 jobs" */
void tc_format_counted(struct tc_buf *buf, int64_t count, const char *noun);
/* "512 B", "4.75 MB", "94.6 GB": powers of 1024, three digits or four. */
void tc_format_bytes(struct tc_buf *buf, int64_t bytes);
/* Nanoseconds as milliseconds the way Python prints the float ns / 1e6: "415.491", "0.0". */
void tc_format_python_ms(struct tc_buf *buf, int64_t ns);

/* part / whole * 100, 0 when whole is not above 0. */
double tc_format_share_pct(int64_t part, int64_t whole);

/* The most columns of one paragraph or cell: our longest have 3,000, real names 5,160. */
enum { TC_FORMAT_MAX_COLUMNS = 16384 };

/* Columns that UTF-8 text takes on a terminal. */
int tc_format_columns(struct tc_text text);
/* Bytes of the longest start of text that takes at most so many columns. */
size_t tc_format_prefix(struct tc_text text, int columns);
/*
 * Appends text fit for a terminal: control characters, marks that turn the direction of text or do
 * not show, and what is not UTF-8 become '?', and with ascii everything beyond ASCII too. At most
 * max_columns, the middle cut out of longer text; 0 for TC_FORMAT_MAX_COLUMNS. All that is laid out
 * comes through here first, so no text of a trace is larger than that in a paragraph or a cell.
 */
void tc_format_clean(struct tc_buf *buf, struct tc_text text, bool ascii, int max_columns);
/* Appends count blanks; none when count is not above 0. */
void tc_format_pad(struct tc_buf *buf, int count);
/* Takes the blanks off the end. */
void tc_format_trim(struct tc_buf *buf);
/* A bar of share (0..1) of width columns, padded with blanks to width. */
void tc_format_bar(struct tc_buf *buf, double share, int width, bool ascii);
/*
 * Appends text wrapped at width, the lines after the first indented; column is where the first
 * line already stands. A number keeps the word behind it. A word longer than a line goes on in the next one,
 * behind a mark ("/", "_") where there is one. No newline at the end.
 */
void tc_format_wrap(struct tc_buf *buf, struct tc_text text, int indent, int column, int width);

/*
 * Appends SQL fit for a double-quoted word of a POSIX shell, in the lines in which it is written: blanks
 * outside of literals become one blank or line end, comments go, what the shell would read is escaped.
 */
void tc_format_shell_sql(struct tc_buf *buf, struct tc_text sql);
/* Appends a word for a POSIX shell, in single quotes when it needs them. */
void tc_format_shell_word(struct tc_buf *buf, struct tc_text word);

#endif
