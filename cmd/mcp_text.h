/*
 * A text that grows, and the JSON of messages: read as a tree, written piece by piece. What is written
 * is valid UTF-8 whatever the texts hold.
 */
#ifndef TC_CMD_MCP_TEXT_H
#define TC_CMD_MCP_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <yajl/yajl_gen.h>
#include <yajl/yajl_tree.h>

/* Once failed it stays failed: memory is out. Once it has limit bytes it is cut: it takes no more. All
 * zero is empty and without a limit. The first head bytes are no part of the answer that a cursor
 * counts. */
struct tc_mcp_text {
	char *bytes;
	size_t len, capacity, limit, head;
	bool failed, is_cut;
};

/* A tc_write_fn; user is the text. Returns -1 when the text takes no more. */
int tc_mcp_text_write(void *user, const char *bytes, size_t len);
void tc_mcp_text_string(struct tc_mcp_text *text, const char *string);
void tc_mcp_text_clear(struct tc_mcp_text *text);

/* The member of an object; NULL where it is not there or is of another type. */
yajl_val tc_mcp_member(yajl_val object, const char *name, yajl_type type);
/* The member of an object: a string, NULL where it is not there or is none. Borrowed. */
const char *tc_mcp_string(yajl_val object, const char *name);
/* An array of strings with NULL at its end, of which the caller frees the array and not the strings; a
 * single string counts as an array of one. NULL where there is none, or without memory. */
const char **tc_mcp_strings(yajl_val object, const char *name);

void tc_mcp_put_string(yajl_gen json, const char *value);
void tc_mcp_put_bytes(yajl_gen json, const char *bytes, size_t len);

#endif
