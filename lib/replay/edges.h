/* State that the edges of the host and of devices share while a walk makes a program; see
 * replay.h. */
#pragma once

#include "core/collections/arena.h"
#include "core/collections/pool.h"
#include "core/saturate.h"
#include "core/sort/paged.h"
#include "replay/edit.h"
#include "replay/habits.h"
#include "replay/match.h"
#include "replay/pipeline.h"
#include "replay/program.h"

#define TC_US INT64_C(1000)

/* All thresholds of the edges. */
/* a thread that was silent for longer may have waited for another one */
#define TC_HANDOVER_NS (20 * TC_US)
/* The code around two operations calls the second in at most that time: nine of ten such times in
 * recordings of eager training are below 30 to 40 us. */
#define TC_CALLING_NS (50 * TC_US)
/* Before a call whose purpose is to wait or to copy it is less: longer code before one is more
 * often there without it: it works on what was computed. Our default, no published source. */
#define TC_CALLING_WAIT_NS (20 * TC_US)
#define TC_RELEASE_NS (50 * TC_US) /* a call returns at most this long after it was released */
/* a call waits for its queue only when the queue has this many before it */
#define TC_QUEUED_MIN 2
#define TC_CALL_COST_NS (10 * TC_US) /* cost of a wait when there is nothing left to wait for */

#define TC_INDEX_NONE_32 UINT32_MAX

struct tc_edge_slice {
	struct tc_walk_slice slice;
	/* clauses that take the time of all of it or of a slice around it */
	struct tc_clause_set whole;
	/* of these and of its own: clauses after which it waits no more */
	struct tc_clause_set frees;
	struct tc_clause_set work;        /* clauses that take its own time */
	struct tc_clause_set wait;        /* these, and those after which its waits end at once */
	const struct tc_lowered *lowered; /* the graph that it makes, or NULL */
	uint16_t work_mask, wait_mask, frees_mask;
	tc_terms inside;
	enum tc_role role;
	enum tc_role shown; /* the role that its own time has on the critical path */
	bool may_wait;
	/* see tc_edges_find_flush(); whether it or a slice around it is a flush */
	bool is_flush, is_in_flush;
	bool reads;   /* it or a slice around it is a read, and no end of a graph is between */
	int64_t task; /* number of a task or hand-over; else -1 */
};

/* Operations that a graph is made of, by the clauses that take their time. */
struct tc_edge_built {
	struct tc_clause_set work;
	int64_t count;
};

enum { TC_EDGE_BUILT = 4 };

/* A thread's calls for batches of a loader's workers. */
struct tc_edge_loader {
	int64_t call_count, first_ns; /* first_ns: the end of the first */
	int64_t lasting_call;         /* number of the last call that waited; 0: none */
	int64_t rate_call, rate_ns;   /* the last call that the workers' rate held up: its end */
	int64_t base_call, base_ns;   /* the last call for which they had just delivered */
	struct tc_point start;        /* when the workers started; unset: before the recording */
	bool is_unsure; /* they may have had nothing to do before a call that waited */
	struct tc_point taken[TC_LOADER_ASKED]; /* the ends of the latest calls, by their numbers */
};

/* A thread runs in one slot from its first slice to its last. */
struct tc_edge_thread {
	uint32_t slot; /* TC_SLOT_NONE before its first slice */
	int64_t last_ns;
	struct tc_edge_slice *top; /* the open slice that began last */
	int64_t spent_from_ns;     /* start of the work that is not yet added to the path */
	uint32_t spent_label;
	enum tc_role spent_role;
	bool has_returned; /* the latest boundary is the end of a slice */
	uint32_t track;    /* index of its first track + 1; 0 for none */
	/* What encloses all operations since its last launch: the next graph is made of them. */
	tc_terms built_inside;
	bool has_built;
	/* operations of further sets are counted only in built_count */
	struct tc_edge_built built[TC_EDGE_BUILT];
	int64_t built_count;
	tc_terms handover_inside; /* of a launching thread: what encloses the hand-over of its
				     task */
	struct tc_edge_loader loader;
	/* The call that launched the latest work; the latest copy to end of those that the thread
	 * launched. */
	int64_t launch_id, launch_ns, copy_launch_id;
	struct tc_point copied;
	int32_t handover_step; /* the step in which the task was handed over; -1 without one */
};

struct tc_edge_node; /* an operation under way */

