/*
 * A comparison being made: all its numbers, loaded before anything is written. Sums are of the
 * compared time of a side: its steps without warm-up, or its whole wall time; a mean is a sum
 * divided by the number of those steps, rounded to the nearest nanosecond.
 */
#ifndef TC_REPORT_COMPARE_H
#define TC_REPORT_COMPARE_H

#include "report/parts.h"
#include "report/text.h"
#include "tracecoach/compare.h"

/* How long the compared steps of a side are, from the end of one to the end of the next. Quartiles
 * by nearest rank. One "step", the whole, where steps are not compared. */
struct tc_spread {
	int64_t count, sum_ns;
	int64_t min_ns, q1_ns, median_ns, q3_ns, max_ns;
};

/* An operation or host slice on both sides; sums over the whole trace. */
struct tc_compare_row {
	char *group, *name; /* engine or role; never NULL */
	int64_t count[TC_COMPARE_SIDES], dur_ns[TC_COMPARE_SIDES];
	int64_t sum_ns[TC_COMPARE_SIDES];  /* exclusive or self time */
	int64_t mean_ns[TC_COMPARE_SIDES]; /* of that, per step of the whole trace */
};

struct tc_compare_rows {
	struct tc_compare_row *rows; /* largest difference of the means first */
	size_t count, capacity;
};

enum tc_change {
	TC_CHANGE_NEW,            /* fired after, quiet before */
	TC_CHANGE_UNKNOWN_BEFORE, /* fired after; before it could not look */
	TC_CHANGE_UNKNOWN_AFTER,  /* fired before; after it could not look */
	TC_CHANGE_GONE,           /* fired before, quiet after */
	TC_CHANGE_REMAINS
};

struct tc_compare_advice {
	const struct tc_heuristic *heuristic;
	const struct tc_finding *finding[TC_COMPARE_SIDES]; /* or NULL */
	const char *reason[TC_COMPARE_SIDES];               /* why it could not look, or NULL */
	enum tc_change change;
};

struct tc_compared {
	struct tc_job job; /* reads the side's store; its sink is not used */
	const struct tc_compare_side *given;
	const struct tc_view *view; /* borrowed while the comparison is made */
	struct tc_spread steps;
	int64_t unlaunched_count;  /* device operations that no step launched */
	int64_t all_step_count;    /* steps of the whole trace, warm-up too; 1 for a whole */
	struct tc_metric_set sums; /* of the run and all its devices together */
	struct tc_metric_cell input_bytes, output_bytes; /* copied in the compared time */
	struct tc_text run_kind;                         /* training, inference or "" */
	struct tc_buf left_out; /* "1 of 3 inputs was left out: why"; empty where none was */
};

struct tc_compare {
	struct tc_job *job; /* writes */
	struct tc_compared sides[TC_COMPARE_SIDES];
	bool by_step;
	bool markdown; /* for tc_compare_put_*() */
	struct tc_compare_rows operations, slices;
	struct tc_compare_advice *advice; /* by change, then by gain */
	size_t advice_count, advice_capacity;
	/* The judgement. */
	struct tc_compare_result result;
	int64_t mean_ns[TC_COMPARE_SIDES], difference_ns, median_difference_ns;
	int64_t noise_ns; /* what the medians may differ by for no reason; -1: not known */
};

/* Sum over count, rounded to the nearest, halves away from zero; 0 for a count of 0. */
int64_t tc_compare_mean(int64_t sum, int64_t count);

/* Loads all but the judgement; the views are there. tc_compare_clear() also when it failed. */
enum tc_status tc_compare_load(struct tc_compare *compare);
void tc_compare_clear(struct tc_compare *compare);

/* Fills the judgement. */
void tc_compare_judge(struct tc_compare *compare);

/* Analysed time of a side in which no device works, as tc_view_idle_ns(), of its sums. */
static inline int64_t tc_compare_idle_ns(const struct tc_compared *side)
{
	return tc_view_idle_ns(&side->sums);
}

/* True when both sides know the time of a device. */
bool tc_compare_has_device(const struct tc_compare *compare);
/* The parts that both sides know: Gaudi's engines only where both are Gaudis. */
const struct tc_part *tc_compare_parts(const struct tc_compare *compare, size_t *count);
/* By how much the sums of the parts and idle time exceed the compared wall time. */
int64_t tc_compare_outside_ns(const struct tc_compare *compare, enum tc_compare_index side);

/* Appends the verdict. */
void tc_compare_verdict(struct tc_buf *buf, const struct tc_compare *compare);

/* What makes the comparison unfair: appends a sentence where the reason applies. */
struct tc_unfair {
	const char *id;
	void (*tell)(struct tc_buf *buf, const struct tc_compare *compare);
};
const struct tc_unfair *tc_unfair_reasons(size_t *count);

/* The queries behind the numbers, in this order. */
enum tc_compare_query {
	TC_QUERY_STEPS,
	TC_QUERY_METRICS,
	TC_QUERY_OPERATIONS,
	TC_QUERY_SLICES,
	TC_QUERY_COPIES,
	TC_QUERY_ADVICE,
	TC_QUERY_COUNT
};
const char *tc_compare_query_name(enum tc_compare_query query);
/* Appends the query for one side's store, as it is read here. */
void tc_compare_side_sql(struct tc_buf *buf, const struct tc_compare *compare,
	enum tc_compare_query query, enum tc_compare_index side);
/* Appends the same for both: the store before is main, the other one attached as after. */
void tc_compare_both_sql(
	struct tc_buf *buf, const struct tc_compare *compare, enum tc_compare_query query);
/* Appends a path so that no command takes it for an option; "-" stays standard input. */
void tc_compare_path(struct tc_buf *buf, const char *path);
/* Appends the path of the side's store, or one that is free for it: "before.db". */
void tc_compare_store_name(
	struct tc_buf *buf, const struct tc_compare *compare, enum tc_compare_index side);

enum tc_status tc_compare_text(struct tc_compare *compare);
enum tc_status tc_compare_md(struct tc_compare *compare);
enum tc_status tc_compare_json(struct tc_compare *compare);

#endif
