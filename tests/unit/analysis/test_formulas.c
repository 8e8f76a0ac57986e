/* FLOPs and bytes of operations: known cases with numbers computed by hand (and, where it has them,
 * as TraceLens gives them), and random sizes against loops that count every multiplication. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/timeline/work.h"

#define BF16 "\"c10::BFloat16\""
#define F32 "\"float\""
#define LONG "\"long int\""
#define F64 "\"double\""
#define FP8 "\"c10::Float8_e4m3fn\""
#define INT "\"long int\""
#define ARGS(dims, types, concrete)                                                                \
	"{\"External id\":1,\"Concrete Inputs\":[" concrete "],\"Input type\":[" types             \
	"],\"Input Dims\":[" dims "]}"
#define CONVOLVE(dims, stride, padding, dilation, transposed, output_padding, groups)              \
	ARGS(dims ",[],[],[],[],[],[]",                                                            \
		F32 "," F32 "," F32 ",\"ScalarList\",\"ScalarList\",\"ScalarList\",\"Scalar\","    \
		    "\"ScalarList\",\"Scalar\"",                                                   \
		"\"\",\"\",\"\",\"" stride "\",\"" padding "\",\"" dilation "\",\"" transposed     \
		"\",\"" output_padding "\",\"" groups "\"")

static const struct {
	enum tc_work_kind kind;
	const char *args;
	int64_t flops, bytes;
} cases[] = {
	/* TraceLens, h100-bert-small: 0.0739968 GFLOPS, 0.7763671875
	   MB; 4.41119205, 38.211021423339844. */
	{TC_WORK_ADD_PRODUCT,
		ARGS("[512],[141,512],[512,512],[],[]",
			BF16 "," BF16 "," BF16 ",\"Scalar\",\"Scalar\"", "\"\""),
		73996800, 814080},
	{TC_WORK_ADD_PRODUCT,
		ARGS("[30522],[141,512],[512,30522],[],[]",
			BF16 "," BF16 "," BF16 ",\"Scalar\",\"Scalar\"", ""),
		4411192050, 40067160},
	/* TraceLens, the same trace: 0.040716288 GFLOPS, 0.55078125 MB. */
	{TC_WORK_ATTENTION,
		ARGS("[1,8,141,64],[1,8,141,64],[1,8,141,64],[],[],[],[]",
			BF16 "," BF16 "," BF16 ",\"Scalar\",\"Scalar\",\"Scalar\",\"Scalar\"",
			"\"\",\"\",\"\",\"0.\",\"False\",\"False\",\"0.125\""),
		40716288, 577536},
	/* Causal: 141 * 142 / 2 pairs in place of 141 * 141. */
	{TC_WORK_ATTENTION,
		ARGS("[1,8,141,64],[1,8,141,64],[1,8,141,64],[],[],[],[]",
			BF16 "," BF16 "," BF16 ",\"Scalar\",\"Scalar\",\"Scalar\",\"Scalar\"",
			"\"\",\"\",\"\",\"0.\",\"True\",\"False\",\"0.125\""),
		20502528, 577536},
	{TC_WORK_ATTENTION,
		ARGS("[1,8,141,64],[1,8,142,64],[1,8,142,64],[],[],[],[]",
			BF16 "," BF16 "," BF16 ",\"Scalar\",\"Scalar\",\"Scalar\",\"Scalar\"",
			"\"\",\"\",\"\",\"0.\",\"True\",\"False\",\"0.125\""),
		-1, -1},
	{TC_WORK_ATTENTION,
		ARGS("[1,8,141,64],[1,8,141,64],[1,8,141,64]", BF16 "," BF16 "," BF16, ""), -1, -1},
	/* 8 query heads share 2 of keys; values of another size. 2 * (64 + 32) * 2 * 8 * 10 *
	 * 20. */
	{TC_WORK_MASKED_ATTENTION,
		ARGS("[2,8,10,64],[2,2,20,64],[2,2,20,32],[],[],[],[]",
			BF16 "," BF16 "," BF16 ",\"\",\"Scalar\",\"Scalar\",\"Scalar\"",
			"\"\",\"\",\"\",\"\",\"True\",\"0.\",\"False\""),
		614400, 2 * (10240 + 5120 / 1 + 2560 + 5120)},
	{TC_WORK_ATTENTION_BACKWARD,
		ARGS("[1,2,4,8],[1,2,4,8],[1,2,4,8],[1,2,4,8],[1,2,4,8],[1,2,4],[],[],[],[],[],[]",
			BF16 "," BF16 "," BF16 "," BF16 "," BF16 "," F32
			     ",\"\",\"\",\"\",\"\",\"\",\"\"",
			"\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"4\",\"4\",\"0.\",\"False\""),
		5 * 2 * 2 * 4 * 4 * 8, 8 * 64 * 2},
	/* The same attention with rows before heads, and as two packed sequences of equal length.
	 */
	{TC_WORK_FLASH_ATTENTION,
		ARGS("[1,141,8,64],[1,141,8,64],[1,141,8,64],[],[],[]",
			BF16 "," BF16 "," BF16 ",\"\",\"\",\"\"",
			"\"\",\"\",\"\",\"0.\",\"0.125\",\"False\""),
		40716288, 577536},
	{TC_WORK_PACKED_ATTENTION,
		ARGS("[282,8,64],[282,8,64],[282,8,64],[3],[3],[],[],[],[],[]",
			BF16 "," BF16 "," BF16 ",\"int\",\"int\",\"\",\"\",\"\",\"\",\"\"",
			"\"\",\"\",\"\",\"\",\"\",\"141\",\"141\",\"0.\",\"0.125\",\"False\""),
		2 * 40716288, 2 * 577536},
	{TC_WORK_PACKED_ATTENTION,
		ARGS("[283,8,64],[283,8,64],[283,8,64],[3],[3],[],[],[],[],[]",
			BF16 "," BF16 "," BF16 ",\"int\",\"int\",\"\",\"\",\"\",\"\",\"\"",
			"\"\",\"\",\"\",\"\",\"\",\"142\",\"142\",\"0.\",\"0.125\",\"False\""),
		-1, -1},
	{TC_WORK_PAGED_ATTENTION, ARGS("[4,8,64],[4,2,64],[4,2,64]", BF16 "," BF16 "," BF16, ""),
		-1, -1},
	{TC_WORK_PRODUCT, ARGS("[3,4],[4,5]", F32 "," F32, ""), 120, 4 * (12 + 20 + 15)},
	{TC_WORK_PRODUCT, ARGS("[3,4],[6,5]", F32 "," F32, ""), -1, -1},
	{TC_WORK_PRODUCT, ARGS("[3,4]", F32, ""), -1, -1},
	{TC_WORK_PRODUCT, ARGS("[3,0],[0,5]", F32 "," F32, ""), 0, 60},
	{TC_WORK_SCALED_PRODUCT,
		ARGS("[3,4],[4,5],[],[]",
			"\"c10::Float8_e4m3fn\",\"c10::Float8_e4m3fn\"," F32 "," F32, ""),
		120, -1},
	/* The seventh input is the number of bfloat16 among PyTorch's types; two scales. */
	{TC_WORK_SCALED_PRODUCT,
		ARGS("[3,4],[4,5],[],[],[],[],[],[]",
			FP8 "," FP8 "," F32 "," F32 ",\"\",\"\",\"Scalar\",\"Scalar\"",
			"\"\",\"\",\"\",\"\",\"\",\"\",\"15\",\"True\""),
		120, 12 + 20 + 30},
	{TC_WORK_SCALED_PRODUCT, ARGS("[3,4],[4,5]", "\"signed char\",\"signed char\"", ""), 120,
		12 + 20 + 60},
	{TC_WORK_OUT_PRODUCT,
		ARGS("[3,5],[3,4],[4,5],[1],[1],[]", BF16 "," FP8 "," FP8 "," F32 "," F32 ",\"\"",
			""),
		120, 30 + 12 + 20},
	/* 10 rows in 2 groups. */
	{TC_WORK_GROUPED_PRODUCT, ARGS("[10,4],[2,4,5],[2]", BF16 "," BF16 ",\"int\"", ""), 400,
		2 * (40 + 40 + 50)},
	/* 3 tokens choose 2 of 4 experts each: 4 (1 - 1/8) = 3.5 are reached, rounded to 4. Up and
	 * gate [4,6,8], down [4,8,3]. */
	{TC_WORK_FUSED_EXPERTS,
		ARGS("[3,8],[4,6,8],[4,8,3],[3,2],[3,2]", BF16 "," BF16 "," BF16 "," F32 ",\"int\"",
			""),
		2 * 3 * 2 * (48 + 24), 2 * 2 * 24 + 4 * 6 + 2 * 4 * 72},
	{TC_WORK_FUSED_EXPERTS,
		ARGS("[3,8],[4,6,8],[4,8,3],[2,2],[2,2]", BF16 "," BF16 "," BF16 "," F32 ",\"int\"",
			""),
		-1, -1},
	{TC_WORK_BATCH_PRODUCT, ARGS("[7,3,4],[7,4,5]", F32 "," F32, ""), 840, 4 * 7 * 47},
	{TC_WORK_ADD_BATCH_PRODUCT, ARGS("[7,3,5],[7,3,4],[7,4,5]", F32 "," F32 "," F32, ""), 945,
		4 * 7 * 62},
	/* ResNet's first layer: 2 * 64 * 112 * 112 * 147. */
	{TC_WORK_CONVOLUTION,
		CONVOLVE("[1,3,224,224],[64,3,7,7],[]", "[2, 2]", "[3, 3]", "[1, 1]", "False",
			"[0, 0]", "1"),
		236830720, 4 * (150528 + 9408 + 802816 + 1)},
	{TC_WORK_CONVOLUTION,
		CONVOLVE("[1,3,224,224],[64,3,7,7],[64]", "[2]", "[3]", "[1]", "False", "[0]", "1"),
		236027904 + 802816, 4 * (150528 + 9408 + 802816 + 64)},
	{TC_WORK_CONVOLUTION,
		CONVOLVE("[1,3,224,224],[64,3,7,7],[64]", "", "[3]", "[1]", "False", "[0]", "1"),
		-1, -1},
	{TC_WORK_CONVOLUTION,
		CONVOLVE("[1,3,224,224],[64,3,7,7],[64]", "[0, 0]", "[3]", "[1]", "False", "[0]",
			"1"),
		-1, -1},
	/* TraceLens' unit test conv_07: types of c10::ScalarType, tuples of Python, and fewer sizes
	   than values. */
	{TC_WORK_CONVOLUTION,
		ARGS("[4,512,8,8],[512,256,4,4]", "\"Float\",\"Float\"",
			"\"\",\"\",\"\",\"(2,2)\",\"(1,1)\",\"(1,1)\",\"True\",\"(0,0)\",\"1\""),
		1073741824, 4 * (131072 + 2097152 + 262144)},
	/* 16 rows of 64: 7 an element with weight and bias. */
	{TC_WORK_NORM,
		ARGS("[16,64],[],[64],[64],[]", BF16 ",\"ScalarList\"," BF16 "," BF16 ",\"Scalar\"",
			""),
		7168, 2 * (2048 + 128)},
	{TC_WORK_NORM, ARGS("[16,64],[],[],[],[]", BF16 ",\"ScalarList\",\"\",\"\",\"Scalar\"", ""),
		5120, 4096},
	{TC_WORK_SOFTMAX, ARGS("[16,64],[],[]", F32 ",\"Scalar\",\"Scalar\"", ""), 5120, 8192},
	{TC_WORK_POINTWISE, ARGS("[16,1,64],[8,1],[]", BF16 "," BF16 ",\"Scalar\"", ""), 8192,
		2 * (1024 + 8 + 8192)},
	/* A number promotes no tensor, unless it is of another kind. */
	{TC_WORK_POINTWISE, ARGS("[16,64],[]", BF16 "," F32, ""), 1024, 2048 + 4 + 2048},
	{TC_WORK_POINTWISE, ARGS("[16,64],[]", BF16 "," F64, ""), 1024, 2048 + 8 + 2048},
	{TC_WORK_POINTWISE, ARGS("[16,64],[]", INT "," F64, ""), 1024, 8192 + 8 + 4096},
	{TC_WORK_POINTWISE, ARGS("[16,64],[]", INT "," INT, ""), 1024, 8192 + 8 + 8192},
	{TC_WORK_POINTWISE, ARGS("[],[]", F32 "," F64, ""), 1, 4 + 8 + 8},
	{TC_WORK_POINTWISE, ARGS("[16,64],[16,1]", BF16 "," F32, ""), 1024, 2048 + 64 + 4096},
	/* where(): the condition has no say in the type. */
	{TC_WORK_POINTWISE, ARGS("[16,64],[16,64],[]", "\"bool\"," BF16 "," F32, ""), 1024,
		1024 + 2048 + 4 + 2048},
	{TC_WORK_COMPARISON, ARGS("[16,64],[]", F32 "," F64, ""), 1024, 4096 + 8 + 1024},
	{TC_WORK_IN_PLACE, ARGS("[16,64],[64]", BF16 "," F32, ""), 1024, 4096 + 256},
	{TC_WORK_COPY, ARGS("[16,64],[16,1],[]", BF16 "," F32 ",\"Scalar\"", ""), 0, 2048 + 64},
	{TC_WORK_COPY, ARGS("[],[16,1]", "\"\"," F32, ""), -1, -1},
	{TC_WORK_FILL, ARGS("[16,64],[]", BF16 "," F64, ""), 0, 2048},
	{TC_WORK_OUT_NORM,
		ARGS("[16,64],[16,64],[64],[]", BF16 "," BF16 "," BF16 ",\"Scalar\"", ""), 4096,
		2048 + 2048 + 128},
	{TC_WORK_ADD_NORM,
		ARGS("[16,64],[16,64],[64],[]", BF16 "," BF16 "," BF16 ",\"Scalar\"", ""), 5120,
		4096 + 4096 + 128},
	{TC_WORK_GATED, ARGS("[16,32],[16,64]", BF16 "," BF16, ""), 1024, 1024 + 2048},
	{TC_WORK_ROTATION,
		ARGS("[16],[16,64],[16,32],[],[4096,8]", INT "," BF16 "," BF16 ",\"Scalar\"," BF16,
			""),
		3 * (1024 + 512), 128 + 4096 + 2048},
	/* 2 * 5 rows of 7 are read and written; the table has more of them. */
	{TC_WORK_EMBEDDING, ARGS("[1000,7],[2,5],[]", BF16 "," INT ",\"Scalar\"", ""), 0,
		2 * 2 * 70 + 80},
	{TC_WORK_ROWS, ARGS("[6,50,7],[],[5]", F32 ",\"Scalar\"," INT, "\"\",\"1\",\"\""), 0,
		2 * 4 * 6 * 5 * 7 + 40},
	/* Along all dimensions, the last, the first and the last; a list that the trace lacks. */
	{TC_WORK_REDUCTION, ARGS("[6,5,7],[]", F32 ",\"\"", "\"\",\"\""), 210, 844},
	{TC_WORK_REDUCTION,
		ARGS("[6,5,7],[],[],[]", F32 ",\"ScalarList\",\"Scalar\",\"\"",
			"\"\",\"[-1]\",\"True\",\"\""),
		210, 840 + 120},
	{TC_WORK_REDUCTION,
		ARGS("[6,5,7],[],[],[]", F32 ",\"ScalarList\",\"Scalar\",\"\"",
			"\"\",\"[0, 2]\",\"False\",\"\""),
		210, 840 + 20},
	{TC_WORK_REDUCTION, ARGS("[6,5,7],[],[]", F32 ",\"Scalar\",\"Scalar\"", "\"\",\"3\",\"\""),
		-1, -1},
	{TC_WORK_VECTOR_NORM,
		ARGS("[6,5,7],[],[],[],[]", F32 ",\"Scalar\",\"ScalarList\",\"Scalar\",\"\"",
			"\"\",\"2\",\"[1]\",\"False\",\"\""),
		210, 840 + 168},
	/* torch.compile: an embedding of 100 elements reads no more of its table. */
	{TC_WORK_COMPILED,
		ARGS("[10,10],[5000,10],[10,10],[]", F32 "," F32 "," BF16 ",\"Scalar\"",
			"\"\",\"\",\"\",\"100\""),
		-1, 400 + 400 + 200},
	{TC_WORK_COMPILED, ARGS("[10,10],[10,10]", F32 "," BF16, ""), -1, 600},
	{TC_WORK_COMPILED, ARGS("[]", "\"Scalar\"", "\"100\""), -1, -1},
	{TC_WORK_POINTWISE, ARGS("[[3,4],[5]],[]", "\"TensorList\",\"Scalar\"", ""), -1, -1},
	{TC_WORK_POINTWISE, ARGS("[1,1,1,1,1,1,1,1,1]", F32, ""), -1, -1},
	/* Sizes that no device has. */
	{TC_WORK_PRODUCT, ARGS("[4611686018427387904,2],[2,4]", F32 "," F32, ""), -1, -1},
	{TC_WORK_PRODUCT, ARGS("[-3,4],[4,5]", F32 "," F32, ""), -1, -1},
	{TC_WORK_PRODUCT, ARGS("[3000000000,1],[1,1000000000]", F32 "," F32, ""),
		6000000000000000000, -1},
	{TC_WORK_CONVOLUTION,
		CONVOLVE("[1,3,9223372036854775807,224],[64,3,7,7],[]", "[2, 2]", "[3, 3]",
			"[1, 1]", "False", "[0, 0]", "1"),
		-1, -1},
	/* A matrix of 3 x 4 times a vector, and with an addend. */
	{TC_WORK_VECTOR_PRODUCT, ARGS("[3,4],[4]", F32 "," F32, ""), 24, 4 * (12 + 4 + 3)},
	{TC_WORK_VECTOR_PRODUCT, ARGS("[3,4],[5]", F32 "," F32, ""), -1, -1},
	{TC_WORK_ADD_VECTOR_PRODUCT, ARGS("[3],[3,4],[4]", F32 "," F32 "," F32, ""), 27,
		4 * (3 + 12 + 4 + 3)},
	/* 6 elements of a table are read and written, at indices of 8 bytes. */
	{TC_WORK_GATHER, ARGS("[9,7],[],[2,3]", F32 ",\"Scalar\"," LONG, ""), 0, 6 * (4 + 4 + 8)},
	/* 6 elements are added: read, and their places read and written. */
	{TC_WORK_SCATTER, ARGS("[9,7],[],[2,3],[2,3]", F32 ",\"Scalar\"," LONG "," F32, ""), 6,
		6 * (8 + 3 * 4)},
	/* The same with an index for each of 2 rows; a number in place of the source is unknown. */
	{TC_WORK_ADD_ROWS, ARGS("[9,3],[],[2],[2,3]", F32 ",\"Scalar\"," LONG "," F32, ""), 6,
		2 * 8 + 6 * 3 * 4},
	{TC_WORK_SCATTER, ARGS("[9,7],[],[2,3],[]", F32 ",\"Scalar\"," LONG ",\"Scalar\"", ""), -1,
		-1},
	/* Indices in a list of tensors have no sizes. */
	{TC_WORK_PUT, ARGS("[9,3],[],[2,3]", F32 ",\"TensorList\"," F32, ""), 6, 6 * 3 * 4},
	/* Gradients of 2 rows, and a table of 9 rows. */
	{TC_WORK_EMBEDDING_BACKWARD,
		ARGS("[2,3],[2],[]", F32 "," LONG ",\"Scalar\"", "\"\",\"\",\"9\""), 6,
		4 * 6 + 2 * 8 + 4 * 27},
	/* Keys of 2 bytes are read twice; a sort reads and writes them, and positions of 8 bytes.
	 */
	{TC_WORK_SELECTION, ARGS("[5,7]", BF16, ""), 0, 35 * 2 * 2},
	{TC_WORK_SORT, ARGS("[5,7]", BF16, ""), 0, 35 * (2 + 2 + 8)},
	{TC_WORK_SCAN, ARGS("[5,7],[],[]", F32 ",\"Scalar\",\"\"", "\"\",\"1\",\"\""), 35, 280},
	{TC_WORK_DROPOUT, ARGS("[5,7],[],[]", BF16 ",\"Scalar\",\"Scalar\"", ""), 35,
		35 * (2 + 2 + 1)},
	/* Windows of 3 x 3, two apart, on 9 x 7 with a border of 1: 5 x 4 places in 2 x 3 images.
	 */
	{TC_WORK_MAX_POOL,
		ARGS("[2,3,9,7],[],[],[],[],[]",
			F32
			",\"ScalarList\",\"ScalarList\",\"ScalarList\",\"ScalarList\",\"Scalar\"",
			"\"\",\"[3, 3]\",\"[2, 2]\",\"[1, 1]\",\"[1, 1]\",\"False\""),
		6 * 20 * 9, 6 * (63 * 4 + 20 * (4 + 8))},
	/* Without a step windows touch. */
	{TC_WORK_POOL,
		ARGS("[2,3,9,7],[],[],[],[]",
			F32 ",\"ScalarList\",\"ScalarList\",\"ScalarList\",\"Scalar\"",
			"\"\",\"[3, 2]\",\"[]\",\"[0, 0]\",\"False\""),
		6 * 9 * 6, 6 * (63 + 9) * 4},
	{TC_WORK_POOL,
		ARGS("[2,3,9,7],[],[],[],[]", F32,
			"\"\",\"[3, 2]\",\"[0, 1]\",\"[0, 0]\",\"False\""),
		-1, -1},
	{TC_WORK_POOL,
		ARGS("[2,3,9,7],[],[],[],[]", F32, "\"\",\"[99, 2]\",\"[]\",\"[0, 0]\",\"\""), -1,
		-1},
	/* The gradient, and the sizes of the input and of the places. */
	{TC_WORK_POOL_BACKWARD,
		ARGS("[2,20],[2,63],[],[],[],[],[],[2,20]",
			F32 "," F32 ",\"\",\"\",\"\",\"\",\"\"," LONG, ""),
		40, 40 * 4 + 126 * 4 + 40 * 8},
	{TC_WORK_RESIZE,
		ARGS("[2,3,4,4],[],[]", BF16 ",\"ScalarList\",\"Scalar\"",
			"\"\",\"[8, 6]\",\"False\""),
		6 * 48, 6 * (16 + 48) * 2},
	{TC_WORK_RESIZE_BACKWARD,
		ARGS("[2,3,8,6],[],[],[]", BF16 ",\"ScalarList\",\"ScalarList\",\"Scalar\"",
			"\"\",\"[8, 6]\",\"[2, 3, 4, 4]\",\"False\""),
		6 * 16, 6 * (16 + 48) * 2},
	{TC_WORK_RESIZE, ARGS("[2,3,4,4],[],[]", BF16, "\"\",\"\",\"False\""), -1, -1},
	/* 6 rows of 7 in 2 bags. */
	{TC_WORK_EMBEDDING_BAG, ARGS("[9,7],[6],[2]", F32 "," LONG "," LONG, ""), 42,
		(6 + 2) * 7 * 4 + (6 + 2) * 8},
	/* A row that is repeated is read once. */
	{TC_WORK_COPY,
		"{\"Input Dims\":[[4,8],[4,8],[]],\"Input type\":[\"float\",\"float\",\"Scalar\"],"
		"\"Input Strides\":[[8,1],[0,1],[]]}",
		0, 4 * (32 + 8)},
	/* Not as the profiler writes them. */
	{TC_WORK_PRODUCT, "{\"Input Dims\":\"[[3,4],[4,5]]\",\"Input type\":[\"float\",\"float\"]}",
		-1, -1},
	{TC_WORK_PRODUCT, "{\"Input Dims\":[[3,4],[4,null]],\"Input type\":[\"float\",\"float\"]}",
		-1, -1},
	{TC_WORK_PRODUCT, "{\"Input Dims\":[[3,4],[4,5]],\"Input type\":[7,\"float\"]}", -1, -1},
	{TC_WORK_PRODUCT, "{\"Input Dims\":[],\"Input type\":[]}", -1, -1},
	{TC_WORK_PRODUCT, "[]", -1, -1},
};

