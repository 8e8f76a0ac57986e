/*
 * What held up the host, and what that costs the device (table host_block): computed from
 * host_event, gap and exposed_transfer, which must be written. store/schema/host_block.sql has the
 * rules.
 */
#ifndef TC_ANALYSIS_IDLE_HOST_BLOCK_H
#define TC_ANALYSIS_IDLE_HOST_BLOCK_H

#include <sqlite3.h>
#include <stdint.h>

#include "core/context.h"

/* Memory and time grow with the host events that may hold the host up, time with idle times too. */
enum tc_status tc_host_blocks_write(struct tc_ctx *ctx, sqlite3 *db, int64_t trace_id);

#endif
