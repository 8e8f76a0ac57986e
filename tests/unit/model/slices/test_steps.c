/* Steps: the host's ProfilerStep#N, in time order, numbered over all traces of a store. */
#include "model_fixture.h"

#define STEP(n, ts, dur)                                                                           \
	"{'ph':'X','cat':'user_annotation','name':'ProfilerStep#" n "','pid':1,'tid':1,'ts':" ts   \
	",'dur':" dur "}"

static const char sql[] = "SELECT id, trace_id, number, name, ts, dur FROM step ORDER BY id";

static void steps_come_in_time_order(void **state)
{
	(void)state;
	model_check(STEP("5", "20", "10") "," STEP("4", "10", "10") "," STEP("6", "30.5", "1"), sql,
		"0|0|4|ProfilerStep#4|10000|10000;1|0|5|ProfilerStep#5|20000|10000;"
		"2|0|6|ProfilerStep#6|30500|1000");
	model_check("{'ph':'E','pid':1,'tid':1,'ts':9,'name':'ProfilerStep#1'},"
		    "{'ph':'B','pid':1,'tid':1,'ts':5,'name':'ProfilerStep#1'}",
		sql, "0|0|1|ProfilerStep#1|5000|4000");
}

static void what_is_no_step(void **state)
{
	(void)state;
	model_check(
		STEP("", "1", "1") "," STEP("x", "1", "1") "," STEP("1.5", "1", "1") "," STEP(
			"99999999999999999999", "1",
			"1") ","
			     "{'ph':'X','name':'profilerstep#1','pid':1,'tid':1,'ts':1,'dur':1},"
			     "{'ph':'B','name':'ProfilerStep#2','pid':1,'tid':1,'ts':1},"
			     "{'ph':'i','name':'ProfilerStep#3','pid':1,'tid':1,'ts':1},"
			     "{'ph':'X','cat':'gpu_user_annotation','name':'ProfilerStep#4','pid':"
			     "0,"
			     "'tid':7,'ts':1,'dur':1},"
			     "{'ph':'X','cat':'kernel','name':'k','pid':0,'tid':7,'ts':1,'dur':1}",
		sql, "");
}

/* JAX and TensorFlow number steps in args; the device's copy of one is no step. */
static void steps_by_args(void **state)
{
	(void)state;
	model_check("{'ph':'X','name':'train','pid':1,'tid':1,'ts':1,'dur':4,"
		    "'args':{'step_num':'7'}},"
		    "{'ph':'X','name':'train','pid':1,'tid':1,'ts':9,'dur':4,"
		    "'args':{'step_num':8}},"
		    "{'ph':'X','name':'train','pid':1,'tid':1,'ts':20,'dur':4,"
		    "'args':{'step_num':'x'}},"
		    "{'ph':'X','name':'train','pid':0,'tid':7,'ts':9,'dur':4,"
		    "'args':{'step_num':8}},"
		    "{'ph':'X','cat':'kernel','name':'k','pid':0,'tid':7,'ts':9,'dur':1}",
		sql, "0|0|7|train|1000|4000;1|0|8|train|9000|4000");
}

#define TURN(name, tid, ts, dur)                                                                   \
	"{'ph':'X','cat':'user_annotation','name':'" name "','pid':1,'tid':" tid ",'ts':" ts       \
	",'dur':" dur "}"

/* Servers and trainers name the turns of their loops; those of another thread, or within a turn,
 * do not count, and none does beside steps with a number. */
static void turns_of_a_loop(void **state)
{
	(void)state;
	model_check(TURN("execute_context_1(512)_generation_0(0)", "1", "10", "5") "," TURN(
			    "execute_context_0(0)_generation_3(3)", "1", "30",
			    "4") "," TURN("execute_context_0(0)_generation_2(2)", "1", "31",
			    "2") "," TURN("execute_context_0(0)_generation_9(9)", "2", "1", "90"),
		"SELECT number, ts, dur FROM step ORDER BY id", "0|10000|5000;1|30000|4000");
	model_check(TURN("step[DECODE bs=8]", "1", "10", "5") "," TURN(
			    "step[EXTEND bs=1 toks=512]", "1", "20", "5"),
		"SELECT count(*) FROM step", "2");
	model_check(
		TURN("[pl][profile]run_training_batch", "1", "10", "5") "," TURN(
			"[pl][profile]run_training_batch", "1", "20", "5") "," STEP("7", "9", "20"),
		"SELECT number FROM step", "7");
	model_check(TURN("step[DECODE bs=8]", "1", "10", "5"), sql, "");
}

