/* The import log: first rows whole, the rest counted, messages cut at a character. */
#include "model_fixture.h"

#include "core/limits.h"
#include "model/output.h"

static void open_db(sqlite3 **db)
{
	extern const char tc_schema_sql[];

	assert_int_equal(sqlite3_open(":memory:", db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(*db, tc_schema_sql, NULL, NULL, NULL), SQLITE_OK);
}

static void first_rows_are_kept_and_the_rest_counted(void **state)
{
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_import_log log = {.ctx = ctx};
	sqlite3 *db;

	(void)state;
	open_db(&db);
	for (int i = 0; i < TC_LOG_ROWS_PER_KIND; i++)
		tc_import_log_add(
			&log, &(struct tc_log_entry){TC_LOG_BAD_ID, 100 + i, 1, TC_TEXT("x")});
	tc_import_log_write(&log, db, 4);
	model_expect(db,
		"SELECT count(*), min(trace_id), sum(count), min(byte_offset), message "
		"FROM import_log",
		"20|4|20|100|x");
	for (int i = 0; i < 3; i++)
		tc_import_log_add(
			&log, &(struct tc_log_entry){TC_LOG_BAD_ID, 500 + i, 5, TC_TEXT("x")});
	model_ask(db, "DELETE FROM import_log");
	tc_import_log_write(&log, db, 4);
	model_expect(
		db, "SELECT count(*), sum(count), severity FROM import_log", "21|35|data_loss");
	model_expect(db, "SELECT byte_offset, count FROM import_log ORDER BY rowid DESC LIMIT 1",
		"500|15");
	tc_import_log_clear(&log);
	sqlite3_close(db);
	tc_ctx_free(ctx);
}

static void messages_are_cut_between_characters(void **state)
{
	static const char *const units[] = {"a", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
	struct tc_ctx *ctx = tc_ctx_new();

	(void)state;
	for (size_t u = 0; u < 4; u++) {
		struct tc_import_log log = {.ctx = ctx};
		struct tc_buf text = TC_BUF_EMPTY;
		size_t unit = strlen(units[u]);
		sqlite3 *db;
		open_db(&db);
		tc_buf_append_char(&text, 'x');
		for (int i = 0; i < 300; i++)
			tc_buf_append_string(&text, units[u]);
		tc_import_log_add(
			&log, &(struct tc_log_entry){TC_LOG_BOM, -1, 1, tc_buf_text(&text)});
		tc_import_log_write(&log, db, 0);
		const char *got = model_ask(db, "SELECT message FROM import_log");
		assert_int_equal((strlen(got) - 1) % unit, 0);
		assert_true(strlen(got) > 230 && strlen(got) <= 240);
		model_expect(db, "SELECT byte_offset, severity FROM import_log", "-|info");
		tc_buf_clear(&text);
		tc_import_log_clear(&log);
		sqlite3_close(db);
	}
	tc_ctx_free(ctx);
}

static void only_data_loss_is_loss(void **state)
{
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_import_log log = {.ctx = ctx};

	(void)state;
	assert_int_equal(tc_import_log_loss(&log).len, 0);
	tc_import_log_add(&log, &(struct tc_log_entry){TC_LOG_TRAILING_COMMA, 1, 1, TC_TEXT_NONE});
	tc_import_log_add(
		&log, &(struct tc_log_entry){TC_LOG_NEGATIVE_DURATION, 1, 1, TC_TEXT_NONE});
	assert_int_equal(tc_import_log_loss(&log).len, 0);
	tc_import_log_add(&log, &(struct tc_log_entry){TC_LOG_TRUNCATED, 1, 1, TC_TEXT_NONE});
	assert_true(tc_import_log_loss(&log).len > 0);
	assert_int_equal(tc_ctx_status(ctx), TC_OK);
	tc_import_log_clear(&log);
	tc_alloc_fail_after(0);
	tc_import_log_add(&log, &(struct tc_log_entry){TC_LOG_TRUNCATED, 1, 1, TC_TEXT_NONE});
	tc_alloc_fail_after(-1);
	assert_int_equal(tc_ctx_status(ctx), TC_ERR_NOMEM);
	tc_import_log_clear(&log);
	tc_ctx_free(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_rows_are_kept_and_the_rest_counted),
		cmocka_unit_test(messages_are_cut_between_characters),
		cmocka_unit_test(only_data_loss_is_loss),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
