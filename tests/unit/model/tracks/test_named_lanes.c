/* Lanes and devices of writers that tell them by names alone; all events are made by hand. */
#include "model_fixture.h"

#define PROCESS(pid, name)                                                                         \
	"{'ph':'M','name':'process_name','pid':" pid ",'args':{'name':'" name "'}}"
#define LABELS(pid, labels)                                                                        \
	"{'ph':'M','name':'process_labels','pid':" pid ",'args':{'labels':'" labels "'}}"
#define THREAD(pid, tid, name)                                                                     \
	"{'ph':'M','name':'thread_name','pid':" pid ",'tid':" tid ",'args':{'name':'" name "'}}"
#define X(name, pid, tid, ts)                                                                      \
	"{'ph':'X','name':'" name "','pid':" pid ",'tid':" tid ",'ts':" ts ",'dur':1}"

static const char op_sql[] = "SELECT device, engine, kind, name FROM device_op ORDER BY ts";
static const char thread_sql[] =
	"SELECT p.name, t.tid FROM track k JOIN thread t ON t.id = k.thread_id "
	"JOIN process p ON p.id = k.process_id WHERE k.kind = 'thread' ORDER BY k.id";

/* Events, and what they are: device operations, host threads, vendor. */
static void check(const char *events, const char *ops, const char *threads, const char *vendor)
{
	struct model_run run = {0};

	model_run_events(&run, events);
	model_expect(run.db, op_sql, ops);
	model_expect(run.db, thread_sql, threads);
	model_expect(run.db, "SELECT vendor FROM trace", vendor);
	model_run_close(&run);
}

static void xla_devices(void **state)
{
	(void)state;
	/* What modules, scopes and steps show is said again in other words. */
	check(PROCESS("1", "/device:GPU:0 Some GPU") "," PROCESS("7", "/host:CPU") "," THREAD(
		      "1", "13", "Stream #13(Compute)") "," THREAD("1", "14",
		      "Stream #14(MemcpyH2D)") "," THREAD("1", "90", "XLA Ops") "," THREAD("1",
		      "91", "Steps") "," THREAD("7", "5", "python") "," X("fusion", "1", "13",
		      "1") "," X("ncclDevKernel_AllReduce", "1", "13", "2") "," X("MemcpyH2D", "1",
		      "14", "3") "," X("add.7", "1", "90", "1") "," X("0", "1", "91",
		      "1") "," X("cuLaunchKernel", "7", "5", "0"),
		"/device:GPU:0 Some GPU|compute|other|fusion;"
		"/device:GPU:0 Some GPU|communication|other|ncclDevKernel_AllReduce;"
		"/device:GPU:0 Some GPU|copy|memcpy|MemcpyH2D",
		"/host:CPU|5", "cuda");
	check(PROCESS("3", "/device:TPU:0") "," PROCESS("4", "/device:TPU:1") "," PROCESS(
		      "7", "/host:CPU") "," THREAD("3", "2", "XLA Modules") "," THREAD("3", "3",
		      "XLA Ops") "," THREAD("4", "3", "XLA Ops") "," THREAD("7", "3",
		      "XLA Ops") "," X("jit_f", "3", "2", "1") "," X("fusion.2", "3", "3",
		      "1") "," X("all-reduce.3", "4", "3", "2") "," X("copy-done", "4", "3",
		      "3") "," X("host", "7", "3", "4"),
		"/device:TPU:0|compute|other|fusion.2;"
		"/device:TPU:1|communication|other|all-reduce.3;"
		"/device:TPU:1|copy|other|copy-done",
		"/host:CPU|3", "tpu");
	/* Two hosts in one file name their devices alike. */
	model_check(PROCESS("3", "/device:TPU:0") "," PROCESS("4", "/device:TPU:0") "," THREAD(
			    "3", "3", "XLA Ops") "," THREAD("4", "3", "XLA Ops") "," X("a", "3",
			    "3", "1") "," X("b", "4", "3", "2"),
		op_sql, "3|compute|other|a;4|compute|other|b");
}

