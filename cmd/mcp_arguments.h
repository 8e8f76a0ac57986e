/* Checks the arguments of a tool against the schema that tools/list shows. */
#ifndef TC_CMD_MCP_ARGUMENTS_H
#define TC_CMD_MCP_ARGUMENTS_H

#include "mcp_text.h"

/* False, with the message in out, when arguments has a member that schema lacks, or one of another
 * type. A null counts as left out, and a string as a list of one. To ignore a wrong argument would
 * answer another question. */
bool tc_mcp_arguments_check(struct tc_mcp_text *out, const char *schema, yajl_val arguments);

#endif
