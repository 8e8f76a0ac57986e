/*
 * One heuristic on one trace: its query is prepared, checked, bound and read. There is an account
 * row always, and a finding when the query has rows. Gains are as the query says them;
 * ranking.h settles them when all heuristics of the trace have run.
 */
#pragma once

#include <sqlite3.h>

#include "core/text.h"
#include "advice/catalogue/catalogue.h"
#include "advice/trace/trace.h"
#include "core/buf.h"
#include "core/collections/arena.h"
#include "store/sql.h"
#include "tracecoach/advice.h"

/* Advice on its way: tc_advise() hands out the public struct at the head of one of these, which
 * owns every string and array in it. */
struct tc_box {
	struct tc_advice advice; /* first: tc_advice_free() gets its address */
	size_t finding_capacity, account_capacity, setting_capacity;
	/* Findings, by trace, whose fix wins too little alone, though it takes enough away: other
	 * work hides it. They are reported where a plan has them. */
	struct tc_finding *hidden;
	size_t hidden_count, hidden_capacity;
	struct tc_arena arena; /* with a context */
};

/* Rows of a finding that are kept as evidence: enough to work through, few enough to read. Gains
 * of further rows still count. */
#define TC_EVIDENCE_MAX_COUNT 1000

struct tc_evaluation {
	struct tc_ctx *ctx;
	struct tc_tables *tables; /* of the connection */
	int64_t trace_id;
	const struct tc_capabilities *capabilities;
	const struct tc_words *words; /* for the texts of the findings */
	struct tc_box *box;
	/* Limits of a user's rule; 0 for those of limits.h. */
	int64_t max_instructions, max_cpu_ns;
};

/* values are the heuristic's thresholds in the order of its params. A query that fails is an
 * account row; only memory and interrupts fail the context. off: a constant that says why the
 * settings leave it out, which is its account row then; or NULL. */
void tc_evaluate(const struct tc_evaluation *evaluation, const struct tc_heuristic *heuristic,
	const double *values, const char *off);
/* What came of the heuristic of a finding; quiet: its fix wins too little alone. */
void tc_account_put(
	struct tc_advice *advice, const struct tc_finding *finding, enum tc_outcome outcome);

/*
 * Replaces the authorizer of db, until reading only ends: a statement that is prepared meanwhile
 * only reads, and so does one that it prepares while it runs. Once for all rules: SQLite then
 * prepares every statement of the connection again. Each rule has bounds as well (store/bounds.h).
 */
void tc_reading_only(sqlite3 *db, bool begins);

/* ---- answers: a query ready to run. Nothing here changes a database: a statement that would is
 * refused. */

struct tc_answer {
	sqlite3_stmt *stmt; /* borrowed of the statements asked */
	int line; /* of the query that did not compile, from 1; 0 when SQLite does not say */
};

struct tc_question {
	struct tc_tables *tables; /* of the connection */
	int64_t trace_id;
	const struct tc_heuristic *heuristic;
	const double *values; /* its thresholds, in the order of its params */
};

/* The reason where SQLite had no memory: because of the bounds of a rule, or for want of it. */
extern const char tc_answer_no_memory[];

/*
 * Prepares the query of a heuristic and binds :trace_id and its thresholds. NULL: it is ready,
 * tc_answer_close() it. Else the reason why the query cannot run, a string of the arena or
 * tc_answer_no_memory.
 */
const char *tc_answer_open(
	struct tc_answer *answer, struct tc_arena *arena, const struct tc_question *question);
void tc_answer_close(struct tc_answer *answer);

/* The text with every parameter replaced by its value, a string of the arena; NULL when memory is
 * out. */
const char *tc_answer_sql(struct tc_arena *arena, const struct tc_answer *answer);

/* ---- fields: the columns of a row, typed */

/* The names of a statement's columns, owned by the arena; NULL when memory is out. */
const char *const *tc_fields_names(struct tc_arena *arena, sqlite3_stmt *stmt);
/* The statement's current row under those names, owned by the arena; NULL when memory is out. */
const struct tc_field *tc_fields_read(
	struct tc_arena *arena, sqlite3_stmt *stmt, const char *const *names);

/* Appends the fields as one JSON object, in their order, without blanks. */
void tc_fields_json(struct tc_buf *buf, const struct tc_field *fields);
