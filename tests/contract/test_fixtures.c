/*
 * Every heuristic has traces of its own in testdata/heuristics/<id>/ and does on each what the file
 * name says: fires.json, quiet.json, na.json (not for heuristics that need nothing); side.json for
 * those that side files feed. Further ranks of a fixture stand beside it as fires.rank1.json and so
 * on; what a heuristic does where it has all ranks of a job as fires-ranks.json and so on; side
 * files as fires.log, fires.metrics.json and the like (see side_ends). On no fixture may any
 * heuristic fail, and the query that a finding prints must give its numbers again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracecoach/advice.h"
#include "tracecoach/import.h"

#include "advice/advice_names.h"
#include "catalogue_fixture.h"
#include "store/connection.h"

#define MAX_RANKS 8
#define DO_COLUMNS 75 /* of a line of 80, indented */
#define MAX_SIDE 5

static int fault_count;

__attribute__((format(printf, 2, 3))) static void fault(const char *where, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "%s: ", where);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	fault_count++;
}

/* The files of one fixture. */
struct fixture {
	char paths[MAX_RANKS][512];
	const char *list[MAX_RANKS];
	size_t count;
	char side_paths[MAX_SIDE][512];
	const char *side_list[MAX_SIDE];
	size_t side_count;
};

static const char *const side_ends[MAX_SIDE] = {
	".metrics.json", ".metrics.txt", ".log", ".hw.csv", ".nodes.csv"};

static void find_side_files(struct fixture *fixture, const char *id, const char *outcome)
{
	const char *dir = getenv("TC_SOURCE_DIR");

	fixture->side_count = 0;
	for (int i = 0; i < MAX_SIDE; i++) {
		char *path = fixture->side_paths[fixture->side_count];

		snprintf(path, sizeof(fixture->side_paths[0]), "%s/testdata/heuristics/%s/%s%s",
			dir ? dir : ".", id, outcome, side_ends[i]);
		if (access(path, R_OK) == 0)
			fixture->side_list[fixture->side_count++] = path;
	}
}

static void find_files(struct fixture *fixture, const char *id, const char *outcome)
{
	const char *dir = getenv("TC_SOURCE_DIR");

	fixture->count = 0;
	for (int rank = 0; rank < MAX_RANKS; rank++) {
		char *path = fixture->paths[fixture->count];
		char suffix[32] = "";

		if (rank > 0)
			snprintf(suffix, sizeof(suffix), ".rank%d", rank);
		snprintf(path, sizeof(fixture->paths[0]), "%s/testdata/heuristics/%s/%s%s.json",
			dir ? dir : ".", id, outcome, suffix);
		if (access(path, R_OK) != 0)
			break;
		fixture->list[fixture->count++] = path;
	}
}

/* Runs the query of a finding as a user would, on the bare connection. */
static void check_sql(sqlite3 *db, const char *where, const struct tc_finding *finding)
{
	sqlite3_stmt *stmt = NULL;
	size_t row = 0;

	if (sqlite3_prepare_v2(db, finding->sql, -1, &stmt, NULL) != SQLITE_OK) {
		fault(where, "its own query fails: %s", sqlite3_errmsg(db));
		return;
	}
	for (; sqlite3_step(stmt) == SQLITE_ROW; row++) {
		const struct tc_evidence *kept = &finding->evidence[row];
		bool has_gain = sqlite3_column_type(stmt, 1) != SQLITE_NULL;
		bool claims = has_gain && sqlite3_column_int64(stmt, 1) != 0;

		if (row >= finding->evidence_count)
			break;
		if (strcmp(kept->subject, (const char *)sqlite3_column_text(stmt, 0)) != 0)
			fault(where, "row %zu is about another subject", row + 1);
		bool is_replayed = finding->heuristic->edits[0] != NULL;
		if (is_replayed && claims)
			fault(where, "row %zu claims a gain, but the heuristic has an edit",
				row + 1);
		else if (!is_replayed &&
			 (has_gain != (kept->gain_ns != TC_GAIN_NONE) ||
				 (has_gain && sqlite3_column_int64(stmt, 1) != kept->gain_ns)))
			fault(where, "row %zu has another gain", row + 1);
	}
	if (row != finding->evidence_count)
		fault(where, "its query gives another number of rows");
	sqlite3_finalize(stmt);
}

/* The first sentence of what to do is all that the first screen says. */
static void check_first_sentence(const char *where, const struct tc_finding *finding)
{
	const char *end = strstr(finding->advice, ". ");
	size_t len = end ? (size_t)(end - finding->advice) + 1 : strlen(finding->advice);

	if (len > DO_COLUMNS)
		fault(where,
			"%s: the first sentence of \"do:\" has %zu characters, %d fit on a line: "
			"\"%.*s\": say the rest in a second sentence",
			finding->heuristic->id, len, DO_COLUMNS, (int)len, finding->advice);
}

