/* The zstd codec: frames one after another, some of them to be skipped. */
#define ZSTD_STATIC_LINKING_ONLY /* for ZSTD_customMem: memory comes through core/alloc.h */
#include <zstd.h>
#include <zstd_errors.h>

#include "core/alloc.h"
#include "source/codec.h"

struct zstd {
	struct tc_parts parts;
	ZSTD_DStream *stream;
};

static void *alloc_for_zstd(void *opaque, size_t size)
{
	(void)opaque;
	return tc_malloc(size);
}

static void free_for_zstd(void *opaque, void *ptr)
{
	(void)opaque;
	tc_free(ptr);
}

static void zstd_close(void *state)
{
	struct zstd *zstd = state;

	ZSTD_freeDStream(zstd->stream);
	tc_free(zstd);
}

/* Frames to skip count among damage only as part of what is missing. */
static bool starts(const unsigned char *bytes, size_t len, bool is_certain)
{
	static const unsigned char magic[4] = {0x28, 0xb5, 0x2f, 0xfd};
	static const unsigned char skippable[4] = {0x50, 0x2a, 0x4d, 0x18};
	bool is_frame = true, is_skippable = !is_certain;

	for (size_t i = 0; i < 4 && i < len; i++) {
		is_frame = is_frame && bytes[i] == magic[i];
		is_skippable = is_skippable && (i ? bytes[i] : bytes[i] & 0xf0) == skippable[i];
	}
	return (is_frame && (len >= 4 || !is_certain)) || is_skippable;
}

/* A frame whose window is larger than what decompressing it may take: the first one is refused, a
 * later one left. */
static enum tc_status check_window(struct tc_parts *parts, struct tc_raw *raw)
{
	ZSTD_frameHeader header;
	enum tc_status status = tc_raw_need(raw, ZSTD_FRAMEHEADERSIZE_MAX);

	if (status)
		return status;
	if (ZSTD_getFrameHeader(&header, raw->bytes + raw->pos, raw->len - raw->pos) != 0 ||
		header.frameType != ZSTD_frame ||
		header.windowSize <= (UINT64_C(1) << ZSTD_WINDOWLOG_LIMIT_DEFAULT))
		return TC_OK;
	unsigned long long mib = header.windowSize / (1024 * 1024);
	if (!parts->has_output)
		return tc_fail(raw->ctx, TC_ERR_INPUT,
			"%s is compressed by zstd with a window of %llu MiB, and at most %d MiB "
			"are supported; decompress it first (zstd -d --long=31 -o trace.json)",
			raw->name, mib, 1 << (ZSTD_WINDOWLOG_LIMIT_DEFAULT - 20));
	return tc_parts_leave(parts, raw,
		"has a window of %llu MiB, more than is read: decompress the file first (zstd -d "
		"--long=31)",
		mib);
}

static enum tc_status begin(struct tc_parts *parts, struct tc_raw *raw)
{
	const struct zstd *zstd = parts->state;

	(void)ZSTD_DCtx_reset(zstd->stream, ZSTD_reset_session_only);
	return check_window(parts, raw);
}

/* One call of the decompressor; output that did not fit last time comes first. */
static enum tc_inflate_result decompress(void *state, struct tc_inflate_io *io, const char **why)
{
	const struct zstd *zstd = state;
	ZSTD_inBuffer input = {io->in, io->in_len, 0};
	ZSTD_outBuffer output = {io->out, io->out_len, 0};
	size_t code = ZSTD_decompressStream(zstd->stream, &output, &input);

	io->in += input.pos;
	io->in_len -= input.pos;
	io->out += output.pos;
	io->out_len -= output.pos;
	if (!ZSTD_isError(code))
		return code == 0 ? TC_INFLATE_END : TC_INFLATE_MORE;
	*why = ZSTD_getErrorName(code);
	return ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation ? TC_INFLATE_NO_MEMORY
								       : TC_INFLATE_DAMAGED;
}

static const struct tc_part_kind frame = {"zstd frame", starts, begin, decompress};

static enum tc_status zstd_open(void **state, struct tc_raw *raw)
{
	struct zstd *zstd = tc_calloc(1, sizeof(*zstd));
	const ZSTD_customMem memory = {alloc_for_zstd, free_for_zstd, NULL};

	if (zstd)
		zstd->stream = ZSTD_createDStream_advanced(memory);
	if (!zstd || !zstd->stream) {
		tc_free(zstd);
		return tc_fail(
			raw->ctx, TC_ERR_NOMEM, "cannot decompress %s: out of memory", raw->name);
	}
	zstd->parts = (struct tc_parts){.kind = &frame, .state = zstd};
	*state = zstd;
	return TC_OK;
}

static enum tc_status zstd_read(
	void *state, struct tc_raw *raw, char *buffer, size_t capacity, size_t *len)
{
	struct zstd *zstd = state;

	return tc_parts_read(&zstd->parts, raw, buffer, capacity, len);
}

const struct tc_codec tc_codec_zstd = {"zstd", zstd_open, zstd_read, zstd_close};
