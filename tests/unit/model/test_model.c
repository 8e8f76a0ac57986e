/*
 * The model as a whole: JSON text in, tables out. Peers' tests are held against it where they are
 * at hand (TC_SHARED): where peers disagree, Perfetto's rule is ours.
 */
#include "model_fixture.h"

static char *read_text(const char *directory, const char *name, const char *suffix, size_t *len)
{
	const char *shared = getenv("TC_SHARED");
	char path[600];

	if (!shared)
		skip();
	snprintf(path, sizeof(path), "%s/corpus/%s/%s%s", shared, directory, name, suffix);
	FILE *file = fopen(path, "rb");
	if (!file)
		fail_msg("cannot read %s", path);
	char *text = calloc(1, 1 << 20);
	assert_non_null(text);
	*len = fread(text, 1, (1 << 20) - 1, file);
	fclose(file);
	return text;
}

static void open_peer(struct model_run *run, const char *directory, const char *name)
{
	size_t len;
	char *text = read_text(directory, name, ".json", &len);

	*run = (struct model_run){0};
	if (model_run_add(run, (struct tc_text){text, len}))
		fail_msg("%s: %s", name, tc_ctx_error(run->ctx));
	free(text);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The lines of text, cut at separator, sorted, each once, joined again. */
static void sort_rows(char *text, char separator)
{
	char *rows[200], *copy = strdup(text), *at = copy;
	size_t count = 0, used = 0;

	while (*at) {
		char *end = strchr(at, separator);
		assert_true(count < 200);
		rows[count++] = at;
		if (!end)
			break;
		*end = '\0';
		at = end + 1;
	}
	qsort(rows, count, sizeof(rows[0]), by_text);
	for (size_t i = 0; i < count; i++)
		if (i == 0 || strcmp(rows[i], rows[i - 1]) != 0)
			used += (size_t)sprintf(text + used, "%s%s", used > 0 ? ";" : "", rows[i]);
	text[used] = '\0';
	free(copy);
}

/* A CSV file of a peer as model_ask() would write its first columns, without the header. */
static void csv_rows(const char *csv, int columns, char *out)
{
	const char *at = strchr(csv, '\n');
	int column = 0;
	bool quoted = false;

	for (at = at ? at + 1 : ""; *at; at++) {
		if (*at == '"') {
			quoted = !quoted;
		} else if (*at == ',' && !quoted) {
			if (++column < columns)
				*out++ = '|';
		} else if (*at == '\n') {
			column = 0;
			*out++ = '\n';
		} else if (column < columns && strncmp(at, "[NULL]", 6) == 0) {
			*out++ = '-';
			at += 5;
		} else if (column < columns && *at != '\r') {
			*out++ = *at;
		}
	}
	*out = '\0';
}

#define SLICES "SELECT ts, dur, name FROM slice"
#define PLACED                                                                                     \
	"SELECT s.ts, s.dur, s.name, t.name, t.tid, p.name, p.pid FROM slice s "                   \
	"JOIN thread t ON t.id = s.thread_id JOIN process p ON p.id = s.process_id"
#define ASYNC                                                                                      \
	"SELECT s.name, s.ts, s.dur, k.name FROM slice s JOIN track k ON k.id = s.track_id "       \
	"WHERE k.kind = 'async'"
static const struct {
	const char *name;
	int columns; /* of the expected rows that are compared */
	const char *sql;
} perfetto_rows[] = {
	{"test_args_ordered", 2,
		"SELECT s.name, 'args.' || a.key FROM slice s JOIN slice_arg a "
		"ON a.slice_id = s.id"},
	{"test_counters_json_counters", 3, "SELECT name, ts, printf('%f', value) FROM counter"},
	{"test_decimal_timestamp_slices", 3, SLICES},
	{"test_display_time_unit_slices", 3, SLICES},
	{"test_invalid_string_ts_and_dur", 3, SLICES},
	{"test_json_all_slice_types", 3,
		SLICES " UNION SELECT ts, 0, name FROM instant WHERE scope <> 'global'"},
	{"test_json_async", 7, PLACED},
	{"test_json_counter_args", 4,
		"SELECT p.pid, p.name, c.name, printf('%f', c.value) FROM counter c "
		"JOIN process p ON p.id = c.process_id"},
	{"test_json_extreme_vals", 7, PLACED},
	{"test_json_flow", 5,
		"SELECT s.ts, s.dur, s.name, (SELECT count(*) FROM flow), 0 FROM slice s "
		"WHERE s.dur < 0"},
	{"test_json_id2", 7, PLACED},
	{"test_json_id2_global_int_id", 4, ASYNC},
	{"test_json_id2_global_string_id", 4, ASYNC},
	{"test_json_id2_local_int_id", 4, ASYNC},
	{"test_json_id2_local_string_id", 4, ASYNC},
	{"test_json_incomplete", 1, "SELECT ts FROM slice"},
	{"test_json_metadata", 7, PLACED},
	{"test_json_metadata_missing_or_invalid_ts", 2, "SELECT pid, name FROM process"},
	{"test_json_pid_tid_zero", 3, "SELECT name, ts, dur FROM slice"},
	{"test_json_trace_metadata", 3,
		"SELECT 'json_metadata.' || j.key, iif(j.type = 'integer', j.value, NULL), "
		"iif(j.type = 'text', j.value, NULL) FROM trace_meta m, json_each(m.value) "
		"j"},
	{"test_json_trailing_comma", 3, "SELECT name, ts, dur FROM slice"},
	{"test_overlapping_complete_event_recovered", 2,
		"SELECT count(*), (SELECT sum(count) FROM import_log WHERE kind = "
		"'overlapping_slices') FROM slice"},
	{"test_string_pid_tid", 5,
		"SELECT s.ts, s.dur, s.name, p.name, t.name FROM slice s JOIN thread t "
		"ON t.id = s.thread_id JOIN process p ON p.id = s.process_id"},
	{"test_string_ts_and_dur", 3, SLICES},
	{"test_string_ts_trailing_chars", 3, SLICES},
	{"test_string_tts_and_tdur", 3, SLICES},
	{"test_trailing_empty_event", 2,
		"SELECT (SELECT count(*) FROM import_log WHERE severity <> 'info'), "
		"count(*) "
		"FROM slice"},
	{"test_x_event_order", 4, "SELECT ts, dur, name, depth FROM slice"},
};

static void perfetto_gets_the_same_rows(void **state)
{
	static char want[20000], got[8000];

	(void)state;
	for (size_t i = 0; i < sizeof(perfetto_rows) / sizeof(perfetto_rows[0]); i++) {
		struct model_run run;
		size_t len;
		char *csv = read_text("perfetto", perfetto_rows[i].name, ".expected.csv", &len);
		open_peer(&run, "perfetto", perfetto_rows[i].name);
		csv_rows(csv, perfetto_rows[i].columns, want);
		strcpy(got, model_ask(run.db, perfetto_rows[i].sql));
		sort_rows(want, '\n');
		sort_rows(got, ';');
		if (strcmp(got, want) != 0)
			fail_msg("%s\ngot:  %s\nwant: %s", perfetto_rows[i].name, got, want);
		model_run_close(&run);
		free(csv);
	}
}

/* Open ends are kept with dur -1, not closed at the end of the thread as Catapult does. */
#define NAMES "SELECT name, ts / 1000, dur / 1000 FROM slice ORDER BY id"
#define DEEP "SELECT name, depth FROM slice ORDER BY ts, depth, id"
#define OPEN "SELECT name, ts / 1000, dur FROM slice ORDER BY id"
#define ARROWS                                                                                     \
	"SELECT o.name, i.name FROM flow f JOIN slice o ON o.id = f.slice_out "                    \
	"JOIN slice i ON i.id = f.slice_in ORDER BY f.id"
static const struct {
	const char *directory, *name, *sql, *want;
} peer_rows[] = {
	{"catapult", "argumentDupeCreatesNonFailingImportError",
		"SELECT args, (SELECT kind FROM import_log) FROM slice", "{\"x\":2}|duplicate_arg"},
	{"catapult", "endArgsAddedToSlice", "SELECT args FROM slice", "{\"x\":1,\"y\":2}"},
	{"catapult", "beginEndNameMismatch", OPEN, "a|520|-1"},
	{"catapult", "beginEndNameMismatch",
		"SELECT kind FROM import_log WHERE severity = 'error' ORDER BY kind",
		"mismatched_end;unmatched_begin"},
	{"catapult", "parsingWhenEndComesFirst", NAMES, "a|4|1"},
	{"catapult", "parsingWhenEndComesFirst", MODEL_LOG_SQL, "unmatched_end|1"},
	{"catapult", "autoclosingWithSubTasks", OPEN, "b1|2|1000;a|1|-1;b2|3|-1"},
	{"catapult", "nestedParsingWithTwoSubSlices", DEEP, "a|0;b|1;c|1"},
	{"catapult", "importNestedCompleteEventWithTightBounds",
		"SELECT name, ts, ts + dur, depth FROM slice ORDER BY ts",
		"a|244654227065000|244654263140000|0;b|244654227095000|244654263140000|1"},
	{"catapult", "importFlowEventOverlaps", ARROWS, "SomeTask|RunTask"},
	{"catapult", "importOldFlowEventBindtoNext", ARROWS, "slice1|slice3"},
	{"catapult", "importNewFlowEventBindtoParent", ARROWS, "slice1|slice2"},
	{"catapult", "importFlowV2OnePair", "SELECT count(*) FROM flow", "1"},
	{"catapult", "importFlowV2MultipleConsumers", ARROWS,
		"producer|consumer1;producer|consumer2"},
	{"catapult", "importFlowV2MultipleProducers", "SELECT count(*) FROM flow", "1"},
	{"catapult", "importOutOfOrderFlowEvent",
		"SELECT f.name, o.ts / 1000, i.ts / 1000 FROM flow f "
		"JOIN slice o ON o.id = f.slice_out JOIN slice i ON i.id = f.slice_in "
		"ORDER BY f.name, o.ts",
		"a|548|560;a|560|581;b|148|571"},
	{"catapult", "processLocalAsync",
		"SELECT s.name, p.pid, s.dur / 1000 FROM slice s JOIN process p "
		"ON p.id = s.process_id ORDER BY s.id",
		"a|52|41;b|54|35"},
	{"catapult", "instanceCounter",
		"SELECT name, count(*), max(value) FROM counter GROUP BY name",
		"ctr id: 0 value|2|10.0;ctr id: 1 value|3|30.0;ctr id: 2 value|1|40.0"},
	{"catapult", "multiCounter", "SELECT name, group_concat(value) FROM counter GROUP BY name",
		"ctr value1|0.0,10.0,0.0;ctr value2|7.0,4.0,1.0"},
	{"catapult", "processLabels", "SELECT pid, labels FROM process",
		"1|foo,bar,bar,foo,baz;2|baz"},
	{"catapult", "startFinishOneSliceOneThread", NAMES, "a|524|36"},
	{"catapult", "nestableAsyncUnmatchedInnerEndEvent", NAMES, "a|524|41"},
	{"speedscope", "invalid-x-nesting", DEEP, "alpha|0;beta|0"},
	{"speedscope", "matching-x", DEEP, "alpha|0;beta|1;gamma|2;gamma|1;beta|2"},
	{"speedscope", "x-events-matching-start", DEEP,
		"alpha|0;beta|1;gamma|2;gamma|1;beta|2;gamma|1;beta|2;beta|1;gamma|2"},
	{"speedscope", "x-events-matching-end", DEEP,
		"alpha|0;beta|1;gamma|2;gamma|1;beta|2;beta|1;gamma|2;gamma|1;beta|2"},
	{"speedscope", "mismatched-name", OPEN, "alpha|0|-1"},
	{"speedscope", "only-begin-events", DEEP, "A|0;B|1;C|2"},
	{"speedscope", "out-of-order", DEEP, "A|0;B|1;C|2"},
	{"speedscope", "too-many-end-events", MODEL_LOG_SQL, "mismatched_end|2"},
	{"speedscope", "must-retain-original-order",
		"SELECT name, depth FROM slice WHERE ts < 3000 ORDER BY depth", "A|0;B|1;C|2"},
	{"speedscope", "simultaneous-anonymous-calls",
		"SELECT name, args ->> 'parent', depth FROM slice ORDER BY ts, depth",
		"anonymous|-|0;anonymous|1|1;function1|2|2;anonymous|3|3;anonymous|1|1;"
		"anonymous|8|2"},
};

static void catapult_and_speedscope(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(peer_rows) / sizeof(peer_rows[0]); i++) {
		struct model_run run;
		open_peer(&run, peer_rows[i].directory, peer_rows[i].name);
		const char *got = model_ask(run.db, peer_rows[i].sql);
		if (strcmp(got, peer_rows[i].want) != 0)
			fail_msg("%s\ngot:  %s\nwant: %s", peer_rows[i].name, got,
				peer_rows[i].want);
		model_run_close(&run);
	}
}

