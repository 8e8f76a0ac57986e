/*
 * Files of other kinds than traces, known well enough to say what they are and how to get a trace
 * from them or instead of them. Content decides before the name.
 */
#ifndef TC_SOURCE_FOREIGN_H
#define TC_SOURCE_FOREIGN_H

#include "core/text.h"

struct tc_foreign {
	const char *what;   /* "a tar archive" */
	const char *remedy; /* what to do, as a clause */
};

/* First bytes that are looked at: of a database, in which the names of its tables stand, and of
 * all others. */
enum { TC_FOREIGN_DATABASE_BYTES = 4 * 1024 * 1024, TC_FOREIGN_HEAD_BYTES = 4096 };

/* What a file with this head, decompressed, and this name is; NULL when it may be a trace. Borrowed
 * for ever. */
const struct tc_foreign *tc_foreign_find(struct tc_text head, const char *name);

bool tc_foreign_is_database(struct tc_text head);
/* True for a database that is known to be another program's. */
bool tc_foreign_is_other_database(struct tc_text head, const char *name);

#endif
