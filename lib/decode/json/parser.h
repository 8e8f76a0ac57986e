/*
 * The JSON parser, as little of it as the decoder needs: json.c wraps yajl and is the only file
 * that knows it. What is parsed is reported to the handlers of walk.h.
 */
#ifndef TC_DECODE_JSON_PARSER_H
#define TC_DECODE_JSON_PARSER_H

#include <stddef.h>

struct tc_json;

enum tc_json_result {
	TC_JSON_TAKEN,   /* all bytes parsed, more are welcome */
	TC_JSON_BROKEN,  /* the text is no JSON; the parser must be restarted */
	TC_JSON_STOPPED, /* a handler returned 0; the parser must be restarted */
	TC_JSON_NO_MEMORY,
};

/* A parser that reports to user. NULL when memory is out. The caller owns it. */
struct tc_json *tc_json_new(void *user);
void tc_json_free(struct tc_json *json); /* NULL is fine */

/* Forgets everything and starts with the state that the text prime leaves, unreported. */
enum tc_json_result tc_json_restart(struct tc_json *json, const char *prime);

/* Parses the next bytes. */
enum tc_json_result tc_json_parse(struct tc_json *json, const char *bytes, size_t len);

/* In a handler, and after a parse: how much of the bytes of this call was used, the current token
 * included. */
size_t tc_json_used(const struct tc_json *json);

#endif
