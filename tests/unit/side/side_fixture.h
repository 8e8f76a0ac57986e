/*
 * For tests of side files: a store in memory with traces, and files in a directory of their own.
 */
#ifndef TC_TEST_SIDE_FIXTURE_H
#define TC_TEST_SIDE_FIXTURE_H

#include "memory_store.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/context.h"
#include "side/side.h"

struct side_fixture {
	struct tc_ctx *ctx;
	sqlite3 *db;
	char directory[64], path[128];
};

static struct side_fixture f;

static inline void open_store(void)
{
	static const char *const capabilities[] = {NULL};

	f.ctx = tc_ctx_new();
	assert_non_null(f.ctx);
	f.db = memory_store_open();
	memory_store_trace(f.db, 0, 1000, capabilities);
	memory_store_exec(f.db, "INSERT INTO metric VALUES"
				"(0, 'has_side_metrics', NULL, NULL, 0, 'count'),"
				"(0, 'has_side_log', NULL, NULL, 0, 'count'),"
				"(0, 'has_recipe_cache', NULL, NULL, 0, 'count'),"
				"(0, 'has_fallback_counts', NULL, NULL, 0, 'count'),"
				"(0, 'has_hw_ops', NULL, NULL, 0, 'count'),"
				"(0, 'has_node_stats', NULL, NULL, 0, 'count')");
}

static inline void close_store(void)
{
	assert_int_equal(sqlite3_close(f.db), SQLITE_OK);
	tc_ctx_free(f.ctx);
}

static int set_up(void **state)
{
	(void)state;
	strcpy(f.directory, "/tmp/tc-test-side-XXXXXX");
	if (!mkdtemp(f.directory))
		return -1;
	snprintf(f.path, sizeof(f.path), "%s/side.log", f.directory);
	open_store();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	close_store();
	unlink(f.path);
	return rmdir(f.directory);
}

/* Names the file that the next write makes. */
static inline void name_file(const char *name)
{
	unlink(f.path);
	snprintf(f.path, sizeof(f.path), "%s/%s", f.directory, name);
}

static inline void write_bytes(const char *bytes, size_t len)
{
	FILE *file = fopen(f.path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
}

static inline enum tc_status read_path(const char *path)
{
	tc_side_read(f.ctx, f.db, &path, 1);
	return tc_ctx_status(f.ctx);
}

/* Writes text and reads it as a side file. */
static inline void read_text(const char *text)
{
	write_bytes(text, strlen(text));
	if (read_path(f.path))
		fail_msg("%s", tc_ctx_error(f.ctx));
}

static inline void expect_refused(const char *path, enum tc_status status, const char *words)
{
	assert_int_equal(read_path(path), status);
	if (!strstr(tc_ctx_error(f.ctx), words))
		fail_msg("\"%s\" does not say \"%s\"", tc_ctx_error(f.ctx), words);
	tc_ctx_clear_error(f.ctx);
}

/* All rows of a query as "a|b;c|d". */
static inline void expect_rows(const char *sql, const char *want)
{
	char got[4000] = "";
	size_t len = 0;
	sqlite3_stmt *stmt;

	if (sqlite3_prepare_v2(f.db, sql, -1, &stmt, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(f.db));
	while (sqlite3_step(stmt) == SQLITE_ROW)
		for (int i = 0; i < sqlite3_column_count(stmt); i++) {
			const char *text = (const char *)sqlite3_column_text(stmt, i);
			len += (size_t)snprintf(got + len, sizeof(got) - len, "%s%s",
				i > 0 ? "|" : (len > 0 ? ";" : ""), text ? text : "NULL");
			assert_true(len < sizeof(got));
		}
	sqlite3_finalize(stmt);
	if (strcmp(got, want) != 0)
		fail_msg("%s\n gives %s\n not   %s", sql, got, want);
}

/* Reads the file again and again with one more allocation that succeeds, until all do: no crash,
 * no leak, and nothing but memory is blamed. */
static inline void survive_without_memory(void)
{
	for (int64_t n = 0;; n++) {
		assert_true(n < 100000);
		memory_store_exec(f.db, "BEGIN");
		tc_alloc_fail_after(n);
		enum tc_status status = read_path(f.path);
		tc_alloc_fail_after(-1);
		memory_store_exec(f.db, "ROLLBACK");
		tc_ctx_clear_error(f.ctx);
		if (status == TC_OK)
			break;
		assert_int_equal(status, TC_ERR_NOMEM);
	}
}

#endif
