/* Reports errors of SQLite in the context. */
#include <sqlite3.h>
#include <string.h>

#include "core/files/remedy.h"
#include "core/files/temporary.h"
#include "store/connection.h"

/* After a failed commit the connection has no error number, but the file has one. */
static int os_error_of(sqlite3 *db)
{
	int error = db ? sqlite3_system_errno(db) : 0;

	if (db && error == 0)
		sqlite3_file_control(db, NULL, SQLITE_FCNTL_LAST_ERRNO, &error);
	return error;
}

enum tc_status tc_store_fail(struct tc_ctx *ctx, sqlite3 *db, const char *what)
{
	int code = db ? sqlite3_errcode(db) & 0xff : SQLITE_NOMEM;
	int os_error = os_error_of(db);
	const char *why = db ? sqlite3_errmsg(db) : "out of memory";

	if (code == SQLITE_NOMEM)
		return tc_fail(ctx, TC_ERR_NOMEM, "cannot %s: out of memory", what);
	if (code == SQLITE_INTERRUPT)
		return tc_fail(ctx, TC_ERR_INTERRUPTED, "interrupted");
	if (code == SQLITE_FULL || code == SQLITE_IOERR) {
		if (os_error)
			why = strerror(os_error);
		return tc_fail(ctx, TC_ERR_IO, "cannot %s: %s%s", what, why,
			tc_remedy(os_error, TC_TO_WRITE));
	}
	/* The database is already open, so a temporary file for sorting could not be opened. */
	if (code == SQLITE_CANTOPEN)
		return tc_fail(ctx, TC_ERR_IO,
			"cannot %s: no temporary file can be made in %s: %s%s", what,
			tc_temporary_directory(), os_error ? strerror(os_error) : why,
			tc_remedy(os_error, TC_TO_WRITE_TEMPORARY));
	if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB)
		return tc_fail(ctx, TC_ERR_STORE,
			"cannot %s: the file is damaged (%s): import the trace again", what, why);
	return tc_fail(ctx, TC_ERR_STORE, "cannot %s: %s", what, why);
}
