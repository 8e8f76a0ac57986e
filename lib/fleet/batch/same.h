/* Whether the rows of a job are still valid. */
#ifndef TC_FLEET_BATCH_SAME_H
#define TC_FLEET_BATCH_SAME_H

#include "fleet/batch/state.h"

/* Whether the record still describes the files of a job. *touched: their times changed, but not
 * their content. */
bool tc_fleet_same(bool *touched, struct tc_fleet *batch, size_t job, struct tc_text record);

/* The hash of a file's bytes. False when they cannot be read. */
bool tc_fleet_hash_file(uint64_t *out, struct tc_ctx *ctx, const char *path);
/* The hash of names, sizes and times of side files beside a trace; 0 without any. */
uint64_t tc_fleet_hash_side(const struct tc_fleet *batch, const char *path);

#endif
