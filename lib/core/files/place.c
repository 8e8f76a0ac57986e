/*
 * Where a path leads: symbolic links at its end are followed one by one, as far as Linux does, also
 * to where nothing is yet; then the directory is opened, and the name in it is the place. Also
 * whether a path leads to a descriptor ("/dev/stdout", "/proc/self/fd/3", a link to one).
 */
#define _GNU_SOURCE /* O_PATH: searching a directory is enough, it need not be readable */
#include "core/files/place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/text/decimal.h"

#ifndef O_PATH
#define O_PATH O_RDONLY
#endif

/* The limits of Linux: how many links are followed, and how long the path in one may be. */
enum { LINK_TRIES = 40, LINK_MAX_BYTES = 4096 };

/* Replaces the name of a link by the path it holds; false when it is no link. */
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

static int follow_links(struct tc_buf *path)
{
	for (int i = 0; i < LINK_TRIES; i++) {
		if (!follow(path))
			return tc_buf_failed(path) ? ENOMEM : 0;
	}
	return ELOOP;
}

/* The part of the path before its last one, for which the name is cut off while it is opened. */
static int open_directory(struct tc_place *place)
{
	const int flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
	char *slash = strrchr(place->path.ptr, '/');

	place->name = slash ? slash + 1 : place->path.ptr;
	if (!*place->name)
		return *place->path.ptr ? EISDIR : ENOENT;
	if (!slash) {
		place->directory = open(".", flags);
	} else {
		char kept = slash[1];
		slash[1] = '\0';
		place->directory = open(place->path.ptr, flags);
		slash[1] = kept;
	}
	return place->directory < 0 ? errno : 0;
}

int tc_place_open(struct tc_place *place, const char *path)
{
	int error;

	*place = TC_PLACE_NONE;
	tc_buf_append_string(&place->path, path);
	if (!tc_buf_string(&place->path))
		error = ENOMEM;
	else
		error = follow_links(&place->path);
	if (!error)
		error = open_directory(place);
	if (error)
		tc_place_close(place);
	return error;
}

void tc_place_close(struct tc_place *place)
{
	if (place->directory >= 0)
		close(place->directory);
	tc_buf_clear(&place->path);
	*place = TC_PLACE_NONE;
}

bool tc_place_is_directory(const char *path)
{
	struct stat file;

	return stat(path, &file) == 0 && S_ISDIR(file.st_mode);
}

/* Takes digits from the start of text; false without any. */
static bool skip_number(const char **text)
{
	size_t len = strspn(*text, "0123456789");

	*text += len;
	return len > 0;
}

/* Whether a real path is a directory of descriptors: /proc/N/fd, /proc/N/task/N/fd, or /dev/fd
 * where that is no link. */
static bool is_descriptor_directory(const char *path)
{
	if (strcmp(path, "/dev/fd") == 0)
		return true;
	if (strncmp(path, "/proc/", 6) != 0)
		return false;
	path += 6;
	if (!skip_number(&path))
		return false;
	if (strncmp(path, "/task/", 6) == 0) {
		path += 6;
		if (!skip_number(&path))
			return false;
	}
	return strcmp(path, "/fd") == 0;
}

/* Whether such a directory has this process's descriptors. */
static bool is_own(const char *directory)
{
	char self[PATH_MAX];
	size_t len;

	if (strncmp(directory, "/dev/", 5) == 0)
		return true;
	if (!realpath("/proc/self", self))
		return false;
	len = strlen(self);
	return strncmp(directory, self, len) == 0 && directory[len] == '/';
}

/* Without following the last part of the path. */
static bool names_descriptor(int *fd, struct tc_buf *path)
{
	char *slash = strrchr(path->ptr, '/');
	const char *name = slash ? slash + 1 : path->ptr, *end = name;
	char directory[PATH_MAX];
	int64_t number;

	if (!skip_number(&end) || *end)
		return false;
	char kept = slash ? slash[1] : '\0';
	if (slash)
		slash[1] = '\0';
	bool found = realpath(slash ? path->ptr : ".", directory) != NULL;
	if (slash)
		slash[1] = kept;
	if (!found || !is_descriptor_directory(directory) ||
		!tc_decimal_int64(&number, tc_text_from(name)))
		return false;
	*fd = is_own(directory) && number <= INT_MAX ? (int)number : -1;
	return true;
}

bool tc_place_is_descriptor(int *fd, const char *path)
{
	struct tc_buf buf = TC_BUF_EMPTY;
	bool found = false;

	tc_buf_append_string(&buf, path);
	for (int i = 0; i < LINK_TRIES && !found && tc_buf_string(&buf); i++) {
		found = names_descriptor(fd, &buf);
		if (!found && !follow(&buf))
			break;
	}
	tc_buf_clear(&buf);
	return found;
}
