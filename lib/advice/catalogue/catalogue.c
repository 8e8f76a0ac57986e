#include "advice/catalogue/catalogue.h"

#include <string.h>

#include "advice/catalogue/header.h"
#include "core/alloc.h"
#include "core/array.h"
#include "core/buf.h"
#include "core/embedded.h"
#include "tracecoach/text.h"

/* heuristics/ID.sql and docs/heuristics/ID.md, made by the build. */
extern const struct tc_embedded tc_heuristic_texts[], tc_heuristic_pages[];

/* A catalogue that is being filled. */
struct filling {
	struct tc_catalogue *catalogue;
	struct tc_ctx *ctx;
};

static const struct tc_heuristic *find(const struct tc_catalogue *catalogue, const char *id)
{
	size_t at = tc_catalogue_find(catalogue, id);

	return at < catalogue->count ? tc_catalogue_at(catalogue, at) : NULL;
}

/* An id names one thing, whoever reads the report. */
static enum tc_status check_id(const struct filling *filling, const struct tc_heuristic *added)
{
	const struct tc_heuristic *other = find(filling->catalogue, added->id);

	if (!other)
		return TC_OK;
	return tc_fail(filling->ctx, TC_ERR_USAGE,
		"%s: the id %s belongs to %s: give the rule another", added->file, added->id,
		other->file ? other->file : "a heuristic of tracecoach");
}

/* A rule may be a special case of a built-in heuristic. */
static enum tc_status check_part_of(const struct filling *filling, const struct tc_heuristic *rule)
{
	for (const char *const *id = rule->part_of; *id; id++)
		if (!find(filling->catalogue, *id))
			return tc_fail(filling->ctx, TC_ERR_USAGE,
				"%s: part-of %s: no such heuristic: 'tracecoach heuristics' lists "
				"them",
				rule->file, *id);
	return TC_OK;
}

static const char *page_of(const char *id)
{
	for (const struct tc_embedded *page = tc_heuristic_pages; page->name; page++)
		if (strcmp(page->name, id) == 0)
			return page->text;
	return NULL;
}

static enum tc_status add(const struct filling *filling, const struct tc_heuristic_source *source)
{
	struct tc_catalogue *catalogue = filling->catalogue;
	struct tc_heuristic_file *file = tc_arena_take(&catalogue->arena, 1, sizeof(*file));

	if (!file || !TC_ARENA_GROW(&catalogue->arena, catalogue->files, catalogue->capacity,
			     catalogue->count + 1))
		return tc_no_memory(filling->ctx);
	enum tc_status status =
		tc_heuristic_file_parse(file, filling->ctx, &catalogue->arena, source);
	if (status == TC_OK && !source->is_rule)
		file->heuristic.page = page_of(file->heuristic.id);
	if (status == TC_OK && source->is_rule)
		status = check_id(filling, &file->heuristic);
	if (status == TC_OK && source->is_rule)
		status = check_part_of(filling, &file->heuristic);
	if (status == TC_OK)
		catalogue->files[catalogue->count++] = file;
	return status;
}

TC_ORDER_OF_POINTERS(by_order, struct tc_heuristic_file, TC_UP(order) TC_UP_STRING(heuristic.id));

static enum tc_status add_text(const struct filling *filling, const struct tc_embedded *file)
{
	struct tc_buf path = TC_BUF_EMPTY;

	tc_buf_format(&path, "heuristics/%s.sql", file->name);
	const char *name = tc_buf_string(&path);
	enum tc_status status = name ? add(filling, &(struct tc_heuristic_source){.path = name,
							    .text = {file->text, file->len}})
				     : tc_no_memory(filling->ctx);
	tc_buf_clear(&path);
	return status;
}

static enum tc_status add_built_in(const struct filling *filling)
{
	struct tc_catalogue *catalogue = filling->catalogue;
	enum tc_status status = TC_OK;

	for (const struct tc_embedded *it = tc_heuristic_texts; it->name && status == TC_OK; it++)
		status = add_text(filling, it);
	if (status == TC_OK)
		TC_SORT(catalogue->files, catalogue->count, by_order);
	catalogue->built_in_count = catalogue->count;
	return status;
}

static enum tc_status add_rule(void *user, const char *path, struct tc_text text)
{
	return add(user, &(struct tc_heuristic_source){path, text, true});
}

/* All rules are read and checked before any trace is: a fault must not show only after an hour. */
static enum tc_status fill(struct filling *filling, const char *rules_directory)
{
	enum tc_status status = add_built_in(filling);

	if (status == TC_OK && rules_directory)
		status = tc_rule_files_read(filling->ctx, &filling->catalogue->arena,
			rules_directory, add_rule, filling);
	if (status == TC_OK && rules_directory)
		status = tc_catalogue_check(filling->catalogue, filling->ctx);
	return status;
}

enum tc_status tc_catalogue_new(
	struct tc_catalogue **out, struct tc_ctx *ctx, const char *rules_directory)
{
	struct tc_catalogue *catalogue = tc_calloc(1, sizeof(*catalogue));
	struct filling filling = {catalogue, ctx};

	enum tc_status status = catalogue ? fill(&filling, rules_directory) : tc_no_memory(ctx);
	if (status == TC_OK)
		*out = catalogue;
	else
		tc_catalogue_free(catalogue);
	return status;
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

enum tc_status tc_catalogue_fail(
	const struct tc_catalogue *catalogue, struct tc_ctx *ctx, const char *id)
{
	const char **names = tc_calloc(catalogue->count, sizeof(*names));
	enum tc_status status;

	if (!names)
		return tc_no_memory(ctx);
	for (size_t i = 0; i < catalogue->count; i++)
		names[i] = tc_catalogue_at(catalogue, i)->id;
	const char *near = tc_nearest(id, names, catalogue->count);
	if (near)
		status = tc_fail(
			ctx, TC_ERR_USAGE, "%s: no such heuristic: did you mean '%s'?", id, near);
	else
		status = tc_fail(ctx, TC_ERR_USAGE,
			"%s: no such heuristic: 'tracecoach heuristics' lists them", id);
	tc_free(names);
	return status;
}
