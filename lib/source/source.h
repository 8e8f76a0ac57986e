/*
 * Source: bytes of one trace, decompressed. The kind is determined from the first bytes, never from
 * the file's name: plain, gzip (several members, as pigz and appended logs write them), zstd; "-"
 * for standard input.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/context.h"

struct tc_source;

struct tc_source_loss {
	int64_t count;      /* of places where something is missing */
	const char *reason; /* why, of the first: "gzip member 2 ends early"; NULL for none */
	bool is_at_end;     /* nothing came behind the last of them */
	int64_t tail_bytes; /* behind the compressed data, and no part of it */
};

/*
 * Opens path ("-" is standard input) and looks at its first bytes. *out is owned by the caller.
 * TC_ERR_READ when it cannot be opened or read (missing, no permission); TC_ERR_INPUT when it is a
 * directory, empty, compressed with a window too large, or of a kind that source.c knows: the
 * message says what it is and what to do.
 */
enum tc_status tc_source_open(struct tc_source **out, struct tc_ctx *ctx, const char *path);
/* For a path that the user did not give: fails with TC_ERR_INPUT, without waiting, unless it is a
 * regular file. */
enum tc_status tc_source_open_regular(struct tc_source **out, struct tc_ctx *ctx, const char *path);
void tc_source_close(struct tc_source *source);

/*
 * Reads up to capacity decompressed bytes into buffer; *len is 0 only at the end. Damage inside
 * compressed data is not an error: what came before it has been delivered, and reading goes on with
 * the next member or frame behind, after TC_HOLE_BYTES zeros for what is missing (see
 * tc_source_loss). TC_ERR_READ when the operating system fails.
 */
enum tc_status tc_source_read(struct tc_source *source, char *buffer, size_t capacity, size_t *len);

/* Whether a file is a database of another profiler, known by its tables. */
bool tc_source_is_other_database(struct tc_ctx *ctx, const char *path);

/* After the end: what could not be read of compressed data. */
struct tc_source_loss tc_source_loss(const struct tc_source *source);

/* Bytes taken from the file so far, and its size (-1 for a pipe). */
int64_t tc_source_read_bytes(const struct tc_source *source);
int64_t tc_source_total_bytes(const struct tc_source *source);
