/*
 * What lies between a file and the bytes of its trace: the file itself, read with a look-ahead, and
 * the codec that its first bytes ask for. File names do not count: uncompressed uploads that are
 * called .json.gz are common.
 *
 *   plain    the bytes of the file
 *   parts    gzip members or zstd frames, one after another, each compressed for itself
 *   deflate  the other direction, for the traces that we write
 *
 * A part that is damaged or short is left, and reading goes on at the next one that certainly
 * starts behind it; so it does behind bytes that belong to no part. A hole of zeros stands in the
 * output for what is missing. Three members, the second damaged, give
 *
 *   bytes of member 1 | start of member 2 | TC_HOLE_BYTES zeros | bytes of member 3
 *
 * Failures are those of the context. A function that has failed returns as at the end of the file,
 * and does nothing when it is called again.
 */
#define ZSTD_STATIC_LINKING_ONLY /* for ZSTD_customMem: memory comes through core/alloc.h */
#include "source/codec.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>

#ifdef TC_HAVE_ISAL
#include <isa-l/igzip_lib.h>
#endif
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "core/alloc.h"
#include "core/files/reads.h"
#include "core/limits.h"

/* Bytes that were used and are kept: where a short part ended is less far back. */
enum { KEPT_BYTES = 8 * 1024 };

/* Reads once into buffer; 0 at the end of the file. Interrupted calls are repeated. */
static size_t read_file(struct tc_raw *raw, void *buffer, size_t capacity)
{
	ssize_t got = tc_reads_some(raw->ctx, raw->fd, buffer, capacity);

	if (got < 0 && errno == EINTR)
		tc_fail(raw->ctx, TC_ERR_INTERRUPTED, "interrupted");
	else if (got < 0)
		tc_fail(raw->ctx, TC_ERR_READ, "cannot read %s at byte %lld: %s", raw->name,
			(long long)raw->read_bytes, tc_reads_error(errno));
	if (got <= 0) {
		raw->eof = true;
		return 0;
	}
	raw->read_bytes += got;
	return (size_t)got;
}

void tc_raw_need(struct tc_raw *raw, size_t count)
{
	while (raw->len - raw->pos < count && !raw->eof) {
		size_t kept = raw->pos < KEPT_BYTES ? raw->pos : KEPT_BYTES;
		memmove(raw->bytes, raw->bytes + raw->pos - kept, raw->len - raw->pos + kept);
		raw->len -= raw->pos - kept;
		raw->pos = kept;
		raw->len += read_file(raw, raw->bytes + raw->len, TC_RAW_BYTES - raw->len);
	}
}

/* Skips zero bytes, as tape blocks and preallocated files have them after the last part. */
static void skip_zeros(struct tc_raw *raw)
{
	for (tc_raw_need(raw, 1); raw->pos < raw->len && raw->bytes[raw->pos] == 0;
		tc_raw_need(raw, 1))
		raw->pos++;
}

/* The offset of bytes[pos] in the file. */
static int64_t offset_of(const struct tc_raw *raw)
{
	return raw->read_bytes - (int64_t)(raw->len - raw->pos);
}

/* The input that is left and the room for output; a decompressor moves both on. */
struct io {
	const unsigned char *in;
	size_t in_len;
	unsigned char *out;
	size_t out_len;
};

enum result {
	WANTS_MORE, /* input or room; moves nothing when it can get neither */
	PART_ENDS,  /* complete, and its checksum right */
	PART_DAMAGED,
	NO_MEMORY,
};

/* Inflater: one gzip member after another, checked against its trailer. ISA-L where it was built
 * in, several times as fast; else zlib. */
#ifdef TC_HAVE_ISAL

struct inflater {
	struct inflate_state state;
};

static void inflater_restart(struct inflater *inflater)
{
	isal_inflate_reset(&inflater->state);
	inflater->state.crc_flag = ISAL_GZIP;
}

