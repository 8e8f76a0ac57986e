/*
 * A sealed store: one SQLite file with the tables of docs/schema.md, read-only.
 */
#ifndef TRACECOACH_STORE_H
#define TRACECOACH_STORE_H

#include <stdbool.h>

#include "tracecoach/context.h"

TC_PUBLIC_BEGIN

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
/*
 * Opens a store for queries of a person, who knows its columns: takes a store of an older version,
 * too, and notes its version. Its tables and views are those of its version, so nothing but
 * tc_query() is for it.
 */
enum tc_status tc_store_open_any(struct tc_store **out, struct tc_ctx *ctx, const char *path);
void tc_store_close(struct tc_store *store); /* NULL is fine */

/* The path that the store was made at or opened by; NULL for a temporary one. Borrowed. */
const char *tc_store_path(const struct tc_store *store);
/*
 * Copies the store, also a temporary one, to a file, which appears when it is whole and replaces a
 * store that is there. Any program that reads SQLite can open the copy; the store stays as it is.
 * TC_ERR_USAGE where path is a file that was read or is no store, TC_ERR_IO when it cannot be
 * written.
 */
enum tc_status tc_store_save(struct tc_ctx *ctx, struct tc_store *store, const char *path);

/*
 * Attaches another store to the connection, read-only: a query names its tables name.TABLE. At most
 * ten; TC_ERR_USAGE for a name that is taken.
 */
enum tc_status tc_store_attach(
	struct tc_ctx *ctx, struct tc_store *store, const char *name, const char *path);

/* Whether a store is fit for a report: TC_ERR_INPUT when there is no trace in it and, with strict,
 * when something was lost or left out. Notes each input that was left out when it was made. */
enum tc_status tc_store_check(struct tc_ctx *ctx, struct tc_store *store, bool strict);

/*
 * Lets this process bound the memory of users' rules and of bounded queries (query.h): SQLite then
 * takes all its memory by way of the library. To be called before anything in the process uses
 * SQLite; later it does nothing and returns false. Without it such statements are bounded in time,
 * in their values and in their temporary files only.
 */
bool tc_store_bound_memory(void);

TC_PUBLIC_END

#endif
