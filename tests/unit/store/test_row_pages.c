/*
 * The writer beside SQLite's own INSERT: random rows of all kinds, of all sizes at which SQLite
 * stores a row in another way, with SQL in between and inputs that are dropped. Both databases have
 * the same rows afterwards, of the same types, and SQLite finds the store sound.
 */
#include "store_files.h"

#include "core/array.h"
#include "store/sql.h"

enum { TEXT_BYTES = 125000 };

/* By the order of the kinds of rows in a batch. */
static const char *const tables[] = {"slice_row", "args_form", "instant_row", "counter",
	"memory_sample", "memory_slice", "slice_nest", "flow_row", "device_link"};

enum { KINDS = sizeof(tables) / sizeof(tables[0]) };

static uint64_t seed;

static uint64_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static size_t below(size_t limit)
{
	return (size_t)(next_random() % limit);
}

/* Any number of bits, and the values around them, of both signs. */
static int64_t draw_number(void)
{
	uint64_t near = (UINT64_C(1) << below(64)) + below(5) - 2;

	return (int64_t)(below(2) ? near : next_random() >> below(64));
}

static int64_t draw_optional(void)
{
	return below(4) ? draw_number() : INT64_MIN;
}

static double draw_real(void)
{
	double real;
	uint64_t bits = next_random();

	if (below(3) == 0)
		return (double)draw_number();
	memcpy(&real, &bits, sizeof(real));
	return real == real ? real : 1 / 0.0; /* no NaN: SQLite has none */
}

/* Mostly short; else around the sizes at which a row takes one more page, or less of its first. */
static size_t draw_len(void)
{
	static const size_t edges[] = {2031, 16349, 16384};
	size_t len = edges[below(3)] + 16380 * below(7);

	return below(8) ? below(80) : len - 60 + below(80);
}

/* A trace under way, in the store and in the reference. */
struct both {
	struct tc_writer *writer;
	struct tc_batch *batch;
	sqlite3 *db; /* the reference, in a transaction that ends where the writer keeps or drops */
	struct tc_tables tables;
	char inserts[KINDS][1000]; /* into the reference */
	int64_t ids[KINDS], kept_ids[KINDS];
	char *text; /* TEXT_BYTES of letters */
};

/* The next number of a kind's rows, mostly one more. */
static int64_t next_id(struct both *both, int kind)
{
	return both->ids[kind] += 1 + (below(50) ? 0 : (int64_t)below(1 << below(20)));
}

/* A text in the batch; borrowed from both->text, with another beginning each time. */
static struct tc_text draw_text(struct both *both, uint32_t *offset, uint32_t *len)
{
	struct tc_text text = {both->text + below(1000), draw_len()};

	*offset = (uint32_t)both->batch->text.len;
	*len = (uint32_t)text.len;
	tc_buf_append(&both->batch->text, text.ptr, text.len);
	return text;
}

static struct tc_sql_value optional(int64_t value)
{
	return tc_sql_int_if(value != INT64_MIN, value);
}

/* Sets args, and what its column has. */
static struct tc_sql_value draw_args(struct both *both, struct tc_row_args *args)
{
	args->form_id = -1;
	args->numbers = -1;
	if (below(3) == 0)
		return tc_sql_null();
	struct tc_text text = draw_text(both, &args->offset, &args->len);
	return text.len > 0 ? tc_sql_text(text) : tc_sql_null();
}

#define PUT(both, kind, values) TC_TABLES_PUT(&(both)->tables, (both)->inserts[kind], values)

static void add_slice(struct both *both, int kind)
{
	struct tc_slice_row *row = tc_batch_add_slice(both->batch);

	*row = (struct tc_slice_row){next_id(both, kind), draw_number(), draw_number(),
		(uint32_t)draw_number(), (uint32_t)draw_number(), {0}};
	struct tc_sql_value args = draw_args(both, &row->args), numbers = tc_sql_null();
	if (below(2)) {
		row->args.form_id = draw_number() & INT64_MAX;
		row->args.numbers = below(3) ? draw_number() & INT64_MAX : -1;
		args = tc_sql_int(row->args.form_id);
		numbers = tc_sql_id(row->args.numbers);
	}
	const struct tc_sql_value values[] = {tc_sql_int(row->id), tc_sql_int(row->ts_ns),
		tc_sql_int(row->dur_ns), tc_sql_int(row->track_id), tc_sql_int(row->label_id), args,
		numbers};
	PUT(both, kind, values);
}

