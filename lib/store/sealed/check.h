/*
 * Private to the store: whether a file is what this version writes. Reports and heuristics
 * trust tables and views by name, so a replaced view would run in place of the real one.
 */
#ifndef TC_STORE_SEALED_CHECK_H
#define TC_STORE_SEALED_CHECK_H

#include <sqlite3.h>

#include "store/sealed/kind.h"

/*
 * Compares sqlite_master of db, by text, with what this version writes for that kind: every table
 * and view must be there as embedded, indexes may be there, and nothing else. TC_ERR_STORE names
 * the first difference.
 */
enum tc_status tc_store_check_schema(
	struct tc_ctx *ctx, sqlite3 *db, const struct tc_store_kind *kind);

/* Whether the values are what readers rely on. TC_ERR_STORE says what is not. The schema is known
 * to be that of the kind. */
enum tc_status tc_store_check_values(
	struct tc_ctx *ctx, sqlite3 *db, const struct tc_store_kind *kind);

/* Whether an unknown schema has only tables, views and indexes: no triggers, no virtual tables. */
enum tc_status tc_store_check_passive(struct tc_ctx *ctx, sqlite3 *db);

#endif