static const char everything[] =
	"{'ph':'M','name':'process_name','pid':1,'args':{'name':'python'}},"
	"{'ph':'X','cat':'user_annotation','name':'ProfilerStep#3','pid':1,'tid':1,'ts':0,'dur':90}"
	","
	"{'ph':'X','cat':'cpu_op','name':'aten::add','pid':1,'tid':1,'ts':10,'dur':20,"
	"'args':{'External id':5}},"
	"{'ph':'X','cat':'cuda_runtime','name':'cudaLaunchKernel','pid':1,'tid':1,'ts':12,'dur':3,"
	"'args':{'correlation':8}},"
	"{'ph':'s','cat':'ac2g','name':'ac2g','id':8,'pid':1,'tid':1,'ts':12},"
	"{'ph':'X','cat':'kernel','name':'add_kernel','pid':0,'tid':7,'ts':40,'dur':5,"
	"'args':{'device':0,'correlation':8}},"
	"{'ph':'f','cat':'ac2g','name':'ac2g','id':8,'bp':'e','pid':0,'tid':7,'ts':40},"
	"{'ph':'B','name':'open','pid':1,'tid':2,'ts':1},"
	"{'ph':'i','name':'mark','s':'g','pid':1,'tid':2,'ts':2,'args':{'a':1}},"
	"{'ph':'i','name':'[memory]','pid':1,'tid':2,'ts':3,'s':'t','args':{'Total Reserved':10,"
	"'Total Allocated':7,'Bytes':-3,'Addr':140000000000,'Device Id':0,'Device Type':1}},"
	"{'ph':'C','name':'load','pid':1,'ts':4,'args':{'a':1.5,'b':'x'}}";

