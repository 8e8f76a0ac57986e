/*
 * A sealed store: one SQLite file with the tables of docs/schema.md, read-only.
 */
#ifndef TRACECOACH_STORE_H
#define TRACECOACH_STORE_H

#include <stdbool.h>

#include "tracecoach/context.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sqlite3; /* a connection of <sqlite3.h> */
struct tc_store;

/* application_id of every store: "TrCo". The version of its schema is its user_version. */
#define TC_STORE_APPLICATION_ID 0x5472436f

/*
 * Opens a sealed store read-only. TC_ERR_IO when it cannot be read, TC_ERR_STORE when it is no
 * tracecoach store or has another version. *out is owned by the caller. An interrupt of ctx stops
 * the statements that run on it. A journal of SQLite beside the store ("-wal", "-shm", "-journal")
 * is noted and not read: a sealed store has none, so another program left it there.
 */
enum tc_status tc_store_open(struct tc_store **out, struct tc_ctx *ctx, const char *path);
void tc_store_close(struct tc_store *store); /* NULL is fine */

/* The connection, for queries. Borrowed; writing fails, except to temp tables. */
struct sqlite3 *tc_store_db(struct tc_store *store);
/* Where the store is, NULL for a temporary one. */
const char *tc_store_path(const struct tc_store *store);

/* Whether a store is fit for a report: TC_ERR_INPUT when there is no trace in it and, with strict,
 * when something was lost or left out. Notes each input that was left out when it was made. */
enum tc_status tc_store_check(struct tc_ctx *ctx, struct tc_store *store, bool strict);

/* Pushes what SQLite says about db (NULL: memory is out) onto the chain ("cannot read the store:
 * <message>", where what is "read the store") and returns TC_ERR_STORE (TC_ERR_IO for a full disk
 * or an I/O error, TC_ERR_NOMEM for memory, TC_ERR_INTERRUPTED for a statement that an interrupt
 * has stopped). */
enum tc_status tc_store_fail(struct tc_ctx *ctx, struct sqlite3 *db, const char *what);

#ifdef __cplusplus
}
#endif

#endif
