/*
 * The file below the codecs, with a look-ahead. Which codec a file needs, by its first bytes; and
 * the plain codec. File names do not count: uncompressed uploads named .json.gz are common.
 */
#include "source/codec.h"

#include <errno.h>
#include <string.h>

#include "core/files/reads.h"

enum tc_status tc_raw_read(struct tc_raw *raw, void *buffer, size_t capacity, size_t *len)
{
	ssize_t got = tc_reads_some(raw->ctx, raw->fd, buffer, capacity);

	if (got < 0 && errno == EINTR)
		return tc_fail(raw->ctx, TC_ERR_INTERRUPTED, "interrupted");
	if (got < 0)
		return tc_fail(raw->ctx, TC_ERR_READ, "cannot read %s at byte %lld: %s", raw->name,
			(long long)raw->read_bytes, tc_reads_error(errno));
	if (got == 0)
		raw->eof = true;
	raw->read_bytes += got;
	*len = (size_t)got;
	return TC_OK;
}

enum tc_status tc_raw_need(struct tc_raw *raw, size_t count)
{
	while (raw->len - raw->pos < count && !raw->eof) {
		size_t kept = raw->pos < TC_RAW_KEPT_BYTES ? raw->pos : TC_RAW_KEPT_BYTES, got;

		memmove(raw->bytes, raw->bytes + raw->pos - kept, raw->len - raw->pos + kept);
		raw->len -= raw->pos - kept;
		raw->pos = kept;
		enum tc_status status =
			tc_raw_read(raw, raw->bytes + raw->len, TC_RAW_BYTES - raw->len, &got);
		if (status)
			return status;
		raw->len += got;
	}
	return TC_OK;
}

enum tc_status tc_raw_skip_zeros(struct tc_raw *raw)
{
	for (;;) {
		enum tc_status status = tc_raw_need(raw, 1);
		if (status || raw->pos == raw->len || raw->bytes[raw->pos] != 0)
			return status;
		raw->pos++;
	}
}

int64_t tc_raw_offset(const struct tc_raw *raw)
{
	return raw->read_bytes - (int64_t)(raw->len - raw->pos);
}

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
		return &tc_codec_gzip;
	if (has_bytes(raw, 0, "\x28\xb5\x2f\xfd", 4) || is_skippable_zstd(raw))
		return &tc_codec_zstd;
	return &tc_codec_plain;
}

/* The look-ahead first, then straight into the caller's buffer. */
static enum tc_status plain_read(
	void *state, struct tc_raw *raw, char *buffer, size_t capacity, size_t *len)
{
	size_t left = raw->len - raw->pos;

	(void)state;
	if (left > 0) {
		*len = left < capacity ? left : capacity;
		memcpy(buffer, raw->bytes + raw->pos, *len);
		raw->pos += *len;
		return TC_OK;
	}
	if (raw->eof || capacity == 0) {
		*len = 0;
		return TC_OK;
	}
	return tc_raw_read(raw, buffer, capacity, len);
}

const struct tc_codec tc_codec_plain = {"plain", NULL, plain_read, NULL};
