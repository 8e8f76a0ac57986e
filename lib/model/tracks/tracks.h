/*
 * Processes, threads and tracks of one trace while it is imported. Ids may be any scalar. Metadata
 * may come before or after the events it names, so tc_tracks_resolve() decides at the end which
 * tracks are lanes. Failures are in the context.
 */
#pragma once

#include "core/buf.h"
#include "core/limits.h"
#include "decode/raw_event.h"
#include "model/timeline/timeline.h"

#define TC_INDEX_NONE UINT32_MAX

/* An id of the file: a number, or a text that is no number. */
struct tc_ident {
	bool is_text;
	int64_t number; /* of strings in tc_tracks.strings when is_text */
};

struct tc_process_row {
	struct tc_ident pid;
	uint32_t name, labels; /* strings, or TC_STRTAB_NONE */
	bool has_sort_index;
	int64_t sort_index;
	uint32_t device;  /* string of the first args.device seen on its device work */
	uint32_t rank;    /* string of the label of its rank in a merged trace: "[TP01]" of the pid
			    "[TP01] 900"; TC_STRTAB_NONE for none */
	bool has_devices; /* resolved: its work names several devices */
	bool has_host_name; /* resolved: a process of this name has host slices */
	bool is_gaudi;      /* resolved: its threads are lanes of a Gaudi */
	bool has_slices;    /* resolved: there are some on its tracks */
};

struct tc_thread_row {
	uint32_t process;
	struct tc_ident tid;
	uint32_t name;
	bool has_sort_index;
	int64_t sort_index;
	uint32_t track;        /* first track */
	uint32_t device_track; /* track of its latest device work; before that its first track */
	uint32_t host_thread;  /* resolved: thread row of the operating-system thread it records */
	int32_t host_number;   /* resolved: dense number of that thread, -1 for lanes */
};

struct tc_track_row {
	enum tc_track_kind kind;
	uint32_t process, thread; /* rows; thread TC_INDEX_NONE for async tracks */
	uint32_t device;          /* string: args.device of its device work, or TC_STRTAB_NONE */
	bool has_device_work;     /* has slices of a category that only devices have */
	bool has_private_work;    /* some of them are device work by their args alone: work of every
				     kind */
	bool has_device_note;     /* has notes that profilers draw on lanes of a device */
	bool has_host_slice;      /* has slices of a category that only host threads have */
	bool has_correlation;     /* one of its slices has a correlation id */
	bool has_flow_end;        /* has a step or an end of a flow */
	uint32_t name;            /* async: string */
	int64_t slice_count, other_count;
	int64_t first_slice_id, last_slice_id; /* valid with slice_count */
	enum tc_engine engine;                 /* resolved */
	int32_t device_index;                  /* resolved, -1 for none */
};

/* Whether anything lies on it: it has a row in the store. */
static inline bool tc_track_row_is_used(const struct tc_track_row *track)
{
	return track->slice_count > 0 || track->other_count > 0;
}

/* A lookup of a thread: integers as they are, short texts as their bytes. */
struct tc_recent_thread {
	struct tc_recent_ident {
		uint64_t words[2];
		uint64_t tag; /* 1 for an integer, more by the length of a text, 0 for others */
	} pid, tid;
	uint32_t thread;
};

enum { TC_RECENT_THREAD_COUNT = 64 };

struct tc_tracks {
	struct tc_ctx *ctx; /* borrowed */
	struct tc_strtab strings;
	struct tc_strtab keys; /* of processes, threads and async tracks */
	uint32_t *key_rows;    /* by key number */
	size_t key_capacity;
	struct tc_process_row *processes;
	size_t process_count, process_capacity;
	struct tc_thread_row *threads;
	size_t thread_count, thread_capacity;
	struct tc_track_row *tracks;
	size_t track_count, track_capacity;
	size_t max_count;    /* of tracks: TC_TRACK_MAX_COUNT, less in tests */
	uint32_t first_rank; /* of processes that have one; TC_STRTAB_NONE for none */
	size_t rank_count;
	const char *lane_vendor; /* resolved: by the names of lanes; or NULL */
	bool is_full;            /* the latest TC_INDEX_NONE was because of max_count */
	struct tc_recent_thread recent[TC_RECENT_THREAD_COUNT]; /* lookups, by ids */
	int64_t last_device; /* integer args.device and its string */
	uint32_t last_device_string;
	uint32_t last_device_text; /* string of the latest args.device that is a text */
};

static inline void tc_tracks_init(struct tc_tracks *tracks, struct tc_ctx *ctx)
{
	*tracks = (struct tc_tracks){.ctx = ctx,
		.strings.ctx = ctx,
		.keys.ctx = ctx,
		.last_device_string = TC_STRTAB_NONE,
		.last_device_text = TC_STRTAB_NONE,
		.first_rank = TC_STRTAB_NONE,
		.max_count = TC_TRACK_MAX_COUNT};
	for (size_t i = 0; i < TC_RECENT_THREAD_COUNT; i++)
		tracks->recent[i].thread = TC_INDEX_NONE;
}
void tc_tracks_clear(struct tc_tracks *tracks);

/* Each returns a row, which is added when new; TC_INDEX_NONE when the context has failed or, with
 * is_full set, the limit is reached. An absent pid is 0; an absent tid is the pid. A text that is
 * an integer counts as the integer. */
uint32_t tc_tracks_process(struct tc_tracks *tracks, const struct tc_scalar *pid);
uint32_t tc_tracks_thread(
	struct tc_tracks *tracks, const struct tc_scalar *pid, const struct tc_scalar *tid);
/* The track of a thread for host slices and notes; for device work there is one track for each
 * args.device. Work without args.device is on the track of the thread's latest device work. */
uint32_t tc_tracks_of_thread(
	struct tc_tracks *tracks, uint32_t thread, const struct tc_label *label);
uint32_t tc_tracks_of_device(
	struct tc_tracks *tracks, uint32_t thread, const struct tc_scalar *device);
/* The track of a thread's scheduling states, beside that of its slices. */
uint32_t tc_tracks_of_states(struct tc_tracks *tracks, uint32_t thread);
/* The async track of an id: scoped by category, and by process when local. */
uint32_t tc_tracks_async(
	struct tc_tracks *tracks, const struct tc_raw_event *event, uint32_t process);

/* An id of the file as a number or a string; an absent one is 0. */
struct tc_ident tc_tracks_ident(struct tc_tracks *tracks, const struct tc_scalar *scalar);

/* A string's number; TC_STRTAB_NONE for an absent text, whose ptr is NULL, and after a failure. */
static inline uint32_t tc_tracks_string(struct tc_tracks *tracks, struct tc_text text)
{
	return text.ptr ? tc_strtab_intern(&tracks->strings, text) : TC_STRTAB_NONE;
}

/* The text of a number, or TC_TEXT_NONE for TC_STRTAB_NONE. */
static inline struct tc_text tc_tracks_text(const struct tc_tracks *tracks, uint32_t string)
{
	return string == TC_STRTAB_NONE ? TC_TEXT_NONE : tc_strtab_at(&tracks->strings, string);
}

/* An id as text, appended to buf. */
void tc_tracks_append_ident(
	const struct tc_tracks *tracks, struct tc_ident ident, struct tc_buf *buf);

/* When all metadata is known: sets the members that are marked as resolved, and adds the devices to
 * the timeline. */
void tc_tracks_resolve(struct tc_tracks *tracks, struct tc_timeline *timeline);
