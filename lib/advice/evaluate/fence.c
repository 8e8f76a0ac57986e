/* The fence around a user's rule; see fence.h. */
#include "advice/evaluate/fence.h"

#include <stddef.h>
#include <time.h>

#include "core/limits.h"
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

static int64_t cpu_now_ns(void)
{
	struct timespec now = {0};

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int check(void *user)
{
	struct tc_fence *fence = user;

	fence->left_count -= TC_RULE_CHECK_INSTRUCTIONS;
	if (fence->left_count < 0 || cpu_now_ns() > fence->end_cpu_ns)
		fence->exhausted = true;
	return fence->exhausted || tc_ctx_interrupted(fence->ctx);
}

void tc_fence_begin(sqlite3 *db)
{
	sqlite3_set_authorizer(db, authorize, NULL);
}

void tc_fence_end(sqlite3 *db)
{
	sqlite3_set_authorizer(db, NULL, NULL);
}

void tc_fence_put(struct tc_fence *fence, sqlite3 *db)
{
	if (fence->left_count == 0)
		fence->left_count = TC_RULE_MAX_INSTRUCTIONS;
	if (fence->left_cpu_ns == 0)
		fence->left_cpu_ns = TC_RULE_MAX_CPU_NS;
	fence->end_cpu_ns = cpu_now_ns() + fence->left_cpu_ns;
	fence->db = db;
	tc_sql_limit(&fence->before, db);
	sqlite3_progress_handler(db, TC_RULE_CHECK_INSTRUCTIONS, check, fence);
}

void tc_fence_take(struct tc_fence *fence)
{
	tc_sql_heed_interrupt(fence->db, fence->ctx);
	tc_sql_unlimit(&fence->before, fence->db);
}
