/* What the files of this room offer each other, file by file. */
#ifndef TC_CUT_PARTS_H
#define TC_CUT_PARTS_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/buf.h"
#include "core/context.h"
#include "core/hash.h"
#include "core/sort/sorter.h"
#include "decode/raw_event.h"
#include "source/codec.h"
#include "tracecoach/cut.h"
#include "tracecoach/report.h"

/* ---- number_set.c: a set of 64-bit numbers: open addressing, grows by doubling. Zeroed it is
 * empty. */

struct tc_number_set {
	uint64_t *slots; /* 0: free */
	size_t slot_count, count;
	bool has_zero;
};

void tc_number_set_clear(struct tc_number_set *set); /* frees */
/* False when memory is out. */
bool tc_number_set_add(struct tc_number_set *set, uint64_t number);
bool tc_number_set_has(const struct tc_number_set *set, uint64_t number);

/* ---- ident.c: pids, tids and ids of events as hashes: 7, "7" and 7.0 are one, and none is 0, as
 * for the model. */

void tc_ident_add(struct tc_hash *hash, const struct tc_scalar *scalar);
void tc_ident_add_text(struct tc_hash *hash, struct tc_text text);

uint64_t tc_ident_hash(const struct tc_scalar *scalar);
/* Of a thread; an absent tid is the pid. */
uint64_t tc_ident_track(const struct tc_scalar *pid, const struct tc_scalar *tid);

/* ---- range.c: the time that a cut is of: from the options, and what the store knows of steps and
 * findings. */

/* Half-open, in the time of the file. */
struct tc_range {
	int64_t from_ns, to_ns;
};

/* The range that options ask for in the only trace of a store. */
enum tc_status tc_range_find(struct tc_range *out, struct tc_ctx *ctx, sqlite3 *db,
	const struct tc_cut_options *options);

/* Is something of [from, to) in the range? What has no length is, when its time is. */
static inline bool tc_range_touches(const struct tc_range *range, int64_t from_ns, int64_t to_ns)
{
	if (from_ns == to_ns)
		return from_ns >= range->from_ns && from_ns < range->to_ns;
	return from_ns < range->to_ns && to_ns > range->from_ns;
}

/* ---- device_part.c: the part of a trace that belongs to one device: what is on its lanes, its
 * counters and memory, and the places of the host at which its work is launched. The store knows
 * all of these. Memory: 16 bytes for each launch. */

struct tc_launch_place {
	uint64_t track; /* hash: see ident.c */
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

/*
 * ---- choice.c: the choice: which events of a trace are in a cut. It sees all events twice, in the
 * same order: first to find what belongs together (begins and ends, the points of an arrow), then
 * to say of each whether it is wanted. Wanted is
 * - metadata (ph M);
 * - of a range what touches it: an event from ts to ts + dur, a begin with its end;
 * - of a device what is on its lanes, its counters and memory, and host slices in which its work is
 *   launched;
 * - every point of an arrow that has one in the range, or on a lane of the device;
 * - a slice that starts where such a point stands, so that a call and what it launched stay
 *   together.
 * Memory: a bit for each event that is no complete slice, and what the cut itself has of arrows.
 */

struct tc_choice {
	struct tc_ctx *ctx;
	struct tc_range range;
	bool has_device;              /* instead of the range */
	struct tc_device_part device; /* valid with has_device */
	struct tc_sorter *points;
	int64_t point_count;          /* events seen that belong together with others */
	int64_t asked_count;          /* of them, in the second pass */
	unsigned char *wanted;        /* a bit for each point */
	struct tc_number_set arrows;  /* those with a point in the part */
	struct tc_number_set anchors; /* the places of their points: track and time */
};

void tc_choice_clear(struct tc_choice *choice); /* frees */

/* First pass: an event. */
enum tc_status tc_choice_see(struct tc_choice *choice, const struct tc_raw_event *event);
/* Between the passes. */
enum tc_status tc_choice_decide(struct tc_choice *choice);
/* Second pass: is the next event wanted? */
bool tc_choice_wants(struct tc_choice *choice, const struct tc_raw_event *event);

/* ---- trace_writer.c: writes a trace: members and events as they come, one object around them.
 * Members that come after events stand after the list of events. */

struct tc_trace_writer {
	struct tc_ctx *ctx;
	tc_write_fn write;
	void *user;
	struct tc_deflate *gzip; /* NULL for plain text */
	struct tc_buf text;      /* not written yet */
	struct tc_buf members;   /* those after events */
	int64_t event_count;
};

enum tc_status tc_trace_writer_init(struct tc_trace_writer *writer, struct tc_ctx *ctx,
	tc_write_fn write, void *user, bool gzip);
void tc_trace_writer_clear(struct tc_trace_writer *writer); /* frees */

/* A member: its name, and its value as JSON. */
enum tc_status tc_trace_writer_member(
	struct tc_trace_writer *writer, struct tc_text name, struct tc_text json);
/* An event as JSON. */
enum tc_status tc_trace_writer_event(struct tc_trace_writer *writer, struct tc_text json);
enum tc_status tc_trace_writer_finish(struct tc_trace_writer *writer);

#endif
