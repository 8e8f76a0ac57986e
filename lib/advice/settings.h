/* Inside of settings: what a run takes from them. See tracecoach/settings.h. */
#ifndef TC_ADVICE_SETTINGS_H
#define TC_ADVICE_SETTINGS_H

#include "advice/params.h"
#include "tracecoach/settings.h"

struct tc_advice_settings {
	const struct tc_catalogue *catalogue; /* borrowed */
	struct tc_params params;
	struct tc_switch *switches; /* one for each heuristic of the catalogue */
	bool only;                  /* some were named with --only */
};

struct tc_switch {
	bool disabled, skipped, chosen;
};

/* Why the heuristic at a position of the catalogue does not run, NULL when it does. */
const char *tc_advice_settings_off(const struct tc_advice_settings *settings, size_t index);

#endif
