#include "advice/settings/fixes.h"

#include "core/collections/arena.h"
#include "advice/settings/settings.h"
#include "core/alloc.h"
#include "core/buf.h"

struct fixes {
	struct tc_fixes fixes; /* first: tc_advice_fixes_free() gets its address */
	struct tc_arena arena; /* owner of the items and their texts */
	size_t capacity;
};

/* The edits of a heuristic, with the values of its parameters. */
struct edits {
	struct tc_ctx *ctx;
	const struct tc_heuristic *heuristic;
	const double *values;
	struct tc_arena *arena;
};

static const char *keep(void *user, struct tc_text text)
{
	return tc_arena_dup(user, text);
}

/* The number of a parameter that an edit names as ":NAME"; a share in percent is one of 1. */
static enum tc_status find_factor(double *out, const struct edits *edits, struct tc_text word)
{
	const struct tc_heuristic *heuristic = edits->heuristic;

	for (size_t i = 0; heuristic->params[i].name; i++) {
		const struct tc_param *param = &heuristic->params[i];
		if (word.ptr[0] != ':' || !tc_text_equal(tc_text_from(param->name),
						  (struct tc_text){word.ptr + 1, word.len - 1}))
			continue;
		*out = strcmp(param->unit, "pct") == 0 ? edits->values[i] / 100 : edits->values[i];
		return TC_OK;
	}
	return tc_fail(edits->ctx, TC_ERR_USAGE, "%s: its edit names no parameter of it: '%.*s'",
		heuristic->id, (int)word.len, word.ptr);
}

/* One edit, as text and as clauses. */
static enum tc_status take_edit(
	struct tc_edit *edit, struct tc_buf *text, const struct edits *edits, const char *line)
{
	struct tc_ctx *ctx = edits->ctx;
	const struct tc_text whole = tc_text_from(line);
	double factor = 0;
	enum tc_status status = tc_edit_parse(edit, ctx, whole, keep, edits->arena);

	if (status)
		return status;
	tc_buf_append_string(text, text->len > 0 ? "; " : "");
	if (edit->factor.len == 0) {
		tc_buf_append_text(text, whole);
		return TC_OK;
	}
	status = find_factor(&factor, edits, edit->factor);
	if (status)
		return status;
	size_t before = (size_t)(edit->factor.ptr - line);
	const char *after = edit->factor.ptr + edit->factor.len;
	tc_buf_append_text(text, (struct tc_text){line, before});
	tc_buf_format(text, "%.10g%s", factor, after);
	tc_edit_set_factor(edit, factor < 0 ? 0 : factor > 1 ? 1 : factor);
	return TC_OK;
}

static enum tc_status add_clauses(
	struct tc_fixes *fixes, struct tc_fix *fix, struct tc_ctx *ctx, const struct tc_edit *edit)
{
	for (size_t i = 0; i < edit->clause_count; i++) {
		if (fixes->clause_count == TC_CLAUSE_MAX)
			return tc_fail(ctx, TC_ERR_LIMIT,
				"more than %d edits: leave rules out with --skip", TC_CLAUSE_MAX);
		fixes->clauses[fixes->clause_count] = edit->clauses[i];
		tc_clause_set_add(&fix->clauses, fixes->clause_count++);
	}
	return TC_OK;
}

/* Reads the edits of a heuristic. */
static enum tc_status read_edits(struct fixes *fixes, struct tc_fix *fix, struct tc_buf *text,
	struct tc_ctx *ctx, const struct tc_settings *settings, size_t index)
{
	const struct edits edits = {.ctx = ctx,
		.heuristic = tc_catalogue_at(settings->catalogue, index),
		.values = tc_params_of(&settings->params, index),
		.arena = &fixes->arena};
	enum tc_status status = TC_OK;

	for (size_t i = 0; edits.heuristic->edits[i] && !status; i++) {
		struct tc_edit edit;
		status = take_edit(&edit, text, &edits, edits.heuristic->edits[i]);
		if (!status)
			status = add_clauses(&fixes->fixes, fix, ctx, &edit);
	}
	return status ? status : tc_buf_failed(text) ? tc_no_memory(ctx) : TC_OK;
}

static enum tc_status add_fix(
	struct fixes *fixes, struct tc_ctx *ctx, const struct tc_settings *settings, size_t index)
{
	struct tc_buf text = TC_BUF_EMPTY;
	struct tc_fix fix = {.id = tc_catalogue_at(settings->catalogue, index)->id};
	enum tc_status status = read_edits(fixes, &fix, &text, ctx, settings, index);

	if (status || text.len == 0) {
		tc_buf_clear(&text);
		return status;
	}
	fix.edit = tc_arena_keep(&fixes->arena, &text);
	if (!fix.edit || !TC_ARENA_GROW(&fixes->arena, fixes->fixes.items, fixes->capacity,
				 fixes->fixes.count + 1))
		return tc_no_memory(ctx);
	fixes->fixes.items[fixes->fixes.count++] = fix;
	return TC_OK;
}

enum tc_status tc_advice_fixes_new(
	struct tc_fixes **out, struct tc_ctx *ctx, const struct tc_settings *settings)
{
	struct fixes *fixes = tc_calloc(1, sizeof(*fixes));
	enum tc_status status = TC_OK;

	if (!fixes)
		return tc_no_memory(ctx);
	for (size_t i = 0; i < tc_catalogue_count(settings->catalogue) && !status; i++)
		if (!tc_settings_off(settings, i))
			status = add_fix(fixes, ctx, settings, i);
	if (status)
		tc_advice_fixes_free(&fixes->fixes);
	else
		*out = &fixes->fixes;
	return status;
}

void tc_advice_fixes_free(struct tc_fixes *handed_out)
{
	struct fixes *fixes = (struct fixes *)(void *)handed_out;

	if (!fixes)
		return;
	tc_arena_clear(&fixes->arena);
	tc_free(fixes);
}
