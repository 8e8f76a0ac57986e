/* The built-in heuristics with their defaults, read once and kept to the end of a test program. */
#ifndef TC_TEST_CATALOGUE_FIXTURE_H
#define TC_TEST_CATALOGUE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "advice/settings/settings.h"

static inline struct tc_catalogue *built_in(void)
{
	static struct tc_catalogue *catalogue;
	struct tc_ctx *ctx = tc_ctx_new();

	if (!catalogue)
		catalogue = tc_catalogue_new(ctx, NULL);
	if (!catalogue)
		fail_msg("%s", tc_ctx_error(ctx));
	tc_ctx_free(ctx);
	return catalogue;
}

/* NULL when there is none of that id. */
static inline const struct tc_heuristic *built_in_heuristic(const char *id)
{
	size_t at = tc_catalogue_find(built_in(), id);

	return at < tc_catalogue_count(built_in()) ? tc_catalogue_at(built_in(), at) : NULL;
}

/* TC_ONLY=ID in the environment checks that heuristic alone. */
static inline bool is_wanted(const struct tc_heuristic *heuristic)
{
	const char *only = getenv("TC_ONLY");

	if (!only || !*only)
		return true;
	if (!built_in_heuristic(only))
		fail_msg("TC_ONLY=%s: no such heuristic in this build", only);
	return strcmp(only, heuristic->id) == 0;
}

static inline const struct tc_settings *default_settings(void)
{
	static struct tc_settings *settings;

	if (!settings)
		settings = tc_settings_for(built_in());
	assert_non_null(settings);
	return settings;
}

#endif
