/*
 * What a heuristic is: one file of SQL, heuristics/ID.sql or a rule of the user. Comments before
 * the query are its header ("-- key: value"); the query is one question to the tables and views of
 * a store. It never sees the trace file. docs/user-rules.md has the keys and the contract.
 */
#ifndef TRACECOACH_HEURISTIC_H
#define TRACECOACH_HEURISTIC_H

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* FIX: something to change in the program. QUALITY: something wrong with the trace itself; it has
 * no gain and is shown before the advice. */
enum tc_heuristic_kind { TC_HEURISTIC_FIX, TC_HEURISTIC_QUALITY };

/* Whose time a fix wins back, as a set of disjoint parts of the wall time: a finding's gain is
 * capped at their measured size, and findings with a part in common may claim the same time. */
enum tc_bucket {
	TC_BUCKET_NONE = 0,               /* no gain */
	TC_BUCKET_HOST = 1 << 0,          /* idle while the host builds and launches, of itself */
	TC_BUCKET_HELD = 1 << 1,          /* idle while something holds the host up, or after it */
	TC_BUCKET_PAUSE = 1 << 2,         /* idle with work in the device's queue, or unexplained */
	TC_BUCKET_TRANSFER = 1 << 3,      /* exposed_transfer.late_ns */
	TC_BUCKET_COPY = 1 << 4,          /* other copies outside compute */
	TC_BUCKET_COMPUTE = 1 << 5,       /* compute (Gaudi: MME and TPC) busy time */
	TC_BUCKET_COMMUNICATION = 1 << 6, /* exposed_communication_ns */
	TC_BUCKET_IDLE = TC_BUCKET_HOST | TC_BUCKET_HELD | TC_BUCKET_PAUSE, /* device_wait_ns */
	TC_BUCKET_COPIES = TC_BUCKET_TRANSFER | TC_BUCKET_COPY, /* Gaudi: dma_exclusive_ns */
	TC_BUCKET_WALL = TC_BUCKET_IDLE | TC_BUCKET_COPIES | TC_BUCKET_COMPUTE |
			 TC_BUCKET_COMMUNICATION, /* any wall time */
};

/* How the gains of a heuristic's rows make the gain of its finding. */
enum tc_combine {
	TC_COMBINE_SUM, /* rows are about disjoint time */
	TC_COMBINE_MAX, /* rows look at the same time from several sides */
};

/* A threshold; its name is the SQL parameter. A list of them ends with a name of NULL. */
struct tc_param {
	const char *name;
	const char *unit; /* ns, pct, count, ratio or bytes */
	double value;     /* the default */
	double min, max;
	const char *help; /* what it decides, and the source of the default */
};

/* When the value of an evidence column is worth its words. */
enum tc_says_when {
	TC_SAYS_ALWAYS,
	TC_SAYS_NOT_ZERO,  /* not for 0 */
	TC_SAYS_SEVERAL,   /* not for 0, nor where the row counts one thing only */
	TC_SAYS_NOT_GAIN,  /* not for 0, nor where it is the gain again */
	TC_SAYS_WITH_GAIN, /* only where the line has a gain */
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
	enum tc_bucket bucket;
	enum tc_combine combine;
	const char *const *part_of; /* ids of more general heuristics that tell the same time
					  from farther away, NULL at the end */
	const char *const *needs;   /* names of the view capability, NULL at the end */
	const char *const *edits;   /* what mends it (docs/edits.md), NULL at the end: its gain is
					  that of a replay with these; without any its query says it */
	const struct tc_param *params; /* never NULL */
	const struct tc_says *says;    /* never NULL */
	const char *sql;
	const char *source; /* where the technique and thresholds come from */
	const char *file;   /* path of the user's rule; NULL for a built-in heuristic */
	const char *page;   /* docs/heuristics/ID.md, Markdown; NULL for a rule */
};

/* A title, advice, why or source in terms that suit the traces of all vendors: "{graphs}" is "HPU
 * Graphs, CUDA or HIP graphs". The caller frees it; NULL when memory is out. */
char *tc_heuristic_text(const char *text);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
