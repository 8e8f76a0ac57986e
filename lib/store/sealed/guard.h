/*
 * Private to the store: what a connection to a sealed store may do. A file with a name is opened
 * read-only. A temporary store keeps the connection that wrote it, and the guard makes that
 * read-only. Temp tables are allowed, except in a user's query.
 */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>

#include "core/context.h"
#include "store/sealed/kind.h"

/* Makes an open connection a sealed store and takes it, also on failure. name is copied; NULL for a
 * temporary store. */
enum tc_status tc_store_take_db(
	struct tc_store **out, struct tc_ctx *ctx, sqlite3 *db, const char *name);

/* Opens the store in the file behind fd, which stays the caller's. This process has just written
 * it, so its schema is not checked. name is for messages. */
enum tc_status tc_store_open_written(
	struct tc_store **out, struct tc_ctx *ctx, int fd, const char *name);

/* Sets the guard and the interrupt check again, after another authorizer or progress handler was
 * set on the connection. */
void tc_store_guard(struct tc_store *store);

/* While strict, only reading statements can be prepared: no temp tables, no transactions, and only
 * PRAGMAs that describe. */
void tc_store_set_strict(struct tc_store *store, bool strict);
