/*
 * What an import met: the first rows of each kind with place and message, the rest counted.
 */
#ifndef TC_MODEL_IMPORT_LOG_H
#define TC_MODEL_IMPORT_LOG_H

#include <sqlite3.h>

#include "decode/sink.h"
#include "tracecoach/context.h"

struct tc_import_log {
	struct tc_import_log_row *rows;
	size_t count, capacity;
	struct {
		int64_t row_count;  /* rows kept */
		int64_t more_count; /* sum of count of those not kept */
		int64_t more_offset;
	} kinds[TC_LOG_KIND_COUNT];
};

void tc_import_log_clear(struct tc_import_log *log);
/* Adds an entry (copied). False when memory is out. */
bool tc_import_log_add(struct tc_import_log *log, const struct tc_log_entry *entry);
/* True when an entry of severity data_loss was added. */
bool tc_import_log_lost(const struct tc_import_log *log);
enum tc_status tc_import_log_write(
	const struct tc_import_log *log, struct tc_ctx *ctx, sqlite3 *db, int64_t trace_id);

#endif