static struct tc_work work_of(enum tc_work_kind kind, const char *args)
{
	struct tc_op_inputs inputs;

	tc_op_inputs_read(&inputs, tc_text_from(args));
	return tc_work_of(kind, &inputs);
}

static void test_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tc_work work = work_of(cases[i].kind, cases[i].args);

		if (work.flops != cases[i].flops || work.bytes != cases[i].bytes)
			fail_msg("case %zu, %s: %lld FLOPs and %lld bytes", i, cases[i].args,
				(long long)work.flops, (long long)work.bytes);
	}
}

static void test_precision(void **state)
{
	(void)state;
	assert_int_equal(work_of(TC_WORK_PRODUCT, ARGS("[3,4],[4,5]", BF16 "," BF16, "")).precision,
		TC_PRECISION_BF16);
	assert_true(work_of(TC_WORK_PRODUCT, ARGS("[3,4],[4,5]", BF16 "," BF16, "")).is_matrix);
	assert_false(work_of(TC_WORK_POINTWISE, ARGS("[3,4]", F32, "")).is_matrix);
	assert_int_equal(work_of(TC_WORK_POINTWISE, ARGS("[3,4]", "\"alien\"", "")).precision,
		TC_PRECISION_UNKNOWN);
}

#define LIES(sizes, types, strides, concretes)                                                     \
	"{\"Input Dims\":[" sizes "],\"Input type\":[" types "],\"Input Strides\":[" strides       \
	"],\"Concrete Inputs\":[" concretes "]}"

