/* A pool of items of one size, zeroed when taken, for what comes and goes with every slice. */
#pragma once

#include <stddef.h>

#include "core/context.h"

struct tc_pool {
	size_t item_bytes;
	void *chunks, *unused; /* each joined by its first pointer */
	struct tc_ctx *ctx;    /* told when memory is out; NULL for none */
};

void tc_pool_init(struct tc_pool *pool, size_t item_bytes);
void tc_pool_clear(struct tc_pool *pool); /* what was taken dies with it */

void *tc_pool_take(struct tc_pool *pool); /* NULL when memory is out */
void tc_pool_give(struct tc_pool *pool, void *item);
