/*
 * The fence around users' rules: while it stands, a connection prepares only statements that read.
 * What each may take has bounds (store/bounds.h).
 */
#ifndef TC_ADVICE_EVALUATE_FENCE_H
#define TC_ADVICE_EVALUATE_FENCE_H

#include <sqlite3.h>

/* Replaces the authorizer of db, until tc_fence_end(): what is prepared only reads, and so does
 * what a statement prepares while it runs. Once for all rules: SQLite then prepares every statement
 * of the connection again. */
void tc_fence_begin(sqlite3 *db);
void tc_fence_end(sqlite3 *db);

#endif
