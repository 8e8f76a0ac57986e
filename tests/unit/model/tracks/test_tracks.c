/* Processes, threads and tracks: ids of every kind, metadata at any time, limits. */
#include "model_fixture.h"

#include "model/tracks/tracks.h"

#define X(pid, tid, ts) "{'ph':'X','name':'a','pid':" pid ",'tid':" tid ",'ts':" ts ",'dur':1}"

static const char thread_sql[] =
	"SELECT p.pid, typeof(p.pid), p.name, t.tid, typeof(t.tid), t.name, count(s.id) "
	"FROM thread t JOIN process p ON p.id = t.process_id "
	"LEFT JOIN slice s ON s.thread_id = t.id GROUP BY t.id ORDER BY t.id";

static struct tc_ctx *ctx; /* of all tests */

static void ids_are_numbers_or_texts(void **state)
{
	(void)state;
	model_check(X("1", "2", "1") "," X("'1'", "'2'", "2") "," X("1", "-2", "3"), thread_sql,
		"1|integer|-|2|integer|-|2;1|integer|-|-2|integer|-|1");
	model_check(X("'Spans'", "'PyTorch Profiler'", "1") "," X("'Spans'", "'stream 7'", "2"),
		thread_sql,
		"Spans|text|Spans|PyTorch Profiler|text|PyTorch Profiler|1;"
		"Spans|text|Spans|stream 7|text|stream 7|1");
	/* Beyond int64, and fractions, stay text. */
	model_check(X("1", "15514734831341844875", "1") "," X("1", "'15514734831341844875'", "2"),
		thread_sql, "1|integer|-|15514734831341844875|text|15514734831341844875|2");
	model_check(X("-9223372036854775808", "9223372036854775807", "1"), thread_sql,
		"-9223372036854775808|integer|-|9223372036854775807|integer|-|1");
	/* A text pid and a number pid with the same string number are two. */
	model_check(X("'a'", "0", "1") "," X("0", "0", "2") "," X("'b'", "1", "3"), thread_sql,
		"a|text|a|0|integer|-|1;0|integer|-|0|integer|-|1;b|text|b|1|integer|-|1");
}

/* More threads than lookups are remembered for, in turn, by numbers and their texts. */
static void many_threads_take_turns(void **state)
{
	enum { COUNT = 500 };
	struct tc_tracks tracks;

	(void)state;
	tc_tracks_init(&tracks, ctx);
	for (int round = 0; round < 3; round++)
		for (int64_t i = 0; i < COUNT; i++) {
			const struct tc_scalar pid = {.kind = TC_SCALAR_INT, .i64 = i % 5 - 2};
			const struct tc_scalar tid = {
				.kind = TC_SCALAR_INT, .i64 = i % 2 ? INT64_MAX - i : i};
			char digits[24];
			snprintf(digits, sizeof(digits), "%lld", (long long)tid.i64);
			const struct tc_scalar text = {
				.kind = TC_SCALAR_TEXT, .text = tc_text_from(digits)};
			assert_int_equal(tc_tracks_thread(&tracks, &pid, &tid), i);
			assert_int_equal(tc_tracks_thread(&tracks, &pid, &text), i);
			assert_int_equal(tc_tracks_thread(&tracks, &pid, &tid), i);
			assert_int_equal(tc_tracks_thread(&tracks, &pid, &text), i);
		}
	assert_int_equal(tracks.thread_count, COUNT);
	assert_int_equal(tracks.process_count, 5);
	tc_tracks_clear(&tracks);
}

static void absent_ids_have_values(void **state)
{
	static const char events[] = "{'ph':'X','name':'a','ts':1,'dur':1},"
				     "{'ph':'X','name':'a','pid':7,'ts':1,'dur':1},"
				     "{'ph':'X','name':'a','tid':7,'ts':1,'dur':1},"
				     "{'ph':'X','name':'a','pid':null,'tid':null,'ts':1,'dur':1},"
				     "{'ph':'X','name':'a','pid':'q','ts':1,'dur':1},"
				     "{'ph':'X','name':'a','pid':{},'tid':[1],'ts':1,'dur':1}";

	(void)state;
	model_check(events, thread_sql,
		"0|integer|-|0|integer|-|3;7|integer|-|7|integer|-|1;0|integer|-|7|integer|-|1;"
		"q|text|q|q|text|q|1");
}

