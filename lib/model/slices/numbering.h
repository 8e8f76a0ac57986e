/*
 * Whether most operations of a recording are missing from the file. A profiler numbers what it
 * records, so the numbers of a whole file are dense. Someone who drops events to make a file
 * smaller, or a sampling exporter, leaves holes everywhere. One numbering alone proves nothing:
 * without Python frames "Ev Idx" has holes, threads take "External id" in blocks, CUPTI also
 * numbers calls that nobody records. Where all three are thin, operations are missing.
 */
#ifndef TC_MODEL_SLICES_NUMBERING_H
#define TC_MODEL_SLICES_NUMBERING_H

#include "decode/raw_event.h"
#include "names/label/label.h"

/* Numbers that a profiler gave its events: how many are there, from which to which. */
struct tc_numbers {
	int64_t count, lowest, highest;
};

struct tc_numbering {
	struct tc_numbers events;     /* "Ev Idx" */
	struct tc_numbers operations; /* "External id" of such events */
	struct tc_numbers calls;      /* "correlation" of host calls */
};

/* Counts the numbers of an event of this label. */
void tc_numbering_add(struct tc_numbering *numbering, const struct tc_raw_event *event,
	const struct tc_label *label);

/* Of how many framework operations that were recorded the file has one; 1 where nothing proves that
 * any are missing. */
int64_t tc_numbering_one_of(const struct tc_numbering *numbering);

#endif
