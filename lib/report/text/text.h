/*
 * The parts of the text report, one file each. Every part prints nothing when it has nothing to
 * say, and starts with a blank line and its heading when it has.
 */
#ifndef TC_REPORT_TEXT_H
#define TC_REPORT_TEXT_H

#include "report/text/table.h"
#include "report/view.h"

/* ANSI styles; used only when colour was asked for. */
enum tc_style {
	TC_STYLE_PLAIN,
	TC_STYLE_BOLD,
	TC_STYLE_DIM,
	TC_STYLE_RED,
	TC_STYLE_YELLOW,
	TC_STYLE_CYAN
};

void tc_put_style(struct tc_job *job, enum tc_style style); /* PLAIN ends all others */
/* A blank line and a heading, from the margin. */
void tc_put_heading(struct tc_job *job, const char *heading);
/* Text wrapped at the width, all lines indented; label (not NULL) stands before the first one. */
void tc_put_paragraph(struct tc_job *job, const char *label, int indent, struct tc_text text);
/* The same of a buffer, which is empty then; nothing when it was. */
void tc_put_line(struct tc_job *job, const char *label, int indent, struct tc_buf *line);

/* Prints the table of chosen devices and how many are left out ("the 16 most idle of 100"), if
 * there are any; clears both. */
void tc_put_choice(struct tc_job *job, struct tc_table *table, struct tc_device_choice *choice,
	const char *what);

/* Where the time went: a bar per engine of each device. */
enum tc_status tc_put_time(struct tc_job *job, const struct tc_view *view);
/* The same of the host: a bar per category. */
enum tc_status tc_put_host_time(struct tc_job *job, const struct tc_view *view);

/* The ranking, where there is more than one advice. */
enum tc_status tc_put_ranking(struct tc_job *job, const struct tc_view *view);
/* Notes on the trace itself, then each advice. */
enum tc_status tc_put_findings(struct tc_job *job, const struct tc_view *view);
/* The account of all heuristics, and what the import met. */
enum tc_status tc_put_account(struct tc_job *job, const struct tc_view *view);

/* Tables of steps, gaps, operations, host events, memory. */
enum tc_status tc_put_details(struct tc_job *job, const struct tc_view *view);
/* The command behind each advice, under its number. Long lines, so they stand last. */
enum tc_status tc_put_queries(struct tc_job *job, const struct tc_view *view);
/* A screen for every job of several ranks. */
enum tc_status tc_put_jobs(struct tc_job *job);
/* The table over the traces that are no ranks of a job, when there are several traces. */
enum tc_status tc_put_traces(struct tc_job *job);

#endif
