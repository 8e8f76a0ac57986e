/*
 * Inside of the store room: what a connection to a sealed store may do. The file is opened
 * read-only where it has a name; a temporary store keeps the connection that wrote it, and the
 * guard makes it read-only. Temp tables are allowed, except to a user's query.
 */
#ifndef TC_STORE_GUARD_H
#define TC_STORE_GUARD_H

#include <sqlite3.h>
#include <stdbool.h>

#include "core/context.h"
#include "store/kind.h"

/* Wraps an open connection as a sealed store and takes it, also when that fails. name is copied,
 * NULL for a temporary store. */
enum tc_status tc_store_take_db(
	struct tc_store **out, struct tc_ctx *ctx, sqlite3 *db, const char *name);

/* Opens the store in the file behind fd, which stays the caller's and which this process has just
 * written, so that its schema need not be compared. name is what the user calls it. */
enum tc_status tc_store_open_written(
	struct tc_store **out, struct tc_ctx *ctx, int fd, const char *name);

/* Restores the guard, and the check for interrupts of the store's context, after another authorizer
 * or progress handler was set on the connection. */
void tc_store_guard(struct tc_store *store);

/* While strict, only reading statements are prepared: no temp tables, transactions, or PRAGMAs
 * but the ones that describe. */
void tc_store_set_strict(struct tc_store *store, bool strict);

#endif
