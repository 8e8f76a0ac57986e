/*
 * An index that somebody changed (changes.c), and every command's way through it: the report in
 * every format, alone and since another index, by group and as a list of changes, queries, and a
 * merge whose result is an index again. What is changed are the indexes of two batches over the
 * same jobs; the first byte says which of them.
 */
#include <string.h>
#include <sys/stat.h>

#include "fuzz/harness.h"
#include "store/connection.h"
#include "tracecoach/fleet.h"
#include "tracecoach/fleet_report.h"

enum { BATCHES = 2, STEPS = 5 };

static struct tc_buf good[BATCHES]; /* the indexes, as files */

static void put_trace(struct tc_buf *out, int rank, int step_us)
{
	tc_buf_format(out,
		"{\"distributedInfo\":{\"rank\":%d,\"world_size\":2},\"deviceProperties\":"
		"[{\"id\":0,\"name\":\"NVIDIA A100\"}],\"traceEvents\":["
		"{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{\"name\":\"python\"}}",
		rank);
	for (int i = 0; i < STEPS; i++) {
		int at = i * step_us;
		tc_buf_format(out,
			",{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#%d\","
			"\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d},"
			"{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":"
			"\"enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__\","
			"\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d},"
			"{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\","
			"\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":5,\"args\":{\"correlation\":%d}},"
			"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"sgemm\",\"pid\":0,\"tid\":7,"
			"\"ts\":%d,\"dur\":%d,\"args\":{\"device\":0,\"stream\":7,"
			"\"correlation\":%d}}",
			i, at, step_us, at + 1, step_us / 2, at + step_us / 2 + 2, i + 1,
			at + step_us / 2 + 9, step_us / 4 + i, i + 1);
	}
	tc_buf_append_string(out, "]}");
}

/* The files of a batch, below a directory; a trace of no steps is none. */
static const struct file {
	const char *directory, *path;
	int rank, step_us[BATCHES]; /* 0 where it is not there */
} files[] = {
	{"one", "one/rank0.json", 0, {1000, 2000}},
	{"one", "one/rank1.json", 1, {1000, 2000}},
	{"two", "two/trace.json", 0, {5000, 5000}},
	{"two", "two/other.json", 0, {5000, 0}},
	{"three", "three/trace.json", 0, {0, 100}},
};

enum { FILES = sizeof(files) / sizeof(files[0]) };

/* The name of something of the batch; borrowed until the next call. */
static const char *below(const char *path)
{
	static char name[128];

	snprintf(name, sizeof(name), "%s-jobs%s%s", fuzz_path(0), *path ? "/" : "", path);
	return name;
}

static void write_files(int batch)
{
	struct tc_buf text = TC_BUF_EMPTY;

	mkdir(below(""), 0700);
	for (int i = 0; i < FILES; i++) {
		mkdir(below(files[i].directory), 0700);
		unlink(below(files[i].path));
		if (files[i].step_us[batch] == 0)
			continue;
		tc_buf_reset(&text);
		put_trace(&text, files[i].rank, files[i].step_us[batch]);
		fuzz_write_file(below(files[i].path), text.ptr, text.len);
	}
	mkdir(below("broken"), 0700);
	fuzz_write_file(below("broken/trace.json"), "no trace", 8);
	tc_buf_clear(&text);
}

static void begin_trace(void *user, size_t trace)
{
	(void)user, (void)trace;
}

static void take_record(void *user, const char *bytes, size_t len)
{
	tc_buf_append(user, bytes, len);
}

static void make_index(struct tc_ctx *ctx, int batch)
{
	const char *const paths[] = {below("")};
	const struct tc_fleet_options options = {.paths = paths,
		.path_count = 1,
		.out = fuzz_path(1),
		.inline_stages = true,
		.no_side_files = true,
		.settings = fuzz_settings(true)};
	struct tc_fleet *fleet = NULL;
	struct tc_buf record = TC_BUF_EMPTY;
	const struct tc_fleet_reader reader = {begin_trace, take_record, &record};
	size_t job;

	write_files(batch);
	demand(tc_fleet_open(&fleet, ctx, &options) == TC_OK, tc_ctx_error(ctx));
	while (tc_fleet_next(fleet, &job)) {
		tc_buf_reset(&record);
		demand(tc_fleet_read(fleet, job, &reader) == TC_OK &&
				tc_fleet_take(fleet, job, record.ptr, record.len) == TC_OK,
			tc_ctx_error(ctx));
	}
	demand(tc_fleet_finish(fleet) == TC_OK, tc_ctx_error(ctx));
	fuzz_take_file(&good[batch], tc_fleet_count(fleet)->index_path);
	tc_fleet_close(fleet);
	rmdir(fuzz_path(1));
	tc_buf_clear(&record);
}

static void make_indexes(struct tc_ctx *ctx)
{
	for (int i = 0; i < BATCHES; i++)
		make_index(ctx, i);
	for (int i = 0; i < FILES; i++)
		unlink(below(files[i].path));
	unlink(below("broken/trace.json"));
	for (int i = 0; i < FILES; i++)
		rmdir(below(files[i].directory));
	rmdir(below("broken"));
	rmdir(below(""));
}

