/*
 * Why devices are idle (tables gap, gap_total, gap_host, idle_total and exposed_transfer).
 *
 * Every gap is cut at the launch of the operation that ended it. The part before goes to what the
 * launching thread was doing; the rest is launch or queued. docs/gaps.md states the rules. The rows
 * of a device in gap add up to its idle time; the time before the first and after the last work has
 * no rows there.
 *
 * Where gap_total has the gaps between the first and the last work, wherever they lie, idle_total
 * has the time that the report calls idle: gaps as far as they lie in the analysed time, and the
 * time before the first and after the last work in it, of the whole and of each step.
 */
#pragma once

#include "analysis/device_tally.h"

/* Shorter gaps are summed up. Single rows would be more than a reader could look at, and short gaps
 * are mostly the device's own pause between two operations (1 to 5 us on the devices we have traces
 * of). */
#define TC_GAP_ROW_MIN_NS TC_HOLE_MIN_NS

/* A call that launches one kernel and takes at least this long loads the kernel's code: launches
 * take 3 to 10 us. Our default, no published source. */
#define TC_LOAD_MIN_NS INT64_C(1000000)
