/* Items of a page: no slice is lost and none twice, whatever is merged; rows are free of
 * overlaps. */
#include "report/view/tracks.h"

#include "memory_store.h"

#include <stdlib.h>
#include <string.h>

#include "report/html/page.h"

#define TRACKS 4
#define SLICES 3000

static uint32_t state_of_random = 1;

static uint32_t next_random(uint32_t below)
{
	state_of_random = state_of_random * 1664525 + 1013904223;
	return (state_of_random >> 8) % below;
}

struct plain {
	int64_t ts, dur;
	int track;
};

/* Nested slices on two threads, overlapping ones on two lanes; not in the order of time. */
static void fill(sqlite3 *db, struct plain *slices)
{
	sqlite3_stmt *slice, *nest;

	memory_store_exec(db,
		"INSERT INTO track(id, trace_id, kind, name, device, lane) VALUES"
		" (5, 0, 'thread', 'main', NULL, NULL), (6, 0, 'thread', 'other', NULL, NULL),"
		" (7, 0, 'lane', 'a', '0', 'a'), (8, 0, 'lane', 'b', '0', 'b');"
		"INSERT INTO label(id, name) VALUES (1, 'short'), (2, 'long');"
		"UPDATE trace SET start_ns = 0, end_ns = 3000000");
	sqlite3_prepare_v2(db, "INSERT INTO slice_row VALUES(?1, ?2, ?3, ?4, ?5, NULL, NULL)", -1,
		&slice, NULL);
	sqlite3_prepare_v2(db, "INSERT INTO slice_nest VALUES(?1, 1, ?2)", -1, &nest, NULL);
	for (int i = 0; i < SLICES; i++) {
		struct plain *each = &slices[i];
		bool is_child = i % 2 == 1 && slices[i - 1].track < 2;
		*each = (struct plain){next_random(3000000),
			next_random(10) ? 1 + next_random(300) : next_random(20000),
			(int)next_random(TRACKS)};
		if (is_child)
			*each = (struct plain){
				slices[i - 1].ts, slices[i - 1].dur / 2, slices[i - 1].track};
		sqlite3_bind_int64(slice, 1, i);
		sqlite3_bind_int64(slice, 2, each->ts);
		sqlite3_bind_int64(slice, 3, each->dur);
		sqlite3_bind_int64(slice, 4, 5 + each->track);
		sqlite3_bind_int64(slice, 5, each->dur > 300 ? 2 : 1);
		assert_int_equal(sqlite3_step(slice), SQLITE_DONE);
		sqlite3_reset(slice);
		sqlite3_bind_int64(nest, 1, i);
		sqlite3_bind_int64(nest, 2, i - 1);
		assert_int_equal(is_child ? sqlite3_step(nest) : SQLITE_DONE, SQLITE_DONE);
		sqlite3_reset(nest);
	}
	sqlite3_finalize(slice);
	sqlite3_finalize(nest);
}

static bool is_item(const struct tc_items *items, int64_t id, const struct plain *slice)
{
	for (size_t i = 0; i < items->count; i++)
		if (items->all[i].id == id && items->all[i].count == 1)
			return items->all[i].ts == slice->ts && items->all[i].dur == slice->dur;
	return false;
}

static void check_items(const struct tc_items *items, const struct plain *slices,
	const struct tc_item_options *options)
{
	const struct tc_window *window = options->windows;
	size_t count = 0;

	for (size_t i = 0; i < items->count; i++) {
		const struct tc_item *item = &items->all[i];
		count += item->count;
		assert_true(item->dur >= 0 && item->row < TC_ITEM_ROWS);
		if (i > 0 && item[-1].track == item->track && item[-1].row == item->row &&
			item->row < TC_ITEM_ROWS - 1)
			assert_true(item[-1].ts + item[-1].dur <= item->ts);
	}
	assert_int_equal(count, SLICES);
	for (int i = 0; i < SLICES; i++) {
		bool inside = options->window_count > 0 && slices[i].ts < window->end &&
			      slices[i].ts + slices[i].dur > window->begin;
		if (slices[i].dur >= options->least_ns || inside)
			assert_true(is_item(items, i, &slices[i]));
	}
}

