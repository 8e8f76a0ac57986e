/*
 * A directory of rules; see tracecoach/rules.h. All files are read and checked before any trace
 * is: a fault in a rule must not show only after an hour of reading.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "advice/rule.h"
#include "core/alloc.h"
#include "core/buf.h"
#include "core/limits.h"

/* The .sql files of a directory, as paths. */
struct paths {
	const char **paths; /* texts of the box */
	size_t count, capacity;
};

static enum tc_status out_of_memory(struct tc_ctx *ctx)
{
	return tc_fail(ctx, TC_ERR_NOMEM, "out of memory");
}

static bool is_rule_name(const char *name)
{
	size_t len = strlen(name);

	return name[0] != '.' && len > 4 && strcmp(name + len - 4, ".sql") == 0;
}

static enum tc_status add_path(struct paths *paths, struct tc_ctx *ctx, struct tc_box *box,
	const char *directory, const char *name)
{
	size_t len = strlen(directory);
	struct tc_buf path = TC_BUF_EMPTY;
	void *array = paths->paths;

	if (paths->count == TC_RULE_MAX_COUNT)
		return tc_fail(ctx, TC_ERR_USAGE,
			"%s: more than %d .sql files: name a directory of rules only", directory,
			TC_RULE_MAX_COUNT);
	tc_buf_format(
		&path, "%s%s%s", directory, len && directory[len - 1] == '/' ? "" : "/", name);
	const char *copy = tc_buf_failed(&path) ? NULL : tc_box_dup(box, tc_buf_text(&path));
	tc_buf_clear(&path);
	if (!copy || tc_reserve(&array, &paths->capacity, paths->count + 1, sizeof(copy)))
		return out_of_memory(ctx);
	paths->paths = array;
	paths->paths[paths->count++] = copy;
	return TC_OK;
}

static int compare_paths(const void *left, const void *right)
{
	const char *const *a = left;
	const char *const *b = right;

	return strcmp(*a, *b);
}

static enum tc_status list_paths(
	struct paths *paths, struct tc_ctx *ctx, struct tc_box *box, const char *directory)
{
	enum tc_status status = TC_OK;
	DIR *dir = opendir(directory);
	struct dirent *entry;

	if (!dir)
		return tc_fail(ctx, TC_ERR_USAGE, "cannot read the rules in %s: %s", directory,
			strerror(errno));
	while (status == TC_OK && (entry = readdir(dir)))
		if (is_rule_name(entry->d_name))
			status = add_path(paths, ctx, box, directory, entry->d_name);
	closedir(dir);
	if (status == TC_OK && paths->count == 0)
		status = tc_fail(ctx, TC_ERR_USAGE,
			"%s: no .sql file in it: a rule is one such file (docs/user-rules.md)",
			directory);
	if (status == TC_OK)
		qsort(paths->paths, paths->count, sizeof(*paths->paths), compare_paths);
	return status;
}

/* Up to one byte more than a rule may have, so that too many are seen. */
static enum tc_status read_bytes(struct tc_buf *out, struct tc_ctx *ctx, const char *path, int fd)
{
	ssize_t got = 1;

	while (got > 0 && out->len <= TC_RULE_MAX_FILE_BYTES) {
		char *at = tc_buf_extend(out, 4096);
		if (!at)
			return out_of_memory(ctx);
		got = read(fd, at, 4096);
		out->len -= (size_t)(got > 0 ? 4096 - got : 4096);
		if (got < 0 && errno == EINTR)
			got = 1;
	}
	if (got < 0)
		return tc_fail(
			ctx, TC_ERR_USAGE, "cannot read the rule %s: %s", path, strerror(errno));
	return TC_OK;
}

static enum tc_status read_file(struct tc_buf *out, struct tc_ctx *ctx, const char *path)
{
	struct stat info;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	enum tc_status status = TC_OK;

	if (fd < 0 || fstat(fd, &info) != 0)
		status = tc_fail(
			ctx, TC_ERR_USAGE, "cannot read the rule %s: %s", path, strerror(errno));
	else if (!S_ISREG(info.st_mode))
		status = tc_fail(ctx, TC_ERR_USAGE, "%s: no regular file: take it out", path);
	else
		status = read_bytes(out, ctx, path, fd);
	if (fd >= 0)
		close(fd);
	return status;
}

/* An id names one thing, whoever reads the report. */
static enum tc_status check_id(
	const struct tc_rules *rules, struct tc_ctx *ctx, const struct tc_heuristic *heuristic)
{
	size_t index = tc_catalogue_find(rules, heuristic->id);

	if (index == tc_catalogue_count(rules))
		return TC_OK;
	const char *file = tc_catalogue_at(rules, index)->file;
	return tc_fail(ctx, TC_ERR_USAGE, "%s: the id %s is that of %s: give the rule another",
		heuristic->file, heuristic->id, file ? file : "a heuristic of tracecoach");
}

static enum tc_status add_rule(struct tc_rules *rules, struct tc_ctx *ctx, const char *path)
{
	struct tc_rule *rule = tc_calloc(1, sizeof(*rule));
	struct tc_buf text = TC_BUF_EMPTY;
	void *array = rules->rules;
	enum tc_status status = TC_OK;

	if (!rule || tc_reserve(&array, &rules->capacity, rules->count + 1, sizeof(rule)))
		status = out_of_memory(ctx);
	rules->rules = array;
	if (status == TC_OK)
		status = read_file(&text, ctx, path);
	if (status == TC_OK)
		status = tc_rule_parse(rule, ctx, rules->box, path, tc_buf_text(&text));
	if (status == TC_OK)
		status = check_id(rules, ctx, &rule->heuristic);
	tc_buf_clear(&text);
	if (status == TC_OK) {
		rules->rules[rules->count++] = rule;
	} else if (rule) {
		tc_rule_clear(rule);
		tc_free(rule);
	}
	return status;
}

static enum tc_status load(struct tc_rules *rules, struct tc_ctx *ctx, const char *directory)
{
	struct paths paths = {0};
	enum tc_status status = list_paths(&paths, ctx, rules->box, directory);

	for (size_t i = 0; i < paths.count && status == TC_OK; i++)
		status = add_rule(rules, ctx, paths.paths[i]);
	tc_free(paths.paths);
	return status == TC_OK ? tc_rules_check(rules, ctx) : status;
}

enum tc_status tc_rules_load(struct tc_rules **out, struct tc_ctx *ctx, const char *directory)
{
	struct tc_rules *rules = tc_calloc(1, sizeof(*rules));
	enum tc_status status;

	if (rules)
		rules->box = tc_box_new();
	status = rules && rules->box ? load(rules, ctx, directory) : out_of_memory(ctx);
	if (status == TC_OK)
		*out = rules;
	else
		tc_rules_free(rules);
	return status;
}

void tc_rules_free(struct tc_rules *rules)
{
	if (!rules)
		return;
	for (size_t i = 0; i < rules->count; i++) {
		tc_rule_clear(rules->rules[i]);
		tc_free(rules->rules[i]);
	}
	tc_free(rules->rules);
	tc_advice_free(rules->box ? &rules->box->advice : NULL);
	tc_free(rules);
}
