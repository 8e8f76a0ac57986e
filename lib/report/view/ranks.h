/*
 * The ranks of a job together: a line per rank, the rank that sets the pace, and advice merged over
 * all ranks. A synchronous job runs at the pace of its slowest rank, so a fix saves for the job
 * what it saves on that rank. On other ranks a fix only makes them wait longer.
 */
#pragma once

#include "report/view/view.h"

struct tc_rank_line {
	int64_t trace_id, rank;
	int64_t step_count, step_mean_ns, wall_ns, compute_ns, exposed_ns;
	int64_t device_wait_ns;            /* the metric */
	int64_t idle_ns;                   /* the metric */
	int64_t unknown_ns;                /* device_unknown_ns */
	bool is_cut;                       /* its file ends early */
	int64_t wait_ns;                   /* waiting for a late rank; -1 if unknown */
	int64_t start_wait_ns;             /* the part of wait_ns in the first collective */
	int64_t late_count, matched_count; /* collectives: arrived last; matched */
	/* Place in the order of late ranks, from 1, and what the job saves when nobody waits for
	 * this rank, alone and with those before it. All are 0 for a rank that is not late. */
	int64_t late_order, late_gain_ns, late_together_ns;
	const struct tc_finding *top; /* its first advice with a gain, or NULL */
};

/* One heuristic over the ranks. */
struct tc_rank_advice {
	const struct tc_finding *finding; /* on the rank that sets the pace, else the largest */
	const struct tc_finding *largest; /* the finding with most gain */
	int64_t largest_rank;
	int64_t gain_ns;           /* on the rank that sets the pace, else TC_GAIN_NONE */
	struct tc_gain_shown gain; /* the same with its range */
	int64_t rank_ns;           /* rank_ns of the finding on that rank, else TC_GAIN_NONE */
	int64_t plan_order;        /* tc_finding.plan_order on that rank */
	size_t rank_count;         /* ranks it fired on */
};

struct tc_ranks {
	int64_t job_id, world_size;
	bool by_guess;
	bool knows_waits;        /* waits are known for every rank */
	bool has_waits;          /* and some rank waits */
	int64_t starts_apart_ns; /* how far apart recordings start, where that hides who is late */
	bool without_start;      /* waits are compared without the first collective */
	struct tc_rank_line *lines; /* by rank */
	size_t count, capacity;
	size_t cut_count;              /* ranks whose files end early */
	int64_t unknown_ns;            /* of all ranks; above 0 where one has any */
	size_t pace;                   /* index of the rank that sets the pace */
	struct tc_rank_advice *advice; /* fixes by gain, then notes */
	size_t advice_count, advice_capacity;
};

/* The jobs of a store, one after the other, as struct tc_views. */
struct tc_ranks_list {
	struct tc_job *job;
	struct tc_rows rows;
	struct tc_ranks ranks; /* of the current one */
};

struct tc_ranks_list tc_ranks_all(struct tc_job *job);
/* The next one, which lasts until the next call; NULL after the last, and after a failure. */
const struct tc_ranks *tc_ranks_next(struct tc_ranks_list *list);
/* Ends one that may have more. */
void tc_ranks_close(struct tc_ranks_list *list);

/* The trace of the rank that sets the pace of a job: what outputs say of the job is said of it. */
int64_t tc_ranks_pace(struct tc_ctx *ctx, sqlite3 *db, int64_t job_id);

/* Appends the verdict for the job: which rank sets the pace and by what measure, what that rank
 * does, and what limits it. It has no line ends. */
void tc_ranks_verdict(struct tc_buf *buf, struct tc_job *job, const struct tc_ranks *ranks);

/* Appends "One job, 4 of its 8 ranks". */
void tc_ranks_title(struct tc_buf *buf, const struct tc_ranks *ranks);

/* The number of a fix in the report on the job, from 1: fixes come before notes. 0 for none. */
size_t tc_ranks_number(const struct tc_ranks *ranks, struct tc_text id);

/* The first advice with a gain for a trace, or NULL. */
static inline const struct tc_finding *tc_top_finding(
	const struct tc_advice *advice, int64_t trace_id)
{
	const struct tc_finding *finding = NULL;

	while ((finding = tc_next_of_kind(advice, trace_id, TC_HEURISTIC_FIX, finding)) &&
		finding->gain_ns <= 0)
		;
	return finding;
}
