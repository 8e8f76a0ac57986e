/*
 * The JSON report against docs/report.schema.json: member by member with SQLite's JSON functions,
 * which are always there, and as a whole with python3-jsonschema where that is installed.
 */
#include "schema_fixture.h"

static void test_members(void **state)
{
	static const struct {
		const char *report, *definition;
	} objects[] = {
		{"$", "$"},
		{"$.tool", "$.properties.tool"},
		{"$.gaps", "$.properties.gaps"},
		{"$.account", "$.properties.account"},
		{"$.traces[0]", "$.\"$defs\".trace"},
		{"$.traces[0].devices[0]", "$.\"$defs\".trace.properties.devices.items"},
		{"$.traces[0].devices[0].operations[0]", "$.\"$defs\".operation"},
		{"$.traces[0].devices[0].lanes[0]", "$.\"$defs\".lane"},
		{"$.traces[0].devices[0].recipes[0]", "$.\"$defs\".recipe"},
		{"$.traces[0].metrics.wall_ns", "$.\"$defs\".metrics.additionalProperties"},
		{"$.steps[1]", "$.\"$defs\".step"},
		{"$.steps[1].devices[0]", "$.\"$defs\".step.properties.devices.items"},
		{"$.gaps.by_cause[0]", "$.\"$defs\".gap_sum"},
		{"$.gaps.longest[0]", "$.\"$defs\".gap"},
		{"$.compiles[0]", "$.\"$defs\".compile"},
		{"$.waits[0]", "$.\"$defs\".wait"},
		{"$.advice[1]", "$.\"$defs\".finding"},
		{"$.advice[1].evidence[0]", "$.\"$defs\".finding.properties.evidence.items"},
		{"$.account.not_applicable[0]", "$.\"$defs\".reasons.items"},
		{"$.settings[0]", "$.\"$defs\".setting"},
		{"$.import[0]", "$.\"$defs\".import_row"},
	};
	char path[512];
	sqlite3 *db = fixture_store();
	char *report = fixture_text(db, fixture_advice(), tc_render_json);
	char *schema = schema_text("report.schema.json", path);

	(void)state;
	assert_answer(db, "SELECT json_valid(?1)", report, "1");
	assert_answer(db, "SELECT json_valid(?1)", schema, "1");
	for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++)
		compare_members(db, report, schema, objects[i].report, objects[i].definition);
	free(schema);
	free(report);
	sqlite3_close(db);
}

/* Where a value of the report stands, and what it is there. */
static const struct {
	const char *path, *value;
} values[] = {
	{"$.schema_version", "18"},
	{"$.gaps.longest[0].gap_dur", "99000000"},
	{"$.compiles[0].kind", "again"},
	{"$.compiles[0].step", "11"},
	{"$.waits[0].op", "GEMM"},
	{"$.waits[0].op_ns", "400000"},
	{"$.waits[0].return_ns", "100000"},
	{"$.traces[0].rank", "1"},
	{"$.traces[0].base_time_ns", "(NULL)"},
	{"$.traces[0].end_ns", "501000000"},
	{"$.metrics.wall_ns.value", "500000000"},
	{"$.metrics.wall_ns.unit", "ns"},
	{"$.metrics.mme_low_precision_ratio.value", "0.8154"},
	{"$.traces[0].devices[0].metrics.mme_busy_ns.value", "75000000"},
	{"$.traces[0].devices[0].operations[0].name", "add_fwd_f32"},
	{"$.traces[0].devices[0].lanes[0].lane", "stream 7"},
	{"$.traces[0].devices[0].lanes[0].engine", "(NULL)"},
	{"$.traces[0].devices[0].lanes[1].busy_ns", "75000000"},
	{"$.traces[0].devices[0].recipes[0].recipe", "fwd #7"},
	{"$.traces[0].devices[0].recipes[1].recipe", "(NULL)"},
	{"$.steps[0].number", "10"},
	{"$.steps[0].is_warm_up", "1"},
	{"$.steps[0].metrics.compile_count.value", "2"},
	{"$.steps[0].devices", "[]"},
	{"$.steps[1].devices[0].metrics.device_busy_pct.value", "37.5"},
	{"$.steps[2].device_ts", "(NULL)"},
	{"$.gaps.by_cause[0].device", "(NULL)"},
	{"$.gaps.by_cause[0].dur_ns", "280000000"},
	{"$.gaps.longest[0].step", "11"},
	{"$.gaps.longest[2]", "(NULL)"}, /* summed rows are no single gap */
	{"$.advice[0].id", "truncated-trace"},
	{"$.advice[0].gain_ns", "(NULL)"},
	{"$.advice[1].gain_ns", "280000000"},
	{"$.advice[1].doc", "docs/heuristics/dataloader-bound.md"},
	{"$.advice[1].user", "0"},
	{"$.settings[0].param", "min_exposed_pct"},
	{"$.settings[0].value", "2.5"},
	{"$.settings[0].default", "5"},
	{"$.advice[1].evidence[0].data.exposed_pct", "56"},
	{"$.advice[1].evidence[1].count", "(NULL)"},
	{"$.advice[1].evidence[2].data.exposed_pct", "(NULL)"},
	{"$.account.fired", "[\"truncated-trace\",\"dataloader-bound\"]"},
	{"$.account.not_applicable[1].reason", "no NIC lanes"},
	{"$.import[0].byte_offset", "4849990"},
};