#define STEP_OF(pid, tid, n, ts, dur)                                                              \
	"{'ph':'X','cat':'user_annotation','name':'ProfilerStep#" n "','pid':" pid ",'tid':" tid   \
	",'ts':" ts ",'dur':" dur "}"

/* Steps follow each other: those of a second process in the file, or within a step, do not. */
static void steps_of_one_loop(void **state)
{
	static const char numbers[] = "SELECT number, ts FROM step ORDER BY id";

	(void)state;
	model_check(STEP_OF("2", "1", "1", "11", "8") "," STEP_OF("1", "1", "1", "10",
			    "9") "," STEP_OF("1", "1", "2", "20", "9") "," STEP_OF("2", "1", "2",
			    "21", "8") "," STEP_OF("1", "2", "3", "30", "9"),
		numbers, "1|10000;2|20000;3|30000");
	model_check(STEP("1", "12", "3") "," STEP("1", "10", "9") "," STEP("2", "20", "9") "," STEP(
			    "2", "20", "9"),
		numbers, "1|10000;2|20000");
	model_check(
		STEP("1", "12", "3") "," STEP("1", "10", "9") "," STEP_OF("2", "1", "1", "10", "9"),
		MODEL_LOG_SQL, "other_steps|2");
	/* Threads may each have a step at once. */
	model_check(STEP_OF("1", "1", "1", "10", "15") "," STEP_OF("1", "2", "2", "20", "15"),
		numbers, "1|10000;2|20000");
	/* An epoch around steps is none; one step in a step makes no epoch. */
	model_check(STEP("0", "1", "99") "," STEP("5", "10", "9") "," STEP("6", "20", "9"), numbers,
		"5|10000;6|20000");
	model_check(STEP("0", "1", "99") "," STEP("5", "10", "9"), numbers, "0|1000");
	model_check(STEP("0", "1", "99") "," STEP("5", "10", "9") "," STEP("6", "11", "7"), numbers,
		"0|1000");
}

#define WORK_OF(name)                                                                              \
	TURN(name, "1", "10", "5")                                                                 \
	"," TURN(name, "1", "20", "5")

