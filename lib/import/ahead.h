/*
 * Ahead: while a trace is written, the next one is parsed, resolved, analysed and replayed on a
 * thread of its own. One trace after the other, so their ids follow each other, and what is written
 * is the same, byte for byte, as without. For small traces, of which two fit into memory: large
 * ones use the threads within a trace.
 */
#ifndef TC_IMPORT_AHEAD_H
#define TC_IMPORT_AHEAD_H

#include "import/analyse.h"
#include "import/relay.h"
#include "model/model.h"

/* Traces to read; everything is borrowed. */
struct tc_ahead_job {
	const char *const *paths;
	size_t count;
	const struct tc_fixes *fixes; /* NULL: none */
	bool strict;
	const struct tc_companion *companion; /* NULL: none */
};

/* A trace that is read. Its rows come through the relay; the rest is there when
 * tc_ahead_finished() has said so. */
struct tc_reading {
	const char *path;
	struct tc_ctx *ctx; /* of its errors */
	struct tc_relay relay;
	struct tc_next_ids ids; /* behind it; the flow is whoever writes its */
	struct tc_input_facts facts;
	struct tc_model *model;
	const struct tc_timeline *timeline;
	struct tc_analysed analysed;
	enum tc_status status;
};

/* Reads a trace with the ids of reading, which it moves on; see import.c. */
typedef enum tc_status (*tc_read_fn)(struct tc_reading *reading, const struct tc_ahead_job *job);

struct tc_ahead;

/* Begins to read. *out is owned by the caller. */
enum tc_status tc_ahead_new(struct tc_ahead **out, struct tc_ctx *ctx,
	const struct tc_ahead_job *job, const struct tc_next_ids *ids, tc_read_fn read);
/* Stops, also in the middle of a trace; NULL is fine. */
void tc_ahead_free(struct tc_ahead *ahead);

/* The next trace, which may still be read: write what the relay gives first. NULL when memory is
 * out. The caller's, to be freed before tc_ahead_free(). */
struct tc_reading *tc_ahead_next(struct tc_ahead *ahead);
/* Waits until the trace that was got last is read; returns its status. */
enum tc_status tc_ahead_finished(struct tc_ahead *ahead);
void tc_reading_free(struct tc_reading *reading); /* NULL is fine */

#endif
