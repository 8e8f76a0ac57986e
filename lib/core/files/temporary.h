/* Temporary files: they have no name, so nothing is left of them, however the program ends. */
#ifndef TC_CORE_FILES_TEMPORARY_H
#define TC_CORE_FILES_TEMPORARY_H

#include <stdbool.h>
#include <stddef.h>

#include "core/context.h"

/* Where they are made, for messages: $TMPDIR, or without it /tmp and else /var/tmp. */
const char *tc_temporary_directory(void);
/* The directories that are tried, from 0; NULL behind the last. */
const char *tc_temporary_place(size_t index);

/* An empty file there, open for reading and writing, that only its
 * descriptor leads to; -1 with errno. */
int tc_temporary_open(void);
/* The same; an error says what to do. *out is the caller's to close. */
enum tc_status tc_temporary_create(int *out, struct tc_ctx *ctx);

/* Tests only: behaves as on a file system that cannot make files without a name. */
void tc_temporary_force_names(bool force);
bool tc_temporary_names_forced(void);

#endif