static bool inflater_init(struct inflater *inflater)
{
	isal_inflate_init(&inflater->state);
	inflater->state.crc_flag = ISAL_GZIP;
	return true;
}

static void inflater_clear(struct inflater *inflater)
{
	(void)inflater;
}

/*
 * ISA-L (2.30 at least) returns with the upper parts of the vector registers in use. Until they are
 * cleared, each change between the older and the newer vector instructions costs this thread some
 * 70 cycles, as in every short memcpy() between two steps of SQLite.
 */
#ifdef __x86_64__
__attribute__((target("avx"))) static void clear_upper_avx(void)
{
	__builtin_ia32_vzeroupper();
}

static void clear_upper(void)
{
	if (__builtin_cpu_supports("avx"))
		clear_upper_avx();
}
#else
static void clear_upper(void)
{
}
#endif

static const char *reason_of(int code)
{
	switch (code) {
	case ISAL_INVALID_BLOCK: return "invalid block type";
	case ISAL_INVALID_SYMBOL: return "invalid code";
	case ISAL_INVALID_LOOKBACK: return "invalid distance too far back";
	case ISAL_INVALID_WRAPPER: return "incorrect header check";
	case ISAL_UNSUPPORTED_METHOD: return "unknown compression method";
	case ISAL_INCORRECT_CHECKSUM: return "incorrect data check";
	default: return "bad data";
	}
}

static enum result inflate_some(struct inflater *inflater, struct io *io, const char **why)
{
	struct inflate_state *state = &inflater->state;
	uint32_t in_len = io->in_len > UINT32_MAX ? UINT32_MAX : (uint32_t)io->in_len;
	uint32_t out_len = io->out_len > UINT32_MAX ? UINT32_MAX : (uint32_t)io->out_len;

	state->next_in = (uint8_t *)(uintptr_t)io->in; /* which it only reads */
	state->avail_in = in_len;
	state->next_out = io->out;
	state->avail_out = out_len;
	int code = isal_inflate(state);
	clear_upper();
	io->in += in_len - state->avail_in;
	io->in_len -= in_len - state->avail_in;
	io->out += out_len - state->avail_out;
	io->out_len -= out_len - state->avail_out;
	if (code < 0) {
		*why = reason_of(code);
		return PART_DAMAGED;
	}
	return state->block_state == ISAL_BLOCK_FINISH ? PART_ENDS : WANTS_MORE;
}

#else

struct inflater {
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

static void inflater_restart(struct inflater *inflater)
{
	inflateReset(&inflater->stream);
}

/* False when memory is out. */
static bool inflater_init(struct inflater *inflater)
{
	inflater->stream.zalloc = alloc_for_zlib;
	inflater->stream.zfree = free_for_zlib;
	return inflateInit2(&inflater->stream, 16 + MAX_WBITS) == Z_OK;
}

static void inflater_clear(struct inflater *inflater)
{
	inflateEnd(&inflater->stream);
}

static enum result inflate_some(struct inflater *inflater, struct io *io, const char **why)
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
	case Z_BUF_ERROR: return WANTS_MORE;
	case Z_STREAM_END: return PART_ENDS;
	case Z_MEM_ERROR: return NO_MEMORY;
	default: *why = stream->msg ? stream->msg : "bad data"; return PART_DAMAGED;
	}
}

#endif

struct parts;

struct part_kind {
	const char *noun; /* "gzip member" */
	/* Whether a part starts with these bytes, fewer than HEAD_BYTES only at the end of the
	 * file. Among damage it must be certain. */
	bool (*starts)(const unsigned char *bytes, size_t len, bool is_certain);
	/* Gets ready for the part at raw->pos, or leaves it. */
	void (*begin)(struct parts *parts, struct tc_raw *raw);
	enum result (*decompress)(struct parts *parts, struct io *io, const char **why);
};

/* The first bytes of a part that show what it is. */
enum { HEAD_BYTES = 10 };