static void check_findings(sqlite3 *db, const char *where, const struct tc_advice *advice)
{
	for (size_t i = 0; i < advice->finding_count; i++) {
		const struct tc_finding *finding = &advice->findings[i];
		bool has_gain = finding->gain_ns != TC_GAIN_NONE;

		check_sql(db, where, finding);
		check_first_sentence(where, finding);
		if (has_gain && !finding->heuristic->edits[0])
			fault(where,
				"%s has a gain but no edit: add \"edit:\" to the header, or "
				"return NULL as gain_ns",
				finding->heuristic->id);
		if (has_gain && (finding->gain_ns < 0 || finding->gain_pct > 100.0))
			fault(where, "%s: gain out of range", finding->heuristic->id);
		if (has_gain &&
			(finding->gain_low_ns < 0 || finding->gain_low_ns > finding->gain_ns ||
				finding->gain_ns > finding->gain_high_ns))
			fault(where, "%s: its gain is not within its range",
				finding->heuristic->id);
	}
}

/* All traces must have the outcome; for fired, one is enough. */
static void check_outcome(const char *where, const struct tc_advice *advice,
	const struct tc_heuristic *heuristic, enum tc_outcome wanted)
{
	size_t met = 0, rows = 0;
	const char *reason = NULL;

	for (size_t i = 0; i < advice->account_count; i++) {
		const struct tc_account_row *row = &advice->account[i];

		if (row->outcome == TC_OUTCOME_FAILED)
			fault(where, "%s failed: %s", row->heuristic->id, row->reason);
		if (row->heuristic != heuristic)
			continue;
		rows++;
		met += row->outcome == wanted;
		if (row->outcome != wanted)
			reason = row->reason ? row->reason : tc_outcome_name(row->outcome);
	}
	if (met == 0 || (wanted != TC_OUTCOME_FIRED && met < rows))
		fault(where, "the outcome should be %s, but it is %s", tc_outcome_name(wanted),
			reason);
}

static void run_fixture(
	const struct tc_heuristic *heuristic, const char *name, enum tc_outcome wanted)
{
	struct tc_import_options options = {.inline_stages = true, .settings = default_settings()};
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_store *store = NULL;
	struct tc_advice *advice = NULL;
	struct fixture fixture;
	char where[128];

	snprintf(where, sizeof(where), "%s/%s", heuristic->id, name);
	find_files(&fixture, heuristic->id, name);
	find_side_files(&fixture, heuristic->id, name);
	options.side_paths = fixture.side_list;
	options.side_count = fixture.side_count;
	if (fixture.count == 0)
		fault(where, "no such trace: tools/new-heuristic shows what testdata/heuristics/ID "
			     "holds");
	else if (tc_import(&store, ctx, fixture.list, fixture.count, NULL, &options) ||
		 tc_advise_store(&advice, ctx, store, default_settings()))
		fault(where, "%s", tc_ctx_error(ctx));
	if (advice) {
		check_outcome(where, advice, heuristic, wanted);
		check_findings(tc_store_db(store), where, advice);
	}
	tc_advice_free(advice);
	tc_store_close(store);
	tc_ctx_free(ctx);
}

static void check_fixture(
	const struct tc_heuristic *heuristic, const char *name, enum tc_outcome wanted)
{
	if (is_wanted(heuristic))
		run_fixture(heuristic, name, wanted);
}

/* A build without libcsv cannot read the tables of the Gaudi profiler. */
static bool can_read_files_of(const struct tc_heuristic *heuristic)
{
#ifdef TC_HAVE_CSV
	(void)heuristic;
	return true;
#else
	return !heuristic->needs[0] || strcmp(heuristic->needs[0], "node_stats") != 0;
#endif
}

static void for_each(const char *name, enum tc_outcome wanted)
{
	size_t count = tc_catalogue_count(built_in());

	fault_count = 0;
	for (size_t i = 0; i < count; i++) {
		const struct tc_heuristic *heuristic = tc_catalogue_at(built_in(), i);

		if ((wanted != TC_OUTCOME_NOT_APPLICABLE || heuristic->needs[0]) &&
			can_read_files_of(heuristic))
			check_fixture(heuristic, name, wanted);
	}
	assert_int_equal(fault_count, 0);
}

static void test_fires(void **state)
{
	(void)state;
	for_each("fires", TC_OUTCOME_FIRED);
}
/* Some fire on what only side files tell, where the trace shows nothing of it. */
static void test_side(void **state)
{
	static const char *const ids[] = {
		"recompilation", "cpu-fallback", "memory-defragmentation"};

	(void)state;
	fault_count = 0;
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		check_fixture(built_in_heuristic(ids[i]), "side", TC_OUTCOME_FIRED);
	assert_int_equal(fault_count, 0);
}
/* The same defect told in another way: by the order of operations where no bridge marks it, by
 * calls where the allocator records nothing, by operations of which few have an update's name, in
 * a recording that ends before the device has done the last step, by reads that are short because
 * steps are. And what looks like a defect but is none: all-reduces of activations, a fused
 * optimizer without operations of its own, a softmax by which experts and tokens are chosen, norms
 * that an optimizer takes, copies that another heuristic reports, waits that keep two steps in
 * flight, the answers of a server. */
