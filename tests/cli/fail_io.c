/*
 * Preloaded into the program: its read, write or change of length number TC_FAIL_IO_AT, from 1, of
 * a file fails, a read as on a broken disk, others as on a full one. TC_FAIL_IO_COUNT names a file
 * that gets how many there were.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_long made;

static int must_fail(int error)
{
	const char *at = getenv("TC_FAIL_IO_AT");

	if (atomic_fetch_add(&made, 1) + 1 != (at ? strtol(at, NULL, 10) : 0))
		return 0;
	errno = error;
	return 1;
}

__attribute__((destructor)) static void tell_count(void)
{
	const char *path = getenv("TC_FAIL_IO_COUNT");
	FILE *file = path ? fopen(path, "w") : NULL;

	if (!file)
		return;
	fprintf(file, "%ld\n", atomic_load(&made));
	fclose(file);
}

#define FAILING(type, error, name, parameters, ...)                                                \
	type name parameters                                                                       \
	{                                                                                          \
		type(*real) parameters = (type(*) parameters)dlsym(RTLD_NEXT, #name);              \
		return must_fail(error) ? -1 : real(__VA_ARGS__);                                  \
	}

FAILING(ssize_t, EIO, pread, (int fd, void *bytes, size_t len, off_t at), fd, bytes, len, at)
FAILING(ssize_t, EIO, pread64, (int fd, void *bytes, size_t len, off64_t at), fd, bytes, len, at)
FAILING(ssize_t, ENOSPC, pwrite, (int fd, const void *bytes, size_t len, off_t at), fd, bytes, len,
	at)
FAILING(ssize_t, ENOSPC, pwrite64, (int fd, const void *bytes, size_t len, off64_t at), fd, bytes,
	len, at)
FAILING(int, ENOSPC, ftruncate, (int fd, off_t len), fd, len)
FAILING(int, ENOSPC, ftruncate64, (int fd, off64_t len), fd, len)
