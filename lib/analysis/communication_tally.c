/* Which bytes an operation moves is in its args, so rows are made by a query (communication.sql)
 * that reads those, with the SQL functions for names. */
#include "analysis/communication_tally.h"

#include "analysis/name_functions.h"

extern const char tc_communication_sql[]; /* communication.sql, embedded by the build */

struct row {
	int64_t slice_id, exposed_ns;
};

void tc_communication_tally_add(struct tc_communication_tally *tally, struct tc_ctx *ctx,
	int64_t slice_id, int64_t exposed_ns)
{
	const struct row row = {slice_id, exposed_ns};
	int64_t offset = 0;

	if (!tally->spill)
		tc_spill_new(&tally->spill, ctx);
	if (!tc_ctx_failed(ctx) && !tc_spill_append(tally->spill, &row, sizeof(row), &offset))
		tally->count++;
}

struct writing {
	const struct tc_communication_tally *tally;
	struct tc_tables *tables;
	int64_t trace_id;
};

static void fill(void *user)
{
	const struct writing *writing = user;

	for (int64_t i = 0; i < writing->tally->count; i++) {
		struct row row = {0};
		if (tc_spill_read(
			    writing->tally->spill, &row, sizeof(row), i * (int64_t)sizeof(row)))
			return;
		const struct tc_sql_value values[] = {tc_sql_int(writing->trace_id),
			tc_sql_int(row.slice_id), tc_sql_int(row.exposed_ns)};
		TC_TABLES_PUT(writing->tables, tc_communication_sql, values);
	}
}

void tc_communication_tally_write(
	const struct tc_communication_tally *tally, struct tc_tables *tables, int64_t trace_id)
{
	struct writing writing = {tally, tables, trace_id};

	if (tally->count > 0)
		tc_with_name_functions(tables->ctx, tables->db, fill, &writing);
}

void tc_communication_tally_clear(struct tc_communication_tally *tally)
{
	tc_spill_free(tally->spill);
	*tally = (struct tc_communication_tally){0};
}
