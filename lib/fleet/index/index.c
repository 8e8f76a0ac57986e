/* Indexes: recognises and opens them. See tracecoach/fleet.h. */
#include "tracecoach/fleet.h"

#include <errno.h>
#include <unistd.h>

#include "core/array.h"
#include "core/buf.h"
#include "core/context.h"
#include "core/files/place.h"
#include "report/view/rows.h"
#include "store/connection.h"
#include "store/file/header.h"
#include "store/sealed/kind.h"
#include "store/sql.h"
#include "tracecoach/version.h"

/* The text of index.sql, embedded by the build. */
extern const char tc_index_sql[];

static const char *const schema[] = {tc_index_sql, NULL};

static const struct tc_store_check checks[] = {
	{"SELECT 1 FROM batch WHERE (shard IS NULL) <> (shard_count IS NULL) OR shard_count NOT"
	 " BETWEEN 1 AND " TC_CHECK_LIMIT(
		 TC_SHARD_MAX_COUNT) " OR shard NOT BETWEEN 0 AND shard_count - 1",
		"the number of its shard, or of all shards, is out of range"},
	{"SELECT 1 FROM job WHERE id NOT BETWEEN 0 AND " TC_CHECK_TIME_MAX " OR path = ''",
		"a job has no number or no name"},
	{"SELECT 1 FROM trace t WHERE id NOT BETWEEN 0 AND " TC_CHECK_TIME_MAX
	 " OR job_id NOT IN (SELECT id FROM job) OR NOT EXISTS (SELECT 1 FROM trace g"
	 " WHERE g.id = coalesce(t.group_trace_id, t.id) AND g.job_id = t.job_id)",
		"a trace is of no job, or recorded with one of another job"},
	{"SELECT 1 FROM job WHERE pace_trace_id NOT IN (SELECT id FROM trace WHERE job_id = "
	 "job.id)",
		"the trace that stands for a job is none of its traces"},
	{"SELECT 1 FROM run_metric WHERE value NOT BETWEEN -" TC_CHECK_TIME_MAX
	 " AND " TC_CHECK_TIME_MAX,
		"a metric is out of range"},
	{"SELECT 1 FROM finding WHERE gain_ns NOT BETWEEN 0 AND " TC_CHECK_TIME_MAX,
		"the gain of a finding is out of range"},
};

static const struct tc_store_kind index_kind = {
	.noun = "index",
	.maker = "'tracecoach batch' makes one of many traces",
	.remedy = "run the batch again",
	.remedy_of_old = "run the batch again",
	.application_id = TC_INDEX_APPLICATION_ID,
	.mistaken_id = TC_STORE_APPLICATION_ID,
	.mistaken = "it is a store of traces: 'tracecoach analyze' reports it",
	.version = TC_INDEX_VERSION,
	.oldest = TC_INDEX_VERSION,
	.schema = schema,
	.checks = checks,
	.check_count = TC_COUNT_OF(checks),
};

/* Sets *out to the path itself, or to the index in a directory. NULL when memory is out. */
static const char *file_of(struct tc_buf *out, const char *path)
{
	tc_buf_append_string(out, path);
	if (tc_place_is_directory(path))
		tc_buf_append_string(out, "/" TC_INDEX_NAME);
	return tc_buf_string(out);
}

bool tc_index_is(const char *path)
{
	struct tc_buf file = TC_BUF_EMPTY;
	struct tc_store_header header;
	const char *name = file_of(&file, path);
	bool is_index = name && tc_store_header_find(&header, name) == 0 && header.is_sqlite &&
			header.application_id == TC_INDEX_APPLICATION_ID;

	tc_buf_clear(&file);
	return is_index;
}

enum tc_status tc_index_open(struct tc_store **out, struct tc_ctx *ctx, const char *path)
{
	struct tc_buf file = TC_BUF_EMPTY;
	const char *name = file_of(&file, path);
	bool lacks_one = name && tc_place_is_directory(path) && access(name, F_OK) != 0;
	enum tc_status status = TC_OK;

	if (!name)
		status = tc_no_memory(ctx);
	else if (lacks_one && errno == ENOENT)
		status = tc_fail(ctx, TC_ERR_READ,
			"%s: a directory without an index: run 'tracecoach batch %s -o OUT' first, "
			"or, "
			"where shards have made theirs, 'tracecoach merge'",
			path, path);
	else
		status = tc_store_open_kind(out, ctx, name, &index_kind);
	tc_buf_clear(&file);
	return status;
}

enum tc_status tc_index_left_out(int64_t *done_count, struct tc_ctx *ctx, struct tc_store *index,
	void (*hear)(void *user, const char *path, const char *reason), void *user)
{
	struct tc_rows row = tc_rows_open(ctx, tc_store_db(index),
		"SELECT path, ifnull(reason, '') FROM trace WHERE state <> 'done'"
		" UNION ALL SELECT path, reason FROM left_out ORDER BY path");
	bool found = false;

	while (tc_rows_next(&row))
		hear(user, tc_rows_text(&row, 0).ptr, tc_rows_text(&row, 1).ptr);
	*done_count = 0;
	if (!tc_ctx_failed(ctx))
		tc_sql_lookup(done_count, &found, ctx, tc_store_db(index),
			"SELECT count(*) FROM trace WHERE state = 'done'", NULL);
	return tc_ctx_status(ctx);
}
