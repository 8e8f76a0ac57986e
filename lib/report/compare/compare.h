/*
 * The numbers of a comparison, all loaded before anything is written. Sums cover the compared time
 * of a side: its steps without warm-up, or its whole wall time. A mean is a sum divided by the
 * number of those steps, or of the samples in them, rounded to the nearest nanosecond.
 */
#pragma once

#include "core/collections/arena.h"
#include "report/view/view.h"
#include "tracecoach/compare.h"

/* The queries behind the numbers, in the order in which they are shown. */
enum tc_compare_query {
	TC_QUERY_STEPS,
	TC_QUERY_METRICS,
	TC_QUERY_OPERATIONS,
	TC_QUERY_OPERATORS,       /* by name */
	TC_QUERY_OPERATOR_SHAPES, /* by name and sizes of inputs */
	TC_QUERY_KERNEL_SHAPES,   /* by name, sizes of inputs and kernel */
	TC_QUERY_SLICES,          /* of the host */
	TC_QUERY_SHAPES,
	TC_QUERY_WEIGHTS, /* of products and convolutions, by size */
	TC_QUERY_PATH,    /* the critical paths; empty where a side has none */
	TC_QUERY_COPIES,
	TC_QUERY_ADVICE,
	TC_QUERY_COUNT
};

/* The length of a side's compared steps, from the end of one to the end of the next, with quartiles
 * by nearest rank. The whole is one "step" where steps are not compared. */
struct tc_spread {
	int64_t count, sum_ns;
	int64_t min_ns, q1_ns, median_ns, q3_ns, max_ns;
	int64_t first_ns; /* of the first step; -1 where that is warm-up, and so none of these */
};

/* An operation, operator, host slice or piece of the critical path on both sides; sums over the
 * whole trace. */
struct tc_compare_row {
	const char *group, *name; /* engine, class, operator, role or piece; never NULL */
	int64_t name_count[TC_COMPARE_SIDES]; /* names in it: several with one short name, 0 for
						 none */
	int64_t count[TC_COMPARE_SIDES], dur_ns[TC_COMPARE_SIDES];
	int64_t sum_ns[TC_COMPARE_SIDES];  /* exclusive or self time */
	int64_t mean_ns[TC_COMPARE_SIDES]; /* the same per unit of the whole trace */
};

struct tc_compare_rows {
	struct tc_compare_row *rows; /* largest difference of the means first */
	size_t count, capacity;
};

enum tc_change {
	TC_CHANGE_NEW,            /* fired after, quiet before */
	TC_CHANGE_UNKNOWN_BEFORE, /* fired after; not applicable before */
	TC_CHANGE_UNKNOWN_AFTER,  /* fired before; not applicable after */
	TC_CHANGE_GONE,           /* fired before, quiet after */
	TC_CHANGE_REMAINS         /* fired on both sides, or wins just too little on one */
};

/* A rank with a trace on both sides. Its steps without warm-up, or the whole. */
struct tc_compare_rank {
	int64_t number, trace_id[TC_COMPARE_SIDES];
	int64_t step_count[TC_COMPARE_SIDES], sum_ns[TC_COMPARE_SIDES];
};

struct tc_compare_advice {
	const struct tc_heuristic *heuristic;
	const struct tc_finding *finding[TC_COMPARE_SIDES]; /* or NULL */
	const char *reason[TC_COMPARE_SIDES];               /* why it was not applicable, or NULL */
	enum tc_change change;
	bool by_step; /* gains are those of a step; else of the run, by its units, on both sides */
};

struct tc_compared {
	struct tc_job job; /* reads the side's store; its sink is not used */
	const struct tc_compare_side *given;
	const struct tc_view *view; /* borrowed while the comparison is made */
	struct tc_spread steps;
	int64_t steady_step_count; /* those and a first step that is left out on both sides */
	int64_t unlaunched_count;  /* device operations that no step launched */
	int64_t all_step_count;    /* steps of the whole trace, warm-up too; 1 for a whole */
	int64_t batch;             /* units of work in a step; 1 where the unit is the step */
	struct tc_metric_set sums; /* of the run and all its devices together */
	struct tc_metric_cell input_bytes, output_bytes; /* copied in the compared time */
	struct tc_text run_kind;                         /* training, inference or "" */
	struct tc_buf left_out; /* "1 of 3 inputs was left out: why"; empty when none was */
};

/* The unit of means. A step with another batch is other work, so where batches are known to differ
 * the unit is a sample. Where only matrices show the batch, it is a row of input, which may be a
 * token. */
enum tc_compare_unit { TC_UNIT_WHOLE, TC_UNIT_STEP, TC_UNIT_SAMPLE, TC_UNIT_INPUT_ROW };