struct tc_edge_lane {
	/* of the last operation that ended: as the next work on the lane sees it, which an edit
	 * that removes the operation does not hold up; and as other lanes see it */
	struct tc_point end, result;
	uint16_t frees_mask; /* of the same operation */
	struct tc_edge_node *open;
	int32_t step;    /* step of the open operation; -1 for none */
	int64_t busy_ns; /* how long the device had been busy when the last operation ended */
	uint32_t device;
	enum tc_engine engine;
	bool is_graph; /* an engine that runs graphs */
	/* a stream that has computed: what it waits for, all its later work needs */
	bool is_compute;
};

enum { TC_EDGE_COPIES = 64, TC_EDGE_WORKS = 128, TC_EDGE_GRAPH_ENGINES = 3 };

struct tc_edge_copy {
	struct tc_point end;
	int64_t launch_ns;
	uint16_t frees_mask;
};

/* A node of MME or TPC, or a copy that an edit removes and that waited for nothing outside of its
 * graph. Later nodes may take its result when an edit removes the nodes between them. */
struct tc_edge_made {
	struct tc_edge_node *node; /* NULL once it has ended, at `end` */
	/* first: when its first slice is done; unset when no node asked while it ran */
	struct tc_point first, end;
	int64_t serial, launch_id;
	enum tc_engine engine;
	struct tc_clause_set skip; /* clauses that remove it or let nothing wait for it */
	bool may_go;
};

enum { TC_EDGE_CUTS = 16 }; /* with more of them, every second one is kept */

enum { TC_EDGE_MADE = 8, TC_EDGE_SKIPPED = 3 };

/* A stretch of time in which the same collectives ran on a device; and what clauses take of it, so
 * that compute is alone. */
enum { TC_EDGE_STRETCHES = 64, TC_EDGE_BESIDE = 8, TC_EDGE_PARTS = 4 };

struct tc_edge_stretch {
	int64_t from_ns, until_ns; /* INT64_MAX: it lasts */
	struct tc_edge_part {
		uint16_t mask;
		int64_t ppm;
	} parts[TC_EDGE_PARTS];
	size_t part_count;
};

struct tc_edge_beside {
	const struct tc_edge_node *open[TC_EDGE_BESIDE]; /* collectives under way */
	size_t open_count, lost_count;                   /* lost: those without a place */
	/* The latest, number i at i % TC_EDGE_STRETCHES. */
	struct tc_edge_stretch stretches[TC_EDGE_STRETCHES];
	uint64_t stretch_count;
	/* Since the last time without collectives: when that was, what the device had computed
	 * then, and the edits that take some of them. */
	int64_t since_ns, computed_ns;
	struct tc_clause_set taken;
};

struct tc_edge_device {
	struct tc_edge_beside beside;
	/* lanes of MME, of TPC, and of DMA within graphs */
	uint32_t graph_lanes[TC_EDGE_GRAPH_ENGINES];
	uint32_t recent_lanes[2]; /* lanes on which work ended last, latest first */
	struct tc_edge_copy copies[TC_EDGE_COPIES]; /* copies that no graph has waited for yet */
	size_t copy_count;
	/* The compute that ended last, kept when there are collectives to wait for it. Number i is
	 * at i % TC_EDGE_WORKS. */
	struct tc_edge_copy works[TC_EDGE_WORKS];
	uint64_t work_count;
	/* Compute since the last collectives; start of the compute under way; compute beside which
	 * these collectives may hide; how much of them it hides, likely and at both ends. */
	int64_t computed_ns, compute_since_ns, beside_ns, hidden_ns[TC_END_COUNT];
	int64_t updated_ns;         /* of the compute since then: up to the end of an update */
	int64_t computed_before_ns; /* compute before that */
	/* collectives since then: how long they took, and how many */
	int64_t reduced_ns, reduced_count;
	/* Where the compute since the last collectives changed to another graph. */
	int64_t cuts[TC_EDGE_CUTS];
	size_t cut_count;
	bool by_graphs; /* all of that compute belongs to graphs */
	int64_t cut_launch_id;
	uint32_t compute_count;
	bool has_begun,
		has_computed; /* since the last collective: anything; what parts it from the next */
	/* operations under way on lanes that compute; the device is busy since open_since_ns */
	uint32_t open_count;
	int64_t open_since_ns, first_ns, last_ns, busy_ns;
	/* gradients are reduced: the last collective has ended and no update has begun */
	struct tc_point reduced;
	uint16_t reduced_frees;
	int64_t graph_launch_id; /* of the execution under way */
	/* The node of that execution that started last; NULL once it has ended. */
	struct tc_edge_node *latest;
	/* The node of a graph that ended last. */
	int64_t node_ts_ns, node_end_ns, node_launch_id;
	enum tc_engine node_engine;
	/* the latest nodes, by serial; serials start at 1 */
	struct tc_edge_made made[TC_EDGE_MADE];
	int64_t made_count;
};

