/*
 * Jobs of traces: those of one directory and one run. A directory with one run gives the job its
 * path; where it has several, the name of the run is behind it. Files of several names are one run
 * all the same when they say that they are the ranks of one world. Files that are no traces have no
 * say in that, so all are looked into here, but only in directories of the shard.
 */
#include <string.h>

#include "core/alloc.h"
#include "core/array.h"
#include "core/context.h"
#include "core/hash.h"
#include "import/inputs/found.h"
#include "import/inputs/probe.h"

TC_ORDER(by_path, struct tc_found_trace, TC_UP_STRING(path));

static struct tc_text directory_of(const struct tc_found_entry *entry)
{
	return (struct tc_text){entry->trace.path, entry->directory_len};
}

static int compare_directories(const struct tc_found_entry *a, const struct tc_found_entry *b)
{
	return tc_text_order(directory_of(a), directory_of(b));
}

TC_ORDER(by_run, struct tc_found_entry,
	TC_BY(compare_directories) TC_UP_STRING(run) TC_UP_STRING(trace.path));

TC_ORDER(by_job_path, struct tc_found_job, TC_UP_STRING(path) TC_UP_STRING(traces[0].path));

/* The shard of a job, by the hash of its directory and run: both stay when others come and go. */
static int64_t shard_of(struct tc_text directory, const char *run, int64_t shard_count)
{
	struct tc_hash hash;

	tc_hash_init(&hash);
	tc_hash_add(&hash, directory.ptr, directory.len);
	tc_hash_add(&hash, "/", 1);
	tc_hash_add_string(&hash, run);
	return (int64_t)(tc_hash_value(&hash) % (uint64_t)shard_count);
}

static bool is_of_shard(const struct tc_found *found, const struct tc_found_entry *entry)
{
	const struct tc_find_options *options = found->options;

	return options->shard_count == 0 ||
	       shard_of(directory_of(entry), entry->run, options->shard_count) == options->shard;
}

/* Looks into a file: sets what it says of itself, and whether it is other JSON. */
static enum tc_status look_into(
	bool *is_other, struct tc_found *found, struct tc_found_entry *entry)
{
	struct tc_input_look look = {TC_INPUT_TRACE, -1, -1};
	struct tc_buf path = TC_BUF_EMPTY;
	const char *full = tc_found_path(&path, found->root, entry->trace.path);
	enum tc_status status = full ? TC_OK : tc_no_memory(found->ctx);

	if (!status && !found->options->by_name && !entry->trace.is_special)
		status = tc_input_probe(&look, found->ctx, full);
	*is_other = look.input == TC_INPUT_OTHER;
	entry->rank = look.rank;
	entry->world_size = look.world_size;
	if (!status && *is_other)
		tc_ctx_note(found->ctx, TC_NOTE_NOT_READ,
			"%s: not read, it does not look like a trace", full);
	tc_buf_clear(&path);
	return status;
}

/* Takes other JSON out of count entries; *kept is how many stay. */
static enum tc_status drop_others(
	size_t *kept, struct tc_found *found, struct tc_found_entry *entries, size_t count)
{
	enum tc_status status = TC_OK;

	*kept = 0;
	for (size_t i = 0; i < count && !status; i++) {
		bool is_other = false;
		status = look_into(&is_other, found, &entries[i]);
		entries[*kept] = entries[i];
		*kept += !is_other;
	}
	return status;
}

TC_ORDER(by_rank, int64_t, TC_UP_ITSELF);

/* Do all say that they are different ranks of one world? */
static enum tc_status are_ranks(
	bool *out, struct tc_found *found, const struct tc_found_entry *entries, size_t count)
{
	int64_t *ranks = tc_calloc(count, sizeof(*ranks));

	if (!ranks)
		return tc_no_memory(found->ctx);
	*out = entries[0].world_size > 1;
	for (size_t i = 0; i < count && *out; i++) {
		ranks[i] = entries[i].rank;
		*out = entries[i].world_size == entries[0].world_size && entries[i].rank >= 0;
	}
	if (*out)
		TC_SORT(ranks, count, by_rank);
	for (size_t i = 1; i < count && *out; i++)
		*out = ranks[i] != ranks[i - 1];
	tc_free(ranks);
	return TC_OK;
}

