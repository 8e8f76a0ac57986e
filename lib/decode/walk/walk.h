/*
 * What the JSON parser calls for each token; user is the struct tc_decoder. Each returns 1 to go
 * on or 0 to stop the parser (the decoder knows why). Strings are unescaped, numbers their text.
 */
#ifndef TC_DECODE_WALK_WALK_H
#define TC_DECODE_WALK_WALK_H

#include <stddef.h>

int tc_walk_null(void *user);
int tc_walk_bool(void *user, int value);
int tc_walk_number(void *user, const char *text, size_t len);
int tc_walk_string(void *user, const unsigned char *text, size_t len);
int tc_walk_key(void *user, const unsigned char *text, size_t len);
int tc_walk_start_map(void *user);
int tc_walk_end_map(void *user);
int tc_walk_start_array(void *user);
int tc_walk_end_array(void *user);

#endif
