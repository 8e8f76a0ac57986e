/*
 * Finding jobs, in three steps: the root that all paths have in common, the files below the paths
 * that are called like traces, and the jobs they make. Example: runs/a/rank0.json,
 * runs/a/rank1.json, runs/a/config.json and runs/b/x.json below "runs" give the root "runs" and the
 * jobs "a" of two traces and "b" of one; config.json is other JSON, which is noted.
 *
 * A directory with one run gives the job its path; where it has several, the name of the run is
 * behind it. Files of several names are one run all the same when they say that they are the ranks
 * of one world. Files of other runs have no say in that, nor those that are no traces, so all are
 * looked into, but only in directories of the shard.
 */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "import/inputs/find.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/array.h"
#include "core/context.h"
#include "core/files/place.h"
#include "core/files/files.h"
#include "core/hash.h"
#include "core/text/decimal.h"
#include "names/run.h"
#include "source/source.h"

/* A trace on its way into a job. */
struct entry {
	struct tc_found_trace trace;
	size_t directory_len;     /* of the path: the directory of its job */
	const char *run;          /* "" when the directory is the run */
	int64_t rank, world_size; /* -1 where the file does not say */
	int64_t world;            /* of whose ranks a job is made, whatever their names; or 0 */
};

struct search {
	struct tc_ctx *ctx;
	const struct tc_find_options *options;
	struct tc_found *found;
	struct entry *entries;
	size_t count, capacity;
};

/* ---- the root */

/* Sets out to the path without "." parts and doubled slashes; absolute and without links, if that
 * is wanted. NULL when memory is out. */
static const char *clean(struct tc_buf *out, const char *path, bool absolute)
{
	char resolved[PATH_MAX];

	tc_buf_reset(out);
	if (absolute && realpath(path, resolved))
		path = resolved;
	if (*path == '/')
		tc_buf_append_char(out, '/');
	while (*path) {
		size_t len = strcspn(path, "/");
		if (len > 0 && !(len == 1 && *path == '.')) {
			if (out->len > 0 && out->ptr[out->len - 1] != '/')
				tc_buf_append_char(out, '/');
			tc_buf_append(out, path, len);
		}
		path += len + strspn(path + len, "/");
	}
	return tc_buf_string(out);
}

/* The length that two clean paths have in common, in whole parts. */
static size_t common_len(struct tc_text a, struct tc_text b)
{
	size_t same = 0, i = 0;

	for (;; i++) {
		bool a_ends = i == a.len || a.ptr[i] == '/', b_ends = i == b.len || b.ptr[i] == '/';
		if (a_ends && b_ends)
			same = i == 0 && a.len > 0 && b.len > 0 ? 1 : i; /* "/" is a part */
		if (i == a.len || i == b.len || a.ptr[i] != b.ptr[i])
			return same;
	}
}

/* The directory of a file, or the path when it is one. */
static struct tc_text directory_in(struct tc_buf *cleaned, const char *path)
{
	struct tc_text text = tc_buf_text(cleaned);

	if (tc_place_is_directory(path))
		return text;
	while (text.len > 0 && text.ptr[text.len - 1] != '/')
		text.len--;
	return text.len > 1 ? (struct tc_text){text.ptr, text.len - 1} : text;
}

/* Sets root to the longest directory that all have in common. */
static void find_root(struct tc_buf *root, const char *const *paths, size_t count, bool absolute)
{
	struct tc_buf cleaned = {.ctx = root->ctx};

	for (size_t i = 0; i < count && clean(&cleaned, paths[i], absolute); i++) {
		struct tc_text directory = directory_in(&cleaned, paths[i]);
		if (i == 0)
			tc_buf_append_text(root, directory);
		else
			root->len = common_len(tc_buf_text(root), directory);
	}
	if (root->len == 0)
		tc_buf_append_char(root, '.');
	tc_buf_clear(&cleaned);
}

static bool has_parent_part(const char *path)
{
	struct tc_text rest = tc_text_from(path), after;

	while (tc_text_after(rest, TC_TEXT(".."), &after)) {
		const char *at = after.ptr - 2;
		if ((at == path || at[-1] == '/') && (after.len == 0 || *after.ptr == '/'))
			return true;
		rest = after;
	}
	return false;
}

/* A directory that several paths have in common shows only when they are all absolute, or all
 * relative and go down. */
