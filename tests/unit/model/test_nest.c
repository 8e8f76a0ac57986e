/* Depth and parent of host slices. */
#include "model_fixture.h"

#define X(name, ts, dur) "{'ph':'X','name':'" name "','pid':1,'tid':1,'ts':" ts ",'dur':" dur "}"
#define B(name, ts) "{'ph':'B','name':'" name "','pid':1,'tid':1,'ts':" ts "}"

static const char sql[] = "SELECT s.name, s.depth, p.name FROM slice s LEFT JOIN slice p "
			  "ON p.id = s.parent_id ORDER BY s.ts, s.depth, s.id";

static void slices_are_inside_what_holds_them(void **state)
{
	(void)state;
	model_check(X("a", "0", "10") "," X("b", "1", "5") "," X("c", "2", "2") "," X(
			    "d", "7", "3") "," X("e", "10", "1"),
		sql, "a|0|-;b|1|a;c|2|b;d|1|a;e|0|-");
	/* The child first in the file, also at one time. */
	model_check(X("child", "1", "2") "," X("parent", "1", "9") "," X("other", "5", "5"), sql,
		"parent|0|-;child|1|parent;other|1|parent");
	/* The same time and length: the first of the file is the outer one. */
	model_check(X("a", "1", "2") "," X("b", "1", "2"), sql, "a|0|-;b|1|a");
	/* Names tell that a call is in an operation, and that in a step, whatever comes first. */
	model_check(X("cudaLaunchKernel", "1", "2") "," X("aten::add", "1", "2") "," X(
			    "ProfilerStep#1", "1", "2"),
		sql, "ProfilerStep#1|0|-;aten::add|1|ProfilerStep#1;cudaLaunchKernel|2|aten::add");
	/* As roctracer writes them, in whole microseconds. */
	model_check("{'ph':'X','cat':'cpu_op','name':'aten::mm','pid':1,'tid':1,'ts':1,'dur':2},"
		    "{'ph':'X','cat':'python_function','name':'<built-in method "
		    "mm>','pid':1,'tid':1,'ts':1,'dur':2}",
		sql, "<built-in method mm>|0|-;aten::mm|1|<built-in method mm>");
	/* Other threads are others. */
	model_check(X("a", "1", "9") ",{'ph':'X','name':'b','pid':1,'tid':2,'ts':2,'dur':1}", sql,
		"a|0|-;b|0|-");
}

static void slices_without_length(void **state)
{
	(void)state;
	model_check(X("a", "0", "10") "," X("z", "5", "0") "," X("y", "5", "0"), sql,
		"a|0|-;z|1|a;y|2|z");
	model_check(X("a", "0", "10") "," X("start", "0", "0") "," X("end", "10", "0"), sql,
		"a|0|-;start|1|a;end|0|-");
	model_check(X("z", "5", "0") "," X("a", "5", "1"), sql, "a|0|-;z|1|a");
	/* Each is in the one before it, not in one that had ended or that is of another time. */
	model_check(X("a", "0", "5") "," X("x", "5", "0") "," X("y", "5", "0") "," X(
			    "z", "5", "0") "," X("later", "6", "0"),
		sql, "a|0|-;x|0|-;y|1|x;z|2|y;later|0|-");
}

#define E(name, ts) "{'ph':'E','name':'" name "','pid':1,'tid':1,'ts':" ts "}"

/* Begin and end events say how they nest, also at one time. */
static void pairs_without_length(void **state)
{
	(void)state;
	model_check(
		B("a", "5") "," E("a", "5") "," B("b", "5") "," E("b", "5"), sql, "a|0|-;b|0|-");
	model_check(B("a", "5") "," B("b", "5") "," E("b", "5") "," B("c", "5") "," E(
			    "c", "5") "," E("a", "5") "," B("d", "5") "," E("d", "5"),
		sql, "a|0|-;d|0|-;b|1|a;c|1|a");
	model_check(B("out", "4") "," B("a", "5") "," B("b", "5") "," E("b", "5") "," E(
			    "a", "5") "," E("out", "5"),
		sql, "out|0|-;a|0|-;b|1|a");
	/* A complete event ends before what begins after it. */
	model_check(X("x", "5", "0") "," B("a", "5") "," E("a", "5"), sql, "x|0|-;a|0|-");
}

