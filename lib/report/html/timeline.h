/*
 * The timeline of a trace in a page: a table of what is drawn, as JSON, and the numbers of it, packed
 * (columns.h). page/data.js reads both.
 */
#ifndef TC_REPORT_HTML_TIMELINE_H
#define TC_REPORT_HTML_TIMELINE_H

#include "report/view.h"

/* Writes the timeline with at most about `budget` items; nothing for a trace without slices. */
enum tc_status tc_put_timeline(struct tc_job *job, const struct tc_view *view, size_t budget);

#endif