static bool needs_absolute(const char *const *paths, size_t count)
{
	size_t absolute = 0, parents = 0;

	for (size_t i = 0; i < count; i++) {
		absolute += paths[i][0] == '/';
		parents += has_parent_part(paths[i]);
	}
	return count > 1 && ((absolute > 0 && absolute < count) || parents > 0);
}

const char *tc_found_path(struct tc_buf *path, const char *root, const char *name)
{
	size_t len = strlen(root);

	tc_buf_reset(path);
	if (strcmp(root, ".") == 0) /* "a/b" reads better than "./a/b" */
		tc_buf_append_string(path, *name ? name : root);
	else {
		tc_buf_append_string(path, root);
		if (*name && len > 0 && root[len - 1] != '/')
			tc_buf_append_char(path, '/');
		tc_buf_append_string(path, name);
	}
	return tc_buf_string(path);
}

/* ---- the files: goes through directories, in the order of names */

/* Nobody nests so deep; a file system that does is damaged. */
enum { DEPTH_MAX = 100 };

/* The names in one directory. */
struct names {
	struct tc_arena arena;
	const char **items;
	size_t count, capacity;
};

/* All but hidden ones. Returns 0, or an errno value; want of memory fails the context. */
static int list(struct names *names, const char *path)
{
	DIR *directory = opendir(path);
	struct dirent *entry = NULL;
	int error = directory ? 0 : errno;

	while (directory && !names->arena.has_failed &&
		(errno = 0, entry = readdir(directory)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		const char *name = tc_arena_dup(&names->arena, tc_text_from(entry->d_name));
		if (TC_ARENA_GROW(&names->arena, names->items, names->capacity, names->count + 1))
			names->items[names->count++] = name;
	}
	if (directory) {
		error = names->arena.has_failed ? ENOMEM : errno;
		closedir(directory);
	}
	if (!error)
		TC_SORT(names->items, names->count, tc_by_string);
	return error;
}

static void leave_out(struct search *search, const char *name, const char *reason)
{
	struct tc_found *found = search->found;
	const struct tc_found_reason row = {
		tc_arena_dup(&found->arena, tc_text_from(*name ? name : ".")),
		tc_arena_dup(&found->arena, tc_text_from(reason))};

	TC_PUSH(search->ctx, found->left_out, found->left_out_count, found->left_out_capacity, row);
}

static void add_trace(struct search *search, const char *name, const struct stat *file)
{
	struct tc_arena *arena = &search->found->arena;
	struct tc_buf run = {.ctx = search->ctx};
	struct entry entry = {
		.trace = {.path = tc_arena_dup(arena, tc_text_from(name)),
			.is_special = file && !S_ISREG(file->st_mode)},
		.directory_len = tc_run_directory(tc_text_from(name)).len,
	};

	if (file && S_ISREG(file->st_mode)) {
		entry.trace.size_bytes = file->st_size;
		entry.trace.mtime_ns =
			(int64_t)file->st_mtim.tv_sec * 1000000000 + file->st_mtim.tv_nsec;
	}
	if (search->options->is_ready &&
		!search->options->is_ready(search->options->ready_user, name,
			entry.trace.size_bytes, entry.trace.mtime_ns))
		return;
	tc_run_name(&run, tc_text_from(name), true);
	entry.run = tc_arena_keep(arena, &run);
	TC_PUSH(search->ctx, search->entries, search->count, search->capacity, entry);
}

static void walk(struct search *search, struct tc_buf *name, int depth);

/* Looks at a path below the root, which is full for the system. */
static void look_at(struct search *search, struct tc_buf *name, const char *full, int depth)
{
	const struct tc_find_options *options = search->options;
	const char *below = tc_buf_string(name);
	struct stat file;

	if (lstat(full, &file) != 0) {
		if (errno != ENOENT) /* it may be a directory of traces */
			leave_out(search, below, strerror(errno));
	} else if (S_ISDIR(file.st_mode)) {
		if (!options->is_skipped || !options->is_skipped(options->user, full))
			walk(search, name, depth + 1);
	} else if (tc_run_is_trace(tc_text_from(below))) {
		bool is_there = stat(full, &file) == 0;
		if (!is_there || !S_ISDIR(file.st_mode))
			add_trace(search, below, is_there ? &file : NULL);
	}
}

/* Visits an item of a directory whose name ends where name does. */
static void visit(struct search *search, struct tc_buf *name, const char *item, int depth)
{
	struct tc_buf path = {.ctx = search->ctx};
	size_t len = name->len;

	if (len > 0 && name->ptr[len - 1] != '/')
		tc_buf_append_char(name, '/');
	tc_buf_append_string(name, item);
	const char *below = tc_buf_string(name);
	const char *full = below ? tc_found_path(&path, search->found->root, below) : NULL;
	if (full)
		look_at(search, name, full, depth);
	tc_buf_clear(&path);
	name->len = len;
}

static void walk(struct search *search, struct tc_buf *name, int depth)
{
	struct tc_ctx *ctx = search->ctx;
	struct tc_buf path = {.ctx = ctx};
	struct names names = {.arena = {.ctx = ctx}};
	const char *below = tc_buf_string(name);
	const char *full = below ? tc_found_path(&path, search->found->root, below) : NULL;
	int error = !full ? ENOMEM : depth > DEPTH_MAX ? ELOOP : list(&names, full);

	if (tc_ctx_interrupted(ctx))
		tc_fail(ctx, TC_ERR_INTERRUPTED, "interrupted");
	else if (error && error != ENOMEM && (depth == 0 || tc_open_status(error) != TC_ERR_READ))
		tc_fail_errno(
			ctx, tc_open_status(error), error, TC_TO_READ, "%s: cannot be read", full);
	else if (error && error != ENOMEM)
		leave_out(search, below, strerror(error));
	for (size_t i = 0; i < names.count && !tc_ctx_failed(ctx); i++)
		visit(search, name, names.items[i], depth);
	tc_arena_clear(&names.arena);
	tc_buf_clear(&path);
}

/* Adds the traces in and below a directory, or a file, that is below the root. */
static void walk_from(struct search *search, const char *name)
{
	struct tc_buf path = {.ctx = search->ctx}, below = {.ctx = search->ctx};
	struct stat file;
	const char *full = tc_found_path(&path, search->found->root, name);
	bool is_there = full && stat(full, &file) == 0;

	if (is_there && S_ISDIR(file.st_mode)) {
		tc_buf_append_string(&below, name);
		walk(search, &below, 0);
	} else {
		add_trace(search, name, is_there ? &file : NULL);
	}
	tc_buf_clear(&below);
	tc_buf_clear(&path);
}

static void walk_all(struct search *search, const char *const *paths, size_t count, bool absolute)
{
	struct tc_buf cleaned = {.ctx = search->ctx};
	const char *root = search->found->root;
	size_t root_len = strcmp(root, ".") == 0 ? 0 : strlen(root);

	for (size_t i = 0; i < count && !tc_ctx_failed(search->ctx); i++) {
		const char *path = clean(&cleaned, paths[i], absolute);
		if (path && access(paths[i], F_OK))
			tc_fail_errno(search->ctx, TC_ERR_READ, errno, TC_TO_READ, "cannot open %s",
				tc_path_shown(paths[i]));
		else if (path)
			walk_from(search, path + root_len + (path[root_len] == '/'));
	}
	tc_buf_clear(&cleaned);
}

/* ---- a look into a file */

/* The members before the events are far shorter: devices, the job, settings of the profiler. */
#define HEAD_BYTES (256 * 1024)
#define PIECE_BYTES (16 * 1024)

/* JSON of another kind, whole as far as it was read. */
static bool is_other_json(struct tc_text text, bool is_all)
{
	if (text.len == 0 || memchr(text.ptr, '\0', text.len))
		return false;
	text = tc_text_trim(text);
	if (text.len == 0 || !memchr("{[", text.ptr[0], 2))
		return false;
	return !is_all || memchr("}]", text.ptr[text.len - 1], 2);
}

static bool has_events(struct tc_text text)
{
	return tc_text_contains(text, TC_TEXT("\"traceEvents\"")) ||
	       tc_text_contains(text, TC_TEXT("\"ph\""));
}

static size_t piece_of(size_t len)
{
	return HEAD_BYTES - len < PIECE_BYTES ? HEAD_BYTES - len : PIECE_BYTES;
}

/* The number behind "key" in the head of a trace, -1 for none. */
static int64_t number_after(struct tc_text text, struct tc_text key)
{
	struct tc_text rest;
	size_t len = 0;
	int64_t number = -1;

	if (!tc_text_after(text, key, &rest))
		return -1;
	while (rest.len > 0 && memchr(" \t\r\n:", rest.ptr[0], 5)) {
		rest.ptr++;
		rest.len--;
	}
	while (len < rest.len && tc_is_digit(rest.ptr[len]))
		len++;
	return tc_decimal_int64(&number, (struct tc_text){rest.ptr, len}) ? number : -1;
}

/* Members that PyTorch's profiler writes before the events; the import reads them properly. */
static void look_for_rank(struct entry *entry, struct tc_text text)
{
	struct tc_text job;

	if (!tc_text_after(text, TC_TEXT("\"distributedInfo\""), &job))
		return;
	entry->rank = number_after(job, TC_TEXT("\"rank\""));
	entry->world_size = number_after(job, TC_TEXT("\"world_size\""));
}

/* Reads the head of a file: sets what it says of itself, and returns whether it is other JSON. Most
 * traces show what they are in the first piece, so no more is read of them. */
static bool read_head(struct entry *entry, struct tc_ctx *ctx, const char *path, char *head)
{
	struct tc_source *source = NULL;
	struct tc_text text = {head, 0};
	size_t len = 1;
	bool is_trace = false;

	tc_source_open_regular(&source, ctx, path);
	if (!source)
		return false;
	while (!is_trace && text.len < HEAD_BYTES && len > 0 &&
		tc_source_read(source, head + text.len, piece_of(text.len), &len) == TC_OK) {
		text.len += len;
		is_trace = has_events(text);
	}
	if (tc_source_loss(source).count > 0 || tc_ctx_failed(ctx))
		is_trace = true; /* the import reports what is wrong */
	tc_source_close(source);
	look_for_rank(entry, text);
	return !is_trace && is_other_json(text, len == 0);
}

/* Looks into a file, and returns whether it is other JSON. A fault of the file is no failure. */
static bool look_into(struct entry *entry, struct tc_ctx *ctx, const char *path)
{
	struct tc_ctx *own = tc_ctx_new(); /* errors of the file are not those of the run */
	char *head = tc_malloc(HEAD_BYTES);
	bool is_other = false;

	if (own && head)
		is_other = read_head(entry, own, path, head);
	else
		tc_no_memory(ctx);
	tc_free(head);
	tc_ctx_free(own);
	return is_other;
}

static int64_t rank_of(const struct entry *entry)
{
	return entry->world_size > 1 && entry->rank >= 0 ? entry->rank : TC_NO_RANK;
}

bool tc_find_is_other_json(int64_t *rank, struct tc_ctx *ctx, const char *path)
{
	struct entry entry = {.rank = -1, .world_size = -1};
	bool is_other = look_into(&entry, ctx, path);

	if (rank)
		*rank = rank_of(&entry);
	return is_other;
}

/* Whether a file is other JSON, which is noted. */
static bool is_other(struct search *search, struct entry *entry)
{
	struct tc_buf path = {.ctx = search->ctx};
	const char *full = tc_found_path(&path, search->found->root, entry->trace.path);
	bool is_other = false;

	entry->rank = entry->world_size = -1;
	if (full && !search->options->by_name && !entry->trace.is_special)
		is_other = look_into(entry, search->ctx, full);
	if (is_other)
		tc_ctx_note(search->ctx, TC_NOTE_NOT_READ,
			"%s: not read, it does not look like a trace", full);
	tc_buf_clear(&path);
	return is_other;
}

/* ---- the jobs */

TC_ORDER(by_rank_and_path, struct tc_found_trace, TC_UP(rank) TC_UP_STRING(path));

static struct tc_text directory_of(const struct entry *entry)
{
	return (struct tc_text){entry->trace.path, entry->directory_len};
}

static int compare_directories(const struct entry *a, const struct entry *b)
{
	return tc_text_order(directory_of(a), directory_of(b));
}

TC_ORDER(by_run, struct entry,
	TC_BY(compare_directories) TC_UP_STRING(run) TC_UP_STRING(trace.path));

/* Within a directory. */
TC_ORDER(by_world, struct entry, TC_UP(world) TC_UP_STRING(run) TC_UP_STRING(trace.path));

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

static bool is_of_shard(const struct search *search, const struct entry *entry)
{
	const struct tc_find_options *options = search->options;

	return options->shard_count == 0 ||
	       shard_of(directory_of(entry), entry->run, options->shard_count) == options->shard;
}

/* Takes other JSON out of count entries; returns how many stay. */
static size_t drop_others(struct search *search, struct entry *entries, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count && !tc_ctx_failed(search->ctx); i++) {
		bool stays = !is_other(search, &entries[i]);
		entries[kept] = entries[i];
		kept += stays;
	}
	return kept;
}

