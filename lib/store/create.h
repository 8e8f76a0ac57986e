/* The tables and views of an empty store. */
#ifndef TC_STORE_CREATE_H
#define TC_STORE_CREATE_H

#include <sqlite3.h>

/* Makes them in an empty database; an SQLite code. */
int tc_store_create(sqlite3 *db);

#endif
