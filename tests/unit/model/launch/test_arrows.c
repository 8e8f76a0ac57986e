/* Launches by flow, and by the ids that writers other than Kineto give calls and work. */
#include "model_fixture.h"

#define GPU "{'ph':'M','name':'process_name','pid':0,'args':{'name':'GPU0'}}"
#define CALL(name, ts, dur) "{'ph':'X','name':'" name "','pid':1,'tid':1,'ts':" ts ",'dur':" dur "}"
#define WORK(name, ts) "{'ph':'X','name':'" name "','pid':0,'tid':7,'ts':" ts ",'dur':3}"
#define FLOW(ph, id, pid, tid, ts)                                                                 \
	"{'ph':'" ph "','cat':'c','name':'f','bp':'e','id':" id ",'pid':" pid ",'tid':" tid        \
	",'ts':" ts "}"

static void arrows_lead_to_work(void **state)
{
	(void)state;
	model_check(GPU "," MODEL_STEP("1", "0", "20") "," MODEL_STEP("2", "20", "9") "," CALL(
			    "l1", "1", "4") "," CALL("l2", "10", "4") "," WORK("k1",
			    "6") "," WORK("k2", "30") "," WORK("k3", "40") "," FLOW("s", "1", "1",
			    "1", "3") "," FLOW("f", "1", "0", "7", "6") "," FLOW("s", "2", "1", "1",
			    "12") "," FLOW("t", "2", "0", "7", "30"),
		MODEL_LAUNCH_SQL, "k1|l1|flow|1;k2|l2|flow|1;k3|-|time|2");
	/* The arrows are there as ever. */
	model_check(GPU
		"," CALL("l1", "1", "4") "," WORK("k1", "6") "," FLOW("s", "1", "1", "1",
			"3") "," FLOW("f", "1", "0", "7", "6") "," FLOW("s", "9", "1", "1", "3"),
		"SELECT (SELECT count(*) FROM flow), (SELECT sum(count) FROM import_log)", "1|1");
}

/* An operation of the framework, and the call of the runtime in it: the later is nearer. */
static void the_nearest_call_counts(void **state)
{
	(void)state;
	model_check(GPU
		"," CALL("op", "1", "8") "," CALL("call", "3", "2") "," WORK("k1", "6") "," FLOW(
			"s", "1", "1", "1", "1") "," FLOW("f", "1", "0", "7", "6") "," FLOW("s",
			"2", "1", "1", "4") "," FLOW("f", "2", "0", "7", "6"),
		MODEL_LAUNCH_SQL, "k1|call|flow|-");
}

static void arrows_that_are_no_launches(void **state)
{
	(void)state;
	/* Between operations of the device, and between threads of the host. */
	model_check(GPU
		"," CALL("l", "1", "2") "," CALL("m", "5", "2") "," WORK("k1", "6") "," WORK(
			"k2", "10") "," FLOW("s", "1", "0", "7", "7") "," FLOW("f", "1", "0", "7",
			"10") "," FLOW("s", "2", "1", "1", "1") "," FLOW("f", "2", "1", "1", "5"),
		MODEL_LAUNCH_SQL, "k1|-|-|-;k2|-|-|-");
	/* Where work names its calls, arrows say nothing more. */
	model_check("{'ph':'X','cat':'kernel','name':'k1','pid':0,'tid':7,'ts':6,'dur':1,"
		    "'args':{'correlation':5}},{'ph':'X','cat':'kernel','name':'k2','pid':0,"
		    "'tid':7,'ts':9,'dur':1,'args':{'correlation':6}},"
		    "{'ph':'X','name':'call','pid':1,'tid':1,'ts':2,'dur':1,"
		    "'args':{'correlation':5}}," CALL("other", "4", "1") "," FLOW(
			    "s", "1", "1", "1", "4") "," FLOW("f", "1", "0", "7", "9"),
		MODEL_LAUNCH_SQL, "k1|call|correlation|-;k2|-|-|-");
}

#define ID(name, pid, tid, ts, key, id)                                                            \
	"{'ph':'X','name':'" name "','pid':" pid ",'tid':" tid ",'ts':" ts                         \
	",'dur':1,'args':{'" key "':" id "}}"
#define NPU                                                                                        \
	"{'ph':'M','name':'process_name','pid':0,'args':{'name':'Ascend Hardware'}},"              \
	"{'ph':'M','name':'thread_name','pid':0,'tid':7,'args':{'name':'Stream 7'}}"

