/*
 * The gzip codec: members one after another, each checked against its trailer. Zeros after a
 * member are padding and anything else that is not a member is foreign data; both end the
 * input without a word. A member that is damaged or short ends it with a reason; the bytes that
 * came out before are kept.
 */
#include "core/alloc.h"
#include "source/codec.h"
#include "source/inflater.h"

struct gzip {
	struct tc_inflater *inflater;
	int member;  /* number of the current member, from 1 */
	bool inside; /* a member is open: the inflater wants its bytes */
	bool done;
};

static enum tc_status out_of_memory(const struct tc_raw *raw)
{
	return tc_fail(raw->ctx, TC_ERR_NOMEM, "cannot decompress %s: out of memory", raw->name);
}

static enum tc_status gzip_open(void **state, struct tc_raw *raw)
{
	struct gzip *gzip = tc_calloc(1, sizeof(*gzip));

	if (!gzip)
		return out_of_memory(raw);
	gzip->inflater = tc_inflater_new();
	if (!gzip->inflater) {
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

	tc_inflater_free(gzip->inflater);
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
	tc_inflater_restart(gzip->inflater);
	gzip->inside = true;
	gzip->member++;
	return TC_OK;
}

/* One step inside a member. */
static enum tc_status inflate_some(struct gzip *gzip, struct tc_raw *raw, struct tc_inflate_io *io)
{
	size_t room = io->out_len;
	const char *why = NULL;

	io->in = raw->bytes + raw->pos;
	io->in_len = raw->len - raw->pos;
	enum tc_inflate_result result = tc_inflate(gzip->inflater, io, &why);
	bool stuck = io->in_len == raw->len - raw->pos && io->out_len == room;
	raw->pos = raw->len - io->in_len;
	switch (result) {
	case TC_INFLATE_MORE: break; /* stuck only at the end of the file, for want of input */
	case TC_INFLATE_END: gzip->inside = false; return TC_OK;
	case TC_INFLATE_NO_MEMORY: return out_of_memory(raw);
	case TC_INFLATE_DAMAGED:
		gzip->done = true;
		return tc_raw_cut(raw, "gzip member %d is damaged near byte %lld: %s", gzip->member,
			(long long)tc_raw_offset(raw), why);
	}
	if (!stuck)
		return TC_OK;
	gzip->done = true;
	return tc_raw_cut(raw, "gzip member %d ends without its trailer", gzip->member);
}

static enum tc_status gzip_read(
	void *state, struct tc_raw *raw, char *buffer, size_t capacity, size_t *len)
{
	struct gzip *gzip = state;
	struct tc_inflate_io io = {.out = (unsigned char *)buffer, .out_len = capacity};
	enum tc_status status = TC_OK;

	while (!status && !gzip->done && io.out_len > 0) {
		if (!gzip->inside) {
			status = next_member(gzip, raw);
			continue;
		}
		status = tc_raw_need(raw, 1);
		if (!status)
			status = inflate_some(gzip, raw, &io);
	}
	*len = capacity - io.out_len;
	return status;
}

const struct tc_codec tc_codec_gzip = {"gzip", gzip_open, gzip_read, gzip_close};
