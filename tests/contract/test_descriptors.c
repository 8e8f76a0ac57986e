/*
 * Every descriptor keeps the contract of tracecoach/heuristic.h. All faults of all heuristics are
 * printed before the test fails, so that one run shows what is to do.
 */
#include "memory_store.h"
#include "catalogue_fixture.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "advice/trace/trace.h"
#include "advice/catalogue/catalogue.h"

static int fault_count;

__attribute__((format(printf, 2, 3))) static void fault(
	const struct tc_heuristic *heuristic, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "heuristics/%s.sql: ", heuristic->id);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	fault_count++;
}

/* The line of the heuristic's file in which its query starts, less one. */
static int lines_above(const struct tc_heuristic *heuristic)
{
	size_t at = tc_catalogue_find(built_in(), heuristic->id);

	return at < built_in()->count ? built_in()->files[at]->sql_line - 1 : 0;
}

static void check_compiles(const struct tc_heuristic *heuristic, sqlite3 *db)
{
	sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(db, heuristic->sql, -1, &stmt, NULL);
	int offset = sqlite3_error_offset(db), line = lines_above(heuristic) + 1;

	for (int i = 0; i < offset; i++)
		line += heuristic->sql[i] == '\n';
	if (rc != SQLITE_OK)
		fault(heuristic, "line %d: the query does not compile: %s", line,
			sqlite3_errmsg(db));
	sqlite3_finalize(stmt);
}

static bool compiles(const struct tc_heuristic *heuristic, sqlite3 *db)
{
	sqlite3_stmt *stmt = NULL;
	bool good = sqlite3_prepare_v2(db, heuristic->sql, -1, &stmt, NULL) == SQLITE_OK;

	sqlite3_finalize(stmt);
	return good;
}

/* Runs check on every heuristic and fails when it found a fault. A query that does not compile is
 * the one fault of test_compiles(). */
static void for_each(void (*check)(const struct tc_heuristic *heuristic, sqlite3 *db))
{
	sqlite3 *db = memory_store_open();
	size_t count = tc_catalogue_count(built_in());

	fault_count = 0;
	for (size_t i = 0; i < count; i++)
		if (is_wanted(tc_catalogue_at(built_in(), i)) &&
			(check == check_compiles || compiles(tc_catalogue_at(built_in(), i), db)))
			check(tc_catalogue_at(built_in(), i), db);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	assert_int_equal(fault_count, 0);
}

static void check_text(const struct tc_heuristic *heuristic, const char *field, const char *text,
	size_t min, size_t max)
{
	size_t len = text ? strlen(text) : 0;

	if (len < min || len > max)
		fault(heuristic, "%s has %zu characters, not %zu to %zu", field, len, min, max);
	else if (isspace((unsigned char)text[0]) || isspace((unsigned char)text[len - 1]) ||
		 strstr(text, "  ") || strchr(text, '\n') || strchr(text, '|'))
		fault(heuristic, "%s has blanks at its ends, double ones, a newline or a |", field);
}

