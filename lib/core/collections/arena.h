/*
 * Arena: arrays of any size that are freed together. An arena with a context fails the context when
 * memory is out, so code that takes several arrays asks the context once, at the end.
 */
#pragma once

#include <stddef.h>

#include "core/buf.h"
#include "core/context.h"

struct tc_arena {
	void *blocks; /* joined by their first pointer */
	bool has_failed;
	struct tc_ctx *ctx; /* told when memory is out; NULL for none */
};

/* count items of size bytes, all zero, which may be none; NULL when memory is out. */
void *tc_arena_take(struct tc_arena *arena, size_t count, size_t size);
/* Takes an array for a pointer of any type: TC_ARENA(&arena, rows, row_count). */
#define TC_ARENA(arena, array, count) ((array) = tc_arena_take((arena), (count), sizeof(*(array))))

/* A terminated copy of a text; NULL when memory is out. */
const char *tc_arena_dup(struct tc_arena *arena, struct tc_text text);
/* A copy of the contents of a buffer, which is cleared. */
const char *tc_arena_keep(struct tc_arena *arena, struct tc_buf *text);
/* Makes room as TC_GROW() does, for an array in the arena. The old array stays there until the
 * arena is cleared. */
#define TC_ARENA_GROW(arena, array, capacity, count)                                               \
	tc_arena_grow((arena), &(array), &(capacity), (count), sizeof(*(array)))
bool tc_arena_grow(
	struct tc_arena *arena, void *array, size_t *capacity, size_t count, size_t size);

void tc_arena_clear(struct tc_arena *arena); /* all zero is fine */
