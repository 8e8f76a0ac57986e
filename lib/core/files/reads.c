/* The list of files that were read. See reads.h; context.c keeps it. */
#include "core/files/reads.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/context.h"
#include "core/files/remedy.h"

int tc_reads_add(struct tc_ctx *ctx, int fd)
{
	struct stat st;

	return fstat(fd, &st) ? errno : tc_ctx_add_read(ctx, &st);
}

int tc_reads_open(struct tc_ctx *ctx, const char *path, int flags)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | flags);
	int error = fd >= 0 ? tc_reads_add(ctx, fd) : 0;

	if (!error)
		return fd;
	close(fd);
	errno = error;
	return -1;
}

int tc_reads_open_waiting(struct tc_ctx *ctx, const char *path)
{
	int fd;

	do {
		fd = tc_reads_open(ctx, path, O_NOCTTY);
	} while (fd < 0 && errno == EINTR && !tc_ctx_interrupted(ctx));
	return fd;
}

int tc_reads_expect(struct tc_ctx *ctx, const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : tc_ctx_add_read(ctx, &st);
}

/* Returns 0, or an errno value: EINTR only when the context was interrupted. */
static int read_rest(struct tc_buf *out, struct tc_ctx *ctx, int fd, size_t limit_bytes)
{
	enum { STEP_BYTES = 4096 };
	size_t end = out->len + limit_bytes + 1;
	ssize_t got = 1;

	while (got > 0 && out->len < end) {
		size_t step = end - out->len < STEP_BYTES ? end - out->len : STEP_BYTES;
		if (tc_ctx_interrupted(ctx))
			return EINTR;
		char *at = tc_buf_extend(out, step);
		if (!at)
			return ENOMEM;
		got = read(fd, at, step);
		out->len -= got > 0 ? step - (size_t)got : step;
		if (got < 0 && errno == EINTR)
			got = 1;
	}
	return got < 0 ? errno : 0;
}

enum tc_status tc_reads_all(struct tc_buf *out, struct tc_ctx *ctx, int fd, size_t limit_bytes,
	const char *what, const char *path)
{
	int error = fd < 0 ? errno : read_rest(out, ctx, fd, limit_bytes);

	if (fd >= 0)
		close(fd);
	if (tc_ctx_interrupted(ctx))
		return tc_fail(ctx, TC_ERR_INTERRUPTED, "interrupted");
	if (error)
		return tc_fail(ctx, error == ENOMEM ? TC_ERR_NOMEM : TC_ERR_USAGE,
			"cannot read %s %s: %s%s", what, path, strerror(error),
			fd < 0 ? tc_remedy(error, TC_TO_READ) : "");
	return TC_OK;
}

bool tc_reads_has(struct tc_ctx *ctx, const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && tc_ctx_has_read(ctx, &st);
}

bool tc_reads_has_open(struct tc_ctx *ctx, int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && tc_ctx_has_read(ctx, &st);
}
