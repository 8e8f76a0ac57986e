/* The verdict: what each kind of trace shows, and what is said where it cannot show it. */
#include "report_fixture.h"

#include "report/view/view.h"

static void assert_verdict(const char *change, const char *verdict)
{
	char *text = fixture_text_after(change), *flat = text;

	for (char *c = text; *c; c++) { /* one blank instead of line ends and indents */
		*flat = *c == '\n' ? ' ' : *c;
		if (!(*flat == ' ' && flat > text && flat[-1] == ' '))
			flat++;
	}
	*flat = '\0';
	assert_has(text, verdict);
	free(text);
}

#define NO_STEPS                                                                                   \
	"DELETE FROM step; UPDATE metric SET value = 0 WHERE name = 'has_steps';"                  \
	"UPDATE metric SET value = 190000000 WHERE name = 'idle_ns';"                              \
	"INSERT INTO metric VALUES (0, 'start_and_end_ns', NULL, NULL, 110000000, 'ns'),"          \
	" (0, 'start_and_end_ns', '0', NULL, 110000000, 'ns');"
/* Idle for 5 ms of 500. */
#define BUSY                                                                                       \
	"UPDATE metric SET value = 5000000 WHERE name = 'idle_ns' AND device IS NULL;"             \
	"DELETE FROM idle_total;"                                                                  \
	"INSERT INTO idle_total VALUES(0, NULL, NULL, 'queued', 0, 5000000, 1, 5000000);"

/* Graphs that are captured and not replayed, where there are no steps, are no run to judge. */
static void test_graph_capture(void **state)
{
#define HOST_CALL(mark)                                                                            \
	"INSERT INTO host_total(trace_id, name, count, dur_ns, self_ns, exposed_ns, is_launching," \
	" mark) VALUES(0, '" mark "', 1, 1, 1, 0, 1, '" mark "');"
	(void)state;
	assert_verdict("DELETE FROM step;" HOST_CALL("graph_begin"),
		"No verdict: the recording captures graphs, which happens once.");
	assert_verdict("DELETE FROM step;" HOST_CALL("graph_capture"), "Record their replays.");
	assert_verdict(HOST_CALL("graph_begin"), "The device is idle 60 %");
	assert_verdict("DELETE FROM step;" HOST_CALL("graph_begin") HOST_CALL("graph_launch"),
		"The device is idle 60 %");
}

/* Nor is start-up that leaves less than a tenth of the time. */
static void test_start_up(void **state)
{
#define SET_UP(ns)                                                                                 \
	"DELETE FROM metric WHERE name = 'start_and_end_ns'; DELETE FROM idle_total;"              \
	"INSERT INTO idle_total VALUES(0, NULL, NULL, 'setup', 0, " ns ", 1, " ns ");"
	(void)state;
	assert_verdict(NO_STEPS SET_UP("460000000"),
		"No verdict: nearly all of the recording is start-up, which happens once.");
	assert_verdict(NO_STEPS SET_UP("440000000"), "The device is idle");
	assert_verdict(SET_UP("460000000"), "The device is idle");
}

/* Also without a verdict, time before and after all device work is no idle time. */
static void test_edges_without_a_verdict(void **state)
{
	(void)state;
	assert_verdict(NO_STEPS "UPDATE metric SET value = 6 WHERE name = 'device_op_count'",
		"start and end 110.0 ms idle or not recorded 190.0 ms");
}

/* Shares and bars look like a verdict, and so do checks that found nothing. */
static void test_no_shares_without_a_verdict(void **state)
{
	sqlite3 *db = fixture_store();

	(void)state;
	memory_store_exec(db, "UPDATE metric SET value = 6 WHERE name = 'device_op_count'");
	char *text = fixture_text(db, fixture_advice(), tc_render_text);
	assert_has(text, "\n  idle or not recorded  300.0 ms\n");
	assert_has(text, "1 found nothing in");
	assert_has(text, "     Hints  ");
	assert_has_not(text, " %\n");
	assert_has_not(text, "60 %");
	assert_has_not(text, "█");
	free(text);
	sqlite3_close(db);
}

/* Exposed communication that is more than idle time is the main problem. A collective of few bytes
 * that lasts long waits for another rank: 10 MB may take 100.1 ms. */
