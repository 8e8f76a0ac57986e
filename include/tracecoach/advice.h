/*
 * Advice: runs heuristics on a store, ranks what they find, keeps the account of all of them.
 */
#ifndef TRACECOACH_ADVICE_H
#define TRACECOACH_ADVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracecoach/heuristic.h"
#include "tracecoach/settings.h"
#include "tracecoach/store.h"

TC_PUBLIC_BEGIN

enum tc_severity { TC_SEVERITY_INFO, TC_SEVERITY_LOW, TC_SEVERITY_MEDIUM, TC_SEVERITY_HIGH };
enum tc_confidence { TC_CONFIDENCE_GUESSED, TC_CONFIDENCE_INFERRED, TC_CONFIDENCE_MEASURED };
enum tc_outcome {
	TC_OUTCOME_FIRED,
	TC_OUTCOME_QUIET,
	TC_OUTCOME_NOT_APPLICABLE, /* the trace lacks what it needs */
	TC_OUTCOME_NOT_ASKED,      /* the settings leave it out: it has not looked */
	TC_OUTCOME_FAILED
};

#define TC_GAIN_NONE INT64_MIN /* a finding or row without a gain */
#define TC_PLAN_COVERED (-1)   /* a plan_order */

/* A column of a row of a heuristic's query. Its unit is the suffix of its name: _ns, _bytes, _pct,
 * _count or _ratio; others have none. */
enum tc_field_kind { TC_FIELD_NULL, TC_FIELD_INTEGER, TC_FIELD_REAL, TC_FIELD_TEXT };
struct tc_field {
	const char *name; /* NULL ends a list */
	enum tc_field_kind kind;
	union {
		int64_t integer;
		double real; /* finite */
		const char *text;
	};
};

/* One row of a heuristic's query. Strings are owned by the advice. */
struct tc_evidence {
	const char *subject;
	int64_t gain_ns; /* or TC_GAIN_NONE */
	int64_t count;   /* or -1 */
	enum tc_confidence confidence;
	const struct tc_field *fields; /* all columns of the row, in their order */
};

struct tc_finding {
	int64_t trace_id;
	const struct tc_heuristic *heuristic;
	enum tc_severity severity;
	enum tc_confidence confidence; /* the weakest of its rows */
	int64_t gain_ns;               /* the likely one, or TC_GAIN_NONE, and so are its ends: */
	int64_t gain_low_ns, gain_high_ns;
	double gain_pct;    /* of wall_ns of its trace; 0 without a gain */
	int64_t removed_ns; /* what its edits take away: where the gain is not known, it is no more
			     */
	const char *sql; /* the query with every parameter replaced by its value: runs as it is */
	struct tc_evidence *evidence;
	size_t evidence_count;
	const char *advice, *why; /* the heuristic's, in the terms of the trace */
	/* Code of its page that fits the trace; NULL: none does. A diff where its first column has
	 * only blanks, - and +. */
	const char *example;
	int64_t rank_ns; /* gain_ns less what special cases of it win: its place is by that */
	/* Its position in the plan of its trace, which comes first; 0: none; TC_PLAN_COVERED: the
	 * plan leaves it nothing to win. */
	int64_t plan_order;
};

struct tc_account_row {
	int64_t trace_id;
	const struct tc_heuristic *heuristic;
	enum tc_outcome outcome;
	const char *reason; /* for not_applicable, not_asked and failed, else NULL */
	bool is_small;      /* quiet, for what was found wins too little alone */
};

/* A threshold that is not at its default. */
struct tc_setting {
	const struct tc_heuristic *heuristic;
	const struct tc_param *param;
	double value;
};

struct tc_advice {
	const struct tc_settings *made_with; /* borrowed */
	struct tc_finding
		*findings; /* by trace, in rank order: quality notes first, then by gain */
	size_t finding_count;
	struct tc_account_row *account; /* by trace, in the order of the heuristics */
	size_t account_count;
	struct tc_setting *settings; /* in the order of the heuristics */
	size_t setting_count;
	size_t trace_count;  /* traces of the store */
	size_t judged_count; /* of them those that show enough of their run to be judged; fixes for
			      * others have no severity */
};

/* "info", "low", "medium" or "high". */
const char *tc_severity_name(enum tc_severity severity);

/*
 * Runs every heuristic on every trace of a store. A heuristic whose query fails is an account row,
 * not a failure of the call, and so is one that the settings leave out. A rule that fired or failed
 * when the store was made and that the settings do not have is one that failed. *out is owned by
 * the caller. The user's rules run under an authorizer. The settings must outlive the advice.
 */
enum tc_status tc_advise_store(struct tc_advice **out, struct tc_ctx *ctx, struct tc_store *store,
	const struct tc_settings *settings);
void tc_advice_free(struct tc_advice *advice); /* NULL is fine */

/* TC_ERR_USAGE for what was asked for as a finding and is none: for a number ("9", "#9") the
 * highest one there is, the nearest id for a word, or that the heuristic found nothing. */
enum tc_status tc_finding_fail(
	struct tc_ctx *ctx, const struct tc_advice *advice, const char *asked, size_t most);

TC_PUBLIC_END

#endif
