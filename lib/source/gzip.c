/* The gzip codec: members one after another, each checked against its trailer. */
#include "core/alloc.h"
#include "source/codec.h"

struct gzip {
	struct tc_parts parts;
	struct tc_inflater *inflater;
};

static bool starts(const unsigned char *bytes, size_t len, bool is_certain)
{
	bool is_member = bytes[0] == 0x1f && (len < 2 || bytes[1] == 0x8b);

	if (!is_member || !is_certain)
		return is_member;
	/* The one method there is, flags that mean something, levels and systems in use. */
	return len >= 10 && bytes[2] == 8 && bytes[3] < 0x20 &&
	       (bytes[8] == 0 || bytes[8] == 2 || bytes[8] == 4) &&
	       (bytes[9] <= 13 || bytes[9] == 255);
}

static enum tc_status begin(struct tc_parts *parts, struct tc_raw *raw)
{
	const struct gzip *gzip = parts->state;

	(void)raw;
	tc_inflater_restart(gzip->inflater);
	return TC_OK;
}

static enum tc_inflate_result decompress(void *state, struct tc_inflate_io *io, const char **why)
{
	const struct gzip *gzip = state;

	return tc_inflate(gzip->inflater, io, why);
}

static const struct tc_part_kind member = {"gzip member", starts, begin, decompress};

static enum tc_status gzip_open(void **state, struct tc_raw *raw)
{
	struct gzip *gzip = tc_calloc(1, sizeof(*gzip));

	if (gzip)
		gzip->inflater = tc_inflater_new();
	if (!gzip || !gzip->inflater) {
		tc_free(gzip);
		return tc_fail(
			raw->ctx, TC_ERR_NOMEM, "cannot decompress %s: out of memory", raw->name);
	}
	gzip->parts = (struct tc_parts){.kind = &member, .state = gzip};
	*state = gzip;
	return TC_OK;
}

static void gzip_close(void *state)
{
	struct gzip *gzip = state;

	tc_inflater_free(gzip->inflater);
	tc_free(gzip);
}

static enum tc_status gzip_read(
	void *state, struct tc_raw *raw, char *buffer, size_t capacity, size_t *len)
{
	struct gzip *gzip = state;

	return tc_parts_read(&gzip->parts, raw, buffer, capacity, len);
}

const struct tc_codec tc_codec_gzip = {"gzip", gzip_open, gzip_read, gzip_close};
