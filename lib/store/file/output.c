/* Outputs of a run: standard output, an open descriptor, a device, or a file that appears whole.
 * None is written over a file that is read, nor over a store or its journal. */
#include "tracecoach/output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/context.h"
#include "core/files/pending.h"
#include "core/files/files.h"
#include "core/files/reads.h"
#include "store/file/header.h"

/* Kinds of targets that a name may have. */
enum target {
	TARGET_FILE,       /* a file to be made or replaced */
	TARGET_DESCRIPTOR, /* an open descriptor, maybe in append mode */
	TARGET_SPECIAL,    /* a device or a pipe, opened late because that may wait for a reader */
	TARGET_OTHER,      /* an open file of another process */
};

struct tc_output {
	struct tc_ctx *ctx;
	const char *path; /* NULL for standard output */
	const char *store_path;
	enum target target;
	int fd;         /* -1 for a special file that is not open yet */
	int open_error; /* errno of the first failure */
	int write_error;
	struct tc_pending pending; /* for TARGET_FILE */
};

/* Whether both names refer to the same place; nothing needs to exist there yet. */
static bool is_same_place(const char *one, const char *other)
{
	struct tc_place a, b;
	struct stat in_a, in_b;
	bool same = false;

	if (tc_place_open(&a, one))
		return false;
	if (tc_place_open(&b, other) == 0) {
		same = strcmp(a.name, b.name) == 0 && fstat(a.directory, &in_a) == 0 &&
		       fstat(b.directory, &in_b) == 0 && in_a.st_dev == in_b.st_dev &&
		       in_a.st_ino == in_b.st_ino;
		tc_place_close(&b);
	}
	tc_place_close(&a);
	return same;
}

/* Whether SQLite would take a file at path for a part of a database, or of the store to be made. */
static bool is_journal(const char *path, const char *store_path)
{
	struct tc_buf base = TC_BUF_EMPTY;
	struct tc_place place;
	bool is = false;

	if (tc_place_open(&place, path))
		return false;
	if (tc_stray_base(&base, &place))
		is = (store_path && is_same_place(base.ptr, store_path)) ||
		     tc_store_probe(base.ptr);
	tc_buf_clear(&base);
	tc_place_close(&place);
	return is;
}

/* Why no file may be made there, as far as is known now; NULL when it may. */
static const char *conflict(struct tc_ctx *ctx, const char *path, const char *store_path)
{
	if (tc_reads_has(ctx, path))
		return "is read, so it is not written over: give -o another name";
	if (store_path && is_same_place(path, store_path))
		return "--db makes the store there: give -o another name";
	if (is_journal(path, store_path))
		return "is where SQLite looks for changes to the store beside it: give -o another "
		       "name";
	if (tc_store_probe(path))
		return "is an SQLite database, so no report is written over it: give -o another "
		       "name";
	return NULL;
}

static enum tc_status check_place(const struct tc_output *output)
{
	const char *why = conflict(output->ctx, output->path, output->store_path);

	return why ? tc_fail(output->ctx, TC_ERR_USAGE, "%s: %s", output->path, why) : TC_OK;
}

/* The file that the shell has opened as standard output, given by name. Opening a device twice does
 * no harm. */
static bool is_standard(const struct stat *named)
{
	struct stat standard;

	return !S_ISCHR(named->st_mode) && fstat(STDOUT_FILENO, &standard) == 0 &&
	       named->st_dev == standard.st_dev && named->st_ino == standard.st_ino;
}

/* Sets *fd for TARGET_DESCRIPTOR. */
static enum target target_of(int *fd, const char *path)
{
	struct stat named;
	bool is_there, is_descriptor;

	*fd = STDOUT_FILENO;
	if (!path)
		return TARGET_DESCRIPTOR;
	is_there = stat(path, &named) == 0;
	is_descriptor = tc_place_is_descriptor(fd, path);
	if (is_descriptor && *fd >= 0)
		return TARGET_DESCRIPTOR;
	*fd = STDOUT_FILENO;
	if (is_there && is_standard(&named))
		return TARGET_DESCRIPTOR;
	if (is_there && !S_ISREG(named.st_mode) && !S_ISDIR(named.st_mode))
		return TARGET_SPECIAL;
	return is_descriptor ? TARGET_OTHER : TARGET_FILE;
}

static enum tc_status cannot_write(const struct tc_output *output, int error)
{
	return tc_fail_errno(output->ctx, TC_ERR_IO, error, TC_TO_WRITE, "%s: cannot write there",
		output->path ? output->path : "standard output");
}

/* Duplicates the descriptor, so that its owner may close it. */
static enum tc_status open_copy(struct tc_output *output, int fd)
{
	output->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return output->fd < 0 ? cannot_write(output, errno) : TC_OK;
}