static void test_waits_for_a_rank(void **state)
{
#define EXPOSED(ns)                                                                                \
	"UPDATE metric SET value = 0 WHERE name = 'has_gaudi';"                                    \
	"INSERT INTO metric VALUES(0, 'exposed_communication_ns', NULL, NULL, " ns ", 'ns'),"      \
	" (0, 'exposed_communication_ns', '0', NULL, " ns ", 'ns');"
#define COLLECTIVE(id, bytes, dur, exposed)                                                        \
	"INSERT INTO communication VALUES(" id ", 0, '0', 'stream 20', 0, 'all_to_all', 'sr',"     \
	" NULL, NULL, NULL, " bytes ", 0, " dur ", " exposed ");"
	(void)state;
	assert_verdict(EXPOSED("300000000") COLLECTIVE("5", "24576", "300000000", "300000000"),
		"The device is idle 60 %");
	assert_verdict(EXPOSED("300000001") COLLECTIVE("5", "24576", "300000000", "280000000"),
		"The device is busy 40 % of the time (200.0 ms of 500.0 ms), but 60.0 % is exposed "
		"communication. Largest cause: collectives wait for another rank (280.0 ms).");
	assert_verdict(EXPOSED("300000001") COLLECTIVE("5", "24576", "280000000", "300000000"),
		"communication, exposed 300.0 ms 60 % ███████████████ "
		"collectives wait for another rank 279.4 ms 56 % ██████████████ ");
	assert_verdict(EXPOSED("300000001") COLLECTIVE("5", "24576", "280000000", "300000000"),
		"A collective of 24.0 KiB takes 280.0 ms: read the recordings of all ranks.");
	assert_verdict(EXPOSED("300000001") COLLECTIVE("5", "5000000", "300000000", "300000000"),
		"collectives wait for another rank (199.9 ms).");
	assert_verdict(EXPOSED("300000001") COLLECTIVE("5", "10000000", "300000000", "300000000"),
		"but 60.0 % is exposed communication.");
	assert_verdict(EXPOSED("300000001") COLLECTIVE("5", "10000000", "300000000", "300000000"),
		"No check found a fix for exposed communication.");
	/* What the other ranks show counts more than the bytes, and nobody has to read them again.
	 */
	static const char known[] = EXPOSED("300000001") COLLECTIVE("5", "NULL", "300000000",
		"300000000") "INSERT INTO collective(slice_id, trace_id, job_id, device, name,"
			     " group_size, number, ts, dur, exposed_wait_ns)"
			     " VALUES(5, 0, 0, '0', 'sr', 2, 0, 0, 300000000, 200000000)";
	assert_verdict(known, "collectives wait for another rank (200.0 ms).");
	assert_verdict(known, "No check found a fix for exposed communication.");
}