static void ids_of_other_writers(void **state)
{
	(void)state;
	/* Ids of CANN are not those of torch_npu's task queue. */
	model_check(NPU
		"," ID("Enqueue", "1", "1", "1", "correlation_id", "5") "," ID(
			"Dequeue", "1", "2", "2", "correlation_id", "5") "," ID("Node@launch", "2",
			"2", "3", "connection_id", "5") "," ID("MatMul", "0", "7", "8",
			"connection_id", "5") "," ID("Add", "0", "7", "9", "connection_id", "6"),
		MODEL_LAUNCH_SQL, "MatMul|Node@launch|correlation|-;Add|-|-|-");
	/* XLA writes them as text, and on lanes that say the same again. */
	model_check("{'ph':'M','name':'process_name','pid':0,'args':{'name':'/device:GPU:0'}},"
		    "{'ph':'M','name':'thread_name','pid':0,'tid':7,'args':{'name':'Stream #7'}},"
		    "{'ph':'M','name':'thread_name','pid':0,'tid':8,'args':{'name':'XLA Ops'}}," ID(
			    "fusion", "0", "7", "8", "correlation_id", "'71'") "," ID("fusion", "0",
			    "8", "1", "correlation_id", "'71'") "," ID("cuLaunchKernel", "1", "1",
			    "3", "correlation_id", "'71'"),
		MODEL_LAUNCH_SQL, "fusion|cuLaunchKernel|correlation|-");
	/* Paddle; its steps have their duration in the name. */
	model_check("{'ph':'X','cat':'ProfileStep','name':'ProfileStep#12[2.100 ms]','pid':1,"
		    "'tid':1,'ts':1,'dur':9},"
		    "{'ph':'X','cat':'Kernel','name':'k[1.000 us]','pid':0,'tid':7,'ts':8,'dur':1,"
		    "'args':{'correlation id':4}}," ID(
			    "cudaLaunchKernel[1.000 us]", "1", "1", "3", "correlation id", "4"),
		MODEL_LAUNCH_SQL, "k|cudaLaunchKernel|correlation|12");
}

/* Mergers write the rank before the pid; each rank numbers its devices and calls by itself. */
static void ranks_in_one_file(void **state)
{
	static const char events[] =
		"{'ph':'X','cat':'cuda_runtime','name':'l0','pid':'[TP00] 90','tid':90,'ts':1,"
		"'dur':1,'args':{'correlation':5}},"
		"{'ph':'X','cat':'cuda_runtime','name':'l1','pid':'[TP01] 91','tid':91,'ts':3,"
		"'dur':1,'args':{'correlation':5}},"
		"{'ph':'X','cat':'kernel','name':'k0','pid':'[TP00] 0','tid':7,'ts':8,'dur':1,"
		"'args':{'device':0,'correlation':5}},"
		"{'ph':'X','cat':'kernel','name':'k1','pid':'[TP01] 0','tid':7,'ts':9,'dur':1,"
		"'args':{'device':0,'correlation':5}},"
		"{'ph':'X','cat':'user_annotation','name':'ProfilerStep#3','pid':'[TP00] 90',"
		"'tid':90,'ts':0,'dur':9},"
		"{'ph':'X','cat':'user_annotation','name':'ProfilerStep#3','pid':'[TP01] 91',"
		"'tid':91,'ts':0,'dur':9}";
	struct model_run run = {0};

	(void)state;
	model_run_events(&run, events);
	model_expect(run.db, MODEL_LAUNCH_SQL, "k0|l0|correlation|3;k1|l1|correlation|3");
	model_expect(run.db, "SELECT device, name FROM device_op ORDER BY ts",
		"[TP00] 0|k0;[TP01] 0|k1");
	model_expect(run.db, "SELECT count(*) FROM step", "1");
	model_expect(run.db, MODEL_LOG_SQL, "merged_ranks|2");
	model_run_close(&run);
	/* Two devices of one number, whatever the pids are. */
	model_check("{'ph':'X','cat':'kernel','name':'k0','pid':0,'tid':7,'ts':8,'dur':1,"
		    "'args':{'device':0}},{'ph':'X','cat':'kernel','name':'k1','pid':1000,'tid':7,"
		    "'ts':9,'dur':1,'args':{'device':0}}",
		"SELECT device, name FROM device_op ORDER BY ts", "0|k0;1000|k1");
#define KERNEL(pid, device, ts)                                                                    \
	"{'ph':'X','cat':'kernel','name':'k','pid':" pid ",'tid':7,'ts':" ts                       \
	",'dur':1,'args':{'device':" device "}}"
	/* The pid of one is the number of another; a process has several. */
	model_check(KERNEL("1", "0", "1") "," KERNEL("2", "1", "2") "," KERNEL("3", "0", "3"),
		"SELECT device FROM device_op ORDER BY ts", "1/0;1;3");
	model_check(KERNEL("9", "0", "1") "," KERNEL("9", "1", "2") "," KERNEL("8", "1", "3"),
		"SELECT device FROM device_op ORDER BY ts", "0;9/1;8");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arrows_lead_to_work),
		cmocka_unit_test(the_nearest_call_counts),
		cmocka_unit_test(arrows_that_are_no_launches),
		cmocka_unit_test(ids_of_other_writers),
		cmocka_unit_test(ranks_in_one_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
