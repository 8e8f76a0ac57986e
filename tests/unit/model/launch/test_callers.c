/* Launches where several processes of one file number their calls alike, as merged ranks do. */
#include "model_fixture.h"

#define CALL(name, pid, id, ts)                                                                    \
	"{'ph':'X','cat':'cuda_runtime','name':'" name "','pid':" pid ",'tid':1,'ts':" ts          \
	",'dur':2,'args':{'correlation':" id "}}"
#define KERNEL(name, pid, id, ts)                                                                  \
	"{'ph':'X','cat':'kernel','name':'" name "','pid':" pid ",'tid':7,'ts':" ts                \
	",'dur':1,'args':{'device':" pid ",'correlation':" id "}}"
#define COPY(name, pid, id, ts)                                                                    \
	"{'ph':'X','cat':'gpu_memcpy','name':'" name "','pid':" pid ",'tid':7,'ts':" ts            \
	",'dur':1,'args':{'device':" pid ",'correlation':" id "}}"
#define CALLS_SQL                                                                                  \
	"SELECT d.name, (SELECT p.pid FROM slice s JOIN track t ON t.id = s.track_id JOIN "        \
	"process p ON p.id = t.process_id WHERE s.id = d.launch_slice_id), d.launch_method FROM "  \
	"device_op d ORDER BY d.name"

static void check_calls(const char *events, const char *expected)
{
	struct model_run run = {0};

	model_run_events(&run, events);
	model_expect(run.db, CALLS_SQL, expected);
	model_run_close(&run);
}

/* Process 91 calls later, so its calls would be the latest before all work of 90, but for k7. */
static void a_device_is_of_the_process_whose_calls_explain_it(void **state)
{
	static const char events[] = CALL("cudaLaunchKernel", "90", "7", "10") "," CALL(
		"cudaLaunchKernel", "91", "7", "30") "," KERNEL("k7", "0", "7",
		"20") "," KERNEL("m7", "1", "7", "40") "," CALL("cudaLaunchKernel", "90", "8",
		"50") "," CALL("cudaLaunchKernel", "91", "8", "60") "," KERNEL("k8", "0", "8",
		"70") "," KERNEL("m8", "1", "8", "80");

	(void)state;
	check_calls(events, "k7|90|correlation;k8|90|correlation;m7|91|correlation;"
			    "m8|91|correlation");
	model_check(events, MODEL_LOG_SQL, "alike_ids|2");
}

/* Work whose call only another process has was launched before the recording of its own. */
static void a_call_of_another_process_is_none(void **state)
{
	(void)state;
	check_calls(
		CALL("cudaLaunchKernel", "90", "5", "1") "," KERNEL("k5", "0", "5", "4") "," CALL(
			"cudaLaunchKernel", "90", "7", "10") "," CALL("cudaLaunchKernel", "91", "7",
			"30") "," KERNEL("k7", "0", "7", "20") "," KERNEL("m5", "1", "5",
			"32") "," KERNEL("m7", "1", "7", "40") "," CALL("cudaLaunchKernel", "91",
			"8", "41") "," KERNEL("m8", "1", "8", "43"),
		"k5|90|correlation;k7|90|correlation;m5|-|before_recording;m7|91|correlation;"
		"m8|91|correlation");
}

/* A launch of a kernel does not explain a copy. */
static void calls_tell_what_they_launch(void **state)
{
	(void)state;
	check_calls(CALL("cudaLaunchKernel", "90", "7", "10") "," CALL(
			    "cudaMemcpyAsync", "91", "7", "11") "," KERNEL("k", "0", "7",
			    "20") "," COPY("c", "1", "7", "21") "," CALL("cudaEventRecord", "91",
			    "8", "30") "," CALL("cudaLaunchKernel", "90", "8", "28") "," KERNEL("l",
			    "0", "8", "40"),
		"c|91|correlation;k|90|correlation;l|90|correlation");
}

static void lanes_may_be_of_the_process_itself(void **state)
{
	(void)state;
	check_calls(
		CALL("cudaLaunchKernel", "90", "7", "10") "," CALL("cudaLaunchKernel", "91", "7",
			"11") "," KERNEL("k", "90", "7", "20") "," KERNEL("m", "91", "7", "21"),
		"k|90|correlation;m|91|correlation");
}

#define TWO_CALLS                                                                                  \
	CALL("cudaLaunchKernel", "90", "7", "10")                                                  \
	"," CALL("cudaLaunchKernel", "91", "7", "11")

/* Ranks that each saw one device, number 0. */
static void a_device_may_be_shared(void **state)
{
	static const char mixed[] = TWO_CALLS "," KERNEL("k", "0", "7", "20") "," KERNEL(
		"m", "0", "7", "22") "," CALL("cudaEventRecord", "90", "9", "50");
	struct model_run run = {0};

	(void)state;
	/* One trace behind the other in the file. */
	check_calls(
		CALL("cudaLaunchKernel", "90", "7", "10") "," KERNEL("k", "0", "7", "22") "," CALL(
			"cudaLaunchKernel", "91", "7", "11") "," KERNEL("m", "0", "7", "20"),
		"k|90|correlation;m|91|correlation");
	/* Nobody knows. */
	model_run_events(&run, mixed);
	model_expect(run.db, CALLS_SQL, "k|-|-;m|-|-");
	model_expect(run.db, MODEL_LOG_SQL, "alike_ids|2;unknown_caller|2");
	assert_true(run.timeline->has_unknown_callers);
	model_run_close(&run);
	/* One recording after the other. */
	check_calls(CALL("cudaLaunchKernel", "90", "7", "10") "," CALL("cudaLaunchKernel", "91",
			    "7", "30") "," CALL("cudaEventRecord", "90", "9", "15") "," KERNEL("k",
			    "0", "7", "20") "," KERNEL("m", "0", "7", "40"),
		"k|90|correlation;m|91|correlation");
}

/* Both processes explain the work of device 0; of device 1 only 90 does. */
static void each_process_has_a_device(void **state)
{
	(void)state;
	check_calls(TWO_CALLS "," KERNEL("m", "0", "7", "20") "," CALL("cudaLaunchKernel", "91",
			    "8", "27") "," KERNEL("k", "1", "8", "26") "," CALL("cudaLaunchKernel",
			    "90", "8", "25") "," KERNEL("n", "0", "8", "30"),
		"k|90|correlation;m|91|correlation;n|91|correlation");
}

/* msprof draws each layer of a process as a process. */
static void calls_within_each_other_are_one(void **state)
{
	static const char events[] =
		"{'ph':'X','cat':'cuda_runtime','name':'outer','pid':90,'tid':1,'ts':10,'dur':9,"
		"'args':{'correlation':7}}," CALL("cudaLaunchKernel", "91", "7", "12") "," KERNEL(
			"k", "0", "7", "20");

	(void)state;
	check_calls(events, "k|90|correlation");
	model_check(events, MODEL_LOG_SQL, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_device_is_of_the_process_whose_calls_explain_it),
		cmocka_unit_test(a_call_of_another_process_is_none),
		cmocka_unit_test(calls_tell_what_they_launch),
		cmocka_unit_test(lanes_may_be_of_the_process_itself),
		cmocka_unit_test(a_device_may_be_shared),
		cmocka_unit_test(each_process_has_a_device),
		cmocka_unit_test(calls_within_each_other_are_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
