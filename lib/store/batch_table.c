/*
 * Virtual tables over a batch. Each reads one array of rows. Text values are borrowed from the batch, which
 * outlives the statement. See batch_table.h.
 */
#include "store/batch_table.h"

#include <string.h>

#include "core/alloc.h"

/* One kind of row. The key is the first member of every row and the rowid of every table. */
struct tc_batch_kind {
	const char *source, *target; /* the table over the batch; the table of the store */
	const char *key;             /* the first column of both */
	const char *columns;         /* the others */
	size_t row_bytes;
	const void *(*rows)(const struct tc_batch *batch);
	size_t (*count)(const struct tc_batch *batch);
	void (*column)(sqlite3_context *out, const struct tc_batch *batch, const void *row, int i);
};

static void give_text(
	sqlite3_context *out, const struct tc_batch *batch, uint32_t offset, uint32_t len)
{
	/* A batch without any text has no pointer, which SQLite would take for NULL. */
	sqlite3_result_text(out, len > 0 ? batch->text.ptr + offset : "", (int)len, SQLITE_STATIC);
}

/* INT64_MIN is NULL. A column without a result is NULL. */
static void give_optional(sqlite3_context *out, int64_t value)
{
	if (value != INT64_MIN)
		sqlite3_result_int64(out, value);
}

static void give_args(
	sqlite3_context *out, const struct tc_batch *batch, const struct tc_row_args *args)
{
	if (args->form_id >= 0)
		sqlite3_result_int64(out, args->form_id);
	else if (args->len > 0)
		give_text(out, batch, args->offset, args->len);
}

static void slice_column(sqlite3_context *out, const struct tc_batch *batch, const void *at, int i)
{
	const struct tc_slice_row *row = at;

	switch (i) {
	case 0: sqlite3_result_int64(out, row->id); break;
	case 1: sqlite3_result_int64(out, row->ts_ns); break;
	case 2: sqlite3_result_int64(out, row->dur_ns); break;
	case 3: sqlite3_result_int64(out, row->track_id); break;
	case 4: sqlite3_result_int64(out, row->label_id); break;
	case 5: give_args(out, batch, &row->args); break;
	default:
		if (row->args.form_id >= 0 && row->args.numbers >= 0)
			sqlite3_result_int64(out, row->args.numbers);
	}
}

static void form_column(sqlite3_context *out, const struct tc_batch *batch, const void *at, int i)
{
	const struct tc_form_row *row = at;

	switch (i) {
	case 0: sqlite3_result_int64(out, row->id); break;
	case 1: give_text(out, batch, row->offset, row->len); break;
	default: sqlite3_result_int64(out, row->bits); break;
	}
}

static const char *scope_name(char scope)
{
	return scope == 'g' ? "global" : scope == 'p' ? "process" : "thread";
}

static void instant_column(
	sqlite3_context *out, const struct tc_batch *batch, const void *at, int i)
{
	const struct tc_instant_row *row = at;

	switch (i) {
	case 0: sqlite3_result_int64(out, row->id); break;
	case 1: sqlite3_result_int64(out, batch->trace_id); break;
	case 2: sqlite3_result_int64(out, row->ts_ns); break;
	case 3: sqlite3_result_int64(out, row->track_id); break;
	case 4: sqlite3_result_int64(out, row->label_id); break;
	case 5: sqlite3_result_text(out, scope_name(row->scope), -1, SQLITE_STATIC); break;
	default: give_args(out, batch, &row->args); break;
	}
}

static void counter_column(
	sqlite3_context *out, const struct tc_batch *batch, const void *at, int i)
{
	const struct tc_counter_row *row = at;

	switch (i) {
	case 0: sqlite3_result_int64(out, row->id); break;
	case 1: sqlite3_result_int64(out, batch->trace_id); break;
	case 2: sqlite3_result_int64(out, row->ts_ns); break;
	case 3: give_optional(out, row->process_id < 0 ? INT64_MIN : row->process_id); break;
	case 4: give_text(out, batch, row->name_offset, row->name_len); break;
	default: sqlite3_result_double(out, row->value); break;
	}
}

static void memory_column(sqlite3_context *out, const struct tc_batch *batch, const void *at, int i)
{
	const struct tc_memory_row *row = at;

	switch (i) {
	case 0: sqlite3_result_int64(out, row->id); break;
	case 1: sqlite3_result_int64(out, batch->trace_id); break;
	case 2: sqlite3_result_int64(out, row->ts_ns); break;
	case 3: give_optional(out, row->device_type); break;
	case 4: give_optional(out, row->device_id); break;
	case 5:
		if (row->addr_len > 0)
			give_text(out, batch, row->addr_offset, row->addr_len);
		else
			give_optional(out, row->addr);
		break;
	case 6: give_optional(out, row->bytes); break;
	case 7: give_optional(out, row->allocated_bytes); break;
	case 8: give_optional(out, row->reserved_bytes); break;
	default: sqlite3_result_int64(out, row->thread_id); break;
	}
}

