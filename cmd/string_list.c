#include "string_list.h"

#include <stdlib.h>
#include <string.h>

static int grow(struct tc_strings *strings)
{
	size_t capacity = strings->capacity > 0 ? strings->capacity * 2 : 16;
	char **items = realloc(strings->items, capacity * sizeof(*items));

	if (!items)
		return -1;
	strings->items = items;
	strings->capacity = capacity;
	return 0;
}

int tc_strings_add(struct tc_strings *strings, const char *string)
{
	char *copy = strdup(string);

	if (!copy || (strings->count + 1 >= strings->capacity && grow(strings) != 0)) {
		free(copy);
		return -1;
	}
	strings->items[strings->count++] = copy;
	strings->items[strings->count] = NULL;
	return 0;
}

void tc_strings_clear(struct tc_strings *strings)
{
	for (size_t i = 0; i < strings->count; i++)
		free(strings->items[i]);
	free(strings->items);
	*strings = (struct tc_strings){0};
}

size_t tc_strings_count(char *const *list)
{
	size_t count = 0;

	while (list && list[count])
		count++;
	return count;
}
