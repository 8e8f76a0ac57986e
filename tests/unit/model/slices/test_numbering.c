/* Numbers with holes: only where all that the profiler counts is thin, operations are missing. */
#include "model_fixture.h"

#include "model/slices/slices.h"

enum { EVENTS = 100 };

/* What is proved by EVENTS operations and calls whose numbers are so far apart. Calls
 * and kernels repeat the external id of an operation. */
static int64_t one_of(int64_t index_gap, int64_t id_gap, int64_t call_gap, int count)
{
	struct model_run run = {0};
	struct tc_buf events = TC_BUF_EMPTY;

	for (int i = 0; i < count; i++) {
		tc_buf_format(&events,
			"%s{'ph':'X','cat':'cpu_op','name':'aten::mm','pid':1,'tid':1,'ts':%d,"
			"'dur':5,'args':{'External id':%lld,'Ev Idx':%lld}},",
			i > 0 ? "," : "", 10 * i, (long long)(7 + i * id_gap),
			(long long)(900 + (count - i) * index_gap));
		tc_buf_format(&events,
			"{'ph':'X','cat':'cuda_runtime','name':'cudaLaunchKernel','pid':1,'tid':1,"
			"'ts':%d,'dur':2,'args':{'External id':%lld,'correlation':%lld}},",
			10 * i + 1, (long long)(7 + i * id_gap), (long long)(50 + i * call_gap));
		tc_buf_format(&events,
			"{'ph':'X','cat':'kernel','name':'k','pid':0,'tid':7,'ts':%d,'dur':2,"
			"'args':{'External id':1,'correlation':%lld}}",
			10 * i + 2, (long long)(50 + i * call_gap));
	}
	model_run_events(&run, tc_buf_string(&events));
	int64_t result = run.timeline->recorded_one_of;
	model_run_close(&run);
	tc_buf_clear(&events);
	return result;
}

static void all_numbers_of_a_thinned_file_have_holes(void **state)
{
	(void)state;
	assert_int_equal(one_of(40, 30, 200, EVENTS), 30 * (EVENTS - 1) / EVENTS);
	assert_int_equal(one_of(30, 40, 200, EVENTS), 30 * (EVENTS - 1) / EVENTS);
}

static void one_numbering_alone_proves_nothing(void **state)
{
	(void)state;
	assert_int_equal(one_of(1, 1, 1, EVENTS), 1);
	assert_int_equal(one_of(40, 1, 200, EVENTS), 1); /* Python frames were taken out */
	assert_int_equal(one_of(1, 40, 200, EVENTS), 1); /* many threads, each with a block */
	assert_int_equal(one_of(40, 40, 20, EVENTS), 1); /* the calls are all there */
	assert_int_equal(one_of(5, 5, 200, EVENTS), 1);
}

static void few_numbers_prove_nothing(void **state)
{
	(void)state;
	assert_int_equal(one_of(40, 40, 200, EVENTS - 1), 1);
}

static void the_largest_numbers_do_not_overflow(void **state)
{
	struct tc_numbering numbering = {
		{EVENTS, INT64_MIN, INT64_MAX},
		{EVENTS, INT64_MIN, INT64_MAX},
		{EVENTS, INT64_MIN, INT64_MAX},
	};

	(void)state;
	assert_int_equal(tc_numbering_one_of(&numbering), INT64_MAX / EVENTS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_numbers_of_a_thinned_file_have_holes),
		cmocka_unit_test(one_numbering_alone_proves_nothing),
		cmocka_unit_test(few_numbers_prove_nothing),
		cmocka_unit_test(the_largest_numbers_do_not_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
