/* User rules: files with faults are refused with their line, queries that would do more than read
 * do not run, and a rule that fails fails alone. */
#include "memory_store.h"
#include "sanitized.h"
#include "catalogue_fixture.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "advice/trace/trace.h"
#include "advice/evaluate/evaluate.h"
#include "core/alloc.h"
#include "names/label/label.h"
#include "store/functions/functions.h"
#include "advice/advise.h"

#define HEAD "-- id: my-rule\n-- title: A title\n-- do: Do it.\n"
#define RANGED HEAD "-- edit: scale class = matrix by :kept\n-- param: kept ratio 0.5 0 1 a share\n"
#define ROW "'a' AS subject, 5 AS gain_ns, 'measured' AS confidence, 1 AS count"

static const char *const host_and_device[] = {"host", "device", NULL};
static const char *const none[] = {NULL};

static char directory[] = "rules-XXXXXX";
static char path[64];

static int set_up(void **state)
{
	const char *base = getenv("TMPDIR");

	(void)state;
	if (chdir(base ? base : "/tmp") != 0)
		return -1;
	strcpy(directory, "rules-XXXXXX");
	return mkdtemp(directory) ? 0 : -1;
}

static int tear_down(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	return system(command);
}

static void put_bytes(const char *name, const char *text, size_t len)
{
	snprintf(path, sizeof(path), "%s/%s", directory, name);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, len, file), len);
	fclose(file);
}

static void put(const char *name, const char *text)
{
	put_bytes(name, text, strlen(text));
}

static struct tc_catalogue *load(void)
{
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_catalogue *rules = tc_catalogue_new(ctx, directory);

	if (!rules)
		fail_msg("%s", tc_ctx_error(ctx));
	tc_ctx_free(ctx);
	return rules;
}

static void assert_refused(const char *part)
{
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_catalogue *rules = tc_catalogue_new(ctx, directory);

	if (tc_ctx_status(ctx) != TC_ERR_USAGE)
		fail_msg("not refused with %s: %s", part, tc_ctx_error(ctx));
	if (!strstr(tc_ctx_error(ctx), part))
		fail_msg("'%s' is not in '%s'", part, tc_ctx_error(ctx));
	assert_null(rules);
	tc_ctx_free(ctx);
}

static void test_header(void **state)
{
	(void)state;
	put("b.sql", "-- My own note.\n\r\n-- id: my-rule\r\n-- title:A title\n--advice: Do\n"
		     "--   it\n--    now.\n-- why: because: so\n-- needs: device , host\n"
		     "-- param: limit pct 5 0 1e2 what it decides\n"
		     "-- param: least_count count 3 0 9 more\n"
		     "-- part-of: host-bound\n-- always-if: count\n-- says: mean_ns several = \"% "
		     "each = \"mean\"\"\n"
		     "-- says: other_ns = \"\"\n-- source: our own\n-- note to self\n\nSELECT " ROW
		     "\nWHERE :limit < 0 AND :least_count;\n\n");
	/* "advice" is how older rules call what to do. */
	put("a.sql", "-- id: first\n-- title: abc\n-- advice: def\nSELECT " ROW);
	put(".hidden.sql", "nonsense");
	put("readme.txt", "nonsense");
	struct tc_catalogue *rules = load();
	size_t first = tc_catalogue_count(built_in());
	assert_int_equal(tc_catalogue_count(rules), first + 2);
	assert_string_equal(tc_catalogue_at(rules, first)->id, "first");
	assert_null(tc_catalogue_at(rules, first)->params[0].name);
	assert_null(tc_catalogue_at(rules, first)->needs[0]);
	const struct tc_heuristic *rule =
		tc_catalogue_at(rules, tc_catalogue_find(rules, "my-rule"));
	assert_string_equal(rule->title, "A title");
	assert_string_equal(rule->advice, "Do it now.");
	assert_string_equal(rule->why, "because: so");
	assert_string_equal(rule->source, "our own");
	assert_string_equal(rule->needs[0], "device");
	assert_string_equal(rule->needs[1], "host");
	assert_null(rule->needs[2]);
	assert_string_equal(rule->params[0].name, "limit");
	assert_string_equal(rule->params[0].unit, "pct");
	assert_true(rule->params[0].value > 4.9 && rule->params[0].max > 99);
	assert_string_equal(rule->params[0].help, "what it decides");
	assert_string_equal(rule->params[1].name, "least_count");
	assert_null(rule->params[2].name);
	assert_string_equal(rule->part_of[0], "host-bound");
	assert_null(rule->part_of[1]);
	assert_string_equal(rule->always_if, "count");
	assert_string_equal(rule->says[0].column, "mean_ns");
	assert_string_equal(rule->says[0].text, "% each = \"mean\"");
	assert_int_equal(rule->says[0].when, TC_SAYS_SEVERAL);
	assert_string_equal(rule->says[1].text, "");
	assert_int_equal(rule->says[1].when, TC_SAYS_ALWAYS);
	assert_null(rule->says[2].column);
	assert_memory_equal(rule->sql, "SELECT", 6);
	assert_string_equal(rule->sql + strlen(rule->sql) - 12, "least_count;");
	assert_int_equal(rule->kind, TC_HEURISTIC_FIX);
	assert_non_null(strstr(rule->file, "/b.sql"));
	tc_catalogue_free(rules);
}

