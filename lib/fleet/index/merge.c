/*
 * Merging indexes. Their jobs, sorted by path, are added to a new index one by one, just as a batch
 * over all of them does, so the rows are the same.
 */
#include <string.h>

#include "core/alloc.h"
#include "core/array.h"
#include "core/buf.h"
#include "fleet/index/index_reader.h"
#include "fleet/index/index_writer.h"
#include "report/view/rows.h"
#include "tracecoach/fleet.h"
#include "core/context.h"
#include "store/connection.h"

/* One of the indexes to merge. */
struct part {
	const char *path;
	struct tc_store *store;
	struct tc_index_reader *reader;
	char *program_version, *root;
	int64_t settings_hash, shard, shard_count;
};

struct part_job {
	char *path;
	size_t part;
	int64_t id;
};

struct merge {
	struct tc_ctx *ctx;
	struct part *parts;
	size_t count;
	struct part_job *jobs;
	size_t job_count, job_capacity;
	struct tc_merge_counts counts;
	struct tc_index_writer *writer;
};

static enum tc_status check_alike(const struct merge *merge, const struct part *part)
{
	const struct part *first = &merge->parts[0];

	if (strcmp(first->program_version, part->program_version) != 0)
		return tc_fail(merge->ctx, TC_ERR_USAGE,
			"%s was made by tracecoach %s, %s by %s: run the older batch again",
			first->path, first->program_version, part->path, part->program_version);
	if (first->settings_hash != part->settings_hash)
		return tc_fail(merge->ctx, TC_ERR_USAGE,
			"%s and %s were made with other rules or thresholds: run one of the "
			"batches again with those of the other",
			first->path, part->path);
	if (strcmp(first->root, part->root) != 0)
		return tc_fail(merge->ctx, TC_ERR_USAGE,
			"paths of %s are below %s, those of %s below %s: an index has one "
			"directory that its paths are relative to",
			first->path, first->root, part->path, part->root);
	return TC_OK;
}

static void take_facts(struct part *part, struct tc_ctx *ctx, sqlite3 *db)
{
	struct tc_rows row = tc_rows_open(ctx, db,
		"SELECT program_version, root, settings_hash, shard, shard_count FROM batch");

	if (tc_rows_next(&row)) {
		part->program_version = tc_text_dup(tc_rows_text(&row, 0));
		part->root = tc_text_dup(tc_rows_text(&row, 1));
		part->settings_hash = tc_rows_int(&row, 2);
		part->shard = tc_rows_int(&row, 3);
		part->shard_count = tc_rows_int(&row, 4);
		if (!part->program_version || !part->root)
			tc_no_memory(ctx);
	} else if (!tc_ctx_failed(ctx)) {
		tc_fail(ctx, TC_ERR_STORE, "%s has no row in batch", part->path);
	}
	tc_rows_close(&row);
}

static void take_jobs(struct merge *merge, size_t part, sqlite3 *db)
{
	struct tc_rows row = tc_rows_open(merge->ctx, db, "SELECT id, path FROM job");

	while (tc_rows_next(&row)) {
		const struct part_job job = {
			tc_text_dup(tc_rows_text(&row, 1)), part, tc_rows_int(&row, 0)};
		if (!job.path)
			tc_no_memory(merge->ctx);
		else if (!TC_PUSH(merge->ctx, merge->jobs, merge->job_count, merge->job_capacity,
				 job))
			tc_free(job.path);
	}
}

static enum tc_status open_part(struct merge *merge, const char *path)
{
	struct part *part = &merge->parts[merge->count];

	part->path = path;
	enum tc_status status = tc_index_open(&part->store, merge->ctx, path);
	if (status)
		return status;
	sqlite3 *db = tc_store_db(part->store);
	take_facts(part, merge->ctx, db);
	take_jobs(merge, merge->count++, db);
	status = tc_ctx_status(merge->ctx);
	if (!status)
		status = check_alike(merge, part);
	return status ? status : tc_index_reader_new(&part->reader, merge->ctx, db);
}