static void add_form(struct both *both, int kind)
{
	struct tc_form_row *row = tc_batch_add_form(both->batch);

	row->id = next_id(both, kind);
	row->bits = (uint32_t)below(63);
	struct tc_text text = draw_text(both, &row->offset, &row->len);
	const struct tc_sql_value values[] = {
		tc_sql_int(row->id), tc_sql_text(text), tc_sql_int(row->bits)};
	PUT(both, kind, values);
}

static void add_instant(struct both *both, int kind)
{
	static const char *const scopes[] = {"thread", "process", "global"};
	struct tc_instant_row *row = tc_batch_add_instant(both->batch);
	size_t scope = below(3);

	*row = (struct tc_instant_row){next_id(both, kind), draw_number(), (uint32_t)draw_number(),
		(uint32_t)draw_number(), "tpg" [scope], { 0 }};
	const struct tc_sql_value values[] = {tc_sql_int(row->id),
		tc_sql_int(both->batch->trace_id), tc_sql_int(row->ts_ns),
		tc_sql_int(row->track_id), tc_sql_int(row->label_id), tc_sql_string(scopes[scope]),
		draw_args(both, &row->args)};
	PUT(both, kind, values);
}

static void add_counter(struct both *both, int kind)
{
	struct tc_counter_row *row = tc_batch_add_counter(both->batch);

	row->id = next_id(both, kind);
	row->ts_ns = draw_number();
	row->process_id = below(2) ? -1 : draw_number() & INT64_MAX;
	row->value = draw_real();
	struct tc_text name = draw_text(both, &row->name_offset, &row->name_len);
	const struct tc_sql_value values[] = {tc_sql_int(row->id),
		tc_sql_int(both->batch->trace_id), tc_sql_int(row->ts_ns),
		tc_sql_id(row->process_id), tc_sql_text(name), tc_sql_real(row->value)};
	PUT(both, kind, values);
}

static void add_memory(struct both *both, int kind)
{
	struct tc_memory_row *row = tc_batch_add_memory(both->batch);

	*row = (struct tc_memory_row){.id = next_id(both, kind),
		.ts_ns = draw_number(),
		.device_type = draw_optional(),
		.device_id = draw_optional(),
		.bytes = draw_optional(),
		.allocated_bytes = draw_optional(),
		.reserved_bytes = draw_optional(),
		.addr = draw_optional(),
		.thread_id = draw_number()};
	struct tc_sql_value addr = optional(row->addr);
	if (below(3) == 0) {
		struct tc_text text = draw_text(both, &row->addr_offset, &row->addr_len);
		addr = text.len > 0 ? tc_sql_text(text) : addr;
	}
	const struct tc_sql_value values[] = {tc_sql_int(row->id),
		tc_sql_int(both->batch->trace_id), tc_sql_int(row->ts_ns),
		optional(row->device_type), optional(row->device_id), addr, optional(row->bytes),
		optional(row->allocated_bytes), optional(row->reserved_bytes),
		tc_sql_int(row->thread_id)};
	PUT(both, kind, values);
}

static void add_memory_link(struct both *both, int kind)
{
	struct tc_memory_link_row *row = tc_batch_add_memory_link(both->batch);

	*row = (struct tc_memory_link_row){next_id(both, kind), draw_number()};
	const struct tc_sql_value values[] = {
		tc_sql_int(row->memory_id), tc_sql_int(row->slice_id)};
	PUT(both, kind, values);
}

static void add_nest(struct both *both, int kind)
{
	struct tc_nest_row *row = tc_batch_add_nest(both->batch);

	*row = (struct tc_nest_row){next_id(both, kind), draw_number(), draw_number()};
	const struct tc_sql_value values[] = {
		tc_sql_int(row->slice_id), tc_sql_int(row->depth), tc_sql_int(row->parent_id)};
	PUT(both, kind, values);
}

