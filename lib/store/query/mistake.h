/* Mistakes in the SQL of users. */
#pragma once

#include <sqlite3.h>

#include "core/context.h"

/* Fails for a table or view that db does not have, or, without one, for sql, which db has just
 * refused, with TC_ERR_USAGE: the line and column where SQLite gives them, and the nearest names of
 * tables or columns where one does not exist. */
void tc_sql_mistake(struct tc_ctx *ctx, sqlite3 *db, const char *sql, const char *table);
