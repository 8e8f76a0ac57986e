/*
 * Comparison of two runs, one before a change and one after it: is it faster, by how much, where
 * did the time go, which advice went away. See docs/compare.md.
 */
#ifndef TRACECOACH_COMPARE_H
#define TRACECOACH_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "tracecoach/advice.h"
#include "tracecoach/report.h"
#include "tracecoach/store.h"

TC_PUBLIC_BEGIN

enum tc_compare_index { TC_BEFORE, TC_AFTER, TC_COMPARE_SIDES };

/* One of the two runs: a trace of a store with its advice. All borrowed for the call. */
struct tc_compare_side {
	struct tc_store *store;
	/* Advice of both sides is matched by the ids of heuristics: give both the same settings. */
	const struct tc_advice *advice;
	const char *source; /* the trace or store as the user named it */
};

/* SAME: not a nanosecond apart. WITHIN: no more than what steps vary by. UNLIKE: the runs cannot be
 * compared, so none is called faster; OTHER_WORK, DAMAGED: nor are runs that do not do the same
 * work, or of which a part was lost, unless the options say to judge them anyway. */
enum tc_compare_outcome {
	TC_COMPARE_SAME,
	TC_COMPARE_WITHIN,
	TC_COMPARE_FASTER,
	TC_COMPARE_SLOWER,
	TC_COMPARE_UNLIKE,
	TC_COMPARE_OTHER_WORK,
	TC_COMPARE_DAMAGED
};

struct tc_compare_result {
	enum tc_compare_outcome outcome;
	bool judged;           /* by what steps vary by; false where that is not known */
	double difference_pct; /* of the time before, as judged: of means or medians; positive when
				  AFTER is slower */
	const char *unlike;    /* why the runs cannot be compared; NULL where they can */
	bool is_other_work;    /* the runs do not do the same work: other devices, ranks or sizes */
	/* the recording of a side is cut off or lacks a hundredth of its events or bytes */
	bool damaged[TC_COMPARE_SIDES];
	bool foreign;    /* a side has nothing of a deep-learning run, so a gate cannot judge it */
	bool has_failed; /* AFTER is slower by options->slower or more */
	/* The runs are not alike, or what was recorded does not show whether one has_failed. */
	bool is_unjudged;
};

struct tc_compare_writer;

struct tc_compare_format {
	const char *name; /* value of --format */
	const char *help;
	const struct tc_compare_writer *writer;
};

/* The formats, *count of them: text first. */
const struct tc_compare_format *tc_compare_formats(size_t *count);

/* Where it goes, as in report.h. */
struct tc_compare_output {
	tc_write_fn write;
	void *user;
};

/*
 * Writes the comparison of sides[TC_BEFORE] and sides[TC_AFTER] in one of those formats and fills
 * *result. Of stores with several traces options->rank names the one, else all ranks of both are
 * compared and the one that changed most is reported in detail; TC_ERR_USAGE where that names none
 * or more than one, with the ranks there are. TC_ERR_INPUT where a side has no time to compare.
 * options->step is ignored.
 */
enum tc_status tc_compare(struct tc_compare_result *result, struct tc_ctx *ctx,
	const struct tc_compare_side sides[TC_COMPARE_SIDES],
	const struct tc_compare_format *format, const struct tc_report_options *options,
	const struct tc_compare_output *output);

TC_PUBLIC_END

#endif
