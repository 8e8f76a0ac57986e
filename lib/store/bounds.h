/*
 * Bounds: what a statement of a stranger may take, a user's rule or an agent's query, so that it
 * fails and nothing else does.
 *
 * SQLite can be stopped only between two instructions, and one call of a function may take hours,
 * so a deadline alone is not enough. Values, patterns and statements are so small that no
 * instruction takes long (TC_RULE_MAX_* of limits.h); instr(), replace() and trim(), which take
 * time by the product of their texts in SQLite, are linear on a connection of the store room
 * (functions.h); and what was taken is compared often.
 *
 * A statement that runs is stopped as by an interrupt. An allocation or a write that failed would
 * do more: SQLite then rolls the transaction back that is open, and before a store is sealed, that
 * is the store. Only preparing, which nothing stops, is refused memory.
 */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/context.h"

enum { TC_BOUNDS_LIMITS = 7 };

struct tc_bounds {
	struct tc_ctx *ctx; /* whose interrupt stops it, too */
	/* Amounts left to take; 0 before tc_bounds_begin() for the limits of limits.h. */
	int64_t left_count;  /* instructions */
	int64_t left_cpu_ns; /* of the calling thread */
	int64_t left_memory_bytes;
	int64_t left_temporary_bytes; /* of files */
	bool runs;                    /* the statement is prepared: the caller says so */
	const char *exceeded; /* which of them stopped it, and what to do, for a message; or NULL */
	sqlite3 *db;
	int64_t end_cpu_ns;
	int limits[TC_BOUNDS_LIMITS]; /* of the connection before */
};

/* Around one statement, on its thread. Replaces the progress handler of db; bounds must stay where
 * it is. */
void tc_bounds_begin(struct tc_bounds *bounds, sqlite3 *db);
/* Afterwards an interrupt of the context stops statements on db. */
void tc_bounds_end(struct tc_bounds *bounds);

/* A temporary file of the statement on this thread, if it has bounds, has become larger by so much.
 */
void tc_bounds_note_temporary(int64_t bytes);
