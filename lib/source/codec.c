/*
 * Which codec a file needs, told by its first bytes; and the plain codec. Names of files are not
 * looked at: uploads called .json.gz that nobody compressed are common.
 */
#include "source/codec.h"

#include <string.h>

/* First bytes with the codec that reads them, or what to tell who has such a file. */
struct magic {
	size_t len;
	const char *bytes;
	const struct tc_codec *codec;
	const char *what, *remedy;
};

#define ZIP_WHAT "a ZIP archive (.hltv files are such archives)"
#define ZIP_REMEDY "unzip it and give the trace inside"

static const struct magic magics[] = {
	{2, "\x1f\x8b", &tc_codec_gzip, NULL, NULL},
	{4, "\x28\xb5\x2f\xfd", &tc_codec_zstd, NULL, NULL},
	{4, "PK\3\4", NULL, ZIP_WHAT, ZIP_REMEDY},
	{4, "PK\5\6", NULL, ZIP_WHAT, ZIP_REMEDY},
	{4, "PK\7\10", NULL, ZIP_WHAT, ZIP_REMEDY},
	{16, "SQLite format 3", NULL, "an SQLite database, not a trace",
		"if tracecoach made it, open it as a store, alone"},
	{23, "version https://git-lfs", NULL, "a Git LFS pointer, not the trace itself",
		"fetch the file (git lfs pull) and try again"},
	{6,
		"\xfd"
		"7zXZ",
		NULL, "compressed with xz", "decompress it first (xz -d)"},
	{3, "BZh", NULL, "compressed with bzip2", "decompress it first (bzip2 -d)"},
	{6, "7z\xbc\xaf\x27\x1c", NULL, "a 7-Zip archive", "unpack it and give the trace inside"},
	{4, "\x04\x22\x4d\x18", NULL, "compressed with lz4", "decompress it first (lz4 -d)"},
};

enum { TAR_MAGIC_OFFSET = 257 };

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

static enum tc_status refuse(const struct tc_raw *raw, const char *what, const char *remedy)
{
	return tc_fail(raw->ctx, TC_ERR_INPUT, "%s is %s; %s", raw->name, what, remedy);
}

enum tc_status tc_codec_choose(const struct tc_codec **out, const struct tc_raw *raw)
{
	const struct magic *magic = NULL;

	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]) && !magic; i++) {
		if (has_bytes(raw, 0, magics[i].bytes, magics[i].len))
			magic = &magics[i];
	}
	if (!magic && is_skippable_zstd(raw))
		magic = &magics[1];
	if (magic && !magic->codec)
		return refuse(raw, magic->what, magic->remedy);
	if (has_bytes(raw, TAR_MAGIC_OFFSET, "ustar", 5))
		return refuse(raw, "a tar archive", "unpack it and give the trace inside");
	*out = magic ? magic->codec : &tc_codec_plain;
	return TC_OK;
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
