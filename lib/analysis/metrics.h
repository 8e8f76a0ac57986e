/*
 * The table of metrics and the functions that write it: metrics.def gives every metric its name,
 * unit, level and help; tc_metric_put_*() writes rows.
 */
#pragma once

#include <sqlite3.h>
#include <stdint.h>

#include "core/context.h"
#include "core/text.h"

enum tc_metric {
#define TC_METRIC(id, name, unit, level, help) TC_METRIC_##id,
#include "analysis/metrics.def"
#undef TC_METRIC
	TC_METRIC_COUNT
};

struct tc_metric_info {
	const char *name, *unit, *level, *help;
};

const struct tc_metric_info *tc_metric_info(enum tc_metric metric);

/* The device and step of a row. */
struct tc_metric_scope {
	struct tc_text device; /* ptr NULL: none, or all devices together; with a step, a text of
				  the timeline */
	const int64_t *step;   /* step.number; NULL for the whole trace */
};

#define TC_METRIC_RUN ((struct tc_metric_scope){{NULL, 0}, NULL})

struct tc_metric_writer;

/* A writer of rows of the trace through db, the caller's to free; NULL when memory is out. */
struct tc_metric_writer *tc_metric_writer_new(struct tc_ctx *ctx, sqlite3 *db, int64_t trace_id);
void tc_metric_writer_free(struct tc_metric_writer *writer); /* NULL is fine */

/* Write a row, that of a step not before the next tc_metric_writer_flush(). */
void tc_metric_put(struct tc_metric_writer *writer, enum tc_metric metric,
	struct tc_metric_scope scope, int64_t value);
/* Writes numerator / denominator as a share (times 100 if the unit is pct); no row when the
 * denominator is 0. */
void tc_metric_put_ratio(struct tc_metric_writer *writer, enum tc_metric metric,
	struct tc_metric_scope scope, int64_t numerator, int64_t denominator);
void tc_metric_writer_flush(struct tc_metric_writer *writer);
