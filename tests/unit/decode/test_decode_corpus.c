/*
 * The decoder on real traces and on peers' test inputs, where they are at hand: never a crash, the
 * same in chunks and segments of every size, and exact counts (counted by another JSON reader).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>

#include "decode_cases.h"
#include "source/source.h"

struct count {
	const char *path;
	int64_t event_count, meta_count;
};

static const struct count counts[] = {
	{"perfetto/test_counters_json_counters.json", 3, 0},
	{"perfetto/test_display_time_unit_slices.json", 3, 1},
	{"perfetto/test_invalid_string_ts_and_dur.json", 2, 0},
	{"perfetto/test_args_ordered.json", 2, 0},
	{"perfetto/test_json_incomplete.json", 1, 0},
	{"perfetto/test_json_trailing_comma.json", 2, 1},
	{"perfetto/test_json_pid_tid_zero.json", 14, 0},
	{"perfetto/test_json_all_slice_types.json", 9, 0},
	{"perfetto/test_json_metadata.json", 13, 0},
	{"perfetto/test_json_sort_index_ordering.json", 12, 0},
	{"perfetto/test_json_trace_metadata.json", 1, 1},
	{"perfetto/test_trailing_empty_event.json", 1, 0},
	{"speedscope/bex-interaction.json", 18, 0},
	{"speedscope/multi-thread-with-samples.json", 4, 2},
	{"speedscope/multiprocess.json", 17, 0},
	{"speedscope/simple.json", 6, 0},
	{"speedscope/simple-object.json", 5, 0},
	{"speedscope/simple-partial.json", 6, 0},
	{"speedscope/simple-partial-trailing-comma.json", 6, 0},
	{"speedscope/simple-partial-whitespace.json", 6, 0},
	{"catapult/UserTimingAsyncSlicesParsingMeasureNameShouldNotFail.json", 8, 0},
	{"catapult/importFlowEventFullFlowId.json", 13, 0},
	{"catapult/importObjectInsteadOfArray.json", 2, 0},
	{"catapult/importStringWithMissingCloseSquareBracketAndNewline.json", 2, 0},
	{"catapult/importCompleteEventWithStackFrame.json", 2, 1},
	{"catapult/sampleDataSimple.json", 0, 2},
	{"malformed/bluepill-437-nan-counter-string-ts.json", 2, 0},
	{"malformed/kineto-105-inf-and-string-tid.json", 1, 1},
	{"malformed/kineto-1459-unescaped-quotes.json", 3, 1},
	{"malformed/kineto-646-negative-dur.json", 2, 0},
	{"malformed/large-integer-arg.json.gz", 2, 1},
	{"malformed/pytorch-130622-raw-control-chars.json", 2, 0},
	{"malformed/pytorch-136180-invalid-utf8-name.json", 2, 1},
	{"malformed/uftrace-857-bad-escape.json", 2, 2},
	{"malformed/vllm-hpu-server-events-unterminated.json", 2, 0},
	{"gaudi/constructed-gen-a.pt.trace.json", 223, 3},
	{"gaudi/constructed-gen-b.pt.trace.json", 43, 5},
	{"gaudi/synapse-logger-cut-both-ends.json", 439, 0},
	{"pytorch/cuda/a100-alexnet.json.gz", 1408, 4},
	{"pytorch/cuda/cuda13-graph-replay.json.gz", 4175, 10},
	{"pytorch/cuda/h100-bert-small.json.gz", 2551, 15},
	{"pytorch/dlrm-8rank/worker0_step_12.1694128201545.pt.trace.json.gz", 3290, 5},
	{"pytorch/kineto-1.8/resnet50-workers0.worker0.pt.trace.json.gz", 82276, 0},
	{"pytorch/mtia/mtia-inference-rank0.json.gz", 16158, 16},
	{"pytorch/rocm/mi210-gpu-only.json.gz", 2443, 10},
	{"pytorch/rocm/mi250-minitoy.json.gz", 220, 6},
};

/* The corpus directory, or NULL. */
static const char *corpus(void)
{
	static struct tc_buf path;
	const char *shared = getenv("TC_SHARED");

	if (!shared)
		return NULL;
	tc_buf_reset(&path);
	tc_buf_format(&path, "%s/corpus", shared);
	const char *string = tc_buf_string(&path);
	DIR *dir = string ? opendir(string) : NULL;
	if (dir)
		closedir(dir);
	return dir ? string : NULL;
}

