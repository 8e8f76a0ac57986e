/* Join: see trace.h. The columns of tables are asked of SQLite, so a new table needs no line here.
 */
#include "import/trace.h"

#include <string.h>

#include "core/array.h"
#include "core/saturate.h"
#include "store/connection.h"
#include "store/sql.h"
#include "tracecoach/store.h"

/* Tables that are made when all traces are in, or with the settings of the new store. */
static const char *const made_anew[] = {"left_out", "job_rank", "collective", "rank_time",
	"rank_link", "finding", "evidence", "account", "whatif", "whatif_step", "critical_path",
	"critical_stretch", "slack", "plan_fix", "plan_rest", "fix_set", "fix_set_path"};

/* Place of a table that is not copied, and of none: the column has no numbers of rows. */
#define NO_TABLE SIZE_MAX

enum { COLUMNS_MAX = 32 };

struct column {
	const char *name;
	size_t table; /* whose numbers it has, or NO_TABLE */
	bool is_blob;
};

struct tc_join_table {
	const char *name;
	struct column columns[COLUMNS_MAX];
	size_t column_count;
	size_t kind;   /* its place in row_tables, or NO_TABLE */
	bool has_ids;  /* its rows have numbers of their own */
	int64_t shift; /* of these, of the store that is joined */
	const char *select, *insert;
};

/* ---- the tables */

static size_t table_of(const struct tc_join *join, const char *name)
{
	for (size_t i = 0; name && i < join->count; i++)
		if (strcmp(join->tables[i].name, name) == 0)
			return i;
	return NO_TABLE;
}

/* Tables that are written without SQL. */
static const char *const row_tables[] = {
#define TC_BATCH_ROW(kind, array, table) #table,
#include "store/batch_rows.def"
#undef TC_BATCH_ROW
};

static size_t kind_of(const char *name)
{
	for (size_t i = 0; i < TC_COUNT_OF(row_tables); i++)
		if (strcmp(row_tables[i], name) == 0)
			return i;
	return NO_TABLE;
}

static bool is_made_anew(const char *name)
{
	for (size_t i = 0; i < TC_COUNT_OF(made_anew); i++)
		if (strcmp(made_anew[i], name) == 0)
			return true;
	return false;
}

static void take_table(struct tc_join *join, struct tc_text table)
{
	const char *name = tc_arena_dup(&join->arena, table);

	if (name && !is_made_anew(name) &&
		TC_ARENA_GROW(&join->arena, join->tables, join->capacity, join->count + 1))
		join->tables[join->count++] =
			(struct tc_join_table){.name = name, .kind = kind_of(name)};
}

/* Names of the table, of its column and of the table that this one refers to, and whether it is a
 * blob. */
static void take_column(struct tc_join *join, const struct tc_rows *row)
{
	size_t at = table_of(join, tc_rows_text(row, 0).ptr);
	struct column column = {.name = tc_arena_dup(&join->arena, tc_rows_text(row, 1)),
		.table = table_of(join, tc_rows_text(row, 2).ptr),
		.is_blob = tc_rows_int(row, 3) != 0};

	if (at == NO_TABLE || !column.name)
		return;
	struct tc_join_table *table = &join->tables[at];
	if (column.table == NO_TABLE && strcmp(column.name, "id") == 0) {
		table->has_ids = true;
		column.table = at;
	}
	/* The one column with two meanings: a text, or the number of a form. */
	if (strcmp(table->name, "slice_row") == 0 && strcmp(column.name, "args") == 0)
		column.table = table_of(join, "args_form");
	if (table->column_count == COLUMNS_MAX)
		tc_fail(join->ctx, TC_ERR_INTERNAL, "%s: more columns than can be joined",
			table->name);
	else
		table->columns[table->column_count++] = column;
}

/* The rows of another store, in the order of their numbers or keys. */
static const char *select_of(struct tc_join *join, const struct tc_join_table *table)
{
	struct tc_buf sql = {.ctx = join->ctx};

	tc_buf_append_string(&sql, "SELECT ");
	for (size_t i = 0; i < table->column_count; i++)
		tc_buf_format(&sql, "%s%s", i > 0 ? ", " : "", table->columns[i].name);
	tc_buf_format(&sql, " FROM %s NOT INDEXED", table->name);
	/* It is found with the ranks of a job, unlike other metrics. */
	if (strcmp(table->name, "metric") == 0)
		tc_buf_append_string(&sql, " WHERE name <> 'late_rank_wait_ns'");
	return tc_arena_keep(&join->arena, &sql);
}

