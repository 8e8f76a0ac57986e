/*
 * A report as one page in a browser: the page around it, the timeline of a trace, and numbers
 * packed for the scripts of the page.
 */
#pragma once

#include "report/doc/doc.h"
#include "report/job.h"
#include "report/text/json.h"
#include "report/view/view.h"

/* ---- timeline.c: numbers for the page, as LEB128 varints, compressed with gzip, written as
 * base64. A slice takes about five bytes. */

/* Appends a number that may be negative. Zigzag order: 0, -1, 1, -2, ... */
void tc_columns_put_signed(struct tc_buf *columns, int64_t value);

/* Writes the numbers, compressed. The sink keeps any failure. */
void tc_columns_write(struct tc_sink *sink, const struct tc_buf *columns);

#define TC_TIMELINE_ITEMS 300000 /* limit for a page; an item is a slice or several merged ones */

struct tc_timeline_options {
	size_t budget;       /* approximate number of items */
	const char *heading; /* a literal, or a text that needs no escapes */
	bool is_linked;   /* shows the same time range as the other linked timelines of the page */
	bool is_rank;     /* the linked timelines are of ranks of one job */
	bool is_hidden;   /* until a reader asks for it */
	int64_t shift_ns; /* how much later it starts than the first of the linked timelines */
	int64_t apart_ns; /* how far apart recordings start when that hides who is late; or 0 */
};

/* Writes the timeline; nothing for a trace without slices. `job` must have the store of the trace.
 * */
void tc_put_timeline(struct tc_sink *sink, struct tc_job *job, const struct tc_view *view,
	const struct tc_timeline_options *options);

/* ---- page.c: the page around a report, page/report.html with its style and scripts */

#define TC_TITLE_PARTS 2 /* of a path; the whole path is on the page */

/* The last parts of a path, for a title. */
static inline struct tc_text tc_page_name(struct tc_text path)
{
	size_t from = path.len;
	int parts = 0;

	while (from > 0 && (path.ptr[from - 1] != '/' || ++parts < TC_TITLE_PARTS))
		from--;
	return path.len > 0 ? (struct tc_text){path.ptr + from, path.len - from} : path;
}

/* The parts of the page before the body, with the title, and after it. */
void tc_page_begin(struct tc_sink *sink, struct tc_text title);
void tc_page_end(struct tc_sink *sink);
/* Writes a document as a part of the page. */
void tc_page_article(
	const struct tc_doc *doc, struct tc_sink *sink, const struct tc_report_options *options);
