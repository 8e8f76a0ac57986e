/* See gzip.h. */
#include "report/viewer/gzip.h"

#include <limits.h>
#define ZLIB_CONST /* it reads its input only */
#include <zlib.h>

#include "core/alloc.h"

#define ROOM_BYTES (64 * 1024)
#define GZIP_BITS (15 + 16) /* zlib's way to ask for a gzip header */

struct tc_gzip {
	struct tc_ctx *ctx;
	tc_write_fn write;
	void *user;
	bool compress;
	z_stream stream;
	unsigned char room[ROOM_BYTES];
};

static voidpf take_memory(voidpf user, uInt count, uInt size)
{
	(void)user;
	return tc_calloc(count, size);
}

static void give_memory(voidpf user, voidpf memory)
{
	(void)user;
	tc_free(memory);
}

enum tc_status tc_gzip_open(
	struct tc_gzip **out, struct tc_ctx *ctx, bool compress, tc_write_fn write, void *user)
{
	struct tc_gzip *gzip = tc_malloc(sizeof(*gzip));

	if (!gzip)
		return tc_fail(ctx, TC_ERR_NOMEM, "out of memory");
	gzip->ctx = ctx;
	gzip->write = write;
	gzip->user = user;
	gzip->compress = compress;
	gzip->stream = (z_stream){.zalloc = take_memory, .zfree = give_memory};
	if (compress && deflateInit2(&gzip->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_BITS, 8,
				Z_DEFAULT_STRATEGY) != Z_OK) {
		tc_free(gzip);
		return tc_fail(ctx, TC_ERR_NOMEM, "out of memory");
	}
	*out = gzip;
	return TC_OK;
}

/* Passes on all that comes out for what the stream was given. */
static int deflate_all(struct tc_gzip *gzip, int flush)
{
	z_stream *stream = &gzip->stream;
	int failed = 0;

	do {
		stream->next_out = gzip->room;
		stream->avail_out = ROOM_BYTES;
		(void)deflate(stream, flush);
		size_t len = ROOM_BYTES - stream->avail_out;
		if (len > 0)
			failed = gzip->write(gzip->user, (const char *)gzip->room, len);
	} while (!failed && stream->avail_out == 0);
	return failed;
}

int tc_gzip_write(void *user, const char *bytes, size_t len)
{
	struct tc_gzip *gzip = user;
	int failed = 0;

	if (!gzip->compress)
		return gzip->write(gzip->user, bytes, len);
	while (len > 0 && !failed) {
		size_t piece = len < INT_MAX ? len : INT_MAX;
		gzip->stream.next_in = (const unsigned char *)bytes;
		gzip->stream.avail_in = (uInt)piece;
		failed = deflate_all(gzip, Z_NO_FLUSH);
		bytes += piece;
		len -= piece;
	}
	return failed;
}

enum tc_status tc_gzip_close(struct tc_gzip *gzip, enum tc_status status)
{
	if (gzip->compress && status == TC_OK && deflate_all(gzip, Z_FINISH) != 0)
		status =
			tc_fail(gzip->ctx, TC_ERR_IO, "cannot write the trace: its reader stopped");
	if (gzip->compress)
		deflateEnd(&gzip->stream);
	tc_free(gzip);
	return status;
}
