/* The members of the trace that are no event list, as rows of trace_meta. */
#ifndef TC_MODEL_TRACE_METAS_H
#define TC_MODEL_TRACE_METAS_H

#include "core/collections/strtab.h"
#include "tracecoach/context.h"

/* By this member a trace says that it is part of another: {"of": "run.json", "part": "steps
 * 3-5"}. */
#define TC_CUT_MEMBER "tracecoach_cut"

struct tc_meta {
	struct tc_text key, json;
};

struct tc_metas {
	struct tc_ctx *ctx;       /* borrowed */
	struct tc_strtab strings; /* the texts of rows */
	struct tc_meta *rows;
	size_t count, capacity;
};

void tc_metas_clear(struct tc_metas *metas);
enum tc_status tc_metas_add(struct tc_metas *metas, struct tc_text key, struct tc_text json);
/* The JSON text of a member, the last one of that key; ptr NULL when there is none. */
struct tc_text tc_metas_find(const struct tc_metas *metas, const char *key);

#endif
