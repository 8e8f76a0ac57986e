/*
 * Reads all heuristics: those embedded by the build, in their order, then the files of a directory
 * of rules. All rules are read and checked before any trace is: a fault must not show only after an
 * hour.
 */
#include "advice/catalogue/catalogue.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/array.h"
#include "core/buf.h"
#include "core/embedded.h"
#include "core/files/files.h"
#include "core/files/reads.h"
#include "core/limits.h"
#include "tracecoach/text.h"

/* heuristics/ID.sql and docs/heuristics/ID.md, made by the build. */
extern const struct tc_embedded tc_heuristic_texts[], tc_heuristic_pages[];

static const struct tc_heuristic *find(const struct tc_catalogue *catalogue, const char *id)
{
	size_t at = tc_catalogue_find(catalogue, id);

	return at < catalogue->count ? tc_catalogue_at(catalogue, at) : NULL;
}

/* An id names one thing, whoever reads the report. */
static void check_id(
	const struct tc_catalogue *catalogue, struct tc_ctx *ctx, const struct tc_heuristic *rule)
{
	const struct tc_heuristic *other = find(catalogue, rule->id);

	if (other)
		tc_fail(ctx, TC_ERR_USAGE, "%s: the id %s belongs to %s: give the rule another",
			rule->file, rule->id,
			other->file ? other->file : "a heuristic of tracecoach");
}

/* A rule may be a special case of a built-in heuristic. */
static void check_part_of(
	const struct tc_catalogue *catalogue, struct tc_ctx *ctx, const struct tc_heuristic *rule)
{
	for (const char *const *id = rule->part_of; *id && !tc_ctx_failed(ctx); id++)
		if (!find(catalogue, *id))
			tc_fail(ctx, TC_ERR_USAGE,
				"%s: part-of %s: no such heuristic: 'tracecoach heuristics' lists "
				"them",
				rule->file, *id);
}

static const char *page_of(const char *id)
{
	for (const struct tc_embedded *page = tc_heuristic_pages; page->name; page++)
		if (strcmp(page->name, id) == 0)
			return page->text;
	return NULL;
}

static void add(struct tc_catalogue *catalogue, struct tc_ctx *ctx,
	const struct tc_heuristic_source *source)
{
	struct tc_heuristic_file *file = tc_arena_take(&catalogue->arena, 1, sizeof(*file));

	if (!file || !TC_ARENA_GROW(&catalogue->arena, catalogue->files, catalogue->capacity,
			     catalogue->count + 1))
		return;
	tc_heuristic_file_parse(file, &catalogue->arena, source);
	if (tc_ctx_failed(ctx))
		return;
	if (source->is_rule) {
		check_id(catalogue, ctx, &file->heuristic);
		check_part_of(catalogue, ctx, &file->heuristic);
	} else {
		file->heuristic.page = page_of(file->heuristic.id);
	}
	catalogue->files[catalogue->count++] = file;
}

TC_ORDER_OF_POINTERS(by_order, struct tc_heuristic_file, TC_UP(order) TC_UP_STRING(heuristic.id));

static void add_built_in(struct tc_catalogue *catalogue, struct tc_ctx *ctx)
{
	struct tc_buf path = {.ctx = ctx};

	for (const struct tc_embedded *it = tc_heuristic_texts; it->name && !tc_ctx_failed(ctx);
		it++) {
		tc_buf_reset(&path);
		tc_buf_format(&path, "heuristics/%s.sql", it->name);
		const char *name = tc_buf_string(&path);
		if (name)
			add(catalogue, ctx,
				&(struct tc_heuristic_source){
					.path = name, .text = {it->text, it->len}});
	}
	tc_buf_clear(&path);
	if (!tc_ctx_failed(ctx))
		TC_SORT(catalogue->files, catalogue->count, by_order);
	catalogue->built_in_count = catalogue->count;
}

/* ---- rules */

/* The .sql files of a directory. */
struct paths {
	const char **items; /* of the arena, with the texts */
	size_t count, capacity;
};

static bool is_rule_name(const char *name)
{
	size_t len = strlen(name);

	return name[0] != '.' && len > 4 && strcmp(name + len - 4, ".sql") == 0;
}

static void add_path(
	struct paths *paths, struct tc_arena *arena, const char *directory, const char *name)
{
	size_t len = strlen(directory);
	struct tc_buf path = {.ctx = arena->ctx};

	if (paths->count == TC_RULE_MAX_COUNT) {
		tc_fail(arena->ctx, TC_ERR_USAGE,
			"%s: more than %d .sql files: name a directory of rules only", directory,
			TC_RULE_MAX_COUNT);
		return;
	}
	tc_buf_format(
		&path, "%s%s%s", directory, len && directory[len - 1] == '/' ? "" : "/", name);
	const char *copy = tc_arena_keep(arena, &path);
	if (TC_ARENA_GROW(arena, paths->items, paths->capacity, paths->count + 1))
		paths->items[paths->count++] = copy;
}