static void a_trace_of_everything(void **state)
{
	static const char *const rows[][2] = {
		{"SELECT id, name, ts, dur, depth, parent_id FROM slice ORDER BY id",
			"0|ProfilerStep#3|0|90000|0|-;1|aten::add|10000|20000|1|0;"
			"2|cudaLaunchKernel|12000|3000|2|1;3|add_kernel|40000|5000|0|-;"
			"4|open|1000|-1|0|-"},
		{"SELECT name, device, engine, lane, kind, launch_slice_id, step_id, launch_method "
		 "FROM device_op",
			"add_kernel|0|compute|stream 7|kernel|2|0|correlation"},
		{"SELECT category, name, slice_out, slice_in FROM flow", "ac2g|ac2g|2|3"},
		{"SELECT name, ts, scope, args FROM instant", "mark|2000|global|{\"a\":1}"},
		{"SELECT ts, device_type, device_id, addr, bytes, total_allocated_bytes, "
		 "total_reserved_bytes FROM memory_sample",
			"3000|1|0|140000000000|-3|7|10"},
		{"SELECT name, ts, value FROM counter", "load a|4000|1.5"},
		{"SELECT number, ts, dur, slice_id FROM step", "3|0|90000|0"},
		{MODEL_LOG_SQL, "bad_counter|1;unmatched_begin|1"},
		{"SELECT format, vendor, start_ns, end_ns FROM trace", "kineto|cuda|0|90000"},
		{"SELECT category, name, role FROM label WHERE role IS NOT NULL ORDER BY id",
			"cpu_op|aten::add|dispatch;cuda_runtime|cudaLaunchKernel|launch"},
	};
	struct model_run run = {0};

	(void)state;
	model_run_events(&run, everything);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		model_expect(run.db, rows[i][0], rows[i][1]);
	assert_int_equal(run.timeline->start_ns, 0);
	assert_int_equal(run.timeline->end_ns, 90000);
	model_run_close(&run);
}

