/* The inputs that are not in a store. See tracecoach/store.h. */
#include "store/sql.h"
#include "tracecoach/store.h"

struct listener {
	tc_left_out_fn hear;
	void *user;
};

static enum tc_status take(void *user, sqlite3_stmt *row)
{
	const struct listener *listener = user;
	const char *path = (const char *)sqlite3_column_text(row, 0);
	const char *reason = (const char *)sqlite3_column_text(row, 1);

	listener->hear(listener->user, path ? path : "", reason ? reason : "no reason");
	return TC_OK;
}

enum tc_status tc_store_left_out(
	struct tc_ctx *ctx, struct tc_store *store, tc_left_out_fn hear, void *user)
{
	struct listener listener = {hear, user};

	return tc_sql_each(ctx, tc_store_db(store), "SELECT path, reason FROM left_out ORDER BY id",
		NULL, take, &listener);
}
