/* Lane tally (table lane_total): how many operations each device lane ran, and for how long. */
#ifndef TC_ANALYSIS_DEVICE_LANE_TOTAL_H
#define TC_ANALYSIS_DEVICE_LANE_TOTAL_H

#include "analysis/device/device_tally.h"

/* Writes a row per lane with operations. The rows of table track must be there already. */
void tc_lane_totals_write(const struct tc_device_tally *devices, struct tc_tables *tables);

#endif
