/*
 * CSV with a heading, a record a line; csv.c wraps libcsv and is the only file that knows it. A
 * line whose number of fields is not that of the heading, or whose quotes do not close, is counted
 * as damaged and skipped: the damage never runs on into the next line.
 */
#ifndef TC_SIDE_CSV_H
#define TC_SIDE_CSV_H

#include "side/file.h"

/* The value of a column in one record: "" when it is empty, ptr NULL when there is no such column.
 * Columns are numbered as wanted was. */
typedef enum tc_status (*tc_side_record_fn)(void *user, const struct tc_text *values);

/*
 * Reads the file to its end and gives each record to fn: the values of the columns named in
 * wanted, which ends with NULL.
 */
enum tc_status tc_side_csv_read(
	struct tc_side_file *file, const char *const *wanted, tc_side_record_fn fn, void *user);

#endif
