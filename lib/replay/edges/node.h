/* Device work under way, and what it waits for while its start is collected; see replay.h. */
#ifndef TC_REPLAY_EDGES_NODE_H
#define TC_REPLAY_EDGES_NODE_H

#include "replay/edges/edges.h"
#include "replay/habits/pipeline.h"

struct tc_edge_node {
	uint32_t open_count; /* of its parts */
	uint32_t slot, lane, label, recipe;
	uint32_t track; /* of its first part */
	enum tc_engine engine;
	int64_t ts_ns, end_ns, launch_ns, launch_id;
	int32_t step;
	uint16_t save_mask, frees_mask;
	bool is_copy;              /* not within a graph */
	bool is_input;             /* such a copy to the device */
	struct tc_edge_node *next; /* under way on its lane */
	/* The node of another engine whose result this one takes slice by slice, and the one that
	 * takes its; once the producer has ended, its end. */
	struct tc_edge_node *producer, *consumer;
	struct tc_point fed;
	struct tc_clause_set fed_skip; /* of the producer */
	int64_t serial;                /* of its entry among the made ones of its device; 0: none */
	int64_t fed_by
		[TC_EDGE_SKIPPED]; /* serials: what it takes when what is between goes; 0: none */
	struct tc_clause_set skip; /* clauses that remove it, or let nothing wait for it */
	bool may_go;
	struct tc_clause_set hide;
	int64_t slice_ppm; /* how much of the producer was done when this one started */
};

/* The start of a node, while what it waited for is collected. */
struct tc_edge_start {
	struct tc_edges *edges;
	struct tc_edge_node *node;
	bool any;
	int64_t slack_ns; /* the least so far */
};

/* An operation of the program that is about a node. */
struct tc_replay_op tc_edge_node_op(const struct tc_edges *edges, const struct tc_edge_node *node,
	enum tc_replay_kind kind, enum tc_piece piece);
void tc_edge_wait_for(
	struct tc_edge_start *start, struct tc_point point, enum tc_piece piece, uint16_t frees);
void tc_edge_wait_for_lane(struct tc_edge_start *start, uint32_t lane);
void tc_edge_save(struct tc_edges *edges, const struct tc_edge_node *node, int64_t time_ns,
	int64_t amount_ns, uint16_t mask);

/* Compute has ended. */
void tc_edge_keep_work(
	struct tc_edges *edges, const struct tc_edge_node *node, struct tc_point end);
/* A collective starts: the compute that was launched before it. */
void tc_edge_wait_for_compute(struct tc_edge_start *start);
/* Work that is neither communication nor a copy. */
bool tc_edge_is_compute(const struct tc_edge_node *node);
/* A node of any kind starts. Collectives that follow each other share what was computed before the first. */
void tc_edge_note_compute_start(struct tc_edge_device *device, const struct tc_edge_node *node);
void tc_edge_note_compute_end(struct tc_edge_device *device, int64_t time_ns);
/* The first work of an update reads the gradients that collectives have reduced before. No trace says so:
 * streams wait for events of each other. */
void tc_edge_wait_for_gradients(struct tc_edge_start *start, const struct tc_launching *call);
/* A node ends: the time of a collective goes as far as there is compute left to hide it. */
void tc_edge_hide(struct tc_edges *edges, const struct tc_edge_node *node);
/* A node of a graph starts: what it waits for within the graph, and the copies of its inputs. */
void tc_edge_wait_for_graph(struct tc_edge_start *start);
/* After a change between the engines of a graph the node may start beside the one before it. */
void tc_edge_save_overlap(const struct tc_edge_start *start, const struct tc_op_match *match);
/* A node ends: its work goes as edits say, and it ends no earlier than what it takes allows. */
void tc_edge_end_work(struct tc_edges *edges, struct tc_edge_node *node);
/* The node has ended; who takes its result knows when. */
void tc_edge_leave_graph(struct tc_edges *edges, struct tc_edge_node *node, int64_t time_ns);

#endif
