/*
 * The timeline of a trace in a page: a table of what is drawn, as JSON, and the numbers of it, packed
 * (columns.h). page/data.js reads both.
 */
#ifndef TC_REPORT_HTML_TIMELINE_H
#define TC_REPORT_HTML_TIMELINE_H

#include "report/view/view.h"

#define TC_TIMELINE_ITEMS 300000 /* of a page: slices, or several merged into one */

struct tc_timeline_options {
	size_t budget;       /* items, about */
	const char *heading; /* a literal, or a text that needs no escapes */
	bool is_linked;      /* shows the same time as the other linked ones of the page */
	bool is_rank;        /* the other linked ones are of other ranks of its job */
	int64_t shift_ns;    /* what its times are later than those of the other linked ones */
	int64_t apart_ns; /* how far apart recordings start, where that hides who is late; or 0 */
};

/* Writes the timeline; nothing for a trace without slices. The job is that of the trace's store. */
enum tc_status tc_put_timeline(struct tc_sink *sink, struct tc_job *job, const struct tc_view *view,
	const struct tc_timeline_options *options);

#endif