static void tensorflow_timelines(void **state)
{
	(void)state;
	check(PROCESS("1", "/device:GPU:0/stream:all Compute") "," PROCESS(
		      "2", "/device:GPU:0/stream:1 Compute") "," PROCESS("3",
		      "/device:GPU:0/memcpy Compute") "," PROCESS("4",
		      "/job:worker/replica:0/task:0/device:GPU:0 Compute") "," X("MatMul", "1", "0",
		      "1") "," X("MatMul", "2", "0", "1") "," X("MEMCPYHtoD", "3", "0",
		      "3") "," X("MatMul", "4", "0", "0"),
		"/device:GPU:0/stream:all Compute|compute|other|MatMul;"
		"/device:GPU:0/stream:all Compute|copy|memcpy|MEMCPYHtoD",
		"/job:worker/replica:0/task:0/device:GPU:0 Compute|0", "-");
}

static void rocm_tools(void **state)
{
	(void)state;
	check(PROCESS("2", "CPU HIP API") "," PROCESS("1", "COPY") "," PROCESS("6", "GPU0") "," X(
		      "hipLaunchKernel", "2", "77", "0") "," X("k", "6", "0",
		      "1") "," X("CopyDeviceToHost", "1", "0", "2") "," X("Graph 0x55d0", "6", "1",
		      "3") "," X("FillBuffer", "6", "1", "4"),
		"GPU0|compute|other|k;GPU0|copy|memcpy|CopyDeviceToHost;"
		"GPU0|other|other|Graph 0x55d0;GPU0|copy|memset|FillBuffer",
		"CPU HIP API|77", "rocm");
	/* With two GPUs nobody knows whose copies these are; ranks are kept apart. */
	model_check(PROCESS("1", "COPY r1") "," PROCESS("6", "GPU0 r0") "," PROCESS(
			    "7", "GPU0 r1") "," PROCESS("8", "GPU monitor") "," X("a", "6", "0",
			    "1") "," X("b", "7", "0", "2") "," X("CopyHostToDevice", "1", "0",
			    "3") "," X("c", "8", "0", "4"),
		op_sql,
		"GPU0 r0|compute|other|a;GPU0 r1|compute|other|b;"
		"1|copy|memcpy|CopyHostToDevice");
}

static void nvidia_exports(void **state)
{
	(void)state;
	check(X("sgemm", "'Device 0'", "'Stream 7'", "1") "," X("forward", "'Device 0'",
		      "'NVTX Thread 41'", "0") "," X("sgemm", "'Device 1'", "'Stream 7'", "2"),
		"Device 0|compute|other|sgemm;Device 1|compute|other|sgemm",
		"Device 0|NVTX Thread 41", "cuda");
	check(X("add", "'CPU functions'", "1", "0") "," X("add", "'CUDA functions'", "0",
		      "1") "," X("mul", "'CUDA functions'", "1", "2"),
		"0|compute|other|add;1|compute|other|mul", "CPU functions|1", "cuda");
}

