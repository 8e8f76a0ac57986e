/* Device work under way. While its start is processed, what it waited for is collected; see
 * replay.h. */
#ifndef TC_REPLAY_EDGES_NODE_H
#define TC_REPLAY_EDGES_NODE_H

#include "replay/edges/edges.h"
#include "replay/habits/pipeline.h"

struct tc_edge_node {
	uint32_t open_count; /* parts under way */
	uint32_t slot, lane, label, recipe;
	uint32_t track; /* of its first part */
	enum tc_engine engine;
	int64_t ts_ns, end_ns, launch_ns, launch_id;
	int64_t slice_id; /* of its first part */
	int32_t step;
	uint16_t save_mask, frees_mask;
	uint16_t start_mask; /* save_mask, and clauses that take only the time to start */
	bool is_early;       /* it started just before the end of the work before it */
	bool is_copy;        /* a copy outside of graphs */
	bool is_input;       /* such a copy, to the device */
	struct tc_edge_node *next, *before; /* neighbours under way on its lane, by start */
	/* The node of another engine whose result this one takes slice by slice, and the node that
	 * takes its own. Once the producer has ended, `fed` is its end. */
	struct tc_edge_node *producer, *consumer;
	struct tc_point fed;
	struct tc_clause_set fed_skip; /* `skip` of the producer */
	int64_t serial;                /* of its entry in `made` of its device; 0: none */
	/* serials of the nodes whose result it takes when the nodes between are removed; 0: none */
	int64_t fed_by[TC_EDGE_SKIPPED];
	struct tc_clause_set skip; /* clauses that remove it or let nothing wait for it */
	bool may_go;               /* clauses remove it: those of gone_mask */
	uint16_t gone_mask;
	/* of work that may go and waited for more than its launch and its lane: the end of the work
	 * before it on its lane */
	struct tc_point lane_before;
	struct tc_clause_set hide;
	int64_t slice_ppm; /* how much of the producer was done when this node started */
};

/* A node that starts, and what is known so far of what it waited for. */
struct tc_edge_start {
	struct tc_edges *edges;
	struct tc_edge_node *node;
	bool any;
	int64_t slack_ns;      /* least slack so far */
	int64_t gap_ns;        /* what of it is left when the node waits for its lane */
	int elsewhere_count;   /* waits for more than its launch and its lane */
	uint16_t overlap_mask; /* clauses that let it start beside the other engine's work */
};

/* A program operation with the fields of the node filled in. */
struct tc_replay_op tc_edge_node_op(const struct tc_edges *edges, const struct tc_edge_node *node,
	enum tc_replay_kind kind, enum tc_piece piece);
void tc_edge_wait_for(
	struct tc_edge_start *start, struct tc_point point, enum tc_piece piece, uint16_t frees);
void tc_edge_wait_for_lane(struct tc_edge_start *start, uint32_t lane);
/* The point at which a node had done a part of its work, in a slot of its own. */
struct tc_point tc_edge_point_within(
	struct tc_edges *edges, const struct tc_edge_node *node, int64_t time_ns);
void tc_edge_save(struct tc_edges *edges, const struct tc_edge_node *node, int64_t time_ns,
	int64_t amount_ns, uint16_t mask);

/* Compute has ended: keeps it for collectives that wait for it. */
void tc_edge_keep_work(
	struct tc_edges *edges, const struct tc_edge_node *node, struct tc_point end);
/* A collective that starts waits for the compute that was launched before it. */
void tc_edge_wait_for_compute(struct tc_edge_start *start);
/* Neither communication nor a copy. */
bool tc_edge_is_compute(const struct tc_edge_node *node);
/* A node of any kind starts. Consecutive collectives share the compute before the first of them. */
void tc_edge_note_compute_start(struct tc_edge_device *device, const struct tc_edge_node *node);
void tc_edge_note_compute_end(struct tc_edge_device *device, int64_t time_ns);
/* The first work of an update reads the gradients that collectives have reduced. Traces do not show
 * this wait: streams wait for each other's events. */
void tc_edge_wait_for_gradients(struct tc_edge_start *start, const struct tc_launching *call);
/* A collective ends: takes off the time that can be hidden beside compute. */
void tc_edge_hide(struct tc_edges *edges, const struct tc_edge_node *node);
/* A node of a graph starts: it waits for the graph's other nodes and for the copies of its
 * inputs. */
void tc_edge_wait_for_graph(struct tc_edge_start *start);
/* A node ends: edits take their part of its work, and it ends no earlier than its inputs allow. */
void tc_edge_end_work(struct tc_edges *edges, struct tc_edge_node *node);
/* The node has ended: its consumer learns when. */
void tc_edge_leave_graph(struct tc_edges *edges, struct tc_edge_node *node, int64_t time_ns);

#endif
