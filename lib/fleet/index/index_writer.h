/*
 * Index writer: makes an index from records. Jobs come in the order of their paths and get ids in
 * that order, so the same records make the same file. The file appears under its name only when it
 * is complete.
 */
#ifndef TC_FLEET_INDEX_INDEX_WRITER_H
#define TC_FLEET_INDEX_INDEX_WRITER_H

#include <sqlite3.h>

#include "core/text.h"
#include "tracecoach/settings.h"

struct tc_index_writer;

/* The row of the table batch. */
struct tc_index_facts {
	const char *program_version, *root;
	int64_t settings_hash;
	int64_t shard, shard_count; /* a count of 0: the index has all jobs */
};

/* Starts an index that will be at path. TC_ERR_USAGE when a file of another kind is there. The
 * caller owns *out: publish or discard it. */
enum tc_status tc_index_writer_open(struct tc_index_writer **out, struct tc_ctx *ctx,
	const char *path, const struct tc_index_facts *facts);

/* The context keeps the first failure; after one, nothing is written any more. */

/* Fills the tables metric and heuristic from the program or from another index. */
void tc_index_writer_names(struct tc_index_writer *writer, const struct tc_settings *settings);
void tc_index_writer_copy_names(struct tc_index_writer *writer, sqlite3 *index);

/* Adds a job. TC_ERR_INTERNAL when the bytes are not a record. */
void tc_index_writer_add(struct tc_index_writer *writer, struct tc_text record);
/* Adds a row of left_out, unless the path has one already. */
void tc_index_writer_leave_out(
	struct tc_index_writer *writer, const char *path, const char *reason);

/* Gives the file its name, unless something has failed. The writer is freed, also on failure. */
enum tc_status tc_index_writer_publish(struct tc_index_writer *writer);
void tc_index_writer_discard(struct tc_index_writer *writer); /* NULL is fine */

#endif
