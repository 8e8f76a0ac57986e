/*
 * Flows: arrows between slices. Points of version 1 (s, t, f) lie on tracks, and nest.c finds their
 * slices; those of version 2 (bind_id of a slice) have theirs from the start. When all points have
 * a slice, the points of each flow in time order make its arrows: from the latest start or step to
 * each step and end. Allocator events get the slices around them in the same way.
 */
#ifndef TC_MODEL_FLOWS_FLOWS_H
#define TC_MODEL_FLOWS_FLOWS_H

#include "core/sort/sorter.h"
#include "model/import_log.h"
#include "model/row_sink.h"
#include "model/tracks/tracks.h"

/* MEMORY is no part of a flow: an allocator event. */
enum tc_flow_role { TC_FLOW_START = 0, TC_FLOW_STEP, TC_FLOW_END, TC_FLOW_MEMORY };

struct tc_flow_point {
	int64_t ts_ns, sequence;
	uint32_t track, label;
	struct tc_ident id; /* MEMORY: that of its row */
	bool is_v2;
	bool binds_next; /* to the next slice of the track instead of the enclosing one */
	enum tc_flow_role role;
	int64_t slice_id; /* v1: set by nest.c */
};

/* Flow v2: the bind_id of an event, which makes its slice a point of a flow. */
struct tc_flow_end {
	bool is_there;
	enum tc_flow_role role;
	struct tc_ident id;
};

struct tc_flows {
	struct tc_ctx *ctx; /* borrowed, as the next two */
	struct tc_import_log *log;
	struct tc_tracks *tracks;
	struct tc_sorter *points;       /* that have no slice yet, by track and time */
	struct tc_sorter *bound;        /* points with a slice, by flow */
	struct tc_sorter *memory_links; /* rows of memory_slice */
	int64_t sequence;               /* the order of the file */
	int64_t unbound_count;          /* points without a slice around them */
};

void tc_flows_clear(struct tc_flows *flows);

/* Adds an event of phase s, t or f. */
enum tc_status tc_flows_add(
	struct tc_flows *flows, const struct tc_raw_event *event, uint32_t track, uint32_t label);
enum tc_status tc_flows_read_v2(
	struct tc_flow_end *end, struct tc_flows *flows, const struct tc_raw_event *event);
/* Adds the point of a slice that starts at ts_ns; nothing when end is not there. */
enum tc_status tc_flows_add_v2(struct tc_flows *flows, const struct tc_flow_end *end, int64_t ts_ns,
	uint32_t label, int64_t slice_id);
enum tc_status tc_flows_add_memory(
	struct tc_flows *flows, int64_t ts_ns, uint32_t track, int64_t memory_id);

/* Adds a point whose slice_id is set. */
enum tc_status tc_flows_add_bound(struct tc_flows *flows, const struct tc_flow_point *point);

/* An arrow between two points. */
typedef enum tc_status (*tc_flow_arrow_fn)(
	void *user, const struct tc_flow_point *from, const struct tc_flow_point *to);
/* Hands every arrow to fn. *unmatched_count: points without another end. */
enum tc_status tc_flows_each(
	struct tc_flows *flows, tc_flow_arrow_fn fn, void *user, int64_t *unmatched_count);
/* Makes the rows of flow and memory_slice. */
enum tc_status tc_flows_emit(struct tc_flows *flows, struct tc_row_sink *sink);

#endif
