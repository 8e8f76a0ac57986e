/* The import of inputs that were found; tracecoach/import.h has the whole of it. */
#ifndef TC_IMPORT_IMPORT_H
#define TC_IMPORT_IMPORT_H

#include "analysis/op_tree.h"
#include "import/inputs/inputs.h"
#include "tracecoach/import.h"

/* As tc_import(), of the inputs instead of paths. companion: the graphs that were captured in other
 * traces, NULL for none; options->capture_paths are only recorded. */
enum tc_status tc_import_traces(struct tc_store **out, struct tc_ctx *ctx,
	const struct tc_inputs *inputs, const char *db_path,
	const struct tc_import_options *options, struct tc_companion *companion);

#endif
