/*
 * Fleets: many jobs at once. A batch reads the traces of many jobs into an index, one SQLite file
 * with the tables of docs/index-schema.md. See docs/fleet.md.
 */
#ifndef TRACECOACH_FLEET_H
#define TRACECOACH_FLEET_H

#include <stdbool.h>

#include "tracecoach/context.h"
#include "tracecoach/store.h"

#ifdef __cplusplus
extern "C" {
#endif

/* application_id of every index: "TrCI". The version of its schema is its user_version. */
#define TC_INDEX_APPLICATION_ID 0x54724349

/* The name of the index in the directory that a batch writes to. */
#define TC_INDEX_NAME "index.db"

/* True for an index of any version, or a directory with one named TC_INDEX_NAME. */
bool tc_index_is(const char *path);

/* Opens an index, or the one in a directory, read-only and guarded as a store is: everything of
 * store.h and query.h works on it but what asks for the tables of traces. *out is owned by the
 * caller. */
enum tc_status tc_index_open(struct tc_store **out, struct tc_ctx *ctx, const char *path);

#ifdef __cplusplus
}
#endif

#endif
