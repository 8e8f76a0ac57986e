/*
 * Ini files: sections with keys and values, comments behind ; and #. An indented key is a key, not
 * more of the value above. A message about a line begins with its path and number.
 */
#pragma once

#include <stddef.h>

struct tc_ctx;

/* Takes a value, or fails the context: "no such key". */
typedef void (*tc_ini_fn)(void *user, const char *section, const char *key, const char *value);

/* Words for messages about the file. */
struct tc_ini {
	const char *what;     /* "the settings in" */
	const char *kind;     /* "an ini file of settings" */
	const char *homeless; /* of a key above the first section */
	const char *formless; /* of a line that is neither a section nor a key with its value */
	size_t limit_bytes;
	tc_ini_fn take;
	void *user;
};

/* Reads a file of the user's; a pipe of the shell's will do, too. At a fault the context fails;
 * what stands above it has been taken. */
void tc_ini_read(const struct tc_ini *ini, struct tc_ctx *ctx, const char *path);