struct parts {
	const struct part_kind *kind;
	int64_t number;   /* of the current part, from 1 */
	int64_t start;    /* offset of its first byte in the file */
	int64_t searched; /* offset up to which the start of another was looked for */
	bool inside;      /* a part is open: its decompressor wants its bytes */
	bool is_lost;     /* what is before the next part is missing */
	bool has_output;
	bool done;
	size_t hole_bytes; /* zeros to deliver before the part */
	union {
		struct inflater inflater;
		ZSTD_DStream *zstd;
	};
};

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* One more place at which something is missing, behind or inside of the current part. The first is
 * described. */
static void lose_by(struct parts *parts, struct tc_raw *raw, const char *format, va_list args)
{
	parts->is_lost = true;
	if (raw->loss_count++ > 0)
		return;
	tc_buf_format(&raw->loss_reason, "%s %lld ", parts->kind->noun, (long long)parts->number);
	tc_buf_vformat(&raw->loss_reason, format, args);
	tc_buf_string(&raw->loss_reason);
}

__attribute__((format(printf, 3, 4))) static void lose(
	struct parts *parts, struct tc_raw *raw, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	lose_by(parts, raw, format, args);
	va_end(args);
}

/* Leaves the current part, of which the text says why: "ends early". */
__attribute__((format(printf, 3, 4))) static void leave(
	struct parts *parts, struct tc_raw *raw, const char *format, ...)
{
	int64_t at = offset_of(raw), first = at - (int64_t)raw->pos;
	/* A short part is decompressed into the next one before the damage shows. What was searched
	 * for that before is not searched again, so that damage costs time by its bytes. */
	int64_t from = larger(first, larger(parts->start + 1, parts->searched));
	va_list args;

	parts->searched = larger(parts->searched, at);
	parts->inside = false;
	if (from - first <= (int64_t)raw->len)
		raw->pos = (size_t)(from - first);
	va_start(args, format);
	lose_by(parts, raw, format, args);
	va_end(args);
}

/* Goes to where a part starts, here or behind, or to the end of the file. */
static void find_start(const struct parts *parts, struct tc_raw *raw)
{
	for (bool is_certain = parts->is_lost;; is_certain = true) {
		tc_raw_need(raw, HEAD_BYTES);
		size_t left = raw->len - raw->pos;
		if (left == 0 || parts->kind->starts(raw->bytes + raw->pos, left, is_certain))
			return;
		raw->pos++;
	}
}

/* Between parts: begins the next one, or is done. Zeros behind a part are padding. */
static void next_part(struct parts *parts, struct tc_raw *raw)
{
	if (!parts->is_lost)
		skip_zeros(raw);
	int64_t before = offset_of(raw);
	find_start(parts, raw);
	if (tc_ctx_failed(raw->ctx))
		return;
	int64_t start = offset_of(raw), skipped = start - before;
	parts->done = raw->pos == raw->len;
	raw->ends_early = parts->done && parts->is_lost;
	if (parts->done) {
		raw->tail_bytes = parts->is_lost ? 0 : skipped;
		return;
	}
	if (skipped > 0 && !parts->is_lost)
		lose(parts, raw, "is followed by %lld other bytes", (long long)skipped);
	parts->hole_bytes = parts->is_lost ? TC_HOLE_BYTES : 0;
	parts->is_lost = false;
	parts->start = start;
	parts->number++;
	parts->inside = true;
	parts->kind->begin(parts, raw);
}

static void fail_for_memory(const struct tc_raw *raw)
{
	tc_fail(raw->ctx, TC_ERR_NOMEM, "cannot decompress %s: out of memory", raw->name);
}

