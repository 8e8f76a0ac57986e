/* Parts of a store that only the library uses; see tracecoach/store.h. */
#pragma once

#include "core/context.h"
#include "tracecoach/store.h"

struct sqlite3;

/* The connection, for queries. Borrowed; writing fails, except to temp tables. */
struct sqlite3 *tc_store_db(struct tc_store *store);

/* Pushes what SQLite says about db (NULL: memory is out) onto the chain ("cannot read the store:
 * <message>", where what is "read the store"; NULL: to read or to write, as it went) and returns
 * TC_ERR_STORE (TC_ERR_IO for a full disk or an I/O error, TC_ERR_NOMEM for memory,
 * TC_ERR_INTERRUPTED for a statement that an interrupt has stopped). */
enum tc_status tc_store_fail(struct tc_ctx *ctx, struct sqlite3 *db, const char *what);