static const char *insert_of(struct tc_join *join, const struct tc_join_table *table)
{
	struct tc_buf sql = {.ctx = join->ctx}, values = {.ctx = join->ctx};

	for (size_t i = 0; i < table->column_count; i++) {
		const struct column *column = &table->columns[i];
		tc_buf_format(&sql, "%s%s", i > 0 ? ", " : "", column->name);
		tc_buf_format(&values, column->is_blob ? "%sCAST(?%zu AS BLOB)" : "%s?%zu",
			i > 0 ? ", " : "", i + 1);
	}
	const char *names = tc_arena_keep(&join->arena, &sql);
	const char *places = tc_arena_keep(&join->arena, &values);
	if (!names || !places)
		return NULL;
	tc_buf_format(&sql, "INSERT INTO %s (%s) VALUES (%s)", table->name, names, places);
	return tc_arena_keep(&join->arena, &sql);
}

static void find_tables(struct tc_join *join)
{
	sqlite3 *db = tc_writer_db(join->writer);

	struct tc_rows tables = tc_rows_open(join->ctx, db,
		"SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid");
	while (tc_rows_next(&tables))
		take_table(join, tc_rows_text(&tables, 0));
	struct tc_rows columns = tc_rows_open(join->ctx, db,
		"SELECT m.name, c.name, f.\"table\", c.type = 'BLOB' FROM sqlite_schema m"
		" JOIN pragma_table_info(m.name) c"
		" LEFT JOIN pragma_foreign_key_list(m.name) f ON f.\"from\" = c.name"
		" WHERE m.type = 'table' ORDER BY m.rowid, c.cid");
	while (tc_rows_next(&columns))
		take_column(join, &columns);
	for (size_t i = 0; i < join->count; i++) {
		join->tables[i].select = select_of(join, &join->tables[i]);
		join->tables[i].insert = insert_of(join, &join->tables[i]);
	}
}

/* ---- numbers */

/* Rows are numbered behind those that are there: a first row gets the number that it would have
 * got. */
static void find_shift(struct tc_join *join, struct tc_join_table *table)
{
	sqlite3 *to = tc_writer_db(join->writer);
	struct tc_buf sql = {.ctx = join->ctx};
	bool has_least = false, has_most = false;
	int64_t least = 0, most = 0;

	tc_buf_format(&sql, "SELECT min(id) FROM %s", table->name);
	const char *text = tc_buf_string(&sql);
	if (text)
		tc_sql_lookup(&least, &has_least, join->ctx, join->from, text, NULL);
	tc_buf_reset(&sql);
	tc_buf_format(&sql, "SELECT max(id) FROM %s", table->name);
	text = tc_buf_string(&sql);
	if (text)
		tc_sql_lookup(&most, &has_most, join->ctx, to, text, NULL);
	table->shift =
		has_least && has_most ? tc_sub_saturated(tc_add_saturated(most, 1), least) : 0;
	tc_buf_clear(&sql);
}

static struct tc_sql_value shifted(
	const struct tc_join *join, const struct column *column, struct tc_sql_value value)
{
	if (column->table != NO_TABLE && value.kind == TC_SQL_INT && value.i64 >= 0)
		value.i64 = tc_add_saturated(value.i64, join->tables[column->table].shift);
	return value;
}

/* ---- rows */

static void copy_row(
	struct tc_join *join, const struct tc_join_table *table, const struct tc_rows *row)
{
	struct tc_sql_value values[COLUMNS_MAX];

	for (size_t i = 0; i < table->column_count; i++)
		values[i] = shifted(join, &table->columns[i], tc_rows_value(row, (int)i));
	if (table->kind != NO_TABLE)
		tc_writer_put_row(join->writer, table->kind, values, table->column_count);
	else
		tc_tables_put(&join->to, table->insert, values, table->column_count);
}

static void copy_table(struct tc_join *join, const struct tc_join_table *table)
{
	struct tc_rows rows = tc_rows_open(join->ctx, join->from, table->select);

	while (tc_rows_next(&rows))
		copy_row(join, table, &rows);
}

