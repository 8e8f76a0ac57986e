/* Words of advice that fit what was recorded, and what is known of devices. */
#include "memory_store.h"

#include "advice/trace/trace.h"
#include "core/array.h"
#include "names/hardware/hardware.h"

static char *said(const struct tc_words *words, const char *text)
{
	static char line[1024];
	struct tc_buf buf = TC_BUF_EMPTY;

	tc_words_append(&buf, text, words);
	snprintf(line, sizeof(line), "%s", tc_buf_string(&buf));
	tc_buf_clear(&buf);
	return line;
}

/* The words of a trace of a store, which holds what sql puts there. */
static struct tc_words words_of(const char *sql)
{
	sqlite3 *db = memory_store_open();
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_tables tables = TC_TABLES_OF(ctx, db);
	struct tc_words words;

	memory_store_exec(db, "INSERT INTO trace(id, path, format, form, read_bytes, event_count)"
			      " VALUES(0, 'a', 'kineto', 'object', 1, 1)");
	memory_store_exec(db, sql);
	tc_words_load(&words, &tables, 0);
	assert_int_equal(tc_ctx_status(ctx), TC_OK);
	tc_tables_end(&tables);
	tc_ctx_free(ctx);
	sqlite3_close(db);
	return words;
}

#define HOST(columns, values)                                                                      \
	"INSERT INTO host_total(trace_id, name, count, dur_ns, self_ns, exposed_ns, is_launching," \
	" " columns ") VALUES(0, 'x', 1, 1, 1, 1, 1, " values ");"
#define WORK(columns, values)                                                                      \
	"INSERT INTO op_total(trace_id, device, name, engine, kind, count, dur_ns, exclusive_ns,"  \
	" min_ns, max_ns, " columns ") VALUES(0, '0', 'x', 'compute', 'kernel', 1, 1, 1, 1, 1, "   \
	"" values ");"

static void low_precision_is_what_the_device_has(void **state)
{
	static const char *const old[] = {"volta", "turing"};
	struct tc_words words;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		char sql[100];
		snprintf(sql, sizeof(sql), "UPDATE trace SET vendor = 'cuda', architecture = '%s'",
			old[i]);
		words = words_of(sql);
		assert_non_null(strstr(said(&words, "{low_precision}"), "float16"));
		assert_null(strstr(said(&words, "{low_precision} {low_types}"), "bf"));
		assert_null(strstr(said(&words, "{low_precision}"), "TF32"));
	}
	words = words_of("UPDATE trace SET vendor = 'cuda', architecture = 'ampere'");
	assert_non_null(strstr(said(&words, "{low_precision}"), "TF32"));
	assert_null(strstr(said(&words, "{low_precision}"), "need Ampere"));
	words = words_of("UPDATE trace SET vendor = 'rocm'");
	assert_null(strstr(said(&words, "{low_precision}"), "TF32"));
	assert_non_null(strstr(said(&words, "{low_rate}"), "matrix cores"));
	assert_null(strstr(said(&words, "{low_rate}"), "tensor"));
	words = words_of("UPDATE trace SET vendor = 'cuda'");
	assert_non_null(strstr(said(&words, "{low_precision}"), "need Ampere or later"));
	words = words_of("UPDATE trace SET vendor = 'cuda', architecture = 'turing_gtx'");
	assert_non_null(strstr(said(&words, "{low_precision} {low_rate}"), "no tensor cores"));
	assert_null(strstr(said(&words, "{low_precision} {low_types}"), "bf"));
}

/* Who does not train is not told how to. */
static void reading_less_is_for_the_kind_of_run(void **state)
{
	struct tc_words words = words_of(HOST("phase", "'backward'"));

	(void)state;
	assert_non_null(strstr(said(&words, "{read_less}"), "log every 20 steps"));
	words = words_of(HOST("class", "'matrix'"));
	assert_non_null(strstr(said(&words, "{read_less}"), "request or batch"));
	words = words_of("SELECT 1"); /* the trace shows neither */
	assert_null(strstr(said(&words, "{read_less}"), "training"));
	assert_null(strstr(said(&words, "{read_less}"), "20 steps"));
	assert_non_null(strstr(said(&TC_WORDS_ANY, "{read_less}"), "in training, log"));
}