/* The contents of a buffer, which is cleared. */
static enum tc_status take_name(const char **out, struct tc_found *found, struct tc_buf *name)
{
	found->arena.has_failed |= tc_buf_failed(name);
	*out = tc_arena_dup(&found->arena, tc_buf_text(name));
	tc_buf_clear(name);
	return tc_arena_status(&found->arena, found->ctx);
}

static enum tc_status name_job(struct tc_found *found, struct tc_found_job *job,
	const struct tc_found_entry *entry, bool is_several)
{
	struct tc_buf path = TC_BUF_EMPTY;

	tc_buf_append(&path, entry->trace.path, entry->directory_len);
	if (is_several && *entry->run) {
		tc_buf_append_string(&path, path.len > 0 ? ":" : ".:");
		tc_buf_append_string(&path, entry->run);
	}
	if (path.len == 0)
		tc_buf_append_char(&path, '.');
	return take_name(&job->path, found, &path);
}

/* Makes a job of count entries of one run. */
static enum tc_status add_job(
	struct tc_found *found, struct tc_found_entry *entries, size_t count, bool is_several)
{
	if (!TC_GROW(found->jobs, found->job_capacity, found->job_count + 1))
		return tc_no_memory(found->ctx);
	struct tc_found_job *job = &found->jobs[found->job_count++];
	*job = (struct tc_found_job){0};
	TC_ARENA(&found->arena, job->traces, count);
	enum tc_status status = name_job(found, job, entries, is_several);
	for (size_t i = 0; i < count && !status; i++) {
		const struct tc_found_trace *trace = &entries[i].trace;
		/* Inputs may overlap: a directory, and one below it. */
		if (job->trace_count > 0 &&
			strcmp(job->traces[job->trace_count - 1].path, trace->path) == 0)
			continue;
		job->traces[job->trace_count++] = *trace;
	}
	if (!status)
		TC_SORT(job->traces, job->trace_count, by_path);
	return status;
}

/* How many of the entries from start on belong together: to one directory, or to one run of it. */
static size_t run_length(
	const struct tc_found_entry *entries, size_t start, size_t count, bool same_run)
{
	size_t end = start + 1;

	while (end < count && compare_directories(&entries[start], &entries[end]) == 0 &&
		(!same_run || strcmp(entries[start].run, entries[end].run) == 0))
		end++;
	return end - start;
}

static bool has_own(
	const struct tc_found *found, const struct tc_found_entry *entries, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (is_of_shard(found, &entries[i]))
			return true;
	return false;
}

/* The files of a directory, all its runs. */
static enum tc_status group_directory(
	struct tc_found *found, struct tc_found_entry *entries, size_t count)
{
	size_t length = 0;
	bool is_one = false;
	enum tc_status status = TC_OK;

	if (!has_own(found, entries, count))
		return TC_OK;
	status = drop_others(&count, found, entries, count);
	if (status || count == 0)
		return status;
	bool is_several = run_length(entries, 0, count, true) < count;
	if (is_several)
		status = are_ranks(&is_one, found, entries, count);
	for (size_t i = 0; i < count && !status; i += length) {
		length = is_one ? count : run_length(entries, i, count, true);
		if (is_of_shard(found, &entries[i]))
			status = add_job(found, &entries[i], length, is_several && !is_one);
	}
	return status;
}

/* A directory may be called as a run is. Then the later job gets a mark. */
static enum tc_status part_names(struct tc_found *found)
{
	for (size_t i = 1; i < found->job_count; i++) {
		struct tc_buf path = TC_BUF_EMPTY;

		if (strcmp(found->jobs[i - 1].path, found->jobs[i].path) != 0)
			continue;
		tc_buf_append_string(&path, found->jobs[i].path);
		tc_buf_append_char(&path, ':');
		enum tc_status status = take_name(&found->jobs[i].path, found, &path);
		if (status)
			return status;
	}
	return TC_OK;
}

enum tc_status tc_found_group(struct tc_found *found)
{
	size_t count = found->entry_count, length = 0;
	enum tc_status status = TC_OK;

	TC_SORT(found->entries, count, by_run);
	for (size_t i = 0; i < count && !status; i += length) {
		length = run_length(found->entries, i, count, false);
		status = group_directory(found, &found->entries[i], length);
	}
	found->entry_count = 0;
	TC_SORT(found->jobs, found->job_count, by_job_path);
	return status ? status : part_names(found);
}
