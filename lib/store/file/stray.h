/*
 * Private to the store: SQLite journals next to a store. A sealed store has none; another program
 * left it there, often for an older file of that name. SQLite would apply it to the store and
 * destroy the store.
 */
#ifndef TC_STORE_FILE_STRAY_H
#define TC_STORE_FILE_STRAY_H

#include "core/files/place.h"

/* Sets path to such a file next to the place, as a terminated string, or to nothing. Returns 0 or
 * ENOMEM. */
int tc_stray_find(struct tc_buf *path, const struct tc_place *place);

/* When the place has the name of such a file: sets base to the path of its store, as a terminated
 * string. False otherwise, and when memory is out. */
bool tc_stray_base(struct tc_buf *base, const struct tc_place *place);

#endif
