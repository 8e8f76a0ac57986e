/*
 * Import: trace files to a sealed store, tallies and findings included.
 */
#ifndef TRACECOACH_IMPORT_H
#define TRACECOACH_IMPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "tracecoach/advice.h"
#include "tracecoach/context.h"
#include "tracecoach/store.h"

TC_PUBLIC_BEGIN

struct tc_import_options {
	size_t size; /* of this struct for the caller, which is then checked; 0: not checked */
	bool inline_stages; /* run the stages on one thread; the store is the same, byte for byte */
	/* Side files (metrics, logs, CSV tables) for the traces; NULL and 0 for none. */
	const char *const *side_paths;
	size_t side_count;
	/* Traces or stores of the same program, or directories of traces, in which graphs were
	 * captured that the traces replay. */
	const char *const *capture_paths;
	size_t capture_count;
	bool no_side_files; /* do not look for side files beside the traces */
	bool full_index;    /* indexes by time, name and parent, for many questions about slices */
	bool again;         /* the only path is a store of any version: read its traces again */
	bool strict;        /* fail with TC_ERR_INPUT when anything of severity data_loss was met */
	/* The device whose peaks count, by its name or a part of it as docs/hardware.md has it;
	 * NULL: the device that each trace names. */
	const char *device;
	/* An ini file with figures of devices (docs/roofline.md), which count in place of data
	 * sheets: those of `device`, or of the only one in it. NULL: data sheets. */
	const char *peaks_path;
	const struct tc_settings *settings; /* of the advice that the store keeps; NULL for
						      a store without advice */
	struct tc_advice **advice;          /* not NULL: gets that advice, the caller's to free */
	/* Not NULL: hears of each file before it is read. */
	void (*begin)(void *user, const char *path);
	void *begin_user;
};

/* Whether the file is to be opened as a store, not imported: an SQLite database, unless another
 * profiler is known to have made it. False for "-", and for what cannot be read. */
bool tc_import_is_store(struct tc_ctx *ctx, const char *path);

/* Says which files an import will read, side files included, so that no output is written over them
 * (output.h). With options->strict it fails for a path that is not there. */
enum tc_status tc_import_expect(struct tc_ctx *ctx, const char *const *paths, size_t count,
	const struct tc_import_options *options);

/*
 * Imports files into one store at db_path (NULL: a temporary one). Each of count paths is a file,
 * "-" for standard input, or a directory, which means the traces in it. Of several files one that
 * cannot be used at all is left out: a note tells (context.h), the table left_out names it, and
 * nothing else of it is in the store. When that leaves none, when there is one file only or with
 * options->strict, it fails the import, which leaves nothing behind. So does what is no file's
 * fault, such as a full disk. Damage inside a file is rows of import_log. *out is the sealed store,
 * owned by the caller.
 *
 * With options->again the traces that the store names are read, with the side files that it was
 * given unless there are others. TC_ERR_INPUT where one is not the file that it was then, by its
 * size and number of events. The store itself stays as it is.
 */
enum tc_status tc_import(struct tc_store **out, struct tc_ctx *ctx, const char *const *paths,
	size_t count, const char *db_path, const struct tc_import_options *options);

TC_PUBLIC_END

#endif
