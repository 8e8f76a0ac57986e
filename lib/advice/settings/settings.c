/*
 * Settings of one run: the defaults of the catalogue, then an ini file,
 * then single settings, so that these override the file; last which heuristics run.
 */
#include "advice/settings/settings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/array.h"
#include "core/buf.h"
#include "core/files/ini.h"
#include "core/limits.h"
#include "tracecoach/text.h"

#define ENABLED "enabled"
static const char only_option[] = "--only", skip_option[] = "--skip";
#define NAMES_MAX_COUNT 32 /* parameters of a heuristic that can be proposed */

/* ---- thresholds */

static size_t param_count(const struct tc_heuristic *heuristic)
{
	size_t count = 0;

	while (heuristic->params[count].name)
		count++;
	return count;
}

/* Fills params with the defaults; false when memory is out. */
static bool params_init(struct tc_params *params, const struct tc_catalogue *catalogue)
{
	size_t count = tc_catalogue_count(catalogue), total = 0, next = 0;

	for (size_t i = 0; i < count; i++)
		total += param_count(tc_catalogue_at(catalogue, i));
	TC_ARENA(&params->arena, params->values, total);
	TC_ARENA(&params->arena, params->first, count);
	for (size_t i = 0; i < count && !params->arena.has_failed; i++) {
		params->first[i] = next;
		const struct tc_param *param = tc_catalogue_at(catalogue, i)->params;
		for (; param->name; param++)
			params->values[next++] = param->value;
	}
	return !params->arena.has_failed;
}

double *tc_params_of(const struct tc_params *params, size_t index)
{
	return params->values + params->first[index];
}

static const struct tc_param params_of_all[] = {
	{.name = "min_gain_pct",
		.unit = "pct",
		.value = 1,
		.min = TC_GAIN_NOTHING_PCT,
		.max = 100,
		.help = "what a fix wins, as a share of the steady run; a heuristic with an edit "
			"is "
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
	if (!settings->switches || !params_init(&settings->params, catalogue)) {
		tc_settings_free(settings);
		return NULL;
	}
	return settings;
}

void tc_settings_free(struct tc_settings *settings)
{
	if (!settings)
		return;
	tc_arena_clear(&settings->params.arena);
	tc_free(settings->switches);
	tc_catalogue_free(settings->own);
	tc_free(settings);
}

/* ---- one setting */

/* "ID: no such heuristic" and the nearest id there is, or how to list them. */
static void fail_unknown(const struct tc_catalogue *catalogue, struct tc_ctx *ctx, const char *id)
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

/* Sets *out to the position of id in the catalogue; false, and the context has failed, for an
 * unknown one. */
static bool find(
	size_t *out, const struct tc_settings *settings, struct tc_ctx *ctx, const char *id)
{
	*out = tc_catalogue_find(settings->catalogue, id);
	if (*out < tc_catalogue_count(settings->catalogue))
		return true;
	fail_unknown(settings->catalogue, ctx, id);
	return false;
}

/* Thresholds that were shares of something: now the gain of the fix decides. */
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

static void unknown_param(
	struct tc_ctx *ctx, const struct tc_heuristic *heuristic, const char *param)
{
	const char *names[NAMES_MAX_COUNT] = {ENABLED};
	struct tc_buf all = {.ctx = ctx};
	size_t count = heuristic == &tc_settings_of_all ? 0 : 1;

	for (const struct tc_param *p = heuristic->params; p->name && count < NAMES_MAX_COUNT; p++)
		names[count++] = p->name;
	const char *near = tc_nearest(param, names, count);
	if (was_share(heuristic, param))
		tc_fail(ctx, TC_ERR_USAGE,
			"%s.%s: no longer a parameter, because what the fix wins decides: remove "
			"it, or set %s.%s for all heuristics",
			heuristic->id, param, tc_settings_of_all.id, params_of_all[0].name);
	else if (near)
		tc_fail(ctx, TC_ERR_USAGE, "%s.%s: no such parameter: did you mean '%s.%s'?",
			heuristic->id, param, heuristic->id, near);
	else
		tc_fail(ctx, TC_ERR_USAGE, "%s.%s: no such parameter: it has %s", heuristic->id,
			param, tc_buf_list(&all, names, count));
	tc_buf_clear(&all);
}

static void set_enabled(struct tc_switch *it, struct tc_ctx *ctx,
	const struct tc_heuristic *heuristic, const char *value)
{
	static const char *const words[][4] = {
		{"no", "false", "off", "0"}, {"yes", "true", "on", "1"}};

	for (size_t i = 0; i < 8; i++) {
		if (strcmp(value, words[i / 4][i % 4]) == 0) {
			it->disabled = i < 4;
			return;
		}
	}
	tc_fail(ctx, TC_ERR_USAGE, "%s." ENABLED " = %s: give yes or no", heuristic->id, value);
}

static void set_number(double *out, struct tc_ctx *ctx, const struct tc_heuristic *heuristic,
	const struct tc_param *param, const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || isnan(value) || strpbrk(text, "xX"))
		tc_fail(ctx, TC_ERR_USAGE, "%s.%s = %s: not a number: give %.10g to %.10g (%s)",
			heuristic->id, param->name, text, param->min, param->max, param->unit);
	else if (value < param->min || value > param->max)
		tc_fail(ctx, TC_ERR_USAGE, "%s.%s = %s: out of range: give %.10g to %.10g (%s)",
			heuristic->id, param->name, text, param->min, param->max, param->unit);
	else
		*out = value;
}

