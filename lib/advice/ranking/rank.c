/* Ranking; see rank.h. */
#include "advice/ranking/rank.h"

#include <string.h>

#include "core/array.h"

static bool is_serious(const struct tc_finding *finding)
{
	return finding->heuristic->kind == TC_HEURISTIC_QUALITY &&
	       finding->severity == TC_SEVERITY_HIGH;
}

/* Notes that need nothing of a trace are about the file itself, and qualify all others: a trace
 * without device work may have lost it to a cut. */
static bool is_about_file(const struct tc_finding *finding)
{
	return is_serious(finding) && !finding->heuristic->needs[0];
}

bool tc_rank_is_part(const struct tc_heuristic *special, const struct tc_heuristic *general)
{
	for (const char *const *id = special->part_of; id && *id; id++)
		if (strcmp(*id, general->id) == 0)
			return true;
	return false;
}

bool tc_rank_counts_as_part(const struct tc_finding *special, const struct tc_finding *general)
{
	return special->confidence != TC_CONFIDENCE_GUESSED && special->gain_ns > 0 &&
	       tc_rank_is_part(special->heuristic, general->heuristic);
}

/* What special cases leave: several of them may be about the same time. */
static void find_rest(struct tc_finding *findings, size_t count, struct tc_finding *general)
{
	general->rank_ns = general->gain_ns;
	for (size_t i = 0; i < count && general->rank_ns > 0; i++)
		if (tc_rank_counts_as_part(&findings[i], general))
			general->rank_ns -= findings[i].gain_ns < general->rank_ns
						    ? findings[i].gain_ns
						    : general->rank_ns;
}

/* TC_GAIN_NONE is the smallest gain. */
TC_ORDER(compare, struct tc_finding,
	TC_DOWN_OF(is_serious) TC_DOWN_OF(is_about_file) TC_RANK_KEYS TC_DOWN(severity)
		TC_DOWN(confidence) TC_UP_STRING(heuristic->id));

void tc_rank(struct tc_finding *findings, size_t count)
{
	for (size_t i = 0; i < count; i++)
		find_rest(findings, count, &findings[i]);
	TC_SORT(findings, count, compare);
}
