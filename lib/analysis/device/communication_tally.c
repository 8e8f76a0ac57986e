/* See communication_tally.h. The bytes that an operation moves are in its args, which this file
 * reads. */
#include "analysis/device/communication_tally.h"

#include "analysis/name_functions.h"

extern const char tc_communication_sql[]; /* communication.sql, embedded by the build */

struct row {
	int64_t slice_id, exposed_ns;
};

enum tc_status tc_communication_tally_add(struct tc_communication_tally *tally, struct tc_ctx *ctx,
	int64_t slice_id, int64_t exposed_ns)
{
	const struct row row = {slice_id, exposed_ns};
	enum tc_status status = tally->spill ? TC_OK : tc_spill_new(&tally->spill, ctx);
	int64_t offset = 0;

	if (!status)
		status = tc_spill_append(tally->spill, &row, sizeof(row), &offset);
	tally->count += !status;
	return status;
}

struct writing {
	const struct tc_communication_tally *tally;
	struct tc_tables *tables;
	int64_t trace_id;
};

static enum tc_status fill(void *user)
{
	const struct writing *writing = user;
	enum tc_status status = TC_OK;

	for (int64_t i = 0; i < writing->tally->count && !status; i++) {
		struct row row = {0};
		status = tc_spill_read(
			writing->tally->spill, &row, sizeof(row), i * (int64_t)sizeof(row));
		const struct tc_sql_value values[] = {tc_sql_int(writing->trace_id),
			tc_sql_int(row.slice_id), tc_sql_int(row.exposed_ns)};
		if (!status)
			TC_TABLES_PUT(writing->tables, tc_communication_sql, values);
	}
	return status;
}

void tc_communication_tally_write(
	const struct tc_communication_tally *tally, struct tc_tables *tables, int64_t trace_id)
{
	struct writing writing = {tally, tables, trace_id};

	if (tally->count > 0)
		tc_tables_keep(
			tables, tc_with_name_functions(tables->ctx, tables->db, fill, &writing));
}

void tc_communication_tally_clear(struct tc_communication_tally *tally)
{
	tc_spill_free(tally->spill);
	*tally = (struct tc_communication_tally){0};
}
