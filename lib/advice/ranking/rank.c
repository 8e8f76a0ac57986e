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

int tc_rank_gains(int64_t gain_ns, int64_t rank_ns, int64_t other_gain_ns, int64_t other_rank_ns)
{
	bool is_general = rank_ns != gain_ns, other_is_general = other_rank_ns != other_gain_ns;

	if (rank_ns != other_rank_ns)
		return rank_ns > other_rank_ns ? -1 : 1;
	return is_general - other_is_general;
}

/* <0 when a comes before b; TC_GAIN_NONE is the smallest gain. */
static int compare(const void *left, const void *right)
{
	const struct tc_finding *a = left, *b = right;

	if (is_serious(a) != is_serious(b))
		return is_serious(a) ? -1 : 1;
	if (is_about_file(a) != is_about_file(b))
		return is_about_file(a) ? -1 : 1;
	int gains = tc_rank_gains(a->gain_ns, a->rank_ns, b->gain_ns, b->rank_ns);
	if (gains != 0)
		return gains;
	if (a->severity != b->severity)
		return a->severity > b->severity ? -1 : 1;
	if (a->confidence != b->confidence)
		return a->confidence > b->confidence ? -1 : 1;
	return strcmp(a->heuristic->id, b->heuristic->id);
}

void tc_rank(struct tc_finding *findings, size_t count)
{
	for (size_t i = 0; i < count; i++)
		find_rest(findings, count, &findings[i]);
	TC_SORT(findings, count, compare);
}
