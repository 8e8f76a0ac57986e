#include "fleet/batch/record_log.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/hash.h"
#include "core/context.h"
#include "core/files/whole.h"
#include "core/files/remedy.h"

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

static enum tc_status fail(struct tc_record_log *log, const char *what)
{
	int error = errno;

	return tc_fail(log->ctx, TC_ERR_IO, "cannot %s %s: %s%s", what, log->path, strerror(error),
		tc_remedy(error, TC_TO_WRITE));
}

/* Sets buf to the record at a place; *sound is false when no complete record is there. */
static enum tc_status read_record(
	bool *sound, struct tc_buf *buf, struct tc_record_log *log, int64_t place)
{
	struct frame frame;
	ssize_t got = tc_whole_read(log->fd, &frame, sizeof(frame), place);

	*sound = false;
	tc_buf_reset(buf);
	if (got < 0)
		return fail(log, "read");
	if ((size_t)got < sizeof(frame) || frame.len > RECORD_MAX_BYTES)
		return TC_OK;
	char *bytes = tc_buf_extend(buf, frame.len);
	if (!bytes)
		return tc_no_memory(log->ctx);
	got = tc_whole_read(log->fd, bytes, frame.len, place + (int64_t)sizeof(frame));
	if (got < 0)
		return fail(log, "read");
	*sound = (size_t)got == frame.len && tc_hash_of(bytes, frame.len) == frame.hash;
	return TC_OK;
}

enum tc_status tc_record_log_append(
	int64_t *place, struct tc_record_log *log, struct tc_text record)
{
	const struct frame frame = {tc_hash_of(record.ptr, record.len), record.len};

	/* A frame without its record is not sound, so the order of the two does not matter. */
	errno = tc_whole_write(log->fd, &frame, sizeof(frame), log->end);
	if (!errno)
		errno = tc_whole_write(
			log->fd, record.ptr, record.len, log->end + (int64_t)sizeof(frame));
	if (errno)
		return fail(log, "write");
	*place = log->end;
	log->end += (int64_t)(sizeof(frame) + record.len);
	return TC_OK;
}

enum tc_status tc_record_log_read(struct tc_buf *buf, struct tc_record_log *log, int64_t place)
{
	bool sound;
	enum tc_status status = read_record(&sound, buf, log, place);

	if (!status && !sound)
		status = tc_fail(log->ctx, TC_ERR_IO,
			"%s was changed by another program: run the batch again", log->path);
	return status;
}

/* Reads all records; afterwards log->end is after the last sound one. */
static enum tc_status replay(
	struct tc_record_log *log, struct tc_text head, tc_record_log_fn take, void *user)
{
	struct tc_buf buf = TC_BUF_EMPTY;
	bool sound, is_head = true;
	enum tc_status status = read_record(&sound, &buf, log, 0);

	sound = sound && tc_text_equal(tc_buf_text(&buf), head);
	while (!status && sound) {
		if (!is_head)
			status = take(user, log->end, tc_buf_text(&buf));
		is_head = false;
		log->end += (int64_t)(sizeof(struct frame) + buf.len);
		if (!status)
			status = read_record(&sound, &buf, log, log->end);
	}
	tc_buf_clear(&buf);
	if (!status && ftruncate(log->fd, (off_t)log->end))
		status = fail(log, "shorten");
	return status;
}

/* The batch that had the log may just have removed the file. */
static bool is_still_there(const struct tc_record_log *log)
{
	struct stat opened, named;

	return fstat(log->fd, &opened) == 0 && stat(log->path, &named) == 0 &&
	       opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

static enum tc_status open_file(struct tc_record_log *log)
{
	log->fd = open(log->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
	if (log->fd < 0)
		return fail(log, "open");
	/* Where files cannot be locked, nothing keeps other batches out. */
	if ((flock(log->fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) || !is_still_there(log))
		return tc_fail(log->ctx, TC_ERR_USAGE,
			"%s: another batch is writing there: wait for it, or choose another place",
			log->path);
	return TC_OK;
}

enum tc_status tc_record_log_open(struct tc_record_log **out, struct tc_ctx *ctx, const char *path,
	struct tc_text head, tc_record_log_fn take, void *user)
{
	struct tc_record_log *log = tc_calloc(1, sizeof(*log));
	int64_t place;

	if (log)
		*log = (struct tc_record_log){ctx, tc_string_dup(path), -1, 0};
	if (!log || !log->path) {
		tc_record_log_close(log, false);
		return tc_fail(ctx, TC_ERR_NOMEM, "cannot open %s: out of memory", path);
	}
	enum tc_status status = open_file(log);
	if (!status)
		status = replay(log, head, take, user);
	if (!status && log->end == 0)
		status = tc_record_log_append(&place, log, head);
	if (status)
		tc_record_log_close(log, false);
	else
		*out = log;
	return status;
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