/* The queue of calls whose work has not ended. One is known where one device computes: which device
 * a call is for shows only when its work starts. */
struct tc_edge_queue {
	int64_t count, gone_count; /* calls; those that clauses remove */
	int64_t most_count;        /* calls, when one waited for a place */
	int64_t left_launch_id;    /* the last call whose first work has ended */
	bool any_gone;             /* there has been a call that clauses remove */
	uint32_t device;           /* index + 1 of the one that computes; 0: none yet */
	bool is_shared;            /* several do */
};

/* The end of the work of a step, of all devices. */
struct tc_edge_step {
	int32_t step;
	struct tc_point end;
};

struct tc_edges {
	struct tc_arena arena;
	const struct tc_timeline *timeline;
	struct tc_habits habits;
	struct tc_match *match;
	const struct tc_clause *clauses;
	struct tc_clause_set full; /* clauses that take all of the time */
	struct tc_clause_set gaps; /* these, and clauses that take the short gaps too */
	struct tc_slots slots;
	struct tc_launching_table *launches;
	struct tc_paged threads; /* struct tc_edge_thread */
	/* The thread whose last boundary is the latest; of those that do more than launch, the
	 * latest two. */
	uint32_t newest_thread, newest_workers[2];
	int64_t handover_count, task_count;
	int64_t handover_lead;          /* the number of a hand-over minus that of its task */
	int64_t taken_handover;         /* the last one */
	struct tc_launching *handovers; /* the latest hand-overs, by number */
	struct tc_edge_lane *lanes;
	uint32_t *lane_of_track;
	size_t lane_count;
	struct tc_edge_device *devices;
	struct tc_pool nodes;
	/* Over all devices: what ended last; the latest start or end of compute; the end of the
	 * last task. */
	struct tc_point ended, worked, task_end;
	struct tc_edge_step *steps; /* the latest, step i at i % TC_AHEAD_MAX */
	size_t silence;             /* the first of the habits that is not over */
	int64_t open_count;         /* device operations under way */
	int64_t queued_count;       /* calls whose work has not started yet */
	struct tc_edge_queue queue;
	/* How long the main thread has worked so far, or waited for other threads that worked; how
	 * long these worked; how much of that the main thread has already counted. */
	int64_t worked_ns, others_ns, counted_others_ns, others_until_ns;
	bool any_work;    /* some device work has begun */
	bool any_launch;  /* some work had a known launch */
	int64_t end_ns;   /* end of everything that counts as wall time */
	int64_t batch_ns; /* see struct tc_replay */
};

static inline struct tc_edge_thread *tc_edge_thread_at(const struct tc_edges *edges, uint32_t index)
{
	return TC_PAGED_AT(&edges->threads, struct tc_edge_thread, index);
}

enum { TC_EDGE_HANDOVERS = 256 };

void tc_edges_slice_begins(void *user, struct tc_walk_slice *slice);
void tc_edges_slice_ends(void *user, struct tc_walk_slice *slice);
/* The point at which a call launched its work: its return, or where its thread is while it is
 * open. */
struct tc_point tc_edges_launched_at(const struct tc_edges *edges, const struct tc_launching *call);

/* What a stretch of a call waited for. */
struct tc_edge_wait {
	bool is_wait;
	bool is_unsure;              /* the recording does not show it for certain */
	bool starts_workers;         /* the loader's workers, which the call waits for, start */
	bool is_rare;                /* they hold up little of the run in all */
	bool owns_slot;              /* that of released_by is the caller's */
	struct tc_point released_by; /* no slot: something outside of the recording */
	int64_t cost_ns;             /* what the call takes when it does not wait */
};

/* The stretch of own_ns ends at time_ns. */
struct tc_edge_wait tc_edges_wait_of(
	struct tc_edges *edges, const struct tc_edge_slice *slice, int64_t own_ns, int64_t time_ns);

/* A call joins the queue (ENTER, 1), or has no work after all (-1); its first work ends (LEAVE, 0)
 * or more of it (1); or it returns (HOLD, 0), so it had a place, maybe after a wait that is too
 * short to show. */
