/* See folder.h. */
#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/buf.h"
#include "core/remedy.h"
#include "source/source.h"

/* What stands before the events is far shorter: devices, the job, settings of the profiler. */
#define HEAD_BYTES (256 * 1024)

static int no_memory(void)
{
	return tc_cli_error(TC_EXIT_INTERNAL, "out of memory");
}

/* Adds a copy of path; NULL is a failure, too. */
static int add(struct tc_paths *paths, const char *path)
{
	void *items = paths->items;
	size_t bytes = path ? strlen(path) + 1 : 0;
	char *copy = path ? tc_malloc(bytes) : NULL;

	if (!copy || tc_reserve(&items, &paths->capacity, paths->count + 1, sizeof(char *)) < 0) {
		tc_free(copy);
		return no_memory();
	}
	memcpy(copy, path, bytes);
	paths->items = items;
	paths->items[paths->count++] = copy;
	return 0;
}

void tc_paths_clear(struct tc_paths *paths)
{
	for (size_t i = 0; i < paths->count; i++)
		tc_free(paths->items[i]);
	tc_free(paths->items);
	*paths = (struct tc_paths){0};
}

static bool is_directory(const char *path)
{
	struct stat status;

	return strcmp(path, "-") != 0 && stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool is_readable_directory(const char *path)
{
	return is_directory(path) && access(path, R_OK | X_OK) == 0;
}

static bool has_trace_name(struct tc_text name)
{
	static const char *const ends[] = {".json", ".json.gz", ".json.zst"};

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (name.len > strlen(ends[i]) && tc_text_ends(name, tc_text_from(ends[i])))
			return true;
	return false;
}

/* What the first bytes of a file with the name of a trace say. */
enum look {
	LOOK_TRACE,   /* it is one, or it should be and is damaged: the import tells */
	LOOK_OTHER,   /* other JSON, which is nobody's loss */
	LOOK_SPECIAL, /* a pipe or device, which opening may wait for */
};

/* JSON of another kind, whole as far as it was read. */
static bool is_other_json(struct tc_text text, bool is_all)
{
	static const char blanks[] = " \t\r\n";
	size_t from = 0;

	if (text.len == 0 || memchr(text.ptr, '\0', text.len))
		return false;
	while (from < text.len && strchr(blanks, text.ptr[from]))
		from++;
	while (text.len > from && strchr(blanks, text.ptr[text.len - 1]))
		text.len--;
	if (from == text.len || !strchr("{[", text.ptr[from]))
		return false;
	return !is_all || strchr("}]", text.ptr[text.len - 1]);
}

static enum look look_at_text(struct tc_text text, bool is_all)
{
	static const char *const words[] = {"\"traceEvents\"", "\"ph\""};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (tc_text_contains(text, tc_text_from(words[i])))
			return LOOK_TRACE;
	return is_other_json(text, is_all) ? LOOK_OTHER : LOOK_TRACE;
}

static enum look look_at(struct tc_ctx *ctx, const char *path, char *head)
{
	struct tc_source *source = NULL;
	size_t total = 0, len = 1;
	struct stat file;

	if (stat(path, &file) == 0 && !S_ISREG(file.st_mode))
		return LOOK_SPECIAL;
	if (tc_source_open(&source, ctx, path) != TC_OK)
		return LOOK_TRACE;
	while (total < HEAD_BYTES && len > 0 &&
		tc_source_read(source, head + total, HEAD_BYTES - total, &len) == TC_OK)
		total += len;
	bool is_cut = tc_source_cut(source) || tc_ctx_status(ctx) != TC_OK;
	tc_source_close(source);
	return is_cut ? LOOK_TRACE : look_at_text((struct tc_text){head, total}, len == 0);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Adds the files of a directory that are called like traces, by name behind those that are there. */
static int list(struct tc_paths *found, const char *path)
{
	size_t before = found->count;
	DIR *directory = opendir(path);
	struct tc_buf name = TC_BUF_EMPTY;
	struct dirent *entry;
	int code = 0;

	if (!directory)
		return tc_cli_error(TC_EXIT_INPUT, "%s: cannot be read: %s%s", path,
			strerror(errno), tc_remedy(errno));
	while (code == 0 && (entry = readdir(directory))) {
		if (!has_trace_name(tc_text_from(entry->d_name)))
			continue;
		tc_buf_reset(&name);
		tc_buf_format(&name, "%s%s%s", path, path[strlen(path) - 1] == '/' ? "" : "/",
			entry->d_name);
		if (!is_directory(tc_buf_string(&name) ? tc_buf_string(&name) : "-"))
			code = add(found, tc_buf_string(&name));
	}
	tc_buf_clear(&name);
	closedir(directory);
	if (found->count - before > 1)
		qsort(found->items + before, found->count - before, sizeof(*found->items), by_name);
	return code;
}

/* What is no trace is named and left. What should be one and cannot be read is for the import, which
 * leaves it out and keeps the reason. */
static int add_if_trace(
	struct tc_paths *paths, const struct tc_cli *cli, const char *path, char *head)
{
	static const char *const reasons[] = {[LOOK_OTHER] = "it does not look like a trace",
		[LOOK_SPECIAL] = "it is no regular file"};
	struct tc_ctx *ctx = tc_ctx_new(); /* of its own: the failure is not the run's */

	if (!ctx)
		return no_memory();
	enum look look = look_at(ctx, path, head);
	tc_ctx_free(ctx);
	if (look == LOOK_TRACE)
		return add(paths, path);
	if (!cli->options->quiet)
		tc_cli_error(0, "%s: not read, %s", path, reasons[look]);
	return 0;
}

static int add_traces(
	struct tc_paths *paths, const struct tc_cli *cli, const struct tc_paths *found, char *head)
{
	int code = 0;

	for (size_t i = 0; i < found->count && code == 0; i++)
		code = add_if_trace(paths, cli, found->items[i], head);
	return code;
}

static int add_directory(struct tc_paths *paths, const struct tc_cli *cli, const char *path)
{
	struct tc_paths found = {0};
	char *head = tc_malloc(HEAD_BYTES);
	int code = head ? list(&found, path) : no_memory();

	if (code == 0)
		code = add_traces(paths, cli, &found, head);
	tc_free(head);
	tc_paths_clear(&found);
	return code;
}

/* Among other inputs a directory that gives nothing stands for itself: it is left out. */
static int add_argument(struct tc_paths *paths, const struct tc_cli *cli, const char *path)
{
	size_t before = paths->count;
	bool is_alone = cli->arg_count == 1 || cli->options->strict;

	if (!is_directory(path) || (!is_alone && !is_readable_directory(path)))
		return add(paths, path);
	int code = add_directory(paths, cli, path);
	if (code != 0 || paths->count > before)
		return code;
	if (!is_alone)
		return add(paths, path);
	return tc_cli_error(TC_EXIT_INPUT,
		"%s: a directory without traces: name traces, or a directory with .json, "
		".json.gz or .json.zst files in it",
		path);
}

int tc_paths_find(struct tc_paths *paths, const struct tc_cli *cli)
{
	int code = 0;

	*paths = (struct tc_paths){0};
	for (size_t i = 0; i < cli->arg_count && code == 0; i++)
		code = add_argument(paths, cli, cli->args[i]);
	return code;
}

int tc_paths_list(struct tc_paths *paths, const struct tc_cli *cli)
{
	int code = 0;

	*paths = (struct tc_paths){0};
	for (size_t i = 0; i < cli->arg_count && code == 0; i++)
		code = is_readable_directory(cli->args[i]) ? list(paths, cli->args[i])
							   : add(paths, cli->args[i]);
	return code;
}
