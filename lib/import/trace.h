/*
 * One trace of an import: parse, resolve, analyse, write. Each stage fails the context and does
 * nothing in one that has failed, so whoever imports a trace asks the context afterwards.
 *
 * Small traces are read ahead: while one is written, the next one is parsed, resolved, analysed and
 * replayed on a thread of its own, without the store. One is read after the other, so their ids
 * follow each other, and the rows are those of an import without read-ahead, byte for byte. Two
 * traces are in memory then; large ones use several threads for one trace instead.
 */
#pragma once

#include <stdbool.h>

#include "analysis/op_tree.h"
#include "model/model.h"
#include "replay/whatif.h"
#include "store/writer.h"

/* Settings that all traces of an import share; everything is borrowed. */
struct tc_trace_job {
	struct tc_ctx *ctx;
	struct tc_writer *writer;
	const struct tc_fixes *fixes;       /* to be replayed; NULL: none */
	struct tc_companion *companion;     /* graphs captured in other traces; NULL: none */
	const struct tc_hardware *hardware; /* whose peaks count; NULL: of the named device */
	bool inline_stages;
	bool strict; /* lost or damaged parts are an error */
};

/* Imports a trace with the ids from *ids on, which move behind it. An error names the path. *whatif
 * is the replay with the fixes, the caller's to clear: empty without fixes. */
void tc_trace_import(struct tc_whatif *whatif, const struct tc_trace_job *job,
	struct tc_next_ids *ids, const char *path);

struct tc_read_ahead;

/* Begins to read count traces, the first with the ids of *ids. NULL when it failed. The paths and
 * the job are borrowed. */
struct tc_read_ahead *tc_read_ahead_new(const struct tc_trace_job *job, const char *const *paths,
	size_t count, const struct tc_next_ids *ids);
/* Imports the next of them, as tc_trace_import(). False when no further trace can be taken from
 * here: this one was read and could not be written, so the ids of those behind it are wrong. */
bool tc_read_ahead_next(
	struct tc_whatif *whatif, struct tc_read_ahead *ahead, struct tc_next_ids *ids);
/* Stops, also in the middle of a trace; NULL is fine. */
void tc_read_ahead_free(struct tc_read_ahead *ahead);
