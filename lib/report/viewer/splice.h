/*
 * Finds the place in the text of a trace where events can be inserted: before the first event,
 * after "traceEvents": [ of the outermost object or after the [ of the outermost array. The text
 * comes in pieces.
 */
#ifndef TC_REPORT_VIEWER_SPLICE_H
#define TC_REPORT_VIEWER_SPLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tc_splice_after { TC_SPLICE_OTHER, TC_SPLICE_KEY, TC_SPLICE_COLON, TC_SPLICE_LIST };

struct tc_splice {
	int64_t depth;
	bool in_string, is_escaped;
	size_t matched; /* bytes of the string that match the key; SIZE_MAX: another string */
	enum tc_splice_after after; /* the last thing that is not blank */
	bool found;
	char next; /* the byte at the place; '\0' at the end of the text */
};

/* is_lines: every line is an event, so the first one is the place. */
void tc_splice_init(struct tc_splice *splice, bool is_lines);

/* Returns the number of bytes of the piece before the place; len as long as it is not found. */
size_t tc_splice_scan(struct tc_splice *splice, const char *bytes, size_t len);

/* Call at the end of the text: the place is also found if the text ends right after the [. */
void tc_splice_end(struct tc_splice *splice);

#endif
