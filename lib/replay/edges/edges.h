/* What the edges of the host and those of devices share while a walk makes a program; see replay.h. */
#ifndef TC_REPLAY_EDGES_EDGES_H
#define TC_REPLAY_EDGES_EDGES_H

#include "replay/edit/edit.h"
#include "replay/habits/habits.h"
#include "replay/edit/match.h"
#include "core/pool.h"
#include "replay/program/slots.h"

#define TC_US INT64_C(1000)

/* Thresholds, all of them. */
#define TC_UNEXPLAINED_NS (10 * TC_US) /* a later start has a cause that is not known */
#define TC_HANDOVER_NS (20 * TC_US)    /* a thread silent for longer may have waited for another */
#define TC_RELEASE_NS (50 * TC_US)     /* a call returns at most this long after what released it */
#define TC_BLOCKED_NS (20 * TC_US) /* a stretch that is longer, and 3 x the usual, may be a wait */
#define TC_QUEUED_MIN 2            /* a call waits for its queue only with so many before it */
#define TC_CALL_COST_NS (10 * TC_US) /* what a wait costs when nothing is left to wait for */

#define TC_INDEX_NONE_32 UINT32_MAX

struct tc_edge_slice {
	struct tc_walk_slice slice;
	struct tc_clause_set whole; /* clauses that take the time of all of it, with those around */
	struct tc_clause_set frees; /* of them and of its own, those after which it waits no more */
	struct tc_clause_set work;  /* clauses that take its own time */
	const struct tc_lowered *lowered; /* the graph that it makes; NULL: none */
	uint16_t work_mask, wait_mask, frees_mask;
	uint64_t inside;
	enum tc_role role;
	bool may_wait;
	int64_t task; /* of tasks and hand-overs: its number; else -1 */
};

/* Operations that a graph is made of, by the clauses that take their time. */
struct tc_edge_built {
	struct tc_clause_set work;
	int64_t count;
};

enum { TC_EDGE_BUILT = 4 };

/* A thread runs in one slot from its first slice to its last. */
struct tc_edge_thread {
	uint32_t slot; /* TC_SLOT_NONE: has not begun */
	int64_t last_ns;
	struct tc_edge_slice *top; /* of its open slices the one that began last */
	int64_t spent_from_ns;     /* work not told to the path yet */
	uint32_t spent_label;
	enum tc_role spent_role;
	uint32_t track; /* its first one, index + 1; 0 for none */
	/* What all operations that it ran since its last launch lie in: a graph is made of them. */
	uint64_t built_inside;
	bool has_built;
	struct tc_edge_built built[TC_EDGE_BUILT]; /* those of further sets are only counted */
	int64_t built_count;
	uint64_t given_inside; /* of a launching thread: what its task was given in */
	uint32_t newer, older; /* threads by their last boundary */
};

struct tc_edge_node; /* an operation under way */

struct tc_edge_lane {
	struct tc_point end; /* of the last operation that has ended */
	uint16_t frees_mask; /* of it */
	struct tc_edge_node *open;
	int32_t step; /* of that operation, -1 for none */
	uint32_t device;
	enum tc_engine engine;
	bool is_graph; /* an engine of graphs */
};

enum { TC_EDGE_COPIES = 64, TC_EDGE_WORKS = 128, TC_EDGE_GRAPH_ENGINES = 3 };

struct tc_edge_copy {
	struct tc_point end;
	int64_t launch_ns;
	uint16_t frees_mask;
};

/* A node of MME or TPC, kept for those that take its result when the nodes between them go. */
struct tc_edge_made {
	struct tc_edge_node *node;  /* NULL: it has ended, at end */
	struct tc_point first, end; /* its first slice is done; none: not asked for while it ran */
	int64_t serial, launch_id;
	enum tc_engine engine;
	struct tc_clause_set skip; /* clauses that remove it, or let nothing wait for it */
	bool may_go;
};

enum { TC_EDGE_CUTS = 16 }; /* of more of them, every other is kept */

enum { TC_EDGE_MADE = 8, TC_EDGE_SKIPPED = 3 };

