/*
 * What gzip and zstd have in common: parts that are compressed each for itself. A damaged or short
 * part is left, and reading goes on at the next one that certainly starts behind; so it does at
 * bytes between two parts that are of neither. A hole of zeros stands for what is missing.
 */
#include <stdarg.h>
#include <string.h>

#include "core/limits.h"
#include "source/codec.h"

/* The first bytes of a part that show what it is. */
enum { HEAD_BYTES = 10 };

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* One more place at which something is missing, behind or inside of the current part. The first is
 * described. */
static enum tc_status lose_by(
	struct tc_parts *parts, struct tc_raw *raw, const char *format, va_list args)
{
	parts->is_lost = true;
	if (raw->loss_count++ > 0)
		return TC_OK;
	tc_buf_format(&raw->loss_reason, "%s %lld ", parts->kind->noun, (long long)parts->number);
	tc_buf_vformat(&raw->loss_reason, format, args);
	return tc_buf_string(&raw->loss_reason) ? TC_OK : tc_no_memory(raw->ctx);
}

__attribute__((format(printf, 3, 4))) static enum tc_status lose(
	struct tc_parts *parts, struct tc_raw *raw, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	enum tc_status status = lose_by(parts, raw, format, args);
	va_end(args);
	return status;
}

enum tc_status tc_parts_leave(struct tc_parts *parts, struct tc_raw *raw, const char *format, ...)
{
	int64_t at = tc_raw_offset(raw), first = at - (int64_t)raw->pos;
	/* A short part is decompressed into the next one before the damage shows. What was searched
	 * for that before is not searched again, so that damage costs time by its bytes. */
	int64_t from = larger(first, larger(parts->start + 1, parts->searched));
	va_list args;

	parts->searched = larger(parts->searched, at);
	parts->inside = false;
	if (from - first <= (int64_t)raw->len)
		raw->pos = (size_t)(from - first);
	va_start(args, format);
	enum tc_status status = lose_by(parts, raw, format, args);
	va_end(args);
	return status;
}

/* Goes to where a part starts, here or behind, or to the end of the file. */
static enum tc_status find_start(const struct tc_parts *parts, struct tc_raw *raw)
{
	for (bool is_certain = parts->is_lost;; is_certain = true) {
		enum tc_status status = tc_raw_need(raw, HEAD_BYTES);
		size_t left = raw->len - raw->pos;
		if (status || left == 0 ||
			parts->kind->starts(raw->bytes + raw->pos, left, is_certain))
			return status;
		raw->pos++;
	}
}

/* Between parts: begins the next one, or is done. Zeros behind a part are padding. */
static enum tc_status next_part(struct tc_parts *parts, struct tc_raw *raw)
{
	enum tc_status status = parts->is_lost ? TC_OK : tc_raw_skip_zeros(raw);
	int64_t before = tc_raw_offset(raw);

	if (!status)
		status = find_start(parts, raw);
	if (status)
		return status;
	int64_t start = tc_raw_offset(raw), skipped = start - before;
	parts->done = raw->pos == raw->len;
	raw->ends_early = parts->done && parts->is_lost;
	if (parts->done) {
		raw->tail_bytes = parts->is_lost ? 0 : skipped;
		return TC_OK;
	}
	if (skipped > 0 && !parts->is_lost)
		status = lose(parts, raw, "is followed by %lld other bytes", (long long)skipped);
	parts->hole_bytes = parts->is_lost ? TC_HOLE_BYTES : 0;
	parts->is_lost = false;
	parts->start = start;
	parts->number++;
	parts->inside = true;
	return status ? status : parts->kind->begin(parts, raw);
}

/* One step inside a part. */
static enum tc_status decompress(
	struct tc_parts *parts, struct tc_raw *raw, struct tc_inflate_io *io)
{
	size_t room = io->out_len, left = raw->len - raw->pos;
	const char *why = NULL;

	io->in = raw->bytes + raw->pos;
	io->in_len = left;
	enum tc_inflate_result result = parts->kind->decompress(parts->state, io, &why);
	bool is_stuck = io->in_len == left && io->out_len == room;
	raw->pos = raw->len - io->in_len;
	parts->has_output |= io->out_len < room;
	switch (result) {
	case TC_INFLATE_MORE: /* stuck only at the end of the file, for want of input */
		return is_stuck ? tc_parts_leave(parts, raw, "ends early") : TC_OK;
	case TC_INFLATE_END: parts->inside = false; return TC_OK;
	case TC_INFLATE_NO_MEMORY: break;
	case TC_INFLATE_DAMAGED:
		return tc_parts_leave(parts, raw, "is damaged near byte %lld: %s",
			(long long)tc_raw_offset(raw), why);
	}
	return tc_fail(raw->ctx, TC_ERR_NOMEM, "cannot decompress %s: out of memory", raw->name);
}

static void put_hole(struct tc_parts *parts, struct tc_inflate_io *io)
{
	size_t len = parts->hole_bytes < io->out_len ? parts->hole_bytes : io->out_len;

	memset(io->out, 0, len);
	io->out += len;
	io->out_len -= len;
	parts->hole_bytes -= len;
}

enum tc_status tc_parts_read(
	struct tc_parts *parts, struct tc_raw *raw, char *buffer, size_t capacity, size_t *len)
{
	struct tc_inflate_io io = {.out = (unsigned char *)buffer, .out_len = capacity};
	enum tc_status status = TC_OK;

	while (!status && !parts->done && io.out_len > 0) {
		if (parts->hole_bytes > 0) {
			put_hole(parts, &io);
			continue;
		}
		status = parts->inside ? tc_raw_need(raw, 1) : next_part(parts, raw);
		if (!status && parts->inside && parts->hole_bytes == 0)
			status = decompress(parts, raw, &io);
	}
	*len = capacity - io.out_len;
	return status;
}
