/*
 * The zstd codec: frames one after another. What follows the last frame
 * and what damage does is as for gzip.
 */
#define ZSTD_STATIC_LINKING_ONLY /* for ZSTD_customMem: memory comes through core/alloc.h */
#include <zstd.h>
#include <zstd_errors.h>

#include "core/alloc.h"
#include "source/codec.h"

struct zstd {
	ZSTD_DStream *stream;
	int frame;   /* number of the current frame, from 1 */
	bool inside; /* a frame is open: the stream wants its bytes */
	bool has_output;
	bool done;
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

static enum tc_status out_of_memory(const struct tc_raw *raw)
{
	return tc_fail(raw->ctx, TC_ERR_NOMEM, "cannot decompress %s: out of memory", raw->name);
}

static void zstd_close(void *state)
{
	struct zstd *zstd = state;

	ZSTD_freeDStream(zstd->stream);
	tc_free(zstd);
}

/* True for the first bytes of a frame, or as many of them as there are. */
static bool starts_frame(const unsigned char *p, size_t len)
{
	static const unsigned char magic[4] = {0x28, 0xb5, 0x2f, 0xfd};
	static const unsigned char skippable[4] = {0x50, 0x2a, 0x4d, 0x18};
	bool is_frame = true, is_skippable = true;

	for (size_t i = 0; i < 4 && i < len; i++) {
		is_frame = is_frame && p[i] == magic[i];
		is_skippable = is_skippable && (i ? p[i] : p[i] & 0xf0) == skippable[i];
	}
	return is_frame || is_skippable;
}

/* A frame whose window is larger than what decompressing it may take: the first one is refused, a
 * later one ends the input. */
static enum tc_status check_window(struct zstd *zstd, struct tc_raw *raw)
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
	if (!zstd->has_output)
		return tc_fail(raw->ctx, TC_ERR_INPUT,
			"%s is compressed by zstd with a window of %llu MiB, and at most %d MiB "
			"are "
			"supported; decompress it first (zstd -d --long=31 -o trace.json)",
			raw->name, mib, 1 << (ZSTD_WINDOWLOG_LIMIT_DEFAULT - 20));
	zstd->done = true;
	return tc_raw_cut(raw,
		"zstd frame %d has a window of %llu MiB, more than is read: decompress the file "
		"first (zstd -d --long=31)",
		zstd->frame, mib);
}

static enum tc_status zstd_open(void **state, struct tc_raw *raw)
{
	struct zstd *zstd = tc_calloc(1, sizeof(*zstd));

	if (!zstd)
		return out_of_memory(raw);
	ZSTD_customMem memory = {alloc_for_zstd, free_for_zstd, NULL};
	zstd->stream = ZSTD_createDStream_advanced(memory);
	if (!zstd->stream) {
		tc_free(zstd);
		return out_of_memory(raw);
	}
	zstd->inside = true;
	zstd->frame = 1;
	enum tc_status status = check_window(zstd, raw);
	if (status)
		zstd_close(zstd);
	else
		*state = zstd;
	return status;
}

/* Between frames: opens the next one, or is done. */
static enum tc_status next_frame(struct zstd *zstd, struct tc_raw *raw)
{
	enum tc_status status = tc_raw_skip_zeros(raw);

	if (!status)
		status = tc_raw_need(raw, 4);
	if (status)
		return status;
	size_t left = raw->len - raw->pos;
	if (left == 0 || !starts_frame(raw->bytes + raw->pos, left)) {
		zstd->done = true;
		return TC_OK;
	}
	zstd->inside = true;
	zstd->frame++;
	return check_window(zstd, raw);
}

/* One call of the decompressor; output that did not fit last time comes first. */
static enum tc_status decompress(struct zstd *zstd, struct tc_raw *raw, ZSTD_outBuffer *output)
{
	size_t before = output->pos;
	ZSTD_inBuffer input = {raw->bytes + raw->pos, raw->len - raw->pos, 0};
	size_t code = ZSTD_decompressStream(zstd->stream, output, &input);

	raw->pos += input.pos;
	zstd->has_output = zstd->has_output || output->pos > before;
	if (ZSTD_isError(code)) {
		if (ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation)
			return out_of_memory(raw);
		zstd->done = true;
		return tc_raw_cut(raw, "zstd frame %d is damaged near byte %lld: %s", zstd->frame,
			(long long)tc_raw_offset(raw), ZSTD_getErrorName(code));
	}
	if (code == 0) {
		zstd->inside = false;
	} else if (input.size == 0 && output->pos == before) {
		zstd->done = true;
		return tc_raw_cut(raw, "zstd frame %d ends early", zstd->frame);
	}
	return TC_OK;
}

static enum tc_status zstd_read(
	void *state, struct tc_raw *raw, char *buffer, size_t capacity, size_t *len)
{
	struct zstd *zstd = state;
	ZSTD_outBuffer output = {buffer, capacity, 0};
	enum tc_status status = TC_OK;

	while (!status && !zstd->done && output.pos < capacity) {
		if (!zstd->inside) {
			status = next_frame(zstd, raw);
			continue;
		}
		status = tc_raw_need(raw, 1);
		if (!status)
			status = decompress(zstd, raw, &output);
	}
	if (!status)
		*len = output.pos;
	return status;
}

const struct tc_codec tc_codec_zstd = {"zstd", zstd_open, zstd_read, zstd_close};
