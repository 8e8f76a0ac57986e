/* The tools of tracecoach mcp: what an agent may call, and the runs that it has opened. */
#ifndef TC_CMD_MCP_TOOLS_H
#define TC_CMD_MCP_TOOLS_H

#include <yajl/yajl_tree.h>

#include "mcp_text.h"
#include "tracecoach/import.h"
#include "tracecoach/settings.h"

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

#endif
