/*
 * Writes traces that are large in one way to standard output: grow KIND COUNT. Times for n, 2n and
 * 4n show whether the cost of one kind of thing grows in proportion to its number or faster;
 * tests/bench/curves runs them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void host(const char *category, const char *name, int64_t ts_us, int64_t dur_us, int64_t tid)
{
	printf(",\n{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":1,\"tid\":%" PRId64
	       ",\"ts\":%" PRId64 ",\"dur\":%" PRId64 "}",
		category, name, tid, ts_us, dur_us);
}

static void call(const char *name, int64_t correlation, int64_t ts_us, int64_t tid)
{
	printf(",\n{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"%s\",\"pid\":1,"
	       "\"tid\":%" PRId64 ",\"ts\":%" PRId64 ",\"dur\":4,\"args\":{\"correlation\":%" PRId64
	       "}}",
		name, tid, ts_us, correlation);
}

static void kernel(
	const char *name, int64_t correlation, int64_t ts_us, int64_t dur_us, int64_t stream)
{
	printf(",\n{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"%s\",\"pid\":0,\"tid\":%" PRId64
	       ",\"ts\":%" PRId64 ",\"dur\":%" PRId64 ",\"args\":{\"correlation\":%" PRId64
	       ",\"device\":0,\"stream\":%" PRId64 "}}",
		name, stream, ts_us, dur_us, correlation, stream);
}

/* A call and the kernel that it launches. */
static void launch(const char *name, int64_t correlation, int64_t ts_us, int64_t tid)
{
	call("cudaLaunchKernel", correlation, ts_us, tid);
	kernel(name, correlation, ts_us + 6, 5, 7);
}

static void step(int64_t number, int64_t ts_us, int64_t dur_us)
{
	char name[64];

	snprintf(name, sizeof(name), "ProfilerStep#%" PRId64, number);
	host("user_annotation", name, ts_us, dur_us, 1);
}

/* Each host slice has its own name. */
static void grow_names(int64_t i)
{
	char name[64];

	snprintf(name, sizeof(name), "aten::op_%" PRId64, i);
	host("cpu_op", name, i * 20, 8, 1);
}

/* Each kernel has its own name. */
static void grow_kernels(int64_t i)
{
	char name[64];

	snprintf(name, sizeof(name), "void kernel_%" PRId64 "<float>", i);
	launch(name, i, i * 20, 1);
}

/* Each product has its own sizes. */
static void grow_shapes(int64_t i)
{
	printf(",\n{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,\"tid\":1,"
	       "\"ts\":%" PRId64 ",\"dur\":18,\"args\":{\"Input Dims\":[[%" PRId64
	       ",64],[64,%" PRId64 "]],\"Input type\":[\"float\",\"float\"]}}",
		i * 20, i / 100 + 1, i % 100 + 1);
	launch("gemm", i, i * 20 + 2, 1);
}

/* Each module has its own name; every eleventh encloses ten others. */
static void grow_modules(int64_t i)
{
	char name[64];

	snprintf(name, sizeof(name), "nn.Module: Block_%" PRId64, i);
	host("python_function", name, i * 20, i % 11 == 0 ? 11 * 20 - 1 : 18, 1);
	host("cpu_op", "aten::mm", i * 20 + 1, 14, 1);
	launch("gemm", i, i * 20 + 2, 1);
}

/* A collective of each size, within the range that launches it; every second range says how much it
 * moves. */
static void grow_collectives(int64_t i)
{
	int64_t ts_us = i * 20;

	printf(",\n{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"nccl:all_reduce\",\"pid\":"
	       "1,"
	       "\"tid\":1,\"ts\":%" PRId64 ",\"dur\":9,\"args\":{\"Input Dims\":[[%" PRId64
	       "]],\"Input type\":[\"float\"]}}",
		ts_us, i + 1);
	printf(",\n{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,"
	       "\"tid\":1,\"ts\":%" PRId64 ",\"dur\":2,\"args\":{\"correlation\":%" PRId64 "}}",
		ts_us + 6, i);
	printf(",\n{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclDevKernel_AllReduce_Sum_f32\","
	       "\"pid\":0,\"tid\":20,\"ts\":%" PRId64
	       ",\"dur\":9,\"args\":{\"correlation\":%" PRId64 ",\"device\":0,\"stream\":20",
		ts_us + 9, i);
	if (i % 2)
		printf(",\"Collective name\":\"allreduce\",\"In msg nelems\":%" PRId64
		       ",\"Out msg nelems\":%" PRId64 ",\"dtype\":\"Float\",\"Group size\":8",
			i + 1, i + 1);
	printf("}}");
}

