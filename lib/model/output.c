/*
 * Rows on their way to the store, and the import log. An entry of the log is kept whole until its
 * kind has TC_LOG_ROWS_PER_KIND; the rest of a kind becomes one row with a count, at the place of
 * the first of them. So a damaged file of any size has a log of bounded size that still adds up.
 */
#include "model/output.h"

#include "core/limits.h"
#include "core/text/utf8.h"

static void change_batch(struct tc_row_sink *sink)
{
	enum tc_status status = sink->take(sink->take_user, &sink->batch);

	if (status && !tc_ctx_failed(sink->ctx))
		tc_fail(sink->ctx, status, "interrupted");
	if (status)
		return;
	sink->batch->trace_id = sink->first.trace;
	sink->batch->text.ctx = sink->ctx;
}

void tc_row_sink_start(struct tc_row_sink *sink, tc_take_batch_fn take, void *take_user)
{
	sink->take = take;
	sink->take_user = take_user;
	if (!sink->batch)
		change_batch(sink);
}

/* A batch goes to the writer at this size: large enough that the cost of handing it over is spread
 * over many rows, small enough that the few in flight take some hundred KB. Offsets into the text
 * have 32 bits; FULL_BYTES plus one more event (core/limits.h) cannot overflow them. */
enum { FULL_ROWS = 2048, FULL_BYTES = 1024 * 1024 };

/* Whether it holds enough rows or bytes to go to the writer. */
static bool batch_full(const struct tc_batch *batch)
{
	size_t rows = 0;

#define TC_BATCH_ROW(kind, array, table) rows += batch->kind##_count;
#include "store/batch_rows.def"
#undef TC_BATCH_ROW
	return rows >= FULL_ROWS || batch->text.len >= FULL_BYTES;
}

void tc_row_sink_flush(struct tc_row_sink *sink, bool all)
{
	if (all || batch_full(sink->batch))
		change_batch(sink);
}

struct tc_row_args tc_row_sink_args(struct tc_row_sink *sink, struct tc_text args)
{
	struct tc_buf *text = &sink->batch->text;
	const struct tc_row_args copy = {
		.form_id = -1, .offset = (uint32_t)text->len, .len = (uint32_t)args.len};

	if (args.len == 0)
		return (struct tc_row_args){.form_id = -1};
	tc_buf_append_text(text, args);
	return copy;
}

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

void tc_import_log_add(struct tc_import_log *log, const struct tc_log_entry *entry)
{
	struct tc_import_log_row row = {entry->kind, entry->byte_offset, entry->count,
		tc_utf8_prefix(entry->message, MESSAGE_BYTES).len, ""};

	if (log->kinds[entry->kind].row_count >= TC_LOG_ROWS_PER_KIND) {
		if (log->kinds[entry->kind].more_count == 0)
			log->kinds[entry->kind].more_offset = entry->byte_offset;
		log->kinds[entry->kind].more_count += entry->count;
		return;
	}
	if (row.message_len > 0)
		memcpy(row.message, entry->message.ptr, row.message_len);
	if (TC_PUSH(log->ctx, log->rows, log->count, log->capacity, row))
		log->kinds[entry->kind].row_count++;
}

void tc_import_log_add_one(struct tc_import_log *log, enum tc_log_kind kind, int64_t byte_offset,
	struct tc_text message)
{
	tc_import_log_add(log, &(struct tc_log_entry){kind, byte_offset, 1, message});
}

void tc_import_log_add_event(
	struct tc_import_log *log, enum tc_log_kind kind, const struct tc_raw_event *event)
{
	tc_import_log_add_one(log, kind, event->byte_offset, event->name);
}

void tc_import_log_add_count(
	struct tc_import_log *log, enum tc_log_kind kind, int64_t count, struct tc_text message)
{
	if (count > 0)
		tc_import_log_add(log, &(struct tc_log_entry){kind, -1, count, message});
}

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
	struct tc_buf clean = {.ctx = tables->ctx}; /* names of files may hold any bytes */

	tc_utf8_append_clean(&clean, (struct tc_text){row->message, row->message_len});
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

void tc_import_log_write(const struct tc_import_log *log, sqlite3 *db, int64_t trace_id)
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
	tc_tables_end(&tables);
}

void tc_log_put(struct tc_tables *tables, int64_t trace_id, enum tc_log_kind kind, int64_t count,
	const char *words, const struct tc_sql_value values[static TC_LOG_VALUES])
{
	const struct tc_sql_value row[] = {tc_sql_int(trace_id), tc_sql_string(kinds[kind].name),
		tc_sql_string(kinds[kind].severity), tc_sql_int(count), tc_sql_string(words),
		values[0], values[1], values[2], values[3]};

	if (count > 0)
		TC_TABLES_PUT(tables,
			"INSERT INTO import_log (trace_id, kind, severity, count, message)"
			" VALUES (?1, ?2, ?3, ?4, printf(?5, ?6, ?7, ?8, ?9))",
			row);
}
