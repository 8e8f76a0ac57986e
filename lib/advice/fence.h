/*
 * The fence around a user's rule: while it stands, a connection prepares only statements that
 * read, makes no values of unreasonable size, and stops what runs too long.
 */
#ifndef TC_ADVICE_FENCE_H
#define TC_ADVICE_FENCE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "tracecoach/context.h"

struct tc_fence {
	struct tc_ctx *ctx;
	int64_t left_count; /* instructions; 0 before tc_fence_put() for the limit of limits.h */
	bool exhausted;     /* the limit stopped the query */
	sqlite3 *db;
	int value_bytes; /* the limit of the connection, put back later */
};

/* Replaces the authorizer and the progress handler of db; fence must stay where it is. */
void tc_fence_put(struct tc_fence *fence, sqlite3 *db);
/* Leaves db without an authorizer, and heeding interrupts of the fence's context. */
void tc_fence_take(struct tc_fence *fence);

#endif
