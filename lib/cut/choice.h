/*
 * The choice: which events of a trace are in a cut. It sees all events twice, in one order: first
 * to find what belongs together (begins and ends, the points of an arrow), then to say of each
 * whether it is wanted. Wanted is
 * - metadata (ph M);
 * - of a range what touches it: an event from ts to ts + dur, a begin with its end;
 * - of a device what is on its lanes, its counters and memory, and the host that feeds it, by which
 *   its idle time is explained: all but calls that launch work of other devices only, and processes
 *   that launch for others only;
 * - every point of an arrow that has one in the range, or on a lane of the device;
 * - a slice that starts where such a point stands, so that a call and what it launched stay
 *   together, and where a call or its work stands of which the import knows the other in the range.
 * Memory: a bit for each event that is no complete slice, at most 32 bytes for each launch of other
 * devices, 32 bytes for each call or work of which the other lies in the range and it does not, and
 * the arrows of the cut itself.
 */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/context.h"
#include "core/sort/sorter.h"
#include "decode/raw_event.h"

/* Half-open, in the time of the file. */
struct tc_range {
	int64_t from_ns, to_ns;
};

/* A set of 64-bit numbers: open addressing, grows by doubling. */
struct tc_number_set {
	uint64_t *slots; /* 0: free */
	size_t slot_count, count;
	bool has_zero;
};

/* The part of a trace that belongs to one device. The store knows all of it. */
struct tc_device_part {
	struct tc_number_set lanes;     /* hashes of threads; of thread and args.device where a
					   thread has work of several devices */
	struct tc_number_set processes; /* hashes of pids that have lanes of this device only */
	struct tc_number_set launching,
		others;             /* and of pids that launch its work, that of others */
	struct tc_number_set hosts; /* threads of the host that are in the cut */
	struct tc_number_set calls; /* place and name of calls for other devices only */
	bool has_number; /* the name of the device is a number, by which memory events name it */
	int64_t number;
};

struct tc_choice {
	struct tc_ctx *ctx; /* to be set first; all else is zero */
	struct tc_range range;
	int64_t launch_until_ns; /* work of calls from then on is there only within the range */
	bool has_device;         /* instead of the range */
	struct tc_device_part device;
	struct tc_sorter *points;
	int64_t point_count;          /* events seen that belong together with others */
	int64_t asked_count;          /* of them, in the second pass */
	unsigned char *wanted;        /* a bit for each point */
	struct tc_number_set arrows;  /* those with a point in the part */
	struct tc_number_set anchors; /* the places of their points: track and time */
};

/* Chooses the work of a device, or without one a range; the store knows what launched what.
 * TC_ERR_USAGE for a device that the trace does not have. */
void tc_choice_begin(
	struct tc_choice *choice, sqlite3 *db, const struct tc_range *range, const char *device);
void tc_choice_clear(struct tc_choice *choice); /* frees */

/* First pass: an event. */
void tc_choice_see(struct tc_choice *choice, const struct tc_raw_event *event);
/* Between the passes. */
void tc_choice_decide(struct tc_choice *choice);
/* Second pass: is the next event wanted? */
bool tc_choice_wants(struct tc_choice *choice, const struct tc_raw_event *event);