/* How many of the entries from start on belong together: to one directory, or to one run of it. */
static size_t run_length(const struct entry *entries, size_t start, size_t count, bool same_run)
{
	size_t end = start + 1;

	while (end < count && compare_directories(&entries[start], &entries[end]) == 0 &&
		(!same_run || strcmp(entries[start].run, entries[end].run) == 0))
		end++;
	return end - start;
}

/* Whether no name has the first and the last rank: the names are those of hosts, not of runs. */
static bool are_hosts(const struct entry *entries, size_t count)
{
	size_t length = 0;

	for (size_t i = 0; i < count; i += length) {
		int64_t least = INT64_MAX, most = -1;
		length = run_length(entries, i, count, true);
		for (size_t k = i; k < i + length; k++) {
			least = entries[k].rank < least ? entries[k].rank : least;
			most = entries[k].rank > most ? entries[k].rank : most;
		}
		if (least == 0 && most == entries[i].world_size - 1)
			return false;
	}
	return true;
}

/* Whether ranks, in order, are all of a world, each as often as the others. */
static bool are_all_ranks(const int64_t *ranks, size_t count, int64_t world_size)
{
	size_t times = count / (size_t)world_size;

	for (size_t i = 0; i < count; i++)
		if (times == 0 || ranks[i] != (int64_t)(i / times))
			return false;
	return true;
}

