/* Rows on their way to the store: a batch is handed over when it is full. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/limits.h"
#include "model/output.h"

/* A sink, and how often it handed a batch over. */
struct fixture {
	struct tc_next_ids ids;
	struct tc_row_sink sink;
	int handed_count;
};

static enum tc_status take(void *user, struct tc_batch **batch)
{
	struct fixture *fixture = user;

	if (*batch) {
		fixture->handed_count++;
		tc_batch_reset(*batch);
	} else {
		*batch = tc_batch_new();
	}
	return TC_OK;
}

static void begin(struct fixture *fixture)
{
	*fixture = (struct fixture){.sink.ctx = tc_ctx_new()};
	fixture->sink.next = &fixture->ids;
	tc_row_sink_start(&fixture->sink, take, fixture);
	assert_int_equal(fixture->handed_count, 0);
}

static void end(struct fixture *fixture)
{
	struct tc_ctx *ctx = fixture->sink.ctx;

	tc_row_sink_flush(&fixture->sink, false);
	assert_int_equal(fixture->handed_count, 1);
	tc_row_sink_flush(&fixture->sink, true);
	assert_int_equal(fixture->handed_count, 2);
	tc_batch_free(fixture->sink.batch);
	tc_ctx_free(ctx);
}

static void batches_fill_up_by_rows(void **state)
{
	struct fixture fixture;
	size_t rows = 0;

	(void)state;
	begin(&fixture);
	for (; fixture.handed_count == 0; rows++) {
		if (rows % 2)
			tc_row_sink_counter(&fixture.sink);
		else
			tc_row_sink_memory(&fixture.sink);
		tc_row_sink_flush(&fixture.sink, false);
	}
	assert_true(rows >= 1000 && rows <= 100000);
	end(&fixture);
}

/* An offset has 32 bits: a batch that is not full yet can take the largest event. */
static void batches_fill_up_by_text(void **state)
{
	static const char piece[1024];
	struct fixture fixture;
	size_t len = 0;

	(void)state;
	begin(&fixture);
	for (; fixture.handed_count == 0; len += sizeof(piece)) {
		tc_buf_append(&fixture.sink.batch->text, piece, sizeof(piece));
		tc_row_sink_flush(&fixture.sink, false);
	}
	assert_true(len >= 64 * 1024);
	assert_true(len + TC_EVENT_MAX_BYTES < UINT32_MAX);
	end(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(batches_fill_up_by_rows),
		cmocka_unit_test(batches_fill_up_by_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
