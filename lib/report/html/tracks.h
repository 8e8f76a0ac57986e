/*
 * The tracks of a trace as a page shows them, from top to bottom: its steps, its critical path,
 * then for each device its idle time, collectives and lanes, then host threads, those that launch
 * device work first. Beside them run curves: the work queued on each device, memory in use, and the
 * trace's own counters.
 */
#pragma once

#include "core/buf.h"
#include "report/view/rows.h"

/* The pieces of gaps, placed one behind the other in the order in which their causes appear, since
 * a cause may come and go within a gap. Columns ts, dur, cause and device of trace ?1, and those of
 * the gap's row. */
#define TC_IDLE_SQL                                                                                \
	"SELECT gap_ts + coalesce(sum(dur) OVER (PARTITION BY device, gap_ts ORDER BY ts, cause"   \
	" ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS ts, dur, cause, device,"        \
	" gap_ts, gap_dur, host_slice_id, next_launch_slice_id, launch_delay_ns"                   \
	" FROM gap WHERE trace_id = ?1 AND gap_ts IS NOT NULL"

/* The name of a lane within its device, or of a thread, for rows t of track and p of process. */
#define TC_TRACK_NAME_SQL "coalesce(t.lane, t.name, p.name, '')"

/* The critical path, piece by piece: columns ts, dur, and where it runs, named as the page names
 * tracks. */
#define TC_PATH_SQL                                                                                \
	"SELECT c.ts, c.dur, CASE WHEN t.id IS NULL THEN c.piece WHEN t.device IS NULL "           \
	"THEN " TC_TRACK_NAME_SQL " ELSE 'device ' || t.device || ': ' || " TC_TRACK_NAME_SQL      \
	" END, NULL"                                                                               \
	" FROM critical_stretch c LEFT JOIN track t ON t.id = c.track_id"                          \
	" LEFT JOIN process p ON p.id = t.process_id WHERE c.trace_id = ?1 ORDER BY c.ts"

enum tc_page_track_kind {
	TC_TRACK_STEPS,
	TC_TRACK_PATH,
	TC_TRACK_IDLE,
	TC_TRACK_COLLECTIVE,
	TC_TRACK_LANE,
	TC_TRACK_HOST
};

struct tc_page_track {
	enum tc_page_track_kind kind;
	int64_t id;   /* track.id; -1 for steps and idle time */
	char *name;   /* name of a lane within its device, or of a thread; all strings are owned */
	char *device; /* of lanes and idle time; NULL on the host */
};

struct tc_page_tracks {
	struct tc_ctx *ctx;
	sqlite3 *db;
	int64_t trace_id;
	struct tc_page_track *all;
	size_t count, capacity;
	uint32_t *index_of; /* by track.id - first_id: index in all; UINT32_MAX: other traces */
	int64_t first_id;
	size_t id_count;
	int64_t first_slice, last_slice; /* slice.id of the first and the last of the trace */
	int64_t start_ns, end_ns;
};

/* Call tc_page_tracks_clear() afterwards, also after a failure. A trace without slices has no
 * tracks. */
void tc_page_tracks_load(
	struct tc_page_tracks *tracks, struct tc_ctx *ctx, sqlite3 *db, int64_t trace_id);
void tc_page_tracks_clear(struct tc_page_tracks *tracks);

/* Reads the slices of the trace in the order of their ids: columns id, ts, dur (see
 * tc_slice_dur()), track_id, label_id. */
struct tc_rows tc_page_tracks_slices(const struct tc_page_tracks *tracks);

/* The duration of a row of those slices; 0 for a slice without an end. */
static inline int64_t tc_slice_dur(const struct tc_rows *row)
{
	int64_t dur = tc_rows_int(row, 2);

	return dur > 0 ? dur : 0;
}

/* The index of a track by track.id; UINT32_MAX when the page does not show it. */
static inline uint32_t tc_page_tracks_find(const struct tc_page_tracks *tracks, int64_t id)
{
	if (id < tracks->first_id || (uint64_t)(id - tracks->first_id) >= tracks->id_count)
		return UINT32_MAX;
	return tracks->index_of[id - tracks->first_id];
}

/* The index of the only track of a kind, or of the idle time of a device; UINT32_MAX for none. */
uint32_t tc_tracks_find_kind(
	const struct tc_page_tracks *tracks, enum tc_page_track_kind kind, struct tc_text device);

/* ---- when the work of each device is launched and when it starts. The view queue_depth has the
 * same data but takes ten times as long, so this collects it while its caller reads the slices in
 * the order of their ids. */

/* The launch and start times of the work of a device. */
struct tc_queue {
	int64_t *launches, *starts;
	size_t count, launch_capacity, start_capacity;
};

struct tc_queues {
	struct tc_queue *all; /* by index of the track of a device's idle time */
	size_t count;
	uint32_t *queue_of;             /* by index of a track: index of all; UINT32_MAX: none */
	struct tc_rows links;           /* runs of slices that have a launch, ordered by id */
	int64_t first, last, launch_ns; /* the current run of links */
};

/* Call tc_queues_clear() afterwards, also after a failure. */
void tc_queues_open(struct tc_queues *queues, const struct tc_page_tracks *tracks);
/* Takes the next slice; ids ascend. False when memory is out. */
bool tc_queues_see(struct tc_queues *queues, int64_t id, int64_t ts, uint32_t track);
/* Call it after the last slice: sorts the times of each queue. */
void tc_queues_close(struct tc_queues *queues);
void tc_queues_clear(struct tc_queues *queues);

/* ---- counters. One keeps only as many points as a screen can show: the highest and the last
 * value of each piece of time. */

#define TC_COUNTER_PIECES 2000
#define TC_COUNTERS_MOST 24
#define TC_COUNTER_SCALE                                                                           \
	1000 /* values are written in thousandths where they are no whole numbers */

struct tc_counter_point {
	int64_t ts;
	double value; /* from ts on */
};

struct tc_counter {
	char *name; /* owned */
	bool is_bytes;
	struct tc_counter_point *points;
	size_t count, capacity;
};

struct tc_counters {
	struct tc_counter all[TC_COUNTERS_MOST];
	size_t count;
};

/* Loads all counters. `queues` are those of the slices of the trace; with_own adds the trace's own
 * counters. Call tc_counters_clear() afterwards, also after a failure. */
void tc_counters_load(struct tc_counters *counters, const struct tc_page_tracks *tracks,
	struct tc_queues *queues, bool with_own);
void tc_counters_clear(struct tc_counters *counters);
