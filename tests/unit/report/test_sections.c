/*
 * Every file of sections/ against an empty store: its queries compile, its columns have words and
 * units, and what it names exists.
 */
#include "schema_fixture.h"

#include "report/sections/section.h"

static struct tc_sections *read_sections(struct tc_ctx **ctx)
{
	*ctx = tc_ctx_new();
	assert_non_null(*ctx);
	struct tc_sections *sections = tc_sections_new(*ctx);
	assert_non_null(sections);
	assert_true(sections->count > 0);
	return sections;
}

/* Parameters that a report does not know would stay NULL. */
static void check_parameters(
	const struct tc_section *section, sqlite3_stmt *query, const char *const *known)
{
	for (int i = 1; i <= sqlite3_bind_parameter_count(query); i++) {
		const char *name = sqlite3_bind_parameter_name(query, i);
		size_t at = 0;
		while (known[at] && name && strcmp(known[at], name) != 0)
			at++;
		if (!name || !known[at])
			fail_msg("%s asks for %s", section->id, name ? name : "?");
	}
}

static sqlite3_stmt *prepare(sqlite3 *db, const struct tc_section *section, const char *sql)
{
	sqlite3_stmt *query = NULL;

	if (sqlite3_prepare_v2(db, sql, -1, &query, NULL) != SQLITE_OK || !query)
		fail_msg("%s: %s", section->id, sqlite3_errmsg(db));
	return query;
}

static void check_rows(sqlite3 *db, const struct tc_section *section)
{
	static const char *const known[] = {":trace", ":step", ":limit", NULL};
	sqlite3_stmt *query = prepare(db, section, section->rows.sql);

	check_parameters(section, query, known);
	if (sqlite3_column_count(query) != section->column_count)
		fail_msg("%s has %d columns and words for %d", section->id,
			sqlite3_column_count(query), section->column_count);
	assert_true(strcmp(section->page, "details") == 0 || strcmp(section->page, "memory") == 0 ||
		    strcmp(section->page, "screen") == 0 ||
		    strcmp(section->page, "pictures") == 0 || strcmp(section->page, "job") == 0);
	assert_true((section->picture != NULL) ==
		    (strcmp(section->page, "pictures") == 0 || strcmp(section->page, "job") == 0));
	for (int i = 0; i < section->column_count; i++)
		assert_true(section->titles[i][strspn(section->titles[i], "<?-~=*")] != '\0');
	sqlite3_finalize(query);
}

static void check_note(sqlite3 *db, const struct tc_section *section)
{
	static const char *const known[] = {":trace", ":step", NULL};
	sqlite3_stmt *query = prepare(db, section, section->note.sql);

	check_parameters(section, query, known);
	assert_int_equal(sqlite3_column_count(query), 1);
	assert_true(section->note_column < section->column_count);
	sqlite3_finalize(query);
}

/* Members of an object have names, each its own. */
static void check_json(sqlite3 *db, const struct tc_section *section)
{
	static const char *const of_store[] = {":step", ":rows", NULL};
	static const char *const of_trace[] = {":trace", ":step", ":top", NULL};
	static const char *const of_device[] = {":trace", ":device", ":top", NULL};
	static const char *const *const known[] = {[TC_SECTION_OF_STORE] = of_store,
		[TC_SECTION_OF_TRACE] = of_trace,
		[TC_SECTION_OF_DEVICE] = of_device};
	sqlite3_stmt *query = prepare(db, section, section->json.sql);
	int count = sqlite3_column_count(query);

	check_parameters(section, query, known[section->scope]);
	for (int i = 0; i < count; i++) {
		const char *name = sqlite3_column_name(query, i);
		size_t len = strlen(name);
		if (strspn(name, "abcdefghijklmnopqrstuvwxyz_") != len)
			fail_msg("%s: '%s' is no name of a member", section->id, name);
		for (int j = 0; j < i; j++)
			assert_string_not_equal(name, sqlite3_column_name(query, j));
	}
	sqlite3_finalize(query);
}

static void check_view(sqlite3 *db, const struct tc_section *section)
{
	sqlite3_stmt *query = prepare(db, section,
		"SELECT count(*) FROM sqlite_master WHERE type = 'view' AND name = ?1");

	sqlite3_bind_text(query, 1, section->keep, -1, SQLITE_STATIC);
	assert_int_equal(sqlite3_step(query), SQLITE_ROW);
	if (sqlite3_column_int(query, 0) != 1)
		fail_msg("%s: there is no view %s", section->id, section->keep);
	sqlite3_finalize(query);
}

static void test_queries(void **state)
{
	struct tc_ctx *ctx;
	struct tc_sections *sections = read_sections(&ctx);
	sqlite3 *db = fixture_store();

	(void)state;
	tc_sections_add_functions(ctx, db);
	assert_int_equal(tc_ctx_status(ctx), TC_OK);
	for (size_t i = 0; i < sections->count; i++) {
		const struct tc_section *section = &sections->all[i];
		assert_true(section->rows.sql || section->json.sql);
		if (section->rows.sql)
			check_rows(db, section);
		if (section->note.sql)
			check_note(db, section);
		if (section->json.sql)
			check_json(db, section);
		if (section->keep)
			check_view(db, section);
	}
	sqlite3_close(db);
	tc_sections_free(sections);
	tc_ctx_free(ctx);
}