struct tc_compare {
	struct tc_job *job; /* writes */
	struct tc_compared sides[TC_COMPARE_SIDES];
	bool by_step;
	enum tc_compare_unit unit;
	/* "CUPTI 22 before, 24 after": versions that both sides have and that differ */
	struct tc_buf software;
	int64_t shape_count, matched_shape_count; /* of both sides */
	/* The part of the calls of matrix products and convolutions whose weights both sides have,
	 * from 0 to 1; below 0 where a side does not show any. */
	double common_weights;
	int64_t common_weight_count;   /* weights that both have */
	bool anyway;                   /* judge runs that do not do the same work, too */
	struct tc_compare_rank *ranks; /* of both sides; the one the report is about first */
	size_t rank_count;             /* 0 where each side has one trace, or the user chose one */
	size_t rank_capacity;
	bool by_rank;                                /* else traces in their order */
	struct tc_compare_rows rows[TC_QUERY_COUNT]; /* of the queries that give some */
	struct tc_arena texts;                       /* of the rows */
	bool by_operator; /* vendors name kernels differently, so operators match more time */
	struct tc_compare_advice *advice; /* by change, then by gain */
	size_t advice_count, advice_capacity;
	/* The judgement. */
	struct tc_compare_result result;
	int64_t mean_ns[TC_COMPARE_SIDES], difference_ns, median_difference_ns;
	int64_t noise_ns;  /* differences of the medians within noise; -1: unknown */
	bool leaves_first; /* the first step is warm-up on one side and left out on both */
	bool by_median;    /* the medians are judged: single steps hide how they differ */
};

/* "step", "sample", "input row"; NULL for a whole. */
const char *tc_compare_unit_name(const struct tc_compare *compare);
/* The divisor of sums: of the compared time, and of the whole trace. */
static inline int64_t tc_compare_units(const struct tc_compared *side)
{
	return tc_mul_saturated(side->steps.count, side->batch);
}
/* The divisor of gains, which are said of all steady steps. */
static inline int64_t tc_compare_gain_units(const struct tc_compared *side)
{
	return tc_mul_saturated(side->steady_step_count, side->batch);
}

/* The columns from `first` on of a row of TC_QUERY_STEPS. */
static inline struct tc_spread tc_spread_of(const struct tc_rows *row, int first)
{
	return (struct tc_spread){.count = tc_rows_int(row, first),
		.sum_ns = tc_rows_int(row, first + 1),
		.min_ns = tc_rows_int(row, first + 2),
		.q1_ns = tc_rows_int(row, first + 3),
		.median_ns = tc_rows_int(row, first + 4),
		.q3_ns = tc_rows_int(row, first + 5),
		.max_ns = tc_rows_int(row, first + 6),
		.first_ns = tc_rows_int(row, first + 7)};
}

/* Sum over count, rounded to the nearest, halves away from zero; 0 for a count of 0. */
int64_t tc_compare_mean(int64_t sum, int64_t count);

/* Analysed time of a side in which no device works, from its sums: those of the run less warm-up.
 */
static inline int64_t tc_compare_idle_ns(const struct tc_compared *side)
{
	int64_t idle_ns = tc_view_idle_ns(&side->sums);

	return idle_ns > 0 ? idle_ns : 0;
}

/* A first step that is warm-up on one side alone is left out on the other, too, if that has another
 * step. */
bool tc_compare_leaves_first(const struct tc_spread *before, const struct tc_spread *after);

/* Whether both sides have device time. */
bool tc_compare_has_device(const struct tc_compare *compare);
/* The parts that both sides know: Gaudi's engines only where both are Gaudis. */
const struct tc_part *tc_compare_parts(const struct tc_compare *compare, size_t *count);

/* A time of both sides: summed over the compared time, and its means. */
struct tc_compare_time {
	const char *key, *name; /* in JSON, and in a table */
	int64_t sum_ns[TC_COMPARE_SIDES], mean_ns[TC_COMPARE_SIDES], difference_ns; /* of means */
};

struct tc_compare_time tc_compare_metric_time(
	const struct tc_compare *compare, enum tc_metric id, const char *name);

#define TC_COMPARE_TIMES_MOST 9

/* Where the device's time went: times that add up to the last, the compared wall time. Returns how
 * many. */
size_t tc_compare_device_times(
	struct tc_compare_time times[TC_COMPARE_TIMES_MOST], const struct tc_compare *compare);

/* A row of the table of counts and sizes. */
struct tc_compare_amount {
	enum tc_metric id;
	const char *name, *name_per_step;
	bool is_bytes, per_step;
};

const struct tc_compare_amount *tc_compare_amounts(size_t *count);

/* ---- query.c: the queries behind the numbers, and rows of both sides */

const char *tc_compare_query_name(enum tc_compare_query query);
/* Opens the query of one side. */
struct tc_rows tc_compare_open(
	const struct tc_compare *compare, enum tc_compare_query query, enum tc_compare_index side);

/* The rows of both sides joined by their first columns, the key, by which they are ordered. */
struct tc_pairs {
	struct tc_rows rows[TC_COMPARE_SIDES];
	int key_count;                /* columns of the key; 0 joins line by line */
	bool there[TC_COMPARE_SIDES]; /* the side is at a row */
	bool has[TC_COMPARE_SIDES];   /* that row has the current key */
};

