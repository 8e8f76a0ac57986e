/* The parts of device time and of host time: the rows of the report, in their order. */
#ifndef TC_REPORT_VIEW_PARTS_H
#define TC_REPORT_VIEW_PARTS_H

#include <stddef.h>

#include "core/text.h"
#include "report/view/rows.h"

struct tc_part {
	enum tc_metric id;
	const char *name;
};

struct tc_host_part {
	enum tc_metric own, exposed;
	const char *name;
	const char *role; /* label.role */
};

/* The *count parts of a device's busy time; the rest of the wall time is idle. */
const struct tc_part *tc_device_parts(bool gaudi, size_t *count);
/* The *count parts of the launching threads' time; they add up to all of it. */
const struct tc_host_part *tc_host_parts(size_t *count);

/* How reports write an engine, "TPC" for tpc, and an engine or a role, "data loader" for
 * dataloader. */
struct tc_text tc_engine_title(struct tc_text name);
struct tc_text tc_part_title(struct tc_text name);

#endif
