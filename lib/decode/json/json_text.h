/*
 * JSON text as text: walking, copying and merging without building a tree. The functions that
 * take JSON expect valid JSON, as the decoder delivers it; on anything else they stop early, and
 * never read outside the text.
 */
#pragma once

#include <stdbool.h>

#include "core/buf.h"
#include "core/text.h"
#include "decode/json/scan.h"

enum tc_json_kind {
	TC_JSON_NULL,
	TC_JSON_BOOL,
	TC_JSON_NUMBER,
	TC_JSON_STRING,
	TC_JSON_OBJECT,
	TC_JSON_ARRAY,
};

/* One member of an object; both texts are slices of the object's text. */
struct tc_json_member {
	struct tc_text key;   /* between its quotes, still escaped: see tc_json_unescape() */
	struct tc_text value; /* as written; a string with its quotes */
	enum tc_json_kind kind;
};

/* Walks the members of an object; blanks between them are fine. */
struct tc_json_iter {
	const char *at, *end;
};

/* Starts at the first member; when text is no object the walk has no members. */
void tc_json_iter_init(struct tc_json_iter *iter, struct tc_text object);
/* Gives the next member. False at the end. */
bool tc_json_iter_next(struct tc_json_iter *iter, struct tc_json_member *member);

/* The length of the value that text starts with, 0 when it starts with none or is cut. */
size_t tc_json_value_length(struct tc_text text);

/* Appends a string, given between its quotes, with escapes resolved. Surrogates without their
 * partner and \u0000 become U+FFFD. */
void tc_json_unescape(struct tc_buf *out, struct tc_text raw);

/* The value of four hex digits at p, -1 when they are not there. */
int tc_json_hex4(const char *p, const char *end);

/* Is JSON text UTF-8, and does every surrogate escape have its partner? escapes: the text may have
 * escapes; without them only the first is checked. */
bool tc_json_clean(struct tc_text raw, bool escapes);

/* Appends text as a JSON string with quotes. Text must be UTF-8. */
void tc_json_append_string(struct tc_buf *out, struct tc_text text);

/* Appends json in its one compact form: without blanks outside strings, and with those characters
 * alone escaped that tc_json_append_string() escapes. */
void tc_json_compact(struct tc_buf *out, struct tc_text json);
/* Writes the compact form into memory with room for json.len bytes; returns its end. */
char *tc_json_compact_to(char *to, struct tc_text json);

/*
 * Appends the members of b and e as one object: b's in their order, with the values of e where
 * both have a key, then e's own. *conflict is true if a key was in both. Text that is no
 * object (NULL, an array) gives way to the other; when both are no objects, e stays, or b if e
 * is NULL.
 */
void tc_json_merge(struct tc_buf *out, struct tc_text b, struct tc_text e, bool *conflict);
