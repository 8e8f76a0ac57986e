/* Names of causes; see causes.h. */
#include "analysis/idle/causes.h"

const char *tc_cause_name(enum tc_cause cause)
{
	static const char *const names[TC_CAUSE_COUNT] = {
#define TC_CAUSE(id, name, help) name,
#include "analysis/idle/causes.def"
#undef TC_CAUSE
	};

	return names[cause];
}
