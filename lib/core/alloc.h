/*
 * The one door to the heap for lib/. Tests close it at the n-th call (tc_alloc_fail_after) to
 * prove that every path survives; the libraries we use are routed through it where they allow.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracecoach/status.h"

struct tc_ctx;

void *tc_malloc(size_t size);
void *tc_calloc(size_t count, size_t size); /* NULL also when count * size overflows */
void *tc_realloc(void *ptr, size_t size);
void tc_free(void *ptr); /* NULL is fine */

/* Fails a context because memory is out, unless something has failed before. Returns the status.
 * context.c has it; it is declared here for containers that contexts are made of. */
enum tc_status tc_no_memory(struct tc_ctx *ctx);

/* Zeroed memory for count items, which may be none; NULL when memory is out, which ctx then keeps.
 */
static inline void *tc_new(struct tc_ctx *ctx, size_t count, size_t size)
{
	void *items = tc_calloc(count, size);

	if (!items)
		tc_no_memory(ctx);
	return items;
}

/*
 * Makes room for at least count elements in an array of any type, growing its capacity by half or
 * more: TC_GROW(rows, row_capacity, row_count + 1). False, with everything unchanged, when memory
 * is out or the size overflows.
 */
#define TC_GROW(array, capacity, count) tc_grow(&(array), &(capacity), (count), sizeof(*(array)))
bool tc_grow(void *array, size_t *capacity, size_t count, size_t size);
/* Makes room as TC_GROW() does; ctx, a struct tc_ctx of core/context.h, keeps that memory is out.
 */
#define TC_ROOM(ctx, array, capacity, count)                                                       \
	(TC_GROW(array, capacity, count) || (tc_no_memory(ctx), false))
/* Adds an element: TC_PUSH(ctx, rows, row_count, row_capacity, (struct row){1, 2}). False when
 * there is no room. */
#define TC_PUSH(ctx, array, count, capacity, ...)                                                  \
	(TC_ROOM(ctx, array, capacity, (count) + 1) &&                                             \
		((array)[count] = (__VA_ARGS__), (count)++, true))

/* Tests only: the next n calls succeed, the one after fails, and all later ones succeed. A
 * negative n (the default) never fails. Returns the calls made since the last call. */
int64_t tc_alloc_fail_after(int64_t n);
