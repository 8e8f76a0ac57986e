/* Rows of the table metric; see metrics.h. */
#include "analysis/metrics.h"

#include "analysis/statement.h"
#include "core/alloc.h"

static const struct tc_metric_info infos[TC_METRIC_COUNT] = {
#define TC_METRIC(id, name, unit, level, help) {name, unit, level, help},
#include "analysis/metrics.def"
#undef TC_METRIC
};

static const char what[] = "write metrics";

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
		return tc_fail(ctx, TC_ERR_NOMEM, "no memory to write metrics");
	writer->ctx = ctx;
	writer->trace_id = trace_id;
	enum tc_status status = tc_statement_compile(&writer->insert, ctx, db,
		"INSERT INTO metric (trace_id, name, device, step, value, unit)"
		" VALUES (?, ?, ?, ?, ?, ?)",
		what);
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

static void put(
	struct tc_metric_writer *writer, enum tc_metric metric, struct tc_metric_scope scope)
{
	tc_statement_integer(writer->insert, 1, writer->trace_id);
	tc_statement_string(writer->insert, 2, infos[metric].name);
	tc_statement_text(writer->insert, 3, scope.device);
	if (scope.step)
		tc_statement_integer(writer->insert, 4, *scope.step);
	else
		sqlite3_bind_null(writer->insert, 4);
	tc_statement_string(writer->insert, 6, infos[metric].unit);
	if (!writer->status)
		writer->status = tc_statement_run(writer->ctx, writer->insert, what);
}

void tc_metric_put(struct tc_metric_writer *writer, enum tc_metric metric,
	struct tc_metric_scope scope, int64_t value)
{
	tc_statement_integer(writer->insert, 5, value);
	put(writer, metric, scope);
}

void tc_metric_put_real(struct tc_metric_writer *writer, enum tc_metric metric,
	struct tc_metric_scope scope, double value)
{
	sqlite3_bind_double(writer->insert, 5, value);
	put(writer, metric, scope);
}

void tc_metric_put_ratio(struct tc_metric_writer *writer, enum tc_metric metric,
	struct tc_metric_scope scope, int64_t numerator, int64_t denominator)
{
	double factor = infos[metric].unit[0] == 'p' ? 100.0 : 1.0;

	if (denominator != 0)
		tc_metric_put_real(
			writer, metric, scope, (double)numerator * factor / (double)denominator);
}

enum tc_status tc_metric_writer_status(const struct tc_metric_writer *writer)
{
	return writer->status;
}