static void add_flow(struct both *both, int kind)
{
	struct tc_flow_row *row = tc_batch_add_flow(both->batch);

	*row = (struct tc_flow_row){
		next_id(both, kind), (uint32_t)draw_number(), draw_number(), draw_number()};
	const struct tc_sql_value values[] = {tc_sql_int(row->id),
		tc_sql_int(both->batch->trace_id), tc_sql_int(row->label_id),
		tc_sql_int(row->slice_out), tc_sql_int(row->slice_in)};
	PUT(both, kind, values);
}

static void add_link(struct both *both, int kind)
{
	static const char *const methods[] = {"correlation", "recipe", "time", ""};
	struct tc_link_row *row = tc_batch_add_link(both->batch);

	*row = (struct tc_link_row){next_id(both, kind), draw_number(), draw_optional(),
		draw_optional(), methods[below(4)]};
	const struct tc_sql_value values[] = {tc_sql_int(row->first_slice_id),
		tc_sql_int(row->last_slice_id), optional(row->launch_slice_id),
		optional(row->step_id), tc_sql_string(row->method)};
	PUT(both, kind, values);
}

static void add_row(struct both *both)
{
#define TC_BATCH_ROW(kind, array, table) add_##kind,
	static void (*const add[])(struct both *, int) = {
#include "store/batch_rows.def"
	};
#undef TC_BATCH_ROW
	int kind = (int)below(KINDS);

	add[kind](both, kind);
	if (tc_ctx_status(files.ctx))
		fail_msg("%s: %s", tables[kind], tc_ctx_error(files.ctx));
}

/* Tables without rows like those of the store. */
static void make_tables(struct both *both)
{
	struct tc_rows rows = tc_rows_open(files.ctx, tc_writer_db(both->writer),
		"SELECT sql FROM sqlite_schema WHERE type = 'table'");

	while (tc_rows_next(&rows))
		exec_sql(both->db, tc_rows_text(&rows, 0).ptr);
	assert_int_equal(tc_ctx_status(files.ctx), TC_OK);
	both->tables = TC_TABLES_OF(files.ctx, both->db);
	for (int i = 0; i < KINDS; i++) {
		char sql[200];
		snprintf(sql, sizeof(sql),
			"SELECT 'INSERT INTO %s VALUES (?' || replace(hex(zeroblob(count(*) - 1)),"
			" '00', ', ?') || ')' FROM pragma_table_info('%s')",
			tables[i], tables[i]);
		snprintf(both->inserts[i], sizeof(both->inserts[i]), "%s", ask(both->db, sql));
		both->ids[i] = below(2) ? 0 : -(int64_t)below(1000);
	}
}

static void begin_both(struct both *both, const char *path)
{
	*both = (struct both){.batch = tc_batch_new(), .text = malloc(TEXT_BYTES)};
	for (size_t i = 0; i < TEXT_BYTES; i++)
		both->text[i] = (char)('a' + next_random() % 26);
	assert_int_equal(tc_writer_open(&both->writer, files.ctx, path), TC_OK);
	assert_int_equal(sqlite3_open(":memory:", &both->db), SQLITE_OK);
	make_tables(both);
	tc_writer_keep(both->writer, true);
	exec_sql(both->db, "BEGIN");
}

static void put_batch(struct both *both)
{
	assert_int_equal(tc_writer_take_batch(both->writer, &both->batch), TC_OK);
	both->batch->trace_id = (int64_t)below(3);
}

/* Rows of a small table, now and then more than SQLite's cache takes. */
static void run_sql(struct both *both)
{
	char sql[200];

	snprintf(sql, sizeof(sql),
		"INSERT INTO left_out (path, reason) SELECT hex(zeroblob(%zu)), value"
		" FROM json_each('[1, 2, 3]')",
		below(10) ? below(5000) : below(3000000));
	exec_sql(tc_writer_db(both->writer), sql);
	exec_sql(both->db, sql);
}

static void assert_same_bytes(sqlite3_stmt *got, sqlite3_stmt *want, int column)
{
	const void *ours = sqlite3_column_blob(got, column);
	const void *theirs = sqlite3_column_blob(want, column);
	int len = sqlite3_column_bytes(want, column);

	assert_int_equal(sqlite3_column_bytes(got, column), len);
	assert_true(len == 0 || memcmp(ours, theirs, (size_t)len) == 0);
}