static void metadata_comes_at_any_time(void **state)
{
	static const char events[] =
		"{'ph':'M','name':'process_name','pid':1,'args':{'name':'early'}}," X("1", "2",
			"1") ",{'ph':'M','name':'thread_name','pid':1,'tid':2,'args':{'name':'old'}"
			     "},"
			     "{'ph':'M','name':'thread_name','pid':1,'tid':2,'ts':'bad','args':"
			     "{'name':'new'}},"
			     "{'ph':'M','name':'process_labels','pid':1,'args':{'labels':'GPU 0'}},"
			     "{'ph':'M','name':'process_sort_index','pid':1,'args':"
			     "{'sort_index':-16777216}},"
			     "{'ph':'M','name':'thread_sort_index','pid':1,'tid':2,'args':"
			     "{'sort_index':'5'}},"
			     "{'ph':'M','name':'thread_name','pid':1,'tid':2,'args':{'name':3}},"
			     "{'ph':'M','name':'thread_name','pid':1,'tid':2},"
			     "{'ph':'M','name':'num_cpus','pid':1,'tid':9,'args':{'number':8}},"
			     "{'ph':'M','pid':1,'tid':2},"
			     "{'ph':'M','name':'process_name','pid':5,'args':{'name':'idle'}}";
	struct model_run run = {0};

	(void)state;
	model_run_events(&run, events);
	model_expect(run.db, "SELECT pid, name, labels, sort_index FROM process ORDER BY id",
		"1|early|GPU 0|-16777216;5|idle|-|-");
	model_expect(run.db, "SELECT tid, name, sort_index FROM thread ORDER BY id", "2|new|5");
	model_expect(run.db, "SELECT kind, name FROM track", "thread|new");
	model_run_close(&run);
}

/* Tracks that nothing is on have no row; the numbers of the others stay. */
static void empty_tracks_have_no_row(void **state)
{
	(void)state;
	model_check("{'ph':'M','name':'thread_name','pid':1,'tid':1,'args':{'name':'x'}}," X(
			    "1", "2", "1") ",{'ph':'i','name':'m','pid':1,'tid':3,'ts':1}",
		"SELECT k.id, t.tid FROM track k JOIN thread t ON t.id = k.thread_id ORDER BY k.id",
		"1|2;2|3");
}

static void async_tracks_by_id_category_and_scope(void **state)
{
#define ASYNC(ph, pid, cat, id, ts)                                                                \
	"{'ph':'" ph "','name':'n','cat':'" cat "','pid':" pid ",'tid':1,'ts':" ts "," id "}"
	static const char sql[] = "SELECT k.id, k.kind, k.name, p.pid, count(s.id), sum(s.dur) "
				  "FROM track k JOIN process p ON p.id = k.process_id "
				  "JOIN slice s ON s.track_id = k.id GROUP BY k.id ORDER BY k.id";

	(void)state;
	model_check(ASYNC("b", "1", "c", "'id':1", "1") "," ASYNC(
			    "b", "1", "d", "'id':1", "2") "," ASYNC("e", "2", "c", "'id':'1'",
			    "5") "," ASYNC("e", "1", "d", "'id':1", "9"),
		sql, "0|async|n|1|1|4000;1|async|n|1|1|7000");
	/* A local id is of its process, a global one is not. */
	model_check(ASYNC("b", "1", "c", "'id2':{'local':'0x1'}", "1") "," ASYNC(
			    "b", "2", "c", "'id2':{'local':'0x1'}", "2") "," ASYNC("e", "2", "c",
			    "'id2':{'local':'0x1'}",
			    "3") "," ASYNC("b", "1", "c", "'id2':{'global':'0x1'}",
			    "4") "," ASYNC("e", "2", "c", "'id2':{'global':'0x1'}", "6"),
		sql, "0|async|n|1|1|-1;1|async|n|2|1|1000;2|async|n|1|1|2000");
	model_check(ASYNC("b", "1", "c", "'id':''", "1") "," ASYNC("e", "1", "c", "'id':''", "2"),
		sql, "0|async|n|1|1|1000");
	model_check(ASYNC("b", "1", "c", "'id':{}", "1") "," ASYNC("b", "1", "c", "'id':true",
			    "1") "," ASYNC("n", "1", "c", "'x':1", "2") "," ASYNC("b", "1", "c",
			    "'id2':{'':'x'}", "2") "," ASYNC("b", "1", "c", "'id':null", "1"),
		MODEL_LOG_SQL, "bad_id|5");
#undef ASYNC
}

