/*
 * Inputs that were left out while the others were read: collected during the run, named at its end
 * with their reasons, and the reason for an exit code of their own.
 */
#ifndef TC_CMD_LEFT_OUT_H
#define TC_CMD_LEFT_OUT_H

#include "command.h"
#include "tracecoach/store.h"

struct tc_left_out {
	char **reasons; /* each names its input */
	size_t count, capacity;
	bool failed; /* memory ran out */
};

/* As the hook left_out of tc_import(); user is a struct tc_left_out. */
void tc_left_out_add(void *user, const char *path, const char *reason);
/* Adds what was left out when a store was made. */
enum tc_status tc_left_out_read(
	struct tc_left_out *list, struct tc_ctx *ctx, struct tc_store *store);
/* Names them. Returns the exit code of a run that would end with code without them. */
int tc_left_out_tell(const struct tc_left_out *list, int code);
void tc_left_out_clear(struct tc_left_out *list);

#endif
