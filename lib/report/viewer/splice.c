/* See splice.h. Follows only strings and brackets; the text between them need not be valid JSON. */
#include "report/viewer/splice.h"

#include <string.h>

static const char key[] = "traceEvents";
#define KEY_LEN (sizeof(key) - 1)

void tc_splice_init(struct tc_splice *splice, bool is_lines)
{
	*splice = (struct tc_splice){.after = is_lines ? TC_SPLICE_LIST : TC_SPLICE_OTHER};
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static void see_in_string(struct tc_splice *splice, char c)
{
	if (c == '"' && !splice->is_escaped) {
		splice->in_string = false;
		if (splice->depth == 1 && splice->matched == KEY_LEN)
			splice->after = TC_SPLICE_KEY;
		return;
	}
	splice->is_escaped = c == '\\' && !splice->is_escaped;
	if (splice->matched < KEY_LEN && key[splice->matched] == c)
		splice->matched++;
	else
		splice->matched = SIZE_MAX;
}

static void see_outside(struct tc_splice *splice, char c)
{
	enum tc_splice_after before = splice->after;

	splice->after = TC_SPLICE_OTHER;
	if (c == '"') {
		splice->in_string = true;
		splice->matched = 0;
	} else if (c == ':' && before == TC_SPLICE_KEY) {
		splice->after = TC_SPLICE_COLON;
	} else if (c == '[') {
		if (splice->depth == 0 || before == TC_SPLICE_COLON)
			splice->after = TC_SPLICE_LIST;
		splice->depth++;
	} else if (c == '{') {
		splice->depth++;
	} else if (c == '}' || c == ']') {
		splice->depth -= splice->depth > 0;
	}
}

size_t tc_splice_scan(struct tc_splice *splice, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (splice->in_string) {
			see_in_string(splice, bytes[i]);
		} else if (!is_blank(bytes[i])) {
			if (splice->after == TC_SPLICE_LIST) {
				splice->found = true;
				splice->next = bytes[i];
				return i;
			}
			see_outside(splice, bytes[i]);
		}
	}
	return len;
}

void tc_splice_end(struct tc_splice *splice)
{
	splice->found |= splice->after == TC_SPLICE_LIST && !splice->in_string;
}
