/*
 * Files as the library reads and writes them: whole reads and writes, and temporary files. reads.h
 * has the files of the user that were read.
 */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/context.h"

/* ---- whole reads and writes at a place of a file, whatever interrupts them */

/* How many of len bytes are there; -1 with errno. */
ssize_t tc_whole_read(int fd, void *bytes, size_t len, int64_t place);
/* Returns 0, or an errno value. */
int tc_whole_write(int fd, const void *bytes, size_t len, int64_t place);

/* ---- temporary files: without a name, so nothing is left of them, however the program ends */

/* Where they are made, for messages: $TMPDIR, or without it /tmp and else /var/tmp. */
const char *tc_temporary_directory(void);
/* The directories that are tried, from 0; NULL behind the last. */
const char *tc_temporary_place(size_t index);

/* An empty file there, open for reading and writing, that only its
 * descriptor leads to; -1 with errno. */
int tc_temporary_open(void);
/* Opens a temporary file; an error says what to do. *out is the caller's to close. */
enum tc_status tc_temporary_create(int *out, struct tc_ctx *ctx);

/* Tests only: behaves as on a file system that cannot make files without a name. */
void tc_temporary_force_names(bool force);
bool tc_temporary_names_forced(void);

/* ---- for errors */

/* Whether it is the file or directory that cannot be opened to read, or any. */
static inline enum tc_status tc_open_status(int error)
{
	if (error == ENOMEM)
		return TC_ERR_NOMEM;
	return error == EMFILE || error == ENFILE ? TC_ERR_IO : TC_ERR_READ;
}
/* The path, or words for an empty one. */
static inline const char *tc_path_shown(const char *path)
{
	return *path ? path : "(an empty name)";
}
