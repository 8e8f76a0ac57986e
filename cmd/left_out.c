/* See left_out.h. */
#include "left_out.h"

#include <string.h>

#include "core/alloc.h"
#include "store/sql.h"

void tc_left_out_add(void *user, const char *path, const char *reason)
{
	struct tc_left_out *list = user;
	void *reasons = list->reasons;
	size_t bytes = strlen(reason) + 1;
	char *copy = tc_malloc(bytes);

	(void)path;
	if (!copy || tc_reserve(&reasons, &list->capacity, list->count + 1, sizeof(char *)) < 0) {
		tc_free(copy);
		list->failed = true;
		return;
	}
	memcpy(copy, reason, bytes);
	list->reasons = reasons;
	list->reasons[list->count++] = copy;
}

static enum tc_status take(void *user, sqlite3_stmt *row)
{
	const char *path = (const char *)sqlite3_column_text(row, 0);
	const char *reason = (const char *)sqlite3_column_text(row, 1);

	tc_left_out_add(user, path ? path : "", reason ? reason : "no reason");
	return TC_OK;
}

enum tc_status tc_left_out_read(
	struct tc_left_out *list, struct tc_ctx *ctx, struct tc_store *store)
{
	return tc_sql_each(ctx, tc_store_db(store), "SELECT path, reason FROM left_out ORDER BY id",
		NULL, take, list);
}

int tc_left_out_tell(const struct tc_left_out *list, int code)
{
	if (list->failed && code != TC_EXIT_INTERRUPTED)
		return tc_cli_error(TC_EXIT_INTERNAL, "out of memory");
	if (list->count == 0 || code == TC_EXIT_INTERRUPTED)
		return code;
	for (size_t i = 0; i < list->count; i++)
		tc_cli_error(0, "left out: %s", list->reasons[i]);
	if (code != TC_EXIT_DONE)
		return code;
	return tc_cli_error(TC_EXIT_LEFT_OUT,
		"%zu input%s left out, the others were read: the exit code is %d", list->count,
		list->count == 1 ? " was" : "s were", TC_EXIT_LEFT_OUT);
}

void tc_left_out_clear(struct tc_left_out *list)
{
	for (size_t i = 0; i < list->count; i++)
		tc_free(list->reasons[i]);
	tc_free(list->reasons);
	*list = (struct tc_left_out){0};
}
