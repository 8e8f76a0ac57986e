/*
 * Inside of the store room: SQLite journals next to a store. A sealed store has none; another
 * program left it there, often for an older file of that name. SQLite would apply it to the store
 * and destroy it.
 */
#ifndef TC_STORE_STRAY_H
#define TC_STORE_STRAY_H

#include "core/files/place.h"

/* Puts the path of such a file next to the place into path, as a terminated string, or nothing when
 * there is none. Returns 0, or ENOMEM. */
int tc_stray_find(struct tc_buf *path, const struct tc_place *place);

/* When the place has a name that such a file would have: puts the path of its store into base, as a
 * terminated string. False when not, and when memory is out. */
bool tc_stray_base(struct tc_buf *base, const struct tc_place *place);

#endif
