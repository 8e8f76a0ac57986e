/* The record log: a frame with the hash and the length of a record stands before each. */
#include "fleet/record_log.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/hash.h"
#include "core/context.h"
#include "core/files/files.h"
#include "core/files/place.h"

/* A job has a few kB per trace; a record that claims to be longer is damaged. */
enum { RECORD_MAX_BYTES = 1 << 30 };

/* Precedes each record. */
struct frame {
	uint64_t hash, len;
};

struct tc_record_log {
	struct tc_ctx *ctx;
	char *path;
	int fd;
	int64_t end;
};

static void fail(struct tc_record_log *log, const char *what)
{
	tc_fail_errno(log->ctx, TC_ERR_IO, errno, TC_TO_WRITE, "cannot %s %s", what, log->path);
}

/* Sets buf to the record at a place. False when no complete record is there, or reading failed. */
static bool read_record(struct tc_buf *buf, struct tc_record_log *log, int64_t place)
{
	struct frame frame;
	ssize_t got = tc_whole_read(log->fd, &frame, sizeof(frame), place);

	tc_buf_reset(buf);
	if (got < 0)
		fail(log, "read");
	if (got < (ssize_t)sizeof(frame) || frame.len > RECORD_MAX_BYTES)
		return false;
	char *bytes = tc_buf_extend(buf, frame.len);
	if (!bytes)
		return false;
	got = tc_whole_read(log->fd, bytes, frame.len, place + (int64_t)sizeof(frame));
	if (got < 0)
		fail(log, "read");
	return got == (ssize_t)frame.len && tc_hash_of(bytes, frame.len) == frame.hash;
}

int64_t tc_record_log_append(struct tc_record_log *log, struct tc_text record)
{
	const struct frame frame = {tc_hash_of(record.ptr, record.len), record.len};
	int64_t place = log->end;

	/* A frame without its record is not sound, so the order of the two does not matter. */
	errno = tc_whole_write(log->fd, &frame, sizeof(frame), place);
	if (!errno)
		errno = tc_whole_write(
			log->fd, record.ptr, record.len, place + (int64_t)sizeof(frame));
	if (errno) {
		fail(log, "write");
		return -1;
	}
	log->end += (int64_t)(sizeof(frame) + record.len);
	return place;
}

void tc_record_log_read(struct tc_buf *buf, struct tc_record_log *log, int64_t place)
{
	if (!read_record(buf, log, place) && !tc_ctx_failed(log->ctx))
		tc_fail(log->ctx, TC_ERR_IO,
			"%s was changed by another program: run the batch again", log->path);
}

/* Reads all records; afterwards log->end is after the last sound one. */
static void replay(
	struct tc_record_log *log, struct tc_text head, tc_record_log_fn take, void *user)
{
	struct tc_buf buf = {.ctx = log->ctx};
	bool sound = read_record(&buf, log, 0) && tc_text_equal(tc_buf_text(&buf), head);

	while (sound && !tc_ctx_failed(log->ctx)) {
		if (log->end > 0)
			take(user, log->end, tc_buf_text(&buf));
		log->end += (int64_t)(sizeof(struct frame) + buf.len);
		sound = read_record(&buf, log, log->end);
	}
	tc_buf_clear(&buf);
	if (!tc_ctx_failed(log->ctx) && ftruncate(log->fd, (off_t)log->end))
		fail(log, "shorten");
}

/* The batch that had the log may just have removed the file. */
static bool is_still_there(const struct tc_record_log *log)
{
	struct stat opened, named;

	return fstat(log->fd, &opened) == 0 && stat(log->path, &named) == 0 &&
	       opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

static void open_file(struct tc_record_log *log)
{
	log->fd = open(log->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
	if (log->fd < 0)
		fail(log, "open");
	/* Where files cannot be locked, nothing keeps other batches out. */
	else if ((flock(log->fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) ||
		 !is_still_there(log))
		tc_fail(log->ctx, TC_ERR_USAGE,
			"%s: another batch is writing there: wait for it, or choose another place",
			log->path);
}

struct tc_record_log *tc_record_log_open(struct tc_ctx *ctx, const char *path, struct tc_text head,
	tc_record_log_fn take, void *user)
{
	struct tc_record_log *log = tc_calloc(1, sizeof(*log));

	if (log)
		*log = (struct tc_record_log){ctx, tc_string_dup(path), -1, 0};
	if (log && log->path)
		open_file(log);
	else
		tc_fail(ctx, TC_ERR_NOMEM, "cannot open %s: out of memory", path);
	if (!tc_ctx_failed(ctx))
		replay(log, head, take, user);
	if (!tc_ctx_failed(ctx) && log->end == 0)
		tc_record_log_append(log, head);
	if (!tc_ctx_failed(ctx))
		return log;
	tc_record_log_close(log, false);
	return NULL;
}

void tc_record_log_close(struct tc_record_log *log, bool remove)
{
	if (!log)
		return;
	if (remove)
		unlink(log->path);
	if (log->fd >= 0)
		close(log->fd);
	tc_free(log->path);
	tc_free(log);
}

static void make_out(struct tc_ctx *ctx, const char *out)
{
	if (mkdir(out, 0777) && errno != EEXIST)
		tc_fail_errno(ctx, TC_ERR_IO, errno, TC_TO_WRITE, "cannot make %s", out);
	else if (!tc_place_is_directory(out))
		tc_fail(ctx, TC_ERR_USAGE,
			"-o %s: a file, and a batch keeps its index in a directory: name one", out);
}

int tc_out_claim(struct tc_ctx *ctx, const char *out, enum tc_out_claim claim)
{
	make_out(ctx, out);
	if (tc_ctx_failed(ctx) || claim == TC_OUT_CLAIMED)
		return -1;
	int fd = open(out, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || flock(fd, (claim == TC_OUT_ALONE ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0 ||
		errno != EWOULDBLOCK)
		return fd;
	tc_fail(ctx, TC_ERR_USAGE,
		"%s: a watch%s is writing there: end it, or choose another place", out,
		claim == TC_OUT_ALONE ? " or a batch" : "");
	close(fd);
	return -1;
}
