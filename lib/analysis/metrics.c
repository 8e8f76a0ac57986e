/* Rows of the table metric; see metrics.h. */
#include "analysis/metrics.h"

#include "core/alloc.h"
#include "store/sql.h"

static const struct tc_metric_info infos[TC_METRIC_COUNT] = {
#define TC_METRIC(id, name, unit, level, help) {name, unit, level, help},
#include "analysis/metrics.def"
#undef TC_METRIC
};

struct tc_metric_writer {
	struct tc_ctx *ctx;
	sqlite3_stmt *insert;
	int64_t trace_id;
	enum tc_status status;
};

const struct tc_metric_info *tc_metric_info(enum tc_metric metric)
{
	return &infos[metric];
}

enum tc_status tc_metric_writer_new(
	struct tc_metric_writer **out, struct tc_ctx *ctx, sqlite3 *db, int64_t trace_id)
{
	struct tc_metric_writer *writer = tc_calloc(1, sizeof(*writer));

	if (!writer)
		return tc_no_memory(ctx);
	writer->ctx = ctx;
	writer->trace_id = trace_id;
	enum tc_status status = tc_sql_insert(
		&writer->insert, ctx, db, "metric (trace_id, name, device, step, value, unit)");
	if (status)
		tc_free(writer);
	else
		*out = writer;
	return status;
}

void tc_metric_writer_free(struct tc_metric_writer *writer)
{
	if (!writer)
		return;
	sqlite3_finalize(writer->insert);
	tc_free(writer);
}

static void put(struct tc_metric_writer *writer, enum tc_metric metric,
	struct tc_metric_scope scope, struct tc_sql_value value)
{
	const struct tc_sql_value values[] = {
		tc_sql_int(writer->trace_id),
		tc_sql_string(infos[metric].name),
		tc_sql_text(scope.device),
		scope.step ? tc_sql_int(*scope.step) : tc_sql_null(),
		value,
		tc_sql_string(infos[metric].unit),
	};

	if (!writer->status)
		writer->status = TC_SQL_PUT(writer->ctx, writer->insert, values);
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

enum tc_status tc_metric_writer_status(const struct tc_metric_writer *writer)
{
	return writer->status;
}
