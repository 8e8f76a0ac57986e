/* What of two runs is set against what: kernels by short names, batches by shapes, critical
 * paths. */
#include "compare_fixture.h"

#define KERNEL(name, count, ns)                                                                    \
	"INSERT INTO op_total VALUES(0, '0', 'kernel', '" name                                     \
	"', 'compute', 'kernel', NULL, " #count ", " #ns ", " #ns                                  \
	", 1, 1, NULL, 'unknown', NULL, NULL, NULL);"
#define CONVOLUTION(id, dims)                                                                      \
	"INSERT INTO framework_op (id, trace_id, slice_id, kind, name, ts, dur, thread_id,"        \
	" previous_is_host, launch_count, input_copy_count, input_dims) VALUES(" #id               \
	", 0, 1, 'convolution', 'aten::conv2d', 1, 1, 1, 0, 0, 0, '" dims "');"
#define MATMUL(name, dims, count)                                                                  \
	"INSERT INTO framework_shape VALUES(0, 'matmul', '" name "', '" dims "', NULL, " #count    \
	", 1);"

/* The comparison of two stores of this content. */
static char *json_of(sqlite3 **both, const char *before, const char *after)
{
	sqlite3 *db[] = {open_fixture(TC_BEFORE), open_fixture(TC_AFTER)};

	*both = open_both();
	memory_store_exec(db[0], before);
	memory_store_exec(db[1], after);
	struct pair pair = pair_of(db[0], db[1]);
	return text_of(&pair, "json");
}

static void done(sqlite3 *both, char *json)
{
	free(json);
	sqlite3_close(both);
}

static void test_kernels(void **state)
{
	sqlite3 *both;
	char *json = json_of(&both,
		KERNEL("void a::gemm<4, float>(float*)", 6, 600)
			KERNEL("void a::gemm<8, float>(float*)", 2, 90)
				KERNEL("void same<1, Add<float>>(int)", 1, 10)
					KERNEL("void gone<1>(int)", 1, 7),
		KERNEL("void a::gemm<16, float>(int, float*)", 4, 300)
			KERNEL("void same<1, Add<float>>(int)", 1, 12)
				KERNEL("void same<2, Add<float>>(int)", 1, 13));

	(void)state;
#define ROW(name) " FROM json_each(?1, '$.operations.rows') WHERE value ->> 'name' = '" name "'"
#define NAMES "SELECT (value ->> 'before_names') || (value ->> 'after_names')"
	/* Other template arguments, so one row of three names, with the sums of all. */
	assert_answer(both, NAMES ROW("gemm<float>"), json, "21");
	assert_answer(both, "SELECT value ->> 'before_sum_ns'" ROW("gemm<float>"), json, "690");
	assert_answer(both, "SELECT value ->> 'after_sum_ns'" ROW("gemm<float>"), json, "300");
	assert_answer(both, "SELECT value ->> 'before_count'" ROW("gemm<float>"), json, "8");
	/* What both sides have stays, and what one side alone has under its own name. */
	assert_answer(both, NAMES ROW("void same<1, Add<float>>(int)"), json, "11");
	assert_answer(both, NAMES ROW("void same<2, Add<float>>(int)"), json, "01");
	assert_answer(both, NAMES ROW("void gone<1>(int)"), json, "10");
	done(both, json);
}

