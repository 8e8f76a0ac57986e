#include "mcp_tools.h"

#include <stdlib.h>
#include <string.h>

int tc_mcp_text_write(void *user, const char *bytes, size_t len)
{
	struct tc_mcp_text *text = user;

	text->is_cut |= text->limit > 0 && text->len >= text->limit;
	if (text->is_cut)
		return -1;
	/* A single value may be larger than the memory that an answer may take. */
	if (text->limit > 0 && len > text->limit - text->len)
		len = text->limit - text->len;
	if (text->capacity - text->len <= len) {
		size_t capacity = text->capacity * 2 + len + 1024;
		char *grown = text->failed ? NULL : realloc(text->bytes, capacity);

		text->failed = !grown;
		if (!grown)
			return -1;
		text->bytes = grown;
		text->capacity = capacity;
	}
	memcpy(text->bytes + text->len, bytes, len);
	text->len += len;
	text->bytes[text->len] = '\0';
	return 0;
}

void tc_mcp_text_string(struct tc_mcp_text *text, const char *string)
{
	tc_mcp_text_write(text, string, strlen(string));
}

void tc_mcp_text_clear(struct tc_mcp_text *text)
{
	free(text->bytes);
	*text = (struct tc_mcp_text){0};
}

yajl_val tc_mcp_member(yajl_val object, const char *name, yajl_type type)
{
	const char *path[] = {name, NULL};

	return yajl_tree_get(object, path, type);
}

const char *tc_mcp_string(yajl_val object, const char *name)
{
	yajl_val value = tc_mcp_member(object, name, yajl_t_string);

	return value ? value->u.string : NULL;
}

const char **tc_mcp_strings(yajl_val object, const char *name)
{
	yajl_val array = tc_mcp_member(object, name, yajl_t_array);
	size_t count = array ? array->u.array.len : 0;
	const char **list = count > 0 ? calloc(count + 1, sizeof(*list)) : NULL;

	for (size_t i = 0; list && i < count; i++)
		list[i] = YAJL_GET_STRING(array->u.array.values[i]);
	return list;
}

void tc_mcp_put_string(yajl_gen json, const char *value)
{
	tc_mcp_put_bytes(json, value, strlen(value));
}

void tc_mcp_put_bytes(yajl_gen json, const char *bytes, size_t len)
{
	static const char instead[] = "(a text that is not UTF-8)";

	if (yajl_gen_string(json, (const unsigned char *)bytes, len) == yajl_gen_invalid_string)
		yajl_gen_string(json, (const unsigned char *)instead, sizeof(instead) - 1);
}