static void set_param(double *values, struct tc_ctx *ctx, const struct tc_heuristic *heuristic,
	const char *param, const char *value)
{
	int at = tc_param_find(heuristic, param);

	if (at < 0)
		unknown_param(ctx, heuristic, param);
	else
		set_number(&values[at], ctx, heuristic, &heuristic->params[at], value);
}

/*
 * Sets a parameter of a heuristic, or of all of them, to a number within its range; or the
 * parameter "enabled", which all have, to yes or no (true or false, on or off, 1 or 0). Fails with
 * TC_ERR_USAGE for an unknown name, with the nearest one, and for a value out of range. The last
 * call for a parameter counts.
 */
static void set_value(struct tc_settings *settings, struct tc_ctx *ctx, const char *id,
	const char *param, const char *value)
{
	size_t index = 0;

	if (strcmp(id, tc_settings_of_all.id) == 0) {
		set_param(&settings->min_gain_pct, ctx, &tc_settings_of_all, param, value);
		return;
	}
	if (!find(&index, settings, ctx, id))
		return;
	const struct tc_heuristic *heuristic = tc_catalogue_at(settings->catalogue, index);
	if (strcmp(param, ENABLED) == 0)
		set_enabled(&settings->switches[index], ctx, heuristic, value);
	else
		set_param(tc_params_of(&settings->params, index), ctx, heuristic, param, value);
}

/* Runs only the heuristics named by these calls. */
static void choose(struct tc_settings *settings, struct tc_ctx *ctx, const char *id)
{
	size_t index = 0;

	if (!find(&index, settings, ctx, id))
		return;
	settings->only = true;
	settings->switches[index].chosen = true;
}

/* Leaves a heuristic out, whatever else is said. */
static void skip(struct tc_settings *settings, struct tc_ctx *ctx, const char *id)
{
	size_t index = 0;

	if (find(&index, settings, ctx, id))
		settings->switches[index].skipped = true;
}

const char *tc_settings_off(const struct tc_settings *settings, size_t index)
{
	const struct tc_switch *it = &settings->switches[index];

	if (it->skipped)
		return settings->names_members ? "left out by skip" : "left out by --skip";
	if (settings->only && !it->chosen)
		return tc_settings_only_reason(settings);
	return it->disabled ? "switched off by a setting (" ENABLED " = no)" : NULL;
}

/* ---- an ini file: its sections are heuristics, its keys their parameters or "enabled" */

struct reading {
	struct tc_settings *settings;
	struct tc_ctx *ctx;
};

static void take_setting(void *user, const char *section, const char *name, const char *value)
{
	struct reading *reading = user;

	set_value(reading->settings, reading->ctx, section, name, value);
}

static void apply_file(struct tc_settings *settings, struct tc_ctx *ctx, const char *path)
{
	struct reading reading = {settings, ctx};
	const struct tc_ini ini = {.what = "the settings in",
		.kind = "an ini file of settings",
		.homeless = "a parameter of no heuristic: write [HEURISTIC] above it",
		.formless = "neither [HEURISTIC] nor PARAMETER = VALUE",
		.limit_bytes = TC_SETTINGS_MAX_FILE_BYTES,
		.take = take_setting,
		.user = &reading};

	tc_ini_read(&ini, ctx, path);
}

/* ---- options */

typedef void (*name_fn)(struct tc_settings *settings, struct tc_ctx *ctx, const char *id);

/* text is ID.PARAM=VALUE; it is split in place. */
static void set_parts(struct tc_settings *settings, struct tc_ctx *ctx, char *text)
{
	char *equals = strchr(text, '=');
	char *dot = strchr(text, '.');

	if (!equals || !dot || dot > equals) {
		tc_fail(ctx, TC_ERR_USAGE,
			"no such form: give HEURISTIC.PARAMETER=VALUE, as in "
			"dataloader-bound.min_share_pct=5");
		return;
	}
	*equals = *dot = '\0';
	set_value(settings, ctx, text, dot + 1, equals + 1);
}

