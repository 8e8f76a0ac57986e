/* The fence around users' rules; see fence.h. */
#include "advice/evaluate/fence.h"

#include <stddef.h>

#include "store/sql.h"

/* Reading and computing, nothing else; see sqlite3_set_authorizer(). */
static int authorize(void *user, int action, const char *first, const char *second,
	const char *database, const char *trigger)
{
	(void)user;
	(void)database;
	(void)trigger;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE: return SQLITE_OK;
	case SQLITE_FUNCTION: return tc_sql_may_call(second) ? SQLITE_OK : SQLITE_DENY;
	case SQLITE_UPDATE:
		/* The first use of json_each and its like declares a table and asks this. A
		 * statement that writes there is refused before it runs: answer.c. */
		return sqlite3_stricmp(first, "sqlite_master") ? SQLITE_DENY : SQLITE_OK;
	default: return SQLITE_DENY;
	}
}

void tc_fence_begin(sqlite3 *db)
{
	sqlite3_set_authorizer(db, authorize, NULL);
}

void tc_fence_end(sqlite3 *db)
{
	sqlite3_set_authorizer(db, NULL, NULL);
}
