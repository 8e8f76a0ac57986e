/* Names of kernels as people say them. */
#include "memory_store.h"

#include <stdlib.h>

#include "core/alloc.h"
#include "report/view/names.h"

static void assert_brief(const char *name, const char *brief)
{
	struct tc_buf buf = TC_BUF_EMPTY;

	tc_names_append(NULL, &buf, tc_text_from(name));
	assert_string_equal(tc_buf_string(&buf), brief);
	tc_buf_clear(&buf);
}

static void test_signatures(void **state)
{
	(void)state;
	assert_brief("void at::native::vectorized_elementwise_kernel<4, "
		     "at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul> >(int, "
		     "at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul>)",
		"vectorized_elementwise_kernel<CUDAFunctor_add<BFloat16>>");
	assert_brief("void at::native::vectorized_elementwise_kernel<4, "
		     "at::native::AUnaryFunctor<long, long, bool, at::native::(anonymous "
		     "namespace)::CompareEqFunctor<long> >, std::array<char*, 2ul> >(int)",
		"vectorized_elementwise_kernel<AUnaryFunctor<CompareEqFunctor<long>>>");
	assert_brief("void at::native::vectorized_elementwise_kernel<4, "
		     "at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, "
		     "at::native::GeluType)::{lambda()#2}::operator()() "
		     "const::{lambda(float)#1}, std::array<char*, 2ul> >(int)",
		"vectorized_elementwise_kernel<GeluCUDAKernelImpl>");
	assert_brief("void (anonymous namespace)::softmax_warp_forward<float, float, 10, "
		     "false>(float*, bool const*)",
		"softmax_warp_forward<float>");
	assert_brief("void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_64x64>(Params)",
		"Kernel2<cutlass_80_tensorop_bf16_s16816gemm_64x64>");
	assert_brief("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
		"ncclDevKernel_AllReduce_Sum_f32_RING_LL");
	assert_brief("void f<(cudnnKernelDataType_t)0, true>(int) [clone .kd]", "f");
	assert_brief("at::native::f<g(int)->int>::h<2>(int)", "h");
}

/* What is no signature stays as it is. */
static void test_other_names(void **state)
{
	static const char *const names[] = {"", "GEMM", "aten::add", "Memcpy HtoD (Host -> Device)",
		"enumerate(DataLoader)#_Single.__next__", "modeling_bert.py(364): forward",
		"threading.py(359)", "void f<", "void f<int>(", "f<int> g<int> h", "void ",
		"a::", "sm90_xmma_gemm_bf16__5x_cublas", "<built-in function len>", "{lambda()#1}",
		"f<int>(int) trailing"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_brief(names[i], names[i]);
}

/* A word of more than 72 columns is left without its middle; columns are not bytes. */
static void test_long_words(void **state)
{
	static const char tile[] = "MT64x16x16_MI16x16x1_SN_"; /* 24 columns */
	char name[200], brief[200];

	(void)state;
	snprintf(name, sizeof(name), "%s%s%s in train.py(12): main", tile, tile, tile);
	assert_brief(name, name);
	snprintf(name, sizeof(name), "%s%s\xc3\xa9%s in train.py(12): main", tile, tile, tile);
	snprintf(brief, sizeof(brief), "%s%.12s...%s%s%s in train.py(12): main", tile, tile,
		tile + 13, "\xc3\xa9", tile);
	assert_brief(name, brief);
}

static void assert_numbered(const struct tc_names *names, const char *name, const char *brief)
{
	struct tc_buf buf = TC_BUF_EMPTY;

	tc_names_append(names, &buf, tc_text_from(name));
	assert_string_equal(tc_buf_string(&buf), brief);
	tc_buf_clear(&buf);
}

static sqlite3 *store(void)
{
	sqlite3 *db = memory_store_open();

	memory_store_exec(db,
		"INSERT INTO op_total(trace_id, device, category, name, engine, kind, "
		"data_type, count, dur_ns, exclusive_ns, min_ns, max_ns) VALUES"
		" (0, '0', 'kernel', 'void f<float, 2>(int)', 'compute', 'kernel', "
		"NULL, 1, 5, 5, 1, 1),"
		" (0, '0', 'kernel', 'void f<float, 4>(int)', 'compute', 'kernel', "
		"NULL, 1, 9, 9, 1, 1),"
		" (0, '0', 'kernel', 'void f<half, 4>(int)', 'compute', 'kernel', "
		"NULL, 1, 9, 9, 1, 1),"
		" (1, '0', 'kernel', 'void f<half, 8>(int)', 'compute', 'kernel', "
		"NULL, 1, 9, 9, 1, 1)");
	return db;
}

static void test_numbers(void **state)
{
	struct tc_ctx *ctx = tc_ctx_new();
	sqlite3 *db = store();
	struct tc_names names;

	(void)state;
	tc_names_load(&names, ctx, db, 0);
	assert_false(tc_ctx_failed(ctx));
	assert_numbered(&names, "void f<float, 4>(int)", "f<float> #1"); /* most time */
	assert_numbered(&names, "void f<float, 2>(int)", "f<float> #2");
	assert_numbered(&names, "void f<half, 4>(int)", "f<half>");
	assert_numbered(&names, "void f<float, 8>(int)", "f<float>"); /* not of this trace */
	tc_names_clear(&names);
	sqlite3_close(db);
	tc_ctx_free(ctx);
}

static void test_without_memory(void **state)
{
	enum tc_status status = TC_ERR_NOMEM;
	sqlite3 *db = store();

	(void)state;
	for (int64_t n = 0; status != TC_OK; n++) {
		struct tc_ctx *ctx = tc_ctx_new();
		struct tc_names names;

		assert_true(n < 1000);
		tc_alloc_fail_after(n);
		tc_names_load(&names, ctx, db, 0);
		status = tc_ctx_status(ctx);
		tc_names_clear(&names);
		tc_alloc_fail_after(-1);
		assert_true(status == TC_OK || status == TC_ERR_NOMEM);
		tc_ctx_free(ctx);
	}
	sqlite3_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_signatures),
		cmocka_unit_test(test_other_names),
		cmocka_unit_test(test_long_words),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
