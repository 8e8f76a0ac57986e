/* Slices by track: what cursors give against one array sorted by qsort. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "model/timeline/spans.h"

enum { TRACK_COUNT = 40, SPAN_COUNT = 20000 };

static uint64_t seed = 0x9e3779b97f4a7c15u;

static uint64_t next_random(uint64_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % below;
}

struct set {
	struct tc_ctx *ctx;
	struct tc_spans *spans;
	struct tc_span *all; /* in the order of adding */
	size_t count;
};

static void add(struct set *set, struct tc_span span)
{
	set->all[set->count++] = span;
	tc_spans_add(set->spans, &span);
}

/* Tracks of every kind: in order, with a few latecomers, in any order, short, empty. */
static void fill(struct set *set, size_t count)
{
	set->ctx = tc_ctx_new();
	set->all = calloc(count + 1, sizeof(*set->all));
	set->count = 0;
	assert_non_null(set->all);
	set->spans = tc_spans_new(set->ctx);
	assert_non_null(set->spans);
	for (size_t i = 0; i < count; i++) {
		struct tc_span span = {.slice_id = (int64_t)i, .ts_ns = (int64_t)i / 3};
		span.track = (uint32_t)next_random(TRACK_COUNT / 2) * 2;
		span.dur_ns = (int64_t)next_random(9) - 1;
		span.label = (uint32_t)next_random(100);
		span.launch_slice_id = (int64_t)next_random(3) - 1;
		span.launch_ts_ns = (int64_t)(next_random(UINT64_MAX));
		span.launch_end_ns = span.launch_ts_ns / 2;
		span.launch_label = (uint32_t)next_random(100);
		span.data_type = (uint32_t)next_random(UINT32_MAX);
		span.recipe = (uint32_t)next_random(5) - 1;
		span.method = (uint8_t)next_random(7);
		span.role = (uint8_t)next_random(256);
		if (span.track % 3 == 1 && next_random(500) == 0)
			span.ts_ns = (int64_t)next_random(100);
		if (span.track % 5 == 2)
			span.ts_ns = (int64_t)next_random(1000) - 500;
		if (span.track == 6 && i > 60)
			span.track = 8;
		if (i == count / 2)
			span.track = TRACK_COUNT + 100;
		add(set, span);
	}
}

static void clear(struct set *set)
{
	tc_spans_free(set->spans);
	tc_ctx_free(set->ctx);
	free(set->all);
}

static bool is_among(const uint32_t *tracks, size_t track_count, uint32_t track)
{
	for (size_t i = 0; i < track_count; i++)
		if (tracks[i] == track)
			return true;
	return false;
}

static void expect_span(const struct tc_span *got, const struct tc_span *want)
{
	assert_non_null(got);
	assert_int_equal(got->slice_id, want->slice_id);
	assert_int_equal(got->ts_ns, want->ts_ns);
	assert_int_equal(got->dur_ns, want->dur_ns);
	assert_int_equal(got->track, want->track);
	assert_int_equal(got->label, want->label);
	assert_int_equal(got->step, want->step);
	assert_int_equal(got->launch_slice_id, want->launch_slice_id);
	assert_int_equal(got->launch_ts_ns, want->launch_ts_ns);
	assert_int_equal(got->launch_end_ns, want->launch_end_ns);
	assert_int_equal(got->launch_label, want->launch_label);
	assert_int_equal(got->data_type, want->data_type);
	assert_int_equal(got->recipe, want->recipe);
	assert_int_equal(got->method, want->method);
	assert_int_equal(got->role, want->role);
}

/* set->all is in cursor order. */
static void expect_cursor(const struct set *set, const uint32_t *tracks, size_t track_count)
{
	struct tc_cursor *cursor = NULL;
	const struct tc_span *span;

	cursor = tc_cursor_open(set->spans, tracks, track_count);
	for (size_t i = 0; i < set->count; i++) {
		if (!is_among(tracks, track_count, set->all[i].track))
			continue;
		span = tc_cursor_next(cursor);
		expect_span(span, &set->all[i]);
	}
	for (int i = 0; i < 2; i++) {
		span = tc_cursor_next(cursor);
		assert_null(span);
	}
	tc_cursor_close(cursor);
}

