/*
 * Traces with very many of one thing: eight times as many take about eight times as long, never
 * the square. What SQLite does for the advice and the report is counted in its instructions, which
 * are the same in every run; what the import does is measured in CPU time.
 */
#include "catalogue_fixture.h"
#include "unit/store_files.h"

#include <time.h>

#include "tracecoach/import.h"
#include "tracecoach/report.h"

enum {
	FEW = 300,
	TIMES = 8,
	MANY = FEW * TIMES,
	MOST_TIMES = 3 * TIMES, /* in time; the square would be TIMES * TIMES */
	TRIES = 3,
	FEW_RANKS = 6,
	OPERATORS = 250, /* of a rank */
};

/* Writes the i-th of count units of a shape, each with a comma behind. */
typedef void (*unit_fn)(FILE *out, int i, int count);

struct host_slice {
	const char *category, *name;
	int number; /* behind the name; 0: none */
	int tid;
	int64_t ts, dur;
};

static void put_slice(FILE *out, struct host_slice s)
{
	fprintf(out,
		"{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s%.0d\",\"pid\":1,\"tid\":%d,\"ts\":%lld,"
		"\"dur\":%lld},\n",
		s.category, s.name, s.number, s.tid, (long long)s.ts, (long long)s.dur);
}

static void put_kernel(FILE *out, int device, int stream, int64_t ts, int64_t dur, int correlation)
{
	fprintf(out,
		"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k%d\",\"pid\":%d,\"tid\":%d,"
		"\"ts\":%lld,\"dur\":%lld,\"args\":{\"device\":%d,\"stream\":%d,"
		"\"correlation\":%d}},\n",
		correlation % 7, device, stream, (long long)ts, (long long)dur, device, stream,
		correlation);
}

static void put_launch(FILE *out, int device, int64_t ts, int correlation)
{
	fprintf(out,
		"{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,"
		"\"tid\":1,\"ts\":%lld,\"dur\":2,\"args\":{\"correlation\":%d}},\n",
		(long long)ts, correlation);
	put_kernel(out, device, 7, ts + 4, 30, correlation);
}

static void steps(FILE *out, int i, int count)
{
	(void)count;
	put_slice(out,
		(struct host_slice){"user_annotation", "ProfilerStep#", i + 1, 1, i * 100, 100});
	put_launch(out, 0, i * 100 + 5, i + 1);
}

static void long_steps(FILE *out, int i, int count)
{
	(void)count;
	put_slice(out,
		(struct host_slice){"user_annotation", "ProfilerStep#", i + 1, 1, i * 100, 5000});
	put_launch(out, 0, i * 100 + 5, i + 1);
}

static void threads(FILE *out, int i, int count)
{
	(void)count;
	put_slice(out, (struct host_slice){"cpu_op", "aten::mm", 0, i + 1, i, 500});
	put_launch(out, 0, i * 50, i + 1);
}

static void devices(FILE *out, int i, int count)
{
	(void)count;
	put_launch(out, i, i * 50, i + 1);
}

static void devices_at_once(FILE *out, int i, int count)
{
	put_kernel(out, i, 7, i, count, i);
}

static void streams(FILE *out, int i, int count)
{
	put_kernel(out, 0, i, i, i % 2 ? count : 1, i);
}

static void names(FILE *out, int i, int count)
{
	(void)count;
	put_slice(out, (struct host_slice){"cpu_op", "op", i + 1, 1, i * 10, 8});
	fprintf(out,
		"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"kernel%d\",\"pid\":0,\"tid\":7,"
		"\"ts\":%d,\"dur\":3,\"args\":{\"device\":0}},\n",
		i, i * 10 + 4);
}

static void open_slices(FILE *out, int i, int count)
{
	(void)count;
	fprintf(out,
		"{\"ph\":\"B\",\"name\":\"f\",\"cat\":\"cpu_op\",\"pid\":1,\"tid\":1,"
		"\"ts\":%d},\n",
		i);
}

static void nested_slices(FILE *out, int i, int count)
{
	put_slice(out, (struct host_slice){"cpu_op", "f", 0, 1, i, 2 * (count - i)});
}

static void crossing_slices(FILE *out, int i, int count)
{
	put_slice(out, (struct host_slice){"cpu_op", "f", 0, 1, i, count});
}

