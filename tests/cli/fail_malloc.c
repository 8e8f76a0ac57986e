/*
 * Preloaded into a program: allocation number TC_FAIL_MALLOC_AT of the whole process, with all its
 * libraries, fails, and all after it, too, unless TC_FAIL_MALLOC_ONCE says so. At the end, the
 * number of allocations is written to descriptor TC_FAIL_MALLOC_COUNT, if that is set.
 *
 * Allocations of libseccomp succeed: version 2.5.4 uses freed memory or never ends when one fails
 * while it writes a filter, and tells its caller nothing.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_long made;
static long fail_at;
static int is_once, is_ready;

static void read_environment(void)
{
	const char *at = getenv("TC_FAIL_MALLOC_AT"), *once = getenv("TC_FAIL_MALLOC_ONCE");

	fail_at = at ? strtol(at, NULL, 10) : 0;
	is_once = once && *once;
	is_ready = 1;
}

static int is_seccomp(const void *caller)
{
	Dl_info info;

	return dladdr(caller, &info) != 0 && info.dli_fname && strstr(info.dli_fname, "libseccomp");
}

static int must_fail(const void *caller)
{
	long number = atomic_fetch_add(&made, 1) + 1;

	if (!is_ready)
		read_environment();
	if (fail_at == 0 || (is_once ? number != fail_at : number < fail_at))
		return 0;
	if (is_seccomp(caller))
		return 0;
	errno = ENOMEM;
	return 1;
}

__attribute__((destructor)) static void tell(void)
{
	const char *descriptor = getenv("TC_FAIL_MALLOC_COUNT");
	char line[32];
	int len = snprintf(line, sizeof(line), "%ld\n", atomic_load(&made));

	if (descriptor && write(atoi(descriptor), line, (size_t)len) != len)
		_exit(99);
}

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *ptr, size_t size);

void *malloc(size_t size)
{
	return must_fail(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return must_fail(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *ptr, size_t size)
{
	return must_fail(__builtin_return_address(0)) ? NULL : __libc_realloc(ptr, size);
}