static const struct {
	const char *text, *part;
} faults[] = {
	{"", "r.sql:1: id is missing: add a line like '-- id: "},
	{"-- id: my-rule\n-- do: Do it.\nSELECT 1", "r.sql:1: title is missing"},
	{"-- id: my-rule\n-- title: abc\nSELECT 1", "r.sql:1: do is missing"},
	{"-- title: abc\n-- do: abc\nSELECT 1", "r.sql:1: id is missing"},
	{HEAD, "r.sql:4: the query is missing"},
	{HEAD "\n\n-- only words\n", "the query is missing"},
	{"-- id:\n" HEAD, "r.sql:1: '' is not an id"},
	{"-- id: My_Rule\n", "r.sql:1: 'My_Rule' is not an id"},
	{"-- id: a--b\n", "is not an id"},
	{"-- id: a-\n", "is not an id"},
	{"-- id: advice\n", "advice is the section of settings for all heuristics"},
	{"-- id: ab\n", "id has 2 characters"},
	{HEAD "-- id: other\n", "r.sql:4: id appears twice"},
	{"-- idd: x\n", "r.sql:1: idd: no such key: did you mean 'id'?"},
	{"-- tilte: x\n", "did you mean 'title'?"},
	{"-- wherefore: x\n", "no such key: see docs/user-rules.md"},
	{"-- title: a\033[2Jb\n", "r.sql:1: title has a control character"},
	{HEAD "-- needs: device, divice\n", "r.sql:4: needs 'divice' is not known: did"},
	{HEAD "-- needs: device,\n-- why: a b c", NULL},
	{HEAD "-- bucket: wall\n", "r.sql:4: bucket: no such key"},
	{HEAD "-- order: 5\n", "r.sql:4: order is for the heuristics of tracecoach only"},
	{HEAD "-- kind: quick\n", "kind 'quick' is not known"},
	{HEAD "-- part-of: host-bond\nSELECT " ROW, "part-of host-bond: no such heuristic"},
	{HEAD "-- says: x_ns = no quotes\n", "r.sql:4: these words are not complete"},
	{HEAD "-- says: x_ns \"text\"\n", "says '\"text\"' is not known"},
	{HEAD "-- says: x_ns often = \"text\"\n", "says 'often' is not known"},
	{HEAD "-- says: X = \"text\"\n", "these words are not complete"},
	{HEAD "-- says: x = \"a\"\n-- says: x = \"b\"\n", "r.sql:5: the column x has words"},
	{HEAD "-- param: x pct 5 0 100\n", "r.sql:4: parameter x is not complete"},
	{HEAD "-- param: x pct 5 0 ten help\n", "parameter x is not complete"},
	{HEAD "-- param: x pct 5 0 inf help\n", "parameter x is not complete"},
	{HEAD "-- param: x pct 5 6 7 help\n", "its default 5 is not within 6 to 7"},
	{HEAD "-- param: x percent 5 0 7 help\n", "param 'percent' is not known"},
	{HEAD "-- param: trace_id ns 5 0 7 help\n", "'trace_id' cannot name a parameter"},
	{HEAD "-- param: X ns 5 0 7 help\n", "'X' cannot name a parameter"},
	{HEAD "-- param:\n", "'' cannot name a parameter"},
	{HEAD "-- param: x ns 5 0 7 a\n-- param: x ns 5 0 7 a\n", "r.sql:5: 'x' cannot name"},
	{RANGED "-- range: kept 0.2 0.6 a pair\n", NULL},
	{RANGED "-- range: edit 0.8 1.3 a pair\n", NULL},
	{RANGED "-- range: kpt 0.2 0.6 a pair\n", "r.sql:6: range of 'kpt': no parameter above"},
	{HEAD "-- range: kept 0.2 0.6 a pair\n", "range of 'kept': no parameter above has this"},
	{RANGED "-- range: kept 0.6 0.2 a pair\n",
		"range of kept: 0.6 is above 0.2: give the lower"},
	{RANGED "-- range: kept 0.2 much a pair\n", "range of kept is not complete: give NAME LOW"},
	{RANGED "-- range: kept 0.2 nan a pair\n", "range of kept is not complete"},
	{RANGED "-- range: kept 0.2 0.6\n", "range of kept is not complete"},
	{RANGED "-- range: kept 0.2 1.6 a pair\n",
		"range of kept: 0.2 to 1.6 is not within 0 to 1"},
	{RANGED "-- range: kept 0.6 0.7 a pair\n", "its default 0.5 is not within 0.6 to 0.7"},
	{RANGED "-- range: edit 1.1 1.3 a pair\n", "its default 1 is not within 1.1 to 1.3"},
	{RANGED "-- range: kept 0 1 a b\n-- range: kept 0 1 a b\n", "r.sql:7: kept has a range"},
	{RANGED "-- param: x ns 5 0 7 help\n-- range: x 4 6 a pair\n", "no edit above takes x"},
	{HEAD "-- range: edit 0.8 1.3 a pair\n", "no edit above takes edit"},
	{HEAD "-- param: edit ns 5 0 7 help\n", "'edit' cannot name a parameter"},
	{HEAD "SELECT \xff", "r.sql: not UTF-8 text"},
	{"-- id: host-bound\n-- title: abc\n-- do: abc\nSELECT " ROW,
		"the id host-bound belongs to a heuristic of tracecoach"},
	{HEAD "SELECT 1", "r.sql:4: column 1 of its query is 1, not subject"},
	{HEAD "-- always-if: used_pct\nSELECT " ROW,
		"r.sql:5: its query has no column used_pct, which always-if names"},
	{HEAD "SELECT " ROW " WHERE :x", "r.sql:4: its query has an unknown parameter :x"},
	{HEAD "SELECT " ROW "\nFROM trace\nWHERE rnk = 1",
		"r.sql:6: its query does not compile: no such column: rnk"},
	{HEAD "SELECT " ROW "; SELECT 2", "its query is not one statement"},
	{HEAD "SELECT (", "its query does not compile: "},
};