/* Whether ranks of one world are different ones, or hosts recorded all of them several times. */
static bool are_ranks(struct tc_ctx *ctx, const struct entry *entries, size_t count)
{
	int64_t *ranks = tc_new(ctx, count, sizeof(*ranks));
	bool are = ranks != NULL;

	for (size_t i = 0; i < count && ranks; i++)
		ranks[i] = entries[i].rank;
	if (ranks)
		TC_SORT(ranks, count, tc_compare_numbers);
	if (ranks &&
		!(are_hosts(entries, count) && are_all_ranks(ranks, count, entries[0].world_size)))
		for (size_t i = 1; i < count && are; i++)
			are = ranks[i] != ranks[i - 1];
	tc_free(ranks);
	return are;
}

static const char *name_job(struct search *search, const struct entry *entry, bool is_several)
{
	struct tc_buf path = {.ctx = search->ctx};

	if (search->options->apart)
		return entry->trace.path;
	tc_buf_append(&path, entry->trace.path, entry->directory_len);
	if (is_several && *entry->run) {
		tc_buf_append_string(&path, path.len > 0 ? ":" : ".:");
		tc_buf_append_string(&path, entry->run);
	}
	if (path.len == 0)
		tc_buf_append_char(&path, '.');
	return tc_arena_keep(&search->found->arena, &path);
}

