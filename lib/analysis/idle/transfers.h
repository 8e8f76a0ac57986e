/*
 * Transfers (table exposed_transfer): when devices do nothing but copy between host and device.
 */
#ifndef TC_ANALYSIS_IDLE_TRANSFERS_H
#define TC_ANALYSIS_IDLE_TRANSFERS_H

#include "analysis/device/gap_spool.h"
#include "analysis/steps/windows.h"
#include "store/tables.h"

/* Writes the rows from the transfers of the spool, which it reads from the start. */
void tc_transfers_write(
	struct tc_tables *tables, const struct tc_windows *windows, struct tc_gap_spool *spool);

#endif
