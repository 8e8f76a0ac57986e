/* Three stages and the queues between them; see pipeline.h. */
#include "import/pipeline.h"

#include <pthread.h>
#include <stdatomic.h>

#include "core/alloc.h"
#include "core/limits.h"
#include "core/queue.h"

enum {
	CHUNK_COUNT = 4, /* one being read, one being decoded, two between them */
	BATCH_COUNT = 4,
};

struct chunk {
	size_t len;
	char bytes[TC_CHUNK_BYTES];
};

struct pipeline {
	struct tc_ctx *ctx;
	const struct tc_pipeline_job *job;
	struct tc_model *model;
	struct tc_decoder *decoder;
	struct tc_queue *free_chunks, *full_chunks;   /* NULL without a reading thread */
	struct tc_queue *free_batches, *full_batches; /* NULL inline */
	atomic_llong event_count;                     /* for the progress that the reader reports */
	enum tc_status read_status; /* of the reading thread, valid after its join */
	enum tc_status decode_status;
};

static void report_progress(struct pipeline *p)
{
	const struct tc_progress progress = {
		.path = p->job->path,
		.read_bytes = tc_source_read_bytes(p->job->source),
		.total_bytes = tc_source_total_bytes(p->job->source),
		.event_count = atomic_load_explicit(&p->event_count, memory_order_relaxed),
	};

	tc_ctx_progress(p->ctx, &progress);
}

/* Fills a chunk; len 0 at the end. */
static enum tc_status read_chunk(struct pipeline *p, struct chunk *chunk)
{
	if (tc_ctx_interrupted(p->ctx))
		return tc_fail(p->ctx, TC_ERR_INTERRUPTED, "interrupted");
	enum tc_status status =
		tc_source_read(p->job->source, chunk->bytes, sizeof(chunk->bytes), &chunk->len);
	report_progress(p);
	return status;
}

static enum tc_status decode_chunk(struct pipeline *p, const struct chunk *chunk)
{
	enum tc_status status = tc_decoder_feed(p->decoder, chunk->bytes, chunk->len);

	atomic_store_explicit(
		&p->event_count, tc_decoder_event_count(p->decoder), memory_order_relaxed);
	return status;
}

/* After the last byte: the rest of the decoder, then what the model held back. */
static enum tc_status end_of_input(struct pipeline *p)
{
	const struct tc_decode_sink sink = tc_model_sink(p->model);
	enum tc_status status = TC_OK;
	bool cut = tc_source_cut(p->job->source);

	if (cut) {
		const struct tc_log_entry entry = {TC_LOG_SOURCE_CUT,
			tc_decoder_byte_count(p->decoder), 1,
			tc_text_from(tc_source_cut_reason(p->job->source))};
		status = sink.log(sink.user, &entry);
	}
	if (!status)
		status = tc_decoder_finish(p->decoder, cut);
	return status ? status : tc_model_end_events(p->model);
}

/* Into the timeline and the store. */
static enum tc_status put_batch(struct pipeline *p, struct tc_batch *batch)
{
	enum tc_status status = tc_model_route(p->model, batch);

	if (!status)
		status = tc_writer_put(p->job->writer, batch);
	tc_batch_reset(batch);
	return status;
}

/* Inline: the batch is written at once and used again. */
static enum tc_status emit_inline(void *user, struct tc_batch **batch)
{
	struct pipeline *p = user;

	if (!*batch) {
		*batch = tc_batch_new();
		return *batch ? TC_OK : tc_fail(p->ctx, TC_ERR_NOMEM, "no memory for a batch");
	}
	return put_batch(p, *batch);
}

/* Threaded: the batch goes to the writer, an empty one comes back. A closed queue means that the
 * writer has failed, which is in the context. */
static enum tc_status emit_queued(void *user, struct tc_batch **batch)
{
	struct pipeline *p = user;

	if (*batch && !tc_queue_put(p->full_batches, *batch))
		return tc_ctx_status(p->ctx);
	*batch = tc_queue_take(p->free_batches);
	return *batch ? TC_OK : tc_ctx_status(p->ctx);
}

static void *reader_thread(void *user)
{
	struct pipeline *p = user;
	struct chunk *chunk;

	p->read_status = TC_OK;
	while (!p->read_status && (chunk = tc_queue_take(p->free_chunks))) {
		p->read_status = read_chunk(p, chunk);
		if (p->read_status || chunk->len == 0 || !tc_queue_put(p->full_chunks, chunk)) {
			tc_free(chunk);
			break;
		}
	}
	tc_queue_close(p->full_chunks);
	return NULL;
}

/* Chunks that the reading thread has filled. */
static enum tc_status decode_queued(struct pipeline *p)
{
	enum tc_status status = TC_OK;
	struct chunk *chunk;

	while (!status && (chunk = tc_queue_take(p->full_chunks))) {
		status = decode_chunk(p, chunk);
		if (!tc_queue_put(p->free_chunks, chunk))
			tc_free(chunk);
	}
	tc_queue_close(p->free_chunks);
	tc_queue_close(p->full_chunks);
	/* Without a failure here it was the reader that closed the queue, after its verdict. */
	return status ? status : p->read_status;
}