/* One step inside a part. */
static void decompress(struct parts *parts, struct tc_raw *raw, struct io *io)
{
	size_t room = io->out_len, left = raw->len - raw->pos;
	const char *why = NULL;

	io->in = raw->bytes + raw->pos;
	io->in_len = left;
	enum result result = parts->kind->decompress(parts, io, &why);
	bool is_stuck = io->in_len == left && io->out_len == room;
	raw->pos = raw->len - io->in_len;
	parts->has_output |= io->out_len < room;
	switch (result) {
	case WANTS_MORE:
		if (is_stuck) /* only at the end of the file, for want of input */
			leave(parts, raw, "ends early");
		break;
	case PART_ENDS: parts->inside = false; break;
	case PART_DAMAGED:
		leave(parts, raw, "is damaged near byte %lld: %s", (long long)offset_of(raw), why);
		break;
	case NO_MEMORY: fail_for_memory(raw); break;
	}
}

static void put_hole(struct parts *parts, struct io *io)
{
	size_t len = parts->hole_bytes < io->out_len ? parts->hole_bytes : io->out_len;

	memset(io->out, 0, len);
	io->out += len;
	io->out_len -= len;
	parts->hole_bytes -= len;
}

static size_t parts_read(void *state, struct tc_raw *raw, char *buffer, size_t capacity)
{
	struct parts *parts = state;
	struct io io = {.out = (unsigned char *)buffer, .out_len = capacity};

	while (!tc_ctx_failed(raw->ctx) && !parts->done && io.out_len > 0) {
		if (parts->hole_bytes > 0) {
			put_hole(parts, &io);
			continue;
		}
		if (parts->inside)
			tc_raw_need(raw, 1);
		else
			next_part(parts, raw);
		if (!tc_ctx_failed(raw->ctx) && parts->inside && parts->hole_bytes == 0)
			decompress(parts, raw, &io);
	}
	return capacity - io.out_len;
}

static bool gzip_starts(const unsigned char *bytes, size_t len, bool is_certain)
{
	bool is_member = bytes[0] == 0x1f && (len < 2 || bytes[1] == 0x8b);

	if (!is_member || !is_certain)
		return is_member;
	/* The one method there is, flags that mean something, levels and systems in use. */
	return len >= 10 && bytes[2] == 8 && bytes[3] < 0x20 &&
	       (bytes[8] == 0 || bytes[8] == 2 || bytes[8] == 4) &&
	       (bytes[9] <= 13 || bytes[9] == 255);
}

static void gzip_begin(struct parts *parts, struct tc_raw *raw)
{
	(void)raw;
	inflater_restart(&parts->inflater);
}

static enum result gzip_decompress(struct parts *parts, struct io *io, const char **why)
{
	return inflate_some(&parts->inflater, io, why);
}

static const struct part_kind gzip_member = {
	"gzip member", gzip_starts, gzip_begin, gzip_decompress};

static void *gzip_open(struct tc_raw *raw)
{
	struct parts *parts = tc_calloc(1, sizeof(*parts));

	if (!parts || !inflater_init(&parts->inflater)) {
		tc_free(parts);
		fail_for_memory(raw);
		return NULL;
	}
	parts->kind = &gzip_member;
	return parts;
}

static void gzip_close(void *state)
{
	struct parts *parts = state;

	inflater_clear(&parts->inflater);
	tc_free(parts);
}

static const struct tc_codec gzip_codec = {gzip_open, parts_read, gzip_close};

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

/* Among damage a frame to skip is no start: it counts as a part of what is missing. */
static bool zstd_starts(const unsigned char *bytes, size_t len, bool is_certain)
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
static void check_window(struct parts *parts, struct tc_raw *raw)
{
	ZSTD_frameHeader header;

	tc_raw_need(raw, ZSTD_FRAMEHEADERSIZE_MAX);
	if (tc_ctx_failed(raw->ctx) ||
		ZSTD_getFrameHeader(&header, raw->bytes + raw->pos, raw->len - raw->pos) != 0 ||
		header.frameType != ZSTD_frame ||
		header.windowSize <= (UINT64_C(1) << ZSTD_WINDOWLOG_LIMIT_DEFAULT))
		return;
	unsigned long long mib = header.windowSize / (1024 * 1024);
	if (!parts->has_output)
		tc_fail(raw->ctx, TC_ERR_INPUT,
			"%s is compressed by zstd with a window of %llu MiB, and at most %d MiB "
			"are supported; decompress it first (zstd -d --long=31 -o trace.json)",
			raw->name, mib, 1 << (ZSTD_WINDOWLOG_LIMIT_DEFAULT - 20));
	else
		leave(parts, raw,
			"has a window of %llu MiB, more than is read: decompress the file first "
			"(zstd -d --long=31)",
			mib);
}