/* Beyond the limit events are dropped and counted; those of known threads are not. */
static void the_limit_is_told(void **state)
{
	struct tc_tracks tracks;
	struct tc_scalar pid = {.kind = TC_SCALAR_INT, .i64 = 1}, tid = pid;

	(void)state;
	tc_tracks_init(&tracks, ctx);
	tracks.max_count = 3;
	for (int round = 0; round < 2; round++) {
		for (tid.i64 = 0; tid.i64 < 20; tid.i64++) {
			uint32_t thread = tc_tracks_thread(&tracks, &pid, &tid);
			assert_int_equal(thread, tid.i64 < 3 ? (uint32_t)tid.i64 : TC_INDEX_NONE);
			assert_int_equal(tracks.is_full, tid.i64 >= 3);
		}
	}
	for (pid.i64 = 2; pid.i64 < 20; pid.i64++)
		if (tc_tracks_process(&tracks, &pid) == TC_INDEX_NONE)
			break;
	assert_true(pid.i64 < 10 && tracks.is_full);
	struct tc_scalar device = {.kind = TC_SCALAR_INT, .i64 = 0};
	assert_int_equal(tc_tracks_of_device(&tracks, 0, &device), 0);
	device.i64 = 1;
	assert_int_equal(tc_tracks_of_device(&tracks, 0, &device), TC_INDEX_NONE);
	assert_true(tracks.is_full);
	tc_tracks_clear(&tracks);
}

static void devices_of_one_thread_have_tracks(void **state)
{
#define K(device, ts)                                                                              \
	"{'ph':'X','cat':'kernel','name':'k','pid':0,'tid':7,'ts':" ts ",'dur':1,'args':{" device  \
	"}}"
	static const char sql[] = "SELECT device, count(*), count(DISTINCT track_id), lane "
				  "FROM device_op GROUP BY device ORDER BY device";

	(void)state;
	model_check(K("'device':0", "1") "," K("'device':1", "2") "," K("'device':'0'", "3") "," K(
			    "'device':1", "4"),
		sql, "0|2|1|stream 7;1|2|1|stream 7");
	/* Work that does not say its device is that of the work before it. */
	model_check(K("'x':1", "1") "," K("'device':3", "2") "," K("'x':1", "3") "," K(
			    "'device':4", "4") "," K("'x':1", "5"),
		sql, "3|3|1|stream 7;4|2|1|stream 7");
	/* A begin that names its device is closed by an end that does not. */
	model_check("{'ph':'B','cat':'kernel','name':'k','pid':0,'tid':7,'ts':1,"
		    "'args':{'device':2}},"
		    "{'ph':'E','cat':'kernel','name':'k','pid':0,'tid':7,'ts':3}",
		"SELECT device, dur FROM device_op", "2|2000");
	model_check(K("'x':1", "1"), sql, "0|1|1|stream 7");
#undef K
}

static void many_devices_on_one_thread_are_quick(void **state)
{
	struct tc_tracks tracks;
	struct tc_scalar pid = {.kind = TC_SCALAR_INT}, device = pid;

	(void)state;
	tc_tracks_init(&tracks, ctx);
	uint32_t thread = tc_tracks_thread(&tracks, &pid, &pid);
	for (int round = 0; round < 2; round++)
		for (device.i64 = 0; device.i64 < 100000; device.i64++)
			assert_int_equal(tc_tracks_of_device(&tracks, thread, &device), device.i64);
	tc_tracks_clear(&tracks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_are_numbers_or_texts),
		cmocka_unit_test(many_threads_take_turns),
		cmocka_unit_test(absent_ids_have_values),
		cmocka_unit_test(metadata_comes_at_any_time),
		cmocka_unit_test(empty_tracks_have_no_row),
		cmocka_unit_test(async_tracks_by_id_category_and_scope),
		cmocka_unit_test(the_limit_is_told),
		cmocka_unit_test(devices_of_one_thread_have_tracks),
		cmocka_unit_test(many_devices_on_one_thread_are_quick),
	};

	ctx = tc_ctx_new();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	tc_ctx_free(ctx);
	return failed;
}
