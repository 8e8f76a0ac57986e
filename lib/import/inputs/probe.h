/* What a file is, before an import reads it. */
#ifndef TC_IMPORT_INPUTS_PROBE_H
#define TC_IMPORT_INPUTS_PROBE_H

#include "tracecoach/import.h"

/* What an input is, as far as its first bytes show. */
enum tc_input {
	TC_INPUT_TRACE,   /* a trace, or a damaged one: the import reports it */
	TC_INPUT_OTHER,   /* other JSON, which is no loss */
	TC_INPUT_SPECIAL, /* a pipe or device, which opening may wait for */
};

struct tc_input_look {
	enum tc_input input;
	int64_t rank, world_size; /* -1 where its first bytes do not show it */
};

/* Looks at the first bytes of a file that is called like a trace. What is wrong with the file is no
 * failure; TC_ERR_NOMEM when memory is out. */
enum tc_status tc_input_probe(struct tc_input_look *out, struct tc_ctx *ctx, const char *path);

/* True for a store of this version that can be opened. */
bool tc_input_is_sound_store(const char *path);

#endif