/* Makes a job of count entries of one run. */
static void add_job(
	struct search *search, const struct entry *entries, size_t count, bool is_several)
{
	struct tc_found *found = search->found;
	struct tc_found_job job = {.path = name_job(search, entries, is_several)};

	if (!TC_ARENA(&found->arena, job.traces, count))
		return;
	for (size_t i = 0; i < count; i++) {
		const struct tc_found_trace *trace = &entries[i].trace;
		/* Inputs may overlap: a directory, and one below it. */
		if (job.trace_count > 0 &&
			strcmp(job.traces[job.trace_count - 1].path, trace->path) == 0)
			continue;
		job.traces[job.trace_count] = *trace;
		job.traces[job.trace_count++].rank = rank_of(&entries[i]);
	}
	TC_SORT(job.traces, job.trace_count, by_rank_and_path);
	TC_PUSH(search->ctx, found->jobs, found->job_count, found->job_capacity, job);
}

static bool has_own(const struct search *search, const struct entry *entries, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (is_of_shard(search, &entries[i]))
			return true;
	return false;
}

/* The world of which all files of a run say that they are ranks; 0 where they say none or several.
 */
static int64_t world_of(const struct entry *entries, size_t count)
{
	int64_t world = entries[0].world_size > 1 ? entries[0].world_size : 0;

	for (size_t i = 0; i < count; i++)
		if (entries[i].rank < 0 || entries[i].world_size != world)
			return 0;
	return world;
}

