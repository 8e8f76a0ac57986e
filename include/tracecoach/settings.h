/*
 * Settings of one run: thresholds other than the defaults, and which heuristics run at all.
 */
#ifndef TRACECOACH_SETTINGS_H
#define TRACECOACH_SETTINGS_H

#include "tracecoach/context.h"
#include "tracecoach/catalogue.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tc_advice_settings;

/* The defaults of a catalogue, which is borrowed. NULL when memory is out. Owned by the caller. */
struct tc_advice_settings *tc_advice_settings_new(const struct tc_catalogue *catalogue);
void tc_advice_settings_free(struct tc_advice_settings *settings); /* NULL is fine */

/*
 * Sets a parameter of a heuristic to a number within its range; or the parameter "enabled", which
 * all have, to yes or no (true or false, on or off, 1 or 0). TC_ERR_USAGE for what is not there,
 * with the nearest name, and for values that are none. The last call for a parameter counts.
 */
enum tc_status tc_advice_settings_set(struct tc_advice_settings *settings, struct tc_ctx *ctx,
	const char *id, const char *param, const char *value);

/* Applies an ini file, whose sections are heuristics and whose keys are their parameters or
 * "enabled". A fault fails with TC_ERR_USAGE and "path:line: ..."; what stands above it counts. */
enum tc_status tc_advice_settings_read(
	struct tc_advice_settings *settings, struct tc_ctx *ctx, const char *path);

/* Runs only the heuristics named by these calls: --only. */
enum tc_status tc_advice_settings_only(
	struct tc_advice_settings *settings, struct tc_ctx *ctx, const char *id);
/* Leaves a heuristic out, whatever else is said: --skip. */
enum tc_status tc_advice_settings_skip(
	struct tc_advice_settings *settings, struct tc_ctx *ctx, const char *id);

#ifdef __cplusplus
}
#endif

#endif
