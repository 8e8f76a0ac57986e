/*
 * The Gaudi profiler's CSV files: pairs of BEGIN and END against a brute-force matcher, times to
 * the nanosecond, damage that costs one line; the files beside a trace.
 */
#include "side_fixture.h"

#define HW_HEAD                                                                                    \
	"Name,Trace Source,Engine,Event type,Timestamp[usec],Recipe ID,Recipe name,Device,"        \
	"Operation,Data Type,SPMU value\n"
#define NODE_HEAD                                                                                  \
	"Unit,Unique node id,Node Name,Op Type,Start time of node,End time of node,Duration (us)," \
	"Active (us),Exposed mme (us),MME Compute Utilization (%)\n"

static void pairs_per_engine(void **state)
{
	(void)state;
	read_text(HW_HEAD "a,HW,TPC 0,BEGIN,554804519.937268,7,r,accel0,op,bf16,\n"
			  "b,HW,TPC 1,BEGIN,554804520,,,,,,\n"
			  "a,HW,TPC 1,END,554804521,,,,,,\n"
			  "a,HW,TPC 0,INSTANT,554804521,7,r,accel0,,,\n"
			  "\"a\",HW,\"TPC 0\",END,554804520.095267,7,r,accel0,op,bf16,\n"
			  "\"x, \"\"y\"\"\",HW,TPC 2,COUNTER,1.5,,,accel0,,,9000000000.5\n");
	expect_rows("SELECT device, engine, name, ts, dur, recipe, recipe_id, operation, data_type"
		    " FROM hw_op",
		"accel0|TPC 0|a|554804519937|158|r|7|op|bf16;"
		"NULL|TPC 1|b|554804520000|-1|NULL|NULL|NULL|NULL");
	expect_rows("SELECT device, engine, name, ts, value FROM hw_counter",
		"accel0|TPC 2|x, \"y\"|1500|9000000000.5");
	expect_rows(
		"SELECT kind, count FROM import_log WHERE kind <> 'side_file'", "side_unpaired|2");
	expect_rows("SELECT name FROM metric WHERE value = 1", "has_hw_ops");
}

static void damage_costs_one_line(void **state)
{
	(void)state;
	read_text(HW_HEAD "a,HW,TPC 0,BEGIN,1,,,,,,\n"
			  "short,HW,TPC 0,BEGIN\n"
			  "\"open,HW,TPC 0,BEGIN,2,,,,,,\n"
			  "a,HW,TPC 0,BEGIN,never,,,,,,\n"
			  "a,HW,TPC 0,WHAT,3,,,,,,\n\n"
			  "a,HW,TPC 0,END,4,,,,,,");
	expect_rows("SELECT ts, dur FROM hw_op", "1000|3000");
	expect_rows("SELECT damaged_count FROM side_file", "4");
}

static void nodes(void **state)
{
	(void)state;
	read_text("\xef\xbb\xbf" NODE_HEAD
		  "MME,3,n1,conv,554804527.286000,554804546.100000,18.814000,18.8140006,nan,51.5\n"
		  "TPC,0,n2,,1,2,nan,1,1,1\nTPC,x,n3,,1,2,1,1,1,1\nTPC,,n4,,,,.5,,0.0005,\n");
	expect_rows("SELECT unit, node_id, node, op_type, start_ts, end_ts, duration_ns, active_ns,"
		    " mme_exposed_ns, mme_utilization_pct, tpc_exposed_ns FROM node_stat",
		"MME|3|n1|conv|554804527286|554804546100|18814|18814|NULL|51.5|NULL;"
		"TPC|NULL|n4|NULL|NULL|NULL|500|NULL|1|NULL|NULL");
	expect_rows("SELECT kind, damaged_count FROM side_file", "node-csv|2");
}

/* Random events on few engines with few names, against a matcher that looks through all. */
static void pairs_agree_with_brute_force(void **state)
{
	enum { EVENTS = 400 };
	static int name[EVENTS], engine[EVENTS], type[EVENTS], partner[EVENTS];
	static char text[EVENTS * 64];
	unsigned seed = 7;

	(void)state;
	for (int round = 0; round < 20; round++) {
		size_t len = (size_t)snprintf(text, sizeof(text), "%s", HW_HEAD);
		long long pairs = 0, dur = 0, lone = 0;
		char want[128];
		for (int i = 0; i < EVENTS; i++) {
			seed = seed * 1103515245u + 12345u;
			name[i] = (int)(seed >> 16) % 3;
			engine[i] = (int)(seed >> 20) % 4;
			type[i] = (int)(seed >> 24) % 2;
			partner[i] = -1;
			len += (size_t)snprintf(text + len, sizeof(text) - len,
				"n%d,HW,E%d,%s,%d.001,,,,,,\n", name[i], engine[i],
				type[i] ? "END" : "BEGIN", i);
			for (int j = 0; type[i] && j < i && partner[i] < 0; j++)
				if (!type[j] && partner[j] < 0 && name[j] == name[i] &&
					engine[j] == engine[i]) {
					partner[i] = j;
					partner[j] = i;
					pairs++;
					dur += (i - j) * 1000;
				}
		}
		for (int i = 0; i < EVENTS; i++)
			lone += partner[i] < 0;
		memory_store_exec(
			f.db, "DELETE FROM hw_op; DELETE FROM side_file; DELETE FROM import_log");
		read_text(text);
		snprintf(want, sizeof(want), "%lld|%lld", pairs, dur);
		expect_rows("SELECT count(*), sum(dur) FROM hw_op WHERE dur >= 0", want);
		snprintf(want, sizeof(want), "%lld", lone);
		expect_rows("SELECT count FROM import_log WHERE kind = 'side_unpaired'", want);
	}
}

