/*
 * Private to the store: SQL functions that replace SQLite's own, for queries on stores from unknown
 * sources. The results are the same, but
 *   sum(), abs()          an integer overflow gives a REAL, as + does, and not an error that ends
 *                         the query
 *   instr(), replace(), trim(), ltrim(), rtrim()
 *                         take time linear in the lengths of their texts and not in the product:
 *                         a running function cannot be interrupted
 *   printf(), format()    see functions.c
 */
#pragma once

#include <sqlite3.h>

/* Registers them with a connection without running statements; returns an SQLite code. */
int tc_store_functions(sqlite3 *db);
