/* Files without a name. See temporary.h. */
#define _GNU_SOURCE /* O_TMPFILE */
#include "core/files/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/array.h"
#include "core/buf.h"
#include "core/files/remedy.h"

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
		return tc_fail(ctx, TC_ERR_IO, "cannot make a temporary file in %s: %s%s",
			tc_temporary_directory(), strerror(errno),
			tc_remedy(errno, TC_TO_WRITE_TEMPORARY));
	*out = fd;
	return TC_OK;
}