/* Categories that only devices have, of writers whose lanes have no names. */
static void device_categories(void **state)
{
	(void)state;
	model_check("{'ph':'X','cat':'HIPOPS','name':'k','pid':3,'tid':'Stream0','ts':1,'dur':1},"
		    "{'ph':'X','cat':'mlu_memcpy','name':'Memcpy HtoD','pid':0,'tid':7,'ts':2,"
		    "'dur':1},{'ph':'X','cat':'GCU_MEMSET','name':'Memset','pid':0,'tid':7,'ts':3,"
		    "'dur':1}",
		op_sql, "3|compute|kernel|k;0|copy|memcpy|Memcpy HtoD;0|copy|memset|Memset");
	/* Where the category says no more than that it ran on the device, the name tells. */
	model_check(
		"{'ph':'X','cat':'gpu_op','name':'gemm[SIMD16 {1; 1; 1}]','pid':9,'tid':9,"
		"'ts':1,'dur':1},{'ph':'X','cat':'gpu_op','name':"
		"'zeCommandListAppendMemoryCopy(M2D)[64 bytes]','pid':9,'tid':9,'ts':2,'dur':1},"
		"{'ph':'X','cat':'gpu_op','name':'zeCommandListAppendBarrier','pid':9,'tid':9,"
		"'ts':3,'dur':1},{'ph':'X','cat':'HIPOPS','name':'ncclKernel','pid':9,'tid':9,"
		"'ts':4,'dur':1}",
		op_sql,
		"9|compute|kernel|gemm[SIMD16 {1; 1; 1}];"
		"9|copy|memcpy|zeCommandListAppendMemoryCopy(M2D)[64 bytes];"
		"9|other|kernel|zeCommandListAppendBarrier;9|communication|kernel|ncclKernel");
}

/* What profilers draw for a device is neither its work nor a thread of the host, nor a step. */
static void notes(void **state)
{
	static const char events[] =
		"{'ph':'X','cat':'kernel','name':'k','pid':0,'tid':7,'ts':1,'dur':1,"
		"'args':{'device':0,'correlation':1}},"
		"{'ph':'X','cat':'gpu_user_annotation','name':'ProfilerStep#3','pid':0,'tid':9,"
		"'ts':1,'dur':5},"
		"{'ph':'X','cat':'cuda_sync','name':'Context Sync','pid':0,'tid':-1,'ts':2,"
		"'dur':1,'args':{'device':0,'correlation':2}},"
		"{'ph':'X','cat':'user_annotation','name':'ProfilerStep#3','pid':8,'tid':8,"
		"'ts':0,'dur':5},"
		"{'ph':'X','cat':'cuda_runtime','name':'cudaDeviceSynchronize','pid':8,'tid':8,"
		"'ts':2,'dur':1,'args':{'correlation':2}}";
	struct model_run run = {0};

	(void)state;
	model_run_events(&run, events);
	model_expect(run.db, op_sql, "0|compute|kernel|k");
	model_expect(run.db, "SELECT kind, count(*) FROM track GROUP BY 1", "lane|3;thread|1");
	model_expect(run.db, "SELECT number FROM step", "3");
	model_expect(run.db, MODEL_LOG_SQL, "");
	assert_int_equal(run.timeline->host_thread_count, 1);
	model_run_close(&run);
	/* The scope profiler of XPU wraps each kernel in another. */
	model_check("{'ph':'X','cat':'kernel','name':'gemm','pid':0,'tid':7,'ts':2,'dur':1,"
		    "'args':{'device':0}},{'ph':'X','cat':'kernel','name':'metrics: gemm','pid':0,"
		    "'tid':7,'ts':1,'dur':3}",
		op_sql, "0|compute|kernel|gemm");
	/* Without any work of the device there is no device. */
	model_check("{'ph':'X','cat':'gpu_user_annotation','name':'ProfilerStep#3','pid':0,"
		    "'tid':9,'ts':1,'dur':5}",
		"SELECT (SELECT count(*) FROM track WHERE device IS NOT NULL),"
		" (SELECT count(*) FROM step)",
		"0|0");
}

