/*
 * Source: opens a file and hands out its bytes through the codec that its first bytes ask for.
 * Everything that looks at bytes is in codec.c, parts.c, gzip.c and zstd.c.
 */
#include "source/source.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/files/reads.h"
#include "core/files/remedy.h"
#include "source/codec.h"
#include "source/foreign.h"

/* After which it is said that nothing comes. */
#define SILENT_MS 1000

struct tc_source {
	struct tc_raw raw;
	int64_t total_bytes;
	const struct tc_codec *codec;
	void *state; /* the codec's; valid once codec is set */
	char *head;  /* decompressed to look at it; NULL for plain traces */
	size_t head_len, head_used;
};

static enum tc_status name_source(struct tc_raw *raw, const char *path)
{
	const char *name = strcmp(path, "-") == 0 ? "standard input" : path;

	raw->name = tc_string_dup(name);
	raw->bytes = tc_malloc(TC_RAW_BYTES);
	if (!raw->name || !raw->bytes)
		return tc_fail(raw->ctx, TC_ERR_NOMEM, "cannot open %s: out of memory", name);
	return TC_OK;
}

/* Whether it is the file that cannot be opened, or any. */
static enum tc_status status_of(int error)
{
	if (error == ENOMEM)
		return TC_ERR_NOMEM;
	return error == EMFILE || error == ENFILE ? TC_ERR_IO : TC_ERR_READ;
}

/* Says what is waited for, when it takes long. */
static void wait_for_writer(const struct tc_raw *raw, const char *path)
{
	struct pollfd writer = {.fd = raw->fd, .events = POLLIN};
	struct stat st;

	if (fstat(raw->fd, &st) == 0 && S_ISFIFO(st.st_mode) && poll(&writer, 1, SILENT_MS) == 0)
		tc_ctx_note(
			raw->ctx, TC_NOTE_HINT, "%s is a pipe: waiting for what writes it", path);
}

static enum tc_status open_file(struct tc_raw *raw, const char *path)
{
	if (strcmp(path, "-") == 0) {
		raw->fd = STDIN_FILENO;
		if (tc_reads_add(raw->ctx, raw->fd) == ENOMEM)
			return tc_fail(raw->ctx, TC_ERR_NOMEM, "cannot read: out of memory");
		return TC_OK;
	}
	raw->fd = tc_reads_open(raw->ctx, path);
	if (raw->fd >= 0)
		return TC_OK;
	if (errno == EINTR)
		return tc_fail(raw->ctx, TC_ERR_INTERRUPTED, "interrupted");
	return tc_fail(raw->ctx, status_of(errno), "cannot open %s: %s%s", path, strerror(errno),
		tc_remedy(errno, TC_TO_READ));
}

static enum tc_status look_at_file(struct tc_source *source)
{
	struct tc_raw *raw = &source->raw;
	struct stat st;

	if (fstat(raw->fd, &st))
		return tc_fail(
			raw->ctx, TC_ERR_READ, "cannot read %s: %s", raw->name, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return tc_fail(raw->ctx, TC_ERR_INPUT,
			"%s is a directory; name traces in it (.json, .json.gz or .json.zst)",
			raw->name);
	source->total_bytes = -1;
	if (S_ISREG(st.st_mode)) {
		off_t start = lseek(raw->fd, 0, SEEK_CUR);
		source->total_bytes = st.st_size - (start > 0 ? start : 0);
#ifdef POSIX_FADV_SEQUENTIAL
		/* Only a hint; file systems that do not support it are fine. */
		(void)posix_fadvise(raw->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
	}
	return TC_OK;
}

/* Decompresses len bytes, to be looked at and then to be read first. */
static enum tc_status fill_head(struct tc_source *source, size_t capacity)
{
	enum tc_status status = TC_OK;
	size_t len = 1;

	source->head = tc_malloc(capacity);
	if (!source->head)
		return tc_fail(source->raw.ctx, TC_ERR_NOMEM, "cannot open %s: out of memory",
			source->raw.name);
	while (!status && len > 0 && source->head_len < capacity) {
		len = 0;
		status = source->codec->read(source->state, &source->raw,
			source->head + source->head_len, capacity - source->head_len, &len);
		source->head_len += len;
	}
	return status;
}

/* The first bytes of what is in the file: more of a database, to find its tables. */
static enum tc_status see_head(struct tc_text *head, struct tc_source *source)
{
	const struct tc_raw *raw = &source->raw;
	enum tc_status status = TC_OK;

	*head = (struct tc_text){(const char *)raw->bytes + raw->pos, raw->len - raw->pos};
	bool is_database = tc_foreign_is_database(*head);
	if (source->codec == &tc_codec_plain && !is_database)
		return TC_OK;
	status = fill_head(source, is_database ? TC_FOREIGN_DATABASE_BYTES : TC_FOREIGN_HEAD_BYTES);
	*head = (struct tc_text){source->head, source->head_len};
	return status;
}

static enum tc_status refuse_foreign(struct tc_source *source)
{
	struct tc_text head = TC_TEXT_NONE;
	enum tc_status status = see_head(&head, source);
	const struct tc_foreign *foreign = status ? NULL : tc_foreign_find(head, source->raw.name);

	if (!foreign)
		return status;
	return tc_fail(source->raw.ctx, TC_ERR_INPUT, "%s is %s; %s", source->raw.name,
		foreign->what, foreign->remedy);
}

/* A terminal ends when its user says so. */
static bool is_device(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) && !isatty(fd);
}

static enum tc_status choose_codec(struct tc_source *source)
{
	struct tc_raw *raw = &source->raw;
	enum tc_status status = tc_raw_need(raw, TC_FOREIGN_HEAD_BYTES);

