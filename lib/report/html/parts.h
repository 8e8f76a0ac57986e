/* What the files of this room offer each other, file by file. */
#ifndef TC_REPORT_HTML_PARTS_H
#define TC_REPORT_HTML_PARTS_H

#include "report/doc/writers.h"
#include "report/job.h"
#include "report/json/json_writer.h"
#include "report/view/view.h"

struct tc_items;
struct tc_names;
struct tc_places;
struct tc_queues;
struct tc_page_tracks;

/* ---- columns.c: packs the numbers of a timeline for the page: LEB128 varints, compressed with
 * gzip, written as base64. A slice takes about five bytes. */

/* Appends a number that may be negative. Zigzag order: 0, -1, 1, -2, ... */
void tc_columns_put_signed(struct tc_buf *columns, int64_t value);

/* Writes the numbers, compressed. The sink keeps any failure. */
void tc_columns_write(struct tc_sink *sink, const struct tc_buf *columns);

/* ---- survey.c: a first pass over all slices of a trace. It decides from their durations which
 * slices to merge, and finds where findings show best. */

/* Finds the places, opens and fills the queues, and chooses *least_ns. Merging slices shorter than
 * that leaves about `budget` items; 0 means that no slice must be merged. */
void tc_survey(int64_t *least_ns, struct tc_places *places, struct tc_queues *queues,
	const struct tc_page_tracks *tracks, size_t budget);

/* ---- args.c: the args of the longest slices of a page. They are as in the file, but long names
 * are shortened. They are written as pairs: the number of the item, and the text. */

void tc_page_put_args(struct tc_json *json, struct tc_job *job, const struct tc_items *items,
	const struct tc_names *names);

/* ---- timeline.c: the timeline of a trace in a page: a JSON table of what is drawn, with its
 * numbers packed (columns.c). page/data.js reads both. */

#define TC_TIMELINE_ITEMS 300000 /* limit for a page; an item is a slice or several merged ones */

struct tc_timeline_options {
	size_t budget;       /* approximate number of items */
	const char *heading; /* a literal, or a text that needs no escapes */
	bool is_linked;   /* shows the same time range as the other linked timelines of the page */
	bool is_rank;     /* the linked timelines are of ranks of one job */
	int64_t shift_ns; /* how much later it starts than the other linked timelines */
	int64_t apart_ns; /* how far apart recordings start when that hides who is late; or 0 */
};

/* Writes the timeline; nothing for a trace without slices. `job` must have the store of the trace.
 * */
void tc_put_timeline(struct tc_sink *sink, struct tc_job *job, const struct tc_view *view,
	const struct tc_timeline_options *options);

/* ---- tree.c: the operator tree of a trace in a page: its heaviest nodes, as packed JSON
 * (columns.c). Each column is an array: id, id of the parent or -1, name, phase or null, calls, and
 * ns of host time, host self time, device time and device self time. page/tree.js draws it. */

#define TC_TREE_NODES 3000

/* Writes the tree; nothing for a trace without host slices. */
void tc_put_tree(struct tc_job *job, const struct tc_view *view);

/* ---- edges.c: idle time outside of gaps: from the start of the first step to the first device
 * work, and from the last device work to the end of the last step. Without steps this time is
 * start-up and shutdown, which does not count as idle. */

/* A piece of idle time and what the host does in it. `cause` is a cause of gaps or names the edge.
 * */
struct tc_edge_piece {
	int64_t ts, dur;
	char cause[24];
};

struct tc_edges {
	struct tc_edge_piece *all; /* by time, without overlaps; owned */
	size_t count, capacity;
	int64_t first_work_ns, last_work_ns; /* of all devices together */
};

/* Call tc_edges_clear() afterwards, also after a failure. */
void tc_edges_load(struct tc_edges *edges, const struct tc_page_tracks *tracks);
void tc_edges_clear(struct tc_edges *edges);

/* ---- grid.c: the step times of a job as a grid: a row for each rank, a column for each step. The
 * shade of a cell shows how far the time is from the median of its step. */

/* Writes the grid of a job; nothing without steps. */
void tc_put_rank_grid(struct tc_job *job, int64_t job_id);

/* ---- job.c: the part of a page about the jobs of a store, below their screens: findings and step
 * times. For the first job it has the timelines of two ranks, one above the other: the rank that
 * sets the pace and the rank that waits most. */

/* With --details the findings and timelines are in the reports of the ranks. */
void tc_page_put_jobs(struct tc_job *job);

/* ---- page.c: the HTML page around a report: page/report.html with its style and scripts. */

/* The parts of the page before the body, with the title, and after it. */
void tc_page_begin(struct tc_sink *sink, struct tc_text title);
void tc_page_end(struct tc_sink *sink);
/* Writes a document as a part of the page. */
void tc_page_article(
	const struct tc_doc *doc, struct tc_sink *sink, const struct tc_report_options *options);

#endif
