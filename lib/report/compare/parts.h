/* What the files of this room offer each other, file by file. The structures are in facts.h. */
#ifndef TC_REPORT_COMPARE_PARTS_H
#define TC_REPORT_COMPARE_PARTS_H

#include "report/compare/facts.h"

/* ---- load.c: reads both sides. */

/* Loads all but the judgement; the views are there. tc_compare_clear() also when it failed. */
void tc_compare_load(struct tc_compare *compare);
void tc_compare_clear(struct tc_compare *compare);

/* ---- ranks.c: stores of several traces: pairs the traces of both sides, and chooses the pair that
 * the report is about. */

/*
 * Finds the traces to compare: that of the rank asked for, else, of all ranks that both sides have,
 * the pair whose steps changed most. Traces without ranks are paired in their order when both sides
 * have equally many. TC_ERR_USAGE, with the ranks there are, when this does not decide.
 */
void tc_compare_ranks_choose(int64_t ids[static TC_COMPARE_SIDES], struct tc_compare *compare);

/* Appends how the other ranks changed; nothing when there is only one pair. */
void tc_compare_put_ranks(const struct tc_compare *compare);

/* ---- query.c: the queries behind the numbers of a comparison. */

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
/* The same with a query of the comparison. */
void tc_pairs_open(struct tc_pairs *pairs, const struct tc_compare *compare,
	enum tc_compare_query query, int key_count);
/* Goes to the next key; false after the last. */
bool tc_pairs_next(struct tc_pairs *pairs);

/* Appends the query for both: the store before is main, the other one attached as after. */
void tc_compare_both_sql(
	struct tc_buf *buf, const struct tc_compare *compare, enum tc_compare_query query);
/* Appends a path so that no command takes it for an option; "-" stays standard input. */
void tc_compare_path(struct tc_buf *buf, const char *path);
/* Appends the path of the side's store, or one that is free for it: "before.db". */
void tc_compare_store_name(
	struct tc_buf *buf, const struct tc_compare *compare, enum tc_compare_index side);

/* ---- rows.c: operations, operators, host slices and pieces of the critical path of both sides,
 * matched row by row. */

/* Fills compare->rows[query] from the query of each side, which has group, name, count, duration
 * and time. */
void tc_compare_rows_load(struct tc_compare *compare, enum tc_compare_query query);

/*
 * Joins rows that only one side has when their shortened names are equal: another version of a
 * library gives a kernel other template arguments. Rows that both sides have stay.
 */
void tc_compare_rows_merge(struct tc_compare *compare, enum tc_compare_query query);

/* The same for rows of one group, which then names the row: a framework has its own operators for
 * each vendor (aten::cudnn_convolution, aten::miopen_convolution). Rows without a group stay. */
void tc_compare_rows_merge_groups(struct tc_compare *compare, enum tc_compare_query query);

/* Durations of both sides in the rows that both have. */
int64_t tc_compare_rows_matched_ns(const struct tc_compare_rows *list);

void tc_compare_rows_clear(struct tc_compare_rows *list);

/* ---- shapes.c: whether both sides work on inputs of the same size, by the recorded shapes of
 * matrix products and convolutions. */

/*
 * Products and convolutions are matched by name, weight and all dimensions of the input but the
 * first. When the first has the same ratio, other than 1, in at least 90 % of the matched calls, it
 * is the batch: sets the batch of both sides and the unit of all means. Counts the shapes, and
 * those that both sides have.
 */
void tc_compare_shapes_load(struct tc_compare *compare);

/* ---- work.c: whether both sides do the same work. See docs/compare.md. */

/* Loads what the weights of both have in common, which the batch needs. */
void tc_compare_weights_load(struct tc_compare *compare);
bool tc_work_other_weights(const struct tc_compare *compare);

/* Where a run ran, as its trace says; "" and numbers below 1 are not known, and differ from
 * none. */
struct tc_site {
	struct tc_text vendor, device;
	int64_t rank_count, device_count; /* of the job; in the trace */
};

struct tc_site tc_site_of(const struct tc_compare *compare, enum tc_compare_index side);

bool tc_site_other_vendor(const struct tc_site *before, const struct tc_site *after);
bool tc_site_other_device(const struct tc_site *before, const struct tc_site *after);
bool tc_site_other_ranks(const struct tc_site *before, const struct tc_site *after);
bool tc_site_other_device_count(const struct tc_site *before, const struct tc_site *after);

/* Whether these make the work another. */
bool tc_site_is_other(
	const struct tc_site *before, const struct tc_site *after, bool is_same_model);

/* Whether the loaded sides do not do the same work; false where they cannot be compared at all. */
bool tc_is_other_work(const struct tc_compare *compare);

/* ---- path.c: the difference of the critical paths, in words and as a table. */

/* Appends a sentence: the pieces that changed most, in the direction of the total and against
 * it. */
void tc_compare_append_path(struct tc_buf *buf, const struct tc_compare *compare);
/* All pieces, which add up. */
void tc_compare_put_path(const struct tc_compare *compare);

/* ---- judge.c: decides whether the difference of two runs is more than noise, and writes the
 * verdict. See docs/compare.md. */

/* Fills the result. */
void tc_compare_judge(struct tc_compare *compare);

/* Appends the verdict: what changed, by how much, and on what evidence. */
void tc_compare_verdict(struct tc_buf *buf, const struct tc_compare *compare);
void tc_compare_change(struct tc_buf *buf, const struct tc_compare *compare);
void tc_compare_reasons(struct tc_buf *buf, const struct tc_compare *compare);

/* ---- unfair.c: reasons why a comparison is unfair. */

/* Appends a sentence when the reason applies. Some make the work another: then the difference is
 * not judged, and the verdict says why. */
struct tc_unfair {
	const char *id;
	void (*append)(struct tc_buf *buf, const struct tc_compare *compare);
	bool (*is_other_work)(const struct tc_compare *compare); /* NULL: never */
};
const struct tc_unfair *tc_unfair_reasons(size_t *count);

/* Whether this one does, and the work is another. */
bool tc_unfair_is_of_verdict(const struct tc_unfair *reason, const struct tc_compare *compare);
/* Appends those that do: "the device differs: A before, B after; ..." */
void tc_append_other_work(struct tc_buf *buf, const struct tc_compare *compare);

/* The reason why the sides cannot be compared at all, without a full stop; NULL when they can.
 * Needs loaded sides. */
const char *tc_unlike(const struct tc_compare *compare);

/* ---- table.c: what the tables of the document have in common. */

static inline struct tc_doc *tc_compare_doc(const struct tc_compare *compare)
{
	return &compare->job->doc;
}

/* "TEXT, per step" */
void tc_compare_put_heading(const struct tc_compare *compare, const char *text);
/* Says how many rows the last table left out, if any. */
void tc_compare_put_hidden(const struct tc_compare *compare, int hidden);

/* ---- advice.c: the findings of both sides as a table: what each fix would save before and after.
 */

void tc_compare_put_advice(const struct tc_compare *compare);

/* ---- formats, one file each */

struct tc_compare_writer {
	void (*write)(struct tc_compare *compare);
	tc_doc_write_fn layout; /* of its document; NULL without one */
};

/* Writes the comparison as a document by compare->job->write. */
void tc_compare_put(struct tc_compare *compare);
void tc_compare_html(struct tc_compare *compare);
void tc_compare_json(struct tc_compare *compare);

#endif
