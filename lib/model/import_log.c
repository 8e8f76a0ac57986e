/* Rows of import_log; see import_log.h. */
#include "model/import_log.h"

#include "core/alloc.h"
#include "core/array.h"
#include "core/limits.h"
#include "core/text/utf8.h"
#include "store/tables.h"

enum { MESSAGE_BYTES = 240 };

struct tc_import_log_row {
	enum tc_log_kind kind;
	int64_t byte_offset, count;
	size_t message_len;
	char message[MESSAGE_BYTES];
};

static const struct {
	const char *name, *severity, *help;
} kinds[] = {
#define TC_LOG_KIND(id, name, severity, help) {name, severity, help},
#include "decode/log_kinds.def"
#undef TC_LOG_KIND
};

void tc_import_log_init(struct tc_import_log *log, struct tc_ctx *ctx)
{
	*log = (struct tc_import_log){.ctx = ctx};
}

void tc_import_log_clear(struct tc_import_log *log)
{
	tc_free(log->rows);
	tc_import_log_init(log, log->ctx);
}

enum tc_status tc_import_log_add(struct tc_import_log *log, const struct tc_log_entry *entry)
{
	if (log->kinds[entry->kind].row_count >= TC_LOG_ROWS_PER_KIND) {
		if (log->kinds[entry->kind].more_count == 0)
			log->kinds[entry->kind].more_offset = entry->byte_offset;
		log->kinds[entry->kind].more_count += entry->count;
		return TC_OK;
	}
	if (!TC_GROW(log->rows, log->capacity, log->count + 1))
		return tc_no_memory(log->ctx);
	struct tc_import_log_row *row = &log->rows[log->count++];
	row->kind = entry->kind;
	row->byte_offset = entry->byte_offset;
	row->count = entry->count;
	row->message_len = tc_utf8_prefix(entry->message, MESSAGE_BYTES).len;
	if (row->message_len > 0)
		memcpy(row->message, entry->message.ptr, row->message_len);
	log->kinds[entry->kind].row_count++;
	return TC_OK;
}

enum tc_status tc_import_log_add_one(struct tc_import_log *log, enum tc_log_kind kind,
	int64_t byte_offset, struct tc_text message)
{
	return tc_import_log_add(log, &(struct tc_log_entry){kind, byte_offset, 1, message});
}

enum tc_status tc_import_log_add_event(
	struct tc_import_log *log, enum tc_log_kind kind, const struct tc_raw_event *event)
{
	return tc_import_log_add_one(log, kind, event->byte_offset, event->name);
}

enum tc_status tc_import_log_add_count(
	struct tc_import_log *log, enum tc_log_kind kind, int64_t count, struct tc_text message)
{
	if (count == 0)
		return TC_OK;
	return tc_import_log_add(log, &(struct tc_log_entry){kind, -1, count, message});
}

/* What it means, up to what becomes of it. */
struct tc_text tc_import_log_loss(const struct tc_import_log *log)
{
	for (size_t i = 0; i < log->count; i++) {
		const char *help = kinds[log->rows[i].kind].help;
		if (strcmp(kinds[log->rows[i].kind].severity, "data_loss") == 0)
			return (struct tc_text){help, strcspn(help, ";")};
	}
	return TC_TEXT_NONE;
}

static void put_row(struct tc_tables *tables, int64_t trace_id, const struct tc_import_log_row *row)
{
	struct tc_buf clean = TC_BUF_EMPTY; /* names of files may hold any bytes */
	tc_utf8_append_clean(&clean, (struct tc_text){row->message, row->message_len});
	if (tc_buf_failed(&clean))
		tc_tables_keep(tables, tc_no_memory(tables->ctx));
	struct tc_text message = tc_buf_text(&clean);
	const struct tc_sql_value values[] = {
		tc_sql_int(trace_id),
		tc_sql_string(kinds[row->kind].name),
		tc_sql_string(kinds[row->kind].severity),
		tc_sql_int_if(row->byte_offset >= 0, row->byte_offset),
		tc_sql_int(row->count),
		tc_sql_text(message.len > 0 ? message : TC_TEXT_NONE),
	};

	TC_TABLES_PUT(tables, "import_log (trace_id, kind, severity, byte_offset, count, message)",
		values);
	tc_buf_clear(&clean);
}

enum tc_status tc_import_log_write(const struct tc_import_log *log, sqlite3 *db, int64_t trace_id)
{
	static const char rest[] = "the rest of this kind, from this offset on";
	struct tc_tables tables = TC_TABLES_OF(log->ctx, db);

	for (size_t i = 0; i < log->count; i++)
		put_row(&tables, trace_id, &log->rows[i]);
	for (size_t i = 0; i < TC_LOG_KIND_COUNT; i++) {
		struct tc_import_log_row row = {(enum tc_log_kind)i, log->kinds[i].more_offset,
			log->kinds[i].more_count, sizeof(rest) - 1, ""};
		memcpy(row.message, rest, sizeof(rest) - 1);
		if (row.count > 0)
			put_row(&tables, trace_id, &row);
	}
	return tc_tables_end(&tables);
}
