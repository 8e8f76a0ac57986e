/*
 * For tests of the model: JSON text through decoder and model into an unsealed store, to be asked
 * with SQL. In the JSON of the tests ' stands for ", so that it can be read.
 */
#ifndef TC_TEST_MODEL_FIXTURE_H
#define TC_TEST_MODEL_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "decode/decode.h"
#include "model/model.h"
#include "store/writer.h"

struct model_run {
	struct tc_ctx *ctx;
	struct tc_writer *writer;
	struct tc_next_ids ids;
	struct tc_model *model;             /* of the last trace */
	const struct tc_timeline *timeline; /* of the last trace, NULL when it failed */
	sqlite3 *db;
};

static inline void model_run_drop_trace(struct model_run *run)
{
	tc_model_free(run->model);
	run->timeline = NULL;
	run->model = NULL;
}

static inline enum tc_status model_run_decode(struct model_run *run, struct tc_text json)
{
	struct tc_decode_sink sink = tc_model_sink(run->model);
	struct tc_decoder *decoder = NULL;
	enum tc_status status = tc_decoder_new(&decoder, run->ctx, &sink);

	if (!status)
		status = tc_decoder_feed(decoder, json.ptr, json.len);
	if (!status)
		status = tc_decoder_finish(decoder, false);
	tc_decoder_free(decoder);
	return status;
}

/* Adds a trace to the store of run, which is made when it is not there. */
static inline enum tc_status model_run_add(struct model_run *run, struct tc_text json)
{
	const struct tc_input_facts facts = {"t.json", TC_FORM_ARRAY, (int64_t)json.len, 1};
	enum tc_status status = TC_OK;

	model_run_drop_trace(run);
	if (!run->ctx)
		run->ctx = tc_ctx_new();
	if (!run->ctx)
		return TC_ERR_NOMEM;
	if (!run->writer) {
		status = tc_writer_open(&run->writer, run->ctx, NULL);
		if (status)
			return status;
		run->db = tc_writer_db(run->writer);
	}
	status = tc_model_new(
		&run->model, run->ctx, &run->ids, tc_writer_take_batch, run->writer, NULL);
	if (!status)
		status = model_run_decode(run, json);
	if (!status)
		status = tc_model_end_events(run->model, false);
	if (!status)
		status = tc_model_resolve(&run->timeline, run->model);
	if (!status)
		status = tc_model_emit_ties(run->model, tc_writer_take_batch, run->writer);
	if (!status)
		status = tc_writer_end_rows(run->writer);
	if (!status)
		tc_model_write_tables(run->model, run->db, &facts);
	if (!tc_ctx_failed(run->ctx))
		tc_model_write_log(run->model, run->db);
	return tc_ctx_status(run->ctx);
}

static inline void model_run_close(struct model_run *run)
{
	model_run_drop_trace(run);
	tc_writer_discard(run->writer);
	if (run->ctx)
		tc_ctx_free(run->ctx);
	*run = (struct model_run){0};
}

/* The events as JSON text: ' becomes ", brackets are added. The caller frees it. */
static inline char *model_json(const char *events)
{
	size_t len = strlen(events);
	char *json = malloc(len + 3);

	assert_non_null(json);
	json[0] = '[';
	for (size_t i = 0; i < len; i++)
		json[i + 1] = events[i];
	for (size_t i = 0; i <= len; i++)
		if (json[i] == '\'')
			json[i] = '"';
	json[len + 1] = ']';
	json[len + 2] = '\0';
	return json;
}

static inline void model_run_events(struct model_run *run, const char *events)
{
	char *json = model_json(events);
	enum tc_status status = model_run_add(run, tc_text_from(json));

	if (status)
		fail_msg("%s\n%s", tc_ctx_error(run->ctx), json);
	free(json);
}

/* Every row of a query, columns joined by "|", rows by ";", NULL as "-"; in a buffer of this
 * function. */
static inline const char *model_ask(sqlite3 *db, const char *sql)
{
	static char answer[8000];
	sqlite3_stmt *stmt;
	size_t used = 0;

	if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	answer[0] = '\0';
	while (sqlite3_step(stmt) == SQLITE_ROW) {
		for (int i = 0; i < sqlite3_column_count(stmt); i++) {
			const char *text = (const char *)sqlite3_column_text(stmt, i);
			used += (size_t)snprintf(answer + used, sizeof(answer) - used, "%s%s",
				i > 0      ? "|"
				: used > 0 ? ";"
					   : "",
				text ? text : "-");
			if (used >= sizeof(answer))
				fail_msg("answer too long: %s", sql);
		}
	}
	sqlite3_finalize(stmt);
	return answer;
}

static inline void model_expect(sqlite3 *db, const char *sql, const char *want)
{
	const char *got = model_ask(db, sql);

	if (strcmp(got, want) != 0)
		fail_msg("%s\ngot:  %s\nwant: %s", sql, got, want);
}

/* One trace, one question. */
static inline void model_check(const char *events, const char *sql, const char *want)
{
	struct model_run run = {0};

	model_run_events(&run, events);
	model_expect(run.db, sql, want);
	model_run_close(&run);
}

#define MODEL_STEP(n, ts, dur)                                                                     \
	"{'ph':'X','cat':'user_annotation','name':'ProfilerStep#" n "','pid':1,'tid':1,'ts':" ts   \
	",'dur':" dur "}"

/* Each operation with its call, how it was told, and its step. */
#define MODEL_LAUNCH_SQL                                                                           \
	"SELECT d.name, l.name, d.launch_method, s.number FROM device_op d LEFT JOIN slice l "     \
	"ON l.id = d.launch_slice_id LEFT JOIN step s ON s.id = d.step_id ORDER BY d.ts, d.name"

/* The log as "kind count" pairs by kind. */
#define MODEL_LOG_SQL "SELECT kind, sum(count) FROM import_log GROUP BY kind ORDER BY kind"

#endif
