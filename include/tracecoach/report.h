/*
 * Reports: a store and its advice as text for a terminal, as JSON, or in another of the forms that
 * tc_renderers() lists.
 */
#ifndef TRACECOACH_REPORT_H
#define TRACECOACH_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "tracecoach/advice.h"
#include "tracecoach/store.h"
#include "tracecoach/text.h"

TC_PUBLIC_BEGIN

/* Where a report goes: called with pieces of text in order; returns 0, or -1 to stop. */
typedef int (*tc_write_fn)(void *user, const char *bytes, size_t len);

/* Columns that texts are laid out for: what is narrower does not fit, longer lines read badly. */
#define TC_REPORT_WIDTH_LEAST 50
#define TC_REPORT_WIDTH_MOST 140

/* A run that is slower by as many percent or more fails. */
struct tc_slower_limit {
	bool is_given;
	double pct; /* 0 or more */
};

/* Zeroed, and NULL in its place: the report of the whole store, in its usual size. */
struct tc_report_options {
	size_t size; /* of this struct for the caller, which is then checked; 0: not checked */
	bool color;  /* ANSI colours */
	bool ascii;  /* no characters beyond ASCII in bars and rules */
	int width;   /* columns to fill, cut to the limits above; 80 for 0 */
	int top;     /* findings shown in full and rows of each table; 0 for the default */
	bool has_step, has_rank;
	int64_t step; /* with has_step: only the step of this number */
	int64_t rank; /* with has_rank: only traces of this rank */
	bool details; /* text: all tables and findings, and a report for each rank of a job */
	bool summary; /* json: the short form, docs/summary.schema.json */
	const char *explain; /* text and md: only this finding, whole: its id, or its number in the
				report of a trace; NULL for the report */
	bool sql;            /* with explain: the query that returns the evidence, too */
	bool anyway;         /* a comparison: judge also runs that do not do the same work */
	struct tc_slower_limit slower; /* a comparison: what AFTER must be slower by to fail */
	const char *const *inputs; /* what was read, as the user gave it: for commands to copy */
	size_t input_count;
	/* options that change what is found, as the user gave them: "--set=ID.PARAM=1" */
	const char *const *flags;
	size_t flag_count;
	int fail_on; /* junit and github: the least enum tc_severity that fails; 0 for none */
};

struct tc_renderer {
	const char *name; /* value of --format */
	const char *help;
	/* TC_ERR_USAGE for a step or rank that is not there, TC_ERR_IO when write() stopped it;
	 * what was written until a failure stays written. */
	enum tc_status (*render)(struct tc_ctx *ctx, struct tc_store *store,
		const struct tc_advice *advice, const struct tc_report_options *options,
		tc_write_fn write, void *user);
};

/* The renderers, *count of them: text first. */
const struct tc_renderer *tc_renderers(size_t *count);

/* A report as one text, in the format of that name. The caller frees it: tc_text_free(). NULL when
 * it failed: TC_ERR_USAGE for a format, step or rank that is not there. */
char *tc_report(struct tc_ctx *ctx, struct tc_store *store, const struct tc_advice *advice,
	const char *format, const struct tc_report_options *options);
/* The report that docs/report.schema.json describes, in the same way. */
char *tc_report_json(struct tc_ctx *ctx, struct tc_store *store, const struct tc_advice *advice,
	const struct tc_report_options *options);

TC_PUBLIC_END

#endif
