/*
 * The walk and the salvage by themselves: how far the one came, and what the other wants done at
 * the position. What they deliver together is in test_decode.c and test_decode_salvage.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "decode/salvage.h"
#include "decode/walk.h"
#include "decode_dump.h"

struct parts {
	struct tc_ctx *ctx;
	struct decode_dump dump;
	struct tc_keys keys;
	struct tc_first_keys first_keys;
	struct tc_delivery delivery;
	struct tc_window window;
	struct tc_position position;
	struct tc_walk *walk;
	struct tc_salvage salvage;
};

static void make_parts(struct parts *p, struct tc_text text)
{
	const struct tc_decode_sink sink = {&p->dump, dump_event, dump_meta, dump_log};

	*p = (struct parts){.ctx = tc_ctx_new()};
	tc_keys_init(&p->keys);
	tc_delivery_init(&p->delivery, p->ctx, &sink, &p->keys);
	tc_window_init(&p->window, 0);
	tc_window_show(&p->window, text.ptr, text.len);
	tc_position_init(&p->position);
	p->walk = tc_walk_new(&p->position, &p->delivery, &p->keys, &p->first_keys);
	assert_non_null(p->walk);
	p->salvage = (struct tc_salvage){
		.window = &p->window,
		.position = &p->position,
		.delivery = &p->delivery,
		.keys = &p->keys,
		.first_keys = &p->first_keys,
	};
}

static void free_parts(struct parts *p)
{
	tc_walk_free(p->walk);
	tc_salvage_clear(&p->salvage);
	tc_delivery_clear(&p->delivery);
	tc_window_clear(&p->window);
	dump_clear(&p->dump);
	tc_ctx_free(p->ctx);
}

static void the_walk_tells_how_far_it_came(void **state)
{
	static const struct {
		const char *text;
		enum tc_walk_outcome outcome;
		enum tc_level level;
		int64_t hold;
		int64_t event_count;
	} cases[] = {
		{"", TC_WALK_MORE, TC_LEVEL_TOP, 0, 0},
		{"[", TC_WALK_MORE, TC_LEVEL_LIST, 1, 0},
		{"[{\"ph\":1},{\"ph\":\"X\"} , ", TC_WALK_MORE, TC_LEVEL_LIST, 23, 1},
		{"[{\"ph\":\"X\"},{\"ph", TC_WALK_MORE, TC_LEVEL_EVENT, 12, 1},
		{"{\"a\":1,\"traceEvents\":[]", TC_WALK_MORE, TC_LEVEL_CONTAINER, 23, 0},
		{"[{\"ph\":\"X\"}]\n", TC_WALK_MORE, TC_LEVEL_TOP, 13, 1},
		/* What cannot be read is held. */
		{"[{\"ph\":\"X\"},{\"ph\":x}", TC_WALK_BROKEN, TC_LEVEL_EVENT, 12, 1},
		{"[{\"ph\":\"X\",\"name\":\"\xff\"}]", TC_WALK_BROKEN, TC_LEVEL_EVENT, 1, 0},
		{"[{\"ph\":\"X\"},]", TC_WALK_BROKEN, TC_LEVEL_LIST, 11, 1},
		{"3", TC_WALK_MORE, TC_LEVEL_TOP, 0, 0},
		{"3 ", TC_WALK_BROKEN, TC_LEVEL_TOP, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct parts p;
		make_parts(&p, tc_text_from(cases[i].text));
		assert_int_equal(tc_walk_feed(p.walk, &p.window), cases[i].outcome);
		assert_int_equal(p.position.level, cases[i].level);
		assert_int_equal(p.position.hold, cases[i].hold);
		assert_int_equal(p.delivery.event_count, cases[i].event_count);
		free_parts(&p);
	}
}

static void the_walk_stops_at_limits(void **state)
{
	struct tc_buf text = TC_BUF_EMPTY;
	struct parts p;

	(void)state;
	tc_buf_append_string(&text, "[{\"a\":");
	for (int i = 0; i < TC_JSON_MAX_DEPTH + 1; i++)
		tc_buf_append_char(&text, '[');
	make_parts(&p, tc_buf_text(&text));
	assert_int_equal(tc_walk_feed(p.walk, &p.window), TC_WALK_DEEP);
	assert_int_equal(p.position.hold, 1);
	free_parts(&p);
	tc_buf_reset(&text);
	tc_buf_append_string(&text, "[{\"ph\":\"");
	for (int i = 0; i < TC_EVENT_MAX_BYTES; i++)
		tc_buf_append_char(&text, 'a');
	make_parts(&p, tc_buf_text(&text));
	assert_int_equal(tc_walk_feed(p.walk, &p.window), TC_WALK_LARGE);
	assert_false(tc_walk_facts(p.walk).phase_seen);
	free_parts(&p);
	make_parts(&p, TC_TEXT("[{\"ph\":\"X\"},"));
	p.dump.fail_after = 1;
	assert_int_equal(tc_walk_feed(p.walk, &p.window), TC_WALK_FAILED);
	assert_int_equal(p.delivery.status, TC_ERR_STORE);
	free_parts(&p);
	tc_buf_clear(&text);
}

