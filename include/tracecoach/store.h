/*
 * A sealed store: one SQLite file with the tables of docs/schema.md, read-only.
 */
#ifndef TRACECOACH_STORE_H
#define TRACECOACH_STORE_H

#include "tracecoach/context.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sqlite3; /* a connection of <sqlite3.h> */
struct tc_store;

/* Hears of an input that was left out, with the reason; both are borrowed for the call. */
typedef void (*tc_left_out_fn)(void *user, const char *path, const char *reason);

/* application_id of every store: "TrCo". The version of its schema is its user_version. */
#define TC_STORE_APPLICATION_ID 0x5472436f

/*
 * Opens a sealed store read-only. TC_ERR_IO when it cannot be read, TC_ERR_STORE when it is no
 * tracecoach store or has another version. *out is owned by the caller. An interrupt of ctx stops
 * the statements that run on it.
 */
enum tc_status tc_store_open(struct tc_store **out, struct tc_ctx *ctx, const char *path);
void tc_store_close(struct tc_store *store); /* NULL is fine */

/* The connection, for queries. Borrowed; writing fails, except to temp tables. */
struct sqlite3 *tc_store_db(struct tc_store *store);
/* Where the store is, NULL for a temporary one. */
const char *tc_store_path(const struct tc_store *store);
/* The path of a journal of SQLite's ("-wal", "-shm", "-journal") that lay beside the store when it
 * was opened, or NULL. A sealed store has none, so it is not read: another program left it there. */
const char *tc_store_stray(const struct tc_store *store);

/* Tells of each input that was left out when the store was made, in the order they were given. */
enum tc_status tc_store_left_out(
	struct tc_ctx *ctx, struct tc_store *store, tc_left_out_fn hear, void *user);

/* Pushes what SQLite says about db (NULL: memory is out) onto the chain ("cannot read the store:
 * <message>", where what is "read the store") and returns TC_ERR_STORE (TC_ERR_IO for a full disk
 * or an I/O error, TC_ERR_NOMEM for memory, TC_ERR_INTERRUPTED for a statement that an interrupt
 * has stopped). */
enum tc_status tc_store_fail(struct tc_ctx *ctx, struct sqlite3 *db, const char *what);

#ifdef __cplusplus
}
#endif

#endif
