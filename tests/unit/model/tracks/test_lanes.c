/* What tracks are: lanes of devices, and threads that record one operating-system thread. */
#include "model_fixture.h"

#define NAME_PROCESS(pid, name)                                                                    \
	"{'ph':'M','name':'process_name','pid':" pid ",'args':{'name':'" name "'}}"
#define LABEL_PROCESS(pid, label)                                                                  \
	"{'ph':'M','name':'process_labels','pid':" pid ",'args':{'labels':'" label "'}}"
#define NAME_THREAD(pid, tid, name)                                                                \
	"{'ph':'M','name':'thread_name','pid':" pid ",'tid':" tid ",'args':{'name':'" name "'}}"
#define X(cat, name, pid, tid, ts)                                                                 \
	"{'ph':'X','cat':'" cat "','name':'" name "','pid':" pid ",'tid':" tid ",'ts':" ts         \
	",'dur':1}"

static const char op_sql[] = "SELECT device, engine, lane, kind, name FROM device_op ORDER BY ts";

static void gaudi_lanes_are_of_their_process(void **state)
{
	/* The names come last, as writers append them. */
	static const char events[] = X("Kernel", "GEMM", "0", "6000", "1") "," X("Kernel", "add",
		"0", "7001", "2") "," X("Runtime", "DmaMemcpy", "0", "4000", "3") "," X("Runtime",
		"recv", "0", "14000",
		"4") "," X("Runtime", "x", "0", "12000", "5") "," X("python_function",
		"threading.py(1): run", "0", "0", "6") "," NAME_PROCESS("0",
		"/device:HPU:0") "," NAME_THREAD("0", "7001", "[HD0] TPC 1");
	struct model_run run = {0};

	(void)state;
	model_run_events(&run, events);
	model_expect(run.db, op_sql,
		"0|mme|stream 6000|kernel|GEMM;0|tpc|[HD0] TPC 1|kernel|add;"
		"0|dma|stream 4000|memcpy|DmaMemcpy;0|nic|stream 14000|other|recv;"
		"0|other|stream 12000|other|x");
	model_expect(run.db,
		"SELECT k.kind, t.host_thread_id IS NULL FROM track k "
		"JOIN thread t ON t.id = k.thread_id WHERE t.tid = 0",
		"thread|0");
	/* The bridge of lazy mode writes "Kernel", also where its own events are cut off. */
	model_expect(run.db, "SELECT format, vendor FROM trace", "gaudi-lazy|gaudi");
	model_run_close(&run);
	model_check(X("kernel", "GEMM", "0", "6000", "1") "," X("hpu_op", "DmaMemcpy", "0", "4000",
			    "3") "," NAME_PROCESS("0", "/device:HPU:0"),
		"SELECT format, vendor FROM trace", "gaudi-kineto|gaudi");
}

static void the_device_is_what_its_work_says(void **state)
{
	(void)state;
	model_check("{'ph':'X','cat':'kernel','name':'k','pid':0,'tid':7,'ts':1,'dur':1,"
		    "'args':{'device':'hpu:3'}}," X("gpu_memcpy", "Memcpy DtoH", "0", "9",
			    "2") "," X("kernel", "k", "4", "7", "3"),
		op_sql,
		"hpu:3|compute|stream 7|kernel|k;hpu:3|copy|stream 9|memcpy|Memcpy DtoH;"
		"4|compute|stream 7|kernel|k");
	model_check(X("kernel", "k", "'GPU 0'", "'stream 7'", "1"), op_sql,
		"GPU 0|compute|stream 7|kernel|k");
}

/* Annotations that profilers draw on lanes are no device work. */
static void annotations_on_lanes_are_no_work(void **state)
{
	struct model_run run = {0};

	(void)state;
	model_run_events(&run, X("gpu_user_annotation", "ProfilerStep#1", "0", "7", "1") "," X(
				       "kernel", "k", "0", "7", "1"));
	model_expect(run.db, "SELECT name FROM device_op", "k");
	model_expect(run.db, "SELECT count(*) FROM step", "0");
	model_expect(run.db, "SELECT kind, device FROM track", "lane|0");
	model_run_close(&run);
}

#define TASK(name, type)                                                                           \
	"{\"ph\":\"X\",\"name\":\"" name "\",\"pid\":9,\"tid\":1,\"ts\":1,\"dur\":1,"              \
	"\"args\":{\"Task Type\":\"" type "\"}}"

/* The type of a task says that it runs on the device's CPU, whatever the task is called. */
static void ascend_task_types(void **state)
{
	struct model_run run = {0};

	(void)state;
	model_run_events(&run, TASK("IndexPutV2", "AI_CPU") "," TASK("MatMulV2", "AI_CORE"));
	model_expect(run.db, "SELECT name, coalesce(mark, '-') FROM label ORDER BY name",
		"IndexPutV2|ai_cpu;MatMulV2|-");
	model_run_close(&run);
}

/* Tasks of a stream go by their names, and collectives are work of the same device. */
static void ascend_tasks(void **state)
{
	(void)state;
	model_check(X("", "MatMul", "9", "1", "1") "," X("", "EVENT_WAIT", "9", "1", "2") "," X(
			    "", "MEMCPY_ASYNC", "9", "1", "3") "," X("", "hcom_allReduce_", "9",
			    "1", "4") "," X("", "hcom_allReduce_", "10", "2", "5") "," X("", "Free",
			    "11", "3", "6") "," X("", "Memcpy", "10", "4",
			    "7") "," NAME_PROCESS("9", "Ascend Hardware") "," NAME_THREAD("9", "1",
			    "Stream 1") "," LABEL_PROCESS("9", "NPU 0") "," NAME_PROCESS("10",
			    "Communication") "," NAME_THREAD("10", "2",
			    "Group 1 Communication") "," NAME_THREAD("10", "4",
			    "Plane 0") "," NAME_PROCESS("11",
			    "Overlap Analysis") "," NAME_THREAD("11", "3", "Free"),
		op_sql,
		"NPU 0|compute|Stream 1|other|MatMul;NPU 0|other|Stream 1|other|EVENT_WAIT;"
		"NPU 0|copy|Stream 1|memcpy|MEMCPY_ASYNC;"
		"NPU 0|communication|Stream 1|other|hcom_allReduce_;"
		"NPU 0|communication|Group 1 Communication|other|hcom_allReduce_");
}

