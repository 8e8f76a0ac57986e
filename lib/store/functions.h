/*
 * Inside of the store room: SQL functions that replace those of SQLite, for queries on stores from
 * unknown sources. Same results, but
 *   sum(), abs()          an integer overflow gives a REAL, as + does, not an error that ends
 *                         the query
 *   instr(), replace(), trim(), ltrim(), rtrim()
 *                         take time linear in the lengths of their texts, not in the product:
 *                         a running function cannot be interrupted
 *   printf(), format()    see format.h
 */
#ifndef TC_STORE_FUNCTIONS_H
#define TC_STORE_FUNCTIONS_H

#include <sqlite3.h>

/* Makes them known to a connection without running statements; an SQLite code. */
int tc_store_functions(sqlite3 *db);

#endif
