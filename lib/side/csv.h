/*
 * CSV with a heading and one record a line; csv.c wraps libcsv and is the only file that includes
 * it. A line with a wrong number of fields, or whose quotes do not close, is counted as damaged and
 * skipped: damage never reaches the next line.
 */
#pragma once

#include "side/reader.h"

/* values: by wanted column, "" when it is empty, ptr NULL when the file lacks it. */
typedef void (*tc_side_record_fn)(void *user, const struct tc_text *values);

/*
 * Reads the file to its end and gives the values of the wanted columns of each record to fn. wanted
 * ends with NULL.
 */
void tc_side_csv_read(
	struct tc_side_file *file, const char *const *wanted, tc_side_record_fn fn, void *user);
