/* Settings as the advice room sees them: thresholds, and which heuristics run. The public part is
 * tracecoach/settings.h. */
#pragma once

#include <stddef.h>

#include "advice/catalogue/catalogue.h"
#include "core/collections/arena.h"
#include "tracecoach/settings.h"

/* The thresholds of one run: a number for every parameter of every heuristic, first the defaults of
 * the descriptors. Descriptors stay constant; whoever overrides a threshold changes these. */
struct tc_params {
	struct tc_arena arena;
	double *values; /* of all heuristics, in the order of the catalogue */
	size_t *first;  /* per heuristic: index of its first value */
};

/* The values of the index-th heuristic, in the order of its descriptor's params. */
double *tc_params_of(const struct tc_params *params, size_t index);

/* A fix that wins less than this share of the wall time wins nothing. */
#define TC_GAIN_NOTHING_PCT 0.1

struct tc_settings {
	const struct tc_catalogue *catalogue;
	struct tc_catalogue *own; /* freed with the settings; NULL where it is borrowed */
	struct tc_params params;
	struct tc_switch *switches; /* one for each heuristic of the catalogue */
	bool only;                  /* some were named with --only */
	double min_gain_pct;        /* of tc_settings_of_all */
	bool names_members;         /* reasons are in the words of the library: tc_ctx_word() */
};

/* The settings that are of no single heuristic have its form: an id and one parameter. */
extern const struct tc_heuristic tc_settings_of_all;

struct tc_switch {
	bool disabled, skipped, chosen;
};

/* The defaults of a catalogue, which is borrowed. NULL when memory is out. Owned by the caller. */
struct tc_settings *tc_settings_for(const struct tc_catalogue *catalogue);

/* Why a heuristic does not run where others were named. */
static inline const char *tc_settings_only_reason(const struct tc_settings *settings)
{
	return settings->names_members ? "left out by only" : "left out by --only";
}

/* Why the heuristic at a position of the catalogue does not run, NULL when it does. */
const char *tc_settings_off(const struct tc_settings *settings, size_t index);
