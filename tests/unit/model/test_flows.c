/* Flows: which slices the points bind to, and which arrows they make. */
#include "model_fixture.h"

#define X(name, tid, ts, dur)                                                                      \
	"{'ph':'X','name':'" name "','pid':1,'tid':" tid ",'ts':" ts ",'dur':" dur "}"
#define P(ph, tid, ts, more)                                                                       \
	"{'ph':'" ph "','name':'fl','cat':'c','pid':1,'tid':" tid ",'ts':" ts "," more "}"

static const char sql[] = "SELECT o.name, i.name FROM flow f JOIN slice o ON o.id = f.slice_out "
			  "JOIN slice i ON i.id = f.slice_in ORDER BY f.id";

static void an_end_binds_to_the_next_slice(void **state)
{
	(void)state;
	model_check(X("a", "1", "1", "5") "," P("s", "1", "2", "'id':1") "," X("around", "2", "5",
			    "20") "," P("f", "2", "10", "'id':1") "," X("next", "2", "12", "3"),
		sql, "a|next");
	/* At the very start of a slice it is that one, whatever stands beside it. */
	model_check(X("a", "1", "1", "5") "," P("s", "1", "2", "'id':1") "," P("f", "2", "12",
			    "'id':1") "," X("next", "2", "12", "3") "," X("later", "2", "20", "1"),
		sql, "a|next");
	model_check(X("a", "1", "1", "5") "," P("s", "1", "2", "'id':1") "," P(
			    "s", "2", "12", "'id':2") "," P("f", "2", "12", "'id':1") "," X("next",
			    "2", "12", "3") "," X("later", "2", "20", "1"),
		sql, "a|next");
	/* Nothing comes. */
	model_check(
		X("a", "1", "1", "5") "," P("s", "1", "2", "'id':1") "," P("f", "1", "3", "'id':1"),
		sql, "");
}

static void with_bp_it_binds_to_the_slice_around_it(void **state)
{
	(void)state;
	model_check(X("a", "1", "1", "5") "," P("s", "1", "2", "'id':1") "," X(
			    "around", "2", "5", "20") "," X("in", "2", "8", "4") "," P("f", "2",
			    "10", "'id':1,'bp':'e'") "," X("next", "2", "30", "3"),
		sql, "a|in");
	/* At the start, and at the end when nothing starts there. */
	model_check(X("a", "1", "1", "5") "," P("s", "1", "1", "'id':1") "," X(
			    "b", "2", "5", "5") "," P("f", "2", "5", "'id':1,'bp':'e'"),
		sql, "a|b");
	model_check(X("a", "1", "1", "5") "," P("s", "1", "6", "'id':1") "," X(
			    "b", "2", "5", "5") "," P("f", "2", "10", "'id':1,'bp':'e'"),
		sql, "a|b");
	model_check(
		X("a", "1", "1", "5") "," P("s", "1", "6", "'id':1") "," X("b", "2", "5",
			"5") "," X("c", "2", "10", "5") "," P("f", "2", "10", "'id':1,'bp':'e'"),
		sql, "a|c");
	/* Outside of all slices it binds to none. */
	model_check(X("a", "1", "1", "5") "," P("s", "1", "2", "'id':1") "," P(
			    "f", "1", "7", "'id':1,'bp':'e'"),
		sql, "");
}

static void several_ends_and_ids_used_again(void **state)
{
	(void)state;
	model_check(X("a", "1", "0", "2") "," P("s", "1", "1", "'id':1") "," X(
			    "k1", "2", "3", "1") "," P("f", "2", "3", "'id':1,'bp':'e'") "," X("k2",
			    "2", "5", "1") "," P("f", "2", "5", "'id':1,'bp':'e'") "," X("b", "1",
			    "10", "2") "," P("s", "1", "11", "'id':1") "," X("k3", "2", "13",
			    "1") "," P("f", "2", "13", "'id':1,'bp':'e'"),
		sql, "a|k1;a|k2;b|k3");
	/* A number and a text of it are one id; other names and categories are other flows. */
	model_check(X("a", "1", "0", "2") "," P("s", "1", "1", "'id':'16'") "," X("b", "2", "3",
			    "1") "," P("f", "2", "3", "'id':16,'bp':'e'") "," X("c", "2", "5",
			    "1") ",{'ph':'f','name':'other','cat':'c','pid':1,'tid':2,'ts':5,"
				 "'id':16,'bp':'e'},{'ph':'f','name':'fl','cat':'d','pid':1,"
				 "'tid':2,'ts':5,'id':16,'bp':'e'}",
		sql, "a|b");
	model_check(X("a", "1", "0", "2") "," P("s", "1", "1", "'id':'0xab'") "," X(
			    "b", "2", "3", "1") "," P("f", "2", "3", "'id':'0xab','bp':'e'"),
		sql, "a|b");
	/* The start and the end at one time. */
	model_check(X("a", "1", "0", "2") "," X("b", "2", "0", "2") "," P(
			    "f", "2", "1", "'id':1,'bp':'e'") "," P("s", "1", "1", "'id':1"),
		sql, "a|b");
}

static void steps_are_passed_through(void **state)
{
	(void)state;
	model_check(X("a", "1", "0", "2") "," P("s", "1", "1", "'id':1") "," X(
			    "b", "2", "3", "2") "," P("t", "2", "4", "'id':1") "," X("c", "3", "6",
			    "2") "," P("f", "3", "7", "'id':1,'bp':'e'"),
		sql, "a|b;b|c");
}

