/* Launches by correlation id: which call started which device work. */
#include "model_fixture.h"

#include "core/limits.h"

#define CALL(name, id, ts, dur)                                                                    \
	"{'ph':'X','cat':'cuda_runtime','name':'" name "','pid':1,'tid':1,'ts':" ts ",'dur':" dur  \
	",'args':{'correlation':" id "}}"
#define KERNEL(name, id, ts)                                                                       \
	"{'ph':'X','cat':'kernel','name':'" name "','pid':0,'tid':7,'ts':" ts                      \
	",'dur':1,'args':{'device':0,'correlation':" id "}}"
#define COPY(name, id, ts)                                                                         \
	"{'ph':'X','cat':'gpu_memcpy','name':'" name "','pid':0,'tid':7,'ts':" ts                  \
	",'dur':1,'args':{'device':0,'correlation':" id "}}"

static void work_has_the_call_of_its_id(void **state)
{
	(void)state;
	model_check(KERNEL("k2", "2", "30") "," CALL("l1", "1", "10", "2") "," KERNEL("k1", "1",
			    "20") "," CALL("l2", "2", "15", "2") "," KERNEL("k3", "3", "40"),
		MODEL_LAUNCH_SQL, "k1|l1|correlation|-;k2|l2|correlation|-;k3|-|-|-");
	/* Ids as text, and 0 for none. */
	model_check(CALL("l", "'7'", "1", "1") "," KERNEL("k", "7", "5"), MODEL_LAUNCH_SQL,
		"k|l|correlation|-");
	model_check(
		CALL("l", "0", "1", "1") "," KERNEL("k", "0", "5"), MODEL_LAUNCH_SQL, "k|-|-|-");
	model_check(CALL("l", "-1", "1", "1") "," KERNEL("k", "-1", "5"), MODEL_LAUNCH_SQL,
		"k|l|correlation|-");
}

static void the_step_is_that_of_the_launch(void **state)
{
	(void)state;
	model_check(MODEL_STEP("4", "0", "10") "," MODEL_STEP("5", "10", "10") "," CALL(
			    "l1", "1", "9", "1") "," CALL("l2", "2", "10", "1") "," KERNEL("k1",
			    "1", "15") "," KERNEL("k2", "2", "500"),
		MODEL_LAUNCH_SQL, "k1|l1|correlation|4;k2|l2|correlation|5");
	/* A launch before the first step has none. */
	model_check(MODEL_STEP("4", "50", "10") "," CALL("l1", "1", "9", "1") "," KERNEL(
			    "k1", "1", "55"),
		MODEL_LAUNCH_SQL, "k1|l1|correlation|-");
}

static void a_graph_launches_much(void **state)
{
	struct model_run run = {0};
	struct tc_buf text = TC_BUF_EMPTY;

	(void)state;
	tc_buf_append_string(&text, CALL("cudaGraphLaunch", "9", "1", "1"));
	for (int i = 0; i < 3000; i++)
		tc_buf_format(&text,
			",{'ph':'X','cat':'kernel','name':'k','pid':0,'tid':%d,'ts':%d,'dur':1,"
			"'args':{'device':0,'correlation':9}}",
			i % 3 + 7, 10 + i);
	model_run_events(&run, tc_buf_string(&text));
	model_expect(run.db,
		"SELECT launch_slice_id, launch_method, count(*) FROM device_op GROUP BY 1, 2",
		"0|correlation|3000");
	model_expect(run.db, "SELECT count(*) FROM device_link", "1");
	model_run_close(&run);
	tc_buf_clear(&text);
}

