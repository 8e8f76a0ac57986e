/* Metadata events: names, labels and sort indexes of processes and threads. */
#ifndef TC_MODEL_TRACKS_METADATA_H
#define TC_MODEL_TRACKS_METADATA_H

#include "model/import_log.h"
#include "model/tracks/tracks.h"

/* Metadata may come anywhere, more than once (the last one counts), and without a ts. */
enum tc_status tc_metadata_take(
	struct tc_tracks *tracks, struct tc_import_log *log, const struct tc_raw_event *event);

#endif
