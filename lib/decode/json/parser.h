/*
 * The JSON parser, as little of it as the decoder needs: parser.c wraps yajl and is the only file
 * that knows it.
 */
#pragma once

#include <stddef.h>

struct tc_parser;

/* Called for each token. Each returns 1 to go on or 0 to stop the parser. Strings are
 * unescaped, numbers their text. */
struct tc_parser_handlers {
	int (*null)(void *user);
	int (*boolean)(void *user, int value);
	int (*number)(void *user, const char *text, size_t len);
	int (*string)(void *user, const unsigned char *text, size_t len);
	int (*start_map)(void *user);
	int (*key)(void *user, const unsigned char *text, size_t len);
	int (*end_map)(void *user);
	int (*start_array)(void *user);
	int (*end_array)(void *user);
};

enum tc_parser_result {
	TC_PARSER_TAKEN,   /* all bytes parsed, more are welcome */
	TC_PARSER_BROKEN,  /* the text is no JSON; the parser must be restarted */
	TC_PARSER_STOPPED, /* a handler returned 0; the parser must be restarted */
	TC_PARSER_NO_MEMORY,
};

/* A parser that reports to user. NULL when memory is out. The caller owns it. */
struct tc_parser *tc_parser_new(const struct tc_parser_handlers *handlers, void *user);
void tc_parser_free(struct tc_parser *parser); /* NULL is fine */

/* Forgets everything and starts with the state that the text prime leaves, unreported. */
enum tc_parser_result tc_parser_restart(struct tc_parser *parser, const char *prime);

/* Parses the next bytes. */
enum tc_parser_result tc_parser_feed(struct tc_parser *parser, const char *bytes, size_t len);

/* In a handler, and after a parse: how much of the bytes of this call was used, the current token
 * included. */
size_t tc_parser_used(const struct tc_parser *parser);
