/* Settings as a user gives them, see tracecoach/settings.h. The file comes first, so that single
 * settings override it. */
#include "tracecoach/settings.h"

#include <string.h>

#include "advice/settings/settings.h"
#include "core/buf.h"

typedef enum tc_status (*name_fn)(struct tc_settings *settings, struct tc_ctx *ctx, const char *id);

/* text is ID.PARAM=VALUE; it is split in place. */
static enum tc_status set_parts(struct tc_settings *settings, struct tc_ctx *ctx, char *text)
{
	char *equals = strchr(text, '=');
	char *dot = strchr(text, '.');

	if (!equals || !dot || dot > equals)
		return tc_fail(ctx, TC_ERR_USAGE,
			"no such form: give HEURISTIC.PARAMETER=VALUE, as in "
			"dataloader-bound.min_share_pct=5");
	*equals = *dot = '\0';
	return tc_settings_set(settings, ctx, text, dot + 1, equals + 1);
}

static enum tc_status set_one(struct tc_settings *settings, struct tc_ctx *ctx, const char *word)
{
	struct tc_buf copy = TC_BUF_EMPTY;

	tc_buf_append_string(&copy, word);
	enum tc_status status =
		tc_buf_string(&copy) ? set_parts(settings, ctx, copy.ptr) : tc_no_memory(ctx);
	tc_buf_clear(&copy);
	return status == TC_OK ? TC_OK : tc_fail(ctx, status, "--set %s", word);
}

/* Calls take with every id of a list joined by commas. */
static enum tc_status take_ids(
	name_fn take, struct tc_settings *settings, struct tc_ctx *ctx, const char *list)
{
	struct tc_buf id = TC_BUF_EMPTY;
	enum tc_status status = TC_OK;

	while (list && status == TC_OK) {
		const char *comma = strchr(list, ',');

		tc_buf_reset(&id);
		tc_buf_append(&id, list, comma ? (size_t)(comma - list) : strlen(list));
		status = tc_buf_string(&id) ? take(settings, ctx, id.ptr) : tc_no_memory(ctx);
		list = comma ? comma + 1 : NULL;
	}
	tc_buf_clear(&id);
	return status;
}

static enum tc_status take_lists(name_fn take, struct tc_settings *settings, struct tc_ctx *ctx,
	const char *option, const char *const *lists)
{
	enum tc_status status = TC_OK;

	for (size_t i = 0; lists && lists[i] && status == TC_OK; i++)
		status = take_ids(take, settings, ctx, lists[i]);
	return status == TC_OK ? TC_OK : tc_fail(ctx, status, "%s", option);
}

static enum tc_status apply(
	struct tc_settings *settings, struct tc_ctx *ctx, const struct tc_settings_options *options)
{
	enum tc_status status = TC_OK;

	if (options->config_path)
		status = tc_settings_read(settings, ctx, options->config_path);
	for (size_t i = 0; options->sets && options->sets[i] && status == TC_OK; i++)
		status = set_one(settings, ctx, options->sets[i]);
	if (status == TC_OK)
		status = take_lists(tc_settings_only, settings, ctx, "--only", options->only);
	if (status == TC_OK)
		status = take_lists(tc_settings_skip, settings, ctx, "--skip", options->skip);
	return status;
}

enum tc_status tc_settings_new(
	struct tc_settings **out, struct tc_ctx *ctx, const struct tc_settings_options *options)
{
	static const struct tc_settings_options none = {NULL, NULL, NULL, NULL, NULL};
	struct tc_catalogue *catalogue;

	if (!options)
		options = &none;
	enum tc_status status = tc_catalogue_new(&catalogue, ctx, options->rules_directory);
	if (status != TC_OK)
		return status;
	struct tc_settings *settings = tc_settings_for(catalogue);
	if (!settings) {
		tc_catalogue_free(catalogue);
		return tc_no_memory(ctx);
	}
	settings->own = catalogue;
	status = apply(settings, ctx, options);
	if (status == TC_OK)
		*out = settings;
	else
		tc_settings_free(settings);
	return status;
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
	size_t index = tc_catalogue_find(settings->catalogue, id);

	if (index == tc_catalogue_count(settings->catalogue))
		return tc_catalogue_fail(settings->catalogue, ctx, id);
	*out = tc_catalogue_at(settings->catalogue, index);
	return TC_OK;
}
