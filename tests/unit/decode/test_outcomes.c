/*
 * The walk by itself: how far it came. And where it goes on behind damage, which the salvage has
 * dealt with; more of that is in test_decode_salvage.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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
}

static void free_parts(struct parts *p)
{
	tc_walk_free(p->walk);
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

/* Where the walk stops, the salvage mends, drops or searches, and the walk goes on behind it. */
static void the_salvage_goes_on_behind_damage(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"[{\"ph\":\"X\"},[{\"ph\":\"Y\"}]]", "E 1 X\nL not_an_event 12 1\nE 13 Y\n"},
		{"[{\"ph\":\"X\"},]", "E 1 X\nL trailing_comma 11 1\n"},
		{"[ 3,{\"ph\":\"X\"}]", "L not_an_event 2 1\nE 4 X\n"},
		{"[\"text\",{\"ph\":\"X\"}]", "L not_an_event 1 1\nE 8 X\n"},
		{"[\"text", "L truncated 1 5\n"},
		{"[}} {\"ph\":\"X\"}]", "L damaged_event 1 3\nE 4 X\n"},
		{"[{\"ph\":\"X\",\"dur\":NaN},{\"ph\":\"Y\"}]", "L bare_nan 17 1\nE 1 X\nE 22 Y\n"},
		{"[{\"ph\":\"X\",\"dur\":N", "L truncated 1 17\n"},
		{"[{\"ph\" {{,{\"ph\":\"X\"}]", "L damaged_event 1 9\nE 10 X\n"},
		{"[{\"a\":\"]}\",\"b\":[}]},}} x {\"ph\":\"X\"}]",
			"L damaged_event 1 24\nE 25 X\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (size_t chunk = 1; chunk < 50; chunk += 16) {
			struct decode_dump dump = {0};
			dump_decode_into(
				&dump, tc_text_from(cases[i].text), chunk, dump_event, dump_meta);
			assert_int_equal(dump.status, TC_OK);
			assert_string_equal(tc_buf_string(&dump.text), cases[i].want);
			dump_clear(&dump);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_walk_tells_how_far_it_came),
		cmocka_unit_test(the_walk_stops_at_limits),
		cmocka_unit_test(the_salvage_goes_on_behind_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
