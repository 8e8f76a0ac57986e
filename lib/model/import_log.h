/*
 * The import log: all that is wrong with a trace, as rows of table import_log. The first entries of
 * a kind are kept with their place and message, later ones are counted.
 */
#ifndef TC_MODEL_IMPORT_LOG_H
#define TC_MODEL_IMPORT_LOG_H

#include <sqlite3.h>

#include "core/context.h"
#include "decode/sink.h"

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

void tc_import_log_init(struct tc_import_log *log, struct tc_ctx *ctx);
void tc_import_log_clear(struct tc_import_log *log);
/* Adds an entry (copied). */
enum tc_status tc_import_log_add(struct tc_import_log *log, const struct tc_log_entry *entry);
/* Adds one occurrence; byte_offset -1: it has no place. */
enum tc_status tc_import_log_add_one(struct tc_import_log *log, enum tc_log_kind kind,
	int64_t byte_offset, struct tc_text message);
/* Adds one occurrence, at an event and with its name. */
enum tc_status tc_import_log_add_event(
	struct tc_import_log *log, enum tc_log_kind kind, const struct tc_raw_event *event);
/* Adds a number of occurrences that have no place; nothing when it is 0. */
enum tc_status tc_import_log_add_count(
	struct tc_import_log *log, enum tc_log_kind kind, int64_t count, struct tc_text message);
/* What the first entry of severity data_loss says, without its name; empty where none was added. */
struct tc_text tc_import_log_loss(const struct tc_import_log *log);
enum tc_status tc_import_log_write(const struct tc_import_log *log, sqlite3 *db, int64_t trace_id);

#endif
