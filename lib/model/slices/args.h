/* Slices with what the args of their events tell; args.c reads it. */
#pragma once

#include "core/buf.h"
#include "decode/raw_event.h"
#include "model/tracks/labels.h"

/* Tracers number correlations from 1; 0 means none. */
#define TC_CORRELATION_NONE 0

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

void tc_slice_args_init(struct tc_slice_args *reader, struct tc_timeline *timeline);
void tc_slice_args_clear(struct tc_slice_args *reader);
/* Sets all members of *slice that come from args. */
void tc_slice_args_read(struct tc_slice *slice, struct tc_slice_args *reader,
	const struct tc_raw_event *event, const struct tc_label *label);
/* Gives the timeline the frames of all stacks, whose labels are added, and recorded_one_of. Before
 * the labels are handed over. */
void tc_slice_args_hand_over(
	const struct tc_slice_args *reader, struct tc_labels *labels, struct tc_timeline *timeline);
