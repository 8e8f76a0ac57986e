/* Finding traces: goes through directories, in the order of names. See found.h. */
#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "core/alloc.h"
#include "core/array.h"
#include "core/context.h"
#include "core/files/remedy.h"
#include "import/inputs/found.h"
#include "names/run.h"

/* Nobody nests so deep; a file system that does is damaged. */
enum { DEPTH_MAX = 100 };

/* The names in one directory. */
struct names {
	struct tc_arena arena;
	const char **items;
	size_t count, capacity;
};

/* All but what is hidden. Returns 0, or an errno value. */
static int list(struct names *names, const char *path)
{
	DIR *directory = opendir(path);
	struct dirent *entry = NULL;
	int error = directory ? 0 : errno;

	while (!error && (errno = 0, entry = readdir(directory)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		if (TC_ARENA_GROW(&names->arena, names->items, names->capacity, names->count + 1))
			names->items[names->count++] =
				tc_arena_dup(&names->arena, tc_text_from(entry->d_name));
		error = names->arena.has_failed ? ENOMEM : 0;
	}
	if (!error && errno)
		error = errno;
	if (directory)
		closedir(directory);
	if (!error)
		TC_SORT(names->items, names->count, tc_by_string);
	return error;
}

static enum tc_status leave_out(struct tc_found *found, const char *name, const char *reason)
{
	if (!TC_GROW(found->left_out, found->left_out_capacity, found->left_out_count + 1))
		return tc_no_memory(found->ctx);
	struct tc_found_reason *row = &found->left_out[found->left_out_count++];
	row->path = tc_arena_dup(&found->arena, tc_text_from(*name ? name : "."));
	row->reason = tc_arena_dup(&found->arena, tc_text_from(reason));
	return tc_arena_status(&found->arena, found->ctx);
}

static enum tc_status add_trace(struct tc_found *found, const char *name, const struct stat *file)
{
	struct tc_buf run = TC_BUF_EMPTY;

	if (!TC_GROW(found->entries, found->entry_capacity, found->entry_count + 1))
		return tc_no_memory(found->ctx);
	struct tc_found_entry *entry = &found->entries[found->entry_count++];
	*entry = (struct tc_found_entry){
		.trace = {.path = tc_arena_dup(&found->arena, tc_text_from(name)),
			.is_special = file && !S_ISREG(file->st_mode)},
		.directory_len = tc_run_directory(tc_text_from(name)).len,
	};
	if (file && S_ISREG(file->st_mode)) {
		entry->trace.size_bytes = file->st_size;
		entry->trace.mtime_ns =
			(int64_t)file->st_mtim.tv_sec * 1000000000 + file->st_mtim.tv_nsec;
	}
	tc_run_name(&run, tc_text_from(name));
	entry->run = tc_arena_dup(&found->arena, tc_buf_text(&run));
	enum tc_status status = tc_buf_failed(&run) ? tc_no_memory(found->ctx)
						    : tc_arena_status(&found->arena, found->ctx);
	tc_buf_clear(&run);
	return status;
}

static enum tc_status walk(struct tc_found *found, struct tc_buf *name, int depth);

/* Looks at what a directory, whose name ends where name does, has under item. */
static enum tc_status visit(
	struct tc_found *found, struct tc_buf *name, const char *item, int depth)
{
	const struct tc_find_options *options = found->options;
	struct tc_buf path = TC_BUF_EMPTY;
	struct stat file;
	size_t len = name->len;
	enum tc_status status = TC_OK;

	if (len > 0 && name->ptr[len - 1] != '/')
		tc_buf_append_char(name, '/');
	tc_buf_append_string(name, item);
	const char *below = tc_buf_string(name);
	const char *full = below ? tc_found_path(&path, found->root, below) : NULL;
	if (!full)
		status = tc_no_memory(found->ctx);
	else if (lstat(full, &file) != 0) {
		if (errno != ENOENT) /* it may be a directory of traces */
			status = leave_out(found, below, strerror(errno));
	} else if (S_ISDIR(file.st_mode)) {
		if (!options->is_skipped || !options->is_skipped(options->user, full))
			status = walk(found, name, depth + 1);
	} else if (tc_run_is_trace(tc_text_from(item))) {
		bool is_there = stat(full, &file) == 0;
		if (!is_there || !S_ISDIR(file.st_mode))
			status = add_trace(found, below, is_there ? &file : NULL);
	}
	tc_buf_clear(&path);
	name->len = len;
	return status;
}

static enum tc_status walk(struct tc_found *found, struct tc_buf *name, int depth)
{
	struct tc_buf path = TC_BUF_EMPTY;
	struct names names = {0};
	const char *below = tc_buf_string(name);
	const char *full = below ? tc_found_path(&path, found->root, below) : NULL;
	enum tc_status status = TC_OK;
	int error = !full ? ENOMEM : depth > DEPTH_MAX ? ELOOP : list(&names, full);

	if (tc_ctx_interrupted(found->ctx))
		status = tc_fail(found->ctx, TC_ERR_INTERRUPTED, "interrupted");
	else if (error == ENOMEM)
		status = tc_no_memory(found->ctx);
	else if (error && depth == 0)
		status = tc_fail(found->ctx, TC_ERR_READ, "%s: cannot be read: %s%s", full,
			strerror(error), tc_remedy(error, TC_TO_READ));
	else if (error)
		status = leave_out(found, below, strerror(error));
	for (size_t i = 0; i < names.count && !status; i++)
		status = visit(found, name, names.items[i], depth);
	tc_arena_clear(&names.arena);
	tc_buf_clear(&path);
	return status;
}

enum tc_status tc_found_walk(struct tc_found *found, const char *name)
{
	struct tc_buf path = TC_BUF_EMPTY;
	struct stat file;
	const char *full = tc_found_path(&path, found->root, name);
	bool is_there = full && stat(full, &file) == 0;
	enum tc_status status;

	if (!full)
		status = tc_no_memory(found->ctx);
	else if (is_there && S_ISDIR(file.st_mode)) {
		struct tc_buf below = TC_BUF_EMPTY;
		tc_buf_append_string(&below, name);
		status = walk(found, &below, 0);
		tc_buf_clear(&below);
	} else
		status = add_trace(found, name, is_there ? &file : NULL);
	tc_buf_clear(&path);
	return status;
}
