/*
 * For tests of the store room: a directory of their own, a context, and a small store in it.
 */
#ifndef TC_TEST_STORE_FILES_H
#define TC_TEST_STORE_FILES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/context.h"
#include "store/connection.h"
#include "store/writer.h"

struct store_files {
	struct tc_ctx *ctx;
	char directory[64], path[96];
};

static struct store_files files;

static int set_up_files(void **state)
{
	(void)state;
	strcpy(files.directory, "/tmp/tc-test-store-XXXXXX");
	if (!mkdtemp(files.directory))
		return -1;
	snprintf(files.path, sizeof(files.path), "%s/trace.db", files.directory);
	files.ctx = tc_ctx_new();
	return files.ctx ? 0 : -1;
}

/* Fails when anything but the store itself was left behind. */
static int tear_down_files(void **state)
{
	(void)state;
	unlink(files.path);
	tc_ctx_free(files.ctx);
	return rmdir(files.directory);
}

/* Runs until it is stopped. */
static const char endless_sql[] __attribute__((unused)) =
	"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT 1 FROM n "
	"WHERE i < 0";

/* How many files are in the directory, hidden ones included. */
static inline int count_files(void)
{
	DIR *dir = opendir(files.directory);
	int count = 0;

	assert_non_null(dir);
	for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
		count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	closedir(dir);
	return count;
}

static inline void expect_error(enum tc_status got, enum tc_status want, const char *words)
{
	if (got != want || !strstr(tc_ctx_error(files.ctx), words))
		fail_msg("status %s, \"%s\" does not say \"%s\"", tc_status_name(got),
			tc_ctx_error(files.ctx), words);
	tc_ctx_clear_error(files.ctx);
}

static inline void exec_sql(sqlite3 *db, const char *sql)
{
	if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
}

/* The first column of the first row as text, in a buffer of this function; "-" without a row. */
static inline const char *ask(sqlite3 *db, const char *sql)
{
	static char answer[1000];
	sqlite3_stmt *stmt;

	if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	strcpy(answer, "-");
	if (sqlite3_step(stmt) == SQLITE_ROW) {
		const char *text = (const char *)sqlite3_column_text(stmt, 0);
		snprintf(answer, sizeof(answer), "%s", text ? text : "NULL");
	}
	sqlite3_finalize(stmt);
	return answer;
}

/* Puts count slices "{"i": N}" on one track; every third is of a form. */
static inline enum tc_status put_slices(struct tc_writer *writer, int64_t first, int count)
{
	struct tc_batch *batch = tc_batch_new();
	enum tc_status status = batch ? TC_OK : TC_ERR_NOMEM;

	for (int64_t i = first; !status && i < first + count; i++) {
		struct tc_slice_row *row = tc_batch_add_slice(batch);
		if (!row) {
			status = TC_ERR_NOMEM;
			break;
		}
		row->id = i;
		row->ts_ns = INT64_C(1700000000000000000) + i * 1000;
		row->dur_ns = 500;
		row->args.form_id = i % 3 == 0 ? 0 : -1;
		row->args.numbers = i;
		if (row->args.form_id < 0) {
			row->args.offset = (uint32_t)batch->text.len;
			tc_buf_format(&batch->text, "{\"i\": %lld}", (long long)i);
			row->args.len = (uint32_t)batch->text.len - row->args.offset;
		}
		if (tc_buf_failed(&batch->text))
			status = TC_ERR_NOMEM;
	}
	if (!status)
		status = tc_writer_take_batch(writer, &batch);
	tc_batch_free(batch);
	return status;
}

/* A sealed store with one trace, track and label and count slices. */
static inline struct tc_store *make_store(const char *path, int count)
{
	struct tc_writer *writer = NULL;
	struct tc_store *store = NULL;

	assert_int_equal(tc_writer_open(&writer, files.ctx, path), TC_OK);
	exec_sql(tc_writer_db(writer),
		"INSERT INTO trace (id, path, format, form, read_bytes, event_count)"
		" VALUES (0, 't.json', 'kineto', 'object', 1, 1);"
		"INSERT INTO args_form (id, pattern, bits) VALUES (0, '{\"i\": %d}', 62);"
		"INSERT INTO track (id, trace_id, kind) VALUES (0, 0, 'thread');"
		"INSERT INTO label (id, category, name) VALUES (0, 'cpu_op', 'aten::add')");
	assert_int_equal(put_slices(writer, 0, count), TC_OK);
	assert_int_equal(tc_writer_seal(&store, writer), TC_OK);
	assert_non_null(store);
	return store;
}

#endif
