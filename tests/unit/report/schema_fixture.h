/*
 * For tests of JSON: values and members by SQLite's JSON functions, which are always there, and
 * validation against a schema of docs/ with python3-jsonschema where that is installed.
 */
#ifndef TC_TEST_SCHEMA_FIXTURE_H
#define TC_TEST_SCHEMA_FIXTURE_H

#include "report_fixture.h"

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* A file of docs/, to be freed; path gets its whole name. */
static inline char *schema_text(const char *file, char path[static 512])
{
	const char *root = getenv("TC_SOURCE_DIR");
	char *text = calloc(1, 65536);

	if (root)
		snprintf(path, 512, "%s/docs/%s", root, file);
	else
		snprintf(path, 512, "%.*s/../../docs/%s", (int)(strrchr(__FILE__, '/') - __FILE__),
			__FILE__, file);
	FILE *stream = fopen(path, "r");
	if (!stream)
		fail_msg("cannot open %s", path);
	assert_non_null(text);
	size_t len = fread(text, 1, 65535, stream);
	fclose(stream);
	assert_in_range(len, 1000, 65534);
	return text;
}

/* The first value of a query with two texts as parameters, to be freed with sqlite3_free(). */
static inline char *ask(sqlite3 *db, const char *sql, const char *first, const char *second)
{
	sqlite3_stmt *stmt;
	char *value = NULL;

	if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK)
		fail_msg("%s in: %s", sqlite3_errmsg(db), sql);
	sqlite3_bind_text(stmt, 1, first, -1, SQLITE_STATIC);
	if (second)
		sqlite3_bind_text(stmt, 2, second, -1, SQLITE_STATIC);
	int code = sqlite3_step(stmt);
	if (code == SQLITE_ROW)
		value = sqlite3_mprintf("%s", sqlite3_column_type(stmt, 0) == SQLITE_NULL
						      ? "(NULL)"
						      : (const char *)sqlite3_column_text(stmt, 0));
	else if (code != SQLITE_DONE)
		fail_msg("%s in: %s", sqlite3_errmsg(db), sql);
	sqlite3_finalize(stmt);
	return value;
}

static inline void assert_answer(
	sqlite3 *db, const char *sql, const char *json, const char *expected)
{
	char *answer = ask(db, sql, json, NULL);

	if (!answer || strcmp(answer, expected) != 0)
		fail_msg("want %s, got %s from %s", expected, answer ? answer : "no row", sql);
	sqlite3_free(answer);
}

/* The members at a path of the report are the properties that the schema requires there. */
static inline void compare_members(
	sqlite3 *db, const char *report, const char *schema, const char *at, const char *definition)
{
	char *sql = sqlite3_mprintf(
		"WITH is_there(name) AS (SELECT key FROM json_each(?1, %Q)),"
		" said(name) AS (SELECT key FROM json_each(?2, %Q || '.properties')),"
		" required(name) AS (SELECT value FROM json_each(?2, %Q || '.required'))"
		" SELECT group_concat(name) FROM ("
		" SELECT * FROM (SELECT name FROM is_there EXCEPT SELECT name FROM said)"
		" UNION ALL SELECT * FROM (SELECT name FROM said EXCEPT SELECT name FROM is_there)"
		" UNION ALL SELECT * FROM (SELECT name FROM required EXCEPT SELECT name FROM "
		"is_there)"
		" UNION ALL SELECT 'nothing' WHERE NOT EXISTS (SELECT 1 FROM is_there))",
		at, definition, definition);
	char *difference = ask(db, sql, report, schema);

	if (!difference || strcmp(difference, "(NULL)") != 0)
		fail_msg("members of %s differ from the schema's: %s", at, difference);
	sqlite3_free(difference);
	sqlite3_free(sql);
}

/* Exit code of python3 on a script and two files; 127 when there is no python3. */
static inline int run_python(const char *script, const char *first, const char *second)
{
	pid_t child = fork();
	int status = 0;

	assert_true(child >= 0);
	if (child == 0) {
		execlp("python3", "python3", "-c", script, first, second, (char *)NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* The JSON is what the schema of docs/ says; false where that cannot be checked. */
static inline bool validate(const char *schema, const char *json)
{
	static const char script[] =
		"import json, sys\n"
		"try:\n"
		"    from jsonschema import Draft202012Validator as V\n"
		"except ImportError:\n"
		"    sys.exit(127)\n"
		"schema, report = (json.load(open(name, encoding='utf-8')) for name in "
		"sys.argv[1:])\n"
		"V.check_schema(schema)\n"
		"errors = list(V(schema).iter_errors(report))\n"
		"for e in errors:\n"
		"    if 'schema_version' in report:\n"
		"        print(list(e.absolute_path), e.message[:200], file=sys.stderr)\n"
		"sys.exit(1 if errors else 0)\n";
	const char *directory = getenv("TMPDIR");
	char path[512], name[512];
	char *text = schema_text(schema, path);

	snprintf(name, sizeof(name), "%s/tracecoach-report-XXXXXX", directory ? directory : ".");
	int fd = mkstemp(name);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, json, strlen(json)), (ssize_t)strlen(json));
	close(fd);
	int code = run_python(script, path, name);
	/* The validator itself must be able to say no: the schema is no report. */
	int refused = run_python(script, path, path);
	unlink(name);
	free(text);
	if (code == 127)
		return false;
	assert_int_equal(code, 0);
	assert_int_equal(refused, 1);
	return true;
}

#endif
