/*
 * Private to the store: printf() and format() of SQL. SQLite 3.40 and older loop as often as the
 * precision says, up to 2^31 times ('%.*c'), and a running function cannot be interrupted. The
 * results are the same, but a width or precision above the connection's length limit is an error.
 */
#ifndef TC_STORE_FUNCTIONS_FORMAT_H
#define TC_STORE_FUNCTIONS_FORMAT_H

#include <sqlite3.h>

/* Has the form that sqlite3_create_function() takes. */
void tc_sql_format(sqlite3_context *context, int count, sqlite3_value **values);

#endif