static void words_of_ddp_need_ddp(void **state)
{
	struct tc_words words = words_of(HOST("phase", "'backward'"));

	(void)state;
	assert_null(strstr(said(&words, "{hide_collectives} {larger_buckets}"), "DDP"));
	assert_null(strstr(said(&words, "{larger_buckets}"), "DistributedDataParallel"));
	words = words_of(HOST("phase", "'backward'") HOST("mark", "'ddp_forward'"));
	assert_non_null(strstr(said(&words, "{hide_collectives}"), "DDP"));
	assert_non_null(strstr(said(&words, "{larger_buckets}"), "DistributedDataParallel"));
	words = words_of(HOST("phase", "'backward'") HOST("mark", "'fsdp'"));
	assert_non_null(strstr(said(&words, "{hide_collectives}"), "forward_prefetch"));
	assert_non_null(strstr(said(&TC_WORDS_ANY, "{hide_collectives}"), "DDP"));
}

#define BUSY(compute, communication)                                                               \
	"INSERT INTO metric VALUES(0, 'compute_busy_ns', '0', NULL, " compute ", 'ns'),"           \
	"(0, 'communication_busy_ns', '0', NULL, " communication ", 'ns');"

/* Overlap hides no more than there is compute. */
static void where_the_link_is_the_limit_less_is_sent(void **state)
{
	struct tc_words words = words_of(HOST("phase", "'backward'") BUSY("9", "9"));

	(void)state;
	assert_non_null(strstr(said(&words, "{hide_collectives}"), "Overlap"));
	words = words_of(HOST("phase", "'backward'") BUSY("9", "10"));
	assert_null(strstr(said(&words, "{hide_collectives}"), "Overlap"));
	assert_non_null(strstr(said(&words, "{hide_collectives}"), "Send less"));
	words = words_of(BUSY("9", "10") WORK("collective", "'send_recv'"));
	assert_null(strstr(said(&words, "{hide_collectives}"), "Send less:"));
	/* what computes beside them is missing from the file; they wait for another rank */
	words = words_of(BUSY("9", "10") "INSERT INTO metric VALUES(0, 'recorded_one_of_count',"
					 " NULL, NULL, 70, 'count')");
	assert_null(strstr(said(&words, "{hide_collectives}"), "Send less:"));
	words = words_of(BUSY("9000000", "10000000") "INSERT INTO communication VALUES(5, 0, '0',"
						     " 'stream 20', 0, 'all_reduce', 'ar', NULL,"
						     " NULL, NULL, 24576, 0, 9000000, 9000000)");
	assert_null(strstr(said(&words, "{hide_collectives}"), "Send less:"));
	words = words_of(BUSY("0", "10")); /* nothing computes here: no shares of it */
	assert_null(strstr(said(&words, "{hide_collectives}"), "Send less:"));
}

static void a_pipeline_sends_and_receives(void **state)
{
	struct tc_words words = words_of(WORK("collective", "'send_recv'"));

	(void)state;
	assert_non_null(strstr(said(&words, "{bubbles}x."), "pipeline"));
	words = words_of(WORK("collective", "'send_recv'") HOST("collective", "'all_to_all'"));
	assert_string_equal(said(&words, "{bubbles}x."), "x.");
	assert_non_null(strstr(said(&words, "{hide_collectives}"), "experts"));
	assert_non_null(strstr(said(&words, "{hide_collectives}"), "embeddings"));
	words = words_of(WORK("collective", "'all_reduce'"));
	assert_string_equal(said(&words, "{bubbles}x."), "x.");
}

#define EXPOSED(kind, ns)                                                                          \
	"INSERT INTO op_total(trace_id, device, name, engine, kind, count, dur_ns, exclusive_ns,"  \
	" min_ns, max_ns, collective) VALUES(0, '0', '" kind "', 'communication', 'kernel', 1,"    \
	" 100, " #ns ", 1, 1, '" kind "');"

