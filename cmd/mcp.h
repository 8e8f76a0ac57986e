/*
 * What tracecoach mcp is made of: the tools that an agent may call (mcp_tools.c), and the protocol
 * with its two threads (mcp.c). The first thread reads messages and answers what takes no time, so
 * that a ping is answered during an import. The second makes the calls, one after another, so that
 * a call sent before an earlier one was answered finds what that one opens.
 */
#ifndef TC_CMD_MCP_H
#define TC_CMD_MCP_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <yajl/yajl_tree.h>

#include "tracecoach/context.h"

#define ANSWER_BYTES 12000      /* unless limit says otherwise */
#define ANSWER_LEAST_BYTES 1000 /* of limit */
#define ANSWER_MOST_BYTES 1000000
#define RUNS_MOST 16 /* each open run has a temporary store */

/* The text of an answer. Once it has failed (out of memory) it stays failed. At `limit` bytes it is
 * cut and takes no more. All zero is empty and without a limit. A cursor does not count the first
 * `head` bytes. The piece of this answer begins at `start` and has at most `piece` bytes. */
struct text {
	char *bytes;
	size_t len, capacity, limit, head, start, piece;
	bool failed, is_cut;
};

struct run {
	struct tc_ctx *ctx; /* NULL: the slot is free */
	struct tc_store *store;
	struct tc_advice *advice;
	char *source; /* as the agent named it */
	size_t number;
};

struct mcp {
	const struct tc_settings *settings;
	unsigned query_max_s; /* seconds that a query may take */
	struct run runs[RUNS_MOST];
	size_t opened_count;     /* of all runs, closed ones too: no name is used twice */
	tc_progress_fn progress; /* hears about the import of this call; NULL for none */
	void *progress_user;
	pthread_mutex_t lock;   /* for what follows; callers may keep more under it */
	struct tc_ctx *working; /* of the call that runs; NULL between contexts */
	bool is_cancelled;      /* that call; its owner clears it before it begins */
};

struct tool {
	const char *name;
	const char *description;
	const char *schema; /* JSON Schema of its arguments */
	/* Appends the answer to out; returns false when that is an error message. */
	bool (*call)(struct text *out, struct mcp *mcp, yajl_val arguments);
};

/* The tools; the last one has no name. */
extern const struct tool tc_mcp_tools[];

/* Checks the arguments, the cursor among them, and calls. False when text is an error message. The
 * caller frees text->bytes. */
bool tc_mcp_call(struct text *text, struct mcp *mcp, const struct tool *tool, yajl_val arguments);
void tc_mcp_close_runs(struct mcp *mcp);

/* Stops the call that runs, soon. With mcp->lock held. */
static inline void tc_mcp_cancel(struct mcp *mcp)
{
	mcp->is_cancelled = true;
	if (mcp->working)
		tc_ctx_interrupt(mcp->working);
}

/* A member of an object; NULL when it is missing or of another type. */
static inline yajl_val member(yajl_val object, const char *name, yajl_type type)
{
	const char *path[] = {name, NULL};

	return yajl_tree_get(object, path, type);
}

/* A string member of an object; NULL when it is missing or no string. Borrowed. */
static inline const char *string_member(yajl_val object, const char *name)
{
	yajl_val value = member(object, name, yajl_t_string);

	return value ? YAJL_GET_STRING(value) : NULL;
}

#endif
