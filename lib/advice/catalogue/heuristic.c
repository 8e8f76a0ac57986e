/* See heuristic.h. */
#include "advice/catalogue/heuristic.h"

#include <string.h>

#include "core/alloc.h"

void tc_heuristic_file_clear(struct tc_heuristic_file *file)
{
	tc_free(file->params);
	tc_free(file->says);
	tc_free(file->needs.items);
	tc_free(file->part_of.items);
	tc_free(file->edits.items);
	*file = (struct tc_heuristic_file){0};
}

int tc_param_find(const struct tc_heuristic *heuristic, const char *name)
{
	for (int i = 0; heuristic->params[i].name; i++)
		if (strcmp(heuristic->params[i].name, name) == 0)
			return i;
	return -1;
}
