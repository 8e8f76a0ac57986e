/* The registry: heuristics/heuristics.def as an array, and the words for the enums of advice. */
#include "tracecoach/advice.h"

#include <string.h>

#define TC_HEURISTIC(name) extern const struct tc_heuristic tc_h_##name;
#include "heuristics/heuristics.def"
#undef TC_HEURISTIC

static const struct tc_heuristic *const registry[] = {
#define TC_HEURISTIC(name) &tc_h_##name,
#include "heuristics/heuristics.def"
#undef TC_HEURISTIC
};

const struct tc_heuristic *const *tc_heuristics(size_t *count)
{
	*count = sizeof(registry) / sizeof(registry[0]);
	return registry;
}

const struct tc_heuristic *tc_heuristic_find(const char *id)
{
	for (size_t i = 0; i < sizeof(registry) / sizeof(registry[0]); i++)
		if (strcmp(registry[i]->id, id) == 0)
			return registry[i];
	return NULL;
}

const char *tc_severity_name(enum tc_severity severity)
{
	static const char *const names[] = {
		[TC_SEVERITY_INFO] = "info",
		[TC_SEVERITY_LOW] = "low",
		[TC_SEVERITY_MEDIUM] = "medium",
		[TC_SEVERITY_HIGH] = "high",
	};
	return names[severity];
}

const char *tc_confidence_name(enum tc_confidence confidence)
{
	static const char *const names[] = {
		[TC_CONFIDENCE_GUESSED] = "guessed",
		[TC_CONFIDENCE_INFERRED] = "inferred",
		[TC_CONFIDENCE_MEASURED] = "measured",
	};
	return names[confidence];
}

const char *tc_outcome_name(enum tc_outcome outcome)
{
	static const char *const names[] = {
		[TC_OUTCOME_FIRED] = "fired",
		[TC_OUTCOME_QUIET] = "quiet",
		[TC_OUTCOME_NOT_APPLICABLE] = "not_applicable",
		[TC_OUTCOME_NOT_ASKED] = "not_asked",
		[TC_OUTCOME_FAILED] = "failed",
	};
	return names[outcome];
}