	if (!status && raw->len == 0)
		status = tc_fail(raw->ctx, TC_ERR_INPUT,
			"%s is empty; was the profiler stopped before it wrote the trace?",
			raw->name);
	if (status)
		return status;
	if (is_device(raw->fd))
		return tc_fail(raw->ctx, TC_ERR_INPUT,
			"%s is a device, which has no end: give a trace", raw->name);
	const struct tc_codec *codec = tc_codec_choose(raw);
	if (codec->open)
		status = codec->open(&source->state, raw);
	if (status)
		return status;
	source->codec = codec;
	return refuse_foreign(source);
}

static enum tc_status refuse_special(const struct tc_source *source)
{
	struct stat st;

	if (fstat(source->raw.fd, &st) == 0 && S_ISREG(st.st_mode))
		return TC_OK;
	return tc_fail(source->raw.ctx, TC_ERR_INPUT, "%s is not a regular file", source->raw.name);
}

static enum tc_status open_source(
	struct tc_source **out, struct tc_ctx *ctx, const char *path, bool only_regular)
{
	struct tc_source *source = tc_calloc(1, sizeof(*source));

	if (!source)
		return tc_fail(ctx, TC_ERR_NOMEM, "cannot open %s: out of memory", path);
	source->raw.ctx = ctx;
	source->raw.fd = -1;
	enum tc_status status = name_source(&source->raw, path);
	if (!status)
		status = open_file(&source->raw, path);
	if (!status && only_regular)
		status = refuse_special(source);
	else if (!status && strcmp(path, "-") != 0)
		wait_for_writer(&source->raw, path);
	if (!status)
		status = look_at_file(source);
	if (!status)
		status = choose_codec(source);
	if (status) {
		tc_source_close(source);
		return status;
	}
	*out = source;
	return TC_OK;
}

enum tc_status tc_source_open(struct tc_source **out, struct tc_ctx *ctx, const char *path)
{
	return open_source(out, ctx, path, false);
}

enum tc_status tc_source_open_regular(struct tc_source **out, struct tc_ctx *ctx, const char *path)
{
	return open_source(out, ctx, path, true);
}

void tc_source_close(struct tc_source *source)
{
	if (!source)
		return;
	if (source->codec && source->codec->close)
		source->codec->close(source->state);
	if (source->raw.fd > STDIN_FILENO)
		close(source->raw.fd);
	tc_buf_clear(&source->raw.loss_reason);
	tc_free(source->head);
	tc_free(source->raw.bytes);
	tc_free(source->raw.name);
	tc_free(source);
}

enum tc_status tc_source_read(struct tc_source *source, char *buffer, size_t capacity, size_t *len)
{
	size_t left = source->head_len - source->head_used;

	if (left == 0)
		return source->codec->read(source->state, &source->raw, buffer, capacity, len);
	*len = left < capacity ? left : capacity;
	memcpy(buffer, source->head + source->head_used, *len);
	source->head_used += *len;
	return TC_OK;
}

bool tc_source_is_other_database(struct tc_ctx *ctx, const char *path)
{
	int fd = tc_reads_open(ctx, path);
	char *bytes = fd < 0 ? NULL : tc_malloc(TC_FOREIGN_DATABASE_BYTES);
	size_t total = 0;
	ssize_t got = 1;

	while (bytes && got > 0 && total < TC_FOREIGN_DATABASE_BYTES) {
		got = tc_reads_some(ctx, fd, bytes + total, TC_FOREIGN_DATABASE_BYTES - total);
		total += got > 0 ? (size_t)got : 0;
	}
	bool is_other = bytes && tc_foreign_is_other_database((struct tc_text){bytes, total}, path);
	tc_free(bytes);
	if (fd >= 0)
		close(fd);
	return is_other;
}

struct tc_source_loss tc_source_loss(const struct tc_source *source)
{
	const struct tc_raw *raw = &source->raw;

	return (struct tc_source_loss){.count = raw->loss_count,
		.reason = raw->loss_count > 0 ? raw->loss_reason.ptr : NULL,
		.is_at_end = raw->ends_early,
		.tail_bytes = raw->tail_bytes};
}

const char *tc_source_kind(const struct tc_source *source)
{
	return source->codec->name;
}

int64_t tc_source_read_bytes(const struct tc_source *source)
{
	return source->raw.read_bytes;
}

int64_t tc_source_total_bytes(const struct tc_source *source)
{
	return source->total_bytes;
}
