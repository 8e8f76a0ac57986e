/*
 * The gzip codec: members one after another, each checked against its trailer. Zeros after a
 * member are padding and anything else that is no member is somebody's appendix; both end the
 * input without a word. A member that is damaged or short ends it with a reason; the bytes that
 * came out before are kept.
 */
#include <limits.h>
#include <zlib.h>

#include "core/alloc.h"
#include "source/codec.h"

struct gzip {
	z_stream stream;
	int member;  /* number of the member at hand, from 1 */
	bool inside; /* a member is open: the stream wants its bytes */
	bool done;
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

static enum tc_status out_of_memory(const struct tc_raw *raw)
{
	return tc_fail(raw->ctx, TC_ERR_NOMEM, "cannot decompress %s: out of memory", raw->name);
}

static enum tc_status gzip_open(void **state, struct tc_raw *raw)
{
	struct gzip *gzip = tc_calloc(1, sizeof(*gzip));

	if (!gzip)
		return out_of_memory(raw);
	gzip->stream.zalloc = alloc_for_zlib;
	gzip->stream.zfree = free_for_zlib;
	if (inflateInit2(&gzip->stream, 16 + MAX_WBITS) != Z_OK) {
		tc_free(gzip);
		return out_of_memory(raw);
	}
	gzip->inside = true;
	gzip->member = 1;
	*state = gzip;
	return TC_OK;
}

static void gzip_close(void *state)
{
	struct gzip *gzip = state;

	inflateEnd(&gzip->stream);
	tc_free(gzip);
}

/* Between members: opens the next one, or is done. */
static enum tc_status next_member(struct gzip *gzip, struct tc_raw *raw)
{
	enum tc_status status = tc_raw_skip_zeros(raw);

	if (!status)
		status = tc_raw_need(raw, 2);
	if (status)
		return status;
	const unsigned char *p = raw->bytes + raw->pos;
	size_t left = raw->len - raw->pos;
	if (left == 0 || p[0] != 0x1f || (left > 1 && p[1] != 0x8b)) {
		gzip->done = true;
		return TC_OK;
	}
	inflateReset(&gzip->stream);
	gzip->inside = true;
	gzip->member++;
	return TC_OK;
}

/* What inflate() said when it did not simply go on. */
static enum tc_status after_inflate(struct gzip *gzip, struct tc_raw *raw, int code)
{
	switch (code) {
	case Z_OK: return TC_OK;
	case Z_STREAM_END: gzip->inside = false; return TC_OK;
	case Z_MEM_ERROR: return out_of_memory(raw);
	case Z_BUF_ERROR: /* wants bytes that are not there */
		if (!raw->eof)
			return TC_OK;
		gzip->done = true;
		return tc_raw_cut(raw, "gzip member %d ends without its trailer", gzip->member);
	default:
		gzip->done = true;
		return tc_raw_cut(raw, "gzip member %d is damaged near byte %lld: %s", gzip->member,
			(long long)tc_raw_offset(raw),
			gzip->stream.msg ? gzip->stream.msg : "bad data");
	}
}

static enum tc_status gzip_read(
	void *state, struct tc_raw *raw, char *buffer, size_t capacity, size_t *len)
{
	struct gzip *gzip = state;
	z_stream *stream = &gzip->stream;
	uInt room = capacity > UINT_MAX ? UINT_MAX : (uInt)capacity;
	enum tc_status status = TC_OK;

	stream->next_out = (Bytef *)buffer;
	stream->avail_out = room;
	while (!status && !gzip->done && stream->avail_out > 0) {
		if (!gzip->inside) {
			status = next_member(gzip, raw);
			continue;
		}
		status = tc_raw_need(raw, 1);
		if (status)
			break;
		stream->next_in = raw->bytes + raw->pos;
		stream->avail_in = (uInt)(raw->len - raw->pos);
		int code = inflate(stream, Z_NO_FLUSH);
		raw->pos = raw->len - stream->avail_in;
		status = after_inflate(gzip, raw, code);
	}
	if (!status)
		*len = room - stream->avail_out;
	return status;
}

const struct tc_codec tc_codec_gzip = {"gzip", gzip_open, gzip_read, gzip_close};