/* A second trace of one store is as if it were alone, but for its ids. */
/* Scheduler states run across the calls of their thread, so they are no part of its stack. */
static void thread_states_have_a_track_of_their_own(void **state)
{
	static const char events[] =
		"{'ph':'X','name':'f','pid':1,'tid':7,'ts':0,'dur':10},"
		"{'ph':'T','cat':'thread_state','name':'Running','pid':1,'tid':7,'ts':1,'dur':4,"
		"'args':{'cpu':3}},"
		"{'ph':'T','cat':'thread_state','name':'S','pid':1,'tid':7,'ts':5,'dur':20,"
		"'args':{'io_wait':0,'blocked_function':'wait_on_page'}},"
		"{'ph':'T','cat':'thread_state','name':'R','pid':1,'tid':'x','ts':5,'dur':-1},"
		"{'ph':'T','name':'step','pid':1,'tid':7,'ts':6}";
	struct model_run run = {0};

	(void)state;
	model_run_events(&run, events);
	model_expect(run.db,
		"SELECT s.name, s.ts, s.dur, s.depth, t.kind, h.tid, s.args FROM slice s"
		" JOIN track t ON t.id = s.track_id JOIN thread h ON h.id = t.thread_id"
		" ORDER BY s.id",
		"f|0|10000|0|thread|7|-;Running|1000|4000|0|thread_state|7|{\"cpu\":3};"
		"S|5000|20000|0|thread_state|7|"
		"{\"io_wait\":0,\"blocked_function\":\"wait_on_page\"};"
		"R|5000|0|0|thread_state|x|-");
	model_expect(run.db,
		"SELECT s.ts, s.dur, s.state, s.cpu, s.io_wait, s.blocked_function, h.tid"
		" FROM thread_state s JOIN thread h ON h.id = s.thread_id ORDER BY s.id",
		"1000|4000|Running|3|-|-|7;5000|20000|S|-|0|wait_on_page|7;5000|0|R|-|-|-|x");
	model_expect(run.db, MODEL_LOG_SQL, "bad_id|1;negative_duration|1");
	model_run_close(&run);
}

