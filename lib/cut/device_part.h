/*
 * The part of a trace that belongs to one device: what is on its lanes, its counters and memory,
 * and the places of the host at which its work is launched. The store knows all of these. Memory:
 * 16 bytes for each launch.
 */
#ifndef TC_CUT_DEVICE_PART_H
#define TC_CUT_DEVICE_PART_H

#include <sqlite3.h>

#include "core/context.h"
#include "cut/number_set.h"
#include "decode/raw_event.h"

struct tc_launch_place {
	uint64_t track; /* hash: ident.h */
	int64_t ts_ns;
};

struct tc_device_part {
	struct tc_number_set lanes;       /* hashes of threads; of thread and args.device where a
					   thread has work of several devices */
	struct tc_number_set processes;   /* hashes of pids that have lanes of this device only */
	struct tc_launch_place *launches; /* by track and time */
	size_t launch_count, launch_capacity;
	bool has_number; /* the name of the device is a number, by which memory events name it */
	int64_t number;
};

/* tc_device_part_clear() afterwards, also when it failed: TC_ERR_USAGE for a device that the trace
 * does not have. */
enum tc_status tc_device_part_load(
	struct tc_device_part *part, struct tc_ctx *ctx, sqlite3 *db, const char *device);
void tc_device_part_clear(struct tc_device_part *part);

/* Is the event on a lane of the device, or one of its counters, or of its memory? */
bool tc_device_part_has(
	const struct tc_device_part *part, const struct tc_raw_event *event, uint64_t track);
/* Does a launch start in [from, to), or at from? */
bool tc_device_part_launches(
	const struct tc_device_part *part, uint64_t track, int64_t from_ns, int64_t to_ns);

#endif
