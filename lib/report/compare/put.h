/*
 * What a comparison is written with: paragraphs and tables for a terminal or, where
 * compare->markdown is set, as Markdown.
 */
#ifndef TC_REPORT_COMPARE_PUT_H
#define TC_REPORT_COMPARE_PUT_H

#include "report/compare/facts.h"

void tc_compare_put_heading(const struct tc_compare *compare, const char *heading);
/* A paragraph, after a label or NULL, with further lines indented; clears the buffer. */
void tc_compare_put_line(
	const struct tc_compare *compare, const char *label, int indent, struct tc_buf *line);
void tc_compare_put_note(const struct tc_compare *compare, const char *text);
/* Prints the table under a heading, if it has rows, and clears it. True when it had some. */
bool tc_compare_put_table(
	const struct tc_compare *compare, const char *heading, struct tc_table *table);

/* Cells. end_cell clears the buffer. */
void tc_compare_end_cell(struct tc_table *table, struct tc_buf *cell);
void tc_compare_put_signed(struct tc_table *table, int64_t ns); /* "+3.200 ms", "0 ns" */
/* Both times and their difference. */
void tc_compare_put_times(struct tc_table *table, int64_t before_ns, int64_t after_ns);

#endif