static size_t pick_tracks(uint32_t *tracks)
{
	size_t count = 0;

	for (uint32_t i = 0; i < TRACK_COUNT + 200; i++)
		if (next_random(4) == 0)
			tracks[count++] = i;
	for (size_t i = count; i > 1; i--) {
		size_t j = next_random(i);
		uint32_t swap = tracks[i - 1];
		tracks[i - 1] = tracks[j];
		tracks[j] = swap;
	}
	return count;
}

/* From the first start to the last end, whatever was sorted. */
static void expect_extents(const struct set *set)
{
	for (uint32_t track = 0; track < TRACK_COUNT; track++) {
		int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;
		size_t count;
		for (size_t i = 0; i < set->count; i++) {
			const struct tc_span *span = &set->all[i];
			if (span->track != track || span->dur_ns < 0)
				continue;
			first_ns = span->ts_ns < first_ns ? span->ts_ns : first_ns;
			last_ns = span->ts_ns + span->dur_ns > last_ns ? span->ts_ns + span->dur_ns
								       : last_ns;
		}
		const struct tc_spans_range *range = tc_spans_ranges(&count, set->spans, track);
		assert_int_equal(count, first_ns <= last_ns);
		assert_int_equal(count ? range->first_ns : first_ns, first_ns);
		assert_int_equal(count ? range->last_ns : last_ns, last_ns);
	}
}

/* Slices a day or more from the others are ranges of their own, whatever comes first. */
static void slices_far_away_are_told_apart(void **state)
{
	enum { EARLY = 3, MIDDLE = 20, LATE = 2, ALL = EARLY + MIDDLE + LATE };
	const int64_t day_ns = INT64_C(86400) * 1000 * 1000 * 1000;
	struct tc_ctx *ctx = tc_ctx_new();

	(void)state;
	for (int turn = 0; turn < 2; turn++) {
		struct tc_spans *spans;
		int64_t counts[3] = {0};
		size_t count;
		spans = tc_spans_new(ctx);
		assert_non_null(spans);
		for (int i = 0; i < ALL; i++) {
			int at = turn ? ALL - 1 - i : i;
			int64_t day = at < EARLY ? -3 : at < EARLY + MIDDLE ? 0 : 1000;
			struct tc_span span = {
				.ts_ns = day * day_ns + at * 10, .dur_ns = 5, .slice_id = at};
			tc_spans_add(spans, &span);
		}
		const struct tc_spans_range *ranges = tc_spans_ranges(&count, spans, 0);
		assert_int_equal(count, 3);
		for (size_t i = 0; i < count; i++) {
			size_t place = turn ? 2 - i : i;
			counts[place] = ranges[i].count;
			assert_int_equal(ranges[i].first_slice_id, place == 0   ? 0
								   : place == 1 ? EARLY
										: EARLY + MIDDLE);
		}
		assert_int_equal(counts[0], EARLY);
		assert_int_equal(counts[1], MIDDLE);
		assert_int_equal(counts[2], LATE);
		tc_spans_free(spans);
	}
	tc_ctx_free(ctx);
}

static void cursors_merge_any_tracks(void **state)
{
	static const size_t counts[] = {0, 1, 63, 64, 65, 500, SPAN_COUNT};
	uint32_t tracks[TRACK_COUNT + 200];

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		struct set set = {0};
		fill(&set, counts[i]);
		tc_spans_sort(set.spans, NULL, 0);
		assert_int_equal(tc_ctx_status(set.ctx), TC_OK);
		expect_extents(&set);
		qsort(set.all, set.count, sizeof(set.all[0]), tc_span_compare);
		for (int j = 0; j < 20; j++)
			expect_cursor(&set, tracks, j == 0 ? 0 : pick_tracks(tracks));
		clear(&set);
	}
}