/* Three operations, a silence that ends with code that is loaded, and a pause in the step. */
static void grow_silences(int64_t i)
{
	int64_t from_us = i * 12000;

	step(i + 1, from_us, 11900);
	for (int64_t k = 0; k < 3; k++) {
		host("cpu_op", "aten::mm", from_us + k * 20 + 1, 18, 1);
		launch("kernel", 3 * i + k, from_us + k * 20 + 2, 1);
	}
	host("cuda_driver", "cuModuleLoadData", from_us + 5000, 10, 1);
	host("cpu_op", "aten::mm", from_us + 11000, 18, 1);
}

/* ---- tracks */

/* Threads that do nothing but launch. */
static void grow_launchers(int64_t i)
{
	launch("kernel", i, i * 40, 100 + i);
}

static void grow_streams(int64_t i)
{
	call("cudaLaunchKernel", i, i * 20, 1);
	kernel("kernel", i, i * 20 + 6, 5, 7 + i);
}

static void grow_processes(int64_t i)
{
	printf(",\n{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":%" PRId64
	       ",\"tid\":1,\"ts\":%" PRId64 ",\"dur\":8}",
		100 + i, i * 20);
	launch("kernel", i, i * 20, 1);
}

static void grow_threads(int64_t i)
{
	host("cpu_op", "aten::mm", i * 20, 18, 100 + i);
	launch("kernel", i, i * 20 + 2, 100 + i);
}

static void grow_steps(int64_t i)
{
	step(i + 1, i * 100, 99);
	for (int64_t k = 0; k < 3; k++) {
		host("cpu_op", "aten::mm", i * 100 + k * 20 + 1, 18, 1);
		launch("kernel", 3 * i + k, i * 100 + k * 20 + 2, 1);
	}
}

/* A step reads a value back three times and prints each. */
static void grow_syncs(int64_t i)
{
	step(i + 1, i * 200, 199);
	for (int64_t k = 0; k < 3; k++) {
		int64_t ts_us = i * 200 + k * 60;
		host("cpu_op", "aten::mm", ts_us + 1, 18, 1);
		launch("kernel", 3 * i + k, ts_us + 2, 1);
		host("cpu_op", "aten::item", ts_us + 20, 12, 1);
		host("cuda_runtime", "cudaStreamSynchronize", ts_us + 22, 9, 1);
		host("python_function", "<built-in function print>", ts_us + 40, 10, 1);
	}
}

/* ---- other events */

/* A kernel, and then idle time. */
static void grow_gaps(int64_t i)
{
	launch("kernel", i, i * 60, 1);
}

/* Kernels in no order of time, fewer than a million of them. */
static void grow_unsorted(int64_t i)
{
	launch("kernel", i, i * 7919 % 1000003 * 20, 1);
}

/* All kernels of one graph. */
static void grow_graph(int64_t i)
{
	if (i == 0)
		call("cudaGraphLaunch", 0, 0, 1);
	kernel(i % 2 ? "kernel" : "gemm", 0, 6 + i * 6, 5, 7);
}

static void arrow(char phase, int64_t id, int64_t ts_us, int64_t pid, int64_t tid)
{
	printf(",\n{\"ph\":\"%c\",\"bp\":\"e\",\"id\":%" PRId64
	       ",\"cat\":\"ac2g\",\"name\":\"ac2g\","
	       "\"pid\":%" PRId64 ",\"tid\":%" PRId64 ",\"ts\":%" PRId64 "}",
		phase, id, pid, tid, ts_us);
}