static enum tc_status open_descriptor(struct tc_output *output, int fd)
{
	int flags = fd == STDOUT_FILENO ? O_WRONLY : fcntl(fd, F_GETFL);

	if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
		return cannot_write(output, EBADF);
	if (tc_reads_has_open(output->ctx, fd))
		return tc_fail(output->ctx, TC_ERR_USAGE,
			"%s: goes to a file that is read, so nothing is written to it: send it to "
			"another file",
			fd == STDOUT_FILENO ? "standard output" : output->path);
	if (fd == STDOUT_FILENO)
		output->path = NULL;
	return open_copy(output, fd);
}

static enum tc_status open_file(struct tc_output *output)
{
	enum tc_status status = check_place(output);

	if (status == TC_OK)
		status = tc_pending_create(&output->pending, output->ctx, output->path);
	return status == TC_OK ? open_copy(output, output->pending.fd) : status;
}

static enum tc_status open_target(struct tc_output *output)
{
	int fd;

	output->target = target_of(&fd, output->path);
	switch (output->target) {
	case TARGET_FILE: return open_file(output);
	case TARGET_DESCRIPTOR: return open_descriptor(output, fd);
	case TARGET_SPECIAL: break;
	case TARGET_OTHER:
		return tc_fail(output->ctx, TC_ERR_USAGE,
			"%s: a file that another process has open: give the name of a file",
			output->path);
	}
	return TC_OK;
}

static void clear(struct tc_output *output)
{
	if (output->fd >= 0)
		close(output->fd);
	tc_pending_discard(&output->pending);
	tc_free(output);
}

enum tc_status tc_output_open(
	struct tc_output **out, struct tc_ctx *ctx, const char *path, const char *store_path)
{
	struct tc_output *output;

	if (path && !*path)
		return tc_fail(ctx, TC_ERR_USAGE,
			"-o: an empty name: give the name of a file, or - for standard output");
	output = tc_malloc(sizeof(*output));
	if (!output)
		return tc_no_memory(ctx);
	*output = (struct tc_output){.ctx = ctx,
		.path = path && strcmp(path, "-") == 0 ? NULL : path,
		.store_path = store_path,
		.fd = -1,
		.pending = TC_PENDING_NONE};
	enum tc_status status = open_target(output);
	if (status == TC_OK)
		*out = output;
	else
		clear(output);
	return status;
}

/* Opening a FIFO waits for its reader, so a signal may interrupt it. */
static void open_special(struct tc_output *output)
{
	do {
		output->fd = open(output->path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY);
	} while (output->fd < 0 && errno == EINTR && !tc_ctx_interrupted(output->ctx));
	if (output->fd < 0)
		output->open_error = errno;
}

int tc_output_fd(struct tc_output *output)
{
	if (output->fd < 0 && !output->open_error)
		open_special(output);
	return output->fd;
}

int tc_output_write(void *user, const char *bytes, size_t len)
{
	struct tc_output *output = user;

	if (tc_output_fd(output) < 0)
		return -1;
	while (len > 0 && output->write_error == 0) {
		ssize_t written = write(output->fd, bytes, len);

		if (written > 0) {
			bytes += written;
			len -= (size_t)written;
		} else if (written == 0 || errno != EINTR || tc_ctx_interrupted(output->ctx)) {
			output->write_error = written < 0 ? errno : EIO;
		}
	}
	return output->write_error ? -1 : 0;
}

/* The reason of the failed write replaces the message of the report's writer. */
static enum tc_status write_failure(struct tc_output *output)
{
	int error = output->write_error;

	if (tc_ctx_interrupted(output->ctx))
		return tc_fail(output->ctx, TC_ERR_INTERRUPTED, "interrupted");
	tc_ctx_clear_error(output->ctx);
	if (output->open_error)
		return cannot_write(output, output->open_error);
	if (error == EPIPE && !output->path)
		return TC_OK;
	return tc_fail(output->ctx, TC_ERR_IO, "%s: cannot write: %s: %s",
		output->path ? output->path : "standard output", strerror(error),
		error == ENOSPC ? "make room and run again" : "check where the output goes");
}

static void close_copy(struct tc_output *output)
{
	if (output->fd >= 0 && close(output->fd) != 0 && output->write_error == 0)
		output->write_error = errno;
	output->fd = -1;
}

enum tc_status tc_output_close(struct tc_output *output, enum tc_status status)
{
	if (!output)
		return status;
	if (status == TC_OK)
		tc_output_fd(output);
	bool has_failed = output->open_error || output->write_error;
	close_copy(output);
	if (has_failed || (status == TC_OK && output->write_error))
		status = write_failure(output);
	else if (status == TC_OK && output->target == TARGET_FILE)
		status = check_place(output);
	if (status == TC_OK && output->target == TARGET_FILE)
		status = tc_pending_publish(&output->pending, output->ctx);
	clear(output);
	return status;
}