/* The planes of a group and the analysis of overlap say again what ran. */
static void ascend_says_things_twice(void **state)
{
	(void)state;
	check(PROCESS("9", "Ascend Hardware") "," THREAD("9", "1", "Stream 1") "," PROCESS(
		      "10", "Communication") "," THREAD("10", "0",
		      "Group 0 Communication") "," THREAD("10", "1", "Plane 0") "," PROCESS("11",
		      "Overlap Analysis") "," THREAD("11", "0", "Computing") "," X("MatMul", "9",
		      "1", "1") "," X("hcom_send", "10", "0", "2") "," X("Notify_Wait", "10", "1",
		      "2") "," X("Computing", "11", "0", "1"),
		"9|compute|other|MatMul;9|communication|other|hcom_send", "", "ascend");
	/* Older msprof, and MindSpore, which labels its processes and does not name them. */
	check(PROCESS("9", "Ascend Hardware") "," THREAD("9", "1", "Stream 1") "," PROCESS(
		      "10", "HCCL") "," THREAD("10", "0", "Communication OP") "," THREAD("10", "1",
		      "Plane 0") "," X("MatMul", "9", "1", "1") "," X("hcom_send", "10", "0",
		      "2") "," X("RDMASend", "10", "1", "2"),
		"9|compute|other|MatMul;9|communication|other|hcom_send", "", "ascend");
	check(LABELS("0", "AICORE OP") "," LABELS("9001", "AICPU OP") "," LABELS("9002",
		      "Communication Op") "," LABELS("9003", "Host CPU Op") "," THREAD("0", "3",
		      "Stream #3") "," THREAD("0", "100000", "Steps") "," X("Default/MatMul-op1",
		      "0", "3", "1") "," X("1", "0", "100000", "1") "," X("GetNext", "9001", "0",
		      "2") "," X("AllReduce-op2", "9002", "4", "3") "," X("Cast", "9003", "0", "4"),
		"0|compute|other|Default/MatMul-op1;0|compute|other|GetNext;"
		"0|communication|other|AllReduce-op2",
		"-|0", "ascend");
	/* Without the device they are what they are: threads. */
	check(PROCESS("11", "Overlap Analysis") "," THREAD("11", "0", "Computing") "," X(
		      "Computing", "11", "0", "1"),
		"", "Overlap Analysis|0", "-");
}

/* tid, pid of the thread, tid and pid of the host thread it records */
static const char host_sql[] =
	"SELECT p.pid, t.tid, hp.pid, h.tid FROM thread t JOIN process p ON p.id = t.process_id "
	"JOIN thread h ON h.id = t.host_thread_id JOIN process hp ON hp.id = h.process_id "
	"ORDER BY t.id";

static void threads_with_two_names(void **state)
{
	(void)state;
	/* msprof: 700 << 10 | 1 << 5, and before that 700 * 100 + 2. */
	model_check(PROCESS("700", "Python") "," PROCESS("716832", "CANN") "," X("a", "700", "701",
			    "1") "," X("b", "716832", "701", "1") "," X("c", "716832", "702", "1"),
		host_sql, "700|701|700|701;716832|701|700|701;716832|702|716832|702");
	model_check(PROCESS("70002", "CANN") "," X("a", "700", "701", "1") "," X(
			    "b", "70002", "701", "1") "," X("c", "70003", "701", "1"),
		host_sql, "700|701|700|701;70002|701|700|701;70003|701|70003|701");
	model_check(X("a", "5", "'7(Python)'", "1") "," X("b", "5", "'7(C++)'", "1") "," X(
			    "c", "5", "'8(Python)'", "1"),
		host_sql, "5|7(Python)|5|7(C++);5|7(C++)|5|7(C++);5|8(Python)|5|8(Python)");
}

/* The Gaudi bridge once wrote the names of its lanes as slices. */
static void names_that_are_slices(void **state)
{
#define META(name, tid, value)                                                                     \
	"{'ph':'X','cat':'hpu_meta_op','name':'" name "','pid':1,'tid':" tid                       \
	",'ts':0,'dur':0,'args':{'name':'" value "'}}"
	struct model_run run = {0};

	(void)state;
	model_run_events(&run, META("process_name", "0", "/device:HPU:0") "," META("thread_name",
				       "6003", "MME 0") "," META("thread_name", "7010",
				       "TPC 3") ",{'ph':'X','cat':'hpu_op','name':'gemm','pid':1,"
						"'tid':6003,'ts':9,'dur':1},{'ph':'X','cat':"
						"'kernel','name':'relu','pid':1,'tid':7010,"
						"'ts':10,'dur':1}");
	model_expect(run.db, op_sql, "1|mme|other|gemm;1|tpc|kernel|relu");
	model_expect(run.db,
		"SELECT (SELECT count(*) FROM slice), (SELECT count(*) FROM track),"
		" (SELECT vendor FROM trace)",
		"2|2|gaudi");
	model_expect(run.db, MODEL_LOG_SQL, "");
	model_run_close(&run);
}

