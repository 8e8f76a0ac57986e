/* Begin and end events: which end closes which begin, in any order of arrival. */
#include "model_fixture.h"

#define B(name, ts) "{'ph':'B','name':'" name "','pid':1,'tid':1,'ts':" ts "}"
#define E(name, ts) "{'ph':'E','name':'" name "','pid':1,'tid':1,'ts':" ts "}"
#define END(ts) "{'ph':'E','pid':1,'tid':1,'ts':" ts "}"

static const char sql[] = "SELECT name, ts / 1000, CASE WHEN dur < 0 THEN -1 ELSE dur / 1000 END, "
			  "depth FROM slice ORDER BY ts, id";

static void ends_close_by_name_or_innermost(void **state)
{
	(void)state;
	model_check(B("a", "1") "," B("b", "2") "," E("b", "3") "," E("a", "4"), sql,
		"a|1|3|0;b|2|1|1");
	model_check(B("a", "1") "," B("b", "2") "," END("3") "," END("4"), sql, "a|1|3|0;b|2|1|1");
	/* An end with a name reaches over what is open inside. */
	model_check(B("a", "1") "," B("b", "2") "," E("a", "3") "," E("b", "4"), sql,
		"a|1|2|0;b|2|2|0");
	/* The innermost of two with one name. */
	model_check(B("a", "1") "," B("a", "2") "," E("a", "3") "," E("a", "5"), sql,
		"a|1|4|0;a|2|1|1");
	/* An empty name is none. */
	model_check(B("a", "1") "," E("", "3"), sql, "a|1|2|0");
}

static void a_category_must_fit_as_well(void **state)
{
	static const char begin[] = "{'ph':'B','name':'a','cat':'x','pid':1,'tid':1,'ts':1},";

	(void)state;
	model_check("{'ph':'B','name':'a','cat':'x','pid':1,'tid':1,'ts':1},"
		    "{'ph':'E','name':'a','cat':'y','pid':1,'tid':1,'ts':2},"
		    "{'ph':'E','cat':'x','pid':1,'tid':1,'ts':3}",
		sql, "a|1|2|0");
	char text[400];
	snprintf(text, sizeof(text), "%s%s", begin, "{'ph':'E','name':'a','pid':1,'tid':1,'ts':9}");
	model_check(text, sql, "a|1|8|0");
	snprintf(text, sizeof(text), "%s%s", begin,
		"{'ph':'E','name':'a','cat':'','pid':1,'tid':1,'ts':9}");
	model_check(text, sql, "a|1|8|0");
}

static void what_has_no_partner_is_logged(void **state)
{
	(void)state;
	model_check(E("a", "1") "," B("a", "2"), sql, "a|2|-1|0");
	model_check(
		E("a", "1") "," B("a", "2"), MODEL_LOG_SQL, "unmatched_begin|1;unmatched_end|1");
	model_check(B("a", "1") "," E("b", "2") "," E("a", "3"), sql, "a|1|2|0");
	model_check(B("a", "1") "," E("b", "2") "," E("a", "3"), MODEL_LOG_SQL, "mismatched_end|1");
	model_check(B("a", "1") "," B("b", "2") "," B("c", "3") "," E("b", "4"), sql,
		"a|1|-1|0;b|2|2|1;c|3|-1|1");
	/* Other threads do not help. */
	model_check(B("a", "1") ",{'ph':'E','name':'a','pid':1,'tid':2,'ts':2}", MODEL_LOG_SQL,
		"unmatched_begin|1;unmatched_end|1");
	/* The log names the place. */
	model_check(B("a", "1"), "SELECT byte_offset, message FROM import_log", "1|a");
}

