/*
 * Confinement: a program that reads traces of strangers gives up what reading them does not need,
 * for good. If a parser is ever broken into, there is little left to do for whoever did it.
 */
#ifndef TRACECOACH_CONFINE_H
#define TRACECOACH_CONFINE_H

#include <stdbool.h>
#include <stddef.h>

#include "tracecoach/linkage.h"

TC_PUBLIC_BEGIN

enum tc_confined {
	TC_CONFINED_WRITES =
		1, /* Landlock: files are made and changed where outputs go, only there */
	TC_CONFINED_CALLS =
		2, /* seccomp: only system calls that reading and writing need; others fail */
	/* Memory was out while the filter of calls was made. What is on the heap can no longer be
	 * relied on: say so and end the process at once, with _exit(). */
	TC_CONFINED_UNFINISHED = 4
};

/* The means that this system offers, flags of enum tc_confined. */
unsigned tc_confine_offered(void);

/*
 * Confines the calling thread, and the threads and processes that it will make; call it before
 * there are others. Files are then made and changed only in the directories of the outputs, count
 * paths that may not exist yet, and in those for temporary files; an output that is a directory
 * means itself. Files that are open stay as they are, and reading is not confined. has_children:
 * the process will fork(), wait for its children and end them; without it can send a signal to
 * itself only. Returns what holds now, of what the system offers: 0 on a system that offers
 * nothing, which is no error.
 */
unsigned tc_confine(const char *const *outputs, size_t count, bool has_children);

TC_PUBLIC_END

#endif