/* Of a launch of a graph the timeline knows from when to when its work runs; of other calls not. */
static void a_graph_has_a_run(void **state)
{
	struct model_run run = {0};

	(void)state;
	model_run_events(
		&run, CALL("cudaGraphLaunch", "9", "1", "1") "," CALL("cudaMemcpyAsync", "8", "3",
			      "1") "," CALL("hipGraphLaunch", "7", "5", "1") "," KERNEL("k", "9",
			      "30") "," KERNEL("k", "9", "20") "," COPY("c", "8",
			      "40") "," COPY("c", "8", "50") "," KERNEL("alone", "7", "60"));
	assert_non_null(run.timeline->graph_runs);
	const struct tc_graph_run *graph = tc_sorter_first(run.timeline->graph_runs);
	assert_non_null(graph);
	assert_int_equal(graph->start_ns, 20000);
	assert_int_equal(graph->end_ns, 31000);
	assert_int_equal(graph->device, 0);
	assert_null(tc_sorter_next(run.timeline->graph_runs));
	model_run_close(&run);
}

static void ids_that_come_back_go_by_time(void **state)
{
	(void)state;
	model_check(CALL("first", "1", "10", "2") "," CALL("second", "1", "100", "2") "," KERNEL(
			    "k1", "1", "20") "," KERNEL("k2", "1", "99") "," KERNEL("k3", "1",
			    "100") "," KERNEL("k4", "1", "900"),
		MODEL_LAUNCH_SQL,
		"k1|first|correlation|-;k2|first|correlation|-;k3|second|correlation|-;"
		"k4|second|correlation|-");
}

static void of_nested_calls_the_outer_one(void **state)
{
	(void)state;
	model_check(CALL("cudaLaunchKernel", "1", "10", "10") "," CALL(
			    "cuLaunchKernel", "1", "12", "3") "," KERNEL("k", "1", "30"),
		MODEL_LAUNCH_SQL, "k|cudaLaunchKernel|correlation|-");
	model_check(CALL("cuLaunchKernel", "1", "10", "3") "," CALL(
			    "cudaLaunchKernel", "1", "10", "10") "," KERNEL("k", "1", "11"),
		MODEL_LAUNCH_SQL, "k|cudaLaunchKernel|correlation|-");
}

static void work_before_its_call_is_skewed(void **state)
{
	static const char events[] = KERNEL("k1", "1", "5") "," KERNEL("k0", "1", "4") "," CALL(
		"l1", "1", "10", "2") "," CALL("l2", "1", "20", "2") "," KERNEL("k2", "1", "20");

	(void)state;
	model_check(events, MODEL_LAUNCH_SQL,
		"k0|l1|correlation|-;k1|l1|correlation|-;k2|l2|correlation|-");
	model_check(events, MODEL_LOG_SQL, "clock_skew|2");
}

#define ON_LANE(name, id, tid, ts)                                                                 \
	"{'ph':'X','cat':'kernel','name':'" name "','pid':0,'tid':" tid ",'ts':" ts                \
	",'dur':1,'args':{'device':0,'correlation':" id "}}"
#define TWO_STEPS MODEL_STEP("4", "0", "100") "," MODEL_STEP("5", "100", "100") ","

/* A lane runs in order: what it runs before the first operation with a call in the trace was
 * launched before that call. */
static void work_before_the_first_launch_of_its_lane_has_no_step(void **state)
{
	(void)state;
	model_check(TWO_STEPS CALL("l1", "11", "10", "2") "," CALL(
			    "l2", "12", "120", "2") "," KERNEL("b1", "8", "15") "," KERNEL("b2",
			    "9", "130") "," KERNEL("k1", "11", "140") "," KERNEL("k2", "12", "150"),
		MODEL_LAUNCH_SQL,
		"b1|-|before_recording|-;b2|-|before_recording|-;k1|l1|correlation|4;"
		"k2|l2|correlation|5");
	/* Without ids, and with ids that are in no order. */
	model_check(TWO_STEPS CALL("l1", "11", "10", "2") "," KERNEL("b1", "0", "15") "," KERNEL(
			    "b2", "99", "16") "," KERNEL("k1", "11", "140"),
		MODEL_LAUNCH_SQL,
		"b1|-|before_recording|-;b2|-|before_recording|-;k1|l1|correlation|4");
}

