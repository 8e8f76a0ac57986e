/*
 * Query: runs one reading SQL statement of a user on a store and returns its rows.
 */
#pragma once

#include "store/connection.h"
#include "store/sql.h"

/* The value of a parameter of a statement. */
struct tc_bound_value {
	const char *name; /* ":name"; NULL for that at its place in the list */
	struct tc_sql_value value;
};

/* The receiver of the result. Each function returns TC_OK to continue. */
struct tc_query_sink {
	void *user;
	/* Called once before the first row, also when there are no rows. */
	enum tc_status (*columns)(void *user, const char *const *names, int count);
	/* Texts are UTF-8, borrowed during the call. */
	enum tc_status (*row)(void *user, const struct tc_sql_value *values, int count);
	/* within the bounds of bounds.h, but for its time: an interrupt stops it soon */
	bool is_bounded;
	/* for the parameters of the statement */
	const struct tc_bound_value *params;
	size_t param_count;
};

/*
 * Prepares sql, which must be exactly one statement that only reads (a final semicolon and
 * comments are fine), and runs it. TC_ERR_USAGE for an error in the statement, with its line and
 * column where SQLite gives them, and for statements that do more than read: anything that
 * changes data or temp tables, ATTACH, transactions, PRAGMAs that set something.
 * TC_ERR_INTERRUPTED soon after tc_ctx_interrupt().
 */
enum tc_status tc_query_run(struct tc_ctx *ctx, struct tc_store *store, const char *sql,
	const struct tc_query_sink *sink);