static void test_other_signs(void **state)
{
	static const struct {
		const char *id, *name;
		enum tc_outcome wanted;
	} signs[] = {
		{"cpu-fallback", "fires-gpu", TC_OUTCOME_FIRED},
		{"cpu-fallback", "quiet-gpu", TC_OUTCOME_QUIET},
		{"cpu-fallback", "fires-aicpu", TC_OUTCOME_FIRED},
		{"memory-defragmentation", "fires-calls", TC_OUTCOME_FIRED},
		{"memory-near-limit", "fires-calls", TC_OUTCOME_FIRED},
		{"unfused-optimizer", "fires-elementwise", TC_OUTCOME_FIRED},
		{"small-gradient-buckets", "fires-cut", TC_OUTCOME_FIRED},
		{"small-gradient-buckets", "quiet-tensor-parallel", TC_OUTCOME_QUIET},
		{"small-gradient-buckets", "quiet-checkpointing", TC_OUTCOME_QUIET},
		{"small-gradient-buckets", "fires-tensor-parallel", TC_OUTCOME_FIRED},
		{"input-copy-blocking", "fires-batch", TC_OUTCOME_FIRED},
		{"input-copy-blocking", "quiet-batch", TC_OUTCOME_QUIET},
		{"input-copy-blocking", "quiet-states", TC_OUTCOME_QUIET},
		{"device-sync", "fires-short", TC_OUTCOME_FIRED},
		{"device-sync", "fires-many", TC_OUTCOME_FIRED},
		{"progress-printing", "fires-short", TC_OUTCOME_FIRED},
		{"small-gradient-buckets", "fires-few", TC_OUTCOME_FIRED},
		{"cpu-only-run", "quiet-memory", TC_OUTCOME_QUIET},
		{"cpu-only-run", "quiet-library", TC_OUTCOME_QUIET},
		{"matmul-dims", "quiet-rows", TC_OUTCOME_QUIET},
		{"matmul-dims", "quiet-aligned", TC_OUTCOME_QUIET},
		{"small-gradient-buckets", "quiet-scalars", TC_OUTCOME_QUIET},
		{"progress-printing", "quiet-event", TC_OUTCOME_QUIET},
		{"device-sync", "quiet-threads", TC_OUTCOME_QUIET},
		{"device-sync", "quiet-ahead", TC_OUTCOME_QUIET},
		{"device-sync", "quiet-server", TC_OUTCOME_QUIET},
		{"device-sync", "quiet-server-copy", TC_OUTCOME_QUIET},
		{"unfused-optimizer", "quiet-fused", TC_OUTCOME_QUIET},
		{"unfused-attention", "quiet-choice", TC_OUTCOME_QUIET},
		{"unfused-clip-norm", "quiet-optimizer", TC_OUTCOME_QUIET},
		{"weight-copies", "quiet-inputs", TC_OUTCOME_QUIET},
		{"dma-exposed", "quiet-weights", TC_OUTCOME_QUIET},
		{"dma-exposed", "quiet-within-device", TC_OUTCOME_QUIET},
	};

	(void)state;
	fault_count = 0;
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		check_fixture(built_in_heuristic(signs[i].id), signs[i].name, signs[i].wanted);
	assert_int_equal(fault_count, 0);
}
/* Waiting for a late rank and transfer told apart, which takes all ranks of the job. */
static void test_all_ranks(void **state)
{
	static const char *const ids[] = {"exposed-communication", "rank-straggler"};

	(void)state;
	fault_count = 0;
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		const struct tc_heuristic *heuristic = built_in_heuristic(ids[i]);

		check_fixture(heuristic, "fires-ranks", TC_OUTCOME_FIRED);
		check_fixture(heuristic, "quiet-ranks", TC_OUTCOME_QUIET);
		check_fixture(heuristic, "na-ranks", TC_OUTCOME_NOT_APPLICABLE);
	}
	assert_int_equal(fault_count, 0);
}
static void test_quiet(void **state)
{
	(void)state;
	for_each("quiet", TC_OUTCOME_QUIET);
}
static void test_na(void **state)
{
	(void)state;
	for_each("na", TC_OUTCOME_NOT_APPLICABLE);
}

/* A fixture checked against the wrong outcome is a fault, so the tests above can fail. */
static void test_checks_find_faults(void **state)
{
	(void)state;
	fault_count = 0;
	run_fixture(built_in_heuristic("dataloader-bound"), "quiet", TC_OUTCOME_FIRED);
	run_fixture(built_in_heuristic("dataloader-bound"), "nothing", TC_OUTCOME_FIRED);
	assert_int_equal(fault_count, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fires),
		cmocka_unit_test(test_side),
		cmocka_unit_test(test_other_signs),
		cmocka_unit_test(test_all_ranks),
		cmocka_unit_test(test_quiet),
		cmocka_unit_test(test_na),
		cmocka_unit_test(test_checks_find_faults),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
