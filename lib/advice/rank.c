/* Ranking; see rank.h. */
#include "advice/rank.h"

#include <stdlib.h>
#include <string.h>

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

/* <0 when a is told before b; TC_GAIN_NONE is the smallest gain. */
static int compare(const void *left, const void *right)
{
	const struct tc_finding *a = left, *b = right;

	if (is_serious(a) != is_serious(b))
		return is_serious(a) ? -1 : 1;
	if (is_about_file(a) != is_about_file(b))
		return is_about_file(a) ? -1 : 1;
	if (a->gain_ns != b->gain_ns)
		return a->gain_ns > b->gain_ns ? -1 : 1;
	if (a->severity != b->severity)
		return a->severity > b->severity ? -1 : 1;
	if (a->confidence != b->confidence)
		return a->confidence > b->confidence ? -1 : 1;
	return strcmp(a->heuristic->id, b->heuristic->id);
}

void tc_rank(struct tc_finding *findings, size_t count)
{
	if (count > 1)
		qsort(findings, count, sizeof(*findings), compare);
}