static void test_faults(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		put("r.sql", faults[i].text);
		assert_refused(faults[i].part ? faults[i].part : "the query is missing");
	}
	put_bytes("r.sql", HEAD "SELECT 1\0x", strlen(HEAD) + 10);
	assert_refused("r.sql: not UTF-8 text");
}

static void test_directory(void **state)
{
	struct tc_ctx *ctx = tc_ctx_new();
	char *big = calloc(1, 300 * 1024);

	(void)state;
	assert_null(tc_catalogue_new(ctx, "not/there"));
	assert_int_equal(tc_ctx_status(ctx), TC_ERR_USAGE);
	assert_non_null(strstr(tc_ctx_error(ctx), "cannot read the rules in not/there: "));
	tc_ctx_free(ctx);
	assert_refused("no .sql file in it");
	put("a.sql", HEAD "SELECT " ROW);
	put("b.sql", HEAD "SELECT " ROW);
	assert_refused("b.sql: the id my-rule belongs to rules-");
	assert_non_null(big);
	memset(big, '-', 300 * 1024 - 1);
	put("b.sql", big);
	assert_refused("b.sql: more than 262144 bytes");
	unlink(path);
	snprintf(path, sizeof(path), "%s/d.sql", directory);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_refused("d.sql: not a regular file");
	rmdir(path);
	assert_int_equal(mkfifo(path, 0700), 0);
	assert_refused("d.sql: not a regular file");
	unlink(path);
	tc_catalogue_free(load());
	free(big);
}