static void real_files_have_the_known_counts(void **state)
{
	const char *shared = getenv("TC_SHARED");
	char path[512];

	(void)state;
	if (!shared)
		skip();
	snprintf(path, sizeof(path), "%s/corpus/gaudi/gaudi3-hw-profile.csv", shared);
	if (access(path, R_OK) != 0)
		skip();
	assert_int_equal(read_path(path), TC_OK);
	snprintf(path, sizeof(path), "%s/corpus/gaudi/gaudi3-analyzed-nodes.csv", shared);
	assert_int_equal(read_path(path), TC_OK);
	expect_rows(
		"SELECT kind, row_count, damaged_count FROM side_file", "hw-csv|94|0;node-csv|4|0");
	expect_rows("SELECT count(*), count(DISTINCT engine), min(ts), min(dur) FROM hw_op",
		"56|56|554804519937|78");
	expect_rows("SELECT sum(duration_ns), sum(mme_exposed_ns) FROM node_stat", "24570|18814");
	expect_rows("SELECT kind FROM import_log WHERE kind <> 'side_file'", "");
}

static void files_beside_the_trace(void **state)
{
	char trace[160], other[160];

	(void)state;
	snprintf(trace, sizeof(trace), "%s/run_1.json.gz", f.directory);
	snprintf(other, sizeof(other), "%s/run_1.csv", f.directory);
	tc_side_find(f.ctx, f.db, 0, trace);
	assert_int_equal(tc_ctx_status(f.ctx), TC_OK);
	name_file("run_1_analyzed_nodes.csv");
	write_bytes(NODE_HEAD, strlen(NODE_HEAD));
	FILE *file = fopen(other, "wb"); /* of the right name, but no hardware CSV */
	assert_non_null(file);
	fputs("a,b\n1,2\n", file);
	fclose(file);
	tc_side_find(f.ctx, f.db, 0, trace);
	assert_int_equal(tc_ctx_status(f.ctx), TC_OK);
	tc_side_find(f.ctx, f.db, 0, "-");
	assert_int_equal(tc_ctx_status(f.ctx), TC_OK);
	file = fopen(other, "wb"); /* empty: not to be read, and no reason to fail */
	assert_non_null(file);
	fclose(file);
	tc_side_find(f.ctx, f.db, 0, trace);
	assert_int_equal(tc_ctx_status(f.ctx), TC_OK);
	unlink(other);
	assert_string_equal(tc_ctx_error(f.ctx), "");
	expect_rows("SELECT kind, origin FROM side_file", "node-csv|found;node-csv|found");
}

static void memory_may_fail_anywhere(void **state)
{
	(void)state;
	read_text(HW_HEAD "a,HW,TPC 0,BEGIN,1,1,r,d,o,t,\na,HW,TPC 0,END,2,1,r,d,o,t,\n"
			  "c,HW,TPC 0,COUNTER,3,,,,,,1\nb,HW,TPC 0,BEGIN,1,1,r,d,o,t,\n");
	survive_without_memory();
	read_text(NODE_HEAD "TPC,,n4,,,,.5,,0.0005,\n");
	survive_without_memory();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(pairs_per_engine, set_up, tear_down),
		cmocka_unit_test_setup_teardown(damage_costs_one_line, set_up, tear_down),
		cmocka_unit_test_setup_teardown(nodes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(pairs_agree_with_brute_force, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			real_files_have_the_known_counts, set_up, tear_down),
		cmocka_unit_test_setup_teardown(files_beside_the_trace, set_up, tear_down),
		cmocka_unit_test_setup_teardown(memory_may_fail_anywhere, set_up, tear_down),
	};

#if !TC_HAVE_CSV
	puts("built without libcsv");
	return 77;
#endif
	return cmocka_run_group_tests(tests, NULL, NULL);
}
