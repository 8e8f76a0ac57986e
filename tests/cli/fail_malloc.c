/*
 * Preloaded into the program: its allocation number TC_FAIL_MALLOC_AT, and all after it, fail. Only
 * calls that popt makes count, so that the number does not depend on what else starts up.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int is_popt(const void *caller)
{
	Dl_info info;

	return dladdr(caller, &info) && info.dli_fname && strstr(info.dli_fname, "libpopt");
}

static int must_fail(const void *caller)
{
	static long left = -1;

	if (left < 0) {
		const char *text = getenv("TC_FAIL_MALLOC_AT");
		left = text ? strtol(text, NULL, 10) : 0;
	}
	if (left == 0 || !is_popt(caller))
		return 0;
	if (left > 1) {
		left--;
		return 0;
	}
	errno = ENOMEM;
	return 1;
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
