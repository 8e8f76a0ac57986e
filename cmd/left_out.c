/* See left_out.h. */
#include "left_out.h"

void tc_left_out_add(void *user, const char *path, const char *reason)
{
	struct tc_left_out *list = user;

	(void)path;
	if (tc_strings_add(&list->reasons, reason) != 0)
		list->failed = true;
}

int tc_left_out_tell(const struct tc_left_out *list, int code)
{
	if (list->failed && code != TC_EXIT_INTERRUPTED)
		return tc_cli_error(TC_EXIT_INTERNAL, "out of memory");
	if (list->reasons.count == 0 || code == TC_EXIT_INTERRUPTED)
		return code;
	for (size_t i = 0; i < list->reasons.count; i++)
		tc_cli_error(0, "left out: %s", list->reasons.items[i]);
	if (code != TC_EXIT_DONE)
		return code;
	return tc_cli_error(TC_EXIT_LEFT_OUT,
		"%zu input%s left out, the others were read: the exit code is %d",
		list->reasons.count, list->reasons.count == 1 ? " was" : "s were",
		TC_EXIT_LEFT_OUT);
}

void tc_left_out_clear(struct tc_left_out *list)
{
	tc_strings_clear(&list->reasons);
	list->failed = false;
}
