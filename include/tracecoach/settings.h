/*
 * Settings of one run: the heuristics, built in and the user's rules, their thresholds, and which
 * of them run at all.
 */
#ifndef TRACECOACH_SETTINGS_H
#define TRACECOACH_SETTINGS_H

#include <stddef.h>

#include "tracecoach/context.h"
#include "tracecoach/heuristic.h"

TC_PUBLIC_BEGIN

struct tc_settings;

/* Each is NULL where nothing is asked for; lists have NULL at their end. */
struct tc_settings_options {
	size_t size; /* of this struct for the caller, which is then checked; 0: not checked */
	const char *rules_directory; /* run its files ID.sql too, in the order of their names */
	const char *config_path;     /* an ini file: sections are heuristics, keys parameters */
	const char *const *sets;     /* "ID.PARAM=VALUE", as --set; these override the file */
	const char *const *only;     /* "ID[,ID...]": run only these, as --only */
	const char *const *skip;     /* "ID[,ID...]": leave these out, as --skip */
};

/*
 * Reads heuristics and settings; options NULL for the defaults. TC_ERR_USAGE with the place of the
 * fault and what to do about it. *out is owned by the caller; it must outlive the advice made with
 * it.
 */
enum tc_status tc_settings_new(
	struct tc_settings **out, struct tc_ctx *ctx, const struct tc_settings_options *options);
void tc_settings_free(struct tc_settings *settings); /* NULL is fine */

/* Each heuristic, from index 0, NULL behind the last. Borrowed. Built-in ones come first, in the
 * order in which they run. */
const struct tc_heuristic *tc_heuristic_at(const struct tc_settings *settings, size_t index);
/* The heuristic of that id. Borrowed. TC_ERR_USAGE with the nearest id where there is none. */
enum tc_status tc_heuristic_find(const struct tc_heuristic **out, struct tc_ctx *ctx,
	const struct tc_settings *settings, const char *id);

TC_PUBLIC_END

#endif
