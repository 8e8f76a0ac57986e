/* The list of files that were read. See reads.h; context.c keeps it. */
#include "core/files/reads.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
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

int tc_reads_open(struct tc_ctx *ctx, const char *path)
{
	int fd;

	do {
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	} while (fd < 0 && errno == EINTR && !tc_ctx_interrupted(ctx));
	int error = fd >= 0 ? tc_reads_add(ctx, fd) : 0;
	if (!error)
		return fd;
	close(fd);
	errno = error;
	return -1;
}

static bool is_regular(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
}

ssize_t tc_reads_some(struct tc_ctx *ctx, int fd, void *bytes, size_t len)
{
	enum { TICK_MS = 100 }; /* a signal may come to another thread */
	struct pollfd ready = {.fd = fd, .events = POLLIN};

	while (!tc_ctx_interrupted(ctx)) {
		int count = poll(&ready, 1, TICK_MS);
		ssize_t got = count > 0 ? read(fd, bytes, len) : -1;
		int error = count == 0 ? EAGAIN : errno;
		if (got >= 0)
			return got;
		errno = error;
		if (error != EINTR && (error != EAGAIN || is_regular(fd)))
			return -1;
	}
	errno = EINTR;
	return -1;
}

const char *tc_reads_error(int error)
{
	return error == EAGAIN ? "nothing more comes, and it has no end: give a whole file"
			       : strerror(error);
}

int tc_reads_expect(struct tc_ctx *ctx, const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : tc_ctx_add_read(ctx, &st);
}

/* Returns 0, or an errno value. */
static int read_rest(struct tc_buf *out, struct tc_ctx *ctx, int fd, size_t limit_bytes)
{
	enum { STEP_BYTES = 4096 };
	size_t end = out->len + limit_bytes + 1;
	ssize_t got = 1;

	while (got > 0 && out->len < end) {
		size_t step = end - out->len < STEP_BYTES ? end - out->len : STEP_BYTES;
		char *at = tc_buf_extend(out, step);
		if (!at)
			return ENOMEM;
		got = tc_reads_some(ctx, fd, at, step);
		out->len -= got > 0 ? step - (size_t)got : step;
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
			"cannot read %s %s: %s%s", what, path, tc_reads_error(error),
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
