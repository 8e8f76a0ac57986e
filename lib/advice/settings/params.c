/* Thresholds of one run; see settings.h. */
#include "advice/settings/settings.h"

static size_t param_count(const struct tc_heuristic *heuristic)
{
	size_t count = 0;

	while (heuristic->params[count].name)
		count++;
	return count;
}

int tc_params_init(struct tc_params *params, const struct tc_catalogue *catalogue)
{
	size_t count = tc_catalogue_count(catalogue), total = 0;

	for (size_t i = 0; i < count; i++)
		total += param_count(tc_catalogue_at(catalogue, i));
	TC_ARENA(&params->arena, params->values, total);
	TC_ARENA(&params->arena, params->first, count);
	if (params->arena.has_failed) {
		tc_params_clear(params);
		return -1;
	}
	size_t next = 0;
	for (size_t i = 0; i < count; i++) {
		params->first[i] = next;
		const struct tc_param *param = tc_catalogue_at(catalogue, i)->params;
		for (; param->name; param++)
			params->values[next++] = param->value;
	}
	return 0;
}

void tc_params_clear(struct tc_params *params)
{
	tc_arena_clear(&params->arena);
	*params = TC_PARAMS_EMPTY;
}

double *tc_params_of(const struct tc_params *params, size_t index)
{
	return params->values + params->first[index];
}
