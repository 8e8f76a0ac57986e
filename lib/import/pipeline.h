/*
 * Pipeline: the bytes of one source through decoder and model into the writer, in turns on the
 * caller's thread. Helper threads read the source and decode it ahead
 * (decode/prefetch/prefetch.h); inline there are none, and the same rows come in the same order.
 */
#ifndef TC_IMPORT_PIPELINE_H
#define TC_IMPORT_PIPELINE_H

#include <stdbool.h>

#include "decode/decode.h"
#include "model/model.h"
#include "source/source.h"
#include "store/writer.h"

/* What a run needs; everything is borrowed. */
struct tc_pipeline_job {
	struct tc_source *source;
	const char *path; /* of the source, for progress */
	struct tc_writer *writer;
	struct tc_next_ids *ids;
	bool inline_stages;
};

/* What came through. */
struct tc_pipeline_result {
	enum tc_form form;
	int64_t read_bytes; /* decompressed */
	int64_t event_count, list_count;
};

/*
 * Imports everything the job's source gives. *model is made for the trace and is the caller's, to
 * be finished; *result tells what was seen. On failure nothing is left to free.
 */
enum tc_status tc_pipeline_run(struct tc_model **model, struct tc_pipeline_result *result,
	struct tc_ctx *ctx, const struct tc_pipeline_job *job);

#endif
