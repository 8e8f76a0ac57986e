#include "report/html/parts.h"

#include <limits.h>
#include <zlib.h>

#include "core/alloc.h"

#define LEVEL 6      /* the next level takes a third more time and saves one percent of the bytes */
#define GZIP_BITS 31 /* a window of 32 KiB, with the header and trailer of gzip */
#define CHUNK_BYTES 49152 /* a multiple of three: base64 of a piece needs no padding */

void tc_columns_put_signed(struct tc_buf *columns, int64_t value)
{
	uint64_t twice = (uint64_t)value << 1;

	tc_buf_append_varint(columns, value < 0 ? ~twice : twice);
}

static void put_base64(struct tc_sink *sink, const unsigned char *bytes, size_t len)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	struct tc_buf text = TC_BUF_EMPTY;
	char *out = tc_buf_extend(&text, (len + 2) / 3 * 4);

	for (size_t i = 0; out && i < len; i += 3, out += 4) {
		unsigned bits = (unsigned)bytes[i] << 16;
		bits |= i + 1 < len ? (unsigned)bytes[i + 1] << 8 : 0;
		bits |= i + 2 < len ? (unsigned)bytes[i + 2] : 0;
		out[0] = letters[bits >> 18];
		out[1] = letters[bits >> 12 & 63];
		out[2] = i + 1 < len ? letters[bits >> 6 & 63] : '=';
		out[3] = i + 2 < len ? letters[bits & 63] : '=';
	}
	tc_sink_text(sink, tc_buf_text(&text));
	tc_buf_end(&sink->buf, &text);
}

/* Deflates what the stream was given, piece by piece. */
static void put_deflated(struct tc_sink *sink, z_stream *stream, unsigned char *piece)
{
	int result = Z_OK;

	while (result == Z_OK && !tc_sink_dead(sink)) {
		stream->next_out = piece;
		stream->avail_out = CHUNK_BYTES;
		while (result == Z_OK && stream->avail_out > 0)
			result = deflate(stream, Z_FINISH);
		put_base64(sink, piece, CHUNK_BYTES - stream->avail_out);
	}
	sink->buf.failed |= result != Z_STREAM_END;
}

void tc_columns_write(struct tc_sink *sink, const struct tc_buf *columns)
{
	unsigned char *piece = (unsigned char *)tc_malloc(CHUNK_BYTES);
	z_stream stream = {0};

	sink->buf.failed |= tc_buf_failed(columns) || !piece || columns->len > UINT_MAX;
	if (tc_sink_dead(sink) || deflateInit2(&stream, LEVEL, Z_DEFLATED, GZIP_BITS, 8,
					  Z_DEFAULT_STRATEGY) != Z_OK) {
		sink->buf.failed |= !tc_sink_dead(sink);
		tc_free(piece);
		return;
	}
	stream.next_in = (unsigned char *)columns->ptr;
	stream.avail_in = (uInt)columns->len;
	put_deflated(sink, &stream, piece);
	deflateEnd(&stream);
	tc_free(piece);
}
