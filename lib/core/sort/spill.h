/*
 * Spill file: bytes that do not fit in memory, in a temporary file without a name
 * (core/files/files.h). Appends are buffered; reads are by position. Failures are in the context.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/context.h"

struct tc_spill;

/* An empty spill file, NULL without memory; the file itself is made at the first flush. */
struct tc_spill *tc_spill_new(struct tc_ctx *ctx);
void tc_spill_free(struct tc_spill *spill); /* NULL is fine */

/* Appends; *offset is where the bytes begin. */
void tc_spill_append(struct tc_spill *spill, const void *bytes, size_t len, int64_t *offset);
/* Writes out what is buffered. Reads change nothing afterwards, until something is appended, so
 * several threads may read. */
void tc_spill_flush(struct tc_spill *spill);
/* Reads len bytes at offset, all of which were appended before. False after a failure, which is in
 * ctx: that of the writer may have ended once all is flushed. */
bool tc_spill_read(
	struct tc_spill *spill, struct tc_ctx *ctx, void *bytes, size_t len, int64_t offset);