/* What a run has of collectives does not count, but what of them is exposed. */
static void words_are_of_the_collective_exposed_most(void **state)
{
	static const char ddp[] = HOST("phase", "'backward'") HOST("mark", "'ddp_forward'")
		HOST("collective", "'all_to_all'");
	char sql[2000];
	struct tc_words words;

	(void)state;
	snprintf(sql, sizeof(sql), "%s%s", ddp, EXPOSED("all_reduce", 90) EXPOSED("send_recv", 9));
	words = words_of(sql);
	assert_non_null(strstr(said(&words, "{hide_collectives}"), "DDP"));
	assert_string_equal(said(&words, "{bubbles}x."), "x.");
	snprintf(sql, sizeof(sql), "%s%s", ddp, EXPOSED("all_reduce", 9) EXPOSED("send_recv", 90));
	words = words_of(sql);
	assert_non_null(strstr(said(&words, "{hide_collectives}"), "embeddings"));
	assert_null(strstr(said(&words, "{hide_collectives}"), "DDP"));
	assert_string_equal(said(&words, "{bubbles}x."), "x.");
	words = words_of(
		HOST("phase", "'backward'") HOST("mark", "'ddp_forward'") EXPOSED("all_gather", 5));
	assert_null(strstr(said(&words, "{hide_collectives}"), "DDP"));
	words = words_of(EXPOSED(
		"other", 5) "INSERT INTO collective(slice_id, trace_id, job_id, device,"
			    " name, group_size, number, ts, dur, kind)"
			    " VALUES(0, 0, 0, '0', 'all_to_allv', 2, 0, 0, 9, 'all_to_all')");
	assert_non_null(strstr(said(&words, "{hide_collectives}"), "experts"));
}

#define LATE(part, ns, median_ns)                                                                  \
	"INSERT INTO rank_time(trace_id, job_id, part, ns, median_ns) VALUES(0, 0, '" part "',"    \
	" " #ns ", " #median_ns ");"

/* A late rank is told what to do about that in which it spends longer than the others. */
static void a_late_rank_is_mended_where_it_is_late(void **state)
{
	struct tc_words words =
		words_of(LATE("compute", 90, 10) LATE("host_other", 900, 850) LATE("idle", 90, 10));

	(void)state;
	assert_non_null(strstr(said(&words, "{even_ranks}"), "Balance the load"));
	words = words_of(LATE("compute", 900, 899) LATE("host_other", 90, 10) LATE("idle", 90, 10));
	assert_non_null(strstr(said(&words, "{even_ranks}"), "this rank's host"));
	assert_null(strstr(said(&words, "{even_ranks}"), "load:"));
	words = words_of(LATE("dataloader", 20, 5) LATE("idle", 20, 5));
	assert_non_null(strstr(said(&words, "{even_ranks}"), "data loader"));
	words = words_of(LATE("input_copy", 20, 5) LATE("idle", 12, 5));
	assert_non_null(strstr(said(&words, "{even_ranks}"), "copies"));
	/* What the host does longer while the device works delays nothing. */
	words = words_of(LATE("dataloader", 20, 5) LATE("idle", 5, 5));
	assert_non_null(strstr(said(&words, "{even_ranks}"), "its links"));
	words = words_of(LATE("dataloader", 90, 5) LATE("idle", 6, 5) LATE("compute", 20, 5));
	assert_non_null(strstr(said(&words, "{even_ranks}"), "Balance the load"));
	/* Nothing recorded accounts for the idle time. */
	words = words_of(LATE("dataloader", 6, 5) LATE("idle", 90, 5));
	assert_non_null(strstr(said(&words, "{even_ranks}"), "this rank's host"));
	words = words_of(LATE("compute", 5, 5));
	assert_non_null(strstr(said(&words, "{even_ranks}"), "its links"));
}

static void a_capture_is_not_told_to_capture(void **state)
{
	struct tc_words words =
		words_of("UPDATE trace SET vendor = 'cuda';" HOST("mark", "'graph_capture'"));

	(void)state;
	assert_null(strstr(said(&words, "{capture} {graphs_too}"), "CUDA graphs"));
	words = words_of("UPDATE trace SET vendor = 'cuda'");
	assert_non_null(strstr(said(&words, "{capture}"), "CUDA graphs"));
	assert_string_equal(
		said(&words, "{graphs_too}X {unknown}"), "Use CUDA graphs. X {unknown}");
}

/* A server captures in the ways that its device has. */
static void a_server_is_told_what_its_device_has(void **state)
{
	const struct tc_words gaudi = {
		.is_of_trace = true, .vendor = "gaudi", .traits = {"gaudi", "vllm"}};
	const struct tc_words cuda = {.is_of_trace = true,
		.vendor = "cuda",
		.traits = {"cuda", "sglang", "graph_launch"}};

	(void)state;
	assert_null(strstr(said(&gaudi, "{capture}"), "cudagraph"));
	assert_non_null(strstr(said(&cuda, "{capture}"), "--cuda-graph-max-bs-decode"));
}

