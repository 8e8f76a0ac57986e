/* The way back: bytes to a gzip stream, in flat memory. */
#ifndef TC_SOURCE_DEFLATE_H
#define TC_SOURCE_DEFLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/context.h"

struct tc_deflate;

/* Takes compressed bytes; 0 to go on. */
typedef int (*tc_deflated_fn)(void *user, const char *bytes, size_t len);

/* *out is the caller's: tc_deflate_free(). */
enum tc_status tc_deflate_new(
	struct tc_deflate **out, struct tc_ctx *ctx, tc_deflated_fn write, void *user);
void tc_deflate_free(struct tc_deflate *gzip); /* NULL is fine */

/* Compresses the next bytes; is_last ends the stream. Returns 0, or what write returned. */
int tc_deflate_write(struct tc_deflate *gzip, const char *bytes, size_t len, bool is_last);

#endif
