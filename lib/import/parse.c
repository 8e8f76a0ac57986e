/* Decoder, model and writer in turns, on segments that are ready or on chunks; see parse.h. */
#include "import/parse.h"

#include "core/alloc.h"
#include "core/context.h"
#include "core/limits.h"
#include "decode/fast/prefetch.h"
#include "side/side.h"

struct parse {
	struct tc_ctx *ctx;
	const struct tc_parse_job *job;
	struct tc_source *source;
	struct tc_model *model;
	struct tc_decoder *decoder;
};

const char *tc_input_name(const char *path)
{
	return strcmp(path, "-") == 0 ? "standard input" : path;
}

static void report_progress(struct parse *p, int64_t read_bytes)
{
	const struct tc_progress progress = {
		.path = p->job->path,
		.read_bytes = read_bytes,
		.total_bytes = tc_source_total_bytes(p->source),
		.event_count = tc_decoder_event_count(p->decoder),
	};

	tc_ctx_progress(p->ctx, &progress);
}

static enum tc_status log_loss(struct parse *p, const struct tc_source_loss *loss)
{
	const struct tc_decode_sink sink = tc_model_sink(p->model);
	int64_t end = tc_decoder_byte_count(p->decoder);
	const struct tc_log_entry cut = {TC_LOG_SOURCE_CUT, end, loss->count,
					  tc_text_from(loss->reason)},
				  tail = {TC_LOG_TRAILING_GARBAGE, end, loss->tail_bytes,
					  TC_TEXT("behind the compressed data")};
	enum tc_status status = loss->count > 0 ? sink.log(sink.user, &cut) : TC_OK;

	return status || loss->tail_bytes == 0 ? status : sink.log(sink.user, &tail);
}

/* After the last byte: the rest of the decoder, then what the model held back. Which events
 * those are depends on how the input was split, so the loss is logged after them. */
static enum tc_status end_of_input(struct parse *p)
{
	const struct tc_source_loss loss = tc_source_loss(p->source);
	enum tc_status status = tc_decoder_finish(p->decoder, loss.is_at_end);

	if (!status)
		status = log_loss(p, &loss);
	return status ? status : tc_model_end_events(p->model);
}

/* Everything in turns, on this thread. */
static enum tc_status run_chunks(struct parse *p)
{
	char *chunk = tc_malloc(TC_CHUNK_BYTES);
	enum tc_status status = chunk ? TC_OK : tc_no_memory(p->ctx);
	size_t len = 1;

	while (!status && len > 0) {
		status = tc_source_read(p->source, chunk, TC_CHUNK_BYTES, &len);
		if (!status)
			status = tc_decoder_feed(p->decoder, chunk, len);
		report_progress(p, tc_source_read_bytes(p->source));
	}
	tc_free(chunk);
	return status;
}

static void on_segment(void *user, int64_t read_bytes, bool was_ahead)
{
	(void)was_ahead;
	report_progress(user, read_bytes);
}

/* Nodes of the companion have its labels by their numbers. */
static enum tc_status add_labels(struct tc_model *model, const struct tc_companion *companion)
{
	enum tc_status status = TC_OK;

	for (size_t i = 0; companion && i < companion->label_count && !status; i++)
		status = tc_model_add_label(model,
			tc_companion_text(companion, companion->labels[i].category),
			tc_companion_text(companion, companion->labels[i].name));
	return status;
}

static enum tc_status run_stages(struct parse *p)
{
	enum tc_status status =
		tc_model_new(&p->model, p->ctx, p->job->ids, p->job->take, p->job->take_user);

	if (status)
		return status;
	const struct tc_decode_sink sink = tc_model_sink(p->model);
	status = add_labels(p->model, p->job->companion);
	if (!status)
		status = tc_decoder_new(&p->decoder, p->ctx, &sink);
	if (!status)
		status = p->job->inline_stages ? run_chunks(p)
					       : tc_prefetch_feed(p->decoder, p->ctx, p->source,
							 TC_CHUNK_BYTES, on_segment, p);
	return status ? status : end_of_input(p);
}

/* An input without any events is an error that names it, not an empty trace. */
static enum tc_status check_events(const struct parse *p)
{
	const char *name = tc_input_name(p->job->path), *kind = tc_side_kind(p->job->path);
	int64_t read_bytes = tc_decoder_byte_count(p->decoder);
	struct tc_text loss = tc_model_loss(p->model);
	bool has_list = tc_decoder_list_count(p->decoder) > 0;

	if (tc_source_loss(p->source).count > 0)
		return tc_fail(p->ctx, TC_ERR_INPUT,
			"%s: damaged: %s, and no event could be read: copy it again", name,
			tc_source_loss(p->source).reason);
	if (kind && (!has_list || loss.len > 0))
		return tc_fail(p->ctx, TC_ERR_INPUT,
			"%s: no trace, but a side file (%s): give the trace, and this file with "
			"--with",
			name, kind);
	if (!has_list)
		return tc_fail(p->ctx, TC_ERR_INPUT,
			"%s: no trace events found in %lld byte%s: give a PyTorch or Chrome trace "
			"(JSON with \"traceEvents\", or a JSON array of events)",
			name, (long long)read_bytes, read_bytes == 1 ? "" : "s");
	if (loss.len > 0)
		return tc_fail(p->ctx, TC_ERR_INPUT,
			"%s: no event could be kept of its %lld bytes: %.*s", name,
			(long long)read_bytes, (int)loss.len, loss.ptr);
	return TC_OK;
}

static enum tc_status check_usable(const struct parse *p)
{
	const char *name = tc_input_name(p->job->path);
	struct tc_text loss = tc_model_loss(p->model);
	enum tc_status status = tc_decoder_event_count(p->decoder) == 0 ? check_events(p) : TC_OK;

	if (status)
		return status;
	if (p->job->strict && loss.len > 0)
		return tc_fail(p->ctx, TC_ERR_INPUT,
			"%s: parts of the trace are lost (%.*s), and --strict was given; without "
			"it the rest is analysed and the loss is reported",
			name, (int)loss.len, loss.ptr);
	return TC_OK;
}

enum tc_status tc_parse(struct tc_model **model, struct tc_input_facts *facts, struct tc_ctx *ctx,
	const struct tc_parse_job *job)
{
	struct parse p = {.ctx = ctx, .job = job};
	enum tc_status status = tc_source_open(&p.source, ctx, job->path);

	if (!status)
		status = run_stages(&p);
	if (!status)
		status = check_usable(&p);
	if (!status)
		*facts = (struct tc_input_facts){
			.path = job->path,
			.form = tc_decoder_form(p.decoder),
			.read_bytes = tc_decoder_byte_count(p.decoder),
			.event_count = tc_decoder_event_count(p.decoder),
		};
	tc_decoder_free(p.decoder);
	tc_source_close(p.source);
	if (status)
		tc_model_free(p.model);
	else
		*model = p.model;
	return status;
}
