/*
 * Side files: what writers put beside a trace (metrics, logs, tables of the hardware profiler).
 * They go into tables of the same store, each row with the side_file it comes from. What a file
 * is, its first bytes decide, never its name. See docs/side-files.md.
 */
#ifndef TC_SIDE_SIDE_H
#define TC_SIDE_SIDE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/buf.h"
#include "core/context.h"

/*
 * Reads count files, for the traces that db already has: the one whose rank is in the file's name
 * ("-rankN"), else the first. A file of no known kind, or of a rank that is not there, fails with
 * TC_ERR_INPUT; one that cannot be opened with TC_ERR_READ. Damaged lines are counted in import_log.
 */
enum tc_status tc_side_read(
	struct tc_ctx *ctx, sqlite3 *db, const char *const *paths, size_t count);

/* Reads what lies beside the trace under the writers' own names. What is there and of another
 * kind, or cannot be read, is left alone. */
enum tc_status tc_side_find(
	struct tc_ctx *ctx, sqlite3 *db, int64_t trace_id, const char *trace_path);

/* Puts one of these names for the trace, there or not, into path, counted from index 0; false when
 * there are no more. tc_buf_string() fails when memory is out. */
bool tc_side_beside(struct tc_buf *path, const char *trace_path, size_t index);

#endif
