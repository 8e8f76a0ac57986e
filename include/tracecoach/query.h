/*
 * Queries: one SQL statement that reads, asked of a store by a person or a program, and its rows as
 * a table for people, CSV or JSON.
 */
#ifndef TRACECOACH_QUERY_H
#define TRACECOACH_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracecoach/report.h"
#include "tracecoach/store.h"

TC_PUBLIC_BEGIN

struct tc_query_writer;

struct tc_query_format {
	const char *name; /* value of --format */
	const struct tc_query_writer *writer;
};

/* The formats, *count of them: the table first. */
const struct tc_query_format *tc_query_formats(size_t *count);

enum tc_value_kind {
	TC_VALUE_NULL,
	TC_VALUE_INTEGER,
	TC_VALUE_REAL,
	TC_VALUE_TEXT, /* UTF-8 unless the store was changed by hand; not terminated */
	TC_VALUE_BLOB
};

/* A value of a row, or one that takes the place of a parameter. */
struct tc_value {
	enum tc_value_kind kind;
	union {
		int64_t integer;
		double real;
		const char *bytes; /* of a text or blob */
	};
	size_t len; /* of a text or blob */
};

/* A value for a parameter of a statement. */
struct tc_query_param {
	const char *name; /* ":name", as it is written there; NULL for the parameter ?1, ?2, ... at
			     its place in the list */
	struct tc_value value;
};

/* Zeroed, and NULL in its place: the table, as wide as it needs. */
struct tc_query_options {
	size_t size; /* of this struct for the caller, which is then checked; 0: not checked */
	const struct tc_query_format *format; /* NULL for the table */
	int width;  /* of the table: longer texts are cut so that it fits; 0 for no limit */
	bool ascii; /* no characters beyond ASCII where a text is cut */
	/* The limits of users' rules hold for statement, values, memory and temporary files, so
	 * that an interrupt stops it soon. */
	bool bounded;
	const struct tc_query_param *params; /* one for each parameter of the statement, which is
					      * refused with fewer or more: TC_ERR_USAGE */
	size_t param_count;
};

/*
 * Runs sql, which must be exactly one statement that only reads (a final semicolon and comments are
 * fine), and writes its columns and rows in a format. TC_ERR_USAGE for an error in the statement,
 * with its line and column where SQLite gives them, and for a statement that does more than read.
 * TC_ERR_IO when write() stopped it; what was written until a failure stays written.
 */
enum tc_status tc_query(struct tc_ctx *ctx, struct tc_store *store, const char *sql,
	const struct tc_query_options *options, tc_write_fn write, void *user);

/* Some rows, one behind the other. Names and values are borrowed for the call. */
struct tc_row_batch {
	const char *const *names; /* of the columns; several may have the same */
	size_t column_count;
	const struct tc_value *values; /* row_count times column_count */
	size_t row_count;
	const char *bytes; /* where all texts and blobs of values stand, one behind the other */
	size_t byte_count;
};

/* Returns 0, or -1 to stop. */
typedef int (*tc_rows_fn)(void *user, const struct tc_row_batch *rows);

/*
 * Runs sql as tc_query() does and gives its rows with their types: many at a time, in order, and at
 * least once, so that the columns of no rows are known, too. format, width and ascii are ignored.
 */
enum tc_status tc_query_rows(struct tc_ctx *ctx, struct tc_store *store, const char *sql,
	const struct tc_query_options *options, tc_rows_fn take, void *user);

/* Lists the tables and views of a store with their columns, or, for the name of
 * one, the statement that made it, which says what each column means. TC_ERR_USAGE for another
 * name. */
enum tc_status tc_query_schema(struct tc_ctx *ctx, struct tc_store *store, const char *name,
	const struct tc_query_options *options, tc_write_fn write, void *user);

/* Reads SQL from a file, "-" for standard input; *sql is the caller's: free() it. */
enum tc_status tc_query_read(char **sql, struct tc_ctx *ctx, const char *path);

TC_PUBLIC_END

#endif