#define MEMORY(tid, ts, bytes)                                                                     \
	"{'ph':'i','name':'[memory]','pid':1,'tid':" tid ",'ts':" ts                               \
	",'s':'t','args':{'Bytes':" bytes ",'Device Type':1}}"

/* Allocator events belong to their thread and to the innermost slice around them. */
static void memory_is_tied_to_who_asked_for_it(void **state)
{
	static const char events[] = MEMORY(
		"1", "5", "1") ","
			       "{'ph':'X','cat':'cpu_op','name':'aten::add','pid':1,'tid':1,'ts':"
			       "10,'dur':20}," MEMORY("1", "15", "2") "," MEMORY("2", "15",
				       "3") ","
					    "{'ph':'X','cat':'cpu_op','name':'aten::empty','pid':1,"
					    "'tid':1,'ts':12,'dur':5}," MEMORY(
						    "1", "25", "4") "," MEMORY("1", "40", "-4");
	struct model_run run = {0};

	(void)state;
	model_run_events(&run, events);
	model_expect(run.db,
		"SELECT a.bytes, h.tid, a.slice, s.ts FROM allocation a"
		" JOIN thread h ON h.id = a.thread_id LEFT JOIN slice s ON s.id = a.slice_id"
		" ORDER BY a.id",
		"1|1|-|-;2|1|aten::empty|12000;3|2|-|-;4|1|aten::add|10000;-4|1|-|-");
	model_expect(run.db, MODEL_LOG_SQL, "");
	model_run_close(&run);
}

