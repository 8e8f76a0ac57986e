/*
 * Query: runs one reading SQL statement of a user on a store and returns its rows.
 */
#ifndef TC_STORE_QUERY_H
#define TC_STORE_QUERY_H

#include "core/text.h"
#include "store/connection.h"

enum tc_value_type {
	TC_VALUE_NULL,
	TC_VALUE_INTEGER,
	TC_VALUE_REAL,
	TC_VALUE_TEXT, /* UTF-8 */
	TC_VALUE_BLOB,
};

struct tc_value {
	enum tc_value_type type;
	int64_t integer;
	double real;
	struct tc_text bytes; /* of a text or blob; borrowed during the call */
};

/* The receiver of the result. Each function returns TC_OK to continue. */
struct tc_query_sink {
	void *user;
	/* Called once before the first row, also when there are no rows. */
	enum tc_status (*columns)(void *user, const char *const *names, int count);
	enum tc_status (*row)(void *user, const struct tc_value *values, int count);
	/* apply tc_sql_limit(), so that an interrupt stops the statement within seconds */
	bool is_bounded;
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

#endif