/* No two tables of a page and no two arrays have one place, so their order is that of the files. */
static void test_places(void **state)
{
	struct tc_ctx *ctx;
	struct tc_sections *sections = read_sections(&ctx);

	(void)state;
	for (size_t i = 0; i < sections->count; i++)
		for (size_t j = 0; j < i; j++) {
			const struct tc_section *a = &sections->all[i], *b = &sections->all[j];
			if (a->page && b->page && strcmp(a->page, b->page) == 0)
				assert_int_not_equal(a->place, b->place);
			if (a->json_place && b->json_place && a->scope == b->scope)
				assert_int_not_equal(a->json_place, b->json_place);
		}
	tc_sections_free(sections);
	tc_ctx_free(ctx);
}

/* The arrays of an object follow each other, and all or none of them need --details. */
static void test_groups(void **state)
{
	struct tc_ctx *ctx;
	struct tc_sections *sections = read_sections(&ctx);
	const struct tc_section *before[3] = {NULL};

	(void)state;
	for (size_t i = 0; i < sections->count; i++) {
		const struct tc_section *section = sections->by_json_place[i];
		if (!section->key || section->json_place == 0)
			continue;
		const struct tc_section *last = before[section->scope];
		before[section->scope] = section;
		if (!section->group)
			assert_false(section->is_costly_json);
		else if (last && last->group && strcmp(last->group, section->group) == 0)
			assert_int_equal(last->is_costly_json, section->is_costly_json);
		else
			for (size_t j = 0; j < i; j++)
				assert_true(sections->by_json_place[j]->scope != section->scope ||
					    !sections->by_json_place[j]->group ||
					    strcmp(sections->by_json_place[j]->group,
						    section->group) != 0);
	}
	tc_sections_free(sections);
	tc_ctx_free(ctx);
}

/* The part of a schema below a node: "[]" for the items of an array, else a member. */
static char *below(sqlite3 *db, const char *schema, char *node, const char *step)
{
	char *reference = ask(db, "SELECT ?1 ->> '$.\"$ref\"'", node, NULL);
	char path[128];

	if (strcmp(reference, "(NULL)") != 0) { /* "#/$defs/trace" */
		snprintf(path, sizeof(path), "$.\"$defs\".%s", strrchr(reference, '/') + 1);
		sqlite3_free(node);
		node = ask(db, "SELECT ?1 -> ?2", schema, path);
	}
	sqlite3_free(reference);
	if (!step)
		return node;
	if (strcmp(step, "[]") == 0)
		snprintf(path, sizeof(path), "$.items");
	else
		snprintf(path, sizeof(path), "$.properties.\"%s\"", step);
	char *next = ask(db, "SELECT ?1 -> ?2", node, path);
	sqlite3_free(node);
	return next;
}

static char *find_items(sqlite3 *db, const char *schema, const struct tc_section *section)
{
	static const char *const scopes[][5] = {[TC_SECTION_OF_STORE] = {NULL},
		[TC_SECTION_OF_TRACE] = {"traces", "[]", NULL},
		[TC_SECTION_OF_DEVICE] = {"traces", "[]", "devices", "[]", NULL}};
	char *node = sqlite3_mprintf("%s", schema);

	for (int i = 0; scopes[section->scope][i]; i++)
		node = below(db, schema, node, scopes[section->scope][i]);
	if (section->group)
		node = below(db, schema, node, section->group);
	node = below(db, schema, below(db, schema, node, section->key), "[]");
	return below(db, schema, node, NULL);
}

/* The schemas are written by hand. Those of the arrays that are sections have the members of their
 * queries, in their order, and all are required. */
static void test_schemas(void **state)
{
	struct tc_ctx *ctx;
	struct tc_sections *sections = read_sections(&ctx);
	sqlite3 *db = fixture_store();
	char path[512];
	char *report = schema_text("report.schema.json", path);
	char *summary = schema_text("summary.schema.json", path);

	(void)state;
	for (size_t i = 0; i < sections->count; i++) {
		const struct tc_section *section = &sections->all[i];
		bool is_summary = strncmp(section->id, "summary-", strlen("summary-")) == 0;
		if (!section->json.sql)
			continue;
		sqlite3_stmt *query = prepare(db, section, section->json.sql);
		char *columns = sqlite3_mprintf("");
		for (int c = 0; c < sqlite3_column_count(query); c++)
			columns = sqlite3_mprintf(
				"%z%s%s", columns, c > 0 ? "," : "", sqlite3_column_name(query, c));
		char *items = find_items(db, is_summary ? summary : report, section);
		char *members = ask(db,
			"SELECT group_concat(key) FROM json_each(?1, '$.properties')", items, NULL);
		char *required = ask(db,
			"SELECT group_concat(value) FROM json_each(?1, '$.required')", items, NULL);
		if (strcmp(members, columns) != 0 || strcmp(required, columns) != 0)
			fail_msg("sections/%s.sql has the members %s; its schema has %s, and "
				 "requires %s",
				section->id, columns, members, required);
		sqlite3_finalize(query);
		sqlite3_free(columns);
		sqlite3_free(items);
		sqlite3_free(members);
		sqlite3_free(required);
	}
	free(report);
	free(summary);
	sqlite3_close(db);
	tc_sections_free(sections);
	tc_ctx_free(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_queries),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_schemas),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
