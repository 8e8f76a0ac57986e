/* The fence around a user's rule; see fence.h. */
#include "advice/fence.h"

#include <stddef.h>

#include "core/limits.h"
#include "store/sql.h"

/* Reading and computing, nothing else; see sqlite3_set_authorizer(). */
static int judge(void *user, int action, const char *first, const char *second,
	const char *database, const char *trigger)
{
	(void)user;
	(void)database;
	(void)trigger;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE: return SQLITE_OK;
	case SQLITE_FUNCTION:
		return sqlite3_stricmp(second, "load_extension") ? SQLITE_OK : SQLITE_DENY;
	case SQLITE_UPDATE:
		/* The first use of json_each and its like declares a table and asks this. A
		 * statement that writes there is refused before it runs: answer.c. */
		return sqlite3_stricmp(first, "sqlite_master") ? SQLITE_DENY : SQLITE_OK;
	default: return SQLITE_DENY;
	}
}

static int check(void *user)
{
	struct tc_fence *fence = user;

	fence->left_count -= TC_SQL_CHECK_INSTRUCTIONS;
	if (fence->left_count < 0)
		fence->exhausted = true;
	return fence->exhausted || tc_ctx_interrupted(fence->ctx);
}

void tc_fence_put(struct tc_fence *fence, sqlite3 *db)
{
	if (fence->left_count == 0)
		fence->left_count = TC_RULE_MAX_INSTRUCTIONS;
	fence->db = db;
	fence->value_bytes = sqlite3_limit(db, SQLITE_LIMIT_LENGTH, TC_RULE_MAX_VALUE_BYTES);
	sqlite3_set_authorizer(db, judge, fence);
	sqlite3_progress_handler(db, TC_SQL_CHECK_INSTRUCTIONS, check, fence);
}

void tc_fence_take(struct tc_fence *fence)
{
	tc_sql_heed_interrupt(fence->db, fence->ctx);
	sqlite3_set_authorizer(fence->db, NULL, NULL);
	sqlite3_limit(fence->db, SQLITE_LIMIT_LENGTH, fence->value_bytes);
}