static void every_slice_is_in_one_item(void **state)
{
	static const int64_t limits[] = {0, 100, 301, 5000, 1000000};
	const struct tc_window window = {1000000, 1100000};
	struct plain *slices = calloc(SLICES, sizeof(*slices));
	sqlite3 *db = memory_store_open_trace();
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_page_tracks tracks;

	(void)state;
	fill(db, slices);
	tc_page_tracks_load(&tracks, ctx, db, 0);
	assert_int_equal(tracks.first_slice, 0);
	assert_int_equal(tracks.last_slice, SLICES - 1);
	for (size_t i = 0; i < 2 * sizeof(limits) / sizeof(limits[0]); i++) {
		struct tc_item_options options = {.least_ns = limits[i / 2],
			.most = SIZE_MAX,
			.windows = &window,
			.window_count = i % 2};
		struct tc_items items;
		tc_items_load(&items, &tracks, &options);
		assert_false(tc_ctx_failed(ctx));
		assert_int_equal(options.least_ns, limits[i / 2]);
		check_items(&items, slices, &options);
		tc_items_clear(&items);
	}
	tc_page_tracks_clear(&tracks);
	tc_ctx_free(ctx);
	sqlite3_close(db);
	free(slices);
}

/* Somebody changed the depths: rows stay those of a track. */
static void depths_may_be_anything(void **state)
{
	static const char *const depths[] = {"-5", "9223372036854775807", "-9223372036854775807"};
	struct plain *slices = calloc(SLICES, sizeof(*slices));
	sqlite3 *db = memory_store_open_trace();
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_page_tracks tracks;
	char sql[128];

	(void)state;
	fill(db, slices);
	tc_page_tracks_load(&tracks, ctx, db, 0);
	for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
		struct tc_item_options options = {.least_ns = 100, .most = SIZE_MAX};
		struct tc_items items;
		snprintf(sql, sizeof(sql), "UPDATE slice_nest SET depth = %s", depths[i]);
		memory_store_exec(db, sql);
		tc_items_load(&items, &tracks, &options);
		assert_false(tc_ctx_failed(ctx));
		check_items(&items, slices, &options);
		tc_items_clear(&items);
	}
	tc_page_tracks_clear(&tracks);
	tc_ctx_free(ctx);
	sqlite3_close(db);
	free(slices);
}

static void there_are_never_more_than_may_be(void **state)
{
	struct plain *slices = calloc(SLICES, sizeof(*slices));
	sqlite3 *db = memory_store_open_trace();
	struct tc_ctx *ctx = tc_ctx_new();
	const struct tc_advice advice = {0};
	struct tc_page_tracks tracks;

	(void)state;
	fill(db, slices);
	tc_page_tracks_load(&tracks, ctx, db, 0);
	for (size_t budget = 500; budget <= 2 * SLICES; budget *= 2) {
		struct tc_item_options options = {.most = budget};
		struct tc_places places;
		struct tc_queues queues;
		struct tc_items items;
		tc_places_init(&places, &tracks, &advice);
		tc_survey(&options.least_ns, &places, &queues, &tracks, budget);
		assert_true((options.least_ns == 0) == (budget >= SLICES));
		tc_items_load(&items, &tracks, &options);
		assert_false(tc_ctx_failed(ctx));
		assert_true(items.count <= budget);
		check_items(&items, slices, &options);
		tc_items_clear(&items);
		tc_places_clear(&places);
		tc_queues_clear(&queues);
	}
	tc_page_tracks_clear(&tracks);
	tc_ctx_free(ctx);
	sqlite3_close(db);
	free(slices);
}

/* A slice costs no more than it lasts, however long the gap in which it ends. */
static void the_costliest_slice_is_the_worst_place(void **state)
{
	struct tc_place place = {0};
	struct tc_place_label label = {0};
	struct tc_idle_gap gap = {.ts = 100, .end = 10100};
	size_t device = 0;
	struct tc_places places = {.all = &place,
		.count = 1,
		.labels = &label,
		.label_count = 1,
		.idle = {.gaps = &gap, .gap_count = 1, .devices = &device, .device_count = 1}};

	(void)state;
	tc_places_weigh(&places, 1, (struct tc_place){.ts = 95, .dur = 11}, true);
	tc_places_weigh(&places, 1, (struct tc_place){.ts = 200, .dur = 7870}, true);
	tc_places_weigh(&places, 1, (struct tc_place){.ts = 9000, .dur = 8000}, true);
	assert_int_equal(place.ts, 200);
	assert_int_equal(place.cost_ns, 7870);
}

#define GAPS 400

/* Gaps of two devices one behind the other, each with up to four pieces in no order; equal lengths
 * are frequent. */
