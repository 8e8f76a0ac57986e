#include "side/sniff.h"

bool tc_sniff_is_json(struct tc_text head)
{
	struct tc_text text = tc_text_trim(head);

	if (text.len == 0 || (text.ptr[0] != '[' && text.ptr[0] != '{'))
		return false;
	struct tc_text inside = tc_text_trim((struct tc_text){text.ptr + 1, text.len - 1});
	if (text.ptr[0] == '{')
		return inside.len > 0 && inside.ptr[0] == '"';
	return inside.len > 0 && (inside.ptr[0] == '{' || inside.ptr[0] == '[');
}

bool tc_sniff_has_heading(struct tc_text head, const char *const *words)
{
	struct tc_text line = tc_text_trim(head);
	const char *end = line.len > 0 ? memchr(line.ptr, '\n', line.len) : NULL;

	if (end)
		line = tc_text_before(line, end);
	while (*words && tc_text_contains(line, tc_text_from(*words)))
		words++;
	return !*words;
}

bool tc_sniff_is_binary(struct tc_text head)
{
	return head.len > 0 && memchr(head.ptr, '\0', head.len);
}
