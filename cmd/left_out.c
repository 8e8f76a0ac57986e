#include "left_out.h"

void tc_left_out_note(void *user, enum tc_note note, const char *text)
{
	const struct tc_cli *cli = user;

	if (note == TC_NOTE_LEFT_OUT)
		cli->left_out->failed |= tc_strings_add(&cli->left_out->reasons, text) != 0;
	else if (note == TC_NOTE_WARNING || !cli->options->quiet)
		tc_cli_error(0, "%s", text);
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
	return tc_cli_error(TC_EXIT_LEFT_OUT, "%zu input%s left out, %s read: the exit code is %d",
		list->reasons.count, list->reasons.count == 1 ? " was" : "s were",
		list->are_all ? "and nothing was" : "the others were", TC_EXIT_LEFT_OUT);
}

void tc_left_out_clear(struct tc_left_out *list)
{
	tc_strings_clear(&list->reasons);
	list->failed = false;
}
