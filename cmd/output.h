/*
 * Where results go: standard output or a file. Every byte passes tc_output_write(), so that a
 * full disk or a closed stream is noticed; a reader that went away (head, less) is no error.
 */
#ifndef TC_CMD_OUTPUT_H
#define TC_CMD_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct tc_output {
	FILE *file;
	const char *path; /* NULL for standard output */
	int error;        /* errno of the first write that failed */
};

struct tc_cli;

/* An exit code, told, when -o names a file that the command is to read (a trace, also one in a
 * directory, or what --with names) or the store that it makes; 0 when not. */
int tc_output_check(const struct tc_cli *cli);

/* Opens what -o names, or standard output without it and for "-". Checks once more, for the store is
 * there now. Returns 0, or prints why not and returns an exit code. */
int tc_output_open(struct tc_output *output, const struct tc_cli *cli);
/* A tc_write_fn; user is the struct tc_output. */
int tc_output_write(void *user, const char *bytes, size_t len);
/* True when a write failed; there is no use in going on. */
bool tc_output_failed(const struct tc_output *output);
/* Flushes and closes. Returns 0, or prints what was not written, removes the unfinished file and
 * returns an exit code. With failed, the caller has told why: the file is removed, and no more is
 * said. */
int tc_output_close(struct tc_output *output, bool failed);

#endif
