/*
 * Where a report goes. A sink collects text in a buffer and writes it in large pieces. After the
 * first failure (memory is out, the reader is gone, an interrupt) it drops everything. So a
 * renderer writes without checks, and tc_sink_close() returns the failure.
 *
 * Every byte of a report passes through here, so this is where text is made safe. The output is
 * valid UTF-8. Characters that would move the cursor, change the direction of text or not show
 * (tc_glyph_hidden()) become '?', or an escape such as \u202e if the format asks for that. Line
 * feeds and tabs pass; a format in which they have a meaning must escape those of its texts itself.
 */
#pragma once

#include "core/buf.h"
#include "core/context.h"
#include "tracecoach/report.h"

struct tc_sink {
	tc_write_fn write;
	void *user;
	struct tc_buf buf;
	bool stopped; /* the reader wants no more, or there was an interrupt or a failure */
	/* Set before writing, by the caller of the renderer or by the format. */
	const struct tc_ctx *ctx; /* checked for interrupts and failures; may be NULL */
	bool styled;              /* ESC passes: the format writes colours */
	bool escapes;             /* \uXXXX, not '?'; U+FFFD for invalid UTF-8 */
	bool is_data;             /* the same, but only control characters do not pass */
};

void tc_sink_init(struct tc_sink *sink, tc_write_fn write, void *user);
/* A sink that fills a buffer, which must live until tc_sink_close(). */
void tc_sink_init_buf(struct tc_sink *sink, struct tc_buf *buf);
/* Writes the rest and frees the buffer. Returns the first failure, also one of before. */
enum tc_status tc_sink_close(struct tc_sink *sink, struct tc_ctx *ctx);

void tc_sink_put(struct tc_sink *sink, const char *string);
void tc_sink_text(struct tc_sink *sink, struct tc_text text);
/* The text as tc_buf_append_escaped() writes it. */
void tc_sink_escaped(
	struct tc_sink *sink, struct tc_text text, const char *special, const char *const *instead);
void tc_sink_fill(struct tc_sink *sink, const char *string, int count); /* string, count times */
void tc_sink_format(struct tc_sink *sink, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Whether all output is dropped after a failure: a long loop should end. */
bool tc_sink_dead(const struct tc_sink *sink);

/* ---- Fields of comma-separated rows. */

/* Puts a text as a field, and what stands after it. The field is quoted if it has characters that
 * CSV uses itself. An apostrophe comes before a text that a spreadsheet would take for a formula.
 */
void tc_put_csv(struct tc_sink *sink, struct tc_text text, const char *behind);

/* ---- what systems for continuous integration read: XML of JUnit, commands of a GitHub workflow.
 * The sink replaces characters that XML forbids. */

/* A test with at most one result. */
struct tc_case {
	struct tc_text class_name, name;
	const char *result; /* "failure", "error", "skipped", "system-out"; NULL for none */
	struct tc_text type, message, text; /* of the result; empty for none */
};

void tc_junit_begin(struct tc_sink *sink);
/* Counts: all, failures, errors, skipped. */
void tc_junit_suite(struct tc_sink *sink, struct tc_text name, const size_t counts[4]);
void tc_junit_case(struct tc_sink *sink, const struct tc_case *test);
void tc_junit_suite_end(struct tc_sink *sink);
void tc_junit_end(struct tc_sink *sink);
/* Puts a line that GitHub shows as an annotation: "error", "warning" or "notice". */
void tc_put_command(
	struct tc_sink *sink, const char *command, struct tc_text title, struct tc_text text);
