/* Writes the capabilities of a trace (metrics has_*), which say what it can show, and a few facts
 * of the import. */
#ifndef TC_ANALYSIS_CAPABILITY_H
#define TC_ANALYSIS_CAPABILITY_H

#include "analysis/device/device_tally.h"
#include "analysis/metrics.h"
#include "analysis/host/survey.h"

void tc_capabilities_write(struct tc_tables *tables, struct tc_metric_writer *writer,
	const struct tc_device_tally *devices, const struct tc_survey *survey);

#endif