/* How inputs lie, as far as their kernels mind it. */
static void test_layouts(void **state)
{
	static const struct {
		enum tc_work_kind kind;
		const char *args;
		enum tc_layout layout;
	} rows[] = {
		/* Products take matrices of either order, and parts of larger ones. */
		{TC_WORK_PRODUCT, LIES("[4,6],[6,5]", F32 "," F32, "[18,1],[1,6]", ""),
			TC_LAYOUT_DENSE},
		{TC_WORK_PRODUCT, LIES("[4,6],[6,5]", F32 "," F32, "[1,4],[5,1]", ""),
			TC_LAYOUT_TURNED},
		{TC_WORK_PRODUCT, LIES("[4,6],[6,5]", F32 "," F32, "[18,3],[5,1]", ""),
			TC_LAYOUT_GAPS},
		/* Queries, keys and values beside each other. */
		{TC_WORK_ATTENTION,
			LIES("[2,3,4,8],[2,3,4,8]", F32 "," F32, "[288,8,72,1],[288,8,72,1]", ""),
			TC_LAYOUT_DENSE},
		{TC_WORK_POINTWISE, LIES("[4,6]", F32, "[18,1]", ""), TC_LAYOUT_GAPS},
		/* Sums along the dimension of the short stride, and along the other one. */
		{TC_WORK_REDUCTION,
			LIES("[4,6],[],[]", F32 ",\"\",\"\"", "[6,1],[],[]", "\"\",\"[1]\",\"\""),
			TC_LAYOUT_DENSE},
		{TC_WORK_REDUCTION,
			LIES("[4,6],[],[]", F32 ",\"\",\"\"", "[6,1],[],[]", "\"\",\"[0]\",\"\""),
			TC_LAYOUT_ACROSS},
		{TC_WORK_REDUCTION,
			LIES("[4,6],[],[]", F32 ",\"\",\"\"", "[1,4],[],[]", "\"\",\"[0]\",\"\""),
			TC_LAYOUT_TURNED},
		{TC_WORK_REDUCTION,
			LIES("[4,6],[],[]", F32 ",\"\",\"\"", "[1,4],[],[]", "\"\",\"[-1]\",\"\""),
			TC_LAYOUT_ACROSS},
		{TC_WORK_SOFTMAX,
			LIES("[2,4,6],[],[]", F32 ",\"\",\"\"", "[24,6,1],[],[]",
				"\"\",\"1\",\"\""),
			TC_LAYOUT_ACROSS},
		{TC_WORK_SOFTMAX,
			LIES("[2,4,6],[],[]", F32 ",\"\",\"\"", "[24,6,1],[],[]",
				"\"\",\"2\",\"\""),
			TC_LAYOUT_DENSE},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (work_of(rows[i].kind, rows[i].args).layout != rows[i].layout)
			fail_msg("case %zu: %s", i,
				tc_layout_name(work_of(rows[i].kind, rows[i].args).layout));
}

struct layer {
	int n, c, k, groups, in[2], kernel[2], stride[2], padding[2], dilation[2], more[2];
	bool transposed;
	int out[2];
};

/* Sizes of a layer whose result has at least one element. */
static struct layer draw(void)
{
	struct layer l = {.n = 1 + rand() % 2, .groups = 1 + rand() % 2, .transposed = rand() % 2};

	l.c = l.groups * (1 + rand() % 2);
	l.k = l.groups * (1 + rand() % 3);
	for (int i = 0; i < 2; i++) {
		l.kernel[i] = 1 + rand() % 3;
		l.stride[i] = 1 + rand() % 2;
		l.padding[i] = rand() % l.kernel[i];
		l.dilation[i] = 1 + rand() % 2;
		l.in[i] = l.dilation[i] * (l.kernel[i] - 1) + 1 + rand() % 4;
		l.more[i] = l.transposed ? rand() % l.stride[i] : 0;
	}
	return l;
}

/* The size of the result by trying where the kernel fits; transposed, by the last element it
 * reaches. */
static void measure(struct layer *l)
{
	for (int i = 0; i < 2; i++) {
		int reach = l->dilation[i] * (l->kernel[i] - 1), count = 0;

		for (int at = -l->padding[i]; at + reach < l->in[i] + l->padding[i];
			at += l->stride[i])
			count++;
		l->out[i] = l->transposed ? (l->in[i] - 1) * l->stride[i] + reach + 1 + l->more[i] -
						    2 * l->padding[i]
					  : count;
	}
}

/* Every multiplication and addition of the layer, those with padding too, as a dense kernel makes
 * them. */
static int64_t count_flops(const struct layer *l)
{
	const int *places = l->transposed ? l->in : l->out;
	int64_t flops = 0;

	for (int n = 0; n < l->n; n++)
		for (int c = 0; c < l->c; c++)
			for (int k = 0; k < l->k; k++)
				for (int y = 0; y < places[0]; y++)
					for (int x = 0; x < places[1]; x++)
						for (int w = 0; w < l->kernel[0] * l->kernel[1];
							w++)
							if (c / (l->c / l->groups) ==
								k / (l->k / l->groups))
								flops += 2;
	return flops;
}

static void write_args(
	char *out, size_t size, const struct layer *l, bool backward, const char *mask)
{
	char gradient[64] = "", weight[64];

	snprintf(weight, sizeof(weight), "[%d,%d,%d,%d]", l->transposed ? l->c : l->k,
		(l->transposed ? l->k : l->c) / l->groups, l->kernel[0], l->kernel[1]);
	if (backward)
		snprintf(gradient, sizeof(gradient), "[%d,%d,%d,%d],", l->n, l->k, l->out[0],
			l->out[1]);
	snprintf(out, size,
		"{\"Input Dims\":[%s[%d,%d,%d,%d],%s,%s,[],[],[],[],[],[]%s],"
		"\"Input type\":[%s\"float\",\"float\",\"\",\"\",\"\",\"\",\"\",\"\",\"\"%s],"
		"\"Concrete Inputs\":[%s\"\",\"\",\"\",\"[%d, %d]\",\"[%d, %d]\",\"[%d, "
		"%d]\",\"%s\","
		"\"[%d, %d]\",\"%d\"%s]}",
		gradient, l->n, l->c, l->in[0], l->in[1], weight, "[]", backward ? ",[]" : "",
		backward ? "\"float\"," : "", backward ? ",\"\"" : "", backward ? "\"\"," : "",
		l->stride[0], l->stride[1], l->padding[0], l->padding[1], l->dilation[0],
		l->dilation[1], l->transposed ? "True" : "False", l->more[0], l->more[1], l->groups,
		mask);
}

static void test_random_convolutions(void **state)
{
	char args[1024];

	(void)state;
	srand(7);
	for (int round = 0; round < 400; round++) {
		struct layer l = draw();

		measure(&l);
		if (l.out[0] <= 0 || l.out[1] <= 0)
			continue;
		int64_t in = l.n * l.c * l.in[0] * l.in[1], out = l.n * l.k * l.out[0] * l.out[1];
		int64_t weight = l.c * l.k / l.groups * l.kernel[0] * l.kernel[1];

		write_args(args, sizeof(args), &l, false, "");
		struct tc_work work = work_of(TC_WORK_CONVOLUTION, args);
		assert_int_equal(work.flops, count_flops(&l));
		assert_int_equal(work.bytes, 4 * (in + weight + out));
		write_args(args, sizeof(args), &l, true, ",\"[True, True, False]\"");
		work = work_of(TC_WORK_CONVOLUTION_BACKWARD, args);
		assert_int_equal(work.flops, 2 * count_flops(&l));
		assert_int_equal(work.bytes, 4 * (2 * out + 2 * in + 2 * weight));
		write_args(args, sizeof(args), &l, true, ",\"[False, True, True]\"");
		work = work_of(TC_WORK_CONVOLUTION_BACKWARD, args);
		assert_int_equal(work.flops, count_flops(&l) + out);
		assert_int_equal(work.bytes, 4 * (2 * out + in + weight + l.k));
	}
}

/* Products of random sizes, counted one by one; causal attention row by row. */
static void test_random_products(void **state)
{
	char args[512];

	(void)state;
	srand(8);
	for (int round = 0; round < 200; round++) {
		int b = 1 + rand() % 3, m = rand() % 6, k = rand() % 6, n = rand() % 6;
		int64_t flops = 0, pairs = 0;

		for (int i = 0; i < b * m * n; i++)
			for (int j = 0; j < k; j++)
				flops += 2;
		snprintf(args, sizeof(args),
			"{\"Input Dims\":[[%d,%d,%d],[%d,%d,%d]],\"Input "
			"type\":[\"double\",\"double\"]}",
			b, m, k, b, k, n);
		assert_int_equal(work_of(TC_WORK_BATCH_PRODUCT, args).flops, flops);
		for (int i = 0; i < m; i++)
			for (int j = 0; j <= i; j++)
				pairs++;
		snprintf(args, sizeof(args),
			"{\"Input Dims\":[[%d,2,%d,%d],[%d,2,%d,%d],[%d,2,%d,%d],[],[]],\"Input "
			"type\":"
			"[\"double\",\"double\",\"double\",\"\",\"\"],\"Concrete "
			"Inputs\":[\"\",\"\",\"\","
			"\"0.\",\"True\"]}",
			b, m, k, b, m, k, b, m, n);
		assert_int_equal(
			work_of(TC_WORK_ATTENTION, args).flops, 2 * b * 2 * pairs * (k + n));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_precision),
		cmocka_unit_test(test_layouts),
		cmocka_unit_test(test_random_convolutions),
		cmocka_unit_test(test_random_products),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
