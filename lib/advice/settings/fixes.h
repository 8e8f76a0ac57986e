/* The fixes of a catalogue: what each heuristic says mends it, with the thresholds of the
 * settings. */
#pragma once

#include "replay/whatif.h"
#include "tracecoach/settings.h"

/* The heuristics that run and have edits, in their order. The caller's, to be freed; the ids in it
 * are the settings'. NULL on failure. */
struct tc_fixes *tc_advice_fixes_new(struct tc_ctx *ctx, const struct tc_settings *settings);
void tc_advice_fixes_free(struct tc_fixes *fixes); /* NULL is fine */
