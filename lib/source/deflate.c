#include "source/deflate.h"

#include <limits.h>
#include <stdint.h>
#include <zlib.h>

#include "core/alloc.h"

enum {
	LEVEL = 6,      /* one more costs a third more time for a hundredth of the bytes */
	GZIP_BITS = 31, /* of a window of 32 KiB, with the head and the tail of gzip */
	PIECE_BYTES = 64 * 1024,
};

struct tc_deflate {
	z_stream stream;
	tc_deflated_fn write;
	void *user;
	unsigned char piece[PIECE_BYTES];
};

enum tc_status tc_deflate_new(
	struct tc_deflate **out, struct tc_ctx *ctx, tc_deflated_fn write, void *user)
{
	struct tc_deflate *gzip = tc_calloc(1, sizeof(*gzip));

	if (!gzip || deflateInit2(&gzip->stream, LEVEL, Z_DEFLATED, GZIP_BITS, 8,
			     Z_DEFAULT_STRATEGY) != Z_OK) {
		tc_free(gzip);
		return tc_no_memory(ctx);
	}
	gzip->write = write;
	gzip->user = user;
	*out = gzip;
	return TC_OK;
}

void tc_deflate_free(struct tc_deflate *gzip)
{
	if (gzip)
		deflateEnd(&gzip->stream);
	tc_free(gzip);
}

/* Hands on what the stream makes of the bytes at hand. With room in the piece left, it has none. */
static int drain(struct tc_deflate *gzip, int flush)
{
	z_stream *stream = &gzip->stream;
	int result = 0;

	do {
		stream->next_out = gzip->piece;
		stream->avail_out = PIECE_BYTES;
		(void)deflate(stream, flush);
		size_t len = PIECE_BYTES - stream->avail_out;
		if (len > 0)
			result = gzip->write(gzip->user, (const char *)gzip->piece, len);
	} while (result == 0 && stream->avail_out == 0);
	return result;
}

int tc_deflate_write(struct tc_deflate *gzip, const char *bytes, size_t len, bool is_last)
{
	int result = 0;

	while (result == 0 && len > 0) {
		size_t part = len < UINT_MAX ? len : UINT_MAX;
		gzip->stream.next_in = (Bytef *)(uintptr_t)bytes;
		gzip->stream.avail_in = (uInt)part;
		result = drain(gzip, Z_NO_FLUSH);
		bytes += part;
		len -= part;
	}
	return result == 0 && is_last ? drain(gzip, Z_FINISH) : result;
}