/* What would change, open or configure something is refused when the rule is read. */
static void test_hostile(void **state)
{
	static const char *const queries[] = {
		"DELETE FROM trace",
		"INSERT INTO trace(id) VALUES(9)",
		("UPDATE trace SET path = 'x' RETURNING path AS subject, 1 AS gain_ns, "
		 "'measured' AS confidence, 1 AS count"),
		"UPDATE sqlite_master SET sql = 'x'",
		"DROP TABLE trace",
		"CREATE TABLE x(a)",
		"CREATE TEMP TABLE x AS SELECT 1",
		"CREATE TEMP VIEW x AS SELECT 1",
		"ATTACH 'tc-hostile.db' AS x",
		"DETACH main",
		"VACUUM INTO 'tc-hostile.db'",
		"PRAGMA writable_schema = 1",
		"PRAGMA table_info(trace)",
		("SELECT load_extension('x') AS subject, 1 AS gain_ns, 'measured' AS confidence, "
		 "1 AS count"),
		"BEGIN",
		"SAVEPOINT x",
		"REINDEX",
		"ANALYZE",
		"EXPLAIN SELECT 1",
		("SELECT json_patch('{}', '{}') AS subject, 1 AS gain_ns, 'measured' AS "
		 "confidence, "
		 "1 AS count"),
		"WITH x AS (SELECT 1) DELETE FROM trace",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++) {
		char text[512];
		snprintf(text, sizeof(text), HEAD "%s", queries[i]);
		put("r.sql", text);
		assert_refused("r.sql:4: ");
	}
	assert_int_equal(access("tc-hostile.db", F_OK), -1);
}

static const struct tc_account_row *row_of(const struct tc_advice *advice, const char *id)
{
	for (size_t i = 0; i < advice->account_count; i++)
		if (strcmp(advice->account[i].heuristic->id, id) == 0)
			return &advice->account[i];
	fail_msg("no account row of %s", id);
	return NULL;
}

static enum tc_status advise(struct tc_advice **out, sqlite3 *db, const struct tc_catalogue *rules)
{
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_settings *settings = tc_settings_for(rules);
	enum tc_status status = TC_ERR_NOMEM;

	if (ctx && settings) {
		*out = tc_advise(ctx, db, settings);
		status = tc_ctx_status(ctx);
	}
	tc_settings_free(settings);
	tc_ctx_free(ctx);
	return status;
}

/* Rules fire, are quiet, do not apply and fail as built-in heuristics do. */
static void test_run(void **state)
{
	sqlite3 *db = memory_store_open();
	struct tc_advice *advice = NULL;

	(void)state;
	put("1.sql",
		"-- id: fires\n-- title: abc\n-- do: abc\n-- param: gain ns 7 0 9 x\n"
		"SELECT value AS subject, :gain AS gain_ns, 'measured' AS confidence, 1 AS count"
		" FROM json_each('[\"x\", \"y\"]')");
	put("2.sql", "-- id: quiet\n-- title: abc\n-- advice: abc\nSELECT " ROW " WHERE 0");
	put("3.sql", "-- id: lacking\n-- title: abc\n-- advice: abc\n-- needs: gaudi\nSELECT " ROW);
	put("4.sql", "-- id: fails\n-- title: abc\n-- advice: abc\n"
		     "SELECT json_extract('{', '$') AS subject, 1 AS gain_ns, 'measured' AS "
		     "confidence, 1 AS count");
	put("5.sql",
		"-- id: large\n-- title: abc\n-- advice: abc\nSELECT hex(zeroblob(20000000)) AS "
		"subject, 1 AS gain_ns, 'measured' AS confidence, 1 AS count");
	put("6.sql", "-- id: pragma\n-- title: abc\n-- advice: abc\nSELECT name AS subject, 1 AS "
		     "gain_ns, 'measured' AS confidence, 1 AS count FROM "
		     "pragma_table_info('trace')");
	struct tc_catalogue *rules = load();
	memory_store_trace(db, 0, 1000, host_and_device);
	memory_store_trace(db, 1, 1000, host_and_device);
	assert_int_equal(advise(&advice, db, rules), TC_OK);
	assert_int_equal(row_of(advice, "fires")->outcome, TC_OUTCOME_FIRED);
	assert_int_equal(row_of(advice, "quiet")->outcome, TC_OUTCOME_QUIET);
	assert_int_equal(row_of(advice, "lacking")->outcome, TC_OUTCOME_NOT_APPLICABLE);
	assert_string_equal(row_of(advice, "lacking")->reason, "no Gaudi device in the trace");
	assert_int_equal(row_of(advice, "fails")->outcome, TC_OUTCOME_FAILED);
	assert_non_null(strstr(row_of(advice, "fails")->reason, "/4.sql: malformed JSON"));
	assert_int_equal(row_of(advice, "large")->outcome, TC_OUTCOME_FAILED);
	assert_non_null(strstr(row_of(advice, "large")->reason, "too big"));
	size_t pragma_count = 0;
	for (size_t i = 0; i < advice->account_count; i++) {
		const struct tc_account_row *row = &advice->account[i];
		if (strcmp(row->heuristic->id, "pragma") != 0)
			continue;
		assert_int_equal(row->outcome, TC_OUTCOME_FAILED);
		assert_non_null(strstr(row->reason, "not authorized"));
		pragma_count++;
	}
	assert_int_equal(pragma_count, 2); /* of both traces: the statement is prepared once */
	const struct tc_finding *finding = &advice->findings[0];
	while (strcmp(finding->heuristic->id, "fires") != 0)
		finding++;
	assert_int_equal(finding->gain_ns, 14);
	assert_non_null(strstr(finding->sql, "7 AS gain_ns"));
	tc_advice_free(advice);
	/* The fence is gone: the connection writes again, and makes large values. */
	memory_store_exec(db, "DELETE FROM trace; SELECT hex(zeroblob(20000000))");
	sqlite3_close(db);
	tc_catalogue_free(rules);
}

