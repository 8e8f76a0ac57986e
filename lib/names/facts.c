/* Facts in words, for the docs; see names.h. */
#include <stddef.h>

#include "names/names.h"

static const char *yes(unsigned value)
{
	return value ? "yes" : NULL;
}

static const char *framework_name(enum tc_framework_kind kind)
{
	static const char *const names[TC_FRAMEWORK_COUNT] = {
#define TC_FRAMEWORK_KIND(id, kind) [TC_FRAMEWORK_##id] = #id,
#include "names/label/framework_kinds.def"
	};

	return names[kind];
}

#define TC_FACT(id, name, function, type)                                                          \
	static const char *name_of_##id(unsigned value)                                            \
	{                                                                                          \
		return function((enum type)value);                                                 \
	}
#include "names/facts.def"

static const struct {
	const char *name;
	const char *(*value)(unsigned value);
} facts[TC_FACT_COUNT] = {
#define TC_FACT(id, name, function, type) {name, name_of_##id},
#define TC_YES(id, name) {name, yes},
#include "names/facts.def"
};

const char *tc_fact_name(enum tc_fact fact)
{
	return facts[fact].name;
}

const char *tc_fact_value_name(enum tc_fact fact, uint8_t value)
{
	const char *name = value > 1 ? facts[fact].value(value - 1u) : NULL;

	return name ? name : "none";
}
