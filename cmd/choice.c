/* See choice.h. The file of --config comes first, so that the command line has the last word. */
#include "choice.h"

#include <stdlib.h>
#include <string.h>

#include "tracecoach/catalogue.h"
#include "tracecoach/settings.h"

typedef enum tc_status (*name_fn)(
	struct tc_advice_settings *settings, struct tc_ctx *ctx, const char *id);

/* Splits a copy of ID.PARAM=VALUE in place. */
static enum tc_status set_parts(struct tc_advice_settings *settings, struct tc_ctx *ctx, char *text)
{
	char *equals = strchr(text, '=');
	char *dot = strchr(text, '.');

	if (!equals || !dot || dot > equals)
		return tc_fail(ctx, TC_ERR_USAGE,
			"no such form: give HEURISTIC.PARAMETER=VALUE, as in "
			"dataloader-bound.min_cost_pct=2");
	*equals = *dot = '\0';
	return tc_advice_settings_set(settings, ctx, text, dot + 1, equals + 1);
}

static enum tc_status set_one(
	struct tc_advice_settings *settings, struct tc_ctx *ctx, const char *word)
{
	char *text = strdup(word);
	enum tc_status status =
		text ? set_parts(settings, ctx, text) : tc_fail(ctx, TC_ERR_NOMEM, "out of memory");

	free(text);
	return status == TC_OK ? TC_OK : tc_fail(ctx, status, "--set %s", word);
}

/* Calls take with every id of a list joined by commas. */
static enum tc_status each_id(
	name_fn take, struct tc_advice_settings *settings, struct tc_ctx *ctx, char *list)
{
	enum tc_status status = TC_OK;

	while (list && status == TC_OK) {
		char *comma = strchr(list, ',');

		if (comma)
			*comma = '\0';
		status = take(settings, ctx, list);
		list = comma ? comma + 1 : NULL;
	}
	return status;
}

static enum tc_status name_all(struct tc_choice *choice, const struct tc_cli *cli,
	const char *option, char *const *words, name_fn take)
{
	enum tc_status status = TC_OK;

	for (size_t i = 0; words && words[i] && status == TC_OK; i++) {
		char *list = strdup(words[i]);

		status = list ? each_id(take, choice->settings, cli->ctx, list)
			      : tc_fail(cli->ctx, TC_ERR_NOMEM, "out of memory");
		free(list);
	}
	return status == TC_OK ? TC_OK : tc_fail(cli->ctx, status, "%s", option);
}

static enum tc_status make(struct tc_choice *choice, const struct tc_cli *cli)
{
	const struct tc_options *options = cli->options;
	enum tc_status status = tc_catalogue_new(&choice->catalogue, cli->ctx, options->rules);
	if (status != TC_OK)
		return status;
	choice->settings = tc_advice_settings_new(choice->catalogue);
	if (!choice->settings)
		return tc_fail(cli->ctx, TC_ERR_NOMEM, "out of memory");
	if (options->config)
		status = tc_advice_settings_read(choice->settings, cli->ctx, options->config);
	for (size_t i = 0; options->sets && options->sets[i] && status == TC_OK; i++)
		status = set_one(choice->settings, cli->ctx, options->sets[i]);
	if (status == TC_OK)
		status = name_all(choice, cli, "--only", options->only, tc_advice_settings_only);
	if (status == TC_OK)
		status = name_all(choice, cli, "--skip", options->skip, tc_advice_settings_skip);
	return status;
}

int tc_choice_make(struct tc_choice *choice, struct tc_cli *cli)
{
	*choice = (struct tc_choice){NULL, NULL};
	if (make(choice, cli) != TC_OK)
		return tc_cli_fail(cli, false);
	cli->catalogue = choice->catalogue;
	cli->settings = choice->settings;
	return 0;
}

void tc_choice_clear(struct tc_choice *choice)
{
	tc_advice_settings_free(choice->settings);
	tc_catalogue_free(choice->catalogue);
}
