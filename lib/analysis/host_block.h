/*
 * What held up the host, and what that costs the device (table host_block). Computed from
 * host_event, gap and exposed_transfer, which must be written before. store/schema/host_block.sql
 * has the rules.
 */
#pragma once

#include <sqlite3.h>
#include <stdint.h>

#include "core/context.h"

/* Memory and time grow with the number of host events that may hold up the host; time also grows
 * with the number of idle times. */
void tc_host_blocks_write(struct tc_ctx *ctx, sqlite3 *db, int64_t trace_id);
