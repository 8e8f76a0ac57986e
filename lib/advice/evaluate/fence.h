/*
 * The fence around a user's rule: while it stands, a connection prepares only statements that
 * read, makes no values of unreasonable size, and stops what runs too long.
 *
 * A deadline alone would not hold (sql.h). Three things together do. Values, patterns and
 * statements are so small that no instruction takes long; instr(), replace() and trim(), which take
 * time by the product of their texts in SQLite, are linear on a connection of the store room
 * (functions.h); and instructions and CPU time are checked often.
 */
#ifndef TC_ADVICE_EVALUATE_FENCE_H
#define TC_ADVICE_EVALUATE_FENCE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/context.h"
#include "store/sql.h"

struct tc_fence {
	struct tc_ctx *ctx;
	/* Both 0 before tc_fence_put() for the limits of limits.h. */
	int64_t left_count;  /* instructions */
	int64_t left_cpu_ns; /* of the calling thread */
	bool exhausted;      /* one of them stopped the query */
	sqlite3 *db;
	int64_t end_cpu_ns;
	struct tc_sql_limits before;
};

/* Replaces the authorizer of db, until tc_fence_end(): what is prepared only reads, and so does
 * what a statement prepares while it runs. Once for all rules: SQLite then prepares every statement
 * of the connection again. */
void tc_fence_begin(sqlite3 *db);
void tc_fence_end(sqlite3 *db);

/* Around one rule. Replaces the progress handler of db; fence must stay where it is. */
void tc_fence_put(struct tc_fence *fence, sqlite3 *db);
/* Afterwards an interrupt of the fence's context stops statements on db. */
void tc_fence_take(struct tc_fence *fence);

#endif
