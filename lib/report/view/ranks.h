/*
 * The ranks of a job as a report sees them together: a line per rank, the one that sets the pace,
 * and advice merged over them. A synchronous job runs at the pace of its slowest rank, so an advice
 * wins for the job what it wins on that one; elsewhere a fix only makes a rank wait longer.
 */
#ifndef TC_REPORT_VIEW_RANKS_H
#define TC_REPORT_VIEW_RANKS_H

#include "report/view/view.h"

struct tc_rank_line {
	int64_t trace_id, rank;
	int64_t step_count, step_mean_ns, wall_ns, compute_ns, exposed_ns;
	int64_t device_wait_ns;            /* the metric */
	int64_t idle_ns;                   /* that, without the time in which NICs alone work */
	int64_t wait_ns;                   /* waiting for a late rank; -1 when not known */
	int64_t start_wait_ns;             /* the part of it in the first collective */
	int64_t late_count, matched_count; /* collectives: come to last; matched */
	/* Place among the ranks that make the others wait, from 1, and what the job wins when nobody
	 * waits for it, alone and with those before it; 0 for others */
	int64_t late_order, late_gain_ns, late_together_ns;
	const struct tc_finding *top; /* its first advice with a gain, or NULL */
};

/* One heuristic over the ranks. */
struct tc_rank_advice {
	const struct tc_finding *finding; /* on the rank that sets the pace, else the largest */
	const struct tc_finding *largest; /* the finding with most gain */
	int64_t largest_rank;
	int64_t gain_ns;   /* on the rank that sets the pace; TC_GAIN_NONE when it has none there */
	int64_t rank_ns;   /* the finding's there, else TC_GAIN_NONE */
	size_t rank_count; /* ranks it fired on */
};

struct tc_ranks {
	int64_t job_id, world_size;
	bool by_guess;
	bool has_waits;          /* waits are known for every rank, and some rank waits */
	int64_t starts_apart_ns; /* how far apart recordings start, where that hides who is late */
	bool without_start;      /* the pace leaves out what ranks wait in the first collective */
	struct tc_rank_line *lines; /* by rank */
	size_t count, capacity;
	size_t pace;                   /* index of the rank that sets the pace */
	struct tc_rank_advice *advice; /* fixes by gain, then notes */
	size_t advice_count, advice_capacity;
};

/* Calls fn for every job of the store, in order, until one fails. */
typedef enum tc_status (*tc_ranks_fn)(struct tc_job *job, const struct tc_ranks *ranks);
enum tc_status tc_ranks_each(struct tc_job *job, tc_ranks_fn fn);

/* Appends the verdict for the job: who sets the pace and by what measure, what that rank does,
 * and what limits it. No line ends. */
enum tc_status tc_ranks_verdict(
	struct tc_buf *buf, struct tc_job *job, const struct tc_ranks *ranks);

/* The first advice with a gain for a trace, or NULL. */
const struct tc_finding *tc_top_finding(const struct tc_advice *advice, int64_t trace_id);

#endif