/* The file's bytes, decompressed. */
static void load(struct tc_buf *out, const char *path)
{
	static char chunk[65536];
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_source *source = NULL;
	size_t len = 1;

	if (tc_source_open(&source, ctx, path) != TC_OK)
		fail_msg("%s: %s", path, tc_ctx_error(ctx));
	while (len > 0) {
		assert_int_equal(tc_source_read(source, chunk, sizeof(chunk), &len), TC_OK);
		tc_buf_append(out, chunk, len);
	}
	tc_source_close(source);
	tc_ctx_free(ctx);
	assert_false(tc_buf_failed(out));
}

static void test_counts(void **state)
{
	const char *root = corpus();

	(void)state;
	if (!root)
		skip();
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		struct tc_buf path = TC_BUF_EMPTY, text = TC_BUF_EMPTY;
		struct decode_dump dump = {0};
		tc_buf_format(&path, "%s/%s", root, counts[i].path);
		load(&text, tc_buf_string(&path));
		dump_decode(&dump, finished(&text), 100000);
		if (dump.event_count != counts[i].event_count ||
			dump.meta_count != counts[i].meta_count)
			fail_msg("%s: %lld events, %lld members", counts[i].path,
				(long long)dump.event_count, (long long)dump.meta_count);
		assert_false(dump.bad_utf8);
		assert_int_equal(dump.log_count[TC_LOG_DAMAGED_EVENT], 0);
		dump_clear(&dump);
		tc_buf_clear(&path);
		tc_buf_clear(&text);
	}
}

static void check_chunks(const char *path)
{
	struct tc_buf text = TC_BUF_EMPTY;
	struct decode_dump whole = {0};

	load(&text, path);
	dump_decode(&whole, finished(&text), text.len + 1);
	assert_int_equal(whole.status, TC_OK);
	assert_false(whole.bad_utf8);
	for (size_t i = 0; i < sizeof(chunk_sizes) / sizeof(chunk_sizes[0]); i++) {
		struct decode_dump dump = {0};
		dump_decode(&dump, finished(&text), chunk_sizes[i]);
		if (!tc_text_equal(tc_buf_text(&dump.text), tc_buf_text(&whole.text)))
			fail_msg("%s differs in chunks of %zu", path, chunk_sizes[i]);
		dump_clear(&dump);
		dump_decode_segments(&dump, finished(&text), chunk_sizes[i]);
		if (!tc_text_equal(tc_buf_text(&dump.text), tc_buf_text(&whole.text)))
			fail_msg("%s differs in segments of %zu", path, chunk_sizes[i]);
		dump_clear(&dump);
	}
	dump_clear(&whole);
	tc_buf_clear(&text);
}

static void test_chunks(void **state)
{
	static const char *const dirs[] = {
		"perfetto", "speedscope", "catapult", "malformed", "gaudi", "pytorch/rocm"};
	const char *root = corpus();
	int file_count = 0;

	(void)state;
	if (!root)
		skip();
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		struct tc_buf path = TC_BUF_EMPTY;
		tc_buf_format(&path, "%s/%s", root, dirs[i]);
		DIR *dir = opendir(tc_buf_string(&path));
		size_t dir_len = path.len;
		for (struct dirent *entry; dir && (entry = readdir(dir)); path.len = dir_len) {
			if (!strstr(entry->d_name, ".json"))
				continue;
			tc_buf_format(&path, "/%s", entry->d_name);
			check_chunks(tc_buf_string(&path));
			file_count++;
		}
		if (dir)
			closedir(dir);
		tc_buf_clear(&path);
	}
	assert_true(file_count > 150);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_chunks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
