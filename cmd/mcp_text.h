/*
 * A text that grows, and the JSON of messages: read as a tree, written piece by piece. The output
 * is valid UTF-8 whatever the texts hold.
 */
#ifndef TC_CMD_MCP_TEXT_H
#define TC_CMD_MCP_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <yajl/yajl_gen.h>
#include <yajl/yajl_tree.h>

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
void tc_mcp_text_clear(struct tc_mcp_text *text);

/* A member of an object; NULL when it is missing or of another type. */
yajl_val tc_mcp_member(yajl_val object, const char *name, yajl_type type);
/* A string member of an object; NULL when it is missing or no string. Borrowed. */
const char *tc_mcp_string(yajl_val object, const char *name);
/* An array of strings that ends with NULL; the caller frees the array but not the strings. A single
 * string counts as an array of one. NULL when it is missing, or memory is out. */
const char **tc_mcp_strings(yajl_val object, const char *name);

void tc_mcp_put_string(yajl_gen json, const char *value);
void tc_mcp_put_bytes(yajl_gen json, const char *bytes, size_t len);

/* ---- mcp_arguments.c: checks the arguments of a tool against the schema that tools/list shows. */

/* False, with the message in out, when arguments has a member that schema lacks, or one of another
 * type. A null counts as left out, and a string as a list of one. To ignore a wrong argument would
 * answer another question. */
bool tc_mcp_arguments_check(struct tc_mcp_text *out, const char *schema, yajl_val arguments);

#endif
