/* The catalogue: the built-in heuristics with the user's rules behind them. */
#include <string.h>

#include "advice/rule.h"
#include "core/alloc.h"
#include "core/nearest.h"
#include "tracecoach/advice.h"

size_t tc_catalogue_count(const struct tc_rules *rules)
{
	size_t count;

	tc_heuristics(&count);
	return count + (rules ? rules->count : 0);
}

const struct tc_heuristic *tc_catalogue_at(const struct tc_rules *rules, size_t index)
{
	size_t count;
	const struct tc_heuristic *const *registry = tc_heuristics(&count);

	return index < count ? registry[index] : &rules->rules[index - count]->heuristic;
}

size_t tc_catalogue_find(const struct tc_rules *rules, const char *id)
{
	size_t count = tc_catalogue_count(rules);

	for (size_t i = 0; i < count; i++)
		if (strcmp(tc_catalogue_at(rules, i)->id, id) == 0)
			return i;
	return count;
}

enum tc_status tc_catalogue_fail(const struct tc_rules *rules, struct tc_ctx *ctx, const char *id)
{
	size_t count = tc_catalogue_count(rules);
	const char **names = tc_calloc(count, sizeof(*names));
	enum tc_status status;

	if (!names)
		return tc_fail(ctx, TC_ERR_NOMEM, "out of memory");
	for (size_t i = 0; i < count; i++)
		names[i] = tc_catalogue_at(rules, i)->id;
	const char *near = tc_nearest(id, names, count);
	if (near)
		status = tc_fail(
			ctx, TC_ERR_USAGE, "%s: no such heuristic: did you mean '%s'?", id, near);
	else
		status = tc_fail(ctx, TC_ERR_USAGE,
			"%s: no such heuristic: 'tracecoach heuristics' lists them", id);
	tc_free(names);
	return status;
}