static void version_two_is_on_slices(void **state)
{
#define V(name, ts, more)                                                                          \
	"{'ph':'X','name':'" name "','cat':'" name "','pid':1,'tid':1,'ts':" ts ",'dur':1," more "}"
	(void)state;
	model_check(V("a", "1", "'bind_id':'0x5','flow_out':true") "," V(
			    "b", "3", "'bind_id':'0x5','flow_in':true,'flow_out':true") "," V("c",
			    "5", "'bind_id':'0x5','flow_in':true") "," V("d", "7",
			    "'bind_id':'0x5','flow_in':true"),
		sql, "a|b;b|c;b|d");
	model_check(V("a", "1", "'bind_id':5,'flow_out':true") "," V(
			    "b", "3", "'bind_id':'5','flow_in':true") "," V("c", "4",
			    "'bind_id':5") "," V("d", "5", "'bind_id':null,'flow_in':true"),
		sql, "a|b");
#undef V
}

/* The same on begin events, of threads and of async tracks; arrows leave what they begin. */
static void version_two_is_on_begins(void **state)
{
#define BEGIN(ph, name, ts, more)                                                                  \
	"{'ph':'" ph "','name':'" name "','cat':'c','id':1,'pid':1,'tid':1,'ts':" ts more "}"
	static const char out[] = ",'bind_id':'0x5','flow_out':true";
	static const char in[] = ",'bind_id':'0x5','flow_in':true";
	struct model_run run = {0};
	struct tc_buf text = TC_BUF_EMPTY;

	(void)state;
	tc_buf_format(&text,
		BEGIN("B", "a", "1", "%s") "," BEGIN("B", "b", "3", "%s") "," BEGIN(
			"E", "b", "4", "") "," BEGIN("b", "x", "5", "%s") "," BEGIN("e", "x", "6",
			"") "," BEGIN("B", "open", "7", "%s"),
		out, in, in, in);
	model_run_events(&run, tc_buf_string(&text));
	model_expect(run.db, sql, "a|b;a|x;a|open");
	model_run_close(&run);
	tc_buf_clear(&text);
	/* What makes no slice, or says no direction, is told. */
	model_check(BEGIN("B", "a", "1", ",'bind_id':5") "," BEGIN(
			    "i", "i", "2", ",'bind_id':5,'flow_in':true") "," BEGIN("E", "a", "3",
			    ",'bind_id':5,'flow_in':true"),
		MODEL_LOG_SQL, "flow_without_direction|3");
	model_check(
		BEGIN("B", "a", "1", ",'bind_id':{},'flow_in':true") "," BEGIN("E", "a", "3", ""),
		MODEL_LOG_SQL, "bad_id|1");
#undef BEGIN
}

static void what_is_alone_is_counted(void **state)
{
	(void)state;
	model_check(X("a", "1", "0", "90") "," P("s", "1", "1", "'id':1") "," P("s", "1", "2",
			    "'id':2") "," P("f", "1", "3", "'id':3,'bp':'e'") "," P("f", "2", "3",
			    "'id':1,'bp':'e'") "," P("f", "1", "95", "'id':2"),
		MODEL_LOG_SQL, "unmatched_flow|5");
	model_check(X("a", "1", "0", "90") "," P("s", "1", "1", "'x':1") "," P("f", "1", "3",
			    "'id':'','bp':'e'") "," P("f", "1", "3", "'id':{},'bp':'e'"),
		MODEL_LOG_SQL, "bad_id|3");
	model_check(X("a", "1", "0", "9") "," P("s", "1", "1", "'id':1") "," P(
			    "f", "1", "2", "'id':1,'bp':'e'"),
		MODEL_LOG_SQL, "");
}

static void points_on_lanes_bind_as_well(void **state)
{
	(void)state;
	model_check(X("call", "1", "1", "5") "," P(
			    "s", "1", "1", "'id':1") ","
						     "{'ph':'X','cat':'kernel','name':'k','pid':0,'"
						     "tid':7,'ts':9,'dur':3},"
						     "{'ph':'f','name':'fl','cat':'c','pid':0,'tid'"
						     ":7,'ts':9,'id':1,'bp':'e'}",
		sql, "call|k");
}

static void many_ids(void **state)
{
	enum { COUNT = 20000 };
	struct model_run run = {0};
	struct tc_buf text = TC_BUF_EMPTY;

	(void)state;
	tc_buf_append_string(&text, X("a", "1", "0", "900000"));
	for (int i = 0; i < COUNT; i++)
		tc_buf_format(&text,
			",{'ph':'s','name':'f','pid':1,'tid':1,'ts':%d,'id':'x%d'},"
			"{'ph':'f','name':'f','pid':1,'tid':1,'ts':%d,'id':'x%d','bp':'e'}",
			i, i, i + COUNT, i);
	model_run_events(&run, tc_buf_string(&text));
	model_expect(run.db, "SELECT count(*), count(DISTINCT id) FROM flow", "20000|20000");
	model_run_close(&run);
	tc_buf_clear(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_end_binds_to_the_next_slice),
		cmocka_unit_test(with_bp_it_binds_to_the_slice_around_it),
		cmocka_unit_test(several_ends_and_ids_used_again),
		cmocka_unit_test(steps_are_passed_through),
		cmocka_unit_test(version_two_is_on_slices),
		cmocka_unit_test(version_two_is_on_begins),
		cmocka_unit_test(what_is_alone_is_counted),
		cmocka_unit_test(points_on_lanes_bind_as_well),
		cmocka_unit_test(many_ids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
