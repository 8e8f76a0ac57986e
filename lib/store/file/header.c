/* The header of an SQLite file, as SQLite's documentation of its file format describes it, and the
 * names of its journals. */
#include "store/file/header.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/array.h"
#include "core/files/files.h"
#include "store/connection.h"
#include "store/pages/page.h"

/* Offsets of other fields we read. */
enum {
	AT_PAGE_SIZE = 16,
	AT_USER_VERSION = 60,
	AT_APPLICATION_ID = 68,
};

static const char magic[16] = "SQLite format 3";

static void parse(struct tc_store_header *header, const unsigned char *bytes)
{
	int64_t page_size = bytes[AT_PAGE_SIZE] << 8 | bytes[AT_PAGE_SIZE + 1];

	header->is_sqlite = true;
	header->user_version = (int32_t)tc_get_be32(bytes + AT_USER_VERSION);
	header->application_id = tc_get_be32(bytes + AT_APPLICATION_ID);
	/* The page count is valid only when both counters agree. */
	if (tc_get_be32(bytes + TC_AT_CHANGE_COUNTER) == tc_get_be32(bytes + TC_AT_VALID_FOR))
		header->expected_bytes = (page_size == 1 ? 65536 : page_size) *
					 tc_get_be32(bytes + TC_AT_PAGE_COUNT);
}

int tc_store_header_read(struct tc_store_header *out, int fd)
{
	unsigned char bytes[TC_FILE_HEADER_BYTES];
	struct tc_store_header header = {0};
	struct stat st;

	if (fd >= 0) {
		ssize_t len = tc_whole_read(fd, bytes, sizeof(bytes), 0);
		if (len < 0 || fstat(fd, &st))
			return errno;
		header.file_bytes = st.st_size;
		header.has_magic =
			len >= (ssize_t)sizeof(magic) && memcmp(bytes, magic, sizeof(magic)) == 0;
		if (header.has_magic && len == TC_FILE_HEADER_BYTES)
			parse(&header, bytes);
	}
	*out = header;
	return 0;
}

/* Opening a FIFO would wait for a writer, and a FIFO cannot be a store. */
int tc_store_file_open(int *out, const char *path)
{
	struct stat st;
	int fd = -1;

	if (stat(path, &st))
		return errno;
	if (S_ISREG(st.st_mode)) {
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
		if (fd < 0)
			return errno;
	}
	*out = fd;
	return 0;
}

int tc_store_header_find(struct tc_store_header *out, const char *path)
{
	int fd = -1, error = tc_store_file_open(&fd, path);

	if (error)
		return error;
	error = tc_store_header_read(out, fd);
	if (fd >= 0)
		close(fd);
	return error;
}

enum tc_status tc_store_check_target(
	struct tc_ctx *ctx, const char *path, uint32_t application_id, const char *what)
{
	struct tc_store_header header;
	int error = tc_store_header_find(&header, path);

	if (error == ENOENT)
		return TC_OK;
	if (error)
		return tc_fail_errno(ctx, TC_ERR_IO, error, TC_TO_WRITE, "cannot create %s", path);
	if (!header.is_sqlite || header.application_id != application_id)
		return tc_fail(ctx, TC_ERR_USAGE,
			"%s exists and is not %s; it is not replaced: choose another name or "
			"remove it",
			path, what);
	return TC_OK;
}

bool tc_store_probe(const char *path)
{
	struct tc_store_header header;

	return tc_store_header_find(&header, path) == 0 && header.has_magic;
}

bool tc_store_is_ours(const char *path)
{
	struct tc_store_header header;

	return tc_store_header_find(&header, path) == 0 && header.is_sqlite &&
	       header.application_id == TC_STORE_APPLICATION_ID;
}

/* ---- journals */

static const char *const ends[] = {"-journal", "-wal", "-shm"};

int tc_stray_find(struct tc_buf *path, const struct tc_place *place)
{
	size_t directory_len = (size_t)(place->name - place->path.ptr);
	struct stat st;

	for (size_t i = 0; i < TC_COUNT_OF(ends); i++) {
		tc_buf_reset(path);
		tc_buf_format(path, "%s%s", place->path.ptr, ends[i]);
		if (!tc_buf_string(path))
			return ENOMEM;
		if (fstatat(place->directory, path->ptr + directory_len, &st,
			    AT_SYMLINK_NOFOLLOW) == 0)
			return 0;
	}
	tc_buf_reset(path);
	return 0;
}

bool tc_stray_base(struct tc_buf *base, const struct tc_place *place)
{
	size_t name_len = strlen(place->name);

	for (size_t i = 0; i < TC_COUNT_OF(ends); i++) {
		size_t len = strlen(ends[i]);
		if (name_len <= len || strcmp(place->name + name_len - len, ends[i]) != 0)
			continue;
		tc_buf_reset(base);
		tc_buf_append_string(base, place->path.ptr);
		base->len -= base->len >= len ? len : 0;
		return tc_buf_string(base) != NULL;
	}
	return false;
}
