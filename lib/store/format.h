/*
 * Inside of the store room: printf() and format() of SQL. SQLite 3.40 and older count down a
 * precision of two thousand millions in steps of one ('%.*c'), and nothing stops a function while it
 * runs. Same results, but a width or precision above the connection's limit of lengths is refused.
 */
#ifndef TC_STORE_FORMAT_H
#define TC_STORE_FORMAT_H

#include <sqlite3.h>

/* As sqlite3_create_function() takes it. */
void tc_sql_format(sqlite3_context *context, int count, sqlite3_value **values);

#endif