static void the_second_trace_stands_on_its_own(void **state)
{
	static const char shape_sql[] =
		"SELECT group_concat(x, '/') FROM (SELECT s.name || s.ts || s.dur || s.depth || "
		"coalesce(p.name, '') || coalesce(t.tid, '') || coalesce(d.device, '') || "
		"coalesce(l.name, '') || coalesce(st.number, '') || coalesce(s.args, '') AS x "
		"FROM slice s LEFT JOIN slice p ON p.id = s.parent_id "
		"LEFT JOIN thread t ON t.id = s.thread_id AND t.trace_id = s.trace_id "
		"LEFT JOIN device_op d ON d.slice_id = s.id "
		"LEFT JOIN slice l ON l.id = d.launch_slice_id AND l.trace_id = s.trace_id "
		"LEFT JOIN step st ON st.id = d.step_id AND st.trace_id = s.trace_id "
		"WHERE s.trace_id = %d ORDER BY s.id)";
	struct model_run run = {0};
	char sql[1500], first[4000];

	(void)state;
	model_run_events(&run, everything);
	model_run_events(&run, "{'ph':'X','name':'between','pid':5,'tid':6,'ts':1,'dur':2}");
	model_run_events(&run, everything);
	snprintf(sql, sizeof(sql), shape_sql, 0);
	strcpy(first, model_ask(run.db, sql));
	assert_true(strlen(first) > 100);
	snprintf(sql, sizeof(sql), shape_sql, 2);
	model_expect(run.db, sql, first);
	model_expect(run.db, "SELECT trace_id, count(*), min(id) FROM slice GROUP BY 1",
		"0|5|0;1|1|5;2|5|6");
	static const char *const tables[] = {"slice_row", "instant_row", "counter", "memory_sample",
		"process", "thread", "track", "label", "step", "flow"};
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		snprintf(sql, sizeof(sql), "SELECT count(*) = count(DISTINCT id) FROM %s",
			tables[i]);
		model_expect(run.db, sql, "1");
	}
	model_expect(run.db,
		"SELECT count(*) FROM flow f JOIN slice o ON o.id = f.slice_out JOIN slice i "
		"ON i.id = f.slice_in WHERE o.trace_id = f.trace_id AND i.trace_id = f.trace_id",
		"2");
	model_run_close(&run);
}

static void top_level_members(void **state)
{
	static const char text[] =
		"{\"distributedInfo\":{\"backend\":\"nccl\",\"rank\":3,\"world_size\":\"8\"},"
		"\"deviceProperties\":[{\"id\":0,\"name\":\"A\\u0031\",\"totalGlobalMem\":"
		"42949672960},"
		"{\"name\":\"B\"}],\"baseTimeNanoseconds\":1700000000123456789,"
		"\"traceEvents\":[{\"ph\":\"X\",\"ts\":1,\"dur\":1}],\"traceName\":\"t\"}";
	static const char other[] =
		"{\"deviceProperties\":{\"name\":\"GAUDI2\"},\"distributedInfo\":[1],"
		"\"baseTimeNanoseconds\":\"12\",\"traceEvents\":[]}";
	static const char sql[] = "SELECT rank, world_size, backend, device_name, "
				  "device_memory_bytes, base_time_ns FROM trace WHERE id = %d";
	struct model_run run = {0};
	char question[200];

	(void)state;
	assert_int_equal(model_run_add(&run, TC_TEXT(text)), TC_OK);
	snprintf(question, sizeof(question), sql, 0);
	model_expect(run.db, question, "3|8|nccl|A1|42949672960|1700000000123456789");
	model_expect(run.db, "SELECT key, value FROM trace_meta WHERE key = 'traceName'",
		"traceName|\"t\"");
	assert_int_equal(model_run_add(&run, TC_TEXT(other)), TC_OK);
	snprintf(question, sizeof(question), sql, 1);
	model_expect(run.db, question, "-|-|-|GAUDI2|-|12");
	model_run_close(&run);
}

