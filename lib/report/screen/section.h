/*
 * A section of the details: a table with the rows of one query. It adds nothing where there is no row.
 * Queries add times with total(), for sum() fails where they exceed 64 bits; below 2^53 ns, 104 days,
 * both are exact.
 */
#ifndef TC_REPORT_SCREEN_SECTION_H
#define TC_REPORT_SCREEN_SECTION_H

#include "report/view/view.h"

struct tc_section {
	const char *heading;
	const char *sql; /* ?1 trace, ?2 step or -1, ?3 rows wanted */
	const char *const *titles;
	const char *cells; /* a kind for each column; "-" stands for NULL */
	bool has_gaps;     /* its idle time is that of the gaps */
};

enum tc_status tc_put_section(
	struct tc_job *job, const struct tc_view *view, const struct tc_section *section);
/* The same, for a query that goes through all slices or events: only where --details asks for it. */
enum tc_status tc_put_costly_section(
	struct tc_job *job, const struct tc_view *view, const struct tc_section *section);
/* Before the pages of several traces: asks the views of such sections once for all of them. Asked for
 * each trace in turn they would go through all of them every time. */
enum tc_status tc_keep_costly(struct tc_job *job);

#endif