/* The places of 64 blocks of 64 slices each go to the file together. */
static void long_tracks_come_back(void **state)
{
	static const size_t counts[] = {
		64 * 63, 64 * 64, 64 * 65, 64 * 65 + 1, 64 * 66, 64 * 66 + 1, 3 * 64 * 64 + 77};
	const uint32_t tracks[] = {0, 1};

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		struct set set = {0};
		fill(&set, 0);
		set.all = realloc(set.all, 2 * counts[i] * sizeof(*set.all));
		assert_non_null(set.all);
		for (size_t j = 0; j < 2 * counts[i]; j++)
			add(&set, (struct tc_span){.slice_id = (int64_t)j,
					  .track = j % 2,
					  .ts_ns = j % 9001 == 9000 ? 5 : (int64_t)j});
		tc_spans_sort(set.spans, NULL, 0);
		assert_int_equal(tc_ctx_status(set.ctx), TC_OK);
		qsort(set.all, set.count, sizeof(set.all[0]), tc_span_compare);
		expect_cursor(&set, tracks, 2);
		clear(&set);
	}
}

/* Links the slices of some tracks in runs of any length, and notes it in set->all, too. */
static void link_some(struct set *set, const uint32_t *tracks, size_t track_count)
{
	struct tc_cursor *cursor = NULL;
	const struct tc_span *span;
	struct tc_span launch = {0};
	size_t i = 0, left = 0;

	cursor = tc_cursor_open(set->spans, tracks, track_count);
	while ((span = tc_cursor_next(cursor))) {
		while (!is_among(tracks, track_count, set->all[i].track))
			i++;
		struct tc_span *linked = &set->all[i++];
		if (left-- == 0) {
			left = next_random(4) == 0 ? next_random(300) : next_random(3);
			launch.launch_slice_id = (int64_t)next_random(1000);
			launch.launch_ts_ns = launch.launch_slice_id * 7;
			launch.launch_end_ns = launch.launch_slice_id * 9;
			launch.launch_label = (uint32_t)next_random(100);
			launch.step = (int32_t)next_random(9) - 1;
			launch.method = (uint8_t)next_random(7);
		}
		if (next_random(50) != 0) {
			linked->launch_slice_id = launch.launch_slice_id;
			linked->launch_ts_ns = launch.launch_ts_ns;
			linked->launch_end_ns = launch.launch_end_ns;
			linked->launch_label = launch.launch_label;
			linked->step = launch.step;
			linked->method = launch.method;
		}
		tc_cursor_link(cursor, linked);
	}
	tc_cursor_close(cursor);
}

static void cursors_give_launches_found_later(void **state)
{
	static const size_t counts[] = {1, 63, 64, 65, 500, SPAN_COUNT, 20 * SPAN_COUNT};
	const uint32_t some[] = {0, 4, 6, 10, 12}, others[] = {2, 8};

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		struct set set = {0};
		uint32_t tracks[TRACK_COUNT + 200];
		fill(&set, counts[i]);
		tc_spans_sort(set.spans, NULL, 0);
		assert_int_equal(tc_ctx_status(set.ctx), TC_OK);
		qsort(set.all, set.count, sizeof(set.all[0]), tc_span_compare);
		link_some(&set, some, 5);
		link_some(&set, others, 2);
		tc_spans_linked(set.spans);
		assert_int_equal(tc_ctx_status(set.ctx), TC_OK);
		for (int j = 0; j < 5; j++)
			expect_cursor(&set, tracks, pick_tracks(tracks));
		expect_cursor(&set, some, 5);
		clear(&set);
	}
}

