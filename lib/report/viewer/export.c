/* See tracecoach/export.h. Copies the trace piece by piece and inserts our events at one place. */
#include "tracecoach/export.h"

#include "core/alloc.h"
#include "core/limits.h"
#include "report/view/rows.h"
#include "report/viewer/emit.h"
#include "report/viewer/events.h"
#include "report/viewer/splice.h"
#include "source/deflate.h"
#include "source/source.h"
#include "store/connection.h"

struct tc_export {
	struct tc_ctx *ctx;
	struct tc_source *source;
	struct tc_splice splice;
	char piece[TC_CHUNK_BYTES];
};

/* The state of a copy. */
struct copy {
	struct tc_export *trace;
	sqlite3 *db;
	const struct tc_advice *advice;
	struct tc_viewer_options options;
	bool is_lines; /* the trace has an event a line */
	tc_write_fn write;
	void *user;
	struct tc_deflate *gzip; /* NULL: as it is */
};

enum tc_status tc_export_open(struct tc_export **out, struct tc_ctx *ctx, const char *path)
{
	struct tc_export *trace = tc_calloc(1, sizeof(*trace));

	if (!trace)
		return tc_no_memory(ctx);
	trace->ctx = ctx;
	enum tc_status status = tc_source_open_regular(&trace->source, ctx, path);
	if (status)
		tc_free(trace);
	else
		*out = trace;
	return status;
}

void tc_export_close(struct tc_export *trace)
{
	if (!trace)
		return;
	tc_source_close(trace->source);
	tc_free(trace);
}

/* A tc_write_fn; user is the copy. */
static int write_out(void *user, const char *bytes, size_t len)
{
	struct copy *copy = user;

	return copy->gzip ? tc_deflate_write(copy->gzip, bytes, len, false)
			  : copy->write(copy->user, bytes, len);
}

static void put_bytes(struct copy *copy, const char *bytes, size_t len)
{
	struct tc_ctx *ctx = copy->trace->ctx;

	if (len > 0 && !tc_ctx_failed(ctx) && write_out(copy, bytes, len))
		tc_fail(ctx, TC_ERR_IO, "cannot write the trace: its reader stopped");
}

/* Writes our events, and a comma if an event of the trace follows. A trace with an event a line
 * needs none. */
static void put_events(struct copy *copy)
{
	const struct tc_splice *splice = &copy->trace->splice;
	struct tc_ctx *ctx = copy->trace->ctx;
	struct tc_sink sink;
	struct tc_emit_json json;
	struct tc_emit emit = {.ctx = ctx, .form = &tc_emit_json_form, .to = &json};

	tc_sink_init(&sink, write_out, copy);
	sink.ctx = ctx;
	tc_emit_json_init(&json, &sink, copy->is_lines);
	tc_viewer_put_events(&emit, copy->db, copy->advice, &copy->options);
	if (splice->next != ']' && splice->next != '\0' && !copy->is_lines)
		tc_sink_put(&sink, ",");
	tc_sink_put(&sink, "\n");
	tc_sink_close(&sink, ctx);
}

static void put_piece(struct copy *copy, size_t len)
{
	struct tc_export *trace = copy->trace;
	size_t before = 0;

	if (!trace->splice.found) {
		before = tc_splice_scan(&trace->splice, trace->piece, len);
		put_bytes(copy, trace->piece, before);
		if (trace->splice.found)
			put_events(copy);
	}
	put_bytes(copy, trace->piece + before, len - before);
}

static void end_copy(struct copy *copy)
{
	struct tc_splice *splice = &copy->trace->splice;

	if (splice->found || tc_ctx_failed(copy->trace->ctx))
		return;
	tc_splice_end(splice);
	if (splice->found)
		put_events(copy);
	else
		tc_fail(copy->trace->ctx, TC_ERR_INPUT,
			"cannot add to the trace: the start of its events is damaged, so there is "
			"no place for others: open the trace itself, or write a page with "
			"--format html");
}

static void copy_all(struct copy *copy)
{
	struct tc_export *trace = copy->trace;
	size_t len = 1;

	tc_splice_init(&trace->splice, copy->is_lines);
	while (len > 0 && !tc_ctx_failed(trace->ctx)) {
		if (tc_ctx_interrupted(trace->ctx))
			tc_fail(trace->ctx, TC_ERR_INTERRUPTED, "interrupted");
		else if (tc_source_read(trace->source, trace->piece, sizeof(trace->piece), &len) ==
			 TC_OK)
			put_piece(copy, len);
	}
	end_copy(copy);
}

static void find_trace(struct copy *copy)
{
	struct tc_rows rows = tc_rows_open(copy->trace->ctx, copy->db,
		"SELECT id, form = 'lines' FROM trace ORDER BY id LIMIT 1");

	if (tc_rows_next(&rows)) {
		copy->options.trace_id = tc_rows_int(&rows, 0);
		copy->is_lines = tc_rows_int(&rows, 1) != 0;
	}
	tc_rows_close(&rows);
}

enum tc_status tc_export_write(struct tc_export *trace, struct tc_store *store,
	const struct tc_advice *advice, const struct tc_export_options *options, tc_write_fn write,
	void *user)
{
	struct copy copy = {.trace = trace,
		.db = tc_store_db(store),
		.advice = advice,
		.options = {.least_gap_ns = options->least_gap_ns},
		.write = write,
		.user = user};

	find_trace(&copy);
	if (options->gzip && !tc_ctx_failed(trace->ctx))
		tc_deflate_new(&copy.gzip, trace->ctx, write, user);
	if (options->as_perfetto)
		tc_perfetto_write(trace->ctx, copy.db, advice, &copy.options, write_out, &copy);
	else
		copy_all(&copy);
	if (copy.gzip && !tc_ctx_failed(trace->ctx) && tc_deflate_write(copy.gzip, NULL, 0, true))
		tc_fail(trace->ctx, TC_ERR_IO, "cannot write the trace: its reader stopped");
	tc_deflate_free(copy.gzip);
	return tc_ctx_status(trace->ctx);
}
