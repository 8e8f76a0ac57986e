/* The columns of a row of a heuristic's query, typed: struct tc_field of tracecoach/advice.h. */
#ifndef TC_ADVICE_EVALUATE_FIELDS_H
#define TC_ADVICE_EVALUATE_FIELDS_H

#include <sqlite3.h>

#include "core/collections/arena.h"
#include "tracecoach/advice.h"
#include "core/buf.h"

/* The names of a statement's columns, owned by the arena; NULL when memory is out. */
const char *const *tc_fields_names(struct tc_arena *arena, sqlite3_stmt *stmt);

/* The statement's current row under those names, owned by the arena; NULL when memory is out. */
const struct tc_field *tc_fields_read(
	struct tc_arena *arena, sqlite3_stmt *stmt, const char *const *names);

/* The text of a column as evidence has it, owned by the arena: valid UTF-8, no longer than
 * TC_EVIDENCE_MAX_BYTES and the dots behind what was cut. none for NULL; NULL when memory is
 * out. */
const char *tc_fields_text(
	struct tc_arena *arena, sqlite3_stmt *stmt, int column, const char *none);

/* Appends the fields as one JSON object, in their order, without blanks. */
void tc_fields_json(struct tc_buf *buf, const struct tc_field *fields);

#endif
