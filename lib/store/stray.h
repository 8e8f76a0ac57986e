/*
 * Inside of the store room: journals of SQLite's beside a store. A sealed store has none; one that
 * lies there was left by another program, often for an older file of that name. SQLite would apply
 * it to the store and destroy it.
 */
#ifndef TC_STORE_STRAY_H
#define TC_STORE_STRAY_H

#include "core/place.h"

/* Puts the path of such a file beside the place into path, as a terminated string, or nothing when
 * there is none. Returns 0, or ENOMEM. */
int tc_stray_find(struct tc_buf *path, const struct tc_place *place);

#endif