/* However kernels are matched, none is lost and none counts twice. */
static void test_sums(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed < 20; seed++) {
		sqlite3 *db[] = {open_fixture(TC_BEFORE), open_fixture(TC_AFTER)};
		sqlite3 *both = open_both();
		for (unsigned i = 0, random = seed; i < 60; i++) {
			random = random * 1103515245U + 12345U;
			char *sql = sqlite3_mprintf(
				"INSERT INTO op_total VALUES(0, '0', 'kernel', 'void"
				" k%u<%u, T%u>(int)', '%s', 'kernel', NULL, 1, %u, %u, 1, 1, NULL,"
				" 'unknown', NULL, NULL, NULL)",
				random >> 8 & 3, random >> 10 & 3, random >> 12 & 1,
				random >> 13 & 1 ? "compute" : "copy", i, i * 3);
			memory_store_exec(db[random >> 16 & 1], sql);
			sqlite3_free(sql);
		}
		struct pair pair = pair_of(db[0], db[1]);
		char *json = text_of(&pair, "json");
		char *want = ask(both,
			"SELECT (SELECT sum(exclusive_ns) FROM main.op_total) || ' ' ||"
			" (SELECT sum(exclusive_ns) FROM after.op_total) || ' ' || (SELECT count(*)"
			" FROM (SELECT DISTINCT engine, name FROM main.op_total)) || ' ' ||"
			" (SELECT count(*) FROM (SELECT DISTINCT engine, name FROM "
			"after.op_total))",
			NULL, NULL);
		assert_answer(both,
			"SELECT sum(value ->> 'before_sum_ns') || ' ' || sum(value ->>"
			" 'after_sum_ns') || ' ' || sum(value ->> 'before_names') || ' ' ||"
			" sum(value ->> 'after_names') FROM json_each(?1, '$.operations.rows')",
			json, want);
		sqlite3_free(want);
		done(both, json);
	}
}

static void assert_basis(
	const char *before, const char *after, const char *basis, int64_t batch, int64_t then)
{
	sqlite3 *both;
	char *json = json_of(&both, before, after);

	assert_answer(both, "SELECT ?1 ->> '$.basis'", json, basis);
	assert_int_equal(number_at(both, json, "$.before.batch"), batch);
	assert_int_equal(number_at(both, json, "$.after.batch"), then);
	done(both, json);
}

static void test_batch(void **state)
{
	(void)state;
	assert_basis(CONVOLUTION(1, "[[32,3,224,224],[64,3,7,7]]"),
		CONVOLUTION(1, "[[256,3,224,224],[64,3,7,7]]"), "sample", 32, 256);
	assert_basis(MATMUL("aten::linear", "[[8,128,512],[64,512],[64]]", 3),
		MATMUL("aten::linear", "[[4,128,512],[64,512],[64]]", 3), "sample", 8, 4);
	/* Two dimensions may be samples times tokens; the first argument of addmm is a bias. */
	assert_basis(MATMUL("aten::addmm", "[[64],[1024,512],[512,64]]", 3),
		MATMUL("aten::addmm", "[[64],[2048,512],[512,64]]", 3), "input_row", 1024, 2048);
	/* A smaller last batch is no other batch. */
	assert_basis(CONVOLUTION(1, "[[32,3,9,9],[64,3,7,7]]") CONVOLUTION(
			     2, "[[32,3,9,9],[64,3,7,7]]") CONVOLUTION(3, "[[5,3,9,9],[64,3,7,7]]"),
		CONVOLUTION(1, "[[32,3,9,9],[64,3,7,7]]"), "step", 1, 1);
	/* The gradient of a weight has the layer's width there: its shapes do not agree. */
	assert_basis(MATMUL("aten::mm", "[[1000,32],[32,2048]]", 1)
			     MATMUL("aten::mm", "[[32,2048],[2048,2048]]", 1),
		MATMUL("aten::mm", "[[2000,32],[32,2048]]", 1)
			MATMUL("aten::mm", "[[32,2048],[2048,2048]]", 1),
		"step", 1, 1);
	/* What is no shape, or none that can be. */
	assert_basis(MATMUL("aten::mm", "{}", 1) MATMUL("aten::mm", "[7,[1]]", 1)
			     MATMUL("aten::linear", "[[-8,5],[4,5]]", 9),
		MATMUL("aten::mm", "[]", 1)
			MATMUL("aten::linear", "[[9223372036854775807,5],[4,5]]", 9),
		"step", 1, 1);
}

