/*
 * The fixes of a run: the edits of each heuristic as text and as clauses, with the values of its
 * parameters in place of their names. Example: "slower :factor_pct" with 50 percent is "0.5". A
 * parameter with a range that the user has not set to another value is "0.5 (0.2 to 0.8)".
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

/* The value of a parameter, and its range. */
struct factor {
	struct tc_factor of;    /* as the header and the user say it */
	bool is_ranged, is_set; /* is_set: the user gave another value than the default */
};

/* How many of its unit are 1 in an edit: shares are parts of one, times are in ms. */
static double unit_of(const struct tc_param *param)
{
	if (strcmp(param->unit, "ns") == 0)
		return 1e6;
	return strcmp(param->unit, "pct") == 0 ? 100 : 1;
}

/* Takes the range of a parameter. A value that the user has set has none. */
static void find_range(
	struct factor *factor, const struct edits *edits, const struct tc_param *param)
{
	double unit = unit_of(param);

	for (const struct tc_param_range *range = edits->heuristic->ranges; range->param; range++)
		if (strcmp(range->param, param->name) == 0 && !factor->is_set) {
			factor->of.least = range->low / unit;
			factor->of.most = range->high / unit;
			factor->is_ranged = true;
		}
}

/* The parameter that an edit names as ":NAME"; a share in percent becomes one of 1. */
static struct factor find_factor(const struct edits *edits, struct tc_text word)
{
	const struct tc_heuristic *heuristic = edits->heuristic;
	struct factor factor = {0};

	for (size_t i = 0; heuristic->params[i].name; i++) {
		const struct tc_param *param = &heuristic->params[i];
		double unit = unit_of(param);
		if (word.ptr[0] != ':' || !tc_text_equal(tc_text_from(param->name),
						  (struct tc_text){word.ptr + 1, word.len - 1}))
			continue;
		factor.of.likely = factor.of.least = factor.of.most = edits->values[i] / unit;
		factor.is_set = edits->values[i] < param->value || edits->values[i] > param->value;
		find_range(&factor, edits, param);
		return factor;
	}
	tc_fail(edits->ctx, TC_ERR_USAGE, "%s: its edit names no parameter of it: '%.*s'",
		heuristic->id, (int)word.len, word.ptr);
	return factor;
}

static double share_of(double factor)
{
	return factor < 0 ? 0 : factor > 1 ? 1 : factor;
}

/* A share that the user has set counts before that of the device's peaks. */
static void forget_peaks(struct tc_edit *edit)
{
	edit->peaks.len = 0;
	for (size_t i = 0; i < edit->clause_count; i++)
		edit->clauses[i].by_peaks = false;
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
	const struct factor factor = find_factor(edits, edit->factor);
	const char *from = edit->peaks.len > 0 ? edit->peaks.ptr : edit->factor.ptr;
	const char *after = edit->factor.ptr + edit->factor.len;
	if (factor.is_set)
		forget_peaks(edit);
	tc_buf_append_text(text, (struct tc_text){line, (size_t)(from - line)});
	tc_buf_append_text(text, edit->peaks);
	tc_buf_format(text, "%.10g", factor.of.likely);
	if (factor.is_ranged)
		tc_buf_format(text, " (%.10g to %.10g)", factor.of.least, factor.of.most);
	const struct tc_factor shares = {
		share_of(factor.of.likely), share_of(factor.of.least), share_of(factor.of.most)};
	tc_edit_set_factor(edit, &shares);
	tc_buf_append_string(text, after);
}

/* The range of all that the edits of a heuristic take away. */
static void widen(struct tc_edit *edit, struct tc_buf *text, const struct tc_heuristic *heuristic)
{
	for (const struct tc_param_range *range = heuristic->ranges; range->param; range++) {
		if (strcmp(range->param, TC_RANGE_OF_EDIT) != 0)
			continue;
		tc_buf_format(text, " (%.10g to %.10g times)", range->low, range->high);
		for (size_t i = 0; i < edit->clause_count; i++) {
			int64_t *saved_ppm = edit->clauses[i].saved_ppm;
			saved_ppm[TC_END_LOW] =
				(int64_t)((double)saved_ppm[TC_END_LOW] * range->low);
			saved_ppm[TC_END_HIGH] =
				(int64_t)((double)saved_ppm[TC_END_HIGH] * range->high);
		}
	}
}

static bool is_ranged(const struct tc_clause *clause)
{
	return clause->by_peaks || clause->end != TC_END_LIKELY ||
	       clause->saved_ppm[TC_END_LOW] < clause->saved_ppm[TC_END_LIKELY] ||
	       clause->saved_ppm[TC_END_HIGH] > clause->saved_ppm[TC_END_LIKELY];
}

/* Adds a clause of the list to the what-ifs of a fix. One that takes off times has others for the
 * ends if it has a range. */
static void add_clause(struct tc_fix *fix, const struct tc_clause *clause, size_t number)
{
	struct tc_clause_set *const sets[] = {[TC_END_LIKELY] = &fix->clauses,
		[TC_END_LOW] = &fix->low,
		[TC_END_HIGH] = &fix->high};
	bool is_at_ends = tc_clause_takes_times(clause) && clause->has_ends;

	for (int end = TC_END_LIKELY; end < TC_END_COUNT; end++)
		if (!is_at_ends || clause->end == (enum tc_end)end)
			tc_clause_set_add(sets[end], number);
	if (is_ranged(clause))
		tc_clause_set_add(&fix->ranged, number);
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
		add_clause(fix, &edit->clauses[i], fixes->clause_count);
		fixes->clauses[fixes->clause_count++] = edit->clauses[i];
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

	tc_clause_set_to_end(&fix.low, TC_END_LOW);
	tc_clause_set_to_end(&fix.high, TC_END_HIGH);

	if (!edits.heuristic->edits[0])
		return;
	for (size_t i = 0; edits.heuristic->edits[i] && !tc_ctx_failed(ctx); i++) {
		struct tc_edit edit;
		take_edit(&edit, &text, &edits, edits.heuristic->edits[i]);
		if (tc_ctx_failed(ctx))
			break;
		widen(&edit, &text, edits.heuristic);
		add_clauses(&fixes->fixes, &fix, ctx, &edit);
	}
	fix.edit = tc_arena_keep(&fixes->arena, &text);
	if (fix.edit && TC_ARENA_GROW(&fixes->arena, fixes->fixes.items, fixes->capacity,
				fixes->fixes.count + 1))
		fixes->fixes.items[fixes->fixes.count++] = fix;
}

struct tc_fixes *tc_advice_fixes_new(struct tc_ctx *ctx, const struct tc_settings *settings)
{
	struct fixes *fixes = tc_new(ctx, 1, sizeof(*fixes));

	if (!fixes)
		return NULL;
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