static void one_instant(FILE *out, int i, int count)
{
	(void)count;
	put_slice(out, (struct host_slice){"cpu_op", "f", i % 9 + 1, 1, 1000, 10});
	put_kernel(out, 0, 7, 1000, 10, i + 1);
}

static void no_durations(FILE *out, int i, int count)
{
	(void)count;
	put_slice(out, (struct host_slice){"cpu_op", "f", i % 9 + 1, 1, i, 0});
	put_kernel(out, 0, 7, i, 0, i + 1);
}

static void gaps(FILE *out, int i, int count)
{
	(void)count;
	put_slice(out, (struct host_slice){"cpu_op", "aten::mm", 0, 1, i * 100, 90});
	put_launch(out, i % 3, i * 100 + 5, i + 1);
}

static void asyncs(FILE *out, int i, int count)
{
	fprintf(out,
		"{\"ph\":\"b\",\"cat\":\"a\",\"name\":\"n\",\"id\":%d,\"pid\":1,\"tid\":1,\"ts\":%"
		"d},\n"
		"{\"ph\":\"e\",\"cat\":\"a\",\"name\":\"n\",\"id\":%d,\"pid\":1,\"tid\":1,\"ts\":%"
		"d},\n",
		i, i, i, count + i);
}

static void flows(FILE *out, int i, int count)
{
	(void)count;
	put_slice(out, (struct host_slice){"cpu_op", "f", 0, 1, i * 10, 8});
	fprintf(out,
		"{\"ph\":\"%s\",\"cat\":\"c\",\"name\":\"n\",\"id\":1,\"pid\":1,\"tid\":1,\"ts\":%"
		"d},\n",
		i ? "t" : "s", i * 10);
}

static void same_correlation(FILE *out, int i, int count)
{
	(void)count;
	put_launch(out, 0, i * 10, 7);
}

static void memory_events(FILE *out, int i, int count)
{
	(void)count;
	fprintf(out,
		"{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"name\":\"[memory]\",\"s\":\"t\","
		"\"pid\":1,\"tid\":1,\"ts\":%d,\"args\":{\"Device Type\":1,\"Device Id\":%d,"
		"\"Addr\":%d,\"Bytes\":64,\"Total Allocated\":%d,\"Total Reserved\":1024}},\n",
		i, i, i, i);
}

static void recipes(FILE *out, int i, int count)
{
	(void)count;
	put_slice(out, (struct host_slice){"hpu_op", "synLaunch", 0, 1, i * 100, 5});
	fprintf(out,
		"{\"ph\":\"X\",\"name\":\"node%d\",\"pid\":\"HPU\",\"tid\":\"MME 0\",\"ts\":%d,"
		"\"dur\":50,\"args\":{\"device\":0,\"recipe id\":%d,\"recipe name\":\"r%d\","
		"\"dataType\":\"float32\"}},\n",
		i, i * 100 + 10, i, i);
}

/* Host events: longer than what holds a host up, and a kernel after each seventh. */
static void put_event(FILE *out, int i, const char *category, const char *name)
{
	put_slice(out, (struct host_slice){"cpu_op", "aten::item", 0, 1, i * 2000LL, 1600});
	put_slice(out, (struct host_slice){category, name, 0, 1, i * 2000LL + 10, 1500});
	if (i % 7 == 0)
		put_launch(out, 0, i * 2000LL + 1700, i + 1);
}

static void loader_calls(FILE *out, int i, int count)
{
	(void)count;
	put_event(out, i, "user_annotation",
		"enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__");
}

static void waits(FILE *out, int i, int count)
{
	(void)count;
	put_event(out, i, "cuda_runtime", "cudaStreamSynchronize");
}

/* Steps that each read a value and print it. */
static void printed_reads(FILE *out, int i, int count)
{
	int64_t ts = i * 2000LL;

	put_slice(out, (struct host_slice){"user_annotation", "ProfilerStep#", i + 1, 1, ts, 2000});
	put_slice(out,
		(struct host_slice){"python_function", "train.py(7): report", 0, 1, ts + 5, 1900});
	waits(out, i, count);
	put_slice(out, (struct host_slice){"python_function", "<built-in function print>", 0, 1,
			       ts + 1650, 20});
	put_launch(out, 0, ts + 1700, count + i + 1);
}