/* A batch eight times as large in a step eight times as long: no difference of a sample. */
static void test_per_sample(void **state)
{
	sqlite3 *db[] = {open_fixture(TC_BEFORE), open_fixture(TC_AFTER)}, *both = open_both();

	(void)state;
	memory_store_exec(db[0], CONVOLUTION(1, "[[32,3,224,224],[64,3,7,7]]"));
	memory_store_exec(db[1],
		CONVOLUTION(1, "[[256,3,224,224],[64,3,7,7]]") "UPDATE step SET ts = 8 * ts, dur = "
							       "8 * dur, device_ts = 8 * device_ts,"
							       " device_dur = 8 * device_dur;"
							       "UPDATE op_total SET exclusive_ns = "
							       "8 * exclusive_ns");
	struct pair pair = pair_of(db[0], db[1]);
	char *json = text_of(&pair, "json");
	int64_t sum_ns = number_at(both, json, "$.before.compared.sum_ns");
	int64_t count = number_at(both, json, "$.before.compared.count");

	assert_answer(both, "SELECT ?1 ->> '$.verdict.outcome'", json, "same");
	assert_int_equal(number_at(both, json, "$.after.compared.sum_ns"), 8 * sum_ns);
	assert_int_equal(
		number_at(both, json, "$.verdict.before_ns"), (sum_ns + 16 * count) / (32 * count));
	assert_answer(both,
		"SELECT count(*) FROM json_each(?1, '$.operations.rows')"
		" WHERE value ->> 'difference_ns' <> 0",
		json, "0");
	assert_has(json, "A step has 32 samples before, 256 after: times are per sample.");
	done(both, json);
}

static void test_told(void **state)
{
	sqlite3 *both;
	char *json = json_of(&both,
		"INSERT INTO trace_meta VALUES(0, 'cuda_runtime_version', '12040'), (0,"
		" 'cupti_version', '22'), (0, 'cuda_driver_version', '12090');"
		"UPDATE metric SET value = 1 WHERE name = 'has_shapes';" MATMUL(
			"aten::mm", "[[8,16],[16,32]]", 1) MATMUL("aten::mm", "[[8,16],[16,9]]", 1),
		"INSERT INTO trace_meta VALUES(0, 'cuda_runtime_version', '13000'), (0,"
		" 'cupti_version', '\"24\"'), (0, 'cuda_driver_version', '[1]');"
		"UPDATE metric SET value = 1 WHERE name = 'has_shapes';" MATMUL("aten::mm",
			"[[8,16],[16,32]]", 1) MATMUL("aten::mm", "[[8,16],[16,64]]", 1));

	(void)state;
	assert_has(json,
		"The software differs: CUDA runtime 12040 before, 13000 after; CUPTI 22 before, 24 "
		"after.");
	assert_has(json, "2 of 3 shapes of matrix products and convolutions differ");
	done(both, json);
}

/* What the comparison of two stores of this content comes to; its JSON has the text. */
static struct tc_compare_result work_of(
	const char *before, const char *after, bool anyway, const char *text)
{
	sqlite3 *db[] = {open_fixture(TC_BEFORE), open_fixture(TC_AFTER)};

	memory_store_exec(db[0], before);
	memory_store_exec(db[1], after);
	struct pair pair = pair_of(db[0], db[1]);
	pair.options.anyway = anyway;
	char *json = text_of(&pair, "json");
	assert_has(json, text);
	free(json);
	return pair.result;
}

static void assert_same_work(const char *before, const char *after)
{
	struct tc_compare_result result = work_of(before, after, false, "\"is_other_work\": false");

	assert_false(result.is_other_work);
	assert_int_not_equal(result.outcome, TC_COMPARE_OTHER_WORK);
}

static void assert_other_work(const char *before, const char *after, const char *why)
{
	char *text = sqlite3_mprintf("\"text\": \"Not the same work: %s. ", why);
	struct tc_compare_result result = work_of(before, after, false, text);

	assert_true(result.is_other_work);
	assert_int_equal(result.outcome, TC_COMPARE_OTHER_WORK);
	/* Judged all the same, but not without a word. */
	result = work_of(before, after, true, text);
	assert_true(result.is_other_work);
	assert_int_equal(result.outcome, TC_COMPARE_SAME);
	sqlite3_free(text);
}

