/*
 * Texts for people: fit for a terminal, wrapped, and with help for what was mistyped.
 *
 * Strings that are handed out as char * are the caller's: tc_text_free(), or free(). They are NULL
 * when memory is out. Columns are those of a terminal: a wide character takes two, a mark on
 * another none.
 */
#ifndef TRACECOACH_TEXT_H
#define TRACECOACH_TEXT_H

#include <stddef.h>

#include "tracecoach/linkage.h"

TC_PUBLIC_BEGIN

/*
 * The text as one line that is safe to print whatever a trace has put into it: control characters,
 * marks that turn the direction of text or do not show, and what is no UTF-8 become '?'. Cut off
 * behind so many columns; a negative number keeps all of it.
 */
char *tc_text_line(const char *text, int columns);

/*
 * The label (not NULL) and the text from column indent on, wrapped at width columns, every line
 * behind indent blanks, with a newline at the end. Where too little of the width is left for that,
 * the text has lines of its own below the label.
 */
char *tc_text_wrap(const char *label, const char *text, int indent, int width);

/* Frees a text that the library handed out, for callers that have another free(); NULL is fine. */
void tc_text_free(char *text);

/* A page of the documentation that the library carries, Markdown. */
struct tc_page {
	const char *name, *text; /* "schema" of docs/schema.md */
};

/* The pages for those who ask a store: cookbook, edits and schema. A row without a name ends
 * them. */
const struct tc_page *tc_pages(void);

/* The name, among count, that is nearest to a mistyped word; NULL when none is near enough. */
const char *tc_nearest(const char *word, const char *const *names, size_t count);

TC_PUBLIC_END

#endif