static void test_values(void **state)
{
	sqlite3 *db = fixture_store();
	char *report = fixture_text(db, fixture_advice(), tc_render_json);

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		char *value = ask(db, "SELECT json_extract(?1, ?2)", report, values[i].path);
		if (!value || strcmp(value, values[i].value) != 0)
			fail_msg("%s: want %s, got %s", values[i].path, values[i].value, value);
		sqlite3_free(value);
	}
	free(report);
	sqlite3_close(db);
}

/* Names with anything in them leave the report valid. */
static void test_hostile_names(void **state)
{
	sqlite3 *db = fixture_store();

	(void)state;
	memory_store_exec(db, "UPDATE op_total SET name = '\"\\' || char(0, 1, 10, 127, 155) || "
			      "CAST(x'ff80c3' AS TEXT);"
			      "UPDATE trace SET path = char(34) || CAST(x'eda080' AS TEXT);"
			      "UPDATE metric SET value = 9e999 WHERE name = 'overlapping_degree'");
	char *report = fixture_text(db, fixture_advice(), tc_render_json);
	assert_answer(db, "SELECT json_valid(?1)", report, "1");
	assert_answer(db, "SELECT json_extract(?1, '$.traces[0].path')", report,
		"\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	assert_answer(
		db, "SELECT json_type(?1, '$.metrics.overlapping_degree.value')", report, "null");
	free(report);
	sqlite3_close(db);
}

/* Ids that only a store changed by hand has. */
static void test_negative_step_ids(void **state)
{
	sqlite3 *db = fixture_store();

	(void)state;
	memory_store_exec(db, "UPDATE step SET id = -1 - id");
	char *report = fixture_text(db, fixture_advice(), tc_render_json);
	assert_answer(db, "SELECT json_valid(?1)", report, "1");
	assert_answer(db, "SELECT json_array_length(?1, '$.steps') = (SELECT count(*) FROM step)",
		report, "1");
	free(report);
	sqlite3_close(db);
}

/* A row of short gaps that has summed up one only is no single gap either. */
static void test_one_short_gap(void **state)
{
	sqlite3 *db = fixture_store();

	(void)state;
	memory_store_exec(db, "UPDATE gap SET count = 1");
	char *report = fixture_text(db, fixture_advice(), tc_render_json);
	assert_answer(db, "SELECT json_array_length(?1, '$.gaps.longest')", report, "2");
	free(report);
	sqlite3_close(db);
}

/* Nothing in the store is a report too, and twice the same store the same bytes. */
static void test_empty_and_same(void **state)
{
	char path[512];
	sqlite3 *empty = memory_store_open(), *full = fixture_store();
	char *schema = schema_text("report.schema.json", path);
	char *report = fixture_text(empty, fixture_no_advice(), tc_render_json);
	char *once = fixture_text(full, fixture_advice(), tc_render_json);
	char *again = fixture_text(full, fixture_advice(), tc_render_json);

	(void)state;
	assert_answer(empty, "SELECT json_valid(?1)", report, "1");
	compare_members(empty, report, schema, "$", "$");
	assert_string_equal(once, again);
	free(again);
	free(once);
	free(report);
	free(schema);
	sqlite3_close(empty);
	sqlite3_close(full);
}

