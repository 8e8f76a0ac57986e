/* The tables of a trace that have few rows: trace, trace_meta, process, thread, track, label, step
 * and the peaks of its device. */
#pragma once

#include <sqlite3.h>

#include "core/collections/strtab.h"
#include "decode/sink.h"
#include "model/output.h"
#include "model/tracks/tracks.h"

/* The members of the file beside its events, in its order. All zero but for strings.ctx is none. */
struct tc_metas {
	struct tc_strtab strings; /* the texts of rows */
	struct tc_meta {
		struct tc_text key, json;
	} * rows;
	size_t count, capacity;
	bool is_cut;
	int64_t steps_from_ns, steps_until_ns; /* when the steps of a cut begin */
	bool names_device;                     /* the name of a device says which one it is */
	const struct tc_hardware *hardware;    /* of the device; NULL: no known data sheet */
};

void tc_metas_add(struct tc_metas *metas, struct tc_text key, struct tc_text json);

/* Facts of the input that the model cannot know. */
struct tc_input_facts {
	const char *path;
	enum tc_form form;
	int64_t read_bytes, event_count;
};

/* A trace that is known whole. All borrowed. */
struct tc_trace {
	struct tc_ctx *ctx;
	sqlite3 *db;
	const struct tc_next_ids *first;
	const struct tc_input_facts *facts;
	const struct tc_metas *metas;
	const struct tc_tracks *tracks;
	const struct tc_timeline *timeline;
};

void tc_tables_write(const struct tc_trace *trace);
