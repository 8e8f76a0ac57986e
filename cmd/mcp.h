/* Shared by the protocol (mcp.c) and its tools (mcp_tools.c): texts, JSON, open runs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <yajl/yajl_tree.h>

#include "tracecoach/import.h"
#include "tracecoach/settings.h"

/* Once it has failed (out of memory) it stays failed. At `limit` bytes it is cut and takes no more.
 * All zero is empty and without a limit. A cursor does not count the first `head` bytes. */
struct tc_mcp_text {
	char *bytes;
	size_t len, capacity, limit, head;
	bool failed, is_cut;
};

/* A tc_write_fn; user is the text. Returns -1 when the text takes no more. */
int tc_mcp_text_write(void *user, const char *bytes, size_t len);
void tc_mcp_text_string(struct tc_mcp_text *text, const char *string);

/* A string member of an object; NULL when it is missing or no string. Borrowed. */
const char *tc_mcp_string(yajl_val object, const char *name);

/* ---- mcp_tools.c: what an agent may call, and the runs that it has opened. */

/* Each open run has a temporary store. */
#define TC_MCP_RUNS_MOST 16

struct tc_mcp_run {
	struct tc_ctx *ctx; /* NULL: the slot is free */
	struct tc_store *store;
	struct tc_advice *advice;
	char *source; /* as the agent named it */
};

struct tc_mcp {
	const struct tc_settings *settings;
	unsigned query_max_s; /* seconds that a query may take */
	struct tc_mcp_run runs[TC_MCP_RUNS_MOST];
};

struct tc_mcp_tool {
	const char *name;
	const char *description;
	const char *schema; /* JSON Schema of its arguments */
	/* Appends the answer to out; returns false when that is an error message. */
	bool (*call)(struct tc_mcp_text *out, struct tc_mcp *mcp, yajl_val arguments);
};

/* The tools, *count of them. */
const struct tc_mcp_tool *tc_mcp_tools(size_t *count);
void tc_mcp_close_runs(struct tc_mcp *mcp);