static void memory_link_column(
	sqlite3_context *out, const struct tc_batch *batch, const void *at, int i)
{
	const struct tc_memory_link_row *row = at;

	(void)batch;
	sqlite3_result_int64(out, i == 0 ? row->memory_id : row->slice_id);
}

static void nest_column(sqlite3_context *out, const struct tc_batch *batch, const void *at, int i)
{
	const struct tc_nest_row *row = at;

	(void)batch;
	switch (i) {
	case 0: sqlite3_result_int64(out, row->slice_id); break;
	case 1: sqlite3_result_int64(out, row->depth); break;
	default: sqlite3_result_int64(out, row->parent_id); break;
	}
}

static void flow_column(sqlite3_context *out, const struct tc_batch *batch, const void *at, int i)
{
	const struct tc_flow_row *row = at;

	switch (i) {
	case 0: sqlite3_result_int64(out, row->id); break;
	case 1: sqlite3_result_int64(out, batch->trace_id); break;
	case 2: sqlite3_result_int64(out, row->label_id); break;
	case 3: sqlite3_result_int64(out, row->slice_out); break;
	default: sqlite3_result_int64(out, row->slice_in); break;
	}
}

static void link_column(sqlite3_context *out, const struct tc_batch *batch, const void *at, int i)
{
	const struct tc_link_row *row = at;

	(void)batch;
	switch (i) {
	case 0: sqlite3_result_int64(out, row->first_slice_id); break;
	case 1: sqlite3_result_int64(out, row->last_slice_id); break;
	case 2: give_optional(out, row->launch_slice_id); break;
	case 3: give_optional(out, row->step_id); break;
	default: sqlite3_result_text(out, row->method, -1, SQLITE_STATIC); break;
	}
}

/* The two accessors of each array. */
#define TC_BATCH_ROW(kind, array)                                                                  \
	static const void *kind##_rows(const struct tc_batch *batch)                               \
	{                                                                                          \
		return batch->array;                                                               \
	}                                                                                          \
	static size_t kind##_count(const struct tc_batch *batch)                                   \
	{                                                                                          \
		return batch->kind##_count;                                                        \
	}

#include "store/batch_rows.def"
#undef TC_BATCH_ROW

static const struct tc_batch_kind kinds[TC_BATCH_TABLE_COUNT] = {
	{"batch_slice", "slice_row", "id", "ts, dur, track_id, label_id, args, numbers",
		sizeof(struct tc_slice_row), slice_rows, slice_count, slice_column},
	{"batch_form", "args_form", "id", "pattern, bits", sizeof(struct tc_form_row), form_rows,
		form_count, form_column},
	{"batch_instant", "instant_row", "id", "trace_id, ts, track_id, label_id, scope, args",
		sizeof(struct tc_instant_row), instant_rows, instant_count, instant_column},
	{"batch_counter", "counter", "id", "trace_id, ts, process_id, name, value",
		sizeof(struct tc_counter_row), counter_rows, counter_count, counter_column},
	{"batch_memory", "memory_sample", "id",
		"trace_id, ts, device_type, device_id, addr, bytes, total_allocated_bytes, "
		"total_reserved_bytes, thread_id",
		sizeof(struct tc_memory_row), memory_rows, memory_count, memory_column},
	{"batch_memory_link", "memory_slice", "memory_id", "slice_id",
		sizeof(struct tc_memory_link_row), memory_link_rows, memory_link_count,
		memory_link_column},
	{"batch_nest", "slice_nest", "slice_id", "depth, parent_id", sizeof(struct tc_nest_row),
		nest_rows, nest_count, nest_column},
	{"batch_flow", "flow_row", "id", "trace_id, label_id, slice_out, slice_in",
		sizeof(struct tc_flow_row), flow_rows, flow_count, flow_column},
	{"batch_link", "device_link", "first_slice_id",
		"last_slice_id, launch_slice_id, step_id, method", sizeof(struct tc_link_row),
		link_rows, link_count, link_column},
};

struct table {
	sqlite3_vtab base;
	const struct tc_batch_table *of;
};

/* Position of a statement. The batch does not change while it runs. */
struct cursor {
	sqlite3_vtab_cursor base;
	const struct tc_batch_kind *kind;
	const struct tc_batch *batch;
	const char *at, *end;
};