static void other_frameworks_have_no_words_of_torch(void **state)
{
	struct tc_words words =
		words_of("UPDATE trace SET vendor = 'cuda', format = 'trace-event'");

	(void)state;
	assert_null(
		strstr(said(&words, "{compile} {compiler} {capture} {fused_clip} {fused_optimizer}"
				    " {fused_attention} {sync_calls} {low_precision}"),
			"torch"));
	assert_null(strstr(said(&words, "{low_precision}"), "autocast"));
	words = words_of("UPDATE trace SET vendor = 'cuda', architecture = 'volta', "
			 "format = 'trace-event'");
	assert_null(strstr(said(&words, "{low_precision}"), "bfloat16"));
}

static void words_are_of_what_the_run_uses(void **state)
{
	struct tc_words words = words_of("UPDATE trace SET vendor = 'rocm'");

	(void)state;
	assert_non_null(strstr(said(&words, "{nhwc}"), "PYTORCH_MIOPEN_SUGGEST_NHWC=1"));
	/* ROCm has no expandable segments before PyTorch 2.11 and ROCm 7.0. */
	assert_string_equal(said(&words, "{allocator}"), "");
	assert_null(strstr(said(&words, "{fused_optimizer}"), "2.x"));
	assert_non_null(strstr(said(&words, "{exchange_ahead}"), "TrainPipelineSparseDist"));
	words = words_of("UPDATE trace SET vendor = 'cuda';" HOST("mark", "'batch_ahead'")
			HOST("category", "'Operator'"));
	assert_string_equal(said(&words, "{nhwc}"), "");
	assert_non_null(strstr(said(&words, "{fused_optimizer}"), "2.x"));
	assert_null(strstr(said(&words, "{exchange_ahead}"), "TrainPipelineSparseDist"));
}

/* What came later than the PyTorch of the trace, or needs another mode, is named with it. */
static void advice_is_for_the_version_and_the_mode(void **state)
{
	static const char *const terms[] = {"{capture}", "{compile}", "{compiler}", "{graphs_too}"};
	struct tc_words words =
		words_of("UPDATE trace SET vendor = 'cuda';" HOST("category", "'Operator'"));

	(void)state;
	for (size_t i = 0; i < TC_COUNT_OF(terms); i++)
		assert_non_null(strstr(said(&words, terms[i]), "PyTorch"));
	assert_null(strstr(said(&words, "{compile}"), "reduce-overhead"));
	words = words_of("UPDATE trace SET vendor = 'cuda';" HOST("category", "'cpu_op'"));
	for (size_t i = 0; i < TC_COUNT_OF(terms); i++)
		assert_null(strstr(said(&words, terms[i]), "PyTorch"));
	words = words_of("UPDATE trace SET vendor = 'gaudi';" HOST("mark", "'bridge_cut'"));
	for (size_t i = 0; i < 3; i++)
		assert_non_null(strstr(said(&words, terms[i]), "PT_HPU_LAZY_MODE=0"));
	words = words_of("UPDATE trace SET vendor = 'gaudi'");
	assert_null(strstr(said(&words, "{capture} {compiler}"), "LAZY"));
}

#define STEPS(optimizer, class)                                                                    \
	"INSERT INTO host_total(trace_id, name, count, dur_ns, self_ns, exposed_ns, is_launching," \
	" mark, class) VALUES(0, 'Optimizer.step#" optimizer ".step', 1, 1, 1, 1, 1,"              \
	" 'optimizer_step', " class ");"