static void npu_of_rebellions(void **state)
{
	(void)state;
	check(PROCESS("9", "NPU 0") "," THREAD("9", "1", "compute") "," THREAD(
		      "9", "3", "host") "," THREAD("9", "4",
		      "collective") ",{'ph':'X','cat':'kernel',"
				    "'name':'job','pid':9,'tid':1,"
				    "'ts':1,'dur':1}," X("step", "9", "3", "0") "," X(
					    "all_reduce", "9", "4", "2"),
		"NPU 0|compute|kernel|job;NPU 0|communication|other|all_reduce", "NPU 0|3", "rbln");
}

/* Kineto calls the processes of devices like the host's: as prctl() or setproctitle() say. */
#define CALLED_AS_HOST(name)                                                                       \
	PROCESS("700", name)                                                                       \
	"," PROCESS("0", name) "," THREAD("700", "700",                                            \
		"Stream 7") ",{'ph':'X','cat':'cpu_op',"                                           \
			    "'name':'aten::mul','pid':700,'tid':700,'ts':1,'dur':1},"              \
			    "{'ph':'X','cat':'kernel','name':'k','pid':0,'tid':7,'ts':2,"          \
			    "'dur':1,'args':{'device':0}}"

static void hosts_called_like_lanes(void **state)
{
	static const char *const traces[] = {CALLED_AS_HOST("GPU0"), CALLED_AS_HOST("COPY"),
		CALLED_AS_HOST("rank COPY"), CALLED_AS_HOST("Device 1"),
		CALLED_AS_HOST("CUDA functions")};

	(void)state;
	for (size_t i = 0; i < sizeof(traces) / sizeof(traces[0]); i++) {
		struct model_run run = {0};
		model_run_events(&run, traces[i]);
		model_expect(run.db, op_sql, "0|compute|kernel|k");
		model_expect(run.db, "SELECT count(*) FROM track WHERE kind = 'thread'", "1");
		model_run_close(&run);
	}
}

/* What Kineto puts under pid -1 is done by threads of the real process. */
static void no_device(void **state)
{
	(void)state;
	model_check("{'ph':'X','cat':'xpu_sync','name':'zeEventHostSynchronize','pid':-1,'tid':20,"
		    "'ts':1,'dur':1},{'ph':'X','cat':'cpu_op','name':'a','pid':700,'tid':20,"
		    "'ts':1,'dur':5},{'ph':'X','cat':'overhead','name':'b','pid':-1,'tid':3,'ts':9,"
		    "'dur':1}",
		host_sql, "-1|20|700|20;700|20|700|20;-1|3|-1|3");
}

/* rocprof names the processes of every device, and copies are those of the one that works. */
static void devices_that_do_nothing(void **state)
{
	(void)state;
	check(PROCESS("2", "CPU HIP API") "," PROCESS("1", "COPY") "," PROCESS("6",
		      "GPU0") "," PROCESS("7", "GPU1") "," PROCESS("8", "GPU2") "," X("hipMemcpy",
		      "2", "9",
		      "0") "," X("k", "7", "0", "1") "," X("CopyHostToDevice", "1", "0", "2"),
		"GPU1|compute|other|k;GPU1|copy|memcpy|CopyHostToDevice", "CPU HIP API|9", "rocm");
}

