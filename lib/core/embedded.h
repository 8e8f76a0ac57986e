/* Text files that the build puts into the program, as a table: cmake/embed.cmake makes them. */
#pragma once

#include <stddef.h>

/* Tables are ordered by name and end with a name of NULL. */
struct tc_embedded {
	const char *name; /* of the file, without its directory and ending */
	const char *text;
	size_t len;
};