static void overlap_is_kept_and_told(void **state)
{
	static const char events[] = X("outer", "100", "100") "," X("inner", "150", "100") "," X(
		"in", "160", "10") "," X("last", "210", "10");

	(void)state;
	model_check(events, sql, "outer|0|-;inner|0|-;in|1|inner;last|1|inner");
	model_check(events, MODEL_LOG_SQL, "overlapping_slices|1");
	model_check(X("a", "0", "100") "," X("b", "10", "50") "," X("c", "20", "60") "," X(
			    "d", "30", "5") "," X("e", "70", "5"),
		sql, "a|0|-;b|1|a;c|1|a;d|2|c;e|2|c");
	/* What is inside of the first of two that overlap, but not of the second. */
	model_check(X("a", "0", "100") "," X("b", "90", "20") "," X("c", "95", "3"), sql,
		"a|0|-;b|0|-;c|1|b");
	model_check(X("a", "0", "10") "," X("b", "10", "10"), MODEL_LOG_SQL, "");
}

static void open_slices_hold_everything_after(void **state)
{
	(void)state;
	model_check(B("open", "5") "," X("a", "0", "4") "," X("b", "6", "1") "," B(
			    "open2", "7") "," X("c", "8", "1"),
		sql, "a|0|-;open|0|-;b|1|open;open2|1|open;c|2|open2");
}

static void lanes_have_no_nesting(void **state)
{
	(void)state;
	model_check("{'ph':'X','cat':'kernel','name':'a','pid':0,'tid':7,'ts':1,'dur':9},"
		    "{'ph':'X','cat':'kernel','name':'b','pid':0,'tid':7,'ts':2,'dur':20}",
		"SELECT count(*), (SELECT count(*) FROM import_log) FROM slice_nest", "0|0");
}

struct brute {
	int64_t ts, end;
};

/* The innermost earlier slice that holds it whole: the latest of those to start, by cursor order.
 * Of two without length at one time the first holds the second. */
static void random_slices_against_all_pairs(void **state)
{
	uint32_t x = 99;

	(void)state;
	for (int round = 0; round < 40; round++) {
		enum { COUNT = 120 };
		struct brute slices[COUNT];
		struct model_run run = {0};
		struct tc_buf text = TC_BUF_EMPTY;
		int span = round % 2 ? 40 : 400;
		for (int i = 0; i < COUNT; i++) {
			x = x * 1103515245u + 12345u;
			slices[i].ts = (x >> 12) % (uint32_t)span;
			slices[i].end = slices[i].ts + (x >> 24) % 20;
			tc_buf_format(&text,
				"%s{'ph':'X','name':'n','pid':1,'tid':1,'ts':%d,'dur':%d}",
				i ? "," : "", (int)slices[i].ts,
				(int)(slices[i].end - slices[i].ts));
		}
		model_run_events(&run, tc_buf_string(&text));
		/* b is before a in cursor order, holds it, and nothing after b before a does. */
		model_expect(run.db,
			"WITH c AS (SELECT id, ts, ts + dur AS fin, parent_id, depth, row_number() "
			"OVER (ORDER BY ts, dur DESC, id) AS n FROM slice) "
			"SELECT count(*) FROM c a WHERE a.parent_id IS NOT (SELECT b.id FROM c b "
			"WHERE b.n < a.n AND (b.fin > a.ts OR (a.fin = a.ts AND b.ts = a.ts)) "
			"AND b.fin >= a.fin ORDER BY b.n DESC "
			"LIMIT 1) "
			"OR a.depth <> coalesce((SELECT b.depth + 1 FROM c b WHERE b.id = "
			"a.parent_id), 0)",
			"0");
		model_run_close(&run);
		tc_buf_clear(&text);
	}
}

/* A staircase: each slice overlaps all that are still open. */
static void many_overlapping_slices_end(void **state)
{
	enum { COUNT = 30000 };
	struct model_run run = {0};
	struct tc_buf text = TC_BUF_EMPTY;

	(void)state;
	for (int i = 0; i < COUNT; i++)
		tc_buf_format(&text, "%s{'ph':'X','name':'n','pid':1,'tid':1,'ts':%d,'dur':%d}",
			i ? "," : "", i, COUNT);
	model_run_events(&run, tc_buf_string(&text));
	model_expect(run.db, "SELECT count(*), max(depth) FROM slice", "30000|0");
	model_run_close(&run);
	tc_buf_clear(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slices_are_inside_what_holds_them),
		cmocka_unit_test(slices_without_length),
		cmocka_unit_test(pairs_without_length),
		cmocka_unit_test(overlap_is_kept_and_told),
		cmocka_unit_test(open_slices_hold_everything_after),
		cmocka_unit_test(lanes_have_no_nesting),
		cmocka_unit_test(random_slices_against_all_pairs),
		cmocka_unit_test(many_overlapping_slices_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