static void grow_arrows(int64_t i)
{
	launch("kernel", i, i * 20, 1);
	arrow('s', i, i * 20, 1, 1);
	arrow('f', i, i * 20 + 6, 0, 7);
}

/* One arrow through all of them. */
static void grow_fan(int64_t i)
{
	launch("kernel", i, i * 20, 1);
	arrow(i == 0 ? 's' : 't', 1, i * 20, 1, 1);
}

/* A range around each kernel, on its stream. */
static void grow_ranges(int64_t i)
{
	char name[64];

	snprintf(name, sizeof(name), "layer %" PRId64, i);
	launch("kernel", i, i * 20, 1);
	printf(",\n{\"ph\":\"X\",\"cat\":\"gpu_user_annotation\",\"name\":\"%s\",\"pid\":0,"
	       "\"tid\":7,\"ts\":%" PRId64 ",\"dur\":18}",
		name, i * 20);
}

/* Each counter has its own name. */
static void grow_counters(int64_t i)
{
	printf(",\n{\"ph\":\"C\",\"name\":\"counter %" PRId64 "\",\"pid\":1,\"ts\":%" PRId64
	       ",\"args\":{\"value\":%" PRId64 "}}",
		i, i * 20, i);
	launch("kernel", i, i * 20, 1);
}

/* Each operation has an argument that no other has. */
static void grow_keys(int64_t i)
{
	printf(",\n{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,\"tid\":1,"
	       "\"ts\":%" PRId64 ",\"dur\":18,\"args\":{\"key %" PRId64 "\":%" PRId64 "}}",
		i * 20, i, i);
	launch("kernel", i, i * 20 + 2, 1);
}

/* Samples of the allocator, an allocation and its free in turn, and a launch to every tenth. */
static void grow_samples(int64_t i)
{
	int64_t bytes = 1024 * (i / 2 * 7919 % 97 + 1);

	if (i % 10 == 0) {
		host("cpu_op", "aten::mm", i * 2, 18, 1);
		launch("kernel", i, i * 2 + 2, 1);
	}
	printf(",\n{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"s\":\"t\",\"name\":\"[memory]\","
	       "\"pid\":1,\"tid\":1,\"ts\":%" PRId64 ",\"args\":{\"Total Reserved\":99999999,"
	       "\"Total Allocated\":%" PRId64 ",\"Bytes\":%" PRId64 ",\"Addr\":%" PRId64
	       ",\"Device Id\":0,\"Device Type\":1}}",
		i * 2, i % 2 ? 0 : bytes, i % 2 ? -bytes : bytes, 140000000 + i / 2 * 512);
}

/* A letter of the only name. */
static void grow_escapes(int64_t i)
{
	printf("\\u00%02x", 'a' + (int)(i * 7 % 26));
}
/* ---- what is open at once */

#define LONG_US INT64_C(1000000000) /* longer than all that begins */

/* Host slices of a thread that overlap and do not nest. */
static void grow_overlaps(int64_t i)
{
	host("cpu_op", "aten::mm", i * 2, LONG_US, 1);
	launch("kernel", i, i * 2, 2);
}

/* Copying operations within one another; in each a launch, a slice that no other is like, and a
 * call that the operations around it asked for. */
static void grow_depth(int64_t i)
{
	host("cpu_op", "aten::to", i * 20, LONG_US - i * 40, 1);
	launch("kernel", i, i * 20 + 2, 1);
	host("user_annotation", "Optimizer.zero_grad#SGD.zero_grad", i * 20 + 8, 2, 1);
	call("cudaStreamSynchronize", -1, i * 20 + 12, 1);
}

/* Kernels of a stream that run at once. */
static void grow_beside(int64_t i)
{
	call("cudaLaunchKernel", i, i * 20, 1);
	kernel("kernel", i, i * 20 + 6, LONG_US, 7);
}

