/*
 * Rows of the table metric. Those of steps are many, so they wait until eight can be written by one
 * statement: a row each takes twice as long, because a statement opens and closes its tables.
 */
#include "analysis/metrics.h"

#include <string.h>

#include "core/alloc.h"
#include "store/sql.h"

static const struct tc_metric_info infos[TC_METRIC_COUNT] = {
#define TC_METRIC(id, name, unit, level, help) {name, unit, level, help},
#include "analysis/metrics.def"
#undef TC_METRIC
};

enum { COLUMNS = 6, TOGETHER = 8 };

#define METRIC_TABLE "metric (trace_id, name, device, step, value, unit)"

struct tc_metric_writer {
	struct tc_tables tables;
	int64_t trace_id;
	size_t waiting;
	struct tc_sql_value rows[TOGETHER * COLUMNS]; /* of steps, that wait */
};

const struct tc_metric_info *tc_metric_info(enum tc_metric metric)
{
	return &infos[metric];
}

struct tc_metric_writer *tc_metric_writer_new(struct tc_ctx *ctx, sqlite3 *db, int64_t trace_id)
{
	struct tc_metric_writer *writer = tc_new(ctx, 1, sizeof(*writer));

	if (!writer)
		return NULL;
	writer->tables = TC_TABLES_OF(ctx, db);
	writer->trace_id = trace_id;
	return writer;
}

void tc_metric_writer_free(struct tc_metric_writer *writer)
{
	if (!writer)
		return;
	tc_tables_end(&writer->tables);
	tc_free(writer);
}

void tc_metric_writer_flush(struct tc_metric_writer *writer)
{
	static const char together[] =
		"INSERT INTO " METRIC_TABLE " VALUES (?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?),"
		" (?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?),"
		" (?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?)";

	if (writer->waiting == TOGETHER)
		TC_TABLES_PUT(&writer->tables, together, writer->rows);
	for (size_t i = 0; i < writer->waiting && writer->waiting < TOGETHER; i++)
		tc_tables_put(&writer->tables, METRIC_TABLE, &writer->rows[i * COLUMNS], COLUMNS);
	writer->waiting = 0;
}

/* The name of a device may not live longer than the call when the row is of the run. */
static void put(struct tc_metric_writer *writer, enum tc_metric metric,
	struct tc_metric_scope scope, struct tc_sql_value value)
{
	const struct tc_sql_value row[COLUMNS] = {
		tc_sql_int(writer->trace_id),
		tc_sql_string(infos[metric].name),
		tc_sql_text(scope.device),
		scope.step ? tc_sql_int(*scope.step) : tc_sql_null(),
		value,
		tc_sql_string(infos[metric].unit),
	};

	memcpy(&writer->rows[writer->waiting++ * COLUMNS], row, sizeof(row));
	if (writer->waiting == TOGETHER || !scope.step)
		tc_metric_writer_flush(writer);
}

void tc_metric_put(struct tc_metric_writer *writer, enum tc_metric metric,
	struct tc_metric_scope scope, int64_t value)
{
	put(writer, metric, scope, tc_sql_int(value));
}

void tc_metric_put_ratio(struct tc_metric_writer *writer, enum tc_metric metric,
	struct tc_metric_scope scope, int64_t numerator, int64_t denominator)
{
	double factor = infos[metric].unit[0] == 'p' ? 100.0 : 1.0;

	if (denominator != 0)
		put(writer, metric, scope,
			tc_sql_real((double)numerator * factor / (double)denominator));
}
