/*
 * What leaves the model while it reads a trace: finished rows, in batches, and the import log.
 *
 * Rows are collected in a batch; a full batch goes to whoever writes it, who gives an empty one
 * back. The log has all that is wrong with a trace, as rows of the table import_log: the first
 * entries of a kind with their place and message, later ones as a count.
 *
 * Failures are in the context. After one there may be no batch, and rows are not wanted any more.
 */
#pragma once

#include <sqlite3.h>

#include "core/alloc.h"
#include "core/context.h"
#include "decode/sink.h"
#include "store/batch.h"
#include "store/sql.h"

/* The next free id of each table; carried from trace to trace of one store. */
struct tc_next_ids {
	int64_t trace, slice, args_form, instant, counter, memory, process, thread, track, label,
		step, flow;
};

/* Takes a full batch and puts an empty one in *batch; the first call has *batch NULL. */
typedef enum tc_status (*tc_take_batch_fn)(void *user, struct tc_batch **batch);

struct tc_row_sink {
	struct tc_ctx *ctx;
	struct tc_batch *batch;
	struct tc_next_ids *next; /* borrowed */
	struct tc_next_ids first; /* *next when the trace began */
	tc_take_batch_fn take;
	void *take_user;
};

/* Sets take and take_user; the other fields are the caller's to set. Gets the first batch. */
void tc_row_sink_start(struct tc_row_sink *sink, tc_take_batch_fn take, void *take_user);

/* tc_row_sink_<kind>(): a row of that kind, zeroed, to be filled before the next call of
 * tc_row_sink_flush(); NULL after a failure. */
#define TC_BATCH_ROW(kind, array, table)                                                           \
	static inline struct tc_##kind##_row *tc_row_sink_##kind(const struct tc_row_sink *sink)   \
	{                                                                                          \
		struct tc_##kind##_row *row =                                                      \
			sink->batch ? tc_batch_add_##kind(sink->batch) : NULL;                     \
		if (!row)                                                                          \
			tc_no_memory(sink->ctx);                                                   \
		return row;                                                                        \
	}
#include "store/batch_rows.def"
#undef TC_BATCH_ROW

/* A copy of args in the batch; of a row of it. */
struct tc_row_args tc_row_sink_args(struct tc_row_sink *sink, struct tc_text args);
/* Hands the batch over when it is full, or in any case when all is set. */
void tc_row_sink_flush(struct tc_row_sink *sink, bool all);

struct tc_import_log {
	struct tc_ctx *ctx;
	struct tc_import_log_row *rows;
	size_t count, capacity;
	struct {
		int64_t row_count;  /* rows kept */
		int64_t more_count; /* sum of count of those not kept */
		int64_t more_offset;
	} kinds[TC_LOG_KIND_COUNT];
};

static inline void tc_import_log_clear(struct tc_import_log *log)
{
	tc_free(log->rows);
	*log = (struct tc_import_log){.ctx = log->ctx};
}
/* Adds an entry (copied). */
void tc_import_log_add(struct tc_import_log *log, const struct tc_log_entry *entry);
/* Adds one occurrence; byte_offset -1: it has no place. */
void tc_import_log_add_one(struct tc_import_log *log, enum tc_log_kind kind, int64_t byte_offset,
	struct tc_text message);
/* Adds one occurrence, at an event and with its name. */
void tc_import_log_add_event(
	struct tc_import_log *log, enum tc_log_kind kind, const struct tc_raw_event *event);
/* Adds a number of occurrences that have no place; nothing when it is 0. */
void tc_import_log_add_count(
	struct tc_import_log *log, enum tc_log_kind kind, int64_t count, struct tc_text message);
/* The help of the first entry of severity data_loss: what was lost, without what becomes of it.
 * Empty where none was added. */
struct tc_text tc_import_log_loss(const struct tc_import_log *log);
void tc_import_log_write(const struct tc_import_log *log, sqlite3 *db, int64_t trace_id);

/* A row of the import log for what is found after the reading, unless count is 0. The words take up
 * to TC_LOG_VALUES values, as printf() of SQL does: TC_LOG_PUT(tables, trace_id, TC_LOG_STEP_LIMIT,
 * count, "%,d devices", tc_sql_int(device_count)); */
enum { TC_LOG_VALUES = 4 };
void tc_log_put(struct tc_tables *tables, int64_t trace_id, enum tc_log_kind kind, int64_t count,
	const char *words, const struct tc_sql_value values[static TC_LOG_VALUES]);
#define TC_LOG_PUT(tables, trace_id, kind, count, words, ...)                                      \
	tc_log_put(tables, trace_id, kind, count, words,                                           \
		(const struct tc_sql_value[TC_LOG_VALUES]){__VA_ARGS__})
