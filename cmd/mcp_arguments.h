/* The arguments of a tool, held against the schema that tools/list shows. */
#ifndef TC_CMD_MCP_ARGUMENTS_H
#define TC_CMD_MCP_ARGUMENTS_H

#include "mcp_text.h"

/* False, with the message in out, when arguments has a member that schema has not, or one of another
 * type; a null counts as left out, and a string as a list of one. An argument that was read as if it
 * were not there would give the answer to another question. */
bool tc_mcp_arguments_check(struct tc_mcp_text *out, const char *schema, yajl_val arguments);

#endif
