/* The timeline's tables, names and range, and what a slice is by its track and label. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <string.h>

#include "model/timeline/timeline.h"

static void tables_give_indexes_in_order(void **state)
{
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_timeline *timeline = NULL;

	(void)state;
	timeline = tc_timeline_new(ctx, 3);
	assert_non_null(timeline);
	assert_int_equal(timeline->trace_id, 3);
	for (int64_t i = 0; i < 100; i++) {
		assert_int_equal(
			TC_TIMELINE_ADD(timeline, label, &(struct tc_label){.is_op = i % 2 == 0}),
			i);
		assert_int_equal(
			TC_TIMELINE_ADD(timeline, track, &(struct tc_track){.slice_count = i}), i);
		assert_int_equal(TC_TIMELINE_ADD(timeline, device, &(struct tc_device){0}), i);
		assert_int_equal(
			TC_TIMELINE_ADD(timeline, step, &(struct tc_step){.number = i * 2}), i);
	}
	assert_int_equal(timeline->tracks[77].slice_count, 77);
	assert_int_equal(timeline->steps[99].number, 198);
	assert_true(timeline->labels[10].is_op);
	tc_timeline_free(timeline);
	tc_timeline_free(NULL);
	tc_ctx_free(ctx);
}

static void the_range_is_that_of_slices_with_an_end(void **state)
{
	static const struct {
		int64_t ts_ns, dur_ns, start_ns, end_ns;
	} rows[] = {
		{50, -1, INT64_MAX, INT64_MIN},
		{10, 5, 10, 15},
		{12, 1, 10, 15},
		{-7, 0, -7, 15},
		{INT64_C(4611686018427387903), INT64_C(4611686018427387903), -7,
			INT64_C(9223372036854775806)},
		{INT64_C(-4611686018427387903), 1, INT64_C(-4611686018427387903),
			INT64_C(9223372036854775806)},
	};
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_timeline *timeline = NULL;
	struct tc_cursor *cursor = NULL;
	const struct tc_span *span;
	const uint32_t track = 0;

	(void)state;
	for (size_t count = 1; count <= sizeof(rows) / sizeof(rows[0]); count++) {
		tc_timeline_free(timeline);
		timeline = tc_timeline_new(ctx, 0);
		assert_non_null(timeline);
		assert_int_equal(TC_TIMELINE_ADD(timeline, track, &(struct tc_track){0}), track);
		for (size_t i = 0; i < count; i++) {
			const struct tc_span added = {.ts_ns = rows[i].ts_ns,
				.dur_ns = rows[i].dur_ns,
				.slice_id = (int64_t)i};
			tc_spans_add(timeline->spans, &added);
		}
		assert_int_equal(tc_timeline_sort(timeline), TC_OK);
		assert_int_equal(timeline->start_ns, rows[count - 1].start_ns);
		assert_int_equal(timeline->end_ns, rows[count - 1].end_ns);
	}
	cursor = tc_cursor_open(timeline->spans, &track, 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		static const int64_t order[] = {5, 3, 1, 2, 0, 4};
		span = tc_cursor_next(cursor);
		assert_non_null(span);
		assert_int_equal(span->slice_id, order[i]);
	}
	tc_cursor_close(cursor);
	tc_timeline_free(timeline);
	tc_ctx_free(ctx);
}

/* An enclosing slice comes before what it holds; one without an end before all of its start. */
static void cursors_give_the_longer_first(void **state)
{
	static const int64_t durations[] = {5, 0, -1, 5, 9};
	static const int64_t order[] = {2, 4, 0, 3, 1};
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_timeline *timeline = NULL;
	struct tc_cursor *cursor = NULL;
	const struct tc_span *span;
	const uint32_t track = 0;

	(void)state;
	timeline = tc_timeline_new(ctx, 0);
	assert_non_null(timeline);
	for (int64_t i = 0; i < 5; i++)
		tc_spans_add(
			timeline->spans, &(struct tc_span){.dur_ns = durations[i], .slice_id = i});
	assert_int_equal(tc_timeline_sort(timeline), TC_OK);
	cursor = tc_cursor_open(timeline->spans, &track, 1);
	for (int64_t i = 0; i < 5; i++) {
		span = tc_cursor_next(cursor);
		assert_non_null(span);
		assert_int_equal(span->slice_id, order[i]);
	}
	tc_cursor_close(cursor);
	tc_timeline_free(timeline);
	tc_ctx_free(ctx);
}

static void engine_and_role_of_a_slice(void **state)
{
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_timeline *timeline = NULL;

	(void)state;
	timeline = tc_timeline_new(ctx, 0);
	assert_non_null(timeline);
	TC_TIMELINE_ADD(timeline, label, &(struct tc_label){.engine = TC_ENGINE_COMPUTE});
	TC_TIMELINE_ADD(timeline, label, &(struct tc_label){.role = TC_ROLE_LAUNCH});
	TC_TIMELINE_ADD(timeline, track, &(struct tc_track){.engine = TC_ENGINE_MME});
	TC_TIMELINE_ADD(timeline, track, &(struct tc_track){.engine = TC_ENGINE_NONE});
	struct tc_span span = {.track = 0, .label = 0};
	assert_int_equal(tc_span_engine(timeline, &span), TC_ENGINE_MME);
	span.track = 1;
	assert_int_equal(tc_span_engine(timeline, &span), TC_ENGINE_COMPUTE);
	span.label = 1;
	assert_int_equal(tc_span_engine(timeline, &span), TC_ENGINE_NONE);
	assert_int_equal(tc_span_role(timeline, &span), TC_ROLE_LAUNCH);
	span.role = TC_ROLE_INPUT_COPY;
	assert_int_equal(tc_span_role(timeline, &span), TC_ROLE_INPUT_COPY);
	tc_timeline_free(timeline);
	tc_ctx_free(ctx);
}

static void everything_has_a_name(void **state)
{
	(void)state;
	assert_null(tc_role_name(TC_ROLE_NONE));
	for (int i = 1; i < TC_ROLE_COUNT; i++)
		assert_non_null(tc_role_name((enum tc_role)i));
	assert_string_equal(tc_role_name(TC_ROLE_DATALOADER), "dataloader");
	assert_null(tc_engine_name(TC_ENGINE_NONE));
	for (int i = 1; i < TC_ENGINE_COUNT; i++)
		assert_non_null(tc_engine_name((enum tc_engine)i));
	assert_string_equal(tc_engine_name(TC_ENGINE_MME), "mme");
	assert_null(tc_op_kind_name(TC_OP_NONE));
	assert_string_equal(tc_op_kind_name(TC_OP_OTHER), "other");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_give_indexes_in_order),
		cmocka_unit_test(the_range_is_that_of_slices_with_an_end),
		cmocka_unit_test(cursors_give_the_longer_first),
		cmocka_unit_test(engine_and_role_of_a_slice),
		cmocka_unit_test(everything_has_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
