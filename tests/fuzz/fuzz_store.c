/*
 * A store that somebody changed, and every command's way through it: opening, advice, every report,
 * a comparison, queries. The input is a list of changes to one good store, so that seeds are small
 * and most changes get past the door:
 *   0 OFFSET:3 BYTE        a byte of the file
 *   N TABLE COLUMN VALUE   a column of all rows of a table, N odd, or of every other row
 */
#include <sqlite3.h>
#include <string.h>

#include "fuzz/reports.h"
#include "store/query/query.h"
#include "tracecoach/import.h"

static const char trace[] =
	"{\"deviceProperties\":[{\"id\":0,\"name\":\"NVIDIA A100\",\"totalGlobalMem\":1000000}],"
	"\"distributedInfo\":{\"rank\":0,\"world_size\":2},\"traceEvents\":["
	"{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{\"name\":\"python\"}},"
	"{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#1\",\"pid\":1,\"tid\":1,"
	"\"ts\":0,\"dur\":1000},"
	"{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#2\",\"pid\":1,\"tid\":1,"
	"\"ts\":1000,\"dur\":1000},"
	"{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#3\",\"pid\":1,\"tid\":1,"
	"\"ts\":2000,\"dur\":1000},"
	"{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"enumerate(DataLoader)#_Single.__next_"
	"_\","
	"\"pid\":1,\"tid\":1,\"ts\":1010,\"dur\":500},"
	"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::item\",\"pid\":1,\"tid\":1,\"ts\":2100,"
	"\"dur\":300,\"args\":{\"Input Dims\":[[2,3]]}},"
	"{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,"
	"\"ts\":10,\"dur\":5,\"args\":{\"correlation\":1}},"
	"{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaMemcpyAsync\",\"pid\":1,\"tid\":1,"
	"\"ts\":1700,\"dur\":5,\"args\":{\"correlation\":2}},"
	"{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,"
	"\"ts\":2500,\"dur\":5,\"args\":{\"correlation\":3}},"
	"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ampere_sgemm_128x64_nn\",\"pid\":0,\"tid\":7,"
	"\"ts\":20,\"dur\":400,\"args\":{\"device\":0,\"stream\":7,\"correlation\":1}},"
	"{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy HtoD (Pageable -> "
	"Device)\",\"pid\":0,"
	"\"tid\":7,\"ts\":1710,\"dur\":100,\"args\":{\"device\":0,\"stream\":7,\"correlation\":2,"
	"\"bytes\":4096}},"
	"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclDevKernel_AllReduce_Sum_f32\",\"pid\":0,"
	"\"tid\":8,\"ts\":2510,\"dur\":300,\"args\":{\"device\":0,\"stream\":8,\"correlation\":3}},"
	"{\"ph\":\"C\",\"name\":\"memory\",\"pid\":1,\"ts\":5,\"args\":{\"used\":5}},"
	"{\"ph\":\"i\",\"name\":\"[memory]\",\"pid\":1,\"tid\":1,\"ts\":6,\"args\":{\"Bytes\":5,"
	"\"Device Type\":1,\"Device Id\":0,\"Total Allocated\":5,\"Total Reserved\":9}},"
	"{\"ph\":\"q\",\"name\":\"odd\",\"pid\":1,\"ts\":7}]}";

static struct tc_buf good; /* the store of that trace, as a file */

static void make_good_store(void)
{
	struct tc_ctx *ctx = tc_ctx_new();
	const char *const paths[] = {fuzz_path()};
	const struct tc_import_options options = {.inline_stages = true, .no_side_files = true};
	struct tc_store *store = NULL;
	char name[80];

	snprintf(name, sizeof(name), "%s.db", fuzz_path());
	fuzz_write(trace, sizeof(trace) - 1);
	demand(tc_import(&store, ctx, paths, 1, name, &options) == TC_OK, tc_ctx_error(ctx));
	tc_store_close(store);
	FILE *file = fopen(name, "rb");
	char *at;
	size_t got = 1;
	while (file && got > 0 && (at = tc_buf_extend(&good, 4096))) {
		got = fread(at, 1, 4096, file);
		good.len -= 4096 - got;
	}
	demand(file && good.len > 0, "cannot make a store");
	fclose(file);
	unlink(name);
	unlink(fuzz_path());
	tc_ctx_free(ctx);
}