/* Plugins for devices that PyTorch does not know write their work as calls of a driver. */
static void work_of_private_devices(void **state)
{
#define PRIVATE(category, name, pid, tid, ts, args)                                                \
	"{'ph':'X','cat':'privateuse1_" category "','name':'" name "','pid':" pid ",'tid':" tid    \
	",'ts':" ts ",'dur':1,'args':{" args "}}"
	(void)state;
	check(PROCESS("5", "python") "," PROCESS("0", "python") "," LABELS("0", "NC 0") "," PRIVATE(
		      "runtime", "nrt_execute", "5", "5", "0",
		      "'correlation':7") "," PRIVATE("driver", "matmul_128", "0", "3", "1",
		      "'device':0,'correlation':7") "," PRIVATE("driver", "Memcpy (HtoD)", "0", "4",
		      "2", "'device':0"),
		"0|compute|other|matmul_128;0|copy|memcpy|Memcpy (HtoD)", "python|5", "-");
	/* IBM's AIU: kernels beside what the driver does to memory. */
	check(PROCESS("5", "python") "," PRIVATE("runtime", "aiuLaunchControlBlocks", "5", "5", "0",
		      "'correlation':7") ","
					 "{'ph':'X','cat':'kernel','name':'conv','pid':0,'tid':1,"
					 "'ts':1,'dur':1,'args':{'device':0,'correlation':7}},"
					 "{'ph':'X','cat':'gpu_memset','name':'Memset (Device)',"
					 "'pid':0,'tid':400,'ts':2,'dur':1,'args':{'device':0}}"
					 "," PRIVATE("driver", "Memory (Release)", "0", "400", "3",
						 "'device':0"),
		"0|compute|kernel|conv;0|copy|memset|Memset (Device);0|other|other|Memory "
		"(Release)",
		"python|5", "aiu");
	/* Without a device it is a call of the host. */
	check(PROCESS("5", "python") "," PRIVATE("driver", "nrt_load", "5", "5", "0", ""), "",
		"python|5", "-");
#undef PRIVATE
}

#define CALL(category, name, ts)                                                                   \
	"{'ph':'X','cat':'" category "','name':'" name "','pid':5,'tid':5,'ts':" ts ",'dur':1}"

/* What a trace of such properties and events gives. */
static void check_trace(
	const char *properties, const char *events, const char *sql, const char *expected)
{
	struct model_run run = {0};
	struct tc_buf text = TC_BUF_EMPTY;

	tc_buf_format(&text, "{%s'traceEvents':[%s]}", properties, events);
	for (size_t at = 0; at < text.len; at++)
		if (text.ptr[at] == '\'')
			text.ptr[at] = '"';
	assert_int_equal(model_run_add(&run, tc_buf_text(&text)), TC_OK);
	model_expect(run.db, sql, expected);
	model_run_close(&run);
	tc_buf_clear(&text);
}

/* What users and operations are called is no call of a runtime; the name of the device outweighs
 * calls, categories outweigh both. */
