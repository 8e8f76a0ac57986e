#include "mcp_tools.h"

#include <string.h>

static bool is_list(yajl_val value)
{
	if (!YAJL_IS_ARRAY(value))
		return false;
	for (size_t i = 0; i < value->u.array.len; i++) {
		if (!YAJL_IS_STRING(value->u.array.values[i]))
			return false;
	}
	return true;
}

static void list_names(struct tc_mcp_text *out, yajl_val properties)
{
	for (size_t i = 0; i < properties->u.object.len; i++) {
		tc_mcp_text_string(out, i > 0 ? ", " : "");
		tc_mcp_text_string(out, properties->u.object.keys[i]);
	}
}

static bool check_member(
	struct tc_mcp_text *out, yajl_val properties, const char *name, yajl_val value)
{
	yajl_val property = tc_mcp_member(properties, name, yajl_t_object);
	const char *type = tc_mcp_string(property, "type");
	bool takes_list = type && strcmp(type, "array") == 0;

	if (property &&
		(YAJL_IS_NULL(value) || (takes_list ? is_list(value) : YAJL_IS_STRING(value))))
		return true;
	tc_mcp_text_string(out, name);
	if (property) {
		tc_mcp_text_string(
			out, takes_list ? ": give a list of strings" : ": give a string");
	} else {
		tc_mcp_text_string(out, ": no such argument: give ");
		list_names(out, properties);
	}
	return false;
}

bool tc_mcp_arguments_check(struct tc_mcp_text *out, const char *schema, yajl_val arguments)
{
	char error[256];
	yajl_val root, properties;
	bool fits = true;

	if (!arguments || YAJL_IS_NULL(arguments))
		return true;
	if (!YAJL_IS_OBJECT(arguments)) {
		tc_mcp_text_string(out, "arguments: give an object");
		return false;
	}
	root = yajl_tree_parse(schema, error, sizeof(error));
	properties = tc_mcp_member(root, "properties", yajl_t_object);
	if (!properties) {
		tc_mcp_text_string(out, "out of memory");
		fits = false;
	}
	for (size_t i = 0; fits && i < arguments->u.object.len; i++)
		fits = check_member(out, properties, arguments->u.object.keys[i],
			arguments->u.object.values[i]);
	yajl_tree_free(root);
	return fits;
}
