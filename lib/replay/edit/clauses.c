/* See clauses.h. There are few different sets, and most slices have the same set as the one
 * before. */
#include "replay/edit/clauses.h"

#include <string.h>

#include "core/alloc.h"

static bool equal(const struct tc_clause_set *a, const struct tc_clause_set *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

static bool append(struct tc_clause_sets *sets, const struct tc_clause_set *set)
{
	if (!TC_GROW(sets->items, sets->capacity, sets->count + 1))
		return false;
	sets->items[sets->count++] = *set;
	return true;
}

bool tc_clause_sets_number(
	uint16_t *out, struct tc_clause_sets *sets, const struct tc_clause_set *set)
{
	static const struct tc_clause_set empty;
	size_t at = 0;

	*out = 0;
	if (tc_clause_set_is_empty(set))
		return true;
	if (sets->count == 0 && !append(sets, &empty))
		return false;
	if (equal(&sets->items[sets->recent], set)) {
		*out = (uint16_t)sets->recent;
		return true;
	}
	while (at < sets->count && !equal(&sets->items[at], set))
		at++;
	if (at == TC_CLAUSE_SETS_MAX)
		return true;
	if (at == sets->count && !append(sets, set))
		return false;
	sets->recent = at;
	*out = (uint16_t)at;
	return true;
}

void tc_clause_sets_clear(struct tc_clause_sets *sets)
{
	tc_free(sets->items);
	*sets = (struct tc_clause_sets){0};
}