/* What a trace cannot show is said, and never called health. */
static void test_odd_traces(void **state)
{
	(void)state;
	assert_verdict("DELETE FROM metric WHERE device IS NOT NULL; UPDATE metric SET value = 0"
		       " WHERE name IN ('has_device', 'device_op_count')",
		"No device work in this trace, so device utilization is unknown.");
	assert_verdict("DELETE FROM metric WHERE device IS NOT NULL; UPDATE metric SET value = 0"
		       " WHERE name IN ('has_device', 'device_op_count');"
		       " INSERT INTO metric VALUES(0, 'has_framework', NULL, NULL, 0, 'count')",
		"This is no trace of a deep-learning run, so there is nothing to advise.");
	assert_verdict(NO_STEPS "DELETE FROM idle_total WHERE at_edge;"
				"DELETE FROM metric WHERE name = 'start_and_end_ns'",
		"The shares cover the whole file, including start-up.");
	assert_verdict(NO_STEPS,
		"is idle 49 % of the time between its first and its last operation (190.0 ms of "
		"390.0 ms). Largest cause: the host fetches the next batch (189.0 ms). The 110.0 "
		"ms before the first and after the last device work do not count in this share. "
		"Below, they are \"start and end\", and shares are of all 500.0 ms.");
	assert_verdict(NO_STEPS "UPDATE idle_total SET cause = 'setup' WHERE cause = 'dataloader'",
		"allocates memory (189.0 ms). That is start-up: run some iterations before "
		"recording.");
	assert_verdict("UPDATE trace SET start_ns = -59000000",
		"(280.0 ms). The 60.00 ms before the first step are not included.");
	assert_verdict("UPDATE trace SET start_ns = -39000000", "(280.0 ms). the steps");
#define STEP_11 " WHERE step_id = 1 AND cause = 'dataloader'"
	assert_verdict("UPDATE idle_total SET dur = 186666667" STEP_11,
		"fetches the next batch (280.0 ms, 186.7 ms of it in step 11).");
	assert_verdict("UPDATE idle_total SET dur = 186666666" STEP_11,
		"fetches the next batch (280.0 ms).");
	/* What the host does while no device works is not what the next work waits for. */
	assert_verdict("INSERT INTO metric VALUES(0, 'host_setup_exposed_ns', NULL, NULL, "
		       "285000000, 'ns')",
		"the host fetches the next batch (280.0 ms)");
	assert_verdict("UPDATE step SET device_ts = NULL WHERE number <> 10",
		"No verdict: only 1 of 3 steps launched the device work in the trace.");
	assert_verdict("UPDATE metric SET value = 7 WHERE name = 'device_op_count'",
		"No verdict: only 7 device operations were recorded.");
	assert_verdict("UPDATE metric SET value = 1 WHERE name = 'device_op_count'",
		"only 1 device operation was recorded.");
	assert_verdict("DELETE FROM metric; DELETE FROM step; DELETE FROM import_log",
		"No verdict: the trace has counters or marks, and nothing that lasts.");
	assert_verdict("DELETE FROM metric; DELETE FROM step",
		"No verdict: the trace has no slice that could be read.");
	assert_verdict("DELETE FROM metric; DELETE FROM step; UPDATE trace SET event_count = 0",
		"No verdict: the trace has no events, so nothing was recorded");
	assert_verdict(BUSY "UPDATE metric SET value = 99.0 WHERE name = 'device_busy_pct'",
		"busy 99 % of the time (495.0 ms of 500.0 ms), the largest part in the TPCs (20.0 "
		"%).");
	assert_verdict(BUSY "INSERT INTO metric VALUES(0, 'exposed_communication_ns', NULL, NULL,"
			    " 100000000, 'ns')",
		"but 20.0 % is exposed communication.");
#define OPERATION(name, exclusive_ns, mark)                                                        \
	"DELETE FROM op_total; INSERT INTO op_total(trace_id, device, name, engine, kind, count,"  \
	" dur_ns, exclusive_ns, min_ns, max_ns, mark) VALUES(0, '0', '" name                       \
	"', 'compute', 'kernel', 1, 300000000, " exclusive_ns ", 1, 1, " mark ")"
	assert_verdict(BUSY OPERATION("merge", "200000000", "NULL"),
		", the largest part in the TPCs (20.0 %), mostly with merge (40.0 %).");
	assert_verdict(BUSY OPERATION("event_wait", "200000000", "'device_wait'"),
		"the TPCs (20.0 %). For 200.0 ms of that, only waits for other streams run.");
}

/* Shares of a file from which most operations were dropped are not those of the run. */
static void test_missing_operations(void **state)
{
	(void)state;
	assert_verdict("INSERT INTO metric VALUES(0, 'recorded_one_of_count', NULL, NULL, 7000,"
		       " 'count')",
		"No verdict: many operations are missing from this recording. About 1 of 7,000 is "
		"in "
		"the file, so no time below describes the run.");
	assert_verdict("INSERT INTO metric VALUES(0, 'recorded_one_of_count', NULL, NULL, 1,"
		       " 'count')",
		"The device is idle 60 %");
}

/* Steps from 100 to 100 + count - 1, of which those below slow take half as long again as the
 * others. */
static void assert_slow(int count, int slow, const char *verdict)
{
	char sql[1000];

	snprintf(sql, sizeof(sql),
		"DELETE FROM step; WITH RECURSIVE n(i) AS (VALUES(0) UNION ALL SELECT i + 1 FROM n"
		" WHERE i < %d - 1) INSERT INTO step(id, trace_id, number, name, ts, dur, slice_id,"
		" device_ts, device_dur, is_warm_up, is_unused) SELECT 50 + i, 0, 100 + i, 'x',"
		" 100 * i + 50 * min(i, %d), 100 + 50 * (i < %d), i, 0, 1, 0, 0 FROM n",
		count, slow, slow);
	assert_verdict(sql, verdict);
}

/* Outliers of the clock are counted, and it is said where they lie and what they would do. */
static void test_other_clocks(void **state)
{
#define FAR_TRACE(count)                                                                           \
	"UPDATE trace SET start_ns = 5, end_ns = 1122421000000005;"                                \
	"INSERT INTO import_log VALUES(0, 'clocks_apart', 'error', NULL, " count ", 'x');"         \
	"INSERT INTO metric VALUES(0, 'other_clock_ns', NULL, NULL, "
	(void)state;
	assert_verdict(FAR_TRACE("1045") "1122420000000000, 'ns')",
		" 1,045 slices are on another clock than all others, the first 12 d 23 h before "
		"them, and outside of the analysed time. With them the recording would be 12 d 23 "
		"h "
		"long.");
	assert_verdict(FAR_TRACE("1") "-90000000000000, 'ns')",
		" 1 slice is on another clock than all others, 1 d 1 h after them, and outside of "
		"the "
		"analysed time. With it the recording would be 12 d 23 h long.");
}