/* A run of which a part was lost is not judged; a lost event is no such part. */
static void test_damaged(void **state)
{
	static const char cut[] = "UPDATE import_log SET kind = 'source_cut'";
	static const char few[] = "UPDATE import_log SET kind = 'bad_duration', count = 400";
	static const char many[] = "UPDATE import_log SET kind = 'bad_duration', count = 500";

	(void)state;
	struct tc_compare_result result = work_of("", cut, false,
		"\"text\": \"AFTER is damaged, a part of it was lost: not judged. ");
	assert_int_equal(result.outcome, TC_COMPARE_DAMAGED);
	assert_true(!result.damaged[TC_BEFORE] && result.damaged[TC_AFTER]);
	result = work_of(many, "", false, "\"text\": \"BEFORE is damaged, ");
	assert_int_equal(result.outcome, TC_COMPARE_DAMAGED);
	result = work_of(cut, cut, true,
		"\"text\": \"Both runs are damaged, parts of them were "
		"lost. No difference");
	assert_int_equal(result.outcome, TC_COMPARE_SAME);
	result = work_of(few, few, false, "\"text\": \"No difference");
	assert_int_equal(result.outcome, TC_COMPARE_SAME);
}

#define LAYER(count) MATMUL("aten::linear", "[[8,128,512],[1000,512],[1000]]", count)
#define OTHER_LAYER(count) MATMUL("aten::linear", "[[8,128,512],[4096,512],[4096]]", count)

static void test_other_work(void **state)
{
	(void)state;
	assert_other_work(LAYER(1) OTHER_LAYER(4), LAYER(1),
		"the sizes of weights differ in 80.0 % of the calls of matrix products and "
		"convolutions");
	assert_other_work(CONVOLUTION(1, "[[32,3,224,224],[64,3,7,7]]"), LAYER(1),
		"the sizes of weights differ in 100.0 % of the calls of matrix products and "
		"convolutions");
	/* Calls that are more than a few are no chance. */
	assert_same_work(LAYER(1) OTHER_LAYER(3), LAYER(1));
	/* The number of calls is that of the steps; a weight may be transposed, padded, of another
	 * type, and the input of another batch. */
	assert_same_work(LAYER(7), LAYER(1));
	assert_same_work(LAYER(1), MATMUL("aten::addmm", "[[1024],[2048,512],[512,1024]]", 5));
	assert_same_work(CONVOLUTION(1, "[[32,3,224,224],[64,3,7,7]]"),
		CONVOLUTION(1, "[[256,3,224,224],[64,3,7,7]]"));
	/* What is no shape is no sign of other work. */
	assert_same_work(LAYER(1), "SELECT 1");
	assert_same_work(LAYER(1), MATMUL("aten::mm", "{}", 1) MATMUL("aten::mm", "[7,[1]]", 1));
}

#define DEVICE(name) "UPDATE trace SET device_name = '" name "';"
#define RANKS(count) "UPDATE trace SET world_size = " #count ";"

/* One model on another device does the same work; without shapes nobody knows. */
static void test_other_site(void **state)
{
	static const char device[] = "the device differs: V100 before, H800 after";
	static const char both[] = "the device differs: V100 before, H800 after; "
				   "the number of ranks differs: 2 before, 64 after";

	(void)state;
	assert_other_work(DEVICE("V100") RANKS(2), DEVICE("H800") RANKS(64), both);
	assert_other_work(
		DEVICE("V100") RANKS(2) LAYER(1), DEVICE("H800") RANKS(64) LAYER(1), both);
	assert_other_work(DEVICE("V100"), DEVICE("H800"), device);
	assert_same_work(DEVICE("V100") LAYER(1), DEVICE("H800") LAYER(1));
	assert_same_work(RANKS(2) LAYER(1), RANKS(64) LAYER(1));
	/* One weight in common may be chance, two are not; on one device it is enough. */
	assert_other_work(DEVICE("V100") LAYER(3), DEVICE("H800") LAYER(3) OTHER_LAYER(1), device);
	assert_same_work(LAYER(3), LAYER(3) OTHER_LAYER(1));
	assert_same_work(
		DEVICE("V100") LAYER(3) OTHER_LAYER(1), DEVICE("H800") LAYER(3) OTHER_LAYER(3));
	/* What is not known differs from nothing. */
	assert_same_work(DEVICE("V100"), "UPDATE trace SET device_name = NULL");
	assert_same_work(RANKS(2), RANKS(NULL));
	assert_same_work(DEVICE("NVIDIA A100-SXM4-80GB"), DEVICE("A100-SXM4-80GB"));
}

#define PATH(piece, role, engine, ns)                                                              \
	"INSERT INTO critical_path VALUES(0, '" piece "', " role ", " engine ", NULL, 'x', " #ns   \
	", 1);"

