/* Index reader: reads the jobs of an index as records. */
#ifndef TC_FLEET_INDEX_INDEX_READER_H
#define TC_FLEET_INDEX_INDEX_READER_H

#include <sqlite3.h>

#include "fleet/index/record.h"

struct tc_index_reader;

/* Reads the index in db, which must stay open. The caller owns *out. */
enum tc_status tc_index_reader_new(struct tc_index_reader **out, struct tc_ctx *ctx, sqlite3 *db);
void tc_index_reader_free(struct tc_index_reader *reader); /* NULL is fine */

/* The id of the job with a path, or -1; -1 also on failure, which the context keeps. */
int64_t tc_index_reader_find(struct tc_index_reader *reader, struct tc_text path);
/* Appends the rows of a job; with only_keys, just those of the job and its traces. */
enum tc_status tc_index_reader_get(
	struct tc_buf *record, struct tc_index_reader *reader, int64_t job_id, bool only_keys);

#endif