static bool is_kebab_case(const char *id)
{
	if (!islower((unsigned char)id[0]) || id[strlen(id) - 1] == '-' || strstr(id, "--"))
		return false;
	return id[strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789-")] == '\0';
}

/* Words of Gaudi that mean nothing elsewhere. */
static bool is_gaudi_talk(const char *text)
{
	static const char *const words[] = {"HPU", "hpu", "Gaudi", "Habana", "recipe", "mark_step",
		"HCCL", "FusedSDPA", "FusedClipNorm", "TPC", "MME"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(text, words[i]))
			return true;
	return false;
}

/* True for a heuristic that looks at Gaudi traces and logs only. */
static bool is_for_gaudi(const struct tc_heuristic *heuristic)
{
	const struct tc_words cuda = {.vendor = "cuda", .traits = {"cuda"}};
	struct tc_capabilities none = TC_CAPABILITIES_EMPTY;
	const char *reason = tc_capability_missing(&none, heuristic, &cuda);

	return reason && strstr(reason, "Gaudi only");
}

/* A text in the terms of every vendor and kind of run: no term left, no word of another vendor. */
static void check_words(
	const struct tc_heuristic *heuristic, const char *what, const char *text, size_t max)
{
	static const char *const vendors[] = {
		NULL, "gaudi", "cuda", "rocm", "xpu", "mtia", "ascend"};
	static const char *const kinds[][3] = {{NULL}, {"training"}, {"inference"},
		{"training", "ddp"}, {"training", "fsdp"}, {"training", "exposed_send_recv"},
		{"inference", "exposed_all_to_all"}, {"graph_capture"}, {"volta"}, {"turing"},
		{"turing_gtx"}, {"other_framework"}};
	enum { KIND_COUNT = sizeof(kinds) / sizeof(kinds[0]) };
	int before = fault_count;

	for (size_t i = 0; i < 7 * KIND_COUNT && fault_count == before; i++) {
		struct tc_words words = {
			.is_of_trace = i / KIND_COUNT > 0, .vendor = vendors[i / KIND_COUNT]};
		size_t count = 0;
		if (words.vendor)
			words.traits[count++] = words.vendor;
		for (const char *const *trait = kinds[i % KIND_COUNT]; *trait; trait++)
			words.traits[count++] = *trait;
		struct tc_buf buf = TC_BUF_EMPTY;
		tc_words_append(&buf, text ? text : "", &words);
		const char *told = tc_buf_string(&buf);
		check_text(heuristic, what, told, 30, max);
		if (strchr(told, '{') || strchr(told, '}'))
			fault(heuristic, "a term that words.def lacks");
		if (i / KIND_COUNT > 1 && !is_for_gaudi(heuristic) && is_gaudi_talk(told))
			fault(heuristic, "words of Gaudi for a trace of another vendor");
		tc_buf_clear(&buf);
	}
}

static void check_texts(const struct tc_heuristic *heuristic, sqlite3 *db)
{
	(void)db;
	check_text(heuristic, "id", heuristic->id, 3, 40);
	check_text(heuristic, "title", heuristic->title, 10, 69);
	check_words(heuristic, "advice", heuristic->advice, 400);
	check_words(heuristic, "why", heuristic->why, 300);
	check_text(heuristic, "source", heuristic->source, 10, 300);
	if (!is_kebab_case(heuristic->id))
		fault(heuristic, "id is not kebab-case");
	if (heuristic->title[strlen(heuristic->title) - 1] == '.')
		fault(heuristic, "title ends with a full stop");
	if (heuristic->advice[strlen(heuristic->advice) - 1] != '.')
		fault(heuristic, "advice does not end with a full stop");
	if (heuristic->kind == TC_HEURISTIC_QUALITY && heuristic->edits[0])
		fault(heuristic, "a quality note has no gain, so no edit");
	if (built_in_heuristic(heuristic->id) != heuristic)
		fault(heuristic, "id is there twice");
}

static bool is_need(const char *name)
{
	static const char *const names[] = {
#define TC_NEED(name, vendor, reason) name,
#include "advice/trace/needs.def"
#undef TC_NEED
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

static void check_needs(const struct tc_heuristic *heuristic, sqlite3 *db)
{
	(void)db;
	for (const char *const *need = heuristic->needs; *need; need++)
		if (!is_need(*need))
			fault(heuristic, "needs %s, which no capability is called", *need);
}

static bool is_special_twice(const struct tc_heuristic *heuristic)
{
	for (const char *const *id = heuristic->part_of; *id; id++)
		if (built_in_heuristic(*id) && built_in_heuristic(*id)->part_of[0])
			return true;
	return false;
}

/* Longer chains than a copy of made data, which is a blocking copy, which holds the host up, say
 * nothing that a reader of the report could follow. */
static void check_part_of(const struct tc_heuristic *heuristic, sqlite3 *db)
{
	(void)db;
	for (const char *const *id = heuristic->part_of; *id; id++) {
		const struct tc_heuristic *general = built_in_heuristic(*id);
		if (!general)
			fault(heuristic, "is part of %s, which is no heuristic", *id);
		else if (is_special_twice(general))
			fault(heuristic, "is part of %s, which is a special case of a special case",
				*id);
	}
}

/* A fix that leaves an estimated share of the work has no measured gain. */
static void check_confidence(const struct tc_heuristic *heuristic, sqlite3 *db)
{
	(void)db;
	for (const char *const *edit = heuristic->edits; *edit; edit++)
		if (strstr(*edit, " by ") && strstr(heuristic->sql, "'measured' AS confidence"))
			fault(heuristic, "says measured, but its edit is an estimate: %s", *edit);
}

static void check_param(const struct tc_heuristic *heuristic, const struct tc_param *param)
{
	static const char *const units[] = {"ns", "pct", "count", "ratio", "bytes"};
	const char *suffix = strrchr(param->name, '_');
	bool known = false;

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		known |= strcmp(param->unit, units[i]) == 0;
	if (!known)
		fault(heuristic, "%s has the unknown unit %s", param->name, param->unit);
	if (!suffix || strcmp(suffix + 1, param->unit) != 0)
		fault(heuristic, "%s does not end with its unit %s", param->name, param->unit);
	if (!(param->min <= param->value && param->value <= param->max && param->min < param->max))
		fault(heuristic, "default of %s is not within its range", param->name);
	check_text(heuristic, param->name, param->help, 20, 300);
}

static sqlite3_stmt *prepare(const struct tc_heuristic *heuristic, sqlite3 *db)
{
	sqlite3_stmt *stmt = NULL;

	sqlite3_prepare_v2(db, heuristic->sql, -1, &stmt, NULL);
	return stmt;
}

/* An edit says "by :NAME". */
static bool is_in_edit(const struct tc_heuristic *heuristic, const char *name)
{
	for (const char *const *edit = heuristic->edits; edit && *edit; edit++)
		if (strstr(*edit, name))
			return true;
	return false;
}

/* Every threshold is used, every parameter of the query is a threshold. */
static void check_params(const struct tc_heuristic *heuristic, sqlite3 *db)
{
	sqlite3_stmt *stmt = prepare(heuristic, db);
	int used = 0;

	if (!stmt)
		return;
	for (const struct tc_param *param = heuristic->params; param->name; param++, used++) {
		char name[64];
		check_param(heuristic, param);
		snprintf(name, sizeof(name), ":%s", param->name);
		if (sqlite3_bind_parameter_index(stmt, name) != 0)
			continue;
		used--;
		if (!is_in_edit(heuristic, name))
			fault(heuristic, "the query does not use %s: drop its \"param:\" line",
				name);
	}
	if (sqlite3_bind_parameter_index(stmt, ":trace_id") == 0)
		fault(heuristic, "the query does not use :trace_id");
	if (sqlite3_bind_parameter_count(stmt) > used + 1)
		fault(heuristic, "the query has parameters that are no thresholds");
	sqlite3_finalize(stmt);
}

static bool may_stand_in_sql(const char *number)
{
	static const char *const allowed[] = {
		"0", "1", "1.0", "100", "100.0", "1000", "1000000", "1000000000", "1024"};

	for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++)
		if (strcmp(number, allowed[i]) == 0)
			return true;
	return false;
}

/* The end of the token of the query that starts at c: a quoted string, a word (with digits in
 * it), a number or one other character. */
static const char *token_end(const char *c)
{
	if (*c == '\'' || *c == '"') {
		const char *close = strchr(c + 1, *c);
		return close ? close + 1 : c + strlen(c);
	}
	if (isalpha((unsigned char)*c) || *c == '_' || *c == ':')
		for (c++; isalnum((unsigned char)*c) || *c == '_';)
			c++;
	else if (isdigit((unsigned char)*c))
		for (c++; isalnum((unsigned char)*c) || *c == '.';)
			c++;
	else
		c++;
	return c;
}

/* Numbers in the query would be thresholds nobody can change. */
static void check_numbers(const struct tc_heuristic *heuristic, sqlite3 *db)
{
	(void)db;
	for (const char *c = heuristic->sql, *end; *c; c = end) {
		char number[32];

		end = token_end(c);
		if (!isdigit((unsigned char)*c))
			continue;
		snprintf(number, sizeof(number), "%.*s", (int)(end - c), c);
		if (!may_stand_in_sql(number))
			fault(heuristic,
				"the query has the number %s written into it: make it a \"param:\" "
				"of the "
				"header",
				number);
	}
}

/* An ORDER BY stands outside of all parentheses. */
static void check_order(const struct tc_heuristic *heuristic, sqlite3 *db)
{
	int depth = 0;
	bool ordered = false;

	(void)db;
	for (const char *c = heuristic->sql, *end; *c; c = end) {
		end = token_end(c);
		depth += (*c == '(') - (*c == ')');
		if (depth == 0 && strncmp(c, "ORDER BY", 8) == 0)
			ordered = true;
	}
	if (!ordered)
		fault(heuristic, "the query has no ORDER BY");
}

/* Without an edit there is nothing that it could be an exception to. */
static bool has_always_if(const struct tc_heuristic *heuristic, sqlite3_stmt *stmt)
{
	bool found = !heuristic->always_if;

	for (int i = 0; i < sqlite3_column_count(stmt) && !found && heuristic->edits[0]; i++)
		found = strcmp(sqlite3_column_name(stmt, i), heuristic->always_if) == 0;
	return found;
}

static void check_sql(const struct tc_heuristic *heuristic, sqlite3 *db)
{
	static const char *const leading[] = {
		"subject", "gain_ns", "confidence", "count", "serious"};
	sqlite3_stmt *stmt = prepare(heuristic, db);
	int wanted = heuristic->kind == TC_HEURISTIC_QUALITY ? 5 : 4;

	if (!stmt)
		return;
	if (!sqlite3_stmt_readonly(stmt))
		fault(heuristic, "the query is not read-only");
	for (int i = 0; i < wanted; i++)
		if (i >= sqlite3_column_count(stmt) ||
			strcmp(sqlite3_column_name(stmt, i), leading[i]) != 0)
			fault(heuristic, "column %d of the query is not %s", i + 1, leading[i]);
	for (int i = 0; i < sqlite3_column_count(stmt); i++)
		for (int j = i + 1; j < sqlite3_column_count(stmt); j++)
			if (strcmp(sqlite3_column_name(stmt, i), sqlite3_column_name(stmt, j)) == 0)
				fault(heuristic, "two columns are called %s",
					sqlite3_column_name(stmt, i));
	if (!has_always_if(heuristic, stmt))
		fault(heuristic, "always-if needs an edit and the column %s", heuristic->always_if);
	if (sqlite3_step(stmt) != SQLITE_DONE)
		fault(heuristic, "the query does not run without rows on an empty store: %s",
			sqlite3_errmsg(db));
	sqlite3_finalize(stmt);
}

/* slice_row and slice_args may be joined by ids; a walk over all slices takes seconds. */
static void check_scans(const struct tc_heuristic *heuristic, sqlite3 *db)
{
	static const char *const scans[] = {"FROM slice_row", "FROM slice ", "JOIN slice ",
		"FROM device_op ", "JOIN device_op ", "FROM device_link", "FROM slice_arg",
		"slice_arg "};

	(void)db;
	for (size_t i = 0; i < sizeof(scans) / sizeof(scans[0]); i++)
		if (strstr(heuristic->sql, scans[i]))
			fault(heuristic, "the query scans slices: %s", scans[i]);
}

/* Two of one place would stand in the order of their ids by chance. */
static void test_order_is_total(void **state)
{
	(void)state;
	for (size_t i = 1; i < built_in()->count; i++)
		if (built_in()->files[i]->order == built_in()->files[i - 1]->order)
			fail_msg("heuristics/%s.sql has the order %d of %s: give it another",
				built_in()->files[i]->heuristic.id, built_in()->files[i]->order,
				built_in()->files[i - 1]->heuristic.id);
}

static void test_compiles(void **state)
{
	(void)state;
	for_each(check_compiles);
}
static void test_texts(void **state)
{
	(void)state;
	for_each(check_texts);
}
static void test_needs(void **state)
{
	(void)state;
	for_each(check_needs);
}
static void test_part_of(void **state)
{
	(void)state;
	for_each(check_part_of);
}
static void test_confidence(void **state)
{
	(void)state;
	for_each(check_confidence);
}
static void test_params(void **state)
{
	(void)state;
	for_each(check_params);
}
static void test_numbers(void **state)
{
	(void)state;
	for_each(check_numbers);
}
static void test_order(void **state)
{
	(void)state;
	for_each(check_order);
}
static void test_sql(void **state)
{
	(void)state;
	for_each(check_sql);
}
static void test_scans(void **state)
{
	(void)state;
	for_each(check_scans);
}

/* The checks themselves: a test that cannot fail is none. */
static void test_checks_find_faults(void **state)
{
	static const char *const wrong_needs[] = {"wings", NULL};
	static const char *const part_of[] = {"wings", "cpu-created-tensors", NULL};
	static const struct tc_param params[] = {
		{"min", "pct", 5, 10, 20, "a help text that is long enough"}, {.name = NULL}};
	static const char *const wrong_edits[] = {
		"remove role = sync", "scale class = matrix by 0.5", NULL};
	const struct tc_heuristic bad = {.id = "Bad--id",
		.title = "ends with a stop.",
		.advice = "too short",
		.why = "x",
		.kind = TC_HEURISTIC_QUALITY,
		.edits = wrong_edits,
		.always_if = "used_pct",
		.part_of = part_of,
		.needs = wrong_needs,
		.params = params,
		.sql = "SELECT 'a 7' AS subject, 42 AS gain, count(*) FROM slice"
		       " JOIN (SELECT 'measured' AS confidence) ",
		.source = "x"};
	sqlite3 *db = memory_store_open();
	struct {
		void (*check)(const struct tc_heuristic *heuristic, sqlite3 *db);
		int faults;
	} checks[] = {{check_texts, 8}, {check_needs, 1}, {check_part_of, 2}, {check_confidence, 1},
		{check_params, 4}, {check_numbers, 1}, {check_order, 1}, {check_sql, 6},
		{check_scans, 1}};

	(void)state;
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		fault_count = 0;
		checks[i].check(&bad, db);
		assert_int_equal(fault_count, checks[i].faults);
	}
	sqlite3_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_is_total),
		cmocka_unit_test(test_compiles),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_needs),
		cmocka_unit_test(test_part_of),
		cmocka_unit_test(test_confidence),
		cmocka_unit_test(test_params),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_sql),
		cmocka_unit_test(test_scans),
		cmocka_unit_test(test_checks_find_faults),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
