#include "output.h"

#include <math.h>
#include <stdlib.h>

#include "command.h"
#include "tracecoach/advice.h"

int tc_gate_severity(int *least, const char *text)
{
	const char *names[TC_SEVERITY_HIGH + 1 - TC_SEVERITY_LOW];

	*least = TC_SEVERITY_HIGH + 1;
	if (!text)
		return 0;
	for (int i = TC_SEVERITY_LOW; i <= TC_SEVERITY_HIGH; i++)
		names[i - TC_SEVERITY_LOW] = tc_severity_name((enum tc_severity)i);
	const char *const *name = tc_cli_choose("--fail-on", text, TC_CHOICES_OF(names));
	if (name)
		*least = TC_SEVERITY_LOW + (int)(name - names);
	return name ? 0 : TC_EXIT_USAGE;
}

int tc_gate_slower(double *limit_pct, const char *text)
{
	char *end = NULL;

	*limit_pct = text ? strtod(text, &end) : INFINITY;
	if (text && (end == text || *end || !(*limit_pct >= 0) || isinf(*limit_pct)))
		return tc_cli_error(TC_EXIT_USAGE,
			"--fail-on-slower %s: not a percentage: give a number, 0 or more", text);
	return 0;
}