/* A query without end is stopped, and told so. */
static void test_endless(void **state)
{
	sqlite3 *db = memory_store_open();
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_capabilities capabilities = TC_CAPABILITIES_EMPTY;
	struct tc_box *box = tc_calloc(1, sizeof(*box));
	struct tc_tables tables = TC_TABLES_OF(ctx, db);
	const struct tc_evaluation evaluation = {.ctx = ctx,
		.tables = &tables,
		.capabilities = &capabilities,
		.box = box,
		.max_instructions = 1000000};

	(void)state;
	put("r.sql",
		HEAD "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT " ROW
		     " FROM n WHERE i < 0");
	struct tc_catalogue *rules = load();
	const struct tc_heuristic *rule = tc_catalogue_at(rules, tc_catalogue_count(built_in()));
	tc_evaluate(&evaluation, rule, NULL, NULL);
	assert_int_equal(tc_ctx_status(ctx), TC_OK);
	assert_int_equal(box->advice.account[0].outcome, TC_OUTCOME_FAILED);
	assert_non_null(strstr(box->advice.account[0].reason, "/r.sql: it ran too long"));
	tc_ctx_interrupt(ctx);
	tc_evaluate(&evaluation, rule, NULL, NULL);
	assert_int_equal(tc_ctx_status(ctx), TC_ERR_INTERRUPTED);
	tc_advice_free(&box->advice);
	tc_ctx_free(ctx);
	tc_tables_end(&tables);
	sqlite3_close(db);
	tc_catalogue_free(rules);
}

#define ENDLESS "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
#define TEXT_OF_A "(SELECT replace(hex(zeroblob(500000)), '0', 'a') AS t)"

/* What takes long within single calls, or many calls that take some time each: no check of a
 * deadline between instructions stops it by itself. */
