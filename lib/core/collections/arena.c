/*
 * Memory that is freed together. An arena hands out arrays of any size, each a block of its own; a
 * pool hands out items of one size, cut from chunks, and takes them back. Both join what they took
 * from the heap by a first pointer, so clearing them is one walk over that list. Both fail their
 * context when memory is out.
 */
#include "core/collections/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <string.h>

#include "core/alloc.h"
#include "core/collections/pool.h"

struct block {
	void *next;
	max_align_t bytes[];
};

static void fail_arena(struct tc_arena *arena)
{
	arena->has_failed = true;
	if (arena->ctx)
		tc_no_memory(arena->ctx);
}

void *tc_arena_take(struct tc_arena *arena, size_t count, size_t size)
{
	bool fits = size == 0 || count <= (SIZE_MAX - sizeof(struct block)) / size;
	struct block *block = fits ? tc_calloc(1, sizeof(*block) + count * size) : NULL;

	if (!block) {
		fail_arena(arena);
		return NULL;
	}
	block->next = arena->blocks;
	arena->blocks = block;
	return block->bytes;
}

const char *tc_arena_dup(struct tc_arena *arena, struct tc_text text)
{
	char *copy = tc_arena_take(arena, text.len + 1, 1);

	if (copy && text.len)
		memcpy(copy, text.ptr, text.len);
	return copy;
}

const char *tc_arena_keep(struct tc_arena *arena, struct tc_buf *text)
{
	const char *copy = tc_buf_failed(text) ? NULL : tc_arena_dup(arena, tc_buf_text(text));

	if (!copy)
		fail_arena(arena);
	tc_buf_clear(text);
	return copy;
}

/* array points to a pointer of any type, which is copied as bytes. */
bool tc_arena_grow(struct tc_arena *arena, void *array, size_t *capacity, size_t count, size_t size)
{
	void *old;

	if (count <= *capacity)
		return true;
	void *grown = tc_arena_take(arena, count + count / 2, size);
	if (!grown)
		return false;
	memcpy(&old, array, sizeof(old));
	if (*capacity > 0)
		memcpy(grown, old, *capacity * size);
	memcpy(array, &grown, sizeof(grown));
	*capacity = count + count / 2;
	return true;
}

void tc_arena_clear(struct tc_arena *arena)
{
	while (arena->blocks) {
		void *next = ((struct block *)arena->blocks)->next;
		tc_free(arena->blocks);
		arena->blocks = next;
	}
	arena->has_failed = false;
}

enum { CHUNK_ITEMS = 64 };

void tc_pool_init(struct tc_pool *pool, size_t item_bytes)
{
	size_t align = alignof(max_align_t);

	*pool = (struct tc_pool){.item_bytes = (item_bytes + align - 1) / align * align};
}

void tc_pool_clear(struct tc_pool *pool)
{
	while (pool->chunks) {
		void *next = *(void **)pool->chunks;
		tc_free(pool->chunks);
		pool->chunks = next;
	}
	pool->unused = NULL;
}

static void push(void **list, void *item)
{
	*(void **)item = *list;
	*list = item;
}

void *tc_pool_take(struct tc_pool *pool)
{
	if (!pool->unused) {
		char *chunk = tc_malloc(alignof(max_align_t) + CHUNK_ITEMS * pool->item_bytes);
		if (!chunk) {
			if (pool->ctx)
				tc_no_memory(pool->ctx);
			return NULL;
		}
		push(&pool->chunks, chunk);
		for (size_t i = CHUNK_ITEMS; i-- > 0;)
			push(&pool->unused, chunk + alignof(max_align_t) + i * pool->item_bytes);
	}
	void *item = pool->unused;
	pool->unused = *(void **)item;
	memset(item, 0, pool->item_bytes);
	return item;
}

void tc_pool_give(struct tc_pool *pool, void *item)
{
	push(&pool->unused, item);
}
