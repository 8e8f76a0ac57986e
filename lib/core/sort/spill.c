/* Append-only temporary file with a write buffer; see spill.h. */
#include "core/sort/spill.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/files/remedy.h"
#include "core/files/temporary.h"
#include "core/files/whole.h"

enum { BUFFER_BYTES = 64 * 1024 };

struct tc_spill {
	struct tc_ctx *ctx;
	int fd; /* -1 until the first flush */
	int64_t flushed_bytes;
	size_t used;
	char buffer[BUFFER_BYTES];
};

enum tc_status tc_spill_new(struct tc_spill **out, struct tc_ctx *ctx)
{
	struct tc_spill *spill = tc_malloc(sizeof(*spill));

	if (!spill)
		return tc_no_memory(ctx);
	spill->ctx = ctx;
	spill->fd = -1;
	spill->flushed_bytes = 0;
	spill->used = 0;
	*out = spill;
	return TC_OK;
}

void tc_spill_free(struct tc_spill *spill)
{
	if (!spill)
		return;
	if (spill->fd >= 0)
		close(spill->fd);
	tc_free(spill);
}

static enum tc_status write_at(
	struct tc_spill *spill, const char *bytes, size_t len, int64_t offset)
{
	int error = tc_whole_write(spill->fd, bytes, len, offset);

	return error ? tc_fail(spill->ctx, TC_ERR_IO, "cannot write a temporary file: %s%s",
			       strerror(error), tc_remedy(error, TC_TO_WRITE_TEMPORARY))
		     : TC_OK;
}

static enum tc_status write_all(struct tc_spill *spill, const char *bytes, size_t len)
{
	enum tc_status status = TC_OK;

	if (spill->fd < 0)
		status = tc_temporary_create(&spill->fd, spill->ctx);
	if (!status)
		status = write_at(spill, bytes, len, spill->flushed_bytes);
	if (!status)
		spill->flushed_bytes += (int64_t)len;
	return status;
}

enum tc_status tc_spill_flush(struct tc_spill *spill)
{
	if (spill->used == 0)
		return TC_OK;
	enum tc_status status = write_all(spill, spill->buffer, spill->used);

	spill->used = 0;
	return status;
}

enum tc_status tc_spill_append(
	struct tc_spill *spill, const void *bytes, size_t len, int64_t *offset)
{
	enum tc_status status = TC_OK;

	if (len > BUFFER_BYTES - spill->used)
		status = tc_spill_flush(spill);
	*offset = spill->flushed_bytes + (int64_t)spill->used;
	if (status)
		return status;
	if (len > BUFFER_BYTES)
		return write_all(spill, bytes, len);
	if (len > 0)
		memcpy(spill->buffer + spill->used, bytes, len);
	spill->used += len;
	return TC_OK;
}

enum tc_status tc_spill_rewrite(
	struct tc_spill *spill, const void *bytes, size_t len, int64_t offset)
{
	if (offset + (int64_t)len > spill->flushed_bytes) {
		enum tc_status status = tc_spill_flush(spill);
		if (status)
			return status;
	}
	return write_at(spill, bytes, len, offset);
}

enum tc_status tc_spill_read(struct tc_spill *spill, void *bytes, size_t len, int64_t offset)
{
	if (offset >= spill->flushed_bytes) {
		memcpy(bytes, spill->buffer + (offset - spill->flushed_bytes), len);
		return TC_OK;
	}
	if (offset + (int64_t)len > spill->flushed_bytes) {
		enum tc_status status = tc_spill_flush(spill);
		if (status)
			return status;
	}
	ssize_t got = tc_whole_read(spill->fd, bytes, len, offset);
	if (got == (ssize_t)len)
		return TC_OK;
	return tc_fail(spill->ctx, TC_ERR_IO, "cannot read a temporary file: %s",
		got < 0 ? strerror(errno) : "it is shorter than it should be");
}
