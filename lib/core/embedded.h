/* Text files that the build puts into the program, as a table: cmake/embed.cmake makes them. */
#ifndef TC_CORE_EMBEDDED_H
#define TC_CORE_EMBEDDED_H

#include <stddef.h>

/* Tables are ordered by name and end with a name of NULL. */
struct tc_embedded {
	const char *name; /* of the file, without its directory and ending */
	const char *text;
	size_t len;
};

#endif