#define BACKWARD_OP                                                                                \
	"{'ph':'X','cat':'cpu_op','name':'aten::mm','pid':0,'tid':7,'ts':15,'dur':1,'args':"       \
	"{'Fwd thread id':1,'Input Dims':[[]],'Input type':['']}}"
#define IS_GAUDI "{'ph':'M','name':'process_name','pid':0,'args':{'name':'/device:HPU:0'}}"

/* What a process is may be said last: an operation of the framework turns out to be work on a lane.
 * A thread of autograd is no step then, and the sizes of inputs are no recipe. */
static void an_operation_of_the_framework_may_lie_on_a_lane(void **state)
{
	struct model_run run = {0};
	struct tc_cursor *cursor = NULL;
	const struct tc_span *span = NULL;
	uint32_t lane = 0;

	(void)state;
	model_run_events(&run, TWO_STEPS CALL("l1", "11", "10", "2") "," BACKWARD_OP "," KERNEL(
				       "k1", "11", "140") "," IS_GAUDI);
	model_expect(run.db, MODEL_LAUNCH_SQL, "aten::mm|-|before_recording|-;k1|l1|correlation|4");
	while (run.timeline->tracks[lane].kind != TC_TRACK_LANE)
		lane++;
	cursor = tc_cursor_open(run.timeline->spans, &lane, 1);
	span = tc_cursor_next(cursor);
	assert_non_null(span);
	assert_int_equal(span->step, -1);
	assert_int_equal(span->recipe, TC_STRTAB_NONE);
	assert_int_equal(span->data_type, TC_STRTAB_NONE);
	tc_cursor_close(cursor);
	model_run_close(&run);
}

/* Ids are counted up: one between those of calls was given in the recording, one below all of them
 * was not. */
static void ids_tell_what_was_launched_before(void **state)
{
	(void)state;
	model_check(TWO_STEPS CALL("l1", "11", "10", "2") "," CALL("l2", "20", "120",
			    "2") "," KERNEL("lost", "15", "130") "," KERNEL("k2", "20", "150"),
		MODEL_LAUNCH_SQL, "lost|-|time|5;k2|l2|correlation|5");
	/* Behind work that was launched in the recording nothing older can come. */
	model_check(TWO_STEPS CALL("l1", "11", "10", "2") "," KERNEL("k1", "11", "20") "," KERNEL(
			    "odd", "3", "130"),
		MODEL_LAUNCH_SQL, "k1|l1|correlation|4;odd|-|time|5");
	/* A lane without any launch, beside one that has some. */
	model_check(TWO_STEPS CALL("l1", "11", "10", "2") "," KERNEL("k1", "11", "20") "," ON_LANE(
			    "b1", "3", "8", "130") "," ON_LANE("lost", "12", "8", "140"),
		MODEL_LAUNCH_SQL, "k1|l1|correlation|4;b1|-|before_recording|-;lost|-|time|5");
	/* The same without ids: only what starts before every call. */
	model_check(TWO_STEPS CALL("l1", "11", "10", "2") "," KERNEL("k1", "11", "20") "," ON_LANE(
			    "b1", "0", "8", "9") "," ON_LANE("x", "0", "8", "12"),
		MODEL_LAUNCH_SQL, "b1|-|before_recording|-;x|-|time|4;k1|l1|correlation|4");
}

/* Ids of more ranks than there can be are no evidence; those of the first ones stay so. */
static void ids_of_too_many_ranks_are_no_evidence(void **state)
{
	enum { RANKS = (1 << 14) + 1 };
	struct model_run run = {0};
	struct tc_buf events = TC_BUF_EMPTY;

	(void)state;
	for (int i = 0; i <= RANKS; i++) {
		/* The last but one is of a rank beyond the limit, the last of the rank before it.
		 */
		long long rank = i < RANKS ? i : RANKS - 2;
		tc_buf_format(&events,
			"{'ph':'X','cat':'cuda_runtime','name':'l','pid':1,'tid':1,'ts':%d,"
			"'dur':1,'args':{'correlation':%lld}},",
			10 + i, (rank << 36) + 10 + i);
	}
	tc_buf_format(&events,
		"{'ph':'X','cat':'kernel','name':'known','pid':0,'tid':7,'ts':100000,'dur':1,"
		"'args':{'correlation':10}},"
		"{'ph':'X','cat':'kernel','name':'lost','pid':0,'tid':8,'ts':100001,'dur':1,"
		"'args':{'correlation':%lld}}",
		((long long)(RANKS - 1) << 36) + 2);
	model_run_events(&run, tc_buf_string(&events));
	model_expect(run.db, "SELECT name, launch_method FROM device_op ORDER BY ts",
		"known|correlation;lost|-");
	model_run_close(&run);
	tc_buf_clear(&events);
}