static void test_path(void **state)
{
	static const char before[] = PATH("host", "'dataloader'", "NULL", 60000000)
		PATH("host", "NULL", "NULL", 4) PATH("device", "NULL", "'mme'", 50000000)
			PATH("device", "NULL", "'mme'", 1000000);
	static const char after[] = PATH("device", "NULL", "'mme'", 50000000)
		PATH("launch", "NULL", "'dma'", 20000000) PATH("wake", "NULL", "NULL", 5);
	static const char steps[] = "UPDATE step SET ts = ts / 2, dur = dur / 2, device_ts = "
				    "device_ts / 2, device_dur = device_dur / 2;";
	char *shorter = sqlite3_mprintf("%s%s", steps, after);
	sqlite3 *both;
	char *json = json_of(&both, before, shorter);

	(void)state;
	assert_answer(both,
		"SELECT group_concat(value ->> '$.before_sum_ns' || ':' ||"
		" (value ->> '$.after_sum_ns'), ' ') FROM json_each(?1, '$.critical_path.rows')",
		json, "60000000:0 0:20000000 51000000:50000000 0:5 4:0");
	assert_has(json, "On the critical path: data loader -");
	assert_has(json, "; but DMA from launch to start +");
	assert_has(json, "; all others ");
	done(both, json);
	/* A side without one: nothing is said. */
	json = json_of(&both, "SELECT 1", shorter);
	assert_int_equal(number_at(both, json, "$.critical_path.count"), 0);
	assert_has_not(json, "On the critical path");
	done(both, json);
	sqlite3_free(shorter);
}

/* A second rank, whose steps are as many times as long. */
#define RANK(id, rank, times)                                                                      \
	"INSERT INTO trace SELECT " #id ", path, format, form, vendor, " #rank                     \
	", world_size, backend, device_name, device_memory_bytes, base_time_ns, start_ns,"         \
	" end_ns, read_bytes, event_count, architecture FROM trace WHERE id = 0;"                  \
	"INSERT INTO step SELECT id + 100 * " #id ", " #id ", number, name, ts * " #times          \
	", dur * " #times ", slice_id, device_ts * " #times ", device_dur * " #times               \
	", is_warm_up, is_unused FROM step WHERE trace_id = 0;"                                    \
	"INSERT INTO metric SELECT " #id ", name, device, step, value, unit FROM metric"           \
	" WHERE trace_id = 0;"

static void test_ranks(void **state)
{
	sqlite3 *both;
	char *json = json_of(&both, RANK(1, 4, 1) RANK(2, 0, 1), RANK(3, 7, 1) RANK(4, 4, 3));

	(void)state;
	/* Ranks 1 and 4 are on both sides, and 4 changed. */
	assert_answer(both,
		"SELECT group_concat((value ->> 'rank') || ':' || (value ->> 'before_trace_id') ||"
		" ':' || (value ->> 'after_trace_id') || ':' || ((value ->> 'after_sum_ns') /"
		" (value ->> 'before_sum_ns')), ' ') FROM json_each(?1, '$.ranks')",
		json, "4:1:4:3 1:0:0:1");
	assert_int_equal(number_at(both, json, "$.before.trace_id"), 1);
	assert_int_equal(number_at(both, json, "$.after.trace_id"), 4);
	assert_int_equal(number_at(both, json, "$.after.compared.sum_ns"),
		3 * number_at(both, json, "$.before.compared.sum_ns"));
	done(both, json);
	/* Without ranks, in their order. */
	json = json_of(&both, RANK(1, NULL, 2) "UPDATE trace SET rank = NULL",
		RANK(5, NULL, 2) "UPDATE trace SET rank = NULL");
	assert_answer(both,
		"SELECT group_concat(coalesce(value ->> 'rank', 'none') || ':' ||"
		" (value ->> 'before_trace_id') || ':' || (value ->> 'after_trace_id'), ' ')"
		" FROM json_each(?1, '$.ranks')",
		json, "none:0:0 none:1:5");
	done(both, json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernels),
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_batch),
		cmocka_unit_test(test_per_sample),
		cmocka_unit_test(test_told),
		cmocka_unit_test(test_other_work),
		cmocka_unit_test(test_other_site),
		cmocka_unit_test(test_path),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_ranks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