static void two_cursors_do_not_disturb_each_other(void **state)
{
	struct set set = {0};
	struct tc_cursor *outer = NULL;
	const struct tc_span *span;
	const uint32_t tracks[] = {0, 2, 4};
	size_t i = 0;

	(void)state;
	fill(&set, 3000);
	tc_spans_sort(set.spans, NULL, 0);
	assert_int_equal(tc_ctx_status(set.ctx), TC_OK);
	qsort(set.all, set.count, sizeof(set.all[0]), tc_span_compare);
	outer = tc_cursor_open(set.spans, tracks, 3);
	while ((span = tc_cursor_next(outer))) {
		while (!is_among(tracks, 3, set.all[i].track))
			i++;
		expect_span(span, &set.all[i++]);
		if (i % 97 == 0)
			expect_cursor(&set, tracks + 1, 2);
	}
	tc_cursor_close(outer);
	tc_cursor_close(NULL);
	clear(&set);
}

static void an_interrupt_stops_cursors(void **state)
{
	struct set set = {0};
	struct tc_cursor *cursor = NULL;
	const uint32_t track = 0;
	size_t count = 0;

	(void)state;
	fill(&set, SPAN_COUNT);
	tc_spans_sort(set.spans, NULL, 0);
	assert_int_equal(tc_ctx_status(set.ctx), TC_OK);
	cursor = tc_cursor_open(set.spans, &track, 1);
	tc_ctx_interrupt(set.ctx);
	while (tc_cursor_next(cursor))
		count++;
	assert_true(count < set.count);
	assert_null(tc_cursor_next(cursor));
	assert_int_equal(tc_ctx_status(set.ctx), TC_ERR_INTERRUPTED);
	tc_cursor_close(cursor);
	clear(&set);
}

static void use_all(struct tc_ctx *ctx)
{
	static const uint32_t tracks[] = {0, 1, 2, 3, 4};
	struct tc_spans *spans = tc_spans_new(ctx);
	const struct tc_span *span;
	int count = 0;

	if (!spans)
		return;
	for (int i = 0; i < 900; i++)
		tc_spans_add(spans, &(struct tc_span){.slice_id = i,
					    .ts_ns = i == 700 ? 5 : i,
					    .track = (uint32_t)i % 4});
	tc_spans_sort(spans, NULL, 0);
	struct tc_cursor *cursor = tc_cursor_open(spans, tracks, 5);
	while ((span = tc_cursor_next(cursor))) {
		struct tc_span linked = *span;
		linked.method = (uint8_t)(count++ % 3);
		tc_cursor_link(cursor, &linked);
	}
	assert_true(count == 900 || tc_ctx_failed(ctx));
	tc_cursor_close(cursor);
	count = 0;
	cursor = tc_cursor_open(spans, tracks, 5);
	while ((span = tc_cursor_next(cursor)) && !tc_ctx_failed(ctx))
		assert_int_equal(span->method, count++ % 3);
	assert_true(count == 900 || tc_ctx_failed(ctx));
	tc_cursor_close(cursor);
	tc_spans_free(spans);
}

static void survives_every_failed_allocation(void **state)
{
	enum tc_status status = TC_ERR_NOMEM;

	(void)state;
	tc_spans_free(NULL);
	for (int n = 0; status; n++) {
		struct tc_ctx *ctx = tc_ctx_new();
		tc_alloc_fail_after(n);
		use_all(ctx);
		status = tc_ctx_status(ctx);
		tc_alloc_fail_after(-1);
		assert_true(status == TC_OK || status == TC_ERR_NOMEM);
		tc_ctx_free(ctx);
		assert_true(n < 500);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slices_far_away_are_told_apart),
		cmocka_unit_test(cursors_merge_any_tracks),
		cmocka_unit_test(long_tracks_come_back),
		cmocka_unit_test(cursors_give_launches_found_later),
		cmocka_unit_test(two_cursors_do_not_disturb_each_other),
		cmocka_unit_test(an_interrupt_stops_cursors),
		cmocka_unit_test(survives_every_failed_allocation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
