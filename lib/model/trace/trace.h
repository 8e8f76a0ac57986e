/* A trace that is known whole: what its small tables are made of. */
#ifndef TC_MODEL_TRACE_TRACE_H
#define TC_MODEL_TRACE_TRACE_H

#include <sqlite3.h>

#include "decode/sink.h"
#include "model/row_sink.h"
#include "model/trace/metas.h"
#include "model/tracks/tracks.h"

/* Facts of the input that the model cannot know. */
struct tc_input_facts {
	const char *path;
	enum tc_form form;
	int64_t read_bytes, event_count;
};

/* All borrowed. */
struct tc_trace {
	struct tc_ctx *ctx;
	sqlite3 *db;
	const struct tc_next_ids *first;
	const struct tc_input_facts *facts;
	const struct tc_metas *metas;
	const struct tc_tracks *tracks;
	const struct tc_timeline *timeline;
};

#endif
