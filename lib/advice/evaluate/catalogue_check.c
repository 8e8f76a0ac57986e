/*
 * Compiles the queries of rules on an empty store, so that a fault shows with its line before any
 * trace is read.
 */
#include <unistd.h>

#include "advice/evaluate/answer.h"
#include "advice/evaluate/fence.h"
#include "advice/catalogue/catalogue.h"
#include "core/collections/arena.h"
#include "core/files/temporary.h"
#include "store/bounds.h"
#include "store/connection.h"
#include "store/layout/create.h"
#include "store/file/vfs.h"

static enum tc_status fail(struct tc_ctx *ctx, const struct tc_heuristic_file *rule,
	const struct tc_answer *answer, const char *reason)
{
	int line = answer->line > 0 ? rule->sql_line + answer->line - 1 : rule->sql_line;

	return tc_fail(ctx, TC_ERR_USAGE, "%s:%d: %s", rule->heuristic.file, line, reason);
}

static enum tc_status check_rule(const struct tc_heuristic_file *rule, struct tc_ctx *ctx,
	struct tc_arena *arena, struct tc_statements *statements)
{
	double *values = tc_arena_take(arena, rule->param_count, sizeof(*values));
	const struct tc_question question = {
		.statements = statements, .heuristic = &rule->heuristic, .values = values};
	struct tc_bounds bounds = {.ctx = ctx};
	struct tc_answer answer;
	const char *reason = NULL;

	if (!values)
		return tc_arena_status(arena, ctx);
	for (size_t i = 0; i < rule->param_count; i++)
		values[i] = rule->params[i].value;
	tc_bounds_begin(&bounds, statements->db);
	enum tc_status status = tc_answer_open(&answer, &reason, arena, &question);
	tc_bounds_end(&bounds);
	if (bounds.exceeded && (status != TC_OK || reason))
		return fail(ctx, rule, &answer, bounds.exceeded);
	if (status != TC_OK)
		return tc_fail(ctx, status, "out of memory");
	if (reason)
		return fail(ctx, rule, &answer, reason);
	tc_answer_close(&answer);
	return TC_OK;
}

static enum tc_status check_all(
	const struct tc_catalogue *catalogue, struct tc_ctx *ctx, sqlite3 *db)
{
	struct tc_statements statements = TC_STATEMENTS_OF(db);
	struct tc_arena arena = {0};
	enum tc_status status = TC_OK;

	tc_fence_begin(db);
	for (size_t i = catalogue->built_in_count; i < catalogue->count && status == TC_OK; i++)
		status = check_rule(catalogue->files[i], ctx, &arena, &statements);
	tc_fence_end(db);
	tc_statements_clear(&statements);
	tc_arena_clear(&arena);
	return status;
}

enum tc_status tc_catalogue_check(const struct tc_catalogue *catalogue, struct tc_ctx *ctx)
{
	sqlite3 *db = NULL;
	int fd = -1;
	enum tc_status status = tc_temporary_create(&fd, ctx);

	if (status)
		return status;
	if (tc_store_lay_out(fd) == 0 && tc_vfs_open(&db, fd, true) == SQLITE_OK &&
		tc_store_create(db) == SQLITE_OK)
		status = check_all(catalogue, ctx, db);
	else
		status = tc_store_fail(ctx, db, "make an empty store to check rules with");
	sqlite3_close(db);
	close(fd);
	return status;
}
