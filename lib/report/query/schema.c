/* What a store can be asked: tables, views and their columns; see tracecoach/query.h. */
#include "report/query/result.h"
#include "report/view/rows.h"
#include "store/connection.h"

static const char list_sql[] =
	"SELECT m.name AS name, m.type AS type, group_concat(c.name, ' ') AS columns"
	" FROM sqlite_schema m JOIN pragma_table_xinfo(m.name) c WHERE m.type IN ('table', 'view')"
	" GROUP BY m.name ORDER BY m.name";

/* The store was checked against the schema of this version, so its texts are ours. */
static enum tc_status put_one(
	struct tc_ctx *ctx, struct tc_store *store, const char *name, tc_write_fn write, void *user)
{
	struct tc_sink sink;
	bool found;

	tc_sink_init(&sink, write, user);
	sink.ctx = ctx;
	sink.is_data = true;
	struct tc_rows rows = tc_rows_open(ctx, tc_store_db(store),
		"SELECT sql FROM sqlite_schema WHERE name = ?1 AND type IN ('table', 'view')");
	tc_rows_bind_text(&rows, 1, tc_text_from(name));
	found = tc_rows_next(&rows);
	if (found) {
		tc_sink_text(&sink, tc_rows_text(&rows, 0));
		tc_sink_put(&sink, ";\n");
	}
	tc_rows_close(&rows);
	if (!found && !tc_ctx_failed(ctx))
		tc_fail(ctx, TC_ERR_USAGE,
			"no table or view %s: --schema without a name lists them", name);
	return tc_sink_close(&sink, ctx);
}

enum tc_status tc_query_schema(struct tc_ctx *ctx, struct tc_store *store, const char *name,
	const struct tc_query_options *options, tc_write_fn write, void *user)
{
	return name ? put_one(ctx, store, name, write, user)
		    : tc_query(ctx, store, list_sql, options, write, user);
}
