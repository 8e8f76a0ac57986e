/*
 * A table of a document laid out for a terminal. When the line is too short, optional columns go
 * first, from the right, but the last one stays if titles on several lines make room for it; then
 * the last column is cut in its middle to what is left, or goes on in the next line. When that is
 * not enough, titles take several lines, columns of words are cut, and more columns go. Bars take
 * what the other columns leave.
 */
#ifndef TC_REPORT_DOC_LAYOUT_H
#define TC_REPORT_DOC_LAYOUT_H

#include "report/doc/doc.h"
#include "report/text/sink.h"

#define TC_LAYOUT_MAX_COLUMNS 12

struct tc_layout {
	const struct tc_doc *doc;
	const struct tc_block *block;
	const struct tc_report_options *options;
	struct tc_buf text; /* all cells, made safe for a terminal */
	size_t *ends;       /* where each cell ends in text */
	int widths[TC_LAYOUT_MAX_COLUMNS];
};

/* Makes the cells and measures the columns; the block is a table of the document. */
void tc_layout_init(struct tc_layout *table, const struct tc_doc *doc, const struct tc_block *block,
	const struct tc_report_options *options);
/* Prints the first rows; the widths are those of all rows. */
void tc_layout_print(const struct tc_layout *table, struct tc_sink *sink, size_t rows);
bool tc_layout_shows(const struct tc_layout *table, int column);
void tc_layout_clear(struct tc_layout *table);

/* Begins or ends a tone, if colours are on. */
void tc_put_tone(struct tc_sink *sink, const struct tc_report_options *options, enum tc_tone tone);

#endif
