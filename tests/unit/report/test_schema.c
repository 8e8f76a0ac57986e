/* docs/schema.md has every table, view and column that a store really has, and no others. */
#include "store_files.h"

static struct tc_buf page = {0};

static void read_page(void)
{
	const char *source = getenv("TC_SOURCE_DIR");
	char path[1000], piece[4096];
	size_t len;

	if (!source)
		skip();
	snprintf(path, sizeof(path), "%s/docs/schema.md", source);
	FILE *file = fopen(path, "rb");
	assert_non_null(file);
	while ((len = fread(piece, 1, sizeof(piece), file)) > 0)
		tc_buf_append(&page, piece, len);
	fclose(file);
	assert_non_null(tc_buf_string(&page));
}

static int count_lines_that_start(const char *text, const char *start)
{
	int count = strncmp(text, start, strlen(start)) == 0;

	for (; (text = strchr(text, '\n')) != NULL; text++)
		count += strncmp(text + 1, start, strlen(start)) == 0;
	return count;
}

/* The part of the page about one table, cut off in place until the next call. */
static char *section(const char *kind, const char *name)
{
	static char *restore;
	char heading[200];

	if (restore)
		*restore = '#';
	snprintf(heading, sizeof(heading), "\n## %s `%s`\n", kind, name);
	char *start = strstr(page.ptr, heading);
	if (!start)
		fail_msg("%s %s is not in docs/schema.md", kind, name);
	restore = strstr(start + strlen(heading), "\n# ");
	char *next = strstr(start + strlen(heading), "\n## ");
	if (!restore || (next && next < restore))
		restore = next;
	if (restore)
		*++restore = '\0';
	return start + 1;
}

static void page_agrees_with_a_real_store(void **state)
{
	read_page();
	struct tc_store *store = make_store(files.path, 1);
	sqlite3 *db = tc_store_db(store);
	sqlite3_stmt *tables, *columns;
	int table_count = 0;

	(void)state;
	assert_int_equal(sqlite3_prepare_v2(db,
				 "SELECT CASE type WHEN 'table' THEN 'Table' ELSE 'View' END, name"
				 " FROM sqlite_master WHERE type IN ('table', 'view')",
				 -1, &tables, NULL),
		SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(
				 db, "SELECT name FROM pragma_table_xinfo(?)", -1, &columns, NULL),
		SQLITE_OK);
	int headings = count_lines_that_start(page.ptr, "## ");
	for (; sqlite3_step(tables) == SQLITE_ROW; table_count++) {
		const char *name = (const char *)sqlite3_column_text(tables, 1);
		const char *text = section((const char *)sqlite3_column_text(tables, 0), name);
		int column_count = 0;
		sqlite3_bind_text(columns, 1, name, -1, SQLITE_STATIC);
		for (; sqlite3_step(columns) == SQLITE_ROW; column_count++) {
			char row[200];
			snprintf(row, sizeof(row), "| `%s` |", sqlite3_column_text(columns, 0));
			if (count_lines_that_start(text, row) != 1)
				fail_msg("%s: %s is not in docs/schema.md once", name, row);
		}
		assert_int_equal(count_lines_that_start(text, "| `"), column_count);
		sqlite3_reset(columns);
	}
	assert_int_equal(headings, table_count);
	sqlite3_finalize(tables);
	sqlite3_finalize(columns);
	tc_store_close(store);
	tc_buf_clear(&page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			page_agrees_with_a_real_store, set_up_files, tear_down_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
