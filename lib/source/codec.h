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
#include "source/inflater.h"

/* Bytes taken from a compressed file at once. */
#define TC_RAW_BYTES (128 * 1024)
/* Bytes that were used and are kept: where a short part ended is less far back. */
#define TC_RAW_KEPT_BYTES (8 * 1024)

/* The file. bytes[pos, len) were read and not used yet; eof: no more will come. */
struct tc_raw {
	struct tc_ctx *ctx;
	char *name; /* for messages */
	int fd;
	bool eof;
	unsigned char *bytes; /* TC_RAW_BYTES of room */
	size_t pos, len;
	int64_t read_bytes; /* taken from the file */
	/* What could not be read of it; see tc_source_loss() of source.h. */
	int64_t loss_count, tail_bytes;
	struct tc_buf loss_reason; /* empty, or a terminated string */
	bool ends_early;
};

/* Reads once into buffer; *len 0 is the end of the file. Interrupted calls are repeated. */
enum tc_status tc_raw_read(struct tc_raw *raw, void *buffer, size_t capacity, size_t *len);

/* Has at least count bytes in bytes[pos, len), fewer only at the end of the file. Of what was used
 * the last bytes stay before them. */
enum tc_status tc_raw_need(struct tc_raw *raw, size_t count);

/* Skips zero bytes, as tape blocks and preallocated files have them after the last member. */
enum tc_status tc_raw_skip_zeros(struct tc_raw *raw);

/* The offset of bytes[pos] in the file. */
int64_t tc_raw_offset(const struct tc_raw *raw);

struct tc_codec {
	const char *name;
	/* What the codec keeps; NULL for nothing. */
	enum tc_status (*open)(void **state, struct tc_raw *raw);
	/* As tc_source_read(). */
	enum tc_status (*read)(
		void *state, struct tc_raw *raw, char *buffer, size_t capacity, size_t *len);
	void (*close)(void *state);
};

/* ---- parts.c: the members of a gzip file, or the frames of a zstd file: parts that are compressed
 * each for itself. */

struct tc_parts;

struct tc_part_kind {
	const char *noun; /* "gzip member" */
	/* Whether a part starts with these bytes, fewer than ten only at the end of the file. Among
	 * damage it must be certain. */
	bool (*starts)(const unsigned char *bytes, size_t len, bool is_certain);
	/* Gets ready for the part at raw->pos, or leaves it. */
	enum tc_status (*begin)(struct tc_parts *parts, struct tc_raw *raw);
	enum tc_inflate_result (*decompress)(
		void *state, struct tc_inflate_io *io, const char **why);
};

struct tc_parts {
	const struct tc_part_kind *kind;
	void *state;      /* of the codec */
	int64_t number;   /* of the current part, from 1 */
	int64_t start;    /* offset of its first byte in the file */
	int64_t searched; /* offset up to which the start of another was looked for */
	bool inside;      /* a part is open: its decompressor wants its bytes */
	bool is_lost;     /* what is before the next part is missing */
	bool has_output;
	bool done;
	size_t hole_bytes; /* zeros to deliver before the part */
};

/* As tc_source_read(). */
enum tc_status tc_parts_read(
	struct tc_parts *parts, struct tc_raw *raw, char *buffer, size_t capacity, size_t *len);

/* Leaves the current part, of which the text says why: "ends early". */
enum tc_status tc_parts_leave(struct tc_parts *parts, struct tc_raw *raw, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

extern const struct tc_codec tc_codec_plain, tc_codec_gzip, tc_codec_zstd;

/* The codec for a file that starts with these bytes. */
const struct tc_codec *tc_codec_choose(const struct tc_raw *raw);

#endif
