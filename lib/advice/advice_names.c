#include "advice/advice_names.h"

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

const char *tc_heuristic_kind_name(enum tc_heuristic_kind kind)
{
	return kind == TC_HEURISTIC_QUALITY ? "quality" : "fix";
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