void tc_edges_queue(struct tc_edges *edges, enum tc_replay_kind kind, struct tc_point at,
	uint16_t gone_mask, int64_t amount);

/* Ends the host's part of the program. */
void tc_edges_end_host(struct tc_edges *edges);

void tc_edges_make_lanes(struct tc_edges *edges);
size_t tc_edges_op_bytes(void);
size_t tc_edges_node_bytes(void);
void tc_edges_op_starts(void *user, struct tc_walk_op *op);
void tc_edges_op_ends(void *user, struct tc_walk_op *op);
void tc_edges_end_devices(struct tc_edges *edges);
/* Idle time of the device that waits most; INT64_MAX without device work. */
int64_t tc_edges_idle_ns(const struct tc_edges *edges);

/* ---- device work under way: while its start is processed, what it waited for is collected */

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
	bool is_busy;        /* on a lane that computes */
	bool is_update;      /* of an optimizer's step */
	int64_t computed_ns; /* how long its device had computed when it started */
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
	uint16_t call_mask; /* clauses that remove the call that launched it */
	bool is_first;      /* of the work that this call launched */
	/* of work that may go and waited for more than its launch and its lane: the end of the work
	 * before it on its lane */
	struct tc_point lane_before;
	struct tc_clause_set hide;
	int64_t beside_ppm; /* of its time beside collectives: what it would not take alone */
	int64_t slice_ppm;  /* how much of the producer was done when this node started */
};

/* A node that starts, and what is known so far of what it waited for. */
struct tc_edge_start {
	struct tc_edges *edges;
	struct tc_edge_node *node;
	bool any;
	int64_t slack_ns;      /* least slack so far */
	bool is_in_call;       /* it is that of a launch that has not returned yet */
	int64_t gap_ns;        /* what of it is left when the node waits for its lane */
	int elsewhere_count;   /* waits for more than its launch and its lane */
	uint16_t overlap_mask; /* clauses that let it start beside the other engine's work */
};

/* The rules by which points wait for each other. */
enum tc_rule {
#define TC_RULE(id, piece, point, when, waits, why) TC_RULE_##id,
#include "replay/rules.def"
};

/* What the time between two points of a rule is on the critical path. */
enum tc_piece tc_rule_piece(enum tc_rule rule);

/* A program operation with the fields of the node filled in. */
struct tc_replay_op tc_edge_node_op(const struct tc_edges *edges, const struct tc_edge_node *node,
	enum tc_replay_kind kind, enum tc_piece piece);
void tc_edge_wait_for(
	struct tc_edge_start *start, enum tc_rule rule, struct tc_point point, uint16_t frees);
/* The point at which a node had done a part of its work, in a slot of its own. */
struct tc_point tc_edge_point_within(
	struct tc_edges *edges, const struct tc_edge_node *node, int64_t time_ns);
/* Edits take off some of the node's work until time_ns. */
void tc_edge_save(struct tc_edges *edges, const struct tc_edge_node *node, int64_t time_ns,
	int64_t amount_ns, uint16_t mask);

/* A node of a graph starts: it waits for the graph's other nodes and for the copies of its
 * inputs. */
void tc_edge_wait_for_graph(struct tc_edge_start *start);
/* A node ends: edits take their part of its work, and it ends no earlier than its inputs allow. */
void tc_edge_end_work(struct tc_edges *edges, struct tc_edge_node *node);
/* A collective starts: from then on other compute is beside it. */
void tc_edge_begin_beside(struct tc_edges *edges, const struct tc_edge_node *node);
/* Edits that take collectives away take off what compute took longer beside them until time_ns.
 * That, or the whole of it where another edit removes the node itself, is what it returns. */
int64_t tc_edge_save_beside(struct tc_edges *edges, const struct tc_edge_node *node, uint32_t slot,
	enum tc_replay_kind kind, int64_t time_ns);
/* How long the device has computed until time_ns, which is no earlier than its last change. */
static inline int64_t tc_edge_computed_until(const struct tc_edge_device *device, int64_t time_ns)
{
	int64_t since_ns = device->compute_count > 0 ? time_ns - device->compute_since_ns : 0;

	return tc_add_saturated(device->computed_before_ns, device->computed_ns + since_ns);
}

/* A collective ends: takes off the time that can be hidden beside compute, or to start. */
void tc_edge_hide_collective(struct tc_edges *edges, const struct tc_edge_node *node);
/* The node has ended: its consumer learns when. */
void tc_edge_leave_graph(struct tc_edges *edges, struct tc_edge_node *node, int64_t time_ns);