/* What SQLite makes of the same rows in two databases. */
static void compare(sqlite3 *store, sqlite3 *reference, const char *table)
{
	char sql[100];
	sqlite3_stmt *got, *want;
	int code;

	snprintf(sql, sizeof(sql), "SELECT * FROM %s ORDER BY 1", table);
	assert_int_equal(sqlite3_prepare_v2(store, sql, -1, &got, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(reference, sql, -1, &want, NULL), SQLITE_OK);
	while ((code = sqlite3_step(want)) == SQLITE_ROW) {
		assert_int_equal(sqlite3_step(got), SQLITE_ROW);
		for (int i = 0; i < sqlite3_column_count(want); i++) {
			assert_int_equal(sqlite3_column_type(got, i), sqlite3_column_type(want, i));
			if (sqlite3_column_type(got, i) == SQLITE_FLOAT)
				assert_true(sqlite3_column_double(got, i) ==
					    sqlite3_column_double(want, i));
			else
				assert_same_bytes(got, want, i);
		}
	}
	assert_int_equal(code, SQLITE_DONE);
	assert_int_equal(sqlite3_step(got), SQLITE_DONE);
	sqlite3_finalize(got);
	sqlite3_finalize(want);
}

static void compare_all(sqlite3 *store, sqlite3 *reference)
{
	for (int i = 0; i < KINDS; i++)
		compare(store, reference, tables[i]);
	compare(store, reference, "left_out");
	assert_string_equal(ask(store, "PRAGMA integrity_check"), "ok");
}

/* One input: rows, SQL, and its end, at any of these points when it is dropped. */
static void add_input(struct both *both)
{
	size_t dropped_after = below(6); /* mostly not at all */
	const size_t row_count = below(8) ? below(300) : below(3000);

	memcpy(both->kept_ids, both->ids, sizeof(both->ids));
	for (size_t i = 0; i < row_count; i++) {
		add_row(both);
		if (below(60) == 0)
			put_batch(both);
	}
	put_batch(both);
	if (dropped_after > 0) {
		assert_int_equal(tc_writer_end_rows(both->writer), TC_OK);
		run_sql(both);
	}
	if (dropped_after > 1) {
		compare_all(tc_writer_db(both->writer), both->db);
		tc_writer_keep(both->writer, true);
		exec_sql(both->db, "COMMIT; BEGIN");
		return;
	}
	tc_writer_drop(both->writer);
	exec_sql(both->db, "ROLLBACK; BEGIN");
	memcpy(both->ids, both->kept_ids, sizeof(both->ids));
}

/* With a view in the schema, SQLite may not look for pages that belong to nothing. */
static void expect_no_unused_pages(void)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(files.path, &db), SQLITE_OK);
	exec_sql(db, "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE type = 'view'");
	sqlite3_close(db);
	assert_int_equal(sqlite3_open(files.path, &db), SQLITE_OK);
	assert_string_equal(ask(db, "PRAGMA integrity_check"), "ok");
	sqlite3_close(db);
}

static void end_both(struct both *both)
{
	struct tc_store *store = NULL;

	tc_writer_keep(both->writer, false);
	assert_int_equal(tc_writer_seal(&store, both->writer), TC_OK);
	compare_all(tc_store_db(store), both->db);
	tc_store_close(store);
	tc_tables_end(&both->tables);
	sqlite3_close(both->db);
	tc_batch_free(both->batch);
	free(both->text);
}

static void rows_are_as_sqlite_inserts_them(void **state)
{
	struct both both;

	(void)state;
	for (uint64_t run = 1; run <= 8; run++) {
		seed = run * 88172645463325252u;
		begin_both(&both, run % 2 ? files.path : NULL);
		for (size_t inputs = 3 + below(12); inputs > 0; inputs--)
			add_input(&both);
		end_both(&both);
		if (run % 2)
			expect_no_unused_pages();
		unlink(files.path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			rows_are_as_sqlite_inserts_them, set_up_files, tear_down_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
