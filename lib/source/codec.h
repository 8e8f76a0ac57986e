/*
 * Inside of the source room: the file on disk, with a small look-ahead, and the
 * codecs that turn it into the trace's bytes.
 */
#ifndef TC_SOURCE_CODEC_H
#define TC_SOURCE_CODEC_H

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
	struct tc_buf cut;  /* why compressed data ended early; empty while it did not */
};

/* Reads once into buffer; *len 0 is the end of the file. Interrupted calls are repeated. */
enum tc_status tc_raw_read(struct tc_raw *raw, void *buffer, size_t capacity, size_t *len);

/* Has at least count bytes in bytes[pos, len), fewer only at the end of the file. */
enum tc_status tc_raw_need(struct tc_raw *raw, size_t count);

/* Skips zero bytes, as tape blocks and preallocated files have them after the last member. */
enum tc_status tc_raw_skip_zeros(struct tc_raw *raw);

/* The offset of bytes[pos] in the file. */
int64_t tc_raw_offset(const struct tc_raw *raw);

/* Sets the sentence about the cut. */
enum tc_status tc_raw_cut(struct tc_raw *raw, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

struct tc_codec {
	const char *name;
	/* What the codec keeps; NULL for nothing. */
	enum tc_status (*open)(void **state, struct tc_raw *raw);
	/* As tc_source_read(). */
	enum tc_status (*read)(
		void *state, struct tc_raw *raw, char *buffer, size_t capacity, size_t *len);
	void (*close)(void *state);
};

extern const struct tc_codec tc_codec_plain, tc_codec_gzip, tc_codec_zstd;

/* The codec for a file that starts with these bytes. */
const struct tc_codec *tc_codec_choose(const struct tc_raw *raw);

#endif
