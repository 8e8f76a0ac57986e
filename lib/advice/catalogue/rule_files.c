#include "advice/catalogue/header.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/array.h"
#include "core/buf.h"
#include "core/limits.h"
#include "core/files/reads.h"
#include "core/files/remedy.h"

/* The .sql files of a directory, as paths. */
struct paths {
	const char **paths; /* of the arena, with the texts */
	size_t count, capacity;
};

static bool is_rule_name(const char *name)
{
	size_t len = strlen(name);

	return name[0] != '.' && len > 4 && strcmp(name + len - 4, ".sql") == 0;
}

static enum tc_status add_path(struct paths *paths, struct tc_ctx *ctx, struct tc_arena *arena,
	const char *directory, const char *name)
{
	size_t len = strlen(directory);
	struct tc_buf path = TC_BUF_EMPTY;

	if (paths->count == TC_RULE_MAX_COUNT)
		return tc_fail(ctx, TC_ERR_USAGE,
			"%s: more than %d .sql files: name a directory of rules only", directory,
			TC_RULE_MAX_COUNT);
	tc_buf_format(
		&path, "%s%s%s", directory, len && directory[len - 1] == '/' ? "" : "/", name);
	const char *copy = tc_arena_keep(arena, &path);
	if (!copy || !TC_ARENA_GROW(arena, paths->paths, paths->capacity, paths->count + 1))
		return tc_no_memory(ctx);
	paths->paths[paths->count++] = copy;
	return TC_OK;
}

static enum tc_status list_paths(
	struct paths *paths, struct tc_ctx *ctx, struct tc_arena *arena, const char *directory)
{
	enum tc_status status = TC_OK;
	DIR *dir = opendir(directory);
	struct dirent *entry;

	if (!dir)
		return tc_fail(ctx, TC_ERR_USAGE, "cannot read the rules in %s: %s%s", directory,
			strerror(errno), tc_remedy(errno, TC_TO_READ));
	while (status == TC_OK && (entry = readdir(dir)))
		if (is_rule_name(entry->d_name))
			status = add_path(paths, ctx, arena, directory, entry->d_name);
	closedir(dir);
	if (status == TC_OK && paths->count == 0)
		status = tc_fail(ctx, TC_ERR_USAGE,
			"%s: no .sql file in it: a rule is one such file (docs/user-rules.md)",
			directory);
	if (status == TC_OK)
		TC_SORT(paths->paths, paths->count, tc_by_string);
	return status;
}

static enum tc_status read_file(struct tc_buf *out, struct tc_ctx *ctx, const char *path)
{
	struct stat info;
	int fd = tc_reads_open(ctx, path);
	enum tc_status status = TC_OK;

	if (fd < 0 || fstat(fd, &info) != 0)
		status = tc_fail(ctx, errno == ENOMEM ? TC_ERR_NOMEM : TC_ERR_USAGE,
			"cannot read the rule %s: %s", path, strerror(errno));
	else if (!S_ISREG(info.st_mode))
		status = tc_fail(ctx, TC_ERR_USAGE, "%s: not a regular file: remove it", path);
	else
		return tc_reads_all(out, ctx, fd, TC_RULE_MAX_FILE_BYTES, "the rule", path);
	if (fd >= 0)
		close(fd);
	return status;
}

static enum tc_status read_one(
	struct tc_ctx *ctx, const char *path, tc_rule_take_fn take, void *user)
{
	struct tc_buf text = TC_BUF_EMPTY;
	enum tc_status status = read_file(&text, ctx, path);

	if (status == TC_OK)
		status = take(user, path, tc_buf_text(&text));
	tc_buf_clear(&text);
	return status;
}

enum tc_status tc_rule_files_read(struct tc_ctx *ctx, struct tc_arena *arena, const char *directory,
	tc_rule_take_fn take, void *user)
{
	struct paths paths = {0};
	enum tc_status status = list_paths(&paths, ctx, arena, directory);

	for (size_t i = 0; i < paths.count && status == TC_OK; i++)
		status = read_one(ctx, paths.paths[i], take, user);
	return status;
}
