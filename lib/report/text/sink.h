/*
 * Where a report goes: text is collected in a buffer and handed on in large pieces. After the
 * first failure (memory is out, the reader is gone) everything is dropped, so that a renderer
 * writes on without checks and asks once, in tc_sink_close(). An interrupt is such a failure.
 *
 * This is the one place that every byte of a report passes, so it is where they are made safe:
 * what arrives is valid UTF-8, and characters that would move the cursor, turn text around or not
 * show (tc_glyph_hidden()) are '?', or escaped as \u202e where the format asks for that. Line
 * ends and tabs pass; a format that gives them a meaning escapes those of a text itself.
 */
#ifndef TC_REPORT_TEXT_SINK_H
#define TC_REPORT_TEXT_SINK_H

#include "core/buf.h"
#include "core/context.h"
#include "tracecoach/report.h"

struct tc_sink {
	tc_write_fn write;
	void *user;
	struct tc_buf buf;
	bool stopped; /* the reader wants no more, or there was an interrupt */
	/* Set before writing, by who runs the renderer or by the format. */
	const struct tc_ctx *ctx; /* whose interrupts are heeded, or NULL */
	bool styled;              /* ESC passes: the format writes colours */
	bool escapes;             /* \uXXXX, not '?'; U+FFFD for what is not UTF-8; CR passes */
	bool is_data;             /* all passes that is UTF-8: the user asked for the bytes */
};

void tc_sink_init(struct tc_sink *sink, tc_write_fn write, void *user);
/* Passes on what is left and frees the buffer; says what went wrong, if anything. */
enum tc_status tc_sink_close(struct tc_sink *sink, struct tc_ctx *ctx);

void tc_sink_put(struct tc_sink *sink, const char *string);
void tc_sink_text(struct tc_sink *sink, struct tc_text text);
void tc_sink_fill(struct tc_sink *sink, const char *string, int count); /* string, count times */
void tc_sink_format(struct tc_sink *sink, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* True when nothing written from now on arrives: time to leave a long loop. */
bool tc_sink_dead(const struct tc_sink *sink);

#endif
