/* Journals next to a store. See stray.h. */
#include "store/file/stray.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "core/array.h"

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
