/* Values dropped a byte at a time; see skip.h. */
#include "decode/salvage/skip.h"

/* A byte inside a string; true when it closes the string. */
static bool skip_in_string(struct tc_skip *skip, char c)
{
	if (skip->escape)
		skip->escape = false;
	else if (c == '\\')
		skip->escape = true;
	else if (c == '"')
		skip->string = false;
	return !skip->string;
}

bool tc_skip_byte(struct tc_skip *skip, char c, bool *used)
{
	bool closes = c == '}' || c == ']', opens = c == '{' || c == '[';

	*used = true;
	if (skip->string)
		return skip_in_string(skip, c) && skip->depth == 0;
	if (skip->started && skip->depth == 0 && (closes || c == ',' || c == '\n')) {
		*used = false;
		return true;
	}
	skip->started = true;
	skip->string = c == '"';
	skip->depth += opens - closes;
	return closes && skip->depth <= 0;
}
