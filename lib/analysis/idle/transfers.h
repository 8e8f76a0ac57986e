/*
 * Transfers (table exposed_transfer): when devices do nothing but copy between host and device.
 */
#ifndef TC_ANALYSIS_IDLE_TRANSFERS_H
#define TC_ANALYSIS_IDLE_TRANSFERS_H

#include <sqlite3.h>

#include "analysis/device/gap_spool.h"
#include "analysis/steps/windows.h"

/* Writes the rows from the transfers of the spool, which it reads from the start. */
enum tc_status tc_transfers_write(struct tc_ctx *ctx, sqlite3 *db, const struct tc_windows *windows,
	struct tc_gap_spool *spool);

#endif
