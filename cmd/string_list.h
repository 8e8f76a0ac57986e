/* A growing list of strings that it owns. */
#ifndef TC_CMD_STRING_LIST_H
#define TC_CMD_STRING_LIST_H

#include <stddef.h>

struct tc_strings {
	char **items; /* NULL at the end; NULL without any */
	size_t count, capacity;
};

/* Adds a copy. Returns 0, or -1 with everything unchanged when memory is out. */
int tc_strings_add(struct tc_strings *strings, const char *string);
void tc_strings_clear(struct tc_strings *strings); /* frees; ready for use again */

/* Strings of a list that ends with NULL; 0 for no list. */
size_t tc_strings_count(char *const *list);

#endif