static void times_at_the_edges(void **state)
{
	/* 2^62 - 1 ns is the last time, and the longest duration. */
	static const char events[] =
		"{'ph':'X','name':'a','ts':4611686018427387.903,'dur':4611686018427387.903},"
		"{'ph':'X','name':'b','ts':-4611686018427387.903,'dur':4611686018427387.903},"
		"{'ph':'B','name':'c','ts':-4611686018427387.903},"
		"{'ph':'E','name':'c','ts':4611686018427387.903},"
		"{'ph':'X','name':'d','ts':4611686018427387.904,'dur':1},"
		"{'ph':'X','name':'e','ts':1,'dur':-5},"
		"{'ph':'X','name':'f','ts':1e300,'dur':1},{'ph':'X','name':'g','ts':1}";

	(void)state;
	model_check(events, "SELECT name, ts, dur FROM slice ORDER BY name",
		"a|4611686018427387903|4611686018427387903;"
		"b|-4611686018427387903|4611686018427387903;"
		"c|-4611686018427387903|9223372036854775806;e|1000|0");
	model_check(
		events, MODEL_LOG_SQL, "bad_timestamp|2;missing_duration|1;negative_duration|1");
	model_check(events, "SELECT start_ns, end_ns FROM trace",
		"-4611686018427387903|9223372036854775806");
}

/* What nobody documents is a loss; what Chrome writes beside times is none. */
static void other_phases_are_logged(void **state)
{
	static const char events[] =
		"{'ph':'X','name':'a','ts':1,'dur':1},{'ph':'q','name':'odd','ts':1},"
		"{'ph':'c','name':'clock_sync','ts':2},{'ph':'v','name':'dump','ts':3},"
		"{'ph':'(','name':'context','ts':4},{'ph':'?','name':'odd','ts':5}";

	(void)state;
	model_check(events, "SELECT kind, severity, sum(count) FROM import_log GROUP BY kind",
		"unknown_phase|data_loss|2;unused_phase|info|3");
	model_check(events, "SELECT count(*) FROM slice", "1");
}

static void unknown_metadata_is_logged(void **state)
{
	static const char events[] =
		"{'ph':'M','name':'process_name','pid':1,'args':{'name':'p'}},"
		"{'ph':'M','name':'thread_sort_index','pid':1,'tid':1,'args':{'sort_index':3}},"
		"{'ph':'M','name':'num_cpus','pid':1,'args':{'number':4}},"
		"{'ph':'M','name':'process_uptime','pid':1},{'ph':'M','pid':1},"
		"{'ph':'M','name':'thread_color','pid':1,'tid':1}";

	(void)state;
	model_check(events,
		"SELECT kind, severity, byte_offset > 0, count, message FROM import_log"
		" ORDER BY byte_offset",
		"unknown_metadata|info|1|1|num_cpus;unknown_metadata|info|1|1|process_uptime;"
		"unknown_metadata|info|1|1|-;unknown_metadata|info|1|1|thread_color");
}