static void without_any_launch_nothing_is_known(void **state)
{
	(void)state;
	model_check(TWO_STEPS KERNEL("k1", "1", "5") "," KERNEL("k2", "2", "130"), MODEL_LAUNCH_SQL,
		"k1|-|time|4;k2|-|time|5");
	/* Calls of another counter. */
	model_check(TWO_STEPS CALL("l1", "1000", "10", "2") "," KERNEL("k1", "1", "15") "," KERNEL(
			    "k2", "2", "130"),
		MODEL_LAUNCH_SQL, "k1|-|time|4;k2|-|time|5");
}

/* A copy call does what its copy does. */
static void a_copy_tells_its_call_what_it_is(void **state)
{
	struct model_run run = {0};
	struct tc_cursor *cursor = NULL;
	const struct tc_span *span;
	static const enum tc_role roles[] = {
		TC_ROLE_INPUT_COPY, TC_ROLE_OUTPUT_COPY, TC_ROLE_LAUNCH, TC_ROLE_LAUNCH};
	uint32_t host = 0;

	(void)state;
	model_run_events(&run,
		CALL("cudaMemcpyAsync", "1", "1", "1") "," CALL("cudaMemcpyAsync", "2", "2",
			"1") "," CALL("cudaMemcpyAsync", "3", "3", "1") "," CALL("cudaMemcpyAsync",
			"4", "4", "1") "," COPY("Memcpy HtoD", "1", "11") "," COPY("Memcpy DtoH",
			"2", "12") "," COPY("Memcpy DtoD", "3", "13"));
	while (run.timeline->tracks[host].kind != TC_TRACK_THREAD)
		host++;
	cursor = tc_cursor_open(run.timeline->spans, &host, 1);
	for (size_t i = 0; i < 4; i++) {
		span = tc_cursor_next(cursor);
		assert_non_null(span);
		assert_int_equal(tc_span_role(run.timeline, span), roles[i]);
	}
	tc_cursor_close(cursor);
	model_run_close(&run);
}

/* One id for everything: every call and operation is kept, and goes by time. */
static void one_id_for_everything(void **state)
{
	enum { COUNT = 3000 };
	struct model_run run = {0};
	struct tc_buf text = TC_BUF_EMPTY;

	(void)state;
	for (int i = 0; i < COUNT; i++)
		tc_buf_format(&text,
			"%s{'ph':'X','cat':'cuda_runtime','name':'l','pid':1,'tid':1,'ts':%d,"
			"'dur':1,'args':{'correlation':1}},{'ph':'X','cat':'kernel','name':'k',"
			"'pid':0,'tid':7,'ts':%d,'dur':1,'args':{'correlation':1}}",
			i ? "," : "", 10 * i, 10 * i + 5);
	model_run_events(&run, tc_buf_string(&text));
	model_expect(run.db,
		"SELECT count(*), min(d.ts - l.ts), max(d.ts - l.ts) FROM device_op d "
		"JOIN slice l ON l.id = d.launch_slice_id",
		"3000|5000|5000");
	model_expect(run.db, "SELECT count(*) FROM slice", "6000");
	model_run_close(&run);
	tc_buf_clear(&text);
}

