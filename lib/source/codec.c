/*
 * Which codec a file needs, by its first bytes; and the plain codec. File
 * names do not count: uncompressed uploads named .json.gz are common.
 */
#include "source/codec.h"

#include <string.h>

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
