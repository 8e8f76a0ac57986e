/* See folder.h. */
#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracecoach/import.h"
#include "tracecoach/text.h"

static int no_memory(void)
{
	return tc_cli_error(TC_EXIT_INTERNAL, "out of memory");
}

/* Adds a copy of path; NULL is a failure, too. */
static int add(struct tc_strings *paths, const char *path)
{
	return path && tc_strings_add(paths, path) == 0 ? 0 : no_memory();
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

static bool has_trace_name(const char *name)
{
	static const char *const ends[] = {".json", ".json.gz", ".json.zst"};
	size_t len = strlen(name);

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		size_t end_len = strlen(ends[i]);
		if (len > end_len && strcmp(name + len - end_len, ends[i]) == 0)
			return true;
	}
	return false;
}

/* The path of a name in a directory; NULL when memory is out. The caller frees it. */
static char *join(const char *directory, const char *name)
{
	size_t len = strlen(directory), size = len + strlen(name) + 2;
	char *path = malloc(size);

	if (path)
		snprintf(path, size, "%s%s%s", directory,
			len > 0 && directory[len - 1] == '/' ? "" : "/", name);
	return path;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Adds the files of a directory that are called like traces, by name behind those that are there. */
static int list(struct tc_strings *found, const char *path)
{
	size_t before = found->count;
	DIR *directory = opendir(path);
	struct dirent *entry;
	int code = 0;

	if (!directory)
		return tc_cli_error(TC_EXIT_INPUT, "%s: cannot be read: %s%s", path,
			strerror(errno), tc_remedy(errno));
	while (code == 0 && (entry = readdir(directory))) {
		if (!has_trace_name(entry->d_name))
			continue;
		char *file = join(path, entry->d_name);
		if (!file || !is_directory(file))
			code = add(found, file);
		free(file);
	}
	closedir(directory);
	if (found->count - before > 1)
		qsort(found->items + before, found->count - before, sizeof(*found->items), by_name);
	return code;
}

/* What is no trace is named and left. What should be one and cannot be read is for the import, which
 * leaves it out and keeps the reason. */
static int add_if_trace(struct tc_strings *paths, const struct tc_cli *cli, const char *path)
{
	static const char *const reasons[] = {
		[TC_INPUT_OTHER] = "it does not look like a trace",
		[TC_INPUT_SPECIAL] = "it is not a regular file",
	};
	enum tc_input input;

	if (tc_import_probe(&input, cli->ctx, path) != TC_OK)
		return tc_cli_fail(cli, false);
	if (input == TC_INPUT_TRACE)
		return add(paths, path);
	if (!cli->options->quiet)
		tc_cli_error(0, "%s: not read, %s", path, reasons[input]);
	return 0;
}

static int add_directory(struct tc_strings *paths, const struct tc_cli *cli, const char *path)
{
	struct tc_strings found = {0};
	int code = list(&found, path);

	for (size_t i = 0; i < found.count && code == 0; i++)
		code = add_if_trace(paths, cli, found.items[i]);
	tc_strings_clear(&found);
	return code;
}

/* Among other inputs a directory that gives nothing stands for itself: it is left out. */
static int add_argument(struct tc_strings *paths, const struct tc_cli *cli, const char *path)
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

/* One of the paths, by the file it leads to. */
struct identity {
	dev_t device;
	ino_t number;
	size_t index;
	bool again; /* an earlier path leads to the same file */
	size_t first;
};

static int by_file(const void *a, const void *b)
{
	const struct identity *x = a, *y = b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static int by_index(const void *a, const void *b)
{
	const struct identity *x = a, *y = b;

	return x->index < y->index ? -1 : x->index > y->index;
}

/* Lists the regular files among the paths; returns how many. */
static size_t identify(struct identity *files, const struct tc_strings *paths)
{
	size_t count = 0;
	struct stat file;

	for (size_t i = 0; i < paths->count; i++) {
		if (strcmp(paths->items[i], "-") != 0 && stat(paths->items[i], &file) == 0 &&
			S_ISREG(file.st_mode))
			files[count++] = (struct identity){.device = file.st_dev,
				.number = file.st_ino,
				.index = i,
				.first = i};
	}
	qsort(files, count, sizeof(*files), by_file);
	for (size_t i = 1; i < count; i++) {
		files[i].again = files[i].device == files[i - 1].device &&
				 files[i].number == files[i - 1].number;
		if (files[i].again)
			files[i].first = files[i - 1].first;
	}
	qsort(files, count, sizeof(*files), by_index);
	return count;
}

/* A file that is read twice would be two ranks that do the same, and no job has those. */
static int drop_repeats(struct tc_strings *paths)
{
	struct identity *files = calloc(paths->count ? paths->count : 1, sizeof(*files));
	size_t count = files ? identify(files, paths) : 0, kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (!files[i].again)
			continue;
		char **path = &paths->items[files[i].index];
		tc_cli_error(0, "%s: given twice, it is the same file as %s: read once", *path,
			paths->items[files[i].first]);
		free(*path);
		*path = NULL;
	}
	for (size_t i = 0; i < paths->count; i++)
		if (paths->items[i])
			paths->items[kept++] = paths->items[i];
	paths->count = kept;
	int code = files ? 0 : no_memory();
	free(files);
	return code;
}

int tc_paths_find(struct tc_strings *paths, const struct tc_cli *cli)
{
	int code = 0;

	*paths = (struct tc_strings){0};
	for (size_t i = 0; i < cli->arg_count && code == 0; i++)
		code = add_argument(paths, cli, cli->args[i]);
	return code == 0 ? drop_repeats(paths) : code;
}

int tc_paths_list(struct tc_strings *paths, const struct tc_cli *cli)
{
	int code = 0;

	*paths = (struct tc_strings){0};
	for (size_t i = 0; i < cli->arg_count && code == 0; i++)
		code = is_readable_directory(cli->args[i]) ? list(paths, cli->args[i])
							   : add(paths, cli->args[i]);
	return code;
}
