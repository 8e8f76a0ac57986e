/*
 * Inside of the store room: SQL functions in place of SQLite's own, for queries over stores that
 * somebody else may have made. Same results, but
 *   sum(), abs()          numbers too large for int64 give a REAL, as + does, not an error that
 *                         ends the query
 *   instr(), replace(), trim(), ltrim(), rtrim()
 *                         take time in proportion to their texts, not to the product of them:
 *                         nothing stops a function while it runs
 *   printf(), format()    see format.h
 */
#ifndef TC_STORE_FUNCTIONS_H
#define TC_STORE_FUNCTIONS_H

#include <sqlite3.h>

/* Makes them known to a connection without running statements; an SQLite code. */
int tc_store_functions(sqlite3 *db);

#endif
