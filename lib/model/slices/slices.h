/*
 * Slices of a trace, from complete events and from pairs of begin and end events; steps.h
 * finds which of them are steps.
 *
 *   tc_slices_add_event(), tc_slices_add_begin_end()   in the order of the file
 *   tc_slices_end_pairs()                              after the last event
 *   tc_slices_hand_over()                              before the labels go to the timeline
 *
 * Failures are in the context.
 */
#pragma once

#include "core/buf.h"
#include "decode/raw_event.h"
#include "model/launch/launches.h"
#include "model/slices/steps.h"
#include "model/tracks/labels.h"

/* ---- slices with what the args of their events tell */

/* A finished slice, with what is in its event. */
struct tc_slice {
	int64_t ts_ns, dur_ns;
	uint32_t track, label;
	struct tc_text args;
	uint8_t zero_depth; /* as in tc_span */
	bool has_id;        /* args may hold numbers of the single event */
	bool has_step;      /* args say that it is a step, and its number */
	int64_t step_number;
	int64_t correlation;        /* TC_CORRELATION_NONE without one */
	uint32_t recipe, data_type; /* numbers in the timeline's texts, or TC_STRTAB_NONE */
	/* Framework operations, as in tc_span. */
	int64_t sequence;
	uint64_t shape;
	int32_t forward_thread;
	uint32_t stack, sizes, types;
};

/* Numbers that a profiler gave its events: how many are there, from which to which. */
struct tc_numbers {
	int64_t count, lowest, highest;
};

struct tc_numbering {
	struct tc_numbers events;     /* "Ev Idx" */
	struct tc_numbers operations; /* "External id" of such events */
	struct tc_numbers calls;      /* "correlation" of host calls */
};

/* The number n where the file has one of n recorded framework operations; 1 where nothing proves
 * that any are missing. */
int64_t tc_numbering_one_of(const struct tc_numbering *numbering);

struct tc_slice_args {
	struct tc_strtab *texts;              /* the timeline's; borrowed */
	struct tc_works *works;               /* the same */
	uint32_t last_recipe, last_data_type; /* of texts, or TC_STRTAB_NONE */
	size_t blocks_at; /* where the blocks of a kernel's launch stood in its args */
	struct tc_buf scratch;
	/*
	 * Call stacks: the Python frames that profilers before with_stack's own events wrote beside
	 * each operator, as one text with the innermost frame first. Stacks repeat, so each
	 * distinct one has a number, and the timeline its frames as labels.
	 */
	struct {
		struct tc_strtab texts;
		uint32_t last; /* of texts, or TC_STRTAB_NONE */
	} stacks;
	struct tc_numbering numbering; /* of all events so far */
};

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
	struct tc_steps *steps;
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
