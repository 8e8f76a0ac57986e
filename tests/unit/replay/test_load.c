/*
 * Loading a recording from the packed slices of its store: it is that of the import, and a store
 * whose bytes somebody changed is refused, or read within the bounds of its tables.
 */
#include "store_files.h"

#include <zstd.h>

#include "replay/replay.h"
#include "tracecoach/import.h"

static const char trace[] =
	"{\"deviceProperties\":[{\"id\":0,\"name\":\"NVIDIA A100\",\"totalGlobalMem\":1000000}],"
	"\"traceEvents\":["
#define CALL(category, name, ts, dur, args)                                                        \
	"{\"ph\":\"X\",\"cat\":\"" category "\",\"name\":\"" name                                  \
	"\",\"pid\":1,\"tid\":1,\"ts\":" #ts ",\"dur\":" #dur ",\"args\":{" args "}},"
#define WORK(category, name, ts, dur, correlation)                                                 \
	"{\"ph\":\"X\",\"cat\":\"" category "\",\"name\":\"" name                                  \
	"\",\"pid\":0,\"tid\":7,\"ts\":" #ts ",\"dur\":" #dur                                      \
	",\"args\":{\"device\":0,\"stream\":7,\"correlation\":" #correlation                       \
	",\"dataType\":\"bf16\"}},"
/* A framework operation on the track of a stream, as where processes have the numbers of devices.
 */
#define WORK_OP(name, ts, dur)                                                                     \
	"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"" name "\",\"pid\":0,\"tid\":7,\"ts\":" #ts   \
	",\"dur\":" #dur                                                                           \
	",\"args\":{\"Input Dims\":[[8,4],[4,2]],\"Input type\":[\"float\",\"float\"]}},"
	CALL("user_annotation", "ProfilerStep#1", 0, 1000, "") CALL(
		"user_annotation", "ProfilerStep#2", 1000, 1000, "") CALL("user_annotation",
		"ProfilerStep#3", 2000, 1000, "") CALL("cpu_op", "aten::mm", 5, 20,
		"\"Input Dims\":[[64,32],[32,16]],\"Input type\":[\"float\",\"float\"]")
		CALL("cuda_runtime", "cudaLaunchKernel", 10, 5, "\"correlation\":1") CALL(
			"cuda_runtime", "cudaMemcpyAsync", 1700, 5, "\"correlation\":2")
			CALL("cuda_runtime", "cudaStreamSynchronize", 1705, 110, "") CALL(
				"cuda_runtime", "cudaLaunchKernel", 2500, 5, "\"correlation\":3")
				WORK("kernel", "ampere_sgemm_128x64_nn", 20, 400, 1) WORK(
					"gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 1710, 100,
					2) WORK("kernel", "vectorized_elementwise_kernel", 2510,
					300, 3) WORK_OP("aten::mm", 2820,
					5) "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,"
					   "\"args\":{\"name\":\"python\"}}]}";

/* The slices of the store as they are packed, and without the packing. */
static char packed[4096], raw[4096];
static size_t packed_len, raw_len;
static sqlite3 *db;

/* Imports the trace and opens its store, to be changed. */
static void import_trace(void)
{
	char path[112];
	const char *const paths[] = {path};
	const struct tc_import_options options = {.inline_stages = true, .no_side_files = true};
	struct tc_store *store = NULL;
	sqlite3_stmt *row;

	snprintf(path, sizeof(path), "%s/trace.json", files.directory);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(trace, 1, sizeof(trace) - 1, file), sizeof(trace) - 1);
	fclose(file);
	if (tc_import(&store, files.ctx, paths, 1, files.path, &options))
		fail_msg("%s", tc_ctx_error(files.ctx));
	tc_store_close(store);
	unlink(path);
	assert_int_equal(sqlite3_open(files.path, &db), SQLITE_OK);
	exec_sql(db, "PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY");
	assert_int_equal(sqlite3_prepare_v2(db, "SELECT bytes FROM timeline_block", -1, &row, NULL),
		SQLITE_OK);
	assert_int_equal(sqlite3_step(row), SQLITE_ROW);
	packed_len = (size_t)sqlite3_column_bytes(row, 0);
	assert_true(packed_len < sizeof(packed));
	memcpy(packed, sqlite3_column_blob(row, 0), packed_len);
	assert_int_equal(sqlite3_step(row), SQLITE_DONE);
	sqlite3_finalize(row);
	raw_len = ZSTD_decompress(raw, sizeof(raw), packed, packed_len);
	assert_false(ZSTD_isError(raw_len));
}

