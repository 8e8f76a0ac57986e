/*
 * Flows: arrows between slices. Points of version 1 (s, t, f) lie on tracks and are bound to slices
 * when the timeline is sorted; those of version 2 (bind_id of a slice) have theirs from the start.
 * Allocator events get the slices around them as points do. Failures are in the context.
 */
#pragma once

#include "core/sort/sorter.h"
#include "model/output.h"
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
	int64_t slice_id; /* of version 1: once it is bound */
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

static inline void tc_flows_clear(struct tc_flows *flows)
{
	tc_sorter_free(flows->points);
	tc_sorter_free(flows->bound);
	tc_sorter_free(flows->memory_links);
}

/* Adds an event of phase s, t or f. */
void tc_flows_add(
	struct tc_flows *flows, const struct tc_raw_event *event, uint32_t track, uint32_t label);
struct tc_flow_end tc_flows_read_v2(struct tc_flows *flows, const struct tc_raw_event *event);
/* Adds the point of a slice that starts at ts_ns; nothing when end is not there. */
void tc_flows_add_v2(struct tc_flows *flows, const struct tc_flow_end *end, int64_t ts_ns,
	uint32_t label, int64_t slice_id);
void tc_flows_add_memory(struct tc_flows *flows, int64_t ts_ns, uint32_t track, int64_t memory_id);

/* An arrow between two points. */
typedef void (*tc_flow_arrow_fn)(
	void *user, const struct tc_flow_point *from, const struct tc_flow_point *to);
/* Binds the points on tracks to their slices, so that tc_flows_emit() finds none, and hands every
 * arrow to fn. */
void tc_flows_bind_each(struct tc_flows *flows, const struct tc_timeline *timeline,
	tc_flow_arrow_fn fn, void *user);
/* Binds the points that are not bound, and makes the rows of slice_nest, flow and memory_slice. */
void tc_flows_emit(
	struct tc_flows *flows, const struct tc_timeline *timeline, struct tc_row_sink *sink);