static void on_device(int64_t device, const char *category, const char *name, int64_t correlation,
	int64_t ts_us, int64_t dur_us)
{
	printf(",\n{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%" PRId64
	       ",\"tid\":7,\"ts\":%" PRId64 ",\"dur\":%" PRId64
	       ",\"args\":{\"correlation\":%" PRId64 ",\"device\":%" PRId64 ",\"stream\":7}}",
		category, name, 2 + device, ts_us, dur_us, correlation, device);
}

/* Two kernels on each device: the second comes when all devices have had their first. */
static void grow_devices(int64_t i)
{
	for (int64_t turn = 0; turn < 2; turn++) {
		int64_t ts_us = turn * LONG_US + i * 20;
		call("cudaLaunchKernel", 2 * i + turn, ts_us, 1);
		on_device(i, "kernel", "kernel", 2 * i + turn, ts_us + 6, 5);
	}
}

/* Two devices that take turns, so that one waits while the other works; results are read back. */
static void grow_turns(int64_t i)
{
	int64_t ts_us = i * 200, device = i & 1;

	if (i % 200 == 0)
		step(i / 200, ts_us, 200 * 200);
	host("cpu_op", "aten::mul", ts_us + 1, 12, 1);
	call("cudaLaunchKernel", 2 * i, ts_us + 2, 1);
	on_device(device, "kernel", "kernel", 2 * i, ts_us + 21, 60);
	host("cpu_op", "aten::item", ts_us + 14, 100, 1);
	call("cudaMemcpyAsync", 2 * i + 1, ts_us + 16, 1);
	on_device(
		device, "gpu_memcpy", "Memcpy DtoH (Device -> Pageable)", 2 * i + 1, ts_us + 83, 3);
	host("cuda_runtime", "cudaStreamSynchronize", ts_us + 23, 80, 1);
}

/* Asynchronous slices that all end after all have begun. */
static void grow_pending(int64_t i)
{
	printf(",\n{\"ph\":\"b\",\"cat\":\"a\",\"id\":%" PRId64 ",\"name\":\"request\",\"pid\":1,"
	       "\"tid\":1,\"ts\":%" PRId64 "},\n{\"ph\":\"e\",\"cat\":\"a\",\"id\":%" PRId64
	       ",\"name\":\"request\",\"pid\":1,\"tid\":1,\"ts\":%" PRId64 "}",
		i, i * 20, i, LONG_US + i);
	grow_gaps(i);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*grow)(int64_t number);
		const char *before, *after; /* of all; NULL for nothing */
	} kinds[] = {
#define KIND(kind) {.name = #kind, .grow = grow_##kind}
		KIND(names), KIND(kernels), KIND(threads), KIND(launchers), KIND(streams),
		KIND(processes), KIND(steps), KIND(syncs), KIND(samples), KIND(shapes),
		KIND(modules), KIND(collectives), KIND(gaps), KIND(unsorted), KIND(graph),
		KIND(arrows), KIND(fan), KIND(ranges), KIND(counters), KIND(keys), KIND(overlaps),
		KIND(depth), KIND(beside), KIND(devices), KIND(pending), KIND(silences),
		KIND(turns),
#undef KIND
		{.name = "escapes",
			.grow = grow_escapes,
			.before = ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1,"
				  "\"name\":\"",
			.after = "\"}"}};

	int64_t count = argc == 3 ? strtoll(argv[2], NULL, 10) : 0;
	for (size_t kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]) && count > 0; kind++) {
		if (strcmp(kinds[kind].name, argv[1]) != 0)
			continue;
		printf("{\"schemaVersion\":1,\"traceEvents\":[\n"
		       "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"tid\":0,\"ts\":0,"
		       "\"args\":{\"name\":\"python\"}}");
		printf("%s", kinds[kind].before ? kinds[kind].before : "");
		for (int64_t i = 0; i < count; i++)
			kinds[kind].grow(i);
		printf("%s\n]}\n", kinds[kind].after ? kinds[kind].after : "");
		return fflush(stdout) == 0 ? 0 : 1;
	}
	fprintf(stderr,
		"usage: grow KIND COUNT, KIND one of those that tests/bench/curves lists\n");
	return 2;
}