/* Reading and decoding in turns. */
static enum tc_status decode_unread(struct pipeline *p)
{
	struct chunk *chunk = tc_malloc(sizeof(*chunk));
	enum tc_status status = chunk ? TC_OK : tc_fail(p->ctx, TC_ERR_NOMEM, "no memory to read");

	while (!status) {
		status = read_chunk(p, chunk);
		if (status || chunk->len == 0)
			break;
		status = decode_chunk(p, chunk);
	}
	tc_free(chunk);
	return status;
}

static void *decoder_thread(void *user)
{
	struct pipeline *p = user;

	p->decode_status = p->full_chunks ? decode_queued(p) : decode_unread(p);
	if (!p->decode_status)
		p->decode_status = end_of_input(p);
	tc_queue_close(p->full_batches);
	return NULL;
}

/* The caller's thread: writes batches until the decoder closes the queue. */
static enum tc_status write_batches(struct pipeline *p)
{
	enum tc_status status = TC_OK;
	struct tc_batch *batch;

	while (!status && (batch = tc_queue_take(p->full_batches))) {
		status = put_batch(p, batch);
		if (!tc_queue_put(p->free_batches, batch))
			tc_batch_free(batch);
	}
	/* After a failure the decoder must not wait for us. */
	tc_queue_close(p->full_batches);
	tc_queue_close(p->free_batches);
	return status;
}

static void drain_queues(struct pipeline *p)
{
	struct tc_queue *chunks[] = {p->free_chunks, p->full_chunks};
	struct tc_queue *batches[] = {p->free_batches, p->full_batches};
	void *item;

	for (size_t i = 0; i < 2; i++) {
		while (chunks[i] && (item = tc_queue_try_take(chunks[i])))
			tc_free(item);
		while (batches[i] && (item = tc_queue_try_take(batches[i])))
			tc_batch_free(item);
		tc_queue_free(chunks[i]);
		tc_queue_free(batches[i]);
	}
}

static enum tc_status make_chunks(struct pipeline *p)
{
	p->free_chunks = tc_queue_new(CHUNK_COUNT);
	p->full_chunks = tc_queue_new(CHUNK_COUNT);
	if (!p->free_chunks || !p->full_chunks)
		return tc_fail(p->ctx, TC_ERR_NOMEM, "no memory for the stages");
	for (size_t i = 0; i < CHUNK_COUNT; i++) {
		struct chunk *chunk = tc_malloc(sizeof(*chunk));
		if (!chunk)
			return tc_fail(p->ctx, TC_ERR_NOMEM, "no memory to read");
		tc_queue_put(p->free_chunks, chunk);
	}
	return TC_OK;
}

static enum tc_status make_batches(struct pipeline *p)
{
	p->free_batches = tc_queue_new(BATCH_COUNT);
	p->full_batches = tc_queue_new(BATCH_COUNT);
	if (!p->free_batches || !p->full_batches)
		return tc_fail(p->ctx, TC_ERR_NOMEM, "no memory for the stages");
	for (size_t i = 0; i < BATCH_COUNT; i++) {
		struct tc_batch *batch = tc_batch_new();
		if (!batch)
			return tc_fail(p->ctx, TC_ERR_NOMEM, "no memory for a batch");
		tc_queue_put(p->free_batches, batch);
	}
	return TC_OK;
}

static enum tc_status start_thread(struct pipeline *p, pthread_t *thread, void *(*run)(void *user))
{
	if (pthread_create(thread, NULL, run, p))
		return tc_fail(p->ctx, TC_ERR_NOMEM, "cannot start a thread");
	return TC_OK;
}

static enum tc_status run_decoder(struct pipeline *p)
{
	pthread_t decoder;
	enum tc_status status = start_thread(p, &decoder, decoder_thread);

	if (status)
		return status;
	status = write_batches(p);
	pthread_join(decoder, NULL);
	return status ? status : p->decode_status;
}

static enum tc_status run_threads(struct pipeline *p)
{
	pthread_t reader;
	enum tc_status status = TC_OK;

	if (!p->full_chunks)
		return run_decoder(p);
	status = start_thread(p, &reader, reader_thread);
	if (status)
		return status;
	status = run_decoder(p);
	/* Without a decoder nobody else would end the reader. */
	tc_queue_close(p->free_chunks);
	tc_queue_close(p->full_chunks);
	pthread_join(reader, NULL);
	return status ? status : p->read_status;
}

static enum tc_status run_inline(struct pipeline *p)
{
	enum tc_status status = decode_unread(p);

	return status ? status : end_of_input(p);
}

static enum tc_status run_stages(struct pipeline *p)
{
	bool inline_stages = p->job->inline_stages;
	struct tc_decode_sink sink;
	enum tc_status status = inline_stages ? TC_OK : make_batches(p);

	if (!status && !inline_stages && !tc_source_is_plain_file(p->job->source))
		status = make_chunks(p);
	if (!status)
		status = tc_model_new(&p->model, p->ctx, p->job->ids,
			inline_stages ? emit_inline : emit_queued, p);
	if (status)
		return status;
	sink = tc_model_sink(p->model);
	status = tc_decoder_new(&p->decoder, p->ctx, &sink);
	if (status)
		return status;
	return inline_stages ? run_inline(p) : run_threads(p);
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
	drain_queues(&p);
	if (status)
		tc_model_free(p.model);
	else
		*model = p.model;
	return status;
}