static void check_report(struct tc_ctx *ctx, const struct tc_fleet_report_input *input,
	const struct tc_fleet_format *format, bool must_succeed)
{
	const struct tc_report_options options = {
		.width = 60, .top = fuzz_chance(2) ? 2 : 0, .details = fuzz_chance(2)};
	struct tc_buf out = TC_BUF_EMPTY;
	const struct tc_compare_output to = {fuzz_keep, &out};
	struct tc_fleet_report_result result;

	enum tc_status status = tc_fleet_report(&result, ctx, input, format, &options, &to);
	/* Annotations are of jobs that became slower: there may be none. */
	bool may_fail = format->needs_since && !input->since, may_be_empty = format->needs_since;
	demand(!must_succeed || may_fail || (!status && (out.len > 0 || may_be_empty)),
		tc_ctx_error(ctx));
	demand(!may_fail || status != TC_OK, "there are changes since nothing");
	fuzz_check_status(ctx, status);
	fuzz_check_output(&out, format->name);
	tc_buf_clear(&out);
}

static void check_reports(
	struct tc_ctx *ctx, struct tc_store *index, struct tc_store *since, bool must_succeed)
{
	size_t count;
	const struct tc_fleet_format *formats = tc_fleet_formats(&count);
	const char *const nights[] = {fuzz_path(1), fuzz_path(0), fuzz_path(1)};
	const struct tc_fleet_report_input inputs[] = {
		{.index = index, .path = "after"},
		{.index = index, .path = "after", .since = since, .since_path = "before"},
		{.index = index,
			.path = "after",
			.since = since,
			.since_path = "before",
			.only_changes = true},
		{.index = since,
			.path = "after",
			.since = index,
			.since_path = "before",
			.group_by = 1},
		{.index = index, .path = "after", .group_by = 2},
		{.index = since,
			.path = "after",
			.since = index,
			.since_path = "before",
			.nights = nights,
			.night_count = sizeof(nights) / sizeof(nights[0])},
	};

	for (size_t i = 0; i < sizeof(inputs) / sizeof(inputs[0]); i++)
		for (size_t k = 0; k < count; k++)
			if (fuzz_chance(5))
				check_report(ctx, &inputs[i], &formats[k], must_succeed);
}

static void hear_left_out(void *user, const char *path, const char *reason)
{
	(void)user;
	demand(path && reason, "something without a name or reason is left out");
}

/* What is merged can be merged with itself. */
static void check_merge(struct tc_ctx *ctx)
{
	const char *const orders[][2] = {{fuzz_path(0), fuzz_path(1)}, {fuzz_path(1), fuzz_path(0)},
		{fuzz_path(2), fuzz_path(2)}};

	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		struct tc_merge_counts counts;
		struct tc_store *merged = NULL;
		if (i < 2)
			unlink(fuzz_path(2));
		enum tc_status status = tc_index_merge(&counts, ctx, orders[i], 2, fuzz_path(2));
		fuzz_check_status(ctx, status);
		if (status)
			continue;
		demand(tc_index_open(&merged, ctx, fuzz_path(2)) == TC_OK, tc_ctx_error(ctx));
		demand(fuzz_number(tc_store_db(merged), "SELECT count(*) FROM job") ==
				counts.job_count,
			"a merged index has other jobs");
		tc_store_close(merged);
	}
}

static const char *const queries[] = {"SELECT * FROM trace_metric", "SELECT * FROM trace_finding",
	"SELECT * FROM job, trace", "SELECT sum(size_bytes), group_concat(path) FROM trace"};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tc_ctx *ctx = fuzz_begin(data, size);
	struct tc_store *index = NULL, *since = NULL;
	int changed = size > 0 ? data[0] % BATCHES : 0;

	if (good[0].len == 0)
		make_indexes(ctx);
	fuzz_write_changed(0, &good[changed], data + (size > 0), size > 0 ? size - 1 : 0);
	fuzz_write(1, good[1 - changed].ptr, good[1 - changed].len);
	enum tc_status status = tc_index_open(&index, ctx, fuzz_path(0));
	demand(!status || size > 1, "an index that nobody changed is refused");
	fuzz_check_status(ctx, status);
	demand(tc_index_open(&since, ctx, fuzz_path(1)) == TC_OK, tc_ctx_error(ctx));
	if (index) {
		fuzz_check_queries(ctx, index, queries, sizeof(queries) / sizeof(queries[0]));
		int64_t done_count = 0;
		fuzz_check_status(
			ctx, tc_index_left_out(&done_count, ctx, index, hear_left_out, NULL));
		demand(done_count >= 0, "fewer traces than none are done");
		check_reports(ctx, index, since, size <= 1);
		if (fuzz_chance(2))
			check_merge(ctx);
	}
	tc_store_close(index);
	tc_store_close(since);
	fuzz_end(ctx);
	return 0;
}
