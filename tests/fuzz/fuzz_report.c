/*
 * From any bytes, taken for a trace, to a store and every report. All reports must succeed and be
 * valid UTF-8, and no event may vanish: what a decoder alone reads is counted here by what each
 * event should become, and compared with the rows of the store and of its import_log.
 */
#include <sqlite3.h>
#include <string.h>

#include "decode/decode.h"
#include "fuzz/harness.h"
#include "store/connection.h"
#include "tracecoach/import.h"

/* What events should become; every event is one of these. */
struct tally {
	int64_t events;
	int64_t slices; /* complete ones */
	int64_t begins; /* of a slice each */
	int64_t ends;   /* of a begin, or logged */
	int64_t instants, memories;
	int64_t counters, flows;
	int64_t metadata;
	int64_t untimed; /* logged for their ts or dur */
	int64_t without_id, unused, unknown;
};

static bool has_id(const struct tc_raw_event *event)
{
	return event->id_scope != TC_ID_NONE &&
	       (event->id.kind == TC_SCALAR_INT || event->id.kind == TC_SCALAR_NUMBER ||
		       event->id.kind == TC_SCALAR_TEXT);
}

static void count_async(struct tally *tally, const struct tc_raw_event *event)
{
	if (event->ts_state != TC_TIME_OK)
		tally->untimed++;
	else if (!has_id(event))
		tally->without_id++;
	else if (strchr("bS", event->ph))
		tally->begins++;
	else if (strchr("eF", event->ph))
		tally->ends++;
	else
		tally->instants++;
}

/* Phases that need a ts, and what they are then. */
static void count_timed(struct tally *tally, const struct tc_raw_event *event)
{
	if (event->ts_state != TC_TIME_OK)
		tally->untimed++;
	else if (event->ph == 'B')
		tally->begins++;
	else if (event->ph == 'E')
		tally->ends++;
	else if (event->ph == 'C')
		tally->counters++;
	else if (strchr("stf", event->ph))
		tally->flows++;
	else if (event->name.ptr && tc_text_equal(event->name, TC_TEXT("[memory]")))
		tally->memories++;
	else
		tally->instants++;
}

static enum tc_status on_event(void *user, const struct tc_raw_event *event)
{
	struct tally *tally = user;
	bool is_state =
		event->ph == 'T' && event->id_scope == TC_ID_NONE && event->dur_state == TC_TIME_OK;

	tally->events++;
	if (event->ph == 'M')
		tally->metadata++;
	else if (event->ph == 'X' || is_state) {
		if (event->ts_state != TC_TIME_OK || event->dur_state != TC_TIME_OK)
			tally->untimed++;
		else if (!is_state && event->cat.ptr &&
			 tc_text_equal(event->cat, TC_TEXT("hpu_meta_op")))
			tally->metadata++;
		else
			tally->slices++;
	} else if (strchr("BEiIRPNODCstf", event->ph))
		count_timed(tally, event);
	else if (strchr("bneSTpF", event->ph))
		count_async(tally, event);
	else if (strchr("cvV()", event->ph))
		tally->unused++;
	else
		tally->unknown++;
	return TC_OK;
}

static enum tc_status on_meta(void *user, struct tc_text key, struct tc_text json)
{
	(void)user, (void)key, (void)json;
	return TC_OK;
}

static enum tc_status on_log(void *user, const struct tc_log_entry *entry)
{
	(void)user, (void)entry;
	return TC_OK;
}

static void count_events(struct tally *tally, struct tc_ctx *ctx, struct tc_text text)
{
	const struct tc_decode_sink sink = {tally, on_event, on_meta, on_log};
	struct tc_decoder *decoder = NULL;

	demand(tc_decoder_new(&decoder, ctx, &sink) == TC_OK &&
			tc_decoder_feed(decoder, text.ptr, text.len) == TC_OK &&
			tc_decoder_finish(decoder, false) == TC_OK,
		"decoding failed");
	tc_decoder_free(decoder);
}

static void expect(sqlite3 *db, int64_t want, const char *sql)
{
	int64_t got = fuzz_number(db, sql);

	if (got == want)
		return;
	fprintf(stderr, "%s: %lld, not %lld\n", sql, (long long)got, (long long)want);
	demand(false, "an event vanished");
}

#define LOGGED(kinds) "(SELECT coalesce(sum(count), 0) FROM import_log WHERE kind IN (" kinds "))"

static void check_counts(sqlite3 *db, const struct tally *tally)
{
	expect(db, tally->events, "SELECT sum(event_count) FROM trace");
	expect(db, tally->slices + tally->begins, "SELECT count(*) FROM slice_row");
	expect(db, tally->slices + tally->ends,
		"SELECT count(*) + " LOGGED(
			"'unmatched_end', 'mismatched_end'") " FROM slice_row WHERE dur >= 0");
	expect(db, tally->instants, "SELECT count(*) FROM instant_row");
	expect(db, tally->memories, "SELECT count(*) FROM memory_sample");
	expect(db, tally->untimed,
		"SELECT " LOGGED("'bad_timestamp', 'missing_timestamp', 'bad_duration',"
				 " 'missing_duration'"));
	expect(db, tally->unused, "SELECT " LOGGED("'unused_phase'"));
	expect(db, tally->unknown, "SELECT " LOGGED("'unknown_phase'"));
	int64_t bad_ids = fuzz_number(db, "SELECT " LOGGED("'bad_id'"));
	demand(bad_ids >= tally->without_id && bad_ids <= tally->without_id + tally->flows,
		"an event without id vanished");
	demand(fuzz_number(db, "SELECT (SELECT count(*) FROM counter) + " LOGGED(
				       "'bad_counter'")) >= tally->counters,
		"a counter vanished");
}

static bool is_packed(struct tc_text text)
{
	return tc_text_starts(text, TC_TEXT("\x1f\x8b")) ||
	       tc_text_starts(text, TC_TEXT("\x28\xb5\x2f\xfd")) ||
	       tc_text_starts(text, TC_TEXT("SQLite format 3"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct tc_text text = {(const char *)data, size};
	struct tc_ctx *ctx = fuzz_begin(data, size);
	const char *const paths[] = {fuzz_path(0)};
	struct tc_store *store = NULL;
	struct tc_advice *advice = NULL;
	const struct tc_import_options options = {.inline_stages = true,
		.no_side_files = true,
		.settings = fuzz_chance(2) ? fuzz_settings(false) : NULL,
		.advice = &advice};
	struct tally tally = {0};

	if (!is_packed(text)) {
		fuzz_write(0, data, size);
		enum tc_status status = tc_import(&store, ctx, paths, 1, NULL, &options);
		demand(status == TC_OK || status == TC_ERR_INPUT, tc_ctx_error(ctx));
		tc_ctx_clear_error(ctx);
	}
	if (store) {
		count_events(&tally, ctx, text);
		check_counts(tc_store_db(store), &tally);
	}
	if (advice)
		fuzz_check_reports(ctx, store, advice, true);
	tc_advice_free(advice);
	tc_store_close(store);
	fuzz_end(ctx);
	return 0;
}
