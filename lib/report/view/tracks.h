/*
 * The tracks of a trace as a page shows them, from top to bottom: its steps, its critical path,
 * then for each device its idle time, collectives and lanes, then host threads, those that launch
 * device work first. Beside them run curves: the work queued on each device, memory in use, and the
 * trace's own counters.
 */
#pragma once

#include "core/buf.h"
#include "core/collections/strtab.h"
#include "store/sql.h"
#include "tracecoach/advice.h"

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
	struct tc_strtab devices;
	uint32_t *idle_of; /* by number of a device: index in all; its collectives come next */
	size_t idle_count, idle_capacity;
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

/* The index of the steps or the path, or of the idle time or the collectives of a device;
 * UINT32_MAX for none. */
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

/*
 * ---- places: where a timeline shows a finding best. Candidates are the slices with the name
 * in its first row of evidence. The best host slice is the one with most idle time of devices from
 * its start until they work again; the best device slice is the longest. If a finding has a gain
 * but no such slices, its place is the longest idle time with its cause (column "cause" of its
 * evidence), or with any cause.
 */

/* ---- the idle time of devices, from one pass over the gaps of a trace: how much of it
 * lies before any given time, and the longest piece with each cause. */

#define TC_IDLE_NAME 24

/* A gap of a device, and the idle time of the device before it. */
struct tc_idle_gap {
	int64_t ts, end, before_ns;
};

/* The longest piece with a cause. Of several equally long pieces it is the first, on the first
 * device. */
struct tc_idle_cause {
	char name[TC_IDLE_NAME];
	bool is_no_work; /* there was no work to do */
	int64_t ts, dur; /* dur 0: none was seen */
	uint32_t track;  /* the track of idle time, as an index in tc_page_tracks */
};

struct tc_idle {
	struct tc_idle_gap *gaps; /* by device and time, without gaps that have no work to do */
	size_t gap_count, gap_capacity;
	size_t *devices; /* where the gaps of each device begin */
	size_t device_count, device_capacity;
	struct tc_idle_cause *causes;
	size_t cause_count, cause_capacity;
};

/* Idle time of the device with an index, up to a time or to the end of the gap around that time. */
int64_t tc_idle_until(const struct tc_idle *idle, size_t device, int64_t time, bool to_end_of_gap);

/* The longest piece with a cause. An empty cause matches every cause except no_work. NULL for none.
 * */
const struct tc_idle_cause *tc_idle_longest(const struct tc_idle *idle, struct tc_text cause);

/* The labels of the subject ?1: those with exactly this name, else those with the longest name that
 * it starts with ("cudaMemcpyAsync in ProfilerStep#5"). */
#define TC_SUBJECT_LABELS_SQL                                                                      \
	"WITH name(name) AS (SELECT name FROM label WHERE length(name) > 2"                        \
	" AND substr(?1, 1, length(name)) = name ORDER BY length(name) DESC LIMIT 1)"              \
	" SELECT id FROM label WHERE name = (SELECT name FROM name)"

struct tc_place {
	const struct tc_finding *finding; /* borrowed */
	bool found;
	int64_t ts, dur; /* valid with found */
	int64_t cost_ns; /* idle time; 0 for device work */
	uint32_t track;  /* index of its track */
};

/* A label whose slices count for a place. */
struct tc_place_label {
	uint32_t place, next; /* next: index + 1 of the next one of the same label, 0 for none */
};

struct tc_places {
	struct tc_place *all;
	size_t count;
	struct tc_place_label *labels;
	size_t label_count, label_capacity;
	uint32_t *first; /* by label.id: index + 1 in labels, 0 for none */
	size_t first_count;
	struct tc_idle idle;
};

/* Takes the findings of the trace. Call tc_places_clear() afterwards, also after a failure. */
void tc_places_init(struct tc_places *places, const struct tc_page_tracks *tracks,
	const struct tc_advice *advice);
void tc_places_clear(struct tc_places *places);

/* Offers a slice of the trace to the places whose labels start at `at`. A place keeps the slice
 * with the highest cost; of equal ones the longest, then the first. */
void tc_places_weigh(struct tc_places *places, uint32_t at, struct tc_place slice, bool is_host);

static inline void tc_places_see(struct tc_places *places, int64_t label_id, int64_t ts,
	int64_t dur, uint32_t track, bool is_host)
{
	uint32_t at = (uint64_t)label_id < places->first_count ? places->first[label_id] : 0;

	if (at > 0)
		tc_places_weigh(places, at, (struct tc_place){.ts = ts, .dur = dur, .track = track},
			is_host);
}

/* Slices that are merged start in the same piece of time, which is so many times least_ns long. */
#define TC_ITEM_PIECE 4

/* ---- A first pass over all slices of a trace: it decides from their durations which slices to
 * merge, finds the places, and opens and fills the queues. */

/* Chooses *least_ns: merging slices shorter than that leaves about `budget` items; 0 means that no
 * slice must be merged. */
void tc_survey(int64_t *least_ns, struct tc_places *places, struct tc_queues *queues,
	const struct tc_page_tracks *tracks, size_t budget);

/* The place of the first finding of the trace in `advice`, from such a pass of its own. */
struct tc_place tc_place_find(const struct tc_page_tracks *tracks, const struct tc_advice *advice);

/*
 * ---- items.c: the items of a page: slices, steps and idle time of a trace on the rows of tracks.
 * When there are too many slices, short ones are merged: those on one row that start in the same
 * piece of time become one item, which has their count. Slices within windows, which a reader will
 * look at closely, are not merged.
 */

#define TC_ITEM_ROWS 64 /* of a track; deeper slices are drawn over the last row */

struct tc_item {
	int64_t ts, dur;
	int64_t id,
		longest_ns; /* of merged ones the longest: its slice.id; -1 when it is no slice */
	uint32_t label;     /* its label.id; or tc_items.label_base and an index of names */
	uint32_t count;     /* slices in it */
	uint32_t track;     /* index of its track */
	uint32_t row;       /* of the track */
	uint32_t launcher;  /* idle time: track of the call that launched the next work; 0: none */
	int64_t late_rank;  /* the rank that it waits for; valid with is_wait */
	bool is_wait;
};

struct tc_window {
	int64_t begin, end;
};

struct tc_items {
	struct tc_item
		*all; /* by track, row and time; in a row, none overlaps the next but the last */
	size_t count, capacity;
	uint32_t label_base;
	char **names; /* of items that are not slices; owned */
	size_t name_count, name_capacity;
};

/* Which slices to merge. */
struct tc_item_options {
	int64_t least_ns; /* merges slices shorter than this; 0 merges none */
	size_t most;      /* limit on items: least_ns is doubled until they fit */
	const struct tc_window *windows;
	size_t window_count;
};

/* Call tc_items_clear() afterwards, also after a failure. options->least_ns becomes the value used.
 * */
void tc_items_load(struct tc_items *items, const struct tc_page_tracks *tracks,
	struct tc_item_options *options);
void tc_items_clear(struct tc_items *items);
