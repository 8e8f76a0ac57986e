/*
 * Compression, both ways. For source.c: the file on disk, with a small look-ahead, and the codecs
 * that turn it into the bytes of the trace; all fail the context of the file. For rooms that write
 * traces: bytes to a gzip stream.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/buf.h"
#include "core/context.h"

/* Bytes taken from a compressed file at once. */
#define TC_RAW_BYTES (128 * 1024)

/* The file. bytes[pos, len) were read and not used yet; eof: no more will come. */
struct tc_raw {
	struct tc_ctx *ctx;
	char *name; /* for messages */
	int fd;
	bool eof;
	unsigned char *bytes; /* TC_RAW_BYTES of room */
	size_t pos, len;
	int64_t read_bytes; /* taken from the file */
	/* The parts of it that could not be read, for tc_source_loss(). */
	int64_t loss_count, tail_bytes;
	struct tc_buf loss_reason; /* empty, or a terminated string */
	bool ends_early;
};

/* Has at least count bytes in bytes[pos, len), fewer only at the end of the file. Of what was used
 * the last bytes stay before them. */
void tc_raw_need(struct tc_raw *raw, size_t count);

struct tc_codec {
	void *(*open)(struct tc_raw *raw); /* its state; NULL for a codec without one */
	/* Reads up to capacity bytes of the trace; 0 only at the end. */
	size_t (*read)(void *state, struct tc_raw *raw, char *buffer, size_t capacity);
	void (*close)(void *state);
};

extern const struct tc_codec tc_codec_plain;

/* The codec for a file that starts with these bytes. */
const struct tc_codec *tc_codec_choose(const struct tc_raw *raw);

/* Bytes to a gzip stream, in flat memory. */
struct tc_deflate;

/* Takes compressed bytes; 0 to go on. */
typedef int (*tc_deflated_fn)(void *user, const char *bytes, size_t len);

/* *out is the caller's: tc_deflate_free(). */
enum tc_status tc_deflate_new(
	struct tc_deflate **out, struct tc_ctx *ctx, tc_deflated_fn write, void *user);
void tc_deflate_free(struct tc_deflate *gzip); /* NULL is fine */

/* Compresses the next bytes; is_last ends the stream. Returns 0, or what write returned. */
int tc_deflate_write(struct tc_deflate *gzip, const char *bytes, size_t len, bool is_last);
