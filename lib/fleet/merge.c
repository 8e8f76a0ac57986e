/*
 * Merging indexes. Their jobs, sorted by path, are added to a new index one by one, just as a batch
 * over all of them does, so the rows are the same.
 */
#include <dirent.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/array.h"
#include "core/buf.h"
#include "core/collections/arena.h"
#include "core/files/place.h"
#include "core/files/reads.h"
#include "fleet/index.h"
#include "fleet/record_log.h"
#include "store/sql.h"
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
	struct tc_arena arena; /* paths of parts */
	struct part *parts;
	size_t count, capacity;
	struct part_job *jobs;
	size_t job_count, job_capacity;
	struct tc_merge_counts counts;
	struct tc_index_writer *writer;
};

static void check_alike(const struct merge *merge, const struct part *part)
{
	const struct part *first = &merge->parts[0];

	if (strcmp(first->program_version, part->program_version) != 0)
		tc_fail(merge->ctx, TC_ERR_USAGE,
			"%s was made by tracecoach %s, %s by %s: run the older batch again",
			first->path, first->program_version, part->path, part->program_version);
	else if (first->settings_hash != part->settings_hash)
		tc_fail(merge->ctx, TC_ERR_USAGE,
			"%s and %s were made with other rules or thresholds: run one of the "
			"batches again with those of the other",
			first->path, part->path);
	else if (strcmp(first->root, part->root) != 0)
		tc_fail(merge->ctx, TC_ERR_USAGE,
			"paths of %s are below %s, those of %s below %s: an index has one "
			"directory that its paths are relative to",
			first->path, first->root, part->path, part->root);
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

static void open_part(struct merge *merge, const char *path)
{
	if (!TC_PUSH(merge->ctx, merge->parts, merge->count, merge->capacity,
		    (struct part){.path = path}))
		return;
	size_t index = merge->count - 1;
	struct part *part = &merge->parts[index];
	if (tc_index_open(&part->store, merge->ctx, path) != TC_OK)
		return;
	sqlite3 *db = tc_store_db(part->store);
	take_facts(part, merge->ctx, db);
	take_jobs(merge, index, db);
	if (!tc_ctx_failed(merge->ctx))
		check_alike(merge, part);
	if (!tc_ctx_failed(merge->ctx))
		part->reader = tc_index_reader_new(merge->ctx, db);
}

/* "shard-0-of-3.db", as a batch calls them. */
static bool is_shard_name(struct tc_text name)
{
	struct tc_text rest;

	return tc_text_starts(name, TC_TEXT("shard-")) && tc_text_ends(name, TC_TEXT(".db")) &&
	       tc_text_after(name, TC_TEXT("-of-"), &rest);
}

/* The indexes of shards in a directory, in the order of their names. */
static const char **find_shards(size_t *count, struct merge *merge, const char *directory)
{
	const char **paths = NULL;
	size_t capacity = 0;
	DIR *entries = opendir(directory);
	struct dirent *entry;

	*count = 0;
	while (entries && (entry = readdir(entries))) {
		struct tc_buf path = TC_BUF_EMPTY;
		if (!is_shard_name(tc_text_from(entry->d_name)))
			continue;
		tc_buf_format(&path, "%s/%s", directory, entry->d_name);
		const char *kept = tc_arena_keep(&merge->arena, &path);
		if (kept && TC_ARENA_GROW(&merge->arena, paths, capacity, *count + 1))
			paths[(*count)++] = kept;
	}
	if (entries)
		closedir(entries);
	TC_SORT(paths, *count, tc_by_string);
	return paths;
}

/* A directory stands for the shards in it: the index beside them may be what they made before. */
static void open_parts(struct merge *merge, const char *path)
{
	size_t count = 0;
	const char **paths = tc_place_is_directory(path) ? find_shards(&count, merge, path) : NULL;

	if (count == 0 && !tc_ctx_failed(merge->ctx))
		open_part(merge, path);
	for (size_t i = 0; i < count && !tc_ctx_failed(merge->ctx); i++)
		open_part(merge, paths[i]);
}

TC_ORDER(by_path, struct part_job, TC_UP_STRING(path) TC_UP(part));

/* Counts the missing shards of the batch; an index of all jobs has none. */
static void count_missing(struct merge *merge)
{
	int64_t count = 0, found = 0;

	for (size_t i = 0; i < merge->count; i++) {
		if (merge->parts[i].shard_count == 0)
			return;
		if (merge->parts[i].shard_count > count)
			count = merge->parts[i].shard_count;
	}
	bool *is_there = tc_new(merge->ctx, (size_t)count, sizeof(*is_there));
	for (size_t i = 0; is_there && i < merge->count; i++) {
		const struct part *part = &merge->parts[i];
		if (part->shard_count != count || part->shard < 0 || part->shard >= count)
			continue;
		found += !is_there[part->shard];
		is_there[part->shard] = true;
	}
	merge->counts.missing_shard_count = count - found;
	tc_free(is_there);
}

static void write_jobs(struct merge *merge)
{
	struct tc_buf record = {.ctx = merge->ctx};

	for (size_t i = 0; i < merge->job_count && !tc_ctx_failed(merge->ctx); i++) {
		const struct part_job *job = &merge->jobs[i];
		if (i + 1 < merge->job_count && strcmp(job->path, job[1].path) == 0) {
			merge->counts.replaced_job_count++;
			continue;
		}
		tc_buf_reset(&record);
		tc_index_reader_get(&record, merge->parts[job->part].reader, job->id, false);
		if (!tc_ctx_failed(merge->ctx))
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

/* Its directory, which a watch may have alone. Where there is none, writing says so. */
static int claim_place(struct tc_ctx *ctx, const char *path)
{
	struct tc_buf out = {.ctx = ctx};
	const char *slash = strrchr(path, '/');
	int claim = -1;

	tc_buf_append(&out, slash ? path : ".", slash ? (size_t)(slash - path) : 1);
	if (slash == path)
		tc_buf_append_string(&out, "/");
	const char *directory = tc_buf_string(&out);
	if (!tc_ctx_failed(ctx) && tc_place_is_directory(directory))
		claim = tc_out_claim(ctx, directory, TC_OUT_SHARED);
	tc_buf_clear(&out);
	return claim;
}

static void write_index(struct merge *merge, const char *path)
{
	const struct tc_index_facts facts = {.program_version = merge->parts[0].program_version,
		.root = merge->parts[0].root,
		.settings_hash = merge->parts[0].settings_hash};

	merge->writer = tc_index_writer_open(merge->ctx, path, &facts);
	if (!merge->writer)
		return;
	tc_index_writer_copy_names(merge->writer, tc_store_db(merge->parts[0].store));
	write_jobs(merge);
	for (size_t i = 0; i < merge->count; i++)
		write_left_out(merge, &merge->parts[i]);
	tc_index_writer_publish(merge->writer);
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
	tc_arena_clear(&merge->arena);
	tc_free(merge->parts);
	tc_free(merge->jobs);
}

enum tc_status tc_index_merge(struct tc_merge_counts *counts, struct tc_ctx *ctx,
	const char *const *paths, size_t count, const char *path)
{
	TC_ENTER(ctx);
	struct merge merge = {.ctx = ctx, .arena = {.ctx = ctx}};

	for (size_t i = 0; i < count && !tc_ctx_failed(ctx); i++)
		open_parts(&merge, paths[i]);
	if (!tc_ctx_failed(ctx))
		count_missing(&merge);
	TC_SORT(merge.jobs, merge.job_count, by_path);
	if (!tc_ctx_failed(ctx) && tc_reads_has(ctx, path))
		tc_fail(ctx, TC_ERR_USAGE,
			"%s: an index is not written over what it is made of: choose another name",
			path);
	int claim = tc_ctx_failed(ctx) ? -1 : claim_place(ctx, path);
	if (!tc_ctx_failed(ctx))
		write_index(&merge, path);
	if (claim >= 0)
		close(claim);
	clear(&merge);
	if (!tc_ctx_failed(ctx))
		*counts = merge.counts;
	return tc_ctx_status(ctx);
}