static void test_one_step(void **state)
{
	struct tc_report_options options = fixture_options();
	struct tc_ctx *ctx = tc_ctx_new();
	struct output out = {0};
	sqlite3 *db = fixture_store();

	(void)state;
	options.has_step = true;
	options.step = 11;
	assert_int_equal(
		fixture_render(&out, ctx, db, fixture_advice(), &options, tc_render_json), TC_OK);
	assert_answer(db, "SELECT json_array_length(?1, '$.steps')", out.text, "1");
	assert_answer(db, "SELECT json_extract(?1, '$.steps[0].number')", out.text, "11");
	assert_answer(db, "SELECT json_array_length(?1, '$.gaps.longest')", out.text, "1");
	free(out.text);
	tc_ctx_free(ctx);
	sqlite3_close(db);
}

static void test_schema_with_python(void **state)
{
	sqlite3 *db = fixture_store();
	char *report = fixture_text(db, fixture_advice(), tc_render_json);

	(void)state;
	bool checked = validate("report.schema.json", report);
	free(report);
	sqlite3_close(db);
	if (!checked)
		skip();
}

static void render_summary(struct tc_job *job)
{
	job->options.summary = true;
	tc_render_json(job);
}

/* The short form agrees with the long one on the first findings. */
static void test_summary(void **state)
{
	sqlite3 *db = fixture_store();
	char *report = fixture_text(db, fixture_advice(), tc_render_json);
	char *summary = fixture_text(db, fixture_advice(), render_summary);

	(void)state;
	char *same = ask(db,
		"SELECT min(f.value ->> 'id' IS a.value ->> 'id' AND"
		" f.value ->> 'title' IS a.value ->> 'title' AND"
		" f.value ->> 'gain_ns' IS a.value ->> 'gain_ns' AND"
		" f.value ->> 'advice' IS a.value ->> 'advice') || ' ' || count(*)"
		" FROM json_each(?1, '$.traces[0].findings') f"
		" LEFT JOIN json_each(?2, '$.advice') a USING (key)",
		summary, report);
	assert_int_equal(same[0], '1');
	assert_string_not_equal(same, "1 0");
	sqlite3_free(same);
	assert_true(strlen(summary) < 6000);
	validate("summary.schema.json", summary);
	free(report);
	free(summary);
	sqlite3_close(db);
}

static void test_without_memory(void **state)
{
	sqlite3 *db = fixture_store();

	(void)state;
	fixture_torture(db, fixture_advice(), tc_render_json);
	fixture_torture(db, fixture_advice(), render_summary);
	sqlite3_close(db);
}

/* A subject that is too long for the summary ends with a whole character. */
static void test_summary_subject(void **state)
{
	struct tc_finding finding = fixture_advice()->findings[1];
	struct tc_evidence row = finding.evidence[0];
	struct tc_advice advice = {.findings = &finding, .finding_count = 1};
	sqlite3 *db = fixture_store();
	char subject[170];

	(void)state;
	memset(subject, 'a', 159);
	strcpy(subject + 159, "\xc3\xa9tail");
	row.subject = subject;
	finding.evidence = &row;
	finding.evidence_count = 1;
	char *text = fixture_text(db, &advice, render_summary);
	strcpy(subject + 159, "\"");
	assert_has(text, subject);
	free(text);
	sqlite3_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_members),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_hostile_names),
		cmocka_unit_test(test_negative_step_ids),
		cmocka_unit_test(test_one_short_gap),
		cmocka_unit_test(test_empty_and_same),
		cmocka_unit_test(test_one_step),
		cmocka_unit_test(test_schema_with_python),
		cmocka_unit_test(test_summary),
		cmocka_unit_test(test_without_memory),
		cmocka_unit_test(test_summary_subject),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
