/* Takes what the decoder reads: raw events by phase, what each letter of ph becomes; members of the
 * trace; lines of the log. */
#ifndef TC_MODEL_EVENTS_H
#define TC_MODEL_EVENTS_H

#include "decode/raw_event.h"
#include "decode/sink.h"
#include "model/flows/flows.h"
#include "model/slices/pairs.h"
#include "model/trace/metas.h"

/* Events without length: instants, values of counters, allocator events. */

/* All borrowed. */
struct tc_points {
	struct tc_import_log *log;
	struct tc_row_sink *sink;
	struct tc_tracks *tracks;
	struct tc_flows *flows;
};

/* Where events go. All borrowed. */
struct tc_events {
	struct tc_import_log *log;
	struct tc_metas *metas;
	struct tc_tracks *tracks;
	struct tc_labels *labels;
	struct tc_slice_args *args;
	struct tc_slices *slices;
	struct tc_pairs *pairs;
	struct tc_flows *flows;
	const struct tc_points *points;
};

/* events must stay where it is while the decoder runs. */
struct tc_decode_sink tc_events_sink(struct tc_events *events);

#endif