static void zstd_begin(struct parts *parts, struct tc_raw *raw)
{
	(void)ZSTD_DCtx_reset(parts->zstd, ZSTD_reset_session_only);
	check_window(parts, raw);
}

/* One call of the decompressor; output that did not fit last time comes first. */
static enum result zstd_decompress(struct parts *parts, struct io *io, const char **why)
{
	ZSTD_inBuffer input = {io->in, io->in_len, 0};
	ZSTD_outBuffer output = {io->out, io->out_len, 0};
	size_t code = ZSTD_decompressStream(parts->zstd, &output, &input);

	io->in += input.pos;
	io->in_len -= input.pos;
	io->out += output.pos;
	io->out_len -= output.pos;
	if (!ZSTD_isError(code))
		return code == 0 ? PART_ENDS : WANTS_MORE;
	*why = ZSTD_getErrorName(code);
	return ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation ? NO_MEMORY : PART_DAMAGED;
}

static const struct part_kind zstd_frame = {"zstd frame", zstd_starts, zstd_begin, zstd_decompress};

static void zstd_close(void *state)
{
	struct parts *parts = state;

	ZSTD_freeDStream(parts->zstd);
	tc_free(parts);
}

static void *zstd_open(struct tc_raw *raw)
{
	struct parts *parts = tc_calloc(1, sizeof(*parts));
	const ZSTD_customMem memory = {alloc_for_zstd, free_for_zstd, NULL};

	if (parts)
		parts->zstd = ZSTD_createDStream_advanced(memory);
	if (!parts || !parts->zstd) {
		tc_free(parts);
		fail_for_memory(raw);
		return NULL;
	}
	parts->kind = &zstd_frame;
	return parts;
}

static const struct tc_codec zstd_codec = {zstd_open, parts_read, zstd_close};

/* The look-ahead first, then straight into the caller's buffer. */
static size_t plain_read(void *state, struct tc_raw *raw, char *buffer, size_t capacity)
{
	size_t left = raw->len - raw->pos;

	(void)state;
	if (left > 0) {
		size_t len = left < capacity ? left : capacity;
		memcpy(buffer, raw->bytes + raw->pos, len);
		raw->pos += len;
		return len;
	}
	return raw->eof || capacity == 0 ? 0 : read_file(raw, buffer, capacity);
}

const struct tc_codec tc_codec_plain = {NULL, plain_read, NULL};

static bool has_bytes(const struct tc_raw *raw, size_t offset, const char *bytes, size_t len)
{
	return raw->len - raw->pos >= offset + len &&
	       memcmp(raw->bytes + raw->pos + offset, bytes, len) == 0;
}

/* pzstd and others start with a frame to skip: 0x184d2a50 to 0x184d2a5f, little endian. */
static bool is_skippable_zstd(const struct tc_raw *raw)
{
	return has_bytes(raw, 1, "\x2a\x4d\x18", 3) && (raw->bytes[raw->pos] & 0xf0) == 0x50;
}

const struct tc_codec *tc_codec_choose(const struct tc_raw *raw)
{
	if (has_bytes(raw, 0, "\x1f\x8b", 2))
		return &gzip_codec;
	if (has_bytes(raw, 0, "\x28\xb5\x2f\xfd", 4) || is_skippable_zstd(raw))
		return &zstd_codec;
	return &tc_codec_plain;
}

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
