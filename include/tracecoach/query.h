/*
 * Queries: one SQL statement that reads, asked of a store by a person or a program, and its rows as
 * a table for people, CSV or JSON.
 */
#ifndef TRACECOACH_QUERY_H
#define TRACECOACH_QUERY_H

#include <stddef.h>

#include "tracecoach/report.h"
#include "tracecoach/store.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct tc_query_writer;

struct tc_query_format {
	const char *name; /* value of --format */
	const struct tc_query_writer *writer;
};

/* The formats, *count of them: the table first. */
const struct tc_query_format *tc_query_formats(size_t *count);

/*
 * Runs sql, which must be exactly one statement that only reads (a final semicolon and comments are
 * fine), and writes its columns and rows in a format. TC_ERR_USAGE for an error in the statement,
 * with its line and column where SQLite gives them, and for a statement that does more than read.
 * TC_ERR_IO when write() stopped it; what was written until a failure stays written.
 */
enum tc_status tc_query(struct tc_ctx *ctx, struct tc_store *store, const char *sql,
	const struct tc_query_format *format, tc_write_fn write, void *user);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