struct tc_edge_device {
	uint32_t graph_lanes[TC_EDGE_GRAPH_ENGINES]; /* of MME, TPC, and DMA within graphs */
	uint32_t recent_lanes[2]; /* lanes on which work ended last, the latest first */
	struct tc_edge_copy copies[TC_EDGE_COPIES]; /* copies that no graph has waited for yet */
	size_t copy_count;
	/* The compute that ended last, where there are collectives to wait for it; number i is kept at
	 * i % TC_EDGE_WORKS. */
	struct tc_edge_copy works[TC_EDGE_WORKS];
	uint64_t work_count;
	/* Compute since the last collectives, whether any began, and how many operations are at it
	 * since when; what these collectives may hide beside, and what they took of it. */
	int64_t computed_ns, compute_since_ns, beside_ns, hidden_ns;
	int64_t reduced_ns; /* how long the collectives since then took */
	/* Where the compute changed to another graph, in what was computed since the last collectives. */
	int64_t cuts[TC_EDGE_CUTS];
	size_t cut_count;
	bool by_graphs; /* all of it is of graphs */
	int64_t cut_launch_id;
	uint32_t compute_count;
	bool has_computed;
	uint64_t passes; /* bits of the terms about stretches that hold for the latest compute */
	uint32_t open_count; /* operations under way; since when there are any */
	int64_t open_since_ns, first_ns, last_ns, busy_ns;
	struct tc_point
		reduced; /* gradients: the last collective has ended, and no update has begun */
	uint16_t reduced_frees;
	int64_t graph_launch_id; /* of the execution that is under way */
	struct tc_edge_node
		*latest; /* of its nodes, the one that started last; NULL: it has ended */
	/* The node of a graph that ended last */
	int64_t node_ts_ns, node_end_ns, node_launch_id;
	enum tc_engine node_engine;
	struct tc_edge_made made[TC_EDGE_MADE]; /* the latest nodes, by serial; they count from 1 */
	int64_t made_count;
};

struct tc_edges {
	const struct tc_timeline *timeline;
	struct tc_habits habits;
	struct tc_match *match;
	const struct tc_clause *clauses;
	struct tc_clause_set full; /* clauses that take all of the time */
	struct tc_clause_set gaps; /* these, and those that take the short gaps too */
	struct tc_slots slots;
	struct tc_launching_table *launches;
	struct tc_edge_thread *threads;
	uint32_t newest_thread;
	int64_t give_count, task_count;
	int64_t give_lead,
		taken_give;         /* number of a task's hand-over less its own; the last taken */
	struct tc_launching *gives; /* the last hand-overs, by number */
	struct tc_edge_lane *lanes;
	uint32_t *lane_of_track;
	size_t lane_count;
	struct tc_edge_device *devices;
	struct tc_pool nodes;
	/* Over all devices: what ended last; the latest start or end of what is computed; the end of
	 * the last task. */
	struct tc_point ended, worked, task_end;
	int64_t queued_count; /* calls whose work has not started yet */
	/* How long the main thread has worked so far, or waited for others that did; how long these did, and
	 * how much of that it has seen. */
	int64_t worked_ns, others_ns, seen_others_ns, others_until_ns;
	bool any_work;   /* a device has begun to work */
	bool any_launch; /* some work had a launch that is known */
	int64_t end_ns;  /* of all that counts for the wall time */
};

enum { TC_EDGE_GIVES = 256 };

enum tc_status tc_edges_slice_begins(void *user, struct tc_walk_slice *slice);
enum tc_status tc_edges_slice_ends(void *user, struct tc_walk_slice *slice);
/* When a call launched what starts now: when it returned, or where its thread is. */
struct tc_point tc_edges_launched_at(const struct tc_edges *edges, const struct tc_launching *call);

/* An operation becomes part of the next graph; that graph is launched: what all its operations lie in. */
void tc_edges_note_built(struct tc_edges *edges, const struct tc_edge_slice *slice);
uint64_t tc_edges_take_built(struct tc_edge_thread *thread);
/* The slice has made a graph for own_ns: the part of nodes and operations that go does, too. */
void tc_edges_lower(struct tc_edges *edges, const struct tc_edge_thread *thread,
	const struct tc_edge_slice *slice, int64_t own_ns);

/* The end of the host's part of the program. */
void tc_edges_end_host(struct tc_edges *edges);

/* Makes the lanes. False when memory is out. */
bool tc_edges_make_lanes(struct tc_edges *edges);
size_t tc_edges_op_bytes(void);
size_t tc_edges_node_bytes(void);
enum tc_status tc_edges_op_starts(void *user, struct tc_walk_op *op);
enum tc_status tc_edges_op_ends(void *user, struct tc_walk_op *op);
void tc_edges_end_devices(struct tc_edges *edges);
/* How long the device that waits most has no work; INT64_MAX when no device has any. */
int64_t tc_edges_idle_ns(const struct tc_edges *edges);

#endif
