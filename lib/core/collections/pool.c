#include "core/collections/pool.h"

#include <stdalign.h>
#include <string.h>

#include "core/alloc.h"

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

static void put(void **list, void *item)
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
		put(&pool->chunks, chunk);
		for (size_t i = CHUNK_ITEMS; i-- > 0;)
			put(&pool->unused, chunk + alignof(max_align_t) + i * pool->item_bytes);
	}
	void *item = pool->unused;
	pool->unused = *(void **)item;
	memset(item, 0, pool->item_bytes);
	return item;
}

void tc_pool_give(struct tc_pool *pool, void *item)
{
	put(&pool->unused, item);
}