static void vendors(void **state)
{
	static const struct {
		const char *properties, *events, *vendor;
	} rows[] = {
		{"",
			CALL("user_annotation", "cudaStreamSynchronize", "1") "," CALL(
				"cuda_runtime", "hipLaunchKernel", "2"),
			"rocm"},
		{"", CALL("cpu_op", "cuda::add", "1") "," CALL("python_function", "cuda_init", "2"),
			"-"},
		{"",
			CALL("cuda_runtime", "cudaGetDevice", "1") "," CALL("cuda_runtime",
				"hipLaunchKernel",
				"2") "," CALL("cuda_runtime", "hipMemcpyAsync", "3"),
			"rocm"},
		{"'deviceProperties':[{'name':'AMD Instinct MI300X'}],",
			CALL("cuda_runtime", "cudaLaunchKernel", "1"), "rocm"},
		{"'deviceProperties':[{'name':''}],", CALL("cuda_runtime", "cudaLaunchKernel", "1"),
			"cuda"},
		{"'deviceProperties':[{'name':'NVIDIA A100'}],",
			CALL("xpu_runtime", "urEnqueueKernelLaunch", "1"), "xpu"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_trace(rows[i].properties, rows[i].events, "SELECT vendor FROM trace",
			rows[i].vendor);
}

#define KERNEL(name, ts)                                                                           \
	"{'ph':'X','cat':'kernel','name':'" name "','pid':0,'tid':7,'ts':" ts ",'dur':1}"

/* A device that the file does not describe is as new as the newest of its kernels, at least. */
static void architectures(void **state)
{
	static const struct {
		const char *properties, *events, *architecture;
	} rows[] = {
		{"",
			KERNEL("volta_sgemm_128x64_nt", "1") "," KERNEL(
				"maxwell_scudnn_128x32_relu_small_nn_v1", "2"),
			"volta"},
		{"",
			KERNEL("volta_sgemm_128x64_nt", "1") "," KERNEL("volta_sgemm_32x32_nt",
				"2") "," KERNEL("turing_fp16_s1688gemm_fp16_64x64_nn", "3"),
			"turing"},
		{"", KERNEL("void cutlass::Kernel2<cutlass_80_simt_sgemm_128x64>(x)", "1"),
			"ampere"},
		{"",
			KERNEL("ampere_sgemm_32x32_nn", "1") "," KERNEL(
				"nvjet_tst_64x8_64x16_4x1_v_bz_TNT", "2"),
			"hopper"},
		{"", KERNEL("fmha_cutlassF_f32_aligned_64x64_rf_sm80(x)", "1"), "ampere"},
		{"", KERNEL("maxwell_sgemm_128x64_nn", "1"), "-"},
		{"", KERNEL("cub::DeviceRadixSortPolicy<x>::Policy800", "1"), "-"},
		{"", CALL("user_annotation", "volta_sgemm_128x64_nt", "1"), "-"},
		{"", KERNEL("Cijk_Ailk_Bljk_BBS_BH_MT256x256x64_SN_ISA942_IU1_K1", "1"), "cdna3"},
		{"", KERNEL("igemm_fwd_gtcx2_nhwc_fp16_bx0_ex0_bt128x128x32", "1"), "cdna2"},
		{"'deviceProperties':[{'name':'NVIDIA H100','computeMajor':9}],",
			KERNEL("ampere_sgemm_32x32_nn", "1"), "hopper"},
		{"'deviceProperties':[{'name':'AMD Instinct MI250X'}],",
			KERNEL("ampere_sgemm_32x32_nn", "1"), "cdna2"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_trace(rows[i].properties, rows[i].events, "SELECT architecture FROM trace",
			rows[i].architecture);
}

static void durations_behind_names(void **state)
{
	(void)state;
	model_check(X("matmul[90.100 us]", "1", "1", "1") "," X("f[1.234 ms]", "1", "1", "2") "," X(
			    "f[2.000 us]", "1", "1", "3") "," X("x[a.123 us]", "1", "1",
			    "4") "," X("[1.234 us]", "1", "1", "5") "," X("y 1.234 us]", "1", "1",
			    "6") "," X("z[12 us]", "1", "1", "7"),
		"SELECT name FROM label ORDER BY id", "matmul;f;x[a.123 us];;y 1.234 us];z[12 us]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(xla_devices),
		cmocka_unit_test(tensorflow_timelines),
		cmocka_unit_test(rocm_tools),
		cmocka_unit_test(nvidia_exports),
		cmocka_unit_test(device_categories),
		cmocka_unit_test(hosts_called_like_lanes),
		cmocka_unit_test(notes),
		cmocka_unit_test(ascend_says_things_twice),
		cmocka_unit_test(threads_with_two_names),
		cmocka_unit_test(names_that_are_slices),
		cmocka_unit_test(npu_of_rebellions),
		cmocka_unit_test(no_device),
		cmocka_unit_test(devices_that_do_nothing),
		cmocka_unit_test(work_of_private_devices),
		cmocka_unit_test(vendors),
		cmocka_unit_test(architectures),
		cmocka_unit_test(durations_behind_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
