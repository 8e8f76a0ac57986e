/* Decoder, model and writer in turns, on segments that are ready or on chunks; see pipeline.h. */
#include "import/pipeline.h"

#include "core/alloc.h"
#include "core/limits.h"
#include "decode/prefetch/prefetch.h"

struct pipeline {
	struct tc_ctx *ctx;
	const struct tc_pipeline_job *job;
	struct tc_model *model;
	struct tc_decoder *decoder;
};

static void report_progress(struct pipeline *p, int64_t read_bytes)
{
	const struct tc_progress progress = {
		.path = p->job->path,
		.read_bytes = read_bytes,
		.total_bytes = tc_source_total_bytes(p->job->source),
		.event_count = tc_decoder_event_count(p->decoder),
	};

	tc_ctx_progress(p->ctx, &progress);
}

static enum tc_status log_cut(struct pipeline *p)
{
	const struct tc_decode_sink sink = tc_model_sink(p->model);
	const struct tc_log_entry entry = {TC_LOG_SOURCE_CUT, tc_decoder_byte_count(p->decoder), 1,
		tc_text_from(tc_source_cut_reason(p->job->source))};

	return sink.log(sink.user, &entry);
}

/* After the last byte: the rest of the decoder, then what the model held back. What the decoder
 * still has to say depends on how the input came in parts, so the cut is told behind it. */
static enum tc_status end_of_input(struct pipeline *p)
{
	bool cut = tc_source_cut(p->job->source);
	enum tc_status status = tc_decoder_finish(p->decoder, cut);

	if (!status && cut)
		status = log_cut(p);
	return status ? status : tc_model_end_events(p->model);
}

/* Everything in turns, on this thread. */
static enum tc_status run_chunks(struct pipeline *p)
{
	char *chunk = tc_malloc(TC_CHUNK_BYTES);
	enum tc_status status = chunk ? TC_OK : tc_fail(p->ctx, TC_ERR_NOMEM, "no memory to read");
	size_t len = 1;

	while (!status && len > 0) {
		status = tc_source_read(p->job->source, chunk, TC_CHUNK_BYTES, &len);
		if (!status)
			status = tc_decoder_feed(p->decoder, chunk, len);
		report_progress(p, tc_source_read_bytes(p->job->source));
	}
	tc_free(chunk);
	return status;
}

static enum tc_status run_segments(struct pipeline *p, struct tc_prefetch *prefetch)
{
	const struct tc_prefetch_segment *next;
	enum tc_status status;

	while (!(status = tc_prefetch_next(prefetch, &next)) && next) {
		bool taken;
		status = tc_segment_feed(p->decoder, &next->segment, &taken);
		report_progress(p, next->read_bytes);
		tc_prefetch_done(prefetch, taken);
		if (status)
			break;
	}
	return status;
}

static enum tc_status run_threads(struct pipeline *p)
{
	struct tc_prefetch *prefetch = NULL;
	enum tc_status status = tc_prefetch_new(&prefetch, p->ctx, p->job->source, TC_CHUNK_BYTES);

	if (!status)
		status = run_segments(p, prefetch);
	tc_prefetch_free(prefetch);
	return status;
}

static enum tc_status run_stages(struct pipeline *p)
{
	enum tc_status status =
		tc_model_new(&p->model, p->ctx, p->job->ids, tc_writer_emit, p->job->writer);

	if (status)
		return status;
	const struct tc_decode_sink sink = tc_model_sink(p->model);
	status = tc_decoder_new(&p->decoder, p->ctx, &sink);
	if (!status)
		status = p->job->inline_stages ? run_chunks(p) : run_threads(p);
	return status ? status : end_of_input(p);
}

enum tc_status tc_pipeline_run(struct tc_model **model, struct tc_pipeline_result *result,
	struct tc_ctx *ctx, const struct tc_pipeline_job *job)
{
	struct pipeline p = {.ctx = ctx, .job = job};
	enum tc_status status = run_stages(&p);

	if (!status)
		*result = (struct tc_pipeline_result){
			.form = tc_decoder_form(p.decoder),
			.read_bytes = tc_decoder_byte_count(p.decoder),
			.event_count = tc_decoder_event_count(p.decoder),
			.list_count = tc_decoder_list_count(p.decoder),
		};
	tc_decoder_free(p.decoder);
	if (status)
		tc_model_free(p.model);
	else
		*model = p.model;
	return status;
}
