/*
 * The position: where in a trace the input stands. The walk moves it over well-formed text, salvage
 * over damage. All before hold is done with; in a container or list hold is the end of the last
 * complete element, in an event its first byte.
 */
#pragma once

#include "decode/sink.h"
#include "decode/window.h"

enum tc_level {
	TC_LEVEL_TOP,       /* between top-level values */
	TC_LEVEL_CONTAINER, /* among the members of an object that has an event list */
	TC_LEVEL_LIST,      /* among the elements of the event list */
	TC_LEVEL_EVENT,     /* inside an event, or a top-level object not yet known for either */
};

struct tc_position {
	enum tc_level level;
	enum tc_form form;
	int64_t hold;
	int64_t comma_at;  /* the comma after the last element, -1 for none */
	bool element_seen; /* the list has had an element */
	bool in_container; /* the list is a member of an object */
	bool midway;       /* the list's start was never seen */
	bool event_at_top; /* no list is around the event: it may turn out to be a container */
	int trace_count;   /* containers and arrays at the top */
	int list_depth;    /* of lists in the list */
	int64_t list_count;
};

static inline void tc_position_init(struct tc_position *position)
{
	*position = (struct tc_position){.comma_at = -1};
}

/* Enters the event list that starts before offset; leaves the list or container before it. */
void tc_position_enter_list(struct tc_position *position, bool in_container, int64_t offset);
void tc_position_leave_list(struct tc_position *position, int64_t offset);
void tc_position_enter_container(struct tc_position *position);
void tc_position_leave_container(struct tc_position *position, int64_t offset);
/* A list in the list: its objects are events as well. */
static inline void tc_position_enter_inner_list(struct tc_position *position, int64_t offset)
{
	position->list_depth++;
	position->element_seen = false;
	position->comma_at = -1;
	position->hold = offset;
}

/* Another trace starts in the input; true when it is the first. */
static inline bool tc_position_start_trace(struct tc_position *position)
{
	return position->trace_count++ == 0;
}

/* Something in the list, or at the top, ended before offset. */
static inline void tc_position_end_element(struct tc_position *position, int64_t offset)
{
	position->hold = offset;
	position->element_seen = true;
	position->comma_at = -1;
}

static inline void tc_position_enter_event(struct tc_position *position, int64_t offset)
{
	position->event_at_top = position->level == TC_LEVEL_TOP;
	position->level = TC_LEVEL_EVENT;
	position->hold = offset;
}
/* Back to what is around the event, which is not done with. */
static inline void tc_position_abandon_event(struct tc_position *position)
{
	position->level = position->event_at_top ? TC_LEVEL_TOP : TC_LEVEL_LIST;
}
/* The event ended before offset. */
static inline void tc_position_leave_event(struct tc_position *position, int64_t offset)
{
	tc_position_abandon_event(position);
	tc_position_end_element(position, offset);
}

/* Between elements: what is blank need not be held, nor the comma after an element. */
void tc_position_skip_blanks(struct tc_position *position, const struct tc_window *window);

/* Skips blanks and all commas; the byte after them, or -1 when there is none yet. */
int tc_position_skip_gap(struct tc_position *position, const struct tc_window *window);