static size_t world_length(const struct entry *entries, size_t start, size_t count)
{
	size_t end = start + 1;

	while (end < count && entries[end].world == entries[start].world)
		end++;
	return end - start;
}

/* Puts the files of a directory in the order of the worlds that they are ranks of, first those of
 * none. */
static void sort_by_world(struct tc_ctx *ctx, struct entry *entries, size_t count)
{
	size_t length = 0;

	for (size_t i = 0; i < count; i += length) {
		length = run_length(entries, i, count, true);
		int64_t world = world_of(&entries[i], length);
		for (size_t k = i; k < i + length; k++)
			entries[k].world = world;
	}
	TC_SORT(entries, count, by_world);
	for (size_t i = 0; i < count; i += length) {
		length = world_length(entries, i, count);
		if (entries[i].world > 0 && !are_ranks(ctx, &entries[i], length))
			for (size_t k = i; k < i + length; k++)
				entries[k].world = 0;
	}
	TC_SORT(entries, count, by_world);
}

/* The files of a directory: ranks of one world are a job, whatever their names, and so is each
 * other run. */
static void group_directory(struct search *search, struct entry *entries, size_t count)
{
	size_t length = 0;

	if (!has_own(search, entries, count))
		return;
	count = drop_others(search, entries, count);
	sort_by_world(search->ctx, entries, count);
	for (size_t i = 0; i < count && !tc_ctx_failed(search->ctx); i += length) {
		length = search->options->apart ? 1
			 : entries[i].world > 0 ? world_length(entries, i, count)
						: run_length(entries, i, count, true);
		if (is_of_shard(search, &entries[i]))
			add_job(search, &entries[i], length, length < count);
	}
}

/* A directory may be called as a run is. Then the later job gets a mark. */
static void part_names(struct search *search)
{
	struct tc_found *found = search->found;

	for (size_t i = 1; i < found->job_count && !tc_ctx_failed(search->ctx); i++) {
		struct tc_buf path = {.ctx = search->ctx};

		if (strcmp(found->jobs[i - 1].path, found->jobs[i].path) != 0)
			continue;
		tc_buf_append_string(&path, found->jobs[i].path);
		tc_buf_append_char(&path, ':');
		found->jobs[i].path = tc_arena_keep(&found->arena, &path);
	}
}

static void group(struct search *search)
{
	size_t length = 0;

	if (tc_ctx_failed(search->ctx))
		return;
	TC_SORT(search->entries, search->count, by_run);
	for (size_t i = 0; i < search->count && !tc_ctx_failed(search->ctx); i += length) {
		length = run_length(search->entries, i, search->count, false);
		group_directory(search, &search->entries[i], length);
	}
	if (tc_ctx_failed(search->ctx))
		return;
	TC_SORT(search->found->jobs, search->found->job_count, by_job_path);
	part_names(search);
}

/* ---- all of it */

struct tc_found *tc_find_jobs(struct tc_ctx *ctx, const char *const *paths, size_t count,
	const struct tc_find_options *options)
{
	struct tc_found *found = tc_new(ctx, 1, sizeof(*found));
	struct search search = {.ctx = ctx, .options = options, .found = found};
	struct tc_buf root = {.ctx = ctx};
	bool absolute = needs_absolute(paths, count);

	if (!found)
		return NULL;
	found->arena.ctx = ctx;
	find_root(&root, paths, count, absolute);
	found->root = tc_arena_keep(&found->arena, &root);
	if (found->root)
		walk_all(&search, paths, count, absolute);
	group(&search);
	tc_free(search.entries);
	if (!tc_ctx_failed(ctx))
		return found;
	tc_found_free(found);
	return NULL;
}

void tc_found_free(struct tc_found *found)
{
	if (!found)
		return;
	tc_free(found->jobs);
	tc_free(found->left_out);
	tc_arena_clear(&found->arena);
	tc_free(found);
}
