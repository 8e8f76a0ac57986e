/* The only heap calls of lib/. Tests make one of them fail: the n-th from now, counted over all
 * threads. */
#include "core/alloc.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_llong calls_left = -1;
static atomic_llong calls_made;

static int must_fail(void)
{
	atomic_fetch_add_explicit(&calls_made, 1, memory_order_relaxed);
	if (atomic_load_explicit(&calls_left, memory_order_relaxed) < 0)
		return 0;
	return atomic_fetch_sub_explicit(&calls_left, 1, memory_order_relaxed) == 0;
}

void *tc_malloc(size_t size)
{
	return must_fail() ? NULL : malloc(size ? size : 1);
}

void *tc_calloc(size_t count, size_t size)
{
	return must_fail() ? NULL : calloc(count ? count : 1, size ? size : 1);
}

void *tc_realloc(void *ptr, size_t size)
{
	return must_fail() ? NULL : realloc(ptr, size ? size : 1);
}

void tc_free(void *ptr)
{
	free(ptr);
}

/* Some arrays are there once for each thread of a trace, and hold a few elements. */
enum { FIRST_CAPACITY = 4 };

/* array points to a pointer of any type, which is copied as bytes. */
bool tc_grow(void *array, size_t *capacity, size_t count, size_t size)
{
	size_t want = *capacity ? *capacity : FIRST_CAPACITY;
	void *rows;

	if (count <= *capacity)
		return true;
	while (want < count) {
		if (want > SIZE_MAX / 2)
			return false;
		want += want / 2;
	}
	memcpy(&rows, array, sizeof(rows));
	rows = want > SIZE_MAX / size ? NULL : tc_realloc(rows, want * size);
	if (!rows)
		return false;
	memcpy(array, &rows, sizeof(rows));
	*capacity = want;
	return true;
}

int64_t tc_alloc_fail_after(int64_t n)
{
	atomic_store(&calls_left, n);
	return atomic_exchange(&calls_made, 0);
}
