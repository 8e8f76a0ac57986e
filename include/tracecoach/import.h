/*
 * Import: trace files to a sealed store, accounts and findings included.
 */
#ifndef TRACECOACH_IMPORT_H
#define TRACECOACH_IMPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "tracecoach/advice.h"
#include "tracecoach/context.h"
#include "tracecoach/store.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tc_import_options {
	bool inline_stages; /* run the stages on one thread; the store is the same, byte for byte */
	/* Side files (metrics, logs, CSV tables) for the traces; NULL and 0 for none. */
	const char *const *side_paths;
	size_t side_count;
	bool no_side_files; /* do not look for side files beside the traces */
	bool strict;        /* fail with TC_ERR_INPUT when anything of severity data_loss was met */
	const struct tc_settings *settings; /* of the advice that the store keeps; NULL for
						      a store without advice */
	struct tc_advice **advice;          /* not NULL: gets that advice, the caller's to free */
	/* Not NULL: hears of each input that is left out, with the reason. */
	tc_left_out_fn left_out;
	void *left_out_user;
};

/* What an input is, as far as its first bytes tell. */
enum tc_input {
	TC_INPUT_TRACE,   /* a trace, or what should be one and is damaged: the import tells */
	TC_INPUT_OTHER,   /* other JSON, which is no loss */
	TC_INPUT_SPECIAL, /* a pipe or device, which opening may wait for */
};

/* Looks at the first bytes of a file that is called like a trace. What is wrong with the file is no
 * failure; TC_ERR_NOMEM when memory is out. */
enum tc_status tc_import_probe(enum tc_input *out, struct tc_ctx *ctx, const char *path);

/* True when the file is to be opened as a store, not imported: an SQLite database, unless another
 * profiler is known to have made it. False for "-", and for what cannot be read. */
bool tc_import_is_store(struct tc_ctx *ctx, const char *path);

/* True for a store of this version that can be opened. */
bool tc_import_is_sound_store(const char *path);

/* Says that an import will read the file ("-" is standard input) and, with side_files, what lies
 * beside it, so that no output is written over them (outfile.h). Nothing needs to be there. */
enum tc_status tc_import_expect(struct tc_ctx *ctx, const char *path, bool side_files);

/*
 * Imports count files into one store at db_path (NULL: a temporary one). Of several files
 * one that cannot be used at all is left out: the table left_out names it, and nothing else of it
 * is in the store. When that leaves none, when there is one file only or with options->strict, it
 * fails the import, which leaves nothing behind. So does what is no file's fault, such as a full
 * disk. Damage inside a file is rows of import_log. *out is the sealed store, owned by the caller.
 */
enum tc_status tc_import(struct tc_store **out, struct tc_ctx *ctx, const char *const *paths,
	size_t count, const char *db_path, const struct tc_import_options *options);

#ifdef __cplusplus
}
#endif

#endif
