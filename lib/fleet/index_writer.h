/*
 * Index writer: makes an index of records. Jobs come in the order of their paths; ids are given in
 * that order, so the same records make the same file. The file appears under its name when it is
 * complete, or not at all.
 */
#ifndef TC_FLEET_INDEX_WRITER_H
#define TC_FLEET_INDEX_WRITER_H

#include <sqlite3.h>

#include "core/text.h"
#include "tracecoach/settings.h"

struct tc_index_writer;

/* The row of the table batch. */
struct tc_index_facts {
	const char *program_version, *root;
	int64_t settings_hash;
	int64_t shard, shard_count; /* a count of 0: all jobs */
};

/* Starts an index that will be path. TC_ERR_USAGE when another kind of file is there. *out is the
 * caller's: publish or discard it. */
enum tc_status tc_index_writer_open(struct tc_index_writer **out, struct tc_ctx *ctx,
	const char *path, const struct tc_index_facts *facts);

/* Fills the tables metric and heuristic: from the program, or from another index. */
enum tc_status tc_index_writer_names(
	struct tc_index_writer *writer, const struct tc_settings *settings);
enum tc_status tc_index_writer_copy_names(struct tc_index_writer *writer, sqlite3 *index);

/* Adds a job. TC_ERR_INTERNAL for bytes that are no record. */
enum tc_status tc_index_writer_add(struct tc_index_writer *writer, struct tc_text record);
/* Adds a row of left_out; nothing for a path that has one. */
enum tc_status tc_index_writer_leave_out(
	struct tc_index_writer *writer, const char *path, const char *reason);

/* Gives the file its name. The writer is freed, also on failure. */
enum tc_status tc_index_writer_publish(struct tc_index_writer *writer);
void tc_index_writer_discard(struct tc_index_writer *writer); /* NULL is fine */

#endif
