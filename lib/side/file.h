/*
 * A side file that is being read: its bytes as lines or as a whole, always UTF-8 without NUL
 * (anything else becomes U+FFFD), and the rows that it adds to the store.
 */
#ifndef TC_SIDE_FILE_H
#define TC_SIDE_FILE_H

#include "core/buf.h"
#include "core/context.h"
#include "source/source.h"
#include "store/tables.h"

/* A table that a reader fills: its name, and in parentheses its columns, of which trace_id and
 * source are the first. */
struct tc_side_table {
	const char *columns;
};

/* The most columns of one. */
enum { TC_SIDE_COLUMN_MAX = 32 };

struct tc_side_file {
	struct tc_ctx *ctx;
	struct tc_tables tables;
	const char *path;     /* borrowed */
	int64_t id, trace_id; /* of its side_file row; of the trace it belongs to */
	struct tc_source *source;
	struct tc_buf bytes; /* bytes read; those from `at` on are not used yet */
	size_t at;
	struct tc_buf clean; /* the last line given, when it had to be changed */
	bool ended, too_long;
	int64_t read_bytes, line_count, row_count;
	/* records skipped; the line is 0 when the file has no lines */
	int64_t damaged_count, first_damaged_line;
	int64_t unpaired_count; /* BEGIN or END without the other */
	int64_t dropped_count;  /* rows beyond the limit */
};

/* Opens path for reading; close it also after a failure. */
enum tc_status tc_side_file_open(struct tc_side_file *file, struct tc_ctx *ctx, const char *path);
/* The same for a file that the user did not name: TC_ERR_INPUT unless it is a regular file. */
enum tc_status tc_side_file_open_found(
	struct tc_side_file *file, struct tc_ctx *ctx, const char *path);
void tc_side_file_close(struct tc_side_file *file);

/* The first bytes, at most `bytes` of them; they stay unread. */
enum tc_status tc_side_file_peek(struct tc_side_file *file, size_t bytes, struct tc_text *head);

/* The context keeps the first failure. After one there is no next line, and no row is added. */

/* The next line without its end; false at the end. Borrowed until the next call. */
bool tc_side_file_line(struct tc_side_file *file, struct tc_text *line);

/* The whole file; TC_ERR_LIMIT when it is too large for memory. */
struct tc_text tc_side_file_all(struct tc_side_file *file);

/* Counts a record that cannot be read, and keeps the number of the first such line. */
void tc_side_file_damaged(struct tc_side_file *file);

/* Adds a row: count values after trace_id and source. */
void tc_side_file_put(struct tc_side_file *file, const struct tc_side_table *table,
	const struct tc_sql_value *values, size_t count);

enum tc_status tc_side_no_memory(struct tc_side_file *file);

/* Fails: no reader reads such a file, for the reason in what. */
enum tc_status tc_side_refuse(struct tc_side_file *file, const char *what);

#endif