/* In the order of their names. TC_ERR_USAGE for a directory that cannot be read or has none. */
static void list_paths(struct paths *paths, struct tc_arena *arena, const char *directory)
{
	struct tc_ctx *ctx = arena->ctx;
	DIR *dir = opendir(directory);
	struct dirent *entry;

	if (!dir) {
		tc_fail(ctx, TC_ERR_USAGE, "cannot read the rules in %s: %s%s", directory,
			strerror(errno), tc_remedy(errno, TC_TO_READ));
		return;
	}
	while (!tc_ctx_failed(ctx) && (entry = readdir(dir)))
		if (is_rule_name(entry->d_name))
			add_path(paths, arena, directory, entry->d_name);
	closedir(dir);
	if (tc_ctx_failed(ctx))
		return;
	if (paths->count == 0)
		tc_fail(ctx, TC_ERR_USAGE,
			"%s: no .sql file in it: a rule is one such file (docs/user-rules.md)",
			directory);
	TC_SORT(paths->items, paths->count, tc_by_string);
}

static void read_file(struct tc_buf *out, struct tc_ctx *ctx, const char *path)
{
	struct stat info;
	int fd = tc_reads_open(ctx, path);

	if (fd < 0 || fstat(fd, &info) != 0) {
		tc_fail(ctx, errno == ENOMEM ? TC_ERR_NOMEM : TC_ERR_USAGE,
			"cannot read the rule %s: %s", path, strerror(errno));
	} else if (!S_ISREG(info.st_mode)) {
		tc_fail(ctx, TC_ERR_USAGE, "%s: not a regular file: remove it", path);
	} else {
		tc_reads_all(out, ctx, fd, TC_RULE_MAX_FILE_BYTES, "the rule", path);
		return;
	}
	if (fd >= 0)
		close(fd);
}

static void add_rules(struct tc_catalogue *catalogue, struct tc_ctx *ctx, const char *directory)
{
	struct paths paths = {0};
	struct tc_buf text = {.ctx = ctx};

	list_paths(&paths, &catalogue->arena, directory);
	for (size_t i = 0; i < paths.count && !tc_ctx_failed(ctx); i++) {
		tc_buf_reset(&text);
		read_file(&text, ctx, paths.items[i]);
		if (!tc_ctx_failed(ctx))
			add(catalogue, ctx,
				&(struct tc_heuristic_source){
					paths.items[i], tc_buf_text(&text), true});
	}
	tc_buf_clear(&text);
}

/* ---- the catalogue */

struct tc_catalogue *tc_catalogue_new(struct tc_ctx *ctx, const char *rules_directory)
{
	struct tc_catalogue *catalogue = tc_new(ctx, 1, sizeof(*catalogue));

	if (!catalogue)
		return NULL;
	catalogue->arena.ctx = ctx;
	add_built_in(catalogue, ctx);
	if (rules_directory && !tc_ctx_failed(ctx))
		add_rules(catalogue, ctx, rules_directory);
	if (rules_directory && !tc_ctx_failed(ctx))
		tc_catalogue_check(catalogue, ctx);
	catalogue->arena.ctx = NULL; /* it may outlive the context */
	if (!tc_ctx_failed(ctx))
		return catalogue;
	tc_catalogue_free(catalogue);
	return NULL;
}

void tc_catalogue_free(struct tc_catalogue *catalogue)
{
	if (!catalogue)
		return;
	tc_arena_clear(&catalogue->arena);
	tc_free(catalogue);
}

size_t tc_catalogue_count(const struct tc_catalogue *catalogue)
{
	return catalogue->count;
}

const struct tc_heuristic *tc_catalogue_at(const struct tc_catalogue *catalogue, size_t index)
{
	return &catalogue->files[index]->heuristic;
}

int tc_param_find(const struct tc_heuristic *heuristic, const char *name)
{
	for (int i = 0; heuristic->params[i].name; i++)
		if (strcmp(heuristic->params[i].name, name) == 0)
			return i;
	return -1;
}

size_t tc_catalogue_find(const struct tc_catalogue *catalogue, const char *id)
{
	size_t at = 0;

	while (at < catalogue->count && strcmp(tc_catalogue_at(catalogue, at)->id, id) != 0)
		at++;
	return at;
}

void tc_catalogue_fail(const struct tc_catalogue *catalogue, struct tc_ctx *ctx, const char *id)
{
	const char **names = tc_new(ctx, catalogue->count, sizeof(*names));

	if (!names)
		return;
	for (size_t i = 0; i < catalogue->count; i++)
		names[i] = tc_catalogue_at(catalogue, i)->id;
	const char *near = tc_nearest(id, names, catalogue->count);
	if (near)
		tc_fail(ctx, TC_ERR_USAGE, "%s: no such heuristic: did you mean '%s'?", id, near);
	else
		tc_fail(ctx, TC_ERR_USAGE,
			"%s: no such heuristic: 'tracecoach heuristics' lists them",
			*id ? id : "(an empty name)");
	tc_free(names);
}