static void fill_gaps(sqlite3 *db)
{
	static const char *const causes[] = {"launch", "dispatch", "no_work", "sync", "unknown"};
	int id = 1;

	for (int device = 0; device < 2; device++)
		for (int i = 0, ts = 100; i < GAPS; i++) {
			int count = 1 + (int)next_random(4), first = (int)next_random(5), dur = 0;
			int lengths[4];
			for (int k = 0; k < count; k++)
				dur += lengths[k] = 1 + (int)next_random(30);
			for (int k = 0; k < count; k++, id++) {
				char *sql = sqlite3_mprintf(
					"INSERT INTO gap VALUES(%d, 0, '%d', NULL, %d, %d, '%s', "
					"NULL, 0, 0, NULL, NULL, 1, %d, %d, 0)",
					id, device, ts + (int)next_random(3), lengths[k],
					causes[(first + k) % 5], ts, dur);
				memory_store_exec(db, sql);
				sqlite3_free(sql);
			}
			ts += dur + 1 + (int)next_random(50);
		}
}

/* The longest piece of a cause, by SQL: "ts dur device". */
static void longest_by_sql(char *text, size_t size, sqlite3 *db, const char *cause)
{
	sqlite3_stmt *stmt;

	sqlite3_prepare_v2(db,
		"SELECT ts || ' ' || dur || ' ' || device FROM (" TC_IDLE_SQL ")"
		" WHERE cause = coalesce(?2, nullif(cause, 'no_work')) ORDER BY dur DESC, ts, "
		"device",
		-1, &stmt, NULL);
	sqlite3_bind_int(stmt, 1, 0);
	sqlite3_bind_text(stmt, 2, cause, -1, SQLITE_STATIC);
	bool found = sqlite3_step(stmt) == SQLITE_ROW;
	snprintf(text, size, "%s", found ? (const char *)sqlite3_column_text(stmt, 0) : "none");
	sqlite3_finalize(stmt);
}

static void idle_time_is_that_of_a_query(void **state)
{
	static const char *const causes[] = {
		"launch", "dispatch", "no_work", "sync", "unknown", "collective", NULL};
	sqlite3 *db = memory_store_open_trace();
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_page_tracks tracks;
	const struct tc_advice advice = {0};
	struct tc_places places;

	(void)state;
	memory_store_exec(db, "INSERT INTO track(id, trace_id, kind, name, device, lane) VALUES"
			      " (7, 0, 'lane', 'a', '0', 'a'), (8, 0, 'lane', 'b', '1', 'b');"
			      "UPDATE trace SET start_ns = 0, end_ns = 3000000");
	fill_gaps(db);
	tc_page_tracks_load(&tracks, ctx, db, 0);
	tc_places_init(&places, &tracks, &advice);
	assert_false(tc_ctx_failed(ctx));
	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++) {
		const struct tc_idle_cause *longest =
			tc_idle_longest(&places.idle, tc_text_from(causes[i]));
		char want[80], have[80] = "none";
		if (longest)
			snprintf(have, sizeof(have), "%lld %lld %s", (long long)longest->ts,
				(long long)longest->dur, tracks.all[longest->track].device);
		longest_by_sql(want, sizeof(want), db, causes[i]);
		assert_string_equal(have, want);
	}
	assert_int_equal(places.idle.device_count, 2);
	for (int i = 0; i < 200; i++) {
		int64_t time = next_random(30000);
		char *sql = sqlite3_mprintf(
			"SELECT total(min(gap_ts + gap_dur, %lld) - gap_ts) FROM (SELECT DISTINCT "
			"gap_ts, gap_dur"
			" FROM gap WHERE device = '1' AND cause <> 'no_work') WHERE gap_ts <= %lld",
			time, time);
		assert_int_equal(tc_idle_until(&places.idle, 1, time, false),
			tc_rows_single(ctx, db, sql, 0));
		sqlite3_free(sql);
	}
	tc_places_clear(&places);
	tc_page_tracks_clear(&tracks);
	tc_ctx_free(ctx);
	sqlite3_close(db);
}

static void columns_are_varints(void **state)
{
	struct tc_buf columns = TC_BUF_EMPTY;

	(void)state;
	tc_buf_append_varint(&columns, 0);
	tc_buf_append_varint(&columns, 300);
	tc_buf_append_varint(&columns, UINT64_MAX);
	tc_columns_put_signed(&columns, -1);
	tc_columns_put_signed(&columns, 64);
	tc_columns_put_signed(&columns, INT64_MIN);
	assert_int_equal(columns.len, 1 + 2 + 10 + 1 + 2 + 10);
	assert_memory_equal(columns.ptr,
		"\x00\xac\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x01\x80\x01"
		"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
		columns.len);
	tc_buf_clear(&columns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_slice_is_in_one_item),
		cmocka_unit_test(depths_may_be_anything),
		cmocka_unit_test(there_are_never_more_than_may_be),
		cmocka_unit_test(the_costliest_slice_is_the_worst_place),
		cmocka_unit_test(idle_time_is_that_of_a_query),
		cmocka_unit_test(columns_are_varints),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
