/*
 * How the library touches files: those of the user, opened for reading and entered into the list of
 * the context (reads.h); temporary ones, which have no name; and reads and writes at a place that
 * are not cut short. Outputs, which appear whole, are in pending.c.
 */
#define _GNU_SOURCE /* O_TMPFILE */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/array.h"
#include "core/context.h"
#include "core/files/files.h"
#include "core/files/reads.h"

ssize_t tc_whole_read(int fd, void *bytes, size_t len, int64_t place)
{
	size_t done = 0;

	while (done < len) {
		ssize_t got =
			pread(fd, (char *)bytes + done, len - done, (off_t)(place + (int64_t)done));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

int tc_whole_write(int fd, const void *bytes, size_t len, int64_t place)
{
	size_t done = 0;

	while (done < len) {
		ssize_t put = pwrite(
			fd, (const char *)bytes + done, len - done, (off_t)(place + (int64_t)done));
		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return put < 0 ? errno : ENOSPC;
		done += (size_t)put;
	}
	return 0;
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

void tc_reads_wait(struct tc_ctx *ctx, int fd, const char *path)
{
	enum { SILENT_MS = 1000 };
	struct pollfd writer = {.fd = fd, .events = POLLIN};
	struct stat st;

	if (fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode) && poll(&writer, 1, SILENT_MS) == 0)
		tc_ctx_note(ctx, TC_NOTE_HINT, "%s is a pipe: waiting for what writes it", path);
}

const char *tc_reads_error(int error)
{
	return error == EAGAIN ? "nothing more comes, and it has no end: give a whole file"
			       : strerror(error);
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
	int error = fd < 0 ? errno : 0;

	if (!error && strcmp(path, "-") != 0)
		tc_reads_wait(ctx, fd, path);
	if (!error)
		error = read_rest(out, ctx, fd, limit_bytes);
	if (fd >= 0)
		close(fd);
	if (tc_ctx_interrupted(ctx))
		return tc_fail(ctx, TC_ERR_INTERRUPTED, "interrupted");
	if (error == EAGAIN)
		return tc_fail(ctx, TC_ERR_USAGE, "cannot read %s %s: %s", what, path,
			tc_reads_error(error));
	if (error)
		return tc_fail_errno(ctx, error == ENOMEM ? TC_ERR_NOMEM : TC_ERR_USAGE, error,
			TC_TO_READ, "cannot read %s %s", what, path);
	return TC_OK;
}

static bool names_forced;

void tc_temporary_force_names(bool force)
{
	names_forced = force;
}

bool tc_temporary_names_forced(void)
{
	return names_forced;
}

/* The first is tried before the second. */
static const char *const defaults[] = {"/tmp", "/var/tmp"};

static const char *chosen_directory(void)
{
	const char *directory = getenv("TMPDIR");

	return directory && *directory ? directory : NULL;
}

const char *tc_temporary_directory(void)
{
	const char *chosen = chosen_directory();

	return chosen ? chosen : "/tmp and /var/tmp";
}

const char *tc_temporary_place(size_t index)
{
	const char *chosen = chosen_directory();

	if (chosen)
		return index == 0 ? chosen : NULL;
	return index < TC_COUNT_OF(defaults) ? defaults[index] : NULL;
}

/* Where a file system cannot make a file without a name, one is made and taken away. */
static int open_and_unlink(const char *directory)
{
	struct tc_buf path = TC_BUF_EMPTY;
	int fd = -1;

	tc_buf_format(&path, "%s/tracecoach-XXXXXX", directory);
	if (!tc_buf_string(&path))
		errno = ENOMEM;
	else
		fd = mkostemp(path.ptr, O_CLOEXEC);
	if (fd >= 0)
		unlink(path.ptr);
	int error = errno;
	tc_buf_clear(&path);
	errno = error;
	return fd;
}

static int open_in(const char *directory)
{
	int fd = -1;

#ifdef O_TMPFILE
	if (!names_forced)
		fd = open(directory, O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
#endif
	return fd >= 0 ? fd : open_and_unlink(directory);
}

int tc_temporary_open(void)
{
	const char *chosen = chosen_directory();
	int fd = open_in(chosen ? chosen : defaults[0]);

	return fd >= 0 || chosen ? fd : open_in(defaults[1]);
}

enum tc_status tc_temporary_create(int *out, struct tc_ctx *ctx)
{
	int fd = tc_temporary_open();

	if (fd < 0 && errno == ENOMEM)
		return tc_fail(ctx, TC_ERR_NOMEM, "cannot make a temporary file: out of memory");
	if (fd < 0)
		return tc_fail_errno(ctx, TC_ERR_IO, errno, TC_TO_WRITE_TEMPORARY,
			"cannot make a temporary file in %s", tc_temporary_directory());
	*out = fd;
	return TC_OK;
}
