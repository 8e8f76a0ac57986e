/*
 * Inputs that were left out while the others were read: collected during the run, named at its end
 * with their reasons, and the reason for an exit code of their own.
 */
#ifndef TC_CMD_LEFT_OUT_H
#define TC_CMD_LEFT_OUT_H

#include "command.h"
#include "string_list.h"

struct tc_left_out {
	struct tc_strings reasons; /* each names its input */
	bool failed;               /* memory ran out */
	bool are_all;              /* nothing else was read */
};

/* A tc_note_fn; user is the struct tc_cli. Prints what is no left out input. */
void tc_left_out_note(void *user, enum tc_note note, const char *text);
/* Names them. Returns the exit code of a run that would end with code without them. */
int tc_left_out_tell(const struct tc_left_out *list, int code);
void tc_left_out_clear(struct tc_left_out *list);

#endif