/* What an iteration computes is a part of its name. */
static void iterations_of_servers(void **state)
{
	static const struct {
		const char *events, *work;
	} cases[] = {
		{WORK_OF("execute_context_1(512)_generation_0(0)"), "vllm|prefill|1|512"},
		{WORK_OF("execute_context_0(0)_generation_8(16)"), "vllm|decode|8|16"},
		{WORK_OF("execute_9_context_1(3)_generation_6(6)"), "vllm|mixed|7|9"},
		{WORK_OF("execute_context_1(sq256sk300)_generation_7(sq7sk3600)"),
			"vllm|mixed|8|263"},
		{WORK_OF("execute_new_2_cached_0"), "vllm|prefill|2|-"},
		{WORK_OF("execute_new_0_cached_5"), "vllm|decode|5|5"},
		{WORK_OF("execute_diffusion_2"), "vllm|other|-|-"},
		{WORK_OF("step[EXTEND bs=2 toks=1024]"), "sglang|prefill|2|1024"},
		{WORK_OF("step[DECODE bs=8]"), "sglang|decode|8|8"},
		{WORK_OF("step[MIXED bs=3 toks=70]"), "sglang|mixed|3|70"},
		{WORK_OF("[Executor] _forward_step 7: 2 ctx reqs, 6 gen reqs"),
			"tensorrt_llm|mixed|8|-"},
		{WORK_OF("[Executor] _forward_step 7: 0 ctx reqs, 6 gen reqs"),
			"tensorrt_llm|decode|6|6"},
		{WORK_OF("[Executor] _forward_step 7: 2 ctx reqs, 512 ctx tokens, 6 gen reqs"),
			"tensorrt_llm|mixed|8|518"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		model_check(cases[i].events,
			"SELECT DISTINCT engine, phase, requests, tokens FROM serving_step",
			cases[i].work);
}

static void doubles_are_told(void **state)
{
	(void)state;
	model_check(STEP("1", "1", "1") "," STEP("2", "2", "1") "," STEP("1", "3", "1") "," STEP(
			    "1", "4", "1"),
		MODEL_LOG_SQL, "duplicate_step|2");
	model_check(STEP("1", "1", "1") "," STEP("1", "3", "1"), "SELECT count(*) FROM step", "2");
	/* Steps go by their number, so none has that of another. */
	model_check(STEP("7", "1", "1") "," STEP("8", "3", "1") "," STEP("7", "5", "1"),
		"SELECT number, name FROM step ORDER BY ts",
		"0|ProfilerStep#7;1|ProfilerStep#8;2|ProfilerStep#7");
}

#define NUMBERS "SELECT group_concat(number) FROM counted_step"
#define HOST(cat, name, ts)                                                                        \
	"{'ph':'X','cat':'" cat "','name':'" name "','pid':1,'tid':1,'ts':" ts ",'dur':1}"
#define LAUNCH(TS) HOST("cuda_runtime", "cudaLaunchKernel", TS)
#define OPERATION(TS) HOST("cpu_op", "aten::add", TS)
#define WAIT(TS) HOST("cuda_runtime", "cudaDeviceSynchronize", TS)
#define THREE_STEPS STEP("1", "10", "9") "," STEP("2", "20", "9") "," STEP("3", "30", "9") ","

/* The profiler drew it between the last step() and its end. */
static void a_last_step_without_a_launch_does_not_count(void **state)
{
	(void)state;
	model_check(THREE_STEPS LAUNCH("11") "," LAUNCH("21"), NUMBERS, "1,2");
	model_check(THREE_STEPS LAUNCH("11") "," LAUNCH("21") "," WAIT("31"), NUMBERS, "1,2");
	model_check(THREE_STEPS LAUNCH("11") "," LAUNCH("21") "," OPERATION("31"), NUMBERS, "1,2");
	model_check(THREE_STEPS OPERATION("11") "," OPERATION("21"), NUMBERS, "1,2");
	model_check(THREE_STEPS LAUNCH("11") "," LAUNCH("21"),
		"SELECT number, is_unused FROM step ORDER BY id", "1|0;2|0;3|1");
	/* Work may be launched late. */
	model_check(THREE_STEPS LAUNCH("11") "," LAUNCH("21") "," LAUNCH("40"), NUMBERS, "1,2,3");
	model_check(THREE_STEPS OPERATION("11") "," OPERATION("31"), NUMBERS, "1,2,3");
	/* Where more than one step has none, launches were lost, or are not recorded. */
	model_check(THREE_STEPS LAUNCH("11"), NUMBERS, "1,2,3");
	model_check(THREE_STEPS WAIT("11"), NUMBERS, "1,2,3");
	model_check(STEP("1", "10", "9") "," WAIT("8"), NUMBERS, "1");
}

static void the_step_at_a_time(void **state)
{
	struct model_run run = {0};

	(void)state;
	model_run_events(
		&run, STEP("1", "10", "5") "," STEP("2", "19", "5") "," STEP("3", "20", "5"));
	assert_int_equal(tc_timeline_step_at(run.timeline, INT64_MIN), -1);
	assert_int_equal(tc_timeline_step_at(run.timeline, 9999), -1);
	assert_int_equal(tc_timeline_step_at(run.timeline, 10000), 0);
	assert_int_equal(tc_timeline_step_at(run.timeline, 18999), 0);
	assert_int_equal(tc_timeline_step_at(run.timeline, 20000), 2);
	assert_int_equal(tc_timeline_step_at(run.timeline, INT64_MAX), 2);
	model_run_close(&run);
	model_run_events(&run, "{'ph':'X','name':'a','ts':1,'dur':1}");
	assert_int_equal(tc_timeline_step_at(run.timeline, 0), -1);
	model_run_close(&run);
}

static void ids_go_on_over_traces(void **state)
{
	struct model_run run = {0};

	(void)state;
	model_run_events(&run, STEP("1", "10", "5") "," STEP("2", "20", "5"));
	model_run_events(&run, STEP("1", "1", "2"));
	model_expect(run.db, sql,
		"0|0|1|ProfilerStep#1|10000|5000;1|0|2|ProfilerStep#2|20000|5000;"
		"2|1|1|ProfilerStep#1|1000|2000");
	model_expect(run.db,
		"SELECT count(*) FROM step s JOIN slice l ON l.id = s.slice_id "
		"AND l.name = s.name AND l.trace_id = s.trace_id",
		"3");
	model_run_close(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_come_in_time_order),
		cmocka_unit_test(what_is_no_step),
		cmocka_unit_test(steps_by_args),
		cmocka_unit_test(turns_of_a_loop),
		cmocka_unit_test(steps_of_one_loop),
		cmocka_unit_test(iterations_of_servers),
		cmocka_unit_test(doubles_are_told),
		cmocka_unit_test(a_last_step_without_a_launch_does_not_count),
		cmocka_unit_test(the_step_at_a_time),
		cmocka_unit_test(ids_go_on_over_traces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
