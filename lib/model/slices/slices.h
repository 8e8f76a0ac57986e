/*
 * Slices of a trace, from complete events and from pairs of begin and end events, and its steps.
 *
 *   tc_slices_add_event(), tc_slices_add_begin_end()   in the order of the file
 *   tc_slices_end_pairs()                              after the last event
 *   tc_slices_hand_over()                              before the labels go to the timeline
 *   tc_slices_find_steps()                             when lanes are known, and labels handed over
 *
 * Failures are in the context.
 */
#pragma once

#include "model/launch/launches.h"
#include "model/tracks/labels.h"

/* All borrowed. */
struct tc_slice_parts {
	struct tc_ctx *ctx;
	struct tc_import_log *log;
	struct tc_row_sink *sink;
	struct tc_tracks *tracks;
	struct tc_labels *labels;
	struct tc_timeline *timeline;
	struct tc_flows *flows;
	struct tc_launches *launches;
};

struct tc_slices;

struct tc_slices *tc_slices_new(const struct tc_slice_parts *parts); /* NULL without memory */
void tc_slices_free(struct tc_slices *slices);                       /* NULL is fine */

/* Adds the slice of an event with a duration; one below zero counts as 0. Returns its id in the
 * store. */
int64_t tc_slices_add_event(
	struct tc_slices *slices, const struct tc_raw_event *event, uint32_t track, uint32_t label);
void tc_slices_add_begin_end(struct tc_slices *slices, const struct tc_raw_event *event,
	uint32_t track, uint32_t label, bool is_begin);
/* Makes the slices of begin and end events. */
void tc_slices_end_pairs(struct tc_slices *slices);
/* Gives the timeline what args said of all slices. */
void tc_slices_hand_over(struct tc_slices *slices);
/* Moves the steps of the host to the timeline, in time order, with ids from *next_id on. */
void tc_slices_find_steps(struct tc_slices *slices, int64_t *next_id);
