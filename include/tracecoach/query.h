/*
 * Queries: one SQL statement that reads, asked of a store by a person or a program, and its rows as
 * a table for people, CSV or JSON.
 */
#ifndef TRACECOACH_QUERY_H
#define TRACECOACH_QUERY_H

#include <stddef.h>

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

/* Zeroed, and NULL in its place: the table, as wide as it needs. */
struct tc_query_options {
	const struct tc_query_format *format; /* NULL for the table */
	int width;  /* of the table: longer texts are cut so that it fits; 0 for no limit */
	bool ascii; /* no characters beyond ASCII where a text is cut */
	/* The limits of users' rules hold for statement, values, memory and temporary files, so
	 * that an interrupt stops it soon. */
	bool bounded;
};

/*
 * Runs sql, which must be exactly one statement that only reads (a final semicolon and comments are
 * fine), and writes its columns and rows in a format. TC_ERR_USAGE for an error in the statement,
 * with its line and column where SQLite gives them, and for a statement that does more than read.
 * TC_ERR_IO when write() stopped it; what was written until a failure stays written.
 */
enum tc_status tc_query(struct tc_ctx *ctx, struct tc_store *store, const char *sql,
	const struct tc_query_options *options, tc_write_fn write, void *user);

/* Lists the tables and views of a store with their columns, or, for the name of
 * one, the statement that made it, which says what each column means. TC_ERR_USAGE for another
 * name. */
enum tc_status tc_query_schema(struct tc_ctx *ctx, struct tc_store *store, const char *name,
	const struct tc_query_options *options, tc_write_fn write, void *user);

/* Reads SQL from a file, "-" for standard input; *sql is the caller's: free() it. */
enum tc_status tc_query_read(char **sql, struct tc_ctx *ctx, const char *path);

TC_PUBLIC_END

#endif
