/*
 * The timeline of a trace in a page: a JSON table of what is drawn, with its numbers packed
 * (columns.h). page/data.js reads both.
 */
#ifndef TC_REPORT_HTML_TIMELINE_H
#define TC_REPORT_HTML_TIMELINE_H

#include "report/view/view.h"

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

#endif
