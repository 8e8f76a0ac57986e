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
};

/* A tc_left_out_fn, for tc_import() and tc_store_left_out(); user is a struct tc_left_out. */
void tc_left_out_add(void *user, const char *path, const char *reason);
/* Names them. Returns the exit code of a run that would end with code without them. */
int tc_left_out_tell(const struct tc_left_out *list, int code);
void tc_left_out_clear(struct tc_left_out *list);

#endif
