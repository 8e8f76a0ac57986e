/*
 * A kind of side file: how it is recognised, read and stored, and the file as its reader sees it.
 * Each kind is one file of this room and a row of readers.def; nothing else in the program knows
 * it.
 */
#pragma once

#include "core/context.h"
#include "core/buf.h"
#include "source/source.h"
#include "store/sql.h"

/* A table that a reader fills: its name, and in parentheses its columns, of which trace_id and
 * source are the first. */
struct tc_side_table {
	const char *columns;
};

/* The most columns of one. */
enum { TC_SIDE_COLUMN_MAX = 32 };

/*
 * A side file that is being read: its bytes as lines or as a whole, always UTF-8 without NUL
 * (anything else becomes U+FFFD), and the rows that it adds to the store.
 */
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

struct tc_side_reader {
	const char *name; /* as side_file.kind */
	/* the metric that is 1 for a trace with such a file; NULL where that goes by its rows */
	const char *capability;
	/* the end of its name: "BASE" plus this belongs to "BASE.json"; or NULL */
	const char *beside;
	bool (*is_it)(struct tc_text head); /* decides by the first bytes, never by the name */
	/* Reads the open file to its end and adds its rows; counts and skips what it cannot
	 * read. */
	void (*read)(struct tc_side_file *file);
};

#define TC_SIDE_READER(reader) extern const struct tc_side_reader tc_side_##reader;
#include "side/readers.def"
#undef TC_SIDE_READER

/* The context keeps the first failure. After one there is no next line, and no row is added. */

/* The next line without its end; false at the end. Borrowed until the next call. */
bool tc_side_file_line(struct tc_side_file *file, struct tc_text *line);

/* The whole file, which may be empty; TC_ERR_LIMIT when it is too large for memory. */
struct tc_text tc_side_file_all(struct tc_side_file *file);

/* Counts a record that cannot be read, and keeps the number of the first such line. */
void tc_side_file_damaged(struct tc_side_file *file);

/* Adds a row: count values after trace_id and source. */
void tc_side_file_put(struct tc_side_file *file, const struct tc_side_table *table,
	const struct tc_sql_value *values, size_t count);

/* Fails: no reader reads such a file, for a reason. */
void tc_side_refuse(struct tc_side_file *file, const char *reason);

/* ---- the first bytes of a file */

/* Whether a text starts like a JSON object or array. A log line may start with "[" too,
 * followed by a time or a name. */
bool tc_sniff_is_json(struct tc_text head);

/* Whether the first line contains all the words; the list ends with NULL. */
bool tc_sniff_has_heading(struct tc_text head, const char *const *words);