/* What columns are set to; a table that is STRICT refuses some. */
static const char *const values[] = {"NULL", "0", "-1", "1", "9223372036854775807",
	"-9223372036854775807 - 1", "4611686018427387904", "1e300", "-1e300", "9e999", "''", "'x'",
	"CAST(x'ff' AS TEXT)", "CAST(x'e280ae' AS TEXT)", "CAST(x'c29b32' AS TEXT)",
	"CAST(x'1b5b324a' AS TEXT)", "char(10)", "CAST(x'6100' AS TEXT) || 'b'", "'{\"a\":'",
	"'{\"a\": [1, 2, {\"b\": null}]}'", "replace(hex(zeroblob(3000)), '0', 'a')",
	"replace(hex(zeroblob(3000)), '0', 'a ')", "replace(hex(zeroblob(3000)), '00', 'a::b<')",
	"x'00ff'", "rowid", "rowid * 1000000007", "hex(randomblob(2))", "'0'", "'device'", "'cuda'",
	"'gaudi'", "'%d%s%n'", "2", "1000000000", "-9223372036854775807", "0.5", "'data_loss'"};

enum { VALUE_COUNT = sizeof(values) / sizeof(values[0]) };

/* Changes a column; what the table does not take stays. */
static void change_column(sqlite3 *db, const uint8_t *change)
{
	sqlite3_stmt *columns;
	char *sql = NULL;

	demand(sqlite3_prepare_v2(db,
		       "SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c"
		       " WHERE m.type = 'table' AND m.rowid % 64 = ?1 AND c.cid = ?2",
		       -1, &columns, NULL) == SQLITE_OK,
		sqlite3_errmsg(db));
	sqlite3_bind_int(columns, 1, change[1] % 64);
	sqlite3_bind_int(columns, 2, change[2] % 24);
	if (sqlite3_step(columns) == SQLITE_ROW)
		sql = sqlite3_mprintf(
			"UPDATE OR REPLACE \"%w\" SET \"%w\" = %s WHERE %d OR rowid %% 2",
			sqlite3_column_text(columns, 0), sqlite3_column_text(columns, 1),
			values[change[3] % VALUE_COUNT], change[0] % 2);
	sqlite3_finalize(columns);
	if (sql)
		sqlite3_exec(db, sql, NULL, NULL, NULL);
	sqlite3_free(sql);
}

static void change_store(const uint8_t *data, size_t size)
{
	sqlite3 *db = NULL;

	fuzz_write(good.ptr, good.len);
	demand(sqlite3_open(fuzz_path(), &db) == SQLITE_OK, "cannot open the store");
	sqlite3_exec(
		db, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN", NULL, NULL, NULL);
	for (size_t at = 0; at + 4 <= size; at += 4)
		if (data[at] != 0)
			change_column(db, data + at);
		else
			at++;
	sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
	sqlite3_close(db);
	FILE *file = fopen(fuzz_path(), "r+b");
	for (size_t at = 0; file && at + 4 <= size; at += data[at] != 0 ? 4 : 5) {
		if (data[at] != 0 || at + 5 > size)
			continue;
		long offset = data[at + 1] << 16 | data[at + 2] << 8 | data[at + 3];
		fseek(file, offset % (long)good.len, SEEK_SET);
		fputc(data[at + 4], file);
	}
	if (file)
		fclose(file);
}

static enum tc_status take_columns(void *user, const char *const *names, int count)
{
	(void)user, (void)names, (void)count;
	return TC_OK;
}

static enum tc_status take_row(void *user, const struct tc_sql_value *row, int count)
{
	(void)row, (void)count;
	return ++*(int *)user < 50 ? TC_OK : TC_ERR_LIMIT;
}

static void check_queries(struct tc_ctx *ctx, struct tc_store *store)
{
	static const char *const queries[] = {"SELECT * FROM slice_args", "SELECT * FROM slice",
		"SELECT * FROM device_op", "SELECT * FROM trace, metric",
		"SELECT * FROM capability",
		"SELECT sum(ts), sum(dur), abs(min(dur)), group_concat(args) FROM slice"};

	for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++) {
		int row_count = 0;
		const struct tc_query_sink sink = {
			.user = &row_count, .columns = take_columns, .row = take_row};
		check_status(ctx, tc_query_run(ctx, store, queries[i], &sink));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_store *store = NULL;
	struct tc_advice *advice = NULL;

	if (good.len == 0)
		make_good_store();
	change_store(data, size < 400 ? size : 400);
	check_status(ctx, tc_store_open(&store, ctx, fuzz_path()));
	unlink(fuzz_path());
	if (store) {
		check_queries(ctx, store);
		check_status(ctx, fuzz_advise(&advice, ctx, store));
	}
	if (advice) {
		const struct tc_compare_side sides[] = {
			{store, advice, "before"}, {store, advice, "after"}};
		check_reports(ctx, store, advice, size == 0);
		check_compare(ctx, sides);
	}
	tc_advice_free(advice);
	tc_store_close(store);
	tc_ctx_free(ctx);
	return 0;
}