static int table_connect(sqlite3 *db, void *user, int argc, const char *const *argv,
	sqlite3_vtab **out, char **error)
{
	const struct tc_batch_table *of = user;
	struct table *table = tc_calloc(1, sizeof(*table));
	struct tc_buf sql = TC_BUF_EMPTY;
	int code = SQLITE_NOMEM;

	(void)argc;
	(void)argv;
	(void)error;
	tc_buf_format(&sql, "CREATE TABLE t (%s, %s)", of->kind->key, of->kind->columns);
	const char *text = tc_buf_string(&sql);
	if (table && text)
		code = sqlite3_declare_vtab(db, text);
	tc_buf_clear(&sql);
	if (code != SQLITE_OK) {
		tc_free(table);
		return code;
	}
	table->of = of;
	*out = &table->base;
	return SQLITE_OK;
}

static int table_disconnect(sqlite3_vtab *base)
{
	tc_free(base);
	return SQLITE_OK;
}

/* Always a scan from the first row to the last. */
static int table_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	(void)base;
	info->estimatedCost = 1;
	return SQLITE_OK;
}

static int table_open(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
	struct cursor *cursor = tc_calloc(1, sizeof(*cursor));

	(void)base;
	if (!cursor)
		return SQLITE_NOMEM;
	*out = &cursor->base;
	return SQLITE_OK;
}

static int cursor_close(sqlite3_vtab_cursor *base)
{
	tc_free(base);
	return SQLITE_OK;
}

static int cursor_filter(
	sqlite3_vtab_cursor *base, int index, const char *name, int argc, sqlite3_value **argv)
{
	struct cursor *cursor = (struct cursor *)base;
	const struct tc_batch_table *of = ((const struct table *)base->pVtab)->of;

	(void)index;
	(void)name;
	(void)argc;
	(void)argv;
	cursor->kind = of->kind;
	cursor->batch = of->owner->batch;
	cursor->at = cursor->kind->rows(cursor->batch);
	cursor->end = cursor->at + cursor->kind->count(cursor->batch) * cursor->kind->row_bytes;
	return SQLITE_OK;
}

static int cursor_next(sqlite3_vtab_cursor *base)
{
	struct cursor *cursor = (struct cursor *)base;

	cursor->at += cursor->kind->row_bytes;
	return SQLITE_OK;
}

static int cursor_eof(sqlite3_vtab_cursor *base)
{
	const struct cursor *cursor = (const struct cursor *)base;

	return cursor->at == cursor->end;
}

static int cursor_column(sqlite3_vtab_cursor *base, sqlite3_context *out, int i)
{
	const struct cursor *cursor = (const struct cursor *)base;

	cursor->kind->column(out, cursor->batch, cursor->at, i);
	return SQLITE_OK;
}

static int64_t id_of(const void *row)
{
	int64_t id;

	memcpy(&id, row, sizeof(id));
	return id;
}

static int cursor_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid)
{
	*rowid = id_of(((const struct cursor *)base)->at);
	return SQLITE_OK;
}

/* A module without xCreate is an eponymous table: it exists under the module's name. */
static const sqlite3_module module = {
	.xConnect = table_connect,
	.xBestIndex = table_best_index,
	.xDisconnect = table_disconnect,
	.xOpen = table_open,
	.xClose = cursor_close,
	.xFilter = cursor_filter,
	.xNext = cursor_next,
	.xEof = cursor_eof,
	.xColumn = cursor_column,
	.xRowid = cursor_rowid,
};

int tc_batch_tables_register(struct tc_batch_tables *tables, sqlite3 *db)
{
	int code = SQLITE_OK;

	for (int i = 0; i < TC_BATCH_TABLE_COUNT && code == SQLITE_OK; i++) {
		struct tc_batch_table *table = &tables->tables[i];
		*table = (struct tc_batch_table){tables, &kinds[i]};
		code = sqlite3_create_module(db, kinds[i].source, &module, table);
	}
	return code;
}

void tc_batch_tables_unregister(sqlite3 *db)
{
	for (int i = 0; i < TC_BATCH_TABLE_COUNT; i++)
		sqlite3_create_module(db, kinds[i].source, NULL, NULL);
}

size_t tc_batch_table_rows(const struct tc_batch_tables *tables, int i)
{
	return kinds[i].count(tables->batch);
}

int64_t tc_batch_table_id(const struct tc_batch_tables *tables, int i, size_t row)
{
	const char *rows = kinds[i].rows(tables->batch);

	return id_of(rows + row * kinds[i].row_bytes);
}

void tc_batch_table_insert_sql(struct tc_buf *sql, int i, bool own_ids)
{
	const struct tc_batch_kind *kind = &kinds[i];

	tc_buf_format(sql, "INSERT INTO %s (%s, %s) SELECT %s, %s FROM %s", kind->target, kind->key,
		kind->columns, own_ids ? kind->key : "NULL", kind->columns, kind->source);
}