/* Joins two open queries, which tc_pairs_next() closes after their last row. */
void tc_pairs_begin(struct tc_pairs *pairs, int key_count);
/* Opens a query of the comparison on both sides, and joins them. */
void tc_pairs_open(struct tc_pairs *pairs, const struct tc_compare *compare,
	enum tc_compare_query query, int key_count);
/* Goes to the next key; false after the last. */
bool tc_pairs_next(struct tc_pairs *pairs);

/* Appends the query for both: the store before is main, the other one attached as after. */
void tc_compare_both_sql(
	struct tc_buf *buf, const struct tc_compare *compare, enum tc_compare_query query);

/* Which rows that only one side has are joined. */
enum tc_compare_join {
	TC_JOIN_NONE,
	/* Rows whose shortened names are equal: another version of a library gives a kernel other
	 * template arguments. */
	TC_JOIN_NAMES,
	/* Rows of one group, which then names the joined row: a framework has its own operators for
	 * each vendor (aten::cudnn_convolution, aten::miopen_convolution). Rows without a group
	 * stay. */
	TC_JOIN_GROUPS,
};

/* Fills compare->rows[query] from the query of each side, which has group, name, count, duration
 * and time. */
void tc_compare_rows_load(
	struct tc_compare *compare, enum tc_compare_query query, enum tc_compare_join join);

/* ---- judge.c: the same work, the reasons why a comparison is unfair, the verdict */

bool tc_work_other_weights(const struct tc_compare *compare);

/* Where a run ran, as its trace says; "" and numbers below 1 are not known, and differ from
 * none. */
struct tc_site {
	struct tc_text vendor, device;
	int64_t rank_count, device_count; /* of the job; in the trace */
};

/* Whether these make the work another. Appends what differs, in sentences, to why unless that is
 * NULL; it must be empty. */
bool tc_site_is_other(const struct tc_site *before, const struct tc_site *after, bool is_same_model,
	struct tc_buf *why);

/* Entries l of the log of a store or an index that say that trace t is damaged. A file that ends
 * early, or whose compressed data are damaged, does not show how much is missing; other losses
 * count from a hundredth of its events or bytes on. */
#define TC_FROM_DAMAGE                                                                             \
	" FROM import_log l JOIN trace t ON t.id = l.trace_id WHERE l.severity = 'data_loss'"      \
	" AND (l.kind IN ('truncated', 'starts_midway', 'source_cut') OR l.count * 100.0 >="       \
	" CASE WHEN l.kind IN ('damaged_event', 'trailing_garbage') THEN t.read_bytes ELSE"        \
	" t.event_count END)"

/* Finds of loaded sides why they cannot be compared at all, and whether they do other work. */
void tc_compare_relate(struct tc_compare *compare);

/* A reason why a comparison is unfair. Some make the work another: then the difference is not
 * judged, and the verdict says why. */
struct tc_unfair {
	const char *id;
	void (*append)(struct tc_buf *buf, const struct tc_compare *compare);
	bool (*is_other_work)(const struct tc_compare *compare); /* either, or NULL: never */
	bool (*is_other_site)(const struct tc_site *before, const struct tc_site *after);
	bool is_first;        /* the verdict begins with it */
	enum tc_metric lacks; /* without append: a capability that one side does not have */
	const char *words;    /* behind the name of that side */
};
const struct tc_unfair *tc_unfair_reasons(size_t *count);
/* Appends a sentence when the reason applies; besides: unless the verdict has it. */
void tc_unfair_append(struct tc_buf *buf, const struct tc_unfair *reason,
	const struct tc_compare *compare, bool besides);

/* Fills the result. */
void tc_compare_judge(struct tc_compare *compare);

void tc_compare_change(struct tc_buf *buf, const struct tc_compare *compare);
void tc_compare_reasons(struct tc_buf *buf, const struct tc_compare *compare);

/* A step of a rank on one side, without warm-up, by the batch; and how it changed. */
static inline int64_t tc_compare_rank_ns(
	const struct tc_compare *compare, const struct tc_compare_rank *rank, int side)
{
	int64_t batch = compare->sides[side].batch;

	return tc_compare_mean(rank->sum_ns[side],
		tc_mul_saturated(rank->step_count[side], batch > 0 ? batch : 1));
}

static inline int64_t tc_compare_rank_change_ns(
	const struct tc_compare *compare, const struct tc_compare_rank *rank)
{
	return tc_sub_saturated(tc_compare_rank_ns(compare, rank, TC_AFTER),
		tc_compare_rank_ns(compare, rank, TC_BEFORE));
}

/* ---- the formats, document.c and formats.c, and their parts of other files */

struct tc_compare_writer {
	void (*write)(struct tc_compare *compare);
	tc_doc_write_fn layout; /* of its document; NULL without one */
};

/* Writes the comparison as a document by compare->job->write. */
void tc_compare_put(struct tc_compare *compare);
/* Appends a sentence: the pieces that changed most, in the direction of the total and against
 * it. */
void tc_compare_append_path(struct tc_buf *buf, const struct tc_compare *compare);
