/* The passes over a trace; see tracecoach/cut.h. */
#include "tracecoach/cut.h"

#include "core/alloc.h"
#include "core/array.h"
#include "core/limits.h"
#include "cut/parts.h"
#include "decode/decode.h"
#include "decode/json/json_text.h"
#include "model/trace/metas.h"
#include "report/view/rows.h"
#include "source/source.h"
#include "store/connection.h"

struct cut {
	struct tc_ctx *ctx;
	struct tc_buf path;
	struct tc_choice choice;
	struct tc_trace_writer writer;
	int64_t event_count;
};

static enum tc_status see_event(void *user, const struct tc_raw_event *event)
{
	struct cut *cut = user;

	return tc_choice_see(&cut->choice, event);
}

static enum tc_status skip_member(void *user, struct tc_text key, struct tc_text json)
{
	(void)user;
	(void)key;
	(void)json;
	return TC_OK;
}

/* The import has the log of this file. */
static enum tc_status skip_log(void *user, const struct tc_log_entry *entry)
{
	(void)user;
	(void)entry;
	return TC_OK;
}

static enum tc_status copy_event(void *user, const struct tc_raw_event *event)
{
	struct cut *cut = user;

	cut->event_count++;
	return tc_choice_wants(&cut->choice, event)
		       ? tc_trace_writer_event(&cut->writer, event->raw)
		       : TC_OK;
}

/* A cut of a cut is one of that file. */
static enum tc_status copy_member(void *user, struct tc_text key, struct tc_text json)
{
	struct cut *cut = user;

	return tc_text_equal(key, TC_TEXT(TC_CUT_MEMBER))
		       ? TC_OK
		       : tc_trace_writer_member(&cut->writer, key, json);
}

/* The mark by which a report knows that the trace is part of another:
 * {"of":"run.json","part":"steps 3-5"}. */
static enum tc_status write_mark(struct cut *cut, const struct tc_cut_options *options)
{
	const struct {
		const char *what, *value;
	} parts[] = {{"steps ", options->steps}, {"time ", options->time},
		{"the place of ", options->finding}, {"device ", options->device}};
	const char *path = tc_buf_string(&cut->path), *slash = strrchr(path, '/');
	struct tc_buf json = TC_BUF_EMPTY, part = TC_BUF_EMPTY;
	enum tc_status status = TC_OK;

	for (size_t i = 0; i < TC_COUNT_OF(parts); i++)
		if (parts[i].value)
			tc_buf_format(&part, "%s%s", parts[i].what, parts[i].value);
	tc_buf_append_string(&json, "{\"of\":");
	tc_json_append_string(&json, tc_text_from(slash ? slash + 1 : path));
	tc_buf_append_string(&json, ",\"part\":");
	tc_json_append_string(&json, tc_buf_text(&part));
	tc_buf_append_char(&json, '}');
	if (tc_buf_failed(&json) || tc_buf_failed(&part))
		status = tc_no_memory(cut->ctx);
	if (!status)
		status = tc_trace_writer_member(
			&cut->writer, TC_TEXT(TC_CUT_MEMBER), tc_buf_text(&json));
	tc_buf_clear(&json);
	tc_buf_clear(&part);
	return status;
}

static enum tc_status decode(struct cut *cut, struct tc_source *source, struct tc_decoder *decoder)
{
	char *chunk = tc_malloc(TC_CHUNK_BYTES);
	enum tc_status status = chunk ? TC_OK : tc_no_memory(cut->ctx);
	size_t len = 1;

	while (!status && len > 0) {
		status = tc_source_read(source, chunk, TC_CHUNK_BYTES, &len);
		if (!status)
			status = tc_decoder_feed(decoder, chunk, len);
	}
	tc_free(chunk);
	return status ? status : tc_decoder_finish(decoder, tc_source_loss(source).is_at_end);
}

/* Reads the whole file once. */
static enum tc_status pass(struct cut *cut, const struct tc_decode_sink *sink)
{
	struct tc_source *source = NULL;
	struct tc_decoder *decoder = NULL;
	enum tc_status status =
		tc_source_open_regular(&source, cut->ctx, tc_buf_string(&cut->path));

	if (!status)
		status = tc_decoder_new(&decoder, cut->ctx, sink);
	if (!status)
		status = decode(cut, source, decoder);
	tc_decoder_free(decoder);
	tc_source_close(source);
	return status;
}

static enum tc_status find_path(struct cut *cut, sqlite3 *db)
{
	struct tc_rows row = tc_rows_open(cut->ctx, db, "SELECT path FROM trace");

	if (tc_rows_next(&row))
		tc_buf_append_text(&cut->path, tc_rows_text(&row, 0));
	if (tc_rows_next(&row))
		tc_fail(cut->ctx, TC_ERR_USAGE,
			"a cut is of one trace, and there are several: name one");
	tc_rows_close(&row);
	if (!tc_buf_string(&cut->path))
		tc_no_memory(cut->ctx);
	return tc_ctx_status(cut->ctx);
}

static enum tc_status choose(struct cut *cut, sqlite3 *db, const struct tc_cut_options *options)
{
	const struct tc_decode_sink sink = {cut, see_event, skip_member, skip_log};
	enum tc_status status = find_path(cut, db);

	cut->choice.has_device = options->device != NULL;
	if (!status && options->device)
		status = tc_device_part_load(&cut->choice.device, cut->ctx, db, options->device);
	else if (!status)
		status = tc_range_find(&cut->choice.range, cut->ctx, db, options);
	if (!status)
		status = pass(cut, &sink);
	return status ? status : tc_choice_decide(&cut->choice);
}

static enum tc_status copy(
	struct cut *cut, const struct tc_cut_options *options, tc_write_fn write, void *user)
{
	const struct tc_decode_sink sink = {cut, copy_event, copy_member, skip_log};
	enum tc_status status =
		tc_trace_writer_init(&cut->writer, cut->ctx, write, user, options->gzip);

	if (!status)
		status = write_mark(cut, options);
	if (!status)
		status = pass(cut, &sink);
	return status ? status : tc_trace_writer_finish(&cut->writer);
}

enum tc_status tc_cut(struct tc_cut_counts *counts, struct tc_ctx *ctx, struct tc_store *store,
	const struct tc_cut_options *options, tc_write_fn write, void *user)
{
	struct cut cut = {.ctx = ctx, .choice.ctx = ctx};
	enum tc_status status = tc_cut_check(ctx, options);

	if (!status)
		status = choose(&cut, tc_store_db(store), options);
	if (!status)
		status = copy(&cut, options, write, user);
	if (!status)
		*counts = (struct tc_cut_counts){cut.event_count, cut.writer.event_count};
	tc_trace_writer_clear(&cut.writer);
	tc_choice_clear(&cut.choice);
	tc_buf_clear(&cut.path);
	return status;
}