/* args that come again are stored once, and read everywhere. */
/* Three kernels launched at 10, 11 and 12 us that start at 20, 30 and 40. */
static void queue_depth_is_what_waits(void **state)
{
	(void)state;
	model_check("{'ph':'X','cat':'cuda_runtime','name':'cudaLaunchKernel','pid':1,'tid':1,"
		    "'ts':10,'dur':1,'args':{'correlation':1}},"
		    "{'ph':'X','cat':'cuda_runtime','name':'cudaLaunchKernel','pid':1,'tid':1,"
		    "'ts':11,'dur':1,'args':{'correlation':2}},"
		    "{'ph':'X','cat':'cuda_runtime','name':'cudaLaunchKernel','pid':1,'tid':1,"
		    "'ts':12,'dur':1,'args':{'correlation':3}},"
		    "{'ph':'X','cat':'kernel','name':'a','pid':0,'tid':7,'ts':20,'dur':9,"
		    "'args':{'device':0,'correlation':1}},"
		    "{'ph':'X','cat':'kernel','name':'b','pid':0,'tid':7,'ts':30,'dur':9,"
		    "'args':{'device':0,'correlation':2}},"
		    "{'ph':'X','cat':'kernel','name':'c','pid':0,'tid':7,'ts':40,'dur':9,"
		    "'args':{'device':0,'correlation':3}}",
		"SELECT ts / 1000, depth FROM queue_depth WHERE device = '0' ORDER BY ts",
		"10|1;11|2;12|3;20|2;30|1;40|0");
}

static void repeated_args_are_shared(void **state)
{
	struct model_run run = {0};
	struct tc_buf text = TC_BUF_EMPTY;

	(void)state;
	for (int i = 0; i < 300; i++)
		tc_buf_format(&text,
			"%s{'ph':'X','name':'n','ts':%d,'dur':1,'args':{'a':'%d','long':'%0*d'}}",
			i ? "," : "", i, i % 3, i % 2 ? 10 : 600, i % 3);
	model_run_events(&run, tc_buf_string(&text));
	model_expect(run.db,
		"SELECT count(*), sum(args ->> 'a' = (id % 3) || ''), "
		"sum(length(args ->> 'long')) FROM slice",
		"300|300|91500");
	/* Six texts, each stored at its first sight and, as a form, at its second. */
	model_expect(
		run.db, "SELECT count(*) FROM slice_row WHERE typeof(args) = 'integer'", "294");
	model_expect(run.db, "SELECT count(*) FROM args_form", "6");
	model_run_close(&run);
	tc_buf_clear(&text);
}

static void no_allocation_is_taken_for_granted(void **state)
{
	char *json = model_json(everything);
	enum tc_status status = TC_ERR_NOMEM;
	int failures = 0;

	(void)state;
	for (int n = 0; status; n++) {
		struct model_run run = {0};
		tc_alloc_fail_after(n);
		status = model_run_add(&run, tc_text_from(json));
		tc_alloc_fail_after(-1);
		if (status != TC_OK && status != TC_ERR_NOMEM)
			fail_msg("call %d: status %s: %s", n, tc_status_name(status),
				tc_ctx_error(run.ctx));
		failures += status != TC_OK;
		model_run_close(&run);
		assert_true(n < 5000);
	}
	assert_true(failures > 50);
	free(json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_trace_of_everything),
		cmocka_unit_test(thread_states_have_a_track_of_their_own),
		cmocka_unit_test(memory_is_tied_to_who_asked_for_it),
		cmocka_unit_test(the_second_trace_stands_on_its_own),
		cmocka_unit_test(top_level_members),
		cmocka_unit_test(times_at_the_edges),
		cmocka_unit_test(other_phases_are_logged),
		cmocka_unit_test(unknown_metadata_is_logged),
		cmocka_unit_test(repeated_args_are_shared),
		cmocka_unit_test(queue_depth_is_what_waits),
		cmocka_unit_test(no_allocation_is_taken_for_granted),
		cmocka_unit_test(perfetto_gets_the_same_rows),
		cmocka_unit_test(catapult_and_speedscope),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
