/*
 * For tests of the comparison: two stores in memory, a third connection that sees both, and a run
 * of the comparison on them.
 */
#ifndef TC_TEST_COMPARE_FIXTURE_H
#define TC_TEST_COMPARE_FIXTURE_H

#include "schema_fixture.h"

#include "store/sealed/guard.h"
#include "tracecoach/compare.h"

static const char *const side_names[] = {"before", "after"};

/* Databases in memory that a further connection can attach; each has a name of its own. */
static int shared_count;
static char shared_names[TC_COMPARE_SIDES][64];

static inline sqlite3 *open_shared(int side)
{
	sqlite3 *db;

	assert_int_equal(
		sqlite3_open_v2(shared_names[side], &db,
			SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI, NULL),
		SQLITE_OK);
	return db;
}

static inline sqlite3 *open_empty(int side)
{
	snprintf(shared_names[side], sizeof(shared_names[side]),
		"file:compare-%s-%d?mode=memory&cache=shared", side_names[side], shared_count++);
	sqlite3 *db = open_shared(side);

	memory_store_exec(db, tc_schema_sql);
	memory_store_exec(db, tc_views_sql);
	return db;
}

static inline sqlite3 *open_fixture(int side)
{
	sqlite3 *db = open_empty(side);

	fixture_rows(db);
	fixture_tracks(db);
	fixture_tallies(db);
	fixture_metrics(db);
	/* One that was cut off is not judged: it lost a counter instead. */
	memory_store_exec(db, "UPDATE import_log SET kind = 'bad_counter', count = 1");
	return db;
}

/* Both as the user of the told queries has them. */
static inline sqlite3 *open_both(void)
{
	sqlite3 *db = open_shared(TC_BEFORE);
	char *sql = sqlite3_mprintf("ATTACH %Q AS after", shared_names[TC_AFTER]);

	memory_store_exec(db, sql);
	sqlite3_free(sql);
	return db;
}

/* A comparison to be: the stores, then what came of it. */
struct pair {
	sqlite3 *db[TC_COMPARE_SIDES]; /* the stores take them */
	const struct tc_advice *advice[TC_COMPARE_SIDES];
	struct tc_report_options options;
	struct tc_compare_result result;
	char error[512];
	struct output out;
};

static inline struct pair pair_of(sqlite3 *before, sqlite3 *after)
{
	struct pair pair = {.db = {before, after},
		.advice = {fixture_no_advice(), fixture_no_advice()},
		.options = fixture_options()};

	pair.options.top = 1000;
	return pair;
}

static inline enum tc_status run_pair(struct pair *pair, const char *format)
{
	struct tc_compare_side sides[TC_COMPARE_SIDES];
	struct tc_ctx *ctx = tc_ctx_new();
	const struct tc_compare_output output = {output_write, &pair->out};
	size_t count, chosen = 0;
	const struct tc_compare_format *formats = tc_compare_formats(&count);
	enum tc_status status = TC_OK;

	assert_non_null(ctx);
	while (strcmp(formats[chosen].name, format) != 0)
		assert_true(++chosen < count);
	for (int i = 0; i < TC_COMPARE_SIDES; i++) {
		sides[i] = (struct tc_compare_side){
			.advice = pair->advice[i], .source = side_names[i]};
		assert_int_equal(tc_store_take_db(&sides[i].store, ctx, pair->db[i], NULL), TC_OK);
	}
	status = tc_compare(&pair->result, ctx, sides, &formats[chosen], &pair->options, &output);
	snprintf(pair->error, sizeof(pair->error), "%s", tc_ctx_error(ctx));
	for (int i = 0; i < TC_COMPARE_SIDES; i++)
		tc_store_close(sides[i].store);
	tc_ctx_free(ctx);
	return status;
}

/* Expected to succeed; the text is the caller's to free. */
static inline char *text_of(struct pair *pair, const char *format)
{
	if (run_pair(pair, format) != TC_OK)
		fail_msg("%s", pair->error);
	return pair->out.text;
}

static inline int64_t number(sqlite3 *db, const char *json, const char *sql)
{
	char *value = ask(db, sql, json, NULL);
	int64_t result;

	if (!value || strcmp(value, "(NULL)") == 0)
		fail_msg("no number from %s in:\n%s", sql, json);
	result = strtoll(value, NULL, 10);
	sqlite3_free(value);
	return result;
}

static inline int64_t number_at(sqlite3 *db, const char *json, const char *path)
{
	char sql[256];

	snprintf(sql, sizeof(sql), "SELECT json_extract(?1, '%s')", path);
	return number(db, json, sql);
}

static inline void exec_free(sqlite3 *db, char *sql)
{
	memory_store_exec(db, sql);
	sqlite3_free(sql);
}

#endif