/* Those that are written without SQL come first: meanwhile there is no connection. */
static void copy_tables(struct tc_join *join)
{
	for (size_t i = 0; i < join->count && !tc_ctx_failed(join->ctx); i++)
		if (join->tables[i].kind != NO_TABLE)
			copy_table(join, &join->tables[i]);
	tc_writer_end_rows(join->writer);
	if (tc_ctx_failed(join->ctx))
		return;
	join->to = TC_TABLES_OF(join->ctx, tc_writer_db(join->writer));
	for (size_t i = 0; i < join->count && !tc_ctx_failed(join->ctx); i++)
		if (join->tables[i].kind == NO_TABLE)
			copy_table(join, &join->tables[i]);
	tc_tables_end(&join->to);
}

/* The inputs that the store was made without. */
static void copy_left_out(struct tc_join *join)
{
	struct tc_rows rows = tc_rows_open(
		join->ctx, join->from, "SELECT path, reason FROM left_out ORDER BY id");

	while (tc_rows_next(&rows)) {
		const struct tc_sql_value values[] = {tc_sql_int((int64_t)join->input_count),
			tc_rows_value(&rows, 0), tc_rows_value(&rows, 1)};
		tc_sql_run(join->ctx, tc_writer_db(join->writer),
			"INSERT INTO left_out (id, path, reason)"
			" SELECT max(coalesce(max(id) + 1, ?1), ?1), ?2, ?3 FROM left_out",
			values, TC_COUNT_OF(values));
		if (!tc_ctx_failed(join->ctx))
			tc_ctx_note(join->ctx, TC_NOTE_LEFT_OUT, "%s", values[2].text.ptr);
	}
}

/* A store that cannot be opened is an input that cannot be read, like others. */
static struct tc_store *open_store(struct tc_ctx *ctx, const char *path)
{
	struct tc_store *store = NULL;
	struct tc_buf reason = {.ctx = ctx};

	if (tc_store_open(&store, ctx, path) == TC_ERR_STORE) {
		tc_buf_append_string(&reason, tc_ctx_error(ctx));
		tc_ctx_clear_error(ctx);
		tc_fail(ctx, TC_ERR_INPUT, "%s", tc_buf_string(&reason));
	}
	tc_buf_clear(&reason);
	return store;
}

/* The next free ids are those behind the rows. */
static void move_ids(struct tc_next_ids *ids, const struct tc_join *join)
{
	const struct {
		int64_t *id;
		const char *sql;
	} all[] = {{&ids->trace, "SELECT max(id) + 1 FROM trace"},
		{&ids->slice, "SELECT max(id) + 1 FROM slice_row"},
		{&ids->args_form, "SELECT max(id) + 1 FROM args_form"},
		{&ids->instant, "SELECT max(id) + 1 FROM instant_row"},
		{&ids->counter, "SELECT max(id) + 1 FROM counter"},
		{&ids->memory, "SELECT max(id) + 1 FROM memory_sample"},
		{&ids->process, "SELECT max(id) + 1 FROM process"},
		{&ids->thread, "SELECT max(id) + 1 FROM thread"},
		{&ids->track, "SELECT max(id) + 1 FROM track"},
		{&ids->label, "SELECT max(id) + 1 FROM label"},
		{&ids->step, "SELECT max(id) + 1 FROM step"},
		{&ids->flow, "SELECT max(id) + 1 FROM flow_row"}};
	bool found = false;

	for (size_t i = 0; i < TC_COUNT_OF(all) && !tc_ctx_failed(join->ctx); i++)
		tc_sql_lookup(
			all[i].id, &found, join->ctx, tc_writer_db(join->writer), all[i].sql, NULL);
}

void tc_join_store(struct tc_join *join, struct tc_next_ids *ids, const char *path)
{
	struct tc_ctx *ctx = join->ctx;
	struct tc_store *store = open_store(ctx, path);
	TC_TIMED(ctx, "stage", "join");

	if (!store)
		return;
	join->from = tc_store_db(store);
	if (!join->tables)
		find_tables(join);
	for (size_t i = 0; i < join->count && !tc_ctx_failed(ctx); i++)
		if (join->tables[i].has_ids)
			find_shift(join, &join->tables[i]);
	copy_tables(join);
	copy_left_out(join);
	/* Ranks were read with the same captures. */
	if (!tc_ctx_failed(ctx))
		tc_sql_run(ctx, tc_writer_db(join->writer),
			"DELETE FROM capture_file WHERE id NOT IN"
			" (SELECT min(id) FROM capture_file GROUP BY path)",
			NULL, 0);
	tc_store_close(store);
	if (!tc_ctx_failed(ctx))
		move_ids(ids, join);
}