static void arrival_does_not_matter_but_at_one_time(void **state)
{
	(void)state;
	model_check(E("a", "4") "," E("b", "3") "," B("b", "2") "," B("a", "1"), sql,
		"a|1|3|0;b|2|1|1");
	/* At one time the order of the file decides. */
	model_check(B("a", "1") "," E("a", "1") "," B("b", "1") "," E("b", "1"), sql,
		"a|1|0|0;b|1|0|0");
	model_check(B("a", "1") "," E("a", "2") "," B("b", "2") "," E("b", "3"), sql,
		"a|1|1|0;b|2|1|0");
	model_check(E("a", "1") "," B("a", "1"), sql, "a|1|-1|0");
	/* With X events between. */
	model_check(
		B("a", "1") ",{'ph':'X','name':'x','pid':1,'tid':1,'ts':2,'dur':1}," E("a", "9"),
		sql, "a|1|8|0;x|2|1|1");
}

static void args_are_merged_and_the_end_wins(void **state)
{
	static const char events[] =
		"{'ph':'B','name':'a','pid':1,'tid':1,'ts':1,'args':{'x':1,'y':'b'}},"
		"{'ph':'E','name':'a','pid':1,'tid':1,'ts':2,'args':{'x':2,'z':[3]}}";

	(void)state;
	model_check(events,
		"SELECT args ->> 'x', args ->> 'y', args ->> 'z', "
		"(SELECT count(*) FROM json_each(args)) FROM slice",
		"2|b|[3]|3");
	model_check(events, MODEL_LOG_SQL, "duplicate_arg|1");
	model_check("{'ph':'B','name':'a','pid':1,'tid':1,'ts':1,'args':null},"
		    "{'ph':'E','name':'a','pid':1,'tid':1,'ts':2,'args':{'s':0}}",
		"SELECT args ->> 's' FROM slice", "0");
	model_check("{'ph':'B','name':'a','pid':1,'tid':1,'ts':1,'args':{'s':5}},"
		    "{'ph':'E','name':'a','pid':1,'tid':1,'ts':2,'args':{'s':5}}",
		"SELECT args, (SELECT count(*) FROM import_log) FROM slice", "{\"s\":5}|1");
}

static void async_pairs_are_of_their_id(void **state)
{
	static const char events[] = "{'ph':'b','name':'a','cat':'c','id':1,'pid':1,'ts':1},"
				     "{'ph':'b','name':'b','cat':'c','id':1,'pid':1,'ts':2},"
				     "{'ph':'b','name':'a','cat':'c','id':2,'pid':1,'ts':2},"
				     "{'ph':'e','name':'b','cat':'c','id':1,'pid':1,'ts':3},"
				     "{'ph':'e','name':'a','cat':'c','id':1,'pid':1,'ts':4},"
				     "{'ph':'S','name':'s','cat':'c','id':3,'pid':1,'ts':5},"
				     "{'ph':'T','name':'s','cat':'c','id':3,'pid':1,'ts':6},"
				     "{'ph':'F','name':'s','cat':'c','id':3,'pid':1,'ts':7}";
	struct model_run run = {0};

	(void)state;
	model_run_events(&run, events);
	model_expect(run.db, sql, "a|1|3|0;b|2|1|1;a|2|-1|0;s|5|2|0");
	model_expect(run.db, "SELECT name, ts FROM instant", "s|6000");
	model_run_close(&run);
}

/* Ids go by the order of the file for X, by track and time for pairs, without holes. */
static void slice_ids_have_no_holes(void **state)
{
	(void)state;
	model_check(B("b", "9") "," E("b", "10") ",{'ph':'X','name':'x','pid':1,'tid':2,'ts':1,"
						 "'dur':1}," B("a", "1") "," E("a", "2"),
		"SELECT id, name FROM slice ORDER BY id", "0|x;1|a;2|b");
}

/* Pairs that begin and end at one time: the first to begin is the outer one. */
static void pairs_of_one_extent_nest_as_they_began(void **state)
{
	static const char nest_sql[] = "SELECT s.name, p.name FROM slice s LEFT JOIN slice p "
				       "ON p.id = s.parent_id ORDER BY s.id";

	(void)state;
	model_check(B("a", "1") "," B("b", "1") "," B("c", "1") "," E("c", "3") "," E(
			    "b", "3") "," E("a", "3"),
		nest_sql, "a|-;b|a;c|b");
	model_check(B("o", "0") "," B("a", "1") "," B("b", "1") "," END("3") "," END("3") "," B(
			    "c", "3") "," B("d", "3") "," END("4") "," END("4") "," END("4"),
		"SELECT s.name, s.depth, p.name FROM slice s LEFT JOIN slice p "
		"ON p.id = s.parent_id ORDER BY s.name",
		"a|1|o;b|2|a;c|1|o;d|2|c;o|0|-");
}

