/*
 * A store that somebody changed (changes.c), and every command's way through it: opening, advice,
 * every report, a comparison, queries.
 */

#include "fuzz/harness.h"
#include "tracecoach/import.h"

static const char trace[] =
	"{\"deviceProperties\":[{\"id\":0,\"name\":\"NVIDIA A100\",\"totalGlobalMem\":1000000}],"
	"\"distributedInfo\":{\"rank\":0,\"world_size\":2},\"traceEvents\":["
	"{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{\"name\":\"python\"}},"
	"{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#1\",\"pid\":1,\"tid\":1,"
	"\"ts\":0,\"dur\":1000},"
	"{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#2\",\"pid\":1,\"tid\":1,"
	"\"ts\":1000,\"dur\":1000},"
	"{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#3\",\"pid\":1,\"tid\":1,"
	"\"ts\":2000,\"dur\":1000},"
	"{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"enumerate(DataLoader)#_Single.__next_"
	"_\","
	"\"pid\":1,\"tid\":1,\"ts\":1010,\"dur\":500},"
	"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::item\",\"pid\":1,\"tid\":1,\"ts\":2100,"
	"\"dur\":300,\"args\":{\"Input Dims\":[[2,3]]}},"
	"{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,"
	"\"ts\":10,\"dur\":5,\"args\":{\"correlation\":1}},"
	"{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaMemcpyAsync\",\"pid\":1,\"tid\":1,"
	"\"ts\":1700,\"dur\":5,\"args\":{\"correlation\":2}},"
	"{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,"
	"\"ts\":2500,\"dur\":5,\"args\":{\"correlation\":3}},"
	"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ampere_sgemm_128x64_nn\",\"pid\":0,\"tid\":7,"
	"\"ts\":20,\"dur\":400,\"args\":{\"device\":0,\"stream\":7,\"correlation\":1}},"
	"{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy HtoD (Pageable -> "
	"Device)\",\"pid\":0,"
	"\"tid\":7,\"ts\":1710,\"dur\":100,\"args\":{\"device\":0,\"stream\":7,\"correlation\":2,"
	"\"bytes\":4096}},"
	"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclDevKernel_AllReduce_Sum_f32\",\"pid\":0,"
	"\"tid\":8,\"ts\":2510,\"dur\":300,\"args\":{\"device\":0,\"stream\":8,\"correlation\":3}},"
	"{\"ph\":\"C\",\"name\":\"memory\",\"pid\":1,\"ts\":5,\"args\":{\"used\":5}},"
	"{\"ph\":\"i\",\"name\":\"[memory]\",\"pid\":1,\"tid\":1,\"ts\":6,\"args\":{\"Bytes\":5,"
	"\"Device Type\":1,\"Device Id\":0,\"Total Allocated\":5,\"Total Reserved\":9}},"
	"{\"ph\":\"q\",\"name\":\"odd\",\"pid\":1,\"ts\":7}]}";

static struct tc_buf good; /* the store of that trace, as a file */

static void make_good_store(struct tc_ctx *ctx)
{
	const char *const paths[] = {fuzz_path(0)};
	const struct tc_import_options options = {.inline_stages = true, .no_side_files = true};
	struct tc_store *store = NULL;

	fuzz_write(0, trace, sizeof(trace) - 1);
	demand(tc_import(&store, ctx, paths, 1, fuzz_path(1), &options) == TC_OK,
		tc_ctx_error(ctx));
	tc_store_close(store);
	fuzz_take_file(&good, fuzz_path(1));
}

static const char *const queries[] = {"SELECT * FROM slice_args", "SELECT * FROM slice",
	"SELECT * FROM device_op", "SELECT * FROM trace, metric", "SELECT * FROM capability",
	"SELECT sum(ts), sum(dur), abs(min(dur)), group_concat(args) FROM slice"};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tc_ctx *ctx = fuzz_begin(data, size);
	struct tc_store *store = NULL;
	struct tc_advice *advice = NULL;

	if (good.len == 0)
		make_good_store(ctx);
	fuzz_write_changed(0, &good, data, size);
	fuzz_check_status(ctx, tc_store_open(&store, ctx, fuzz_path(0)));
	if (store) {
		fuzz_check_queries(ctx, store, queries, sizeof(queries) / sizeof(queries[0]));
		fuzz_check_status(ctx, tc_advise_store(&advice, ctx, store, fuzz_settings(false)));
	}
	if (advice) {
		const struct tc_compare_side sides[] = {
			{store, advice, "before"}, {store, advice, "after"}};
		fuzz_check_reports(ctx, store, advice, size == 0);
		fuzz_check_compare(ctx, sides);
	}
	tc_advice_free(advice);
	tc_store_close(store);
	fuzz_end(ctx);
	return 0;
}
