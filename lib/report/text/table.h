/*
 * A small table of text for the terminal: cells are added row by row, then printed in columns.
 * When the line is too short, optional columns go first, from the right; then the last column is
 * cut in its middle to what is left, or goes on in the next line when its title says so. When that
 * is not enough, titles take several lines, columns of words are cut, and more columns go.
 * Marks before a title: '<' words, left-aligned, the only ones that are cut; '?' optional, '-' goes
 * where nothing else helps; '~' (last column) wrapped, of which a single word may be cut.
 */
#ifndef TC_REPORT_TABLE_H
#define TC_REPORT_TABLE_H

#include "report/sink.h"

#define TC_TABLE_MAX_COLUMNS 12

struct tc_table {
	const char *const *titles; /* NULL at the end */
	int column_count;
	struct tc_buf text;
	size_t *ends; /* where each cell ends in text */
	size_t count, capacity;
	bool ascii;
};

void tc_table_init(struct tc_table *table, const char *const *titles, bool ascii);
void tc_table_clear(struct tc_table *table);

/* One cell each, in the order of the columns. */
void tc_table_ns(struct tc_table *table, int64_t ns);
void tc_table_count(struct tc_table *table, int64_t count);
void tc_table_pct(struct tc_table *table, double pct);
void tc_table_bytes(struct tc_table *table, int64_t bytes);
void tc_table_text(struct tc_table *table, struct tc_text text);
void tc_table_string(struct tc_table *table, const char *string);

/* A cell by its number, row by row, and a title without its marks; borrowed. */
struct tc_text tc_table_cell(const struct tc_table *table, size_t index);
struct tc_text tc_table_title(const struct tc_table *table, int column);

/* Whether the column is printed in lines of this width. */
bool tc_table_shows(const struct tc_table *table, int column, int width);

/* Prints title line and rows, indented by two, at most width columns. */
void tc_table_print(struct tc_table *table, struct tc_sink *sink, int width);

#endif