static void what_is_held_before_a_call_is_limited(void **state)
{
	struct model_run run = {0};
	struct tc_buf text = TC_BUF_EMPTY;

	(void)state;
	for (int i = 0; i < TC_EARLY_MAX_COUNT + 5; i++)
		tc_buf_format(&text,
			"{'ph':'X','cat':'kernel','name':'k','pid':0,'tid':7,'ts':%d,'dur':1,"
			"'args':{'correlation':1}},",
			i);
	tc_buf_append_string(&text, CALL("late", "1", "900000", "1"));
	model_run_events(&run, tc_buf_string(&text));
	model_expect(run.db, "SELECT launch_method, count(*) FROM device_op GROUP BY 1 ORDER BY 2",
		"-|5;correlation|65536");
	model_expect(run.db, "SELECT count FROM import_log WHERE kind = 'launch_limit'", "5");
	model_run_close(&run);
	tc_buf_clear(&text);
}

#define BY_EXTERNAL_ID(cat, name, pid, id, ts, dur)                                                \
	"{'ph':'X','cat':'" cat "','name':'" name "','pid':" pid ",'tid':1,'ts':" ts ",'dur':" dur \
	",'args':{'External id':" id "}}"

static void without_a_correlation_id_the_external_one_tells(void **state)
{
	(void)state;
	model_check(BY_EXTERNAL_ID("cpu_op", "aten::mm", "1", "9", "1", "9") "," BY_EXTERNAL_ID(
			    "cuda_runtime", "cudaLaunchKernel", "1", "9", "2",
			    "1") "," BY_EXTERNAL_ID("cuda_runtime", "hipExtModuleLaunchKernel", "1",
			    "10", "5", "1") "," BY_EXTERNAL_ID("kernel", "k1", "0", "9", "6",
			    "1") "," BY_EXTERNAL_ID("kernel", "k2", "0", "10", "8",
			    "1") "," BY_EXTERNAL_ID("kernel", "k3", "0", "11", "9", "1"),
		MODEL_LAUNCH_SQL,
		"k1|cudaLaunchKernel|external_id|-;k2|hipExtModuleLaunchKernel|external_id|-;k3|-|-"
		"|-");
	/* Where that is the operator's, a wait in it launches nothing. */
	model_check(BY_EXTERNAL_ID("cuda_runtime", "hipLaunchKernel", "1", "9", "2",
			    "1") "," BY_EXTERNAL_ID("cuda_runtime", "hipStreamSynchronize", "1",
			    "9", "4", "9") "," BY_EXTERNAL_ID("kernel", "k1", "0", "9", "6", "3"),
		MODEL_LAUNCH_SQL, "k1|hipLaunchKernel|external_id|-");
	/* The same number is another one as a correlation id. */
	model_check(CALL("l", "9", "1", "1") "," BY_EXTERNAL_ID("kernel", "k", "0", "9", "5", "1"),
		MODEL_LAUNCH_SQL, "k|-|-|-");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(work_has_the_call_of_its_id),
		cmocka_unit_test(the_step_is_that_of_the_launch),
		cmocka_unit_test(a_graph_launches_much),
		cmocka_unit_test(a_graph_has_a_run),
		cmocka_unit_test(ids_that_come_back_go_by_time),
		cmocka_unit_test(of_nested_calls_the_outer_one),
		cmocka_unit_test(work_before_its_call_is_skewed),
		cmocka_unit_test(work_before_the_first_launch_of_its_lane_has_no_step),
		cmocka_unit_test(an_operation_of_the_framework_may_lie_on_a_lane),
		cmocka_unit_test(ids_tell_what_was_launched_before),
		cmocka_unit_test(ids_of_too_many_ranks_are_no_evidence),
		cmocka_unit_test(without_any_launch_nothing_is_known),
		cmocka_unit_test(a_copy_tells_its_call_what_it_is),
		cmocka_unit_test(one_id_for_everything),
		cmocka_unit_test(what_is_held_before_a_call_is_limited),
		cmocka_unit_test(without_a_correlation_id_the_external_one_tells),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
