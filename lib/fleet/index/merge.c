/*
 * Merging indexes. Their jobs, sorted by path, are added to a new index one by one, just as a batch
 * over all of them does, so the rows are the same.
 */
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/array.h"
#include "core/buf.h"
#include "fleet/index/index_reader.h"
#include "fleet/index/index_writer.h"
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
	size_t reading; /* the part whose rows are being read */
	struct tc_index_writer *writer;
};

static char *copy_of(const unsigned char *text)
{
	return tc_string_dup((const char *)text);
}

static enum tc_status take_facts(void *user, sqlite3_stmt *row)
{
	struct merge *merge = user;
	struct part *part = &merge->parts[merge->reading];

	part->program_version = copy_of(sqlite3_column_text(row, 0));
	part->settings_hash = sqlite3_column_int64(row, 1);
	part->root = copy_of(sqlite3_column_text(row, 2));
	part->shard = sqlite3_column_int64(row, 3);
	part->shard_count = sqlite3_column_int64(row, 4);
	return part->program_version && part->root ? TC_OK : tc_no_memory(merge->ctx);
}

static enum tc_status take_job(void *user, sqlite3_stmt *row)
{
	struct merge *merge = user;

	if (!TC_GROW(merge->jobs, merge->job_capacity, merge->job_count + 1))
		return tc_no_memory(merge->ctx);
	struct part_job *job = &merge->jobs[merge->job_count++];
	*job = (struct part_job){
		copy_of(sqlite3_column_text(row, 1)), merge->reading, sqlite3_column_int64(row, 0)};
	return job->path ? TC_OK : tc_no_memory(merge->ctx);
}

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

static enum tc_status open_part(struct merge *merge, const char *path)
{
	struct part *part = &merge->parts[merge->count];

	part->path = path;
	enum tc_status status = tc_index_open(&part->store, merge->ctx, path);
	if (status)
		return status;
	merge->reading = merge->count++;
	sqlite3 *db = tc_store_db(part->store);
	status = tc_sql_each(merge->ctx, db,
		"SELECT program_version, settings_hash, root, shard, shard_count FROM batch", NULL,
		take_facts, merge);
	if (!status)
		status = part->root ? check_alike(merge, part)
				    : tc_fail(merge->ctx, TC_ERR_STORE, "%s has no row in batch",
					      path);
	if (!status)
		status = tc_index_reader_new(&part->reader, merge->ctx, db);
	return status ? status
		      : tc_sql_each(
				merge->ctx, db, "SELECT id, path FROM job", NULL, take_job, merge);
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

static enum tc_status write_jobs(struct merge *merge)
{
	struct tc_buf record = TC_BUF_EMPTY;
	enum tc_status status = TC_OK;

	for (size_t i = 0; i < merge->job_count && !status; i++) {
		const struct part_job *job = &merge->jobs[i];
		if (i + 1 < merge->job_count && strcmp(job->path, job[1].path) == 0) {
			merge->counts.replaced_job_count++;
			continue;
		}
		tc_buf_reset(&record);
		status = tc_index_reader_get(
			&record, merge->parts[job->part].reader, job->id, false);
		if (!status)
			status = tc_index_writer_add(merge->writer, tc_buf_text(&record));
		merge->counts.job_count++;
	}
	tc_buf_clear(&record);
	return status;
}

static enum tc_status take_left_out(void *user, sqlite3_stmt *row)
{
	struct merge *merge = user;

	return tc_index_writer_leave_out(merge->writer, (const char *)sqlite3_column_text(row, 0),
		(const char *)sqlite3_column_text(row, 1));
}

static enum tc_status write_all(struct merge *merge)
{
	enum tc_status status =
		tc_index_writer_copy_names(merge->writer, tc_store_db(merge->parts[0].store));

	if (!status)
		status = write_jobs(merge);
	for (size_t i = 0; i < merge->count && !status; i++)
		status = tc_sql_each(merge->ctx, tc_store_db(merge->parts[i].store),
			"SELECT path, reason FROM left_out ORDER BY path", NULL, take_left_out,
			merge);
	return status;
}

static enum tc_status write_index(struct merge *merge, const char *path)
{
	const struct tc_index_facts facts = {.program_version = merge->parts[0].program_version,
		.root = merge->parts[0].root,
		.settings_hash = merge->parts[0].settings_hash};
	enum tc_status status = tc_index_writer_open(&merge->writer, merge->ctx, path, &facts);

	if (status)
		return status;
	status = write_all(merge);
	if (!status)
		return tc_index_writer_publish(merge->writer);
	tc_index_writer_discard(merge->writer);
	return status;
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
	if (!status && merge.job_count > 1)
		qsort(merge.jobs, merge.job_count, sizeof(*merge.jobs), by_path);
	if (!status)
		status = write_index(&merge, path);
	clear(&merge);
	if (!status)
		*counts = merge.counts;
	return status;
}