static void put_bytes(const char *bytes, size_t len)
{
	sqlite3_stmt *update;

	assert_int_equal(
		sqlite3_prepare_v2(db, "UPDATE timeline_block SET bytes = ?1", -1, &update, NULL),
		SQLITE_OK);
	sqlite3_bind_blob(update, 1, bytes, (int)len, SQLITE_STATIC);
	assert_int_equal(sqlite3_step(update), SQLITE_DONE);
	sqlite3_finalize(update);
}

static void put_raw(const char *bytes, size_t len)
{
	char frame[8192];
	size_t size = ZSTD_compress(frame, sizeof(frame), bytes, len, 1);

	assert_false(ZSTD_isError(size));
	put_bytes(frame, size);
}

/* Loads the recording, which gives the wall time; -1 where the store is refused, with a reason. */
static int64_t load(void)
{
	struct tc_replay replay;
	int64_t wall_ns = -1;

	tc_replay_load(&replay, db, 0, NULL, 0, files.ctx);
	if (!tc_ctx_failed(files.ctx))
		wall_ns = tc_replay_wall_ns(&replay);
	else
		assert_int_equal(tc_ctx_status(files.ctx), TC_ERR_STORE);
	tc_replay_clear(&replay);
	if (wall_ns < 0)
		expect_error(TC_ERR_STORE, TC_ERR_STORE, "is out of bounds");
	return wall_ns;
}

static void slices_come_back_as_they_were(void **state)
{
	(void)state;
	import_trace();
	assert_int_equal(load(), 3000000);
	put_raw(raw, raw_len);
	assert_int_equal(load(), 3000000);
	sqlite3_close(db);
}

static void changed_bytes_are_refused_or_within_bounds(void **state)
{
	static const char values[] = {0, 1, 2, 0x7f, (char)0x80, (char)0xff};
	char changed[4096];
	size_t refused_count = 0, read_count = 0;

	(void)state;
	import_trace();
	for (size_t i = 0; i < raw_len; i++)
		for (size_t k = 0; k < sizeof(values); k++) {
			memcpy(changed, raw, raw_len);
			changed[i] = values[k];
			put_raw(changed, raw_len);
			*(load() < 0 ? &refused_count : &read_count) += 1;
		}
	assert_true(refused_count > raw_len && read_count > raw_len);
	for (size_t i = 0; i < packed_len; i++) {
		memcpy(changed, packed, packed_len);
		changed[i] ^= 0x55;
		put_bytes(changed, packed_len);
		load();
	}
	sqlite3_close(db);
}

static void cut_and_missing_slices_are_refused(void **state)
{
	(void)state;
	import_trace();
	for (size_t len = 1; len < raw_len; len++) {
		put_raw(raw, len);
		assert_int_equal(load(), -1);
	}
	for (size_t len = 0; len < packed_len; len++) {
		put_bytes(packed, len);
		assert_int_equal(load(), -1);
	}
	put_bytes(packed, packed_len);
	exec_sql(db, "UPDATE step SET id = id + 5 WHERE id = (SELECT max(id) FROM step)");
	assert_int_equal(load(), -1);
	exec_sql(db, "UPDATE step SET id = id - 5 WHERE id = (SELECT max(id) FROM step)");
	assert_int_equal(load(), 3000000);
	exec_sql(db, "DELETE FROM timeline_block");
	assert_int_equal(load(), -1);
	sqlite3_close(db);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up_files, tear_down_files)
	const struct CMUnitTest tests[] = {
		TEST(slices_come_back_as_they_were),
		TEST(changed_bytes_are_refused_or_within_bounds),
		TEST(cut_and_missing_slices_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
