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

#include "core/collections/arena.h"
#include "model/model.h"
#include "replay/whatif.h"
#include "store/writer.h"

struct tc_companion;

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

/* Puts the path of an input before an error that does not name it. */
void tc_trace_name_error(struct tc_ctx *ctx, const char *path);

/* Takes a trace that was imported, or has failed; ids are those before it. Returns whether the next
 * one is wanted. */
typedef bool (*tc_trace_done_fn)(
	void *user, const struct tc_next_ids *ids, struct tc_whatif *whatif);

/* Imports traces in the same way, read ahead, until one is not wanted, or cannot be taken from
 * here: the one before it was read and could not be written, so its ids are wrong. */
void tc_traces_import(const struct tc_trace_job *job, struct tc_next_ids *ids,
	const char *const *paths, size_t count, tc_trace_done_fn done, void *user);

/*
 * Join: the traces of a sealed store as traces of the store that is being built. Its rows are those
 * that importing the traces there would have made, so whoever relates traces afterwards sees no
 * difference. Numbers of rows (slice.id, step.id, ...) move behind those that are there: the
 * schema's REFERENCES say which columns have them.
 *
 * Tables about all traces of a store (ranks, findings, plans), and those that depend on settings
 * (gains), are not copied. They are made for the new store, gains by a replay of the slices that
 * every store keeps.
 */

/* Several stores, one after the other; arena is the caller's to clear. */
struct tc_join {
	struct tc_ctx *ctx;
	struct tc_writer *writer; /* of the store that is being built */
	struct tc_arena arena;
	size_t input_count; /* of the import: it numbers the rows of left_out below */
	struct tc_join_table *tables;
	size_t count, capacity;
	sqlite3 *from; /* the store that is joined */
	struct tc_tables to;
};

/* Copies the traces of the store at path, with the ids from *ids on, which move behind them. */
void tc_join_store(struct tc_join *join, struct tc_next_ids *ids, const char *path);