/* Few optimizers have a fused form that runs on a device. */
static void an_optimizer_is_told_what_it_has(void **state)
{
	static const char *const fused[] = {"", STEPS("AdamW", "NULL"), STEPS("SGD", "NULL"),
		STEPS("Adagrad", "NULL") STEPS("Adam", "NULL"),
		STEPS("Adagrad", "NULL") STEPS("FusedLAMB", "'optimizer'")};
	static const char *const vendors[] = {"cuda", "rocm", "xpu"};
	char sql[2000];
	struct tc_words words;

	(void)state;
	for (size_t i = 0; i < 3 * TC_COUNT_OF(fused); i++) {
		snprintf(sql, sizeof(sql), "UPDATE trace SET vendor = '%s'; %s",
			vendors[i / TC_COUNT_OF(fused)], fused[i % TC_COUNT_OF(fused)]);
		words = words_of(sql);
		assert_non_null(strstr(said(&words, "{fused_optimizer}"), "fused=True or"));
	}
	for (size_t i = 0; i < 3; i++) {
		snprintf(sql, sizeof(sql),
			"UPDATE trace SET vendor = '%s'; " STEPS("Adagrad", "NULL"), vendors[i]);
		words = words_of(sql);
		assert_non_null(strstr(said(&words, "{fused_optimizer}"), "foreach=True in torch"));
		assert_null(strstr(said(&words, "{fused_optimizer}"), "fused=True or"));
	}
	words = words_of("UPDATE trace SET vendor = 'cuda';" STEPS("RMSprop", "NULL")
			HOST("category", "'Operator'"));
	assert_null(strstr(said(&words, "{fused_optimizer}"), "fused"));
}

static void devices_have_architectures(void **state)
{
	static const struct {
		const char *vendor, *name;
		int64_t major, minor;
		const char *architecture;
	} rows[] = {
		{"cuda", "Tesla V100-SXM2-16GB", 7, 0, "volta"},
		{"cuda", "Tesla V100-SXM2-16GB", -1, -1, "volta"},
		{"cuda", "Tesla T4", 7, 5, "turing"},
		{"cuda", "NVIDIA GeForce RTX 2080 Ti", -1, -1, "turing"},
		{"cuda", "NVIDIA A100-SXM4-80GB", -1, -1, "ampere"},
		{"cuda", "NVIDIA A10G", 8, 6, "ampere"},
		{"cuda", "NVIDIA GeForce GTX 1660 Ti", 7, 5, "turing_gtx"},
		{"cuda", "NVIDIA GeForce RTX 2080 Ti", 7, 5, "turing"},
		{"cuda", "NVIDIA L40S", 8, 9, "ada"},
		{"cuda", "NVIDIA H100 80GB HBM3", -1, -1, "hopper"},
		{"cuda", "NVIDIA GB200", 10, 0, "blackwell"},
		{"cuda", "some new device", 9, 0, "hopper"},
		{NULL, "Tesla P100-PCIE-16GB", -1, -1, "pascal"},
		{"rocm", "AMD Instinct MI300X", 9, 4, "cdna3"},
		{"rocm", "AMD Instinct MI210", 9, 0, "cdna2"},
		{"gaudi", "GAUDI2", -1, -1, NULL},
		{"cuda", NULL, -1, -1, NULL},
		{NULL, NULL, 7, 0, NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *got = tc_device_architecture(
			rows[i].vendor, tc_text_from(rows[i].name), rows[i].major, rows[i].minor);
		if (!got != !rows[i].architecture ||
			(got && strcmp(got, rows[i].architecture) != 0))
			fail_msg("%s: %s", rows[i].name, got ? got : "none");
	}
	assert_string_equal(tc_device_vendor(TC_TEXT("NVIDIA A100-SXM4-80GB")), "cuda");
	assert_null(tc_device_vendor(TC_TEXT("toaster")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(low_precision_is_what_the_device_has),
		cmocka_unit_test(reading_less_is_for_the_kind_of_run),
		cmocka_unit_test(words_of_ddp_need_ddp),
		cmocka_unit_test(where_the_link_is_the_limit_less_is_sent),
		cmocka_unit_test(a_pipeline_sends_and_receives),
		cmocka_unit_test(words_are_of_the_collective_exposed_most),
		cmocka_unit_test(a_late_rank_is_mended_where_it_is_late),
		cmocka_unit_test(a_capture_is_not_told_to_capture),
		cmocka_unit_test(a_server_is_told_what_its_device_has),
		cmocka_unit_test(other_frameworks_have_no_words_of_torch),
		cmocka_unit_test(words_are_of_what_the_run_uses),
		cmocka_unit_test(advice_is_for_the_version_and_the_mode),
		cmocka_unit_test(an_optimizer_is_told_what_it_has),
		cmocka_unit_test(devices_have_architectures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
