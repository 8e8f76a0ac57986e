/*
 * Side files: metrics, logs and tables of the hardware profiler that tools write beside a trace.
 * They become tables of the same store; each row has the side_file that it comes from. The first
 * bytes of a file decide its kind, never its name. See docs/side-files.md.
 */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/buf.h"
#include "core/context.h"

/*
 * Reads count files for the traces that db already has. A file belongs to the trace whose rank is
 * in its name ("-rankN"), else to the first. Fails with TC_ERR_INPUT for an unknown kind or a
 * missing rank, and with TC_ERR_READ when a file cannot be opened. Damaged lines are counted in
 * import_log.
 */
void tc_side_read(struct tc_ctx *ctx, sqlite3 *db, const char *const *paths, size_t count);

/* Reads the files that lie beside the trace under the names that their writers use. Skips files of
 * another kind and files that it cannot read. */
void tc_side_find(struct tc_ctx *ctx, sqlite3 *db, int64_t trace_id, const char *trace_path);

/* The kind of side file that a file looks like, for a message; NULL for none, and for logs, which
 * may be any text. */
const char *tc_side_kind(const char *path);

/* Sets path to the name with this index that a side file of the trace would have, whether it exists
 * or not; false after the last. tc_buf_string() fails when memory is out. */
bool tc_side_beside(struct tc_buf *path, const char *trace_path, size_t index);
