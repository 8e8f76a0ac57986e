/* Events that streams record within a gap: it is one gap, with the causes of the work that ends
 * it. */
#include "analysis_cuda.h"

static int64_t cause_ns(struct fixture *f, const char *cause)
{
	return sql_int(f, "SELECT coalesce(sum(dur), 0) FROM gap WHERE cause = %Q", cause);
}

static void recorded_events_do_not_cut_a_gap(void **state)
{
	(void)state;
	struct cuda c;
	cuda_open(&c);
	uint32_t record =
		add_label(&c.f, "mtia_ccp_events", "event_record", TC_ROLE_NONE, TC_ENGINE_COMPUTE);
	c.f.timeline->labels[record].mark = TC_MARK_EVENT_RECORD;
	add_span(&c.f, c.stream[0], c.kernel, 0, 100 * US);
	add_span(&c.f, c.main, c.loader, 50 * US, 80 * US); /* until 130 */
	struct tc_span launch = add_span(&c.f, c.main, c.launch, 150 * US, 5 * US);
	add_span(&c.f, c.stream[1], record, 110 * US, 1 * US);
	add_span(&c.f, c.stream[1], record, 170 * US, 1 * US);
	launch_work(&c.f, &(struct work){c.stream[0], c.kernel, 200 * US, 10 * US}, &launch, -1);
	analyze(&c.f);
	assert_int_equal(sql_int(&c.f, "SELECT count(DISTINCT gap_ts) FROM gap"), 1);
	assert_int_equal(sql_int(&c.f, "SELECT count(*) - count(DISTINCT cause) FROM gap"), 0);
	assert_int_equal(sql_int(&c.f, "SELECT max(gap_dur) FROM gap"), 100 * US);
	assert_int_equal(sql_int(&c.f, "SELECT sum(dur) FROM gap"), 98 * US);
	assert_int_equal(sql_int(&c.f, "SELECT max(launch_delay_ns) FROM gap"), 50 * US);
	assert_int_equal(cause_ns(&c.f, "dataloader"), 29 * US);
	assert_int_equal(cause_ns(&c.f, "launch"), 15 * US);
	assert_int_equal(cause_ns(&c.f, "queued"), 34 * US);
	assert_metric(&c.f, "device_idle_ns", "0", NO_STEP, 98 * US);
	fixture_close(&c.f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(recorded_events_do_not_cut_a_gap)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
