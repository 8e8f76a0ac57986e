/*
 * The part of a page about the jobs of a store, below their screens: findings and step times. For
 * the first job it has the timelines of two ranks, one above the other: the rank that sets the pace
 * and the rank that waits most.
 */
#ifndef TC_REPORT_HTML_JOB_H
#define TC_REPORT_HTML_JOB_H

#include "report/job.h"

/* With --details the findings and timelines are in the reports of the ranks. */
void tc_page_put_jobs(struct tc_job *job);

#endif
