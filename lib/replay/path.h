/*
 * The critical path of a recording, and the slack of its work: one pass over the program from its
 * end to its start.
 *
 * The path starts at the last point and goes back to whatever each point really waited for. Its
 * pieces add up to the time from the start of the recording to its end. The slack of an operation
 * is how much longer it may take before the recording takes longer.
 */
#pragma once

#include "core/sort/sorter.h"
#include "replay/replay.h"

/* Work of one kind. Rows are in the order of piece, device, role or engine, and label. */
struct tc_path_row {
	uint32_t label; /* index of the timeline's labels, or UINT32_MAX */
	uint16_t role_or_engine;
	uint16_t device;             /* index + 1; 0 for the host */
	uint8_t piece;               /* enum tc_piece */
	int64_t path_ns, path_count; /* on the critical path */
	int64_t count, dur_ns;       /* of device work: all of it */
	int64_t least_slack_ns;      /* valid where count > 0 */
};

/* A part of the path, [ts, ts + dur) on the clock of the trace. */
struct tc_path_stretch {
	int64_t ts, dur;
	uint32_t track;  /* index + 1 of the track of host or device work; else 0 */
	uint16_t device; /* as in tc_path_row */
	uint8_t piece;
};

/* Pieces are joined until a stretch has at least this fraction of the recording. It gets the kind
 * of its longest piece. */
#define TC_PATH_STRETCHES 65536

struct tc_path {
	struct tc_path_stretch
		*stretches; /* from the end of the recording to its start, without gaps */
	size_t stretch_count, stretch_capacity;
	struct tc_path_row *rows; /* ask tc_path_each() */
	size_t count, capacity;
	struct tc_strtab kinds;  /* numbers the rows */
	struct tc_sorter *parts; /* rows that were too many to be held, each in parts; or NULL */
};

/* What to find: rows of all device work and the path, or the path by piece and role or engine
 * alone, which costs less. */
enum tc_path_rows { TC_PATH_ALL_WORK, TC_PATH_PIECES };

/* tc_path_clear() afterwards, also when it failed. */
enum tc_status tc_path_find(struct tc_path *path, const struct tc_replay *replay,
	enum tc_path_rows rows, struct tc_ctx *ctx);
void tc_path_clear(struct tc_path *path);

/* Hands the rows in their order to take, until one fails. */
typedef enum tc_status (*tc_path_row_fn)(void *user, const struct tc_path_row *row);
enum tc_status tc_path_each(const struct tc_path *path, tc_path_row_fn take, void *user);
