/* Private files: made with O_EXCL, synced, renamed. See private.h. */
#include "store/private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* From <stdio.h>, which lib/ does not include; C allows to declare it (7.1.4). */
int rename(const char *from, const char *to);

/* Names tried before giving up: killed runs with our process id may have left some. */
enum { NAME_TRIES = 100 };

/* As Linux: links to follow, and bytes of where one points. */
enum { LINK_TRIES = 40, LINK_MAX_BYTES = 4096 };

static enum tc_status out_of_memory(struct tc_ctx *ctx)
{
	return tc_fail(ctx, TC_ERR_NOMEM, "cannot create the store: out of memory");
}

/* SQLite gives names such as ":memory:" a meaning; with a directory in front they are files. */
static void set_path(struct tc_buf *buf, const char *path)
{
	tc_buf_reset(buf);
	if (path[0] != '/' && path[0] != '.')
		tc_buf_append_string(buf, "./");
	tc_buf_append_string(buf, path);
}

/* Puts where the link points in the place of its name; false when it is none. */
static bool follow(struct tc_buf *path)
{
	char target[LINK_MAX_BYTES];
	ssize_t len = readlink(path->ptr, target, sizeof(target));

	if (len <= 0 || len == (ssize_t)sizeof(target))
		return false;
	while (path->len > 0 && (target[0] == '/' || path->ptr[path->len - 1] != '/'))
		path->len--;
	tc_buf_append(path, target, (size_t)len);
	return tc_buf_string(path) != NULL;
}

/* The name is replaced by renaming, which would replace a link instead of what it points to. */
static enum tc_status follow_links(struct tc_private *file, struct tc_ctx *ctx)
{
	for (int i = 0; i < LINK_TRIES; i++)
		if (!follow(&file->final_path))
			return tc_buf_failed(&file->final_path) ? out_of_memory(ctx) : TC_OK;
	return tc_fail(
		ctx, TC_ERR_IO, "cannot create %s: %s", file->final_path.ptr, strerror(ELOOP));
}

static enum tc_status create_beside(struct tc_private *file, struct tc_ctx *ctx)
{
	int fd = -1;

	for (int i = 0; i < NAME_TRIES && fd < 0; i++) {
		tc_buf_reset(&file->path);
		tc_buf_append_text(&file->path, tc_buf_text(&file->final_path));
		tc_buf_format(&file->path, ".tracecoach-%ld", (long)getpid());
		if (i > 0)
			tc_buf_format(&file->path, "-%d", i);
		tc_buf_append_string(&file->path, ".tmp");
		const char *path = tc_buf_string(&file->path);
		if (!path)
			return out_of_memory(ctx);
		fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	if (fd < 0) {
		int error = errno;
		tc_buf_reset(&file->path);
		return tc_fail(ctx, TC_ERR_IO, "cannot create %s: %s",
			tc_buf_string(&file->final_path), strerror(error));
	}
	close(fd);
	return TC_OK;
}

static enum tc_status create_temporary(struct tc_private *file, struct tc_ctx *ctx)
{
	const char *directory = getenv("TMPDIR");

	if (!directory || !*directory)
		directory = "/tmp";
	set_path(&file->path, directory);
	tc_buf_append_string(&file->path, "/tracecoach-XXXXXX");
	if (!tc_buf_string(&file->path))
		return out_of_memory(ctx);
	int fd = mkstemp(file->path.ptr);
	if (fd < 0) {
		int error = errno;
		tc_buf_reset(&file->path);
		return tc_fail(ctx, TC_ERR_IO, "cannot create a temporary store in %s: %s",
			directory, strerror(error));
	}
	close(fd);
	return TC_OK;
}

enum tc_status tc_private_create(
	struct tc_private *file, struct tc_ctx *ctx, const char *final_path)
{
	*file = (struct tc_private){0};
	if (!final_path)
		return create_temporary(file, ctx);
	set_path(&file->final_path, final_path);
	if (!tc_buf_string(&file->final_path))
		return out_of_memory(ctx);
	enum tc_status status = follow_links(file, ctx);
	return status == TC_OK ? create_beside(file, ctx) : status;
}

enum tc_status tc_private_sync(struct tc_private *file, struct tc_ctx *ctx)
{
	int fd = open(file->path.ptr, O_RDWR | O_CLOEXEC);
	int error = fd < 0 || fsync(fd) ? errno : 0;

	if (fd >= 0)
		close(fd);
	if (error)
		return tc_fail(ctx, TC_ERR_IO, "cannot write %s: %s", file->final_path.ptr,
			strerror(error));
	return TC_OK;
}

/* Makes the new name durable. Not every file system can; the file is whole without it. */
static void sync_directory(struct tc_private *file)
{
	char *slash = strrchr(file->final_path.ptr, '/');
	char kept = slash[1];

	slash[1] = '\0';
	int fd = open(file->final_path.ptr, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	slash[1] = kept;
	if (fd < 0)
		return;
	(void)fsync(fd);
	close(fd);
}

enum tc_status tc_private_publish(struct tc_private *file, struct tc_ctx *ctx)
{
	if (rename(file->path.ptr, file->final_path.ptr))
		return tc_fail(ctx, TC_ERR_IO, "cannot create %s: %s", file->final_path.ptr,
			strerror(errno));
	tc_buf_reset(&file->path);
	sync_directory(file);
	return TC_OK;
}

void tc_private_unlink(struct tc_private *file)
{
	if (file->path.len > 0)
		unlink(file->path.ptr);
	tc_buf_reset(&file->path);
}

void tc_private_clear(struct tc_private *file)
{
	tc_private_unlink(file);
	tc_buf_clear(&file->path);
	tc_buf_clear(&file->final_path);
}