static const char *const heavy_queries[] = {
	ENDLESS "SELECT " ROW " FROM n WHERE instr(hex(zeroblob(500000)),"
		" hex(zeroblob(250000)) || i || 'x')",
	ENDLESS "SELECT " ROW " FROM n WHERE hex(zeroblob(500000)) < i || 'x'",
	ENDLESS "SELECT " ROW " FROM n WHERE printf('%.*c', 2000000000, i) = 'x'",
	ENDLESS "SELECT " ROW " FROM n WHERE printf('%2000000000d', i) = 'x'",
	ENDLESS "SELECT " ROW " FROM n WHERE length(zeroblob(2000000000 + i)) = 1",
	ENDLESS "SELECT " ROW " FROM n WHERE length(randomblob(1000000)) = i + 1",
	ENDLESS "SELECT " ROW " FROM n, " TEXT_OF_A " WHERE t LIKE substr(t, 1, 240) || '%b' || i",
	ENDLESS "SELECT " ROW " FROM n, " TEXT_OF_A
		" WHERE t LIKE replace(substr(t, 1, 120), 'a', 'a%') || 'b' || i",
	ENDLESS "SELECT " ROW " FROM n, " TEXT_OF_A
		" WHERE t GLOB replace(substr(t, 1, 120), 'a', '*a') || '*b' || i",
	ENDLESS "SELECT " ROW " FROM n, " TEXT_OF_A " WHERE t LIKE t || i",
	ENDLESS "SELECT " ROW " FROM n, " TEXT_OF_A " WHERE length(replace(t || i, 'a', t)) = i",
	ENDLESS "SELECT " ROW " FROM n, " TEXT_OF_A
		" WHERE replace(t, substr(t, 1, 400000) || 'b' || i, '') = i",
	ENDLESS "SELECT " ROW " FROM n, " TEXT_OF_A " WHERE trim(t, substr(t, 2) || i) = i",
	ENDLESS "SELECT " ROW " FROM n, (SELECT '[1' || replace(hex(zeroblob(200000)), '0', ',1')"
		" || ']' AS t) WHERE json_extract(t, '$[' || (100000 + i) || ']', '$[200000]') = i",
	ENDLESS "SELECT " ROW " FROM n, (SELECT '[1' || replace(hex(zeroblob(200000)), '0', ',1')"
		" || ']' AS t), json_each(t) WHERE value = 2 + i",
	"SELECT max(subject) AS subject, 1 AS gain_ns, 'measured' AS confidence, 1 AS count FROM "
	"(" ENDLESS "SELECT group_concat(i) OVER (ROWS 100000 PRECEDING) AS subject FROM n)",
	"SELECT count(*) AS subject, 1 AS gain_ns, 'measured' AS confidence, 1 AS count FROM label "
	"a,"
	" label b, label c, label d, label e, label f WHERE a.name || b.name || c.name LIKE "
	"'%x%y%z'",
};

static void run_heavy_queries(void)
{
	sqlite3 *db = memory_store_open();
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_capabilities capabilities = TC_CAPABILITIES_EMPTY;

	assert_int_equal(tc_store_functions(db), SQLITE_OK);
	memory_store_exec(db, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE"
			      " i < 500) INSERT INTO label(id, category, name)"
			      " SELECT i, 'c', printf('%.*c', 9000, 'x') FROM n");
	for (size_t i = 0; i < sizeof(heavy_queries) / sizeof(heavy_queries[0]); i++) {
		struct tc_box *box = tc_calloc(1, sizeof(*box));
		struct tc_tables tables = TC_TABLES_OF(ctx, db);
		const struct tc_evaluation evaluation = {.ctx = ctx,
			.tables = &tables,
			.capabilities = &capabilities,
			.box = box,
			.max_cpu_ns = 100000000};
		char *text = sqlite3_mprintf(HEAD "%s", heavy_queries[i]);
		clock_t start = clock();
		put("r.sql", text);
		struct tc_catalogue *rules = load();
		tc_evaluate(&evaluation, tc_catalogue_at(rules, tc_catalogue_count(built_in())),
			NULL, NULL);
		assert_int_equal(tc_ctx_status(ctx), TC_OK);
		const char *reason = box->advice.account[0].reason;
		if (box->advice.account[0].outcome != TC_OUTCOME_FAILED ||
			(!strstr(reason, "it ran too long") && !strstr(reason, "too big") &&
				!strstr(reason, "too complex")))
			fail_msg("%s: %s", text, reason);
		double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
		if (getenv("TC_SHOW_TIMES"))
			print_message("%zu: %.2f s: %s\n", i, seconds, reason);
		if (seconds > 20) /* 0.1 s, the calls of one check, and what sanitizers take */
			fail_msg("%s: %.1f s", text, seconds);
		tc_tables_end(&tables);
		tc_catalogue_free(rules);
		tc_advice_free(&box->advice);
		sqlite3_free(text);
	}
	/* The limits are those of the rule only. */
	memory_store_exec(db, "SELECT 'a' LIKE replace(hex(zeroblob(1000)), '0', '%')");
	tc_ctx_free(ctx);
	sqlite3_close(db);
}

