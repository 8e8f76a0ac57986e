/*
 * The items of a page: slices, steps and idle time of a trace on the rows of tracks. When there are
 * too many slices, short ones are merged: those on one row that start in the same piece of time
 * become one item, which has their count. Slices within windows, which a reader will look at
 * closely, are not merged.
 */
#pragma once

#include "report/html/tracks.h"

#define TC_ITEM_ROWS 64 /* of a track; deeper slices are drawn over the last row */

struct tc_item {
	int64_t ts, dur;
	int64_t id,
		longest_ns; /* of merged ones the longest: its slice.id; -1 when it is no slice */
	uint32_t label;     /* its label.id; or tc_items.label_base and an index of names */
	uint32_t count;     /* slices in it */
	uint32_t track;     /* index of its track */
	uint32_t row;       /* of the track */
	uint32_t launcher;  /* idle time: track of the call that launched the next work; 0: none */
	int64_t late_rank;  /* the rank that it waits for; valid with is_wait */
	bool is_wait;
};

struct tc_window {
	int64_t begin, end;
};

struct tc_items {
	struct tc_item
		*all; /* by track, row and time; in a row, none overlaps the next but the last */
	size_t count, capacity;
	uint32_t label_base;
	char **names; /* of items that are not slices; owned */
	size_t name_count, name_capacity;
};

/* Which slices to merge. */
struct tc_item_options {
	int64_t least_ns; /* merges slices shorter than this; 0 merges none */
	size_t most;      /* limit on items: least_ns is doubled until they fit */
	const struct tc_window *windows;
	size_t window_count;
};

/* Call tc_items_clear() afterwards, also after a failure. options->least_ns becomes the value used.
 * */
void tc_items_load(struct tc_items *items, const struct tc_page_tracks *tracks,
	struct tc_item_options *options);
void tc_items_clear(struct tc_items *items);
