/* Follows links at the end of a path and opens the directory behind it. See place.h. */
#define _GNU_SOURCE /* O_PATH: searching a directory is enough, it need not be readable */
#include "core/place.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#ifndef O_PATH
#define O_PATH O_RDONLY
#endif

/* As Linux: links to follow, and bytes of where one points. */
enum { LINK_TRIES = 40, LINK_MAX_BYTES = 4096 };

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