static void copies(FILE *out, int i, int count)
{
	(void)count;
	put_event(out, i, "cuda_runtime", "cudaMemcpyAsync");
}

static void compiles(FILE *out, int i, int count)
{
	(void)count;
	put_event(out, i, "cpu_op", "graph_compile");
}

static void mixed_events(FILE *out, int i, int count)
{
	(i % 3 ? i % 3 > 1 ? waits : loader_calls : copies)(out, i, count);
}

static void collectives(FILE *out, int i, int count)
{
	(void)count;
	fprintf(out,
		"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclDevKernel_AllReduce_%d\",\"pid\":"
		"0,"
		"\"tid\":20,\"ts\":%d,\"dur\":8,\"args\":{\"device\":0,\"stream\":20}},\n",
		i, i * 10);
	put_kernel(out, 0, 7, i * 10 + 4, 6, i);
}

/* Each unit: two devices with the same labels, and two lanes of collectives. */
static void ascend_devices(FILE *out, int i, int count)
{
	(void)count;
	for (int k = 0; k < 4; k++)
		fprintf(out,
			"{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%d,\"args\":{\"name\":"
			"\"%s\"}},\n"
			"{\"ph\":\"M\",\"name\":\"process_labels\",\"pid\":%d,\"args\":{"
			"\"labels\":\"NPU\"}},\n",
			4 * i + k + 2, k < 2 ? "Ascend Hardware" : "Communication", 4 * i + k + 2);
}

static const struct shape {
	const char *name;
	unit_fn unit;
} shapes[] = {
#define SHAPE(name)                                                                                \
	{                                                                                          \
#name, name                                                                        \
	}
	SHAPE(steps),
	SHAPE(long_steps),
	SHAPE(threads),
	SHAPE(devices),
	SHAPE(devices_at_once),
	SHAPE(streams),
	SHAPE(names),
	SHAPE(open_slices),
	SHAPE(nested_slices),
	SHAPE(crossing_slices),
	SHAPE(one_instant),
	SHAPE(no_durations),
	SHAPE(gaps),
	SHAPE(asyncs),
	SHAPE(flows),
	SHAPE(same_correlation),
	SHAPE(memory_events),
	SHAPE(recipes),
	SHAPE(ascend_devices),
	SHAPE(loader_calls),
	SHAPE(waits),
	SHAPE(printed_reads),
	SHAPE(copies),
	SHAPE(compiles),
	SHAPE(mixed_events),
	SHAPE(collectives),
#undef SHAPE
};

struct cost {
	int64_t import_ns, instructions;
};

static int64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Called at the end of every statement. */
static int count_instructions(unsigned type, void *user, void *statement, void *time_ns)
{
	int64_t *sum = user;

	(void)type;
	(void)time_ns;
	*sum += sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 1);
	return 0;
}

static int discard(void *user, const char *bytes, size_t len)
{
	(void)user;
	(void)bytes;
	(void)len;
	return 0;
}

