/*
 * Place: where a path leads when the symbolic links at its end are followed. The directory is held
 * open, so what is done there by name stays in that directory, even when somebody renames it.
 */
#pragma once

#include <stdbool.h>

#include "core/buf.h"

struct tc_place {
	int directory;      /* a descriptor for the *at() calls; -1 when the place is closed */
	struct tc_buf path; /* the path with its links followed, a terminated string */
	const char *name;   /* the last part of path */
};

#define TC_PLACE_NONE ((struct tc_place){.directory = -1})

/* Nothing needs to be at the path yet. Returns 0, or an errno value with the place closed. */
int tc_place_open(struct tc_place *place, const char *path);
void tc_place_close(struct tc_place *place);

/* Whether the path leads to a directory. */
bool tc_place_is_directory(const char *path);
/* Whether the path leads to a descriptor by its number: /dev/fd/N, /dev/stderr, a link to one. What
 * is there is open already, and where it leads says nothing about a name to make a file under. Sets
 * *fd to the number, or to -1 for a descriptor of another process. */
bool tc_place_is_descriptor(int *fd, const char *path);