struct brute {
	int name;
	int64_t ts;
};

/* Random events against the rule said again: a stack, searched from the top. */
static void random_events_follow_the_rule(void **state)
{
	uint32_t x = 12345;

	(void)state;
	for (int round = 0; round < 60; round++) {
		struct brute stack[200];
		int count = 0, open = 0, stray = 0;
		int64_t total = 0;
		char *text = malloc(200 * 80 + 10), sum[64], *at = text;
		for (int i = 0; i < 200; i++) {
			x = x * 1103515245u + 12345u;
			int name = (int)(x >> 16) % 4, ts = i / 2;
			bool begin = (x >> 24) % 2 == 0, named = (x >> 27) % 3 != 0;
			if (begin) {
				stack[count++] = (struct brute){.name = name, .ts = ts};
			} else {
				int j = count - 1;
				while (j >= 0 && named && stack[j].name != name)
					j--;
				if (j >= 0) {
					total += ts - stack[j].ts;
					memmove(stack + j, stack + j + 1,
						(size_t)(count - j - 1) * sizeof(stack[0]));
					count--;
				} else {
					stray++;
				}
			}
			at += sprintf(at, "%s{'ph':'%c','pid':1,'tid':1,'ts':%d", i ? "," : "",
				begin ? 'B' : 'E', ts);
			at += named || begin ? sprintf(at, ",'name':'n%d'}", name)
					     : sprintf(at, "}");
		}
		open = count;
		snprintf(sum, sizeof(sum), "%lld|%d|%d", (long long)total * 1000, open, stray);
		model_check(text,
			"SELECT coalesce(sum(CASE WHEN dur >= 0 THEN dur END), 0), "
			"coalesce(sum(dur < 0), 0), (SELECT coalesce(sum(count), 0) FROM "
			"import_log "
			"WHERE kind IN ('unmatched_end', 'mismatched_end')) FROM slice",
			sum);
		free(text);
	}
}

static void many_open_begins_end(void **state)
{
	enum { COUNT = 20000 };
	struct model_run run = {0};
	struct tc_buf text = TC_BUF_EMPTY;

	(void)state;
	tc_buf_append_char(&text, '[');
	for (int i = 0; i < COUNT; i++)
		tc_buf_format(&text,
			"{\"ph\":\"B\",\"name\":\"%d\",\"pid\":1,\"tid\":1,\"ts\":%d},", i, i);
	/* The oldest first: beyond what is searched they do not match, and it is told. */
	for (int i = 0; i < COUNT; i++)
		tc_buf_format(&text,
			"{\"ph\":\"E\",\"name\":\"%d\",\"pid\":1,\"tid\":1,\"ts\":%d},", i,
			COUNT + i);
	tc_buf_append_string(&text, "{}]");
	assert_int_equal(model_run_add(&run, tc_buf_text(&text)), TC_OK);
	model_expect(run.db, "SELECT count(*) FROM slice", "20000");
	model_expect(run.db,
		"SELECT (SELECT count(*) FROM slice WHERE dur < 0) = (SELECT sum(count) FROM "
		"import_log WHERE kind = 'mismatched_end')",
		"1");
	model_run_close(&run);
	tc_buf_clear(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends_close_by_name_or_innermost),
		cmocka_unit_test(a_category_must_fit_as_well),
		cmocka_unit_test(what_has_no_partner_is_logged),
		cmocka_unit_test(arrival_does_not_matter_but_at_one_time),
		cmocka_unit_test(args_are_merged_and_the_end_wins),
		cmocka_unit_test(async_pairs_are_of_their_id),
		cmocka_unit_test(slice_ids_have_no_holes),
		cmocka_unit_test(pairs_of_one_extent_nest_as_they_began),
		cmocka_unit_test(random_events_follow_the_rule),
		cmocka_unit_test(many_open_begins_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
