/*
 * The choice: which events of a trace are in a cut. It sees all events twice, in the same order:
 * first to find what belongs together (begins and ends, the points of an arrow), then to say of
 * each whether it is wanted. Wanted is
 * - metadata (ph M);
 * - of a range what touches it: an event from ts to ts + dur, a begin with its end;
 * - of a device what is on its lanes, its counters and memory, and host slices in which its work is
 *   launched;
 * - every point of an arrow that has one in the range, or on a lane of the device;
 * - a slice that starts where such a point stands, so that a call and what it launched stay
 *   together.
 * Memory: a bit for each event that is no complete slice, and what the cut itself has of arrows.
 */
#ifndef TC_CUT_CHOICE_H
#define TC_CUT_CHOICE_H

#include "core/sort/sorter.h"
#include "cut/device_part.h"
#include "cut/number_set.h"
#include "cut/range.h"
#include "decode/raw_event.h"

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

#endif
