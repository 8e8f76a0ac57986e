/*
 * A section of the details: a table with the rows of one query, or nothing if there are no rows.
 * Queries add times with total(), because sum() fails where a total exceeds 64 bits. Below 2^53 ns,
 * 104 days, both are exact.
 */
#ifndef TC_REPORT_SCREEN_SECTION_H
#define TC_REPORT_SCREEN_SECTION_H

#include "report/view/view.h"

struct tc_section {
	const char *heading;
	const char *sql; /* ?1 trace, ?2 step or -1, ?3 rows wanted */
	const char *const *titles;
	const char *cells; /* a kind for each column; "-" stands for NULL */
	bool has_gaps;     /* its idle time is the sum of gaps, which gets a note */
};

void tc_put_section(
	struct tc_job *job, const struct tc_view *view, const struct tc_section *section);
/* The same for a query that goes through all slices or events: it runs only with --details. */
void tc_put_costly_section(
	struct tc_job *job, const struct tc_view *view, const struct tc_section *section);
/* Call before the pages of several traces: computes the views of costly sections once for all
 * traces. Otherwise each trace would go through the slices of all traces again. */
void tc_keep_costly(struct tc_job *job);

#endif
