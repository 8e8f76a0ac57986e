/* Finding jobs: the directory that all paths are relative to, and what was found below it. */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "import/inputs/find.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/context.h"
#include "core/files/place.h"
#include "core/files/remedy.h"

/* The path without "." parts and doubled slashes; absolute and without links, if that is wanted. */
static int clean(struct tc_buf *out, const char *path, bool absolute)
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
	return tc_buf_failed(out) ? ENOMEM : 0;
}

/* How much of two clean paths is the same, in whole parts. */
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
static struct tc_text directory_of(struct tc_buf *cleaned, const char *path)
{
	struct tc_text text = tc_buf_text(cleaned);

	if (tc_place_is_directory(path))
		return text;
	while (text.len > 0 && text.ptr[text.len - 1] != '/')
		text.len--;
	return text.len > 1 ? (struct tc_text){text.ptr, text.len - 1} : text;
}

/* Sets root to the longest directory that all have in common. */
static int find_root(struct tc_buf *root, const char *const *paths, size_t count, bool absolute)
{
	struct tc_buf cleaned = TC_BUF_EMPTY;
	int error = 0;

	for (size_t i = 0; i < count && !error; i++) {
		error = clean(&cleaned, paths[i], absolute);
		struct tc_text directory = directory_of(&cleaned, paths[i]);
		if (i == 0)
			tc_buf_append_text(root, directory);
		else
			root->len = common_len(tc_buf_text(root), directory);
	}
	if (!error && tc_buf_failed(root))
		error = ENOMEM;
	tc_buf_clear(&cleaned);
	return error;
}

static enum tc_status walk_all(
	struct tc_found *found, const char *const *paths, size_t count, bool absolute)
{
	struct tc_buf cleaned = TC_BUF_EMPTY;
	size_t root_len = strcmp(found->root, ".") == 0 ? 0 : strlen(found->root);
	enum tc_status status = TC_OK;

	for (size_t i = 0; i < count && !status; i++) {
		int error = clean(&cleaned, paths[i], absolute);
		const char *path = tc_buf_string(&cleaned);
		if (error || !path)
			status = tc_fail(found->ctx, TC_ERR_NOMEM, "%s: %s", paths[i],
				strerror(error ? error : ENOMEM));
		else if (access(paths[i], F_OK))
			status = tc_fail(found->ctx, TC_ERR_READ, "cannot open %s: %s%s", paths[i],
				strerror(errno), tc_remedy(errno, TC_TO_READ));
		else
			status = tc_found_walk(found, path + root_len + (path[root_len] == '/'));
	}
	tc_buf_clear(&cleaned);
	return status;
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

/* What several paths have in common shows only when they are all absolute, or all relative and go
 * down. */
static bool needs_absolute(const char *const *paths, size_t count)
{
	size_t absolute = 0, parents = 0;

	for (size_t i = 0; i < count; i++) {
		absolute += paths[i][0] == '/';
		parents += has_parent_part(paths[i]);
	}
	return count > 1 && ((absolute > 0 && absolute < count) || parents > 0);
}

enum tc_status tc_find_jobs(struct tc_found **out, struct tc_ctx *ctx, const char *const *paths,
	size_t count, const struct tc_find_options *options)
{
	struct tc_found *found = tc_calloc(1, sizeof(*found));
	struct tc_buf root = TC_BUF_EMPTY;
	bool absolute = needs_absolute(paths, count);

	if (!found)
		return tc_no_memory(ctx);
	found->ctx = ctx;
	found->options = options;
	int error = find_root(&root, paths, count, absolute);
	if (root.len == 0)
		tc_buf_append_char(&root, '.');
	found->root = tc_arena_dup(&found->arena, tc_buf_text(&root));
	bool is_whole = found->root && !tc_buf_failed(&root);
	tc_buf_clear(&root);
	enum tc_status status = error || !is_whole
					? tc_fail(ctx, TC_ERR_NOMEM, "cannot look for jobs: %s",
						  strerror(error ? error : ENOMEM))
					: walk_all(found, paths, count, absolute);
	if (!status)
		status = tc_found_group(found);
	found->options = NULL;
	if (status)
		tc_found_free(found);
	else
		*out = found;
	return status;
}
