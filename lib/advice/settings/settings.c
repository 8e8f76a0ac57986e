/* Settings of one run; see tracecoach/settings.h. */
#include "advice/settings/settings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advice/catalogue/heuristic.h"
#include "core/alloc.h"
#include "core/array.h"
#include "tracecoach/text.h"

#define ENABLED "enabled"
#define NAMES_MAX_COUNT 32 /* parameters of a heuristic that can be proposed */

static const struct tc_param params_of_all[] = {
	{.name = "min_gain_pct",
		.unit = "pct",
		.value = 1,
		.min = TC_GAIN_NOTHING_PCT,
		.max = 100,
		.help = "what a fix wins, as a share of the wall time; a heuristic with an edit is "
			"reported at or above this; our default: where low severity begins"},
	{.name = NULL}};

const struct tc_heuristic tc_settings_of_all = {.id = TC_ID_OF_ALL, .params = params_of_all};

struct tc_settings *tc_settings_for(const struct tc_catalogue *catalogue)
{
	struct tc_settings *settings = tc_calloc(1, sizeof(*settings));

	if (!settings)
		return NULL;
	settings->catalogue = catalogue;
	settings->min_gain_pct = params_of_all[0].value;
	settings->switches = tc_calloc(tc_catalogue_count(catalogue), sizeof(*settings->switches));
	if (!settings->switches || tc_params_init(&settings->params, catalogue)) {
		tc_settings_free(settings);
		return NULL;
	}
	return settings;
}

void tc_settings_free(struct tc_settings *settings)
{
	if (!settings)
		return;
	tc_params_clear(&settings->params);
	tc_free(settings->switches);
	tc_catalogue_free(settings->own);
	tc_free(settings);
}

/* *out is the position of id in the catalogue. */
static enum tc_status find(
	size_t *out, const struct tc_settings *settings, struct tc_ctx *ctx, const char *id)
{
	size_t index = tc_catalogue_find(settings->catalogue, id);

	if (index == tc_catalogue_count(settings->catalogue))
		return tc_catalogue_fail(settings->catalogue, ctx, id);
	*out = index;
	return TC_OK;
}

/* Thresholds that were shares of something: what the fix wins decides instead. */
static bool was_share(const struct tc_heuristic *heuristic, const char *param)
{
	static const char *const names[] = {"min_busy_pct", "min_cost_pct", "min_engine_pct",
		"min_exposed_pct", "min_fp32_pct", "min_gain_pct", "min_idle_pct",
		"min_removed_pct", "min_softmax_pct", "min_sure_pct", "min_transpose_pct"};
	bool found = false;

	for (size_t i = 0; i < TC_COUNT_OF(names); i++)
		found = found || strcmp(param, names[i]) == 0;
	return found && !heuristic->file && heuristic->edits && heuristic->edits[0];
}

static enum tc_status unknown_param(
	struct tc_ctx *ctx, const struct tc_heuristic *heuristic, const char *param)
{
	if (was_share(heuristic, param))
		return tc_fail(ctx, TC_ERR_USAGE,
			"%s.%s: no longer a parameter, because what the fix wins decides: remove "
			"it, or set %s.%s for all heuristics",
			heuristic->id, param, tc_settings_of_all.id, params_of_all[0].name);
	const char *names[NAMES_MAX_COUNT] = {ENABLED};
	size_t count = 1;

	for (const struct tc_param *p = heuristic->params; p->name && count < NAMES_MAX_COUNT; p++)
		names[count++] = p->name;
	const char *near = tc_nearest(param, names, count);
	if (near)
		return tc_fail(ctx, TC_ERR_USAGE, "%s.%s: no such parameter: did you mean '%s.%s'?",
			heuristic->id, param, heuristic->id, near);
	return tc_fail(ctx, TC_ERR_USAGE,
		"%s.%s: no such parameter: 'tracecoach heuristics %s' lists them", heuristic->id,
		param, heuristic->id);
}

static enum tc_status set_enabled(struct tc_switch *it, struct tc_ctx *ctx,
	const struct tc_heuristic *heuristic, const char *value)
{
	static const char *const words[][4] = {
		{"no", "false", "off", "0"}, {"yes", "true", "on", "1"}};

	for (size_t i = 0; i < 8; i++) {
		if (strcmp(value, words[i / 4][i % 4]) == 0) {
			it->disabled = i < 4;
			return TC_OK;
		}
	}
	return tc_fail(
		ctx, TC_ERR_USAGE, "%s." ENABLED " = %s: give yes or no", heuristic->id, value);
}

static enum tc_status set_number(double *out, struct tc_ctx *ctx,
	const struct tc_heuristic *heuristic, const struct tc_param *param, const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || isnan(value))
		return tc_fail(ctx, TC_ERR_USAGE,
			"%s.%s = %s: not a number: give %.10g to %.10g (%s)", heuristic->id,
			param->name, text, param->min, param->max, param->unit);
	if (value < param->min || value > param->max)
		return tc_fail(ctx, TC_ERR_USAGE,
			"%s.%s = %s: out of range: give %.10g to %.10g (%s)", heuristic->id,
			param->name, text, param->min, param->max, param->unit);
	*out = value;
	return TC_OK;
}

static enum tc_status set_param(double *values, struct tc_ctx *ctx,
	const struct tc_heuristic *heuristic, const char *param, const char *value)
{
	int position = tc_param_find(heuristic, param);

	if (position < 0)
		return unknown_param(ctx, heuristic, param);
	return set_number(&values[position], ctx, heuristic, &heuristic->params[position], value);
}

enum tc_status tc_settings_set(struct tc_settings *settings, struct tc_ctx *ctx, const char *id,
	const char *param, const char *value)
{
	size_t index = 0;

	if (strcmp(id, tc_settings_of_all.id) == 0)
		return set_param(&settings->min_gain_pct, ctx, &tc_settings_of_all, param, value);
	enum tc_status status = find(&index, settings, ctx, id);
	if (status != TC_OK)
		return status;
	const struct tc_heuristic *heuristic = tc_catalogue_at(settings->catalogue, index);
	if (strcmp(param, ENABLED) == 0)
		return set_enabled(&settings->switches[index], ctx, heuristic, value);
	return set_param(tc_params_of(&settings->params, index), ctx, heuristic, param, value);
}

enum tc_status tc_settings_only(struct tc_settings *settings, struct tc_ctx *ctx, const char *id)
{
	size_t index = 0;
	enum tc_status status = find(&index, settings, ctx, id);

	if (status != TC_OK)
		return status;
	settings->only = true;
	settings->switches[index].chosen = true;
	return TC_OK;
}

enum tc_status tc_settings_skip(struct tc_settings *settings, struct tc_ctx *ctx, const char *id)
{
	size_t index = 0;
	enum tc_status status = find(&index, settings, ctx, id);

	if (status == TC_OK)
		settings->switches[index].skipped = true;
	return status;
}

const char *tc_settings_off(const struct tc_settings *settings, size_t index)
{
	const struct tc_switch *it = &settings->switches[index];

	if (it->skipped)
		return "left out by --skip";
	if (settings->only && !it->chosen)
		return "left out by --only";
	return it->disabled ? "switched off by a setting (" ENABLED " = no)" : NULL;
}