/* Two devices in one file: pids end in the number of the device. */
static void ascend_devices(void **state)
{
	(void)state;
	model_check(
		X("", "a", "96", "1", "1") "," X("", "b", "97", "1", "2") "," X("", "hcom_send",
			"129", "1",
			"3") "," NAME_PROCESS("96", "Ascend Hardware") "," NAME_PROCESS("97",
			"Ascend Hardware") "," NAME_PROCESS("129",
			"Communication") "," NAME_THREAD("96", "1",
			"Stream 1") "," NAME_THREAD("97", "1", "Stream 1") "," NAME_THREAD("129",
			"1", "Group 0 Communication") "," LABEL_PROCESS("96",
			"NPU") "," LABEL_PROCESS("97", "NPU"),
		op_sql,
		"96|compute|Stream 1|other|a;97|compute|Stream 1|other|b;"
		"97|communication|Group 0 Communication|other|hcom_send");
}

static void ascend_lanes(void **state)
{
	(void)state;
	model_check(X("", "MatMul", "9", "1", "1") "," X(
			    "", "hcom_allReduce_", "10", "2", "2") "," X("", "x", "9", "3",
			    "3") "," NAME_PROCESS("9", "Ascend Hardware") "," NAME_THREAD("9", "1",
			    "Stream 1") "," NAME_THREAD("9", "3", "Other") "," NAME_PROCESS("10",
			    "Communication") "," NAME_THREAD("10", "2", "Group 1 Communication"),
		op_sql,
		"9|compute|Stream 1|other|MatMul;"
		"9|communication|Group 1 Communication|other|hcom_allReduce_");
}

/* tid, pid of the thread, tid and pid of the host thread it records */
static const char host_sql[] =
	"SELECT p.pid, t.tid, hp.pid, h.tid FROM thread t JOIN process p ON p.id = t.process_id "
	"LEFT JOIN thread h ON h.id = t.host_thread_id "
	"LEFT JOIN process hp ON hp.id = h.process_id ORDER BY t.id";

static void logs_record_host_threads(void **state)
{
	static const char events[] = X("Runtime", "a", "20500", "7", "1") "," X(
		"Runtime", "b", "10500", "7", "2") "," X("cpu_op", "c", "500", "7", "3") ","
		/* a thread that only the logs have */
		X("Runtime", "d", "20500", "8", "4") "," X("Runtime", "e", "10500", "8", "5") "," X(
			"Runtime", "f", "20500", "9", "6") ","
		/* no log process, though its number fits */
		X("cpu_op", "g", "20000", "7", "7") "," NAME_PROCESS(
			"20500", "Bridge Logs") "," NAME_PROCESS("10500",
			"Synapse Logger") "," NAME_PROCESS("500", "python");
	struct model_run run = {0};

	(void)state;
	model_run_events(&run, events);
	model_expect(run.db, host_sql,
		"20500|7|500|7;10500|7|500|7;500|7|500|7;20500|8|10500|8;10500|8|10500|8;"
		"20500|9|20500|9;20000|7|20000|7");
	assert_int_equal(run.timeline->host_thread_count, 4);
	model_expect(run.db, "SELECT format FROM trace", "gaudi-lazy");
	model_run_close(&run);
	/* Ids that cannot be sums stay by themselves. */
	model_check(X("R", "a", "'Bridge Logs'", "7", "1") "," X("R", "b", "-5", "7",
			    "2") "," NAME_PROCESS("-5", "Bridge Logs") "," X("R", "c",
			    "9223372036854775807", "7",
			    "3") "," NAME_PROCESS("9223372036854775807", "Memory Logs"),
		"SELECT count(*) FROM thread WHERE host_thread_id = id", "3");
}

static void host_threads_are_numbered_densely(void **state)
{
	struct model_run run = {0};
	bool seen[3] = {false};

	(void)state;
	model_run_events(&run, X("kernel", "k", "0", "7", "1") "," X("cpu_op", "a", "1", "1",
				       "1") "," X("cpu_op", "a", "1", "2", "1") "," X("kernel", "k",
				       "0", "8", "1") "," X("cpu_op", "a", "1", "3", "1"));
	assert_int_equal(run.timeline->host_thread_count, 3);
	for (size_t i = 0; i < run.timeline->track_count; i++) {
		const struct tc_track *track = &run.timeline->tracks[i];
		assert_int_equal(track->host_thread < 0, track->kind == TC_TRACK_LANE);
		assert_int_equal(track->device < 0, track->kind != TC_TRACK_LANE);
		if (track->host_thread >= 0)
			seen[track->host_thread] = true;
	}
	assert_true(seen[0] && seen[1] && seen[2]);
	model_run_close(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gaudi_lanes_are_of_their_process),
		cmocka_unit_test(the_device_is_what_its_work_says),
		cmocka_unit_test(annotations_on_lanes_are_no_work),
		cmocka_unit_test(ascend_lanes),
		cmocka_unit_test(ascend_tasks),
		cmocka_unit_test(ascend_task_types),
		cmocka_unit_test(ascend_devices),
		cmocka_unit_test(logs_record_host_threads),
		cmocka_unit_test(host_threads_are_numbered_densely),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
