/* Ranking; see rank.h. */
#include "advice/rank.h"

#include <stdlib.h>
#include <string.h>

static bool is_serious(const struct tc_finding *finding)
{
	return finding->heuristic->kind == TC_HEURISTIC_QUALITY &&
	       finding->severity == TC_SEVERITY_HIGH;
}

/* <0 when a is told before b; TC_GAIN_NONE is the smallest gain. */
static int compare(const void *left, const void *right)
{
	const struct tc_finding *a = left, *b = right;

	if (is_serious(a) != is_serious(b))
		return is_serious(a) ? -1 : 1;
	if (a->gain_ns != b->gain_ns)
		return a->gain_ns > b->gain_ns ? -1 : 1;
	if (a->severity != b->severity)
		return a->severity > b->severity ? -1 : 1;
	if (a->confidence != b->confidence)
		return a->confidence > b->confidence ? -1 : 1;
	return strcmp(a->heuristic->id, b->heuristic->id);
}

/* The first finding of the same bucket that is no umbrella, from index on; count when none. */
static size_t find_specific(const struct tc_finding *findings, size_t count, size_t index)
{
	enum tc_bucket bucket = findings[index].heuristic->bucket;

	for (; index < count; index++)
		if (findings[index].heuristic->bucket == bucket &&
			findings[index].heuristic->combine != TC_COMBINE_REST &&
			findings[index].gain_ns != TC_GAIN_NONE)
			break;
	return index;
}

/* Puts an umbrella behind the first finding that explains a part of its bucket: that one says
 * what to do, the umbrella only how much is left. */
static void demote(struct tc_finding *findings, size_t count, size_t index)
{
	struct tc_finding umbrella = findings[index];
	size_t specific = find_specific(findings, count, index);

	if (specific == count)
		return;
	memmove(&findings[index], &findings[index + 1], (specific - index) * sizeof(*findings));
	findings[specific] = umbrella;
}

void tc_rank(struct tc_finding *findings, size_t count)
{
	if (count < 2)
		return;
	qsort(findings, count, sizeof(*findings), compare);
	for (size_t i = count; i-- > 0;)
		if (findings[i].heuristic->combine == TC_COMBINE_REST)
			demote(findings, count, i);
}
