/* What SQLite says, as an error of ours. */
#include <string.h>

#include "tracecoach/store.h"

enum tc_status tc_store_fail(struct tc_ctx *ctx, sqlite3 *db, const char *what)
{
	int code = db ? sqlite3_errcode(db) & 0xff : SQLITE_NOMEM;
	int os_error = db ? sqlite3_system_errno(db) : 0;
	const char *why = db ? sqlite3_errmsg(db) : "out of memory";

	if (code == SQLITE_NOMEM)
		return tc_fail(ctx, TC_ERR_NOMEM, "cannot %s: out of memory", what);
	if (code == SQLITE_INTERRUPT)
		return tc_fail(ctx, TC_ERR_INTERRUPTED, "interrupted");
	if (code == SQLITE_FULL || code == SQLITE_IOERR) {
		if (os_error)
			why = strerror(os_error);
		return tc_fail(ctx, TC_ERR_IO, "cannot %s: %s", what, why);
	}
	if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB)
		return tc_fail(ctx, TC_ERR_STORE,
			"cannot %s: the file is damaged (%s): import the trace again", what, why);
	return tc_fail(ctx, TC_ERR_STORE, "cannot %s: %s", what, why);
}