static void set_one(struct tc_settings *settings, struct tc_ctx *ctx, const char *word)
{
	char *copy = tc_string_dup(word);

	if (copy)
		set_parts(settings, ctx, copy);
	else
		tc_no_memory(ctx);
	tc_free(copy);
	if (tc_ctx_failed(ctx))
		tc_fail(ctx, tc_ctx_status(ctx), "--set %s", word);
}

/* Calls take with every id of a list joined by commas. */
static void take_ids(
	name_fn take, struct tc_settings *settings, struct tc_ctx *ctx, const char *list)
{
	struct tc_buf id = {.ctx = ctx};

	if (list[strspn(list, ",")] == '\0')
		tc_fail(ctx, TC_ERR_USAGE,
			"no heuristic is named: 'tracecoach heuristics' lists them");
	while (list && !tc_ctx_failed(ctx)) {
		const char *comma = strchr(list, ',');

		tc_buf_reset(&id);
		tc_buf_append(&id, list, comma ? (size_t)(comma - list) : strlen(list));
		const char *text = tc_buf_string(&id);
		if (text)
			take(settings, ctx, text);
		list = comma ? comma + 1 : NULL;
	}
	tc_buf_clear(&id);
}

static void take_lists(name_fn take, struct tc_settings *settings, struct tc_ctx *ctx,
	const char *option, const char *const *lists)
{
	if (!lists || tc_ctx_failed(ctx))
		return;
	for (size_t i = 0; lists[i]; i++)
		take_ids(take, settings, ctx, lists[i]);
	if (tc_ctx_failed(ctx))
		tc_fail(ctx, tc_ctx_status(ctx), "%s", tc_ctx_word(ctx, option));
}

/* A gate would pass where nothing is looked at. */
static void check_choice(const struct tc_settings *settings, struct tc_ctx *ctx)
{
	bool is_left = false;

	for (size_t i = 0; i < tc_catalogue_count(settings->catalogue) && !is_left; i++)
		is_left = !tc_settings_off(settings, i);
	if (!is_left && !tc_ctx_failed(ctx))
		tc_fail(ctx, TC_ERR_USAGE,
			"%s, %s and settings leave no heuristic to run: each is left out by one of "
			"them",
			tc_ctx_word(ctx, only_option), tc_ctx_word(ctx, skip_option));
}

static void apply(
	struct tc_settings *settings, struct tc_ctx *ctx, const struct tc_settings_options *options)
{
	if (options->config_path)
		apply_file(settings, ctx, options->config_path);
	for (size_t i = 0; options->sets && options->sets[i] && !tc_ctx_failed(ctx); i++)
		set_one(settings, ctx, options->sets[i]);
	take_lists(choose, settings, ctx, only_option, options->only);
	take_lists(skip, settings, ctx, skip_option, options->skip);
	check_choice(settings, ctx);
}

enum tc_status tc_settings_new(
	struct tc_settings **out, struct tc_ctx *ctx, const struct tc_settings_options *options)
{
	static const struct tc_settings_options none = {0};

	TC_ENTER(ctx);
	if (!options)
		options = &none;
	TC_CHECK_SIZE(ctx, options);
	if (tc_ctx_failed(ctx))
		return tc_ctx_status(ctx);
	struct tc_catalogue *catalogue = tc_catalogue_new(ctx, options->rules_directory);
	struct tc_settings *settings = catalogue ? tc_settings_for(catalogue) : NULL;
	if (!settings) {
		tc_catalogue_free(catalogue);
		return tc_no_memory(ctx);
	}
	settings->own = catalogue;
	settings->names_members = tc_ctx_word(ctx, skip_option) != skip_option;
	apply(settings, ctx, options);
	if (tc_ctx_failed(ctx))
		tc_settings_free(settings);
	else
		*out = settings;
	return tc_ctx_status(ctx);
}

const struct tc_heuristic *tc_heuristic_at(const struct tc_settings *settings, size_t index)
{
	return index < tc_catalogue_count(settings->catalogue)
		       ? tc_catalogue_at(settings->catalogue, index)
		       : NULL;
}

enum tc_status tc_heuristic_find(const struct tc_heuristic **out, struct tc_ctx *ctx,
	const struct tc_settings *settings, const char *id)
{
	size_t index;

	TC_ENTER(ctx);
	if (find(&index, settings, ctx, id))
		*out = tc_catalogue_at(settings->catalogue, index);
	return tc_ctx_status(ctx);
}
