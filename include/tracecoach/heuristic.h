/*
 * A heuristic is one file of SQL, heuristics/ID.sql or a rule of the user. Comments before
 * the query are its header ("-- key: value"); the query is one question to the tables and views of
 * a store. It never sees the trace file. docs/user-rules.md has the keys and the contract.
 */
#ifndef TRACECOACH_HEURISTIC_H
#define TRACECOACH_HEURISTIC_H

#include "tracecoach/linkage.h"

TC_PUBLIC_BEGIN

/* FIX: something to change in the program. QUALITY: something wrong with the trace itself; it has
 * no gain and is shown before the advice. */
enum tc_heuristic_kind { TC_HEURISTIC_FIX, TC_HEURISTIC_QUALITY };

/* A threshold; its name is the SQL parameter. A list of them ends with a name of NULL. */
struct tc_param {
	const char *name;
	const char *unit; /* ns, pct, count, ratio or bytes */
	double value;     /* the default */
	double min, max;
	const char *help; /* what it decides, and the source of the default */
};

/* The range of a parameter that an edit names and no trace can tell; the default lies within. That
 * of TC_RANGE_OF_EDIT is of all that the edits take away: 0.8 to 1.3 times as much. A list of them
 * ends with a param of NULL. */
#define TC_RANGE_OF_EDIT "edit"
struct tc_param_range {
	const char *param;
	double low, high;
	const char *source;
};

/* When the value of an evidence column is worth its words. */
enum tc_says_when {
	TC_SAYS_ALWAYS,
	TC_SAYS_NOT_ZERO,  /* not for 0 */
	TC_SAYS_SEVERAL,   /* not for 0, nor where the row counts one thing only */
	TC_SAYS_NOT_GAIN,  /* not for 0, nor where it is the gain again */
	TC_SAYS_WITH_GAIN, /* only where the line has a gain */
	TC_SAYS_IDLE, /* as TC_SAYS_NOT_GAIN; the idle time of a row, which the fix takes away: a
			 gain above that of all rows is explained */
};

/* The words for an evidence column (docs/user-rules.md says what they may hold). A list of
 * them ends with a column of NULL. */
struct tc_says {
	const char *column;
	enum tc_says_when when;
	const char *text; /* "" for a column that is never shown */
};

struct tc_heuristic {
	const char *id;     /* kebab-case, names the defect, never reused */
	const char *title;  /* the defect as a statement, under 70 characters */
	const char *advice; /* imperative: what to do, in one to three sentences */
	const char *why;    /* why it costs time, in one or two sentences */
	enum tc_heuristic_kind kind;
	const char *const *part_of; /* ids of more general heuristics that report the same time
					  from farther away, NULL at the end */
	const char *const *needs;   /* names of the view capability, NULL at the end */
	const char *const *edits;   /* the changes that remove it (docs/edits.md), NULL at the end:
				       its gain is   that of a replay with these; without any it has
				       none, or   what the rows of a rule claim */
	unsigned causes;            /* of idle time that the edits take away wherever it is: bits,
				       for the library */
	const char *always_if;      /* an evidence column: with a value in it, a fix is reported
				       whatever it wins; NULL for none */
	const struct tc_param *params;       /* never NULL */
	const struct tc_param_range *ranges; /* never NULL */
	const struct tc_says *says;          /* never NULL */
	const char *sql;
	const char *source; /* where the technique and thresholds come from */
	const char *file;   /* path of the user's rule; NULL for a built-in heuristic */
	const char *page;   /* docs/heuristics/ID.md, Markdown; NULL for a rule */
};

/* "fix" or "quality". */
const char *tc_heuristic_kind_name(enum tc_heuristic_kind kind);

/* A title, advice, why or source in terms that suit the traces of all vendors: "{graphs}" is "HPU
 * Graphs, CUDA or HIP graphs". The caller frees it; NULL when memory is out. */
char *tc_heuristic_text(const char *text);

TC_PUBLIC_END

#endif