/* The shortest step keeps the second unit of a long time. */
static void test_long_steps(void **state)
{
#define LONG_STEPS(dur, more)                                                                      \
	"UPDATE step SET ts = (number - 10) * " dur ", dur = " dur " + " more " * (number = 12),"  \
	" device_ts = 0, device_dur = 1, is_warm_up = 0;"
	(void)state;
	assert_verdict(LONG_STEPS("154800000000000", "86400000000000"), ", 1 d 19 h to 2 d 19 h)");
	assert_verdict(LONG_STEPS("100000000", "1000000"), ", 100.0 to 101.0 ms)");
}

static void test_slow_steps(void **state)
{
	(void)state;
	assert_slow(5, 0, "(280.0 ms). the steps");
	assert_slow(5, 1, "(280.0 ms). Slow step: 100 (150 ns); the median is 100 ns.");
	assert_slow(4, 1, "(280.0 ms). the steps");
	assert_slow(6, 2, "(280.0 ms). Slow steps: 100 (150 ns) and 101 (150 ns); the median is");
	assert_slow(5, 2, "(280.0 ms). the steps"); /* more than a third: not the exception */
	assert_slow(9, 3, " 100 (150 ns), 101 (150 ns) and 102 (150 ns); the median is 100 ns.");
	assert_slow(12, 4, "101 (150 ns), 102 (150 ns) and 1 more; the median is 100 ns.");
}

/* Two devices like the fixture's, one of them less busy. */
static void test_several_devices(void **state)
{
#define SECOND_DEVICE                                                                              \
	"INSERT INTO metric SELECT trace_id, name, '1', step, value, unit FROM metric"             \
	" WHERE device = '0';"
	(void)state;
	assert_verdict(SECOND_DEVICE "UPDATE metric SET value = 437500000 WHERE device = '1'"
				     " AND name = 'idle_ns'",
		"All 2 devices are idle 60 % of the time (300.0 ms of 500.0 ms). Largest cause: "
		"the "
		"host fetches the next batch (280.0 ms). The most idle one is busy 12 % of it.");
	assert_verdict(SECOND_DEVICE BUSY "UPDATE metric SET value = 275000000 WHERE name ="
					  " 'idle_ns' AND device IS NOT NULL",
		"At least one of the 2 devices is busy 99 % of the time (495.0 ms of 500.0 ms), "
		"the "
		"largest part in the TPCs (20.0 %). The most idle one is busy 45 % of it.");
	/* The parts of a device add up, also where work of it is missing. */
	assert_verdict(SECOND_DEVICE "INSERT INTO metric VALUES"
				     " (0, 'device_unknown_ns', '1', NULL, 70000000, 'ns');",
		" 1 26.0 % 0 ns 0 ns 0 ns 70.00 ms 300.0 ms ");
}

/* Pieces of the critical path of other kinds have other words. */
static void test_pieces_of_the_path(void **state)
{
	static const struct {
		const char *piece, *name, *words;
	} cases[] = {
		{"host", "dispatch", "the host dispatches operations"},
		{"host", "other", "the host runs code between operations"},
		{"host", NULL, "nothing recorded on the host"},
		{"device", "compute", "the device computes"},
		{"device", "communication", "the device communicates"},
		{"device", "tpc", "the device works (TPC)"},
		{"launch", NULL, "launches reach the device"},
		{"queue", NULL, "work waits for other work"},
		{"wake", NULL, "the host goes on after a wait"},
		{"other", NULL, "not known"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tc_buf line = TC_BUF_EMPTY;
		struct tc_text name = {0};
		if (cases[i].name)
			name = tc_text_from(cases[i].name);
		tc_append_piece(&line, tc_text_from(cases[i].piece), name);
		assert_string_equal(tc_buf_string(&line), cases[i].words);
		tc_buf_clear(&line);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_edges_without_a_verdict),
		cmocka_unit_test(test_no_shares_without_a_verdict),
		cmocka_unit_test(test_waits_for_a_rank),
		cmocka_unit_test(test_odd_traces),
		cmocka_unit_test(test_graph_capture),
		cmocka_unit_test(test_start_up),
		cmocka_unit_test(test_missing_operations),
		cmocka_unit_test(test_other_clocks),
		cmocka_unit_test(test_long_steps),
		cmocka_unit_test(test_slow_steps),
		cmocka_unit_test(test_several_devices),
		cmocka_unit_test(test_pieces_of_the_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