static int64_t count_advice_and_report(struct tc_store *store)
{
	const struct tc_report_options options = {.width = 80};
	struct tc_advice *advice = NULL;
	int64_t instructions = 0;
	size_t count;

	sqlite3_trace_v2(
		tc_store_db(store), SQLITE_TRACE_PROFILE, count_instructions, &instructions);
	assert_int_equal(tc_advise_store(&advice, files.ctx, store, default_settings()), TC_OK);
	const struct tc_renderer *renderers = tc_renderers(&count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(
			renderers[i].render(files.ctx, store, advice, &options, discard, NULL),
			TC_OK);
	sqlite3_trace_v2(tc_store_db(store), 0, NULL, NULL);
	tc_advice_free(advice);
	return instructions;
}

static struct cost measure_files(const char *name, const char *const *paths, size_t count)
{
	const struct tc_import_options options = {
		.inline_stages = true, .no_side_files = true, .settings = default_settings()};
	struct tc_store *store = NULL;
	struct cost cost = {.import_ns = cpu_ns()};

	if (tc_import(&store, files.ctx, paths, count, NULL, &options) != TC_OK)
		fail_msg("%s: %s", name, tc_ctx_error(files.ctx));
	cost.import_ns = cpu_ns() - cost.import_ns;
	cost.instructions = count_advice_and_report(store);
	tc_store_close(store);
	return cost;
}

static struct cost measure(const struct shape *shape, int count)
{
	const char *paths[] = {files.path};
	FILE *out = fopen(files.path, "w");

	assert_non_null(out);
	fputs("{\"schemaVersion\":1,\"traceEvents\":[\n", out);
	for (int i = 0; i < count; i++)
		shape->unit(out, i, count);
	put_launch(out, 0, 1, 999999999);
	fputs("{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{\"name\":\"x\"}}]}\n",
		out);
	assert_int_equal(fclose(out), 0);
	return measure_files(shape->name, paths, 1);
}

static void expect_instructions(const char *name, struct cost few, struct cost many)
{
	/* Trees and sorting add a little to each. */
	if (many.instructions > few.instructions * TIMES * 3 / 2)
		fail_msg("%s: %d times as many take %.1f times the instructions", name, TIMES,
			(double)many.instructions / (double)few.instructions);
}

static void cost_grows_with_the_count(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		struct cost few = {0, 0}, many = {0, 0};
		bool is_slow = true;
		/* A machine that does something else may slow down any one run. */
		for (int try = 0; try < TRIES && is_slow; try++) {
			few = measure(&shapes[i], FEW);
			many = measure(&shapes[i], MANY);
			is_slow = many.import_ns > MOST_TIMES * few.import_ns;
		}
		print_message("%-16s %4lld ms, %4lld ms; %8lld, %9lld instructions\n",
			shapes[i].name, (long long)few.import_ns / 1000000,
			(long long)many.import_ns / 1000000, (long long)few.instructions,
			(long long)many.instructions);
		if (is_slow)
			fail_msg("%s: %d times as many take %.1f times as long", shapes[i].name,
				TIMES, (double)many.import_ns / (double)few.import_ns);
		expect_instructions(shapes[i].name, few, many);
	}
}

/* A rank whose operators all differ: products, each in a kernel. */
static void write_rank(const char *path, int rank, int world_size)
{
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	fprintf(out,
		"{\"schemaVersion\":1,\"distributedInfo\":{\"rank\":%d,\"world_size\":%d},"
		"\"deviceProperties\":[{\"id\":0,\"name\":\"NVIDIA H100 80GB HBM3\"}],"
		"\"traceEvents\":[\n",
		rank, world_size);
	for (int i = 1; i <= OPERATORS; i++) {
		fprintf(out,
			"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,\"tid\":"
			"1,"
			"\"ts\":%d,\"dur\":40,\"args\":{\"Input Dims\":[[%d,64],[64,32]],"
			"\"Input type\":[\"float\",\"float\"]}},\n",
			i * 50, i);
		put_launch(out, 0, i * 50 + 2, i);
	}
	fputs("{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{\"name\":\"x\"}}]}\n",
		out);
	assert_int_equal(fclose(out), 0);
}

static struct cost measure_ranks(int count)
{
	char names[FEW_RANKS * TIMES][128];
	const char *paths[FEW_RANKS * TIMES];

	for (int i = 0; i < count; i++) {
		snprintf(names[i], sizeof(names[i]), "%s/rank%d.json", files.directory, i);
		write_rank(names[i], i, count);
		paths[i] = names[i];
	}
	const struct cost cost = measure_files("ranks", paths, (size_t)count);
	for (int i = 0; i < count; i++)
		assert_int_equal(unlink(names[i]), 0);
	return cost;
}

static void cost_of_a_rank_does_not_grow_with_the_ranks(void **state)
{
	(void)state;
	const struct cost few = measure_ranks(FEW_RANKS), many = measure_ranks(FEW_RANKS * TIMES);

	print_message("ranks %lld, %lld instructions\n", (long long)few.instructions,
		(long long)many.instructions);
	expect_instructions("ranks", few, many);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			cost_grows_with_the_count, set_up_files, tear_down_files),
		cmocka_unit_test_setup_teardown(
			cost_of_a_rank_does_not_grow_with_the_ranks, set_up_files, tear_down_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
