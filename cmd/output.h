/*
 * Where results go: standard output or a file. Every byte passes tc_output_write(), so that a
 * full disk or a closed stream is noticed; a reader that went away (head, less) is no error. What
 * is open already (standard output, /dev/fd/N) is written to as it is, like devices and pipes. A
 * file appears under its name when it is whole (tracecoach/outfile.h); until then, and when anything
 * fails, what stood there stays.
 */
#ifndef TC_CMD_OUTPUT_H
#define TC_CMD_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct tc_cli;
struct tc_outfile;

struct tc_output {
	const struct tc_cli *cli;
	FILE *file;
	const char *path;           /* NULL for standard output */
	int error;                  /* errno of the first write that failed */
	struct tc_outfile *outfile; /* NULL for what is not replaced */
};

/*
 * Early, before anything is read for long: an exit code, told, when -o names a file that the
 * command has read or is to read (a trace or store, also one in a directory; a side file, given or
 * found; settings; rules), the store that it makes, any other SQLite database or a journal of one, a
 * descriptor that is not open for writing, or a place where no file can be made; 0 when not. Call it when settings and rules are read.
 */
int tc_output_check(const struct tc_cli *cli);

/* Opens what -o names, or standard output without it and for "-". Returns 0, or prints why not and
 * returns an exit code. */
int tc_output_open(struct tc_output *output, const struct tc_cli *cli);
/* A tc_write_fn; user is the struct tc_output. */
int tc_output_write(void *user, const char *bytes, size_t len);
/* True when a write failed; there is no use in going on. */
bool tc_output_failed(const struct tc_output *output);
/* Flushes, checks once more what was read, closes, and puts the file in place. Returns 0, or prints
 * what was not written and returns an exit code. With failed, the caller has told why: nothing is
 * put in place, and no more is said. */
int tc_output_close(struct tc_output *output, bool failed);

#endif
