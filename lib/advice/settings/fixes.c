/*
 * The fixes of a run: the edits of each heuristic as text and as clauses, with the values of its
 * parameters in place of their names. Example: "slower :factor_pct" with 50 percent is "0.5".
 */
#include "advice/settings/fixes.h"

#include "advice/settings/settings.h"
#include "core/alloc.h"
#include "core/buf.h"
#include "core/collections/arena.h"

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

/* The value of a parameter that an edit names as ":NAME"; a share in percent becomes one of 1. */
static double find_factor(const struct edits *edits, struct tc_text word)
{
	const struct tc_heuristic *heuristic = edits->heuristic;

	for (size_t i = 0; heuristic->params[i].name; i++) {
		const struct tc_param *param = &heuristic->params[i];
		if (word.ptr[0] != ':' || !tc_text_equal(tc_text_from(param->name),
						  (struct tc_text){word.ptr + 1, word.len - 1}))
			continue;
		return strcmp(param->unit, "pct") == 0 ? edits->values[i] / 100 : edits->values[i];
	}
	tc_fail(edits->ctx, TC_ERR_USAGE, "%s: its edit names no parameter of it: '%.*s'",
		heuristic->id, (int)word.len, word.ptr);
	return 0;
}

/* One edit, as text and as clauses. */
static void take_edit(
	struct tc_edit *edit, struct tc_buf *text, const struct edits *edits, const char *line)
{
	const struct tc_text whole = tc_text_from(line);

	tc_edit_parse(edit, edits->ctx, whole, keep, edits->arena);
	if (tc_ctx_failed(edits->ctx))
		return;
	tc_buf_append_string(text, text->len > 0 ? "; " : "");
	if (edit->factor.len == 0) {
		tc_buf_append_text(text, whole);
		return;
	}
	double factor = find_factor(edits, edit->factor);
	size_t before = (size_t)(edit->factor.ptr - line);
	const char *after = edit->factor.ptr + edit->factor.len;
	tc_buf_append_text(text, (struct tc_text){line, before});
	tc_buf_format(text, "%.10g%s", factor, after);
	tc_edit_set_factor(edit, factor < 0 ? 0 : factor > 1 ? 1 : factor);
}

static void add_clauses(
	struct tc_fixes *fixes, struct tc_fix *fix, struct tc_ctx *ctx, const struct tc_edit *edit)
{
	for (size_t i = 0; i < edit->clause_count && !tc_ctx_failed(ctx); i++) {
		if (fixes->clause_count == TC_CLAUSE_MAX) {
			tc_fail(ctx, TC_ERR_LIMIT,
				"more than %d edits: leave rules out with --skip", TC_CLAUSE_MAX);
			return;
		}
		fixes->clauses[fixes->clause_count] = edit->clauses[i];
		tc_clause_set_add(&fix->clauses, fixes->clause_count++);
	}
}

/* Adds the fix of a heuristic that has edits. */
static void add_fix(
	struct fixes *fixes, struct tc_ctx *ctx, const struct tc_settings *settings, size_t index)
{
	const struct edits edits = {.ctx = ctx,
		.heuristic = tc_catalogue_at(settings->catalogue, index),
		.values = tc_params_of(&settings->params, index),
		.arena = &fixes->arena};
	struct tc_buf text = {.ctx = ctx};
	struct tc_fix fix = {.id = edits.heuristic->id};

	if (!edits.heuristic->edits[0])
		return;
	for (size_t i = 0; edits.heuristic->edits[i] && !tc_ctx_failed(ctx); i++) {
		struct tc_edit edit;
		take_edit(&edit, &text, &edits, edits.heuristic->edits[i]);
		if (!tc_ctx_failed(ctx))
			add_clauses(&fixes->fixes, &fix, ctx, &edit);
	}
	fix.edit = tc_arena_keep(&fixes->arena, &text);
	if (fix.edit && TC_ARENA_GROW(&fixes->arena, fixes->fixes.items, fixes->capacity,
				fixes->fixes.count + 1))
		fixes->fixes.items[fixes->fixes.count++] = fix;
}

struct tc_fixes *tc_advice_fixes_new(struct tc_ctx *ctx, const struct tc_settings *settings)
{
	struct fixes *fixes = tc_calloc(1, sizeof(*fixes));

	if (!fixes) {
		tc_no_memory(ctx);
		return NULL;
	}
	fixes->arena.ctx = ctx;
	for (size_t i = 0; i < tc_catalogue_count(settings->catalogue) && !tc_ctx_failed(ctx); i++)
		if (!tc_settings_off(settings, i))
			add_fix(fixes, ctx, settings, i);
	if (!tc_ctx_failed(ctx))
		return &fixes->fixes;
	tc_advice_fixes_free(&fixes->fixes);
	return NULL;
}

void tc_advice_fixes_free(struct tc_fixes *handed_out)
{
	struct fixes *fixes = (struct fixes *)(void *)handed_out;

	if (!fixes)
		return;
	tc_arena_clear(&fixes->arena);
	tc_free(fixes);
}