TC_ORDER(by_path, struct part_job, TC_UP_STRING(path) TC_UP(part));

/* Counts the missing shards of the batch; an index of all jobs has none. */
static enum tc_status count_missing(struct merge *merge)
{
	int64_t count = 0, found = 0;

	for (size_t i = 0; i < merge->count; i++) {
		if (merge->parts[i].shard_count == 0)
			return TC_OK;
		if (merge->parts[i].shard_count > count)
			count = merge->parts[i].shard_count;
	}
	bool *is_there = tc_calloc((size_t)count, sizeof(*is_there));
	if (!is_there)
		return tc_no_memory(merge->ctx);
	for (size_t i = 0; i < merge->count; i++) {
		const struct part *part = &merge->parts[i];
		if (part->shard_count != count || part->shard < 0 || part->shard >= count)
			continue;
		found += !is_there[part->shard];
		is_there[part->shard] = true;
	}
	merge->counts.missing_shard_count = count - found;
	tc_free(is_there);
	return TC_OK;
}

static void write_jobs(struct merge *merge)
{
	struct tc_buf record = TC_BUF_EMPTY;

	for (size_t i = 0; i < merge->job_count && !tc_ctx_failed(merge->ctx); i++) {
		const struct part_job *job = &merge->jobs[i];
		if (i + 1 < merge->job_count && strcmp(job->path, job[1].path) == 0) {
			merge->counts.replaced_job_count++;
			continue;
		}
		tc_buf_reset(&record);
		if (tc_index_reader_get(&record, merge->parts[job->part].reader, job->id, false) ==
			TC_OK)
			tc_index_writer_add(merge->writer, tc_buf_text(&record));
		merge->counts.job_count++;
	}
	tc_buf_clear(&record);
}

static void write_left_out(struct merge *merge, const struct part *part)
{
	struct tc_rows row = tc_rows_open(merge->ctx, tc_store_db(part->store),
		"SELECT path, reason FROM left_out ORDER BY path");

	while (tc_rows_next(&row))
		tc_index_writer_leave_out(
			merge->writer, tc_rows_text(&row, 0).ptr, tc_rows_text(&row, 1).ptr);
}

static enum tc_status write_index(struct merge *merge, const char *path)
{
	const struct tc_index_facts facts = {.program_version = merge->parts[0].program_version,
		.root = merge->parts[0].root,
		.settings_hash = merge->parts[0].settings_hash};
	enum tc_status status = tc_index_writer_open(&merge->writer, merge->ctx, path, &facts);

	if (status)
		return status;
	tc_index_writer_copy_names(merge->writer, tc_store_db(merge->parts[0].store));
	write_jobs(merge);
	for (size_t i = 0; i < merge->count; i++)
		write_left_out(merge, &merge->parts[i]);
	return tc_index_writer_publish(merge->writer);
}

static void clear(struct merge *merge)
{
	for (size_t i = 0; i < merge->count; i++) {
		tc_index_reader_free(merge->parts[i].reader);
		tc_store_close(merge->parts[i].store);
		tc_free(merge->parts[i].program_version);
		tc_free(merge->parts[i].root);
	}
	for (size_t i = 0; i < merge->job_count; i++)
		tc_free(merge->jobs[i].path);
	tc_free(merge->parts);
	tc_free(merge->jobs);
}

enum tc_status tc_index_merge(struct tc_merge_counts *counts, struct tc_ctx *ctx,
	const char *const *paths, size_t count, const char *path)
{
	struct merge merge = {.ctx = ctx, .parts = tc_calloc(count, sizeof(*merge.parts))};
	enum tc_status status = merge.parts ? TC_OK : tc_no_memory(merge.ctx);

	for (size_t i = 0; i < count && !status; i++)
		status = open_part(&merge, paths[i]);
	if (!status)
		status = count_missing(&merge);
	TC_SORT(merge.jobs, merge.job_count, by_path);
	if (!status)
		status = write_index(&merge, path);
	clear(&merge);
	if (!status)
		*counts = merge.counts;
	return status;
}