static void test_heavy(void **state)
{
	(void)state;
	if (TC_SANITIZED)
		skip();
	run_heavy_queries();
}

static void test_catalogue(void **state)
{
	struct tc_ctx *ctx = tc_ctx_new();

	(void)state;
	put("r.sql", HEAD "SELECT " ROW);
	struct tc_catalogue *rules = load();
	assert_int_equal(tc_catalogue_find(rules, "my-rulez"), tc_catalogue_count(rules));
	assert_int_equal(tc_catalogue_find(built_in(), "my-rule"), tc_catalogue_count(built_in()));
	struct tc_settings *settings = tc_settings_for(rules);
	const struct tc_heuristic *found;
	assert_int_equal(tc_heuristic_find(&found, ctx, settings, "my-rulez"), TC_ERR_USAGE);
	assert_non_null(strstr(tc_ctx_error(ctx), "did you mean 'my-rule'?"));
	tc_settings_free(settings);
	tc_ctx_free(ctx);
	tc_catalogue_free(rules);
}

/* Loading and running: each allocation fails once. */
static void test_out_of_memory(void **state)
{
	sqlite3 *db = memory_store_open();
	enum tc_status status = TC_ERR_NOMEM;

	(void)state;
	put("r.sql", HEAD "-- needs: device\n-- param: limit ns 1 0 2 help\nSELECT " ROW
			  " WHERE :limit");
	put("s.sql", "-- id: other\n-- title: abc\n-- advice: abc\n"
		     "SELECT json_extract('{', '$') AS subject, 1 AS gain_ns, 'measured' AS "
		     "confidence, 1 AS count");
	memory_store_trace(db, 0, 1000, none);
	memory_store_metric(db, 0, "has_device", NULL, 1);
	for (int64_t n = 0; status != TC_OK; n++) {
		struct tc_ctx *ctx = tc_ctx_new();
		struct tc_advice *advice = NULL;

		tc_alloc_fail_after(n);
		struct tc_catalogue *rules = tc_catalogue_new(ctx, directory);
		status = tc_ctx_status(ctx);
		if (rules)
			status = advise(&advice, db, rules);
		tc_alloc_fail_after(-1);
		assert_true(status == TC_OK || status == TC_ERR_NOMEM);
		assert_true((status == TC_OK) == (advice != NULL));
		tc_advice_free(advice);
		tc_catalogue_free(rules);
		tc_ctx_free(ctx);
		assert_true(n < 5000);
	}
	/* Messages need memory as well. */
	put("r.sql", HEAD "-- needs: divice\n");
	for (int64_t n = 0; status != TC_ERR_USAGE; n++) {
		struct tc_ctx *ctx = tc_ctx_new();

		tc_alloc_fail_after(n);
		assert_null(tc_catalogue_new(ctx, directory));
		tc_alloc_fail_after(-1);
		status = tc_ctx_status(ctx);
		assert_true(status == TC_ERR_USAGE || status == TC_ERR_NOMEM);
		tc_ctx_free(ctx);
	}
	sqlite3_close(db);
}

/* The causes that a fix takes away are those of the roles of its edits. */
static void test_causes(void **state)
{
	(void)state;
	put("a.sql", "-- id: reads\n-- title: A title\n-- do: Do it.\n"
		     "-- edit: remove role = sync, output_copy within-steps\n"
		     "-- edit: remove device kind = memcpy in role = input_copy\nSELECT " ROW);
	put("b.sql", "-- id: steps\n-- title: A title\n-- do: Do it.\n"
		     "-- edit: remove role = dispatch in mark = optimizer_step\nSELECT " ROW);
	struct tc_catalogue *rules = load();
	const unsigned both = 1U << TC_CAUSE_SYNC | 1U << TC_CAUSE_OUTPUT_COPY;

	assert_int_equal(tc_catalogue_at(rules, tc_catalogue_find(rules, "reads"))->causes, both);
	assert_int_equal(tc_catalogue_at(rules, tc_catalogue_find(rules, "steps"))->causes, 0);
	tc_catalogue_free(rules);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_header),
		TEST(test_causes),
		TEST(test_faults),
		TEST(test_directory),
		TEST(test_hostile),
		TEST(test_run),
		TEST(test_endless),
		TEST(test_heavy),
		TEST(test_catalogue),
		TEST(test_out_of_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
