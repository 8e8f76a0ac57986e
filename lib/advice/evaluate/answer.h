/*
 * A heuristic's query, ready to run: prepared, checked and bound. Nothing here changes a database:
 * a statement that would is refused.
 */
#ifndef TC_ADVICE_EVALUATE_ANSWER_H
#define TC_ADVICE_EVALUATE_ANSWER_H

#include <sqlite3.h>

#include "core/collections/arena.h"
#include "core/buf.h"
#include "store/statements.h"

/* The first columns of every query. */
enum tc_answer_column {
	TC_COLUMN_SUBJECT,
	TC_COLUMN_GAIN,
	TC_COLUMN_CONFIDENCE,
	TC_COLUMN_COUNT,
	TC_COLUMN_SERIOUS, /* QUALITY only */
};

struct tc_answer {
	sqlite3_stmt *stmt; /* borrowed of the statements asked */
	int line; /* of the query that did not compile, from 1; 0 when SQLite does not say */
};

/* What to ask of whom. */
struct tc_question {
	struct tc_statements *statements; /* of the connection */
	int64_t trace_id;
	const struct tc_heuristic *heuristic;
	const double *values; /* its thresholds, in the order of its params */
};

/*
 * Prepares the query of a heuristic and binds :trace_id and its thresholds. TC_OK with *reason
 * NULL: query is ready, tc_answer_close() it. TC_OK with *reason set (a string of the arena): the
 * query is at fault and cannot run. Else the call failed as a whole (memory).
 */
enum tc_status tc_answer_open(struct tc_answer *answer, const char **reason, struct tc_arena *arena,
	const struct tc_question *question);
void tc_answer_close(struct tc_answer *answer);

/* The text with every parameter replaced by its value, a string of the arena; NULL when memory is
 * out. */
const char *tc_answer_sql(struct tc_arena *arena, const struct tc_answer *answer);

#endif
