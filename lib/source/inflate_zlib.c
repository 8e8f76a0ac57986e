/* Inflater over zlib; see inflater.h. */
#include "source/inflater.h"

#ifndef TC_HAVE_ISAL
#include <limits.h>
#include <stdint.h>

#include <zlib.h>

#include "core/alloc.h"

struct tc_inflater {
	z_stream stream;
};

static voidpf alloc_for_zlib(voidpf opaque, uInt count, uInt size)
{
	(void)opaque;
	return tc_calloc(count, size);
}

static void free_for_zlib(voidpf opaque, voidpf ptr)
{
	(void)opaque;
	tc_free(ptr);
}

struct tc_inflater *tc_inflater_new(void)
{
	struct tc_inflater *inflater = tc_calloc(1, sizeof(*inflater));

	if (!inflater)
		return NULL;
	inflater->stream.zalloc = alloc_for_zlib;
	inflater->stream.zfree = free_for_zlib;
	if (inflateInit2(&inflater->stream, 16 + MAX_WBITS) == Z_OK)
		return inflater;
	tc_free(inflater);
	return NULL;
}

void tc_inflater_free(struct tc_inflater *inflater)
{
	if (!inflater)
		return;
	inflateEnd(&inflater->stream);
	tc_free(inflater);
}

void tc_inflater_restart(struct tc_inflater *inflater)
{
	inflateReset(&inflater->stream);
}

enum tc_inflate_result tc_inflate(
	struct tc_inflater *inflater, struct tc_inflate_io *io, const char **why)
{
	z_stream *stream = &inflater->stream;
	uInt in_len = io->in_len > UINT_MAX ? UINT_MAX : (uInt)io->in_len;
	uInt out_len = io->out_len > UINT_MAX ? UINT_MAX : (uInt)io->out_len;

	stream->next_in = (Bytef *)(uintptr_t)io->in; /* which it only reads */
	stream->avail_in = in_len;
	stream->next_out = io->out;
	stream->avail_out = out_len;
	int code = inflate(stream, Z_NO_FLUSH);
	io->in += in_len - stream->avail_in;
	io->in_len -= in_len - stream->avail_in;
	io->out += out_len - stream->avail_out;
	io->out_len -= out_len - stream->avail_out;
	switch (code) {
	case Z_OK:
	case Z_BUF_ERROR: return TC_INFLATE_MORE;
	case Z_STREAM_END: return TC_INFLATE_END;
	case Z_MEM_ERROR: return TC_INFLATE_NO_MEMORY;
	default: *why = stream->msg ? stream->msg : "bad data"; return TC_INFLATE_DAMAGED;
	}
}
#endif