/* A list with this behind its bracket. */
static void the_salvage_tells_what_to_do(void **state)
{
	static const struct {
		const char *text;
		enum tc_salvage_outcome outcome;
		int64_t hold;
	} cases[] = {
		{" , ", TC_SALVAGE_MORE, 3},
		{",{\"ph\":\"X\"}", TC_SALVAGE_PARSE, 1},
		{",[", TC_SALVAGE_PARSE, 1},
		{"]", TC_SALVAGE_PARSE, 1},
		{" 3,", TC_SALVAGE_REPAIR_NEXT, 2},
		{"\"text\"]", TC_SALVAGE_REPAIR_NEXT, 6},
		{"\"text", TC_SALVAGE_MORE, 0},
		{"}}", TC_SALVAGE_LOST, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct parts p;
		make_parts(&p, tc_text_from(cases[i].text));
		tc_position_enter_list(&p.position, false, 0);
		tc_salvage_start(&p.salvage, TC_DAMAGE_TEXT, false);
		assert_int_equal(tc_salvage_mend(&p.salvage), cases[i].outcome);
		assert_int_equal(p.position.hold, cases[i].hold);
		free_parts(&p);
	}
}

static void expect_event(
	const char *text, enum tc_damage damage, enum tc_salvage_outcome outcome, bool at_end)
{
	struct parts p;

	make_parts(&p, tc_text_from(text));
	p.window.at_end = at_end;
	p.position.level = TC_LEVEL_LIST;
	tc_position_enter_event(&p.position, 0);
	tc_salvage_start(&p.salvage, damage, false);
	assert_int_equal(tc_salvage_mend(&p.salvage), outcome);
	if (outcome == TC_SALVAGE_REPAIRED)
		assert_true(tc_text_equal(tc_buf_text(&p.salvage.repair.out),
			TC_TEXT("{\"ph\":\"X\",\"dur\":null}")));
	free_parts(&p);
}

static void a_damaged_event_is_mended_dropped_or_lost(void **state)
{
	(void)state;
	expect_event("{\"ph\":\"X\",\"dur\":NaN},", TC_DAMAGE_TEXT, TC_SALVAGE_REPAIRED, false);
	expect_event("{\"ph\":\"X\",\"dur\":N", TC_DAMAGE_TEXT, TC_SALVAGE_MORE, false);
	expect_event("{\"ph\":\"X\",\"dur\":N", TC_DAMAGE_TEXT, TC_SALVAGE_MORE, true);
	expect_event("{\"ph\" {{,", TC_DAMAGE_TEXT, TC_SALVAGE_LOST, false);
	expect_event("{\"ph\":\"X\",\"dur\":1},", TC_DAMAGE_DEEP, TC_SALVAGE_SKIP, false);
	expect_event("{\"ph\":\"X\",\"dur\":1},", TC_DAMAGE_LARGE, TC_SALVAGE_SKIP, false);
}

static void skipping_and_searching_end_where_a_value_starts(void **state)
{
	static const char text[] = "{\"a\":\"]}\",\"b\":[}]},}} x {\"ph\":\"X\"}";
	struct parts p;

	(void)state;
	make_parts(&p, tc_text_from(text));
	tc_position_enter_list(&p.position, false, 0);
	assert_int_equal(tc_salvage_skip(&p.salvage), TC_SALVAGE_REPAIR_NEXT);
	assert_int_equal(p.position.hold, strstr(text, "]},}}") - text + 1);
	assert_int_equal(tc_salvage_mend(&p.salvage), TC_SALVAGE_LOST);
	assert_int_equal(tc_salvage_resync(&p.salvage), TC_SALVAGE_PARSE);
	assert_int_equal(p.position.hold, strstr(text, "{\"ph") - text);
	assert_int_equal(p.dump.log_count[TC_LOG_DAMAGED_EVENT], 1);
	free_parts(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_walk_tells_how_far_it_came),
		cmocka_unit_test(the_walk_stops_at_limits),
		cmocka_unit_test(the_salvage_tells_what_to_do),
		cmocka_unit_test(a_damaged_event_is_mended_dropped_or_lost),
		cmocka_unit_test(skipping_and_searching_end_where_a_value_starts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
