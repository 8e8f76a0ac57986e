/* Compares the schema of a file with the embedded one, and looks at its values. See check.h. */
#include "store/sealed/check.h"

#include <string.h>

#include "core/text.h"
#include "store/connection.h"
#include "store/layout/objects.h"
#include "store/sql.h"

/* Rows of a schema, sorted, so that two schemas can be compared row by row. */
struct schema {
	sqlite3 *db;
	sqlite3_stmt *rows;
	bool has_row;
};

enum { COLUMN_NAME, COLUMN_TYPE, COLUMN_TABLE, COLUMN_SQL, COLUMN_COUNT };

static struct tc_text text_at(const struct schema *schema, int column)
{
	return tc_sql_column_text(schema->rows, column);
}

static enum tc_status next(struct schema *schema, struct tc_ctx *ctx)
{
	int code = sqlite3_step(schema->rows);

	schema->has_row = code == SQLITE_ROW;
	return code == SQLITE_ROW || code == SQLITE_DONE
		       ? TC_OK
		       : tc_store_fail(ctx, schema->db, "read the schema");
}

#define SELECT_FROM(table)                                                                         \
	"SELECT CAST(name AS TEXT) AS n, CAST(type AS TEXT) AS t, CAST(tbl_name AS TEXT),"         \
	" CAST(sql AS TEXT) FROM " table " ORDER BY n, t"

static enum tc_status start(
	struct schema *schema, struct tc_ctx *ctx, sqlite3 *db, const char *select)
{
	schema->db = db;
	if (sqlite3_prepare_v2(db, select, -1, &schema->rows, NULL) != SQLITE_OK)
		return tc_store_fail(ctx, db, "read the schema");
	return next(schema, ctx);
}

static bool same_text(const struct schema *found, const struct schema *wanted)
{
	for (int i = 0; i < COLUMN_COUNT; i++)
		if (!tc_text_equal(text_at(found, i), text_at(wanted, i)))
			return false;
	return true;
}

/* Compares the current rows, and advances the schema that is behind, or both. */
static enum tc_status step(struct tc_ctx *ctx, struct schema *found, struct schema *wanted)
{
	int order = !found->has_row    ? 1
		    : !wanted->has_row ? -1
				       : tc_text_order(text_at(found, COLUMN_NAME),
						 text_at(wanted, COLUMN_NAME));
	const struct schema *at = order > 0 ? wanted : found;
	const char *name = (const char *)sqlite3_column_text(at->rows, COLUMN_NAME);
	enum tc_status status = TC_OK;

	if (order < 0)
		return tc_fail(ctx, TC_ERR_STORE, "it has something that is not ours: %s",
			name ? name : "");
	if (order > 0 && !tc_text_equal(text_at(wanted, COLUMN_TYPE), TC_TEXT("index")))
		return tc_fail(ctx, TC_ERR_STORE, "it has no table or view named %s", name);
	if (order == 0 && !same_text(found, wanted))
		return tc_fail(ctx, TC_ERR_STORE, "its %s is not that of this version", name);
	if (order == 0)
		status = next(found, ctx);
	return status ? status : next(wanted, ctx);
}

static enum tc_status compare(struct tc_ctx *ctx, sqlite3 *db, sqlite3 *ours)
{
	struct schema found = {0}, wanted = {0};
	enum tc_status status =
		start(&found, ctx, db, SELECT_FROM("sqlite_master WHERE sql IS NOT NULL"));

	if (!status)
		status = start(&wanted, ctx, ours, SELECT_FROM("wanted"));
	while (!status && (found.has_row || wanted.has_row))
		status = step(ctx, &found, &wanted);
	sqlite3_finalize(found.rows);
	sqlite3_finalize(wanted.rows);
	return status;
}

enum tc_status tc_store_check_schema(
	struct tc_ctx *ctx, sqlite3 *db, const struct tc_store_kind *kind)
{
	sqlite3 *ours = NULL;
	int root = 0;
	int code = sqlite3_open(":memory:", &ours);
	enum tc_status status;

	if (code == SQLITE_OK)
		code = sqlite3_exec(
			ours, "CREATE TABLE wanted " TC_OBJECT_COLUMNS, NULL, NULL, NULL);
	for (size_t i = 0; kind->schema[i] && code == SQLITE_OK; i++)
		code = tc_objects_put(ours, "wanted", kind->schema[i], &root);
	status = code == SQLITE_OK ? compare(ctx, db, ours)
				   : tc_store_fail(ctx, ours, "make a list of the schema");
	sqlite3_close(ours);
	return status;
}

enum tc_status tc_store_check_values(
	struct tc_ctx *ctx, sqlite3 *db, const struct tc_store_kind *kind)
{
	enum tc_status status = TC_OK;
	bool found = false;
	int64_t ignored;

	for (size_t i = 0; i < kind->check_count && !status && !found; i++) {
		status = tc_sql_lookup(&ignored, &found, ctx, db, kind->checks[i].sql, NULL);
		if (found)
			status = tc_fail(ctx, TC_ERR_STORE, "%s", kind->checks[i].says);
	}
	return status;
}

enum tc_status tc_store_check_passive(struct tc_ctx *ctx, sqlite3 *db)
{
	int64_t count = 0;
	bool found;
	/* A virtual table has no page of its own. */
	enum tc_status status = tc_sql_lookup(&count, &found, ctx, db,
		"SELECT count(*) FROM sqlite_master WHERE type NOT IN ('table', 'view', 'index')"
		" OR (type = 'table' AND coalesce(rootpage, 0) = 0)",
		NULL);

	if (status)
		return status;
	return count == 0 ? TC_OK : tc_fail(ctx, TC_ERR_STORE, "it has more than tables and views");
}
