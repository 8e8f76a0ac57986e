/*
 * What was not recorded: how the trace shows that a device worked on something that is not in it.
 * Such time is neither busy nor idle (docs/gaps.md). It shows in three ways:
 *
 * - The host waits for the device until the first recorded work, or that work is in the queue, far
 *   longer than the work takes: the device was at work when the recording began.
 * - A graph waits in the queue of a device that has nothing to do, in a trace whose graphs have
 *   holes: operations are missing at the ends of graphs, too.
 * - Calls launch work that is not in the trace, where the work of other calls is. While the host
 *   then waits for the device, and while the next work is in the queue behind it, it runs.
 */
#pragma once

#include "analysis/device_tally.h"
#include "analysis/host_sweep.h"

struct tc_unrecorded;

/* NULL when memory is out, which fails the context. */
struct tc_unrecorded *tc_unrecorded_new(const struct tc_host_sweep *sweep);
void tc_unrecorded_free(struct tc_unrecorded *unrecorded); /* NULL is fine */

/* A host slice starts or ends. */
void tc_unrecorded_start(struct tc_unrecorded *unrecorded, const struct tc_host_open *host);
void tc_unrecorded_end(struct tc_unrecorded *unrecorded, const struct tc_host_open *host);

/* Whether the device works while the host is in a slice, in a gap that goes on. */
bool tc_unrecorded_in_wait(const struct tc_unrecorded *unrecorded, const struct tc_gap *gap,
	const struct tc_host_open *host);
/* Whether the device works while the call runs that launches the work which ends a gap. */
bool tc_unrecorded_in_call(const struct tc_unrecorded *unrecorded, const struct tc_gap *gap);
/* Whether it works while that work is in its queue, from a time on; since when the gap is there,
 * with all its intervals. */
bool tc_unrecorded_in_queue(const struct tc_unrecorded *unrecorded, const struct tc_gap *gap,
	int64_t since_ns, int64_t from_ns);
/* How many launches have launched unrecorded work. */
int64_t tc_unrecorded_launch_count(const struct tc_unrecorded *unrecorded);
